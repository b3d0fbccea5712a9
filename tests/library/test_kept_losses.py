"""What compactions lost is kept for long files, and used again only for the same content."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.analysis.context_loss import loss_history
from inspector.library import Library, Workbench, recorded_losses
from inspector.library.diagnosis import look_back
from tests.benchmarks.big_log import write_log


def stop() -> bool:
    """Stop every walk at once, so that only a kept value is returned."""
    return True


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db") as library:
        yield library


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "session.jsonl"
    write_log(path, 200)
    return path


def opened(library: Library, path: Path) -> Workbench:
    return library.open(str(path)).bench


def test_losses_and_findings_are_read_once(library: Library, log: Path) -> None:
    bench = opened(library, log)
    assert recorded_losses(bench, cancelled=stop) is None
    found, losses = look_back(bench), recorded_losses(bench)
    assert losses is not None and any(row.losses for row in losses.compactions)
    again = opened(library, log)
    assert look_back(again, cancelled=stop) == found
    kept = recorded_losses(again, cancelled=stop)
    assert kept == losses == loss_history(bench.session, bench.sizes, bench.fact_index())
    lost = kept.compactions[0].losses
    assert all(loss.message is again.session.messages[loss.position - 1] for loss in lost if loss.position)
    assert [loss.quote for loss in lost[:20]] == [loss.quote for loss in losses.compactions[0].losses[:20]]


def test_another_file_is_read_again(library: Library, log: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    copy.write_text("".join(lines))
    assert recorded_losses(opened(library, copy)) is not None
    record = json.loads(lines[-1])
    copy.write_text("".join([*lines, json.dumps({**record, "uuid": "new", "parentUuid": record["uuid"]}) + "\n"]))
    assert recorded_losses(opened(library, copy), cancelled=stop) is None


def test_losses_of_a_stored_session_are_kept(library: Library, log: Path) -> None:
    (outcome,) = library.import_targets([str(log)])
    assert outcome.addition is not None
    losses = recorded_losses(library.open(outcome.addition.id).bench)
    assert losses is not None and losses.compactions
    again = library.open(outcome.addition.id).bench
    assert again.store_id
    assert recorded_losses(again, cancelled=stop) == losses
