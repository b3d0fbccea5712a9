"""Rows of a sweep are kept between runs, and computed again if anything that they depend on has changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from inspector.analysis.experiments import TrialSetup, run_sweep
from inspector.analysis.experiments.kept_results import load_results, result_keys
from inspector.analysis.replay import NONE, RECORDED
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex, Weights
from inspector.library import Library
from inspector.library.bench import file_extracts
from tests.analysis.experiments.test_trials import subject
from tests.analysis.replay.test_run import PRICE, TALK
from tests.cli.calling import transcript, written
from tests.generated import recorded

TIGHT = Preset("tight", 1_000, 0.2, 2)
PRESETS = (RECORDED, NONE, TIGHT, replace(TIGHT, name="tighter", threshold=700))


@dataclass
class Results:
    """Results in memory."""

    content: bytes | None = b"content"
    texts: dict[bytes, str] = field(default_factory=dict)

    def content_digest(self) -> bytes | None:
        return self.content

    def load_result(self, key: bytes) -> str | None:
        return self.texts.get(key)

    def save_result(self, key: bytes, text: str) -> None:
        assert key not in self.texts
        self.texts[key] = text


def keys(setup: TrialSetup) -> list[bytes]:
    return result_keys(setup, [TIGHT])


def test_a_second_sweep_has_the_same_rows_and_reads_no_facts() -> None:
    cache = Results()
    given = replace(subject(recorded(TALK)), kept=cache)
    rows = run_sweep(given, PRESETS, workers=1)
    assert len(cache.texts) == len(PRESETS)
    assert rows == run_sweep(replace(given, kept=None), PRESETS, workers=1)
    assert sorted(load_results(given, PRESETS, result_keys(given, PRESETS))) == [0, 1, 2, 3]
    unread = replace(given, facts=None, read_facts=lambda: pytest.fail("facts are read"))
    assert run_sweep(unread, PRESETS, workers=1) == rows


def test_rows_with_a_part_of_the_state_of_the_work_are_no_rows_with_all_of_it() -> None:
    given = replace(subject(recorded(TALK)), kept=Results())
    bare = replace(given, judged="questions")
    first = run_sweep(bare, [TIGHT], workers=1)
    assert run_sweep(replace(bare, facts=None, read_facts=pytest.fail), [TIGHT], workers=1) == first
    assert load_results(given, [TIGHT], keys(given)) == {}
    rows = run_sweep(given, [TIGHT], workers=1)
    assert rows[0].state != first[0].state and rows[0].state.going_on == first[0].state.going_on is not None
    assert replace(rows[0], state=first[0].state) == first[0]
    assert run_sweep(bare, [TIGHT], workers=1) == rows


@pytest.mark.parametrize("workers", [1, 2])
def test_facts_are_read_once_for_all_presets(workers: int) -> None:
    given, read = subject(recorded(TALK)), list[FactIndex]()

    def read_facts() -> FactIndex:
        read.append(FactIndex(given.session))
        return read[-1]

    rows = run_sweep(replace(given, facts=None, read_facts=read_facts), PRESETS, workers=workers)
    assert rows == run_sweep(given, PRESETS, workers=1)
    assert len(read) == 1


def test_names_of_presets_belong_to_the_sweep() -> None:
    given = replace(subject(recorded(TALK)), kept=Results())
    run_sweep(given, PRESETS, workers=1)
    renamed = [replace(TIGHT, name="other"), *PRESETS]
    assert [row.name for row in run_sweep(given, renamed, workers=1)] == [preset.name for preset in renamed]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"parts": [1], "retention": {}}'])
def test_a_damaged_row_is_computed_again(text: str) -> None:
    cache = Results()
    given = replace(subject(recorded(TALK)), kept=cache)
    rows = run_sweep(given, PRESETS[:3], workers=1)
    damaged = replace(given, kept=Results(texts=dict.fromkeys(cache.texts, text)))
    assert load_results(damaged, PRESETS, result_keys(damaged, PRESETS)) == {}
    assert rows


def test_a_key_depends_on_everything_that_a_row_depends_on() -> None:
    given = replace(subject(recorded(TALK)), kept=Results())
    session, sizes = given.session, given.sizes
    last = replace(session.messages[-1], time="2026-01-01T00:00:00Z")
    others = [
        replace(given, kept=Results(b"other")),
        replace(given, session=replace(session, model="gpt-4o-mini")),
        replace(given, session=replace(session, messages=(*session.messages[:-1], last))),
        replace(given, sizes=replace(sizes, tokens=[*sizes.tokens[:-1], 7])),
        replace(given, sizes=replace(sizes, limit=sizes.limit + 1)),
        replace(given, price=replace(PRICE, input=PRICE.input + 1)),
        replace(given, weights=Weights({"path": 2})),
        replace(given, facts=None),
        replace(given, agent="other"),
    ]
    made = [tuple(keys(one)) for one in (given, *others)]
    assert len(set(made)) == len(made)
    assert keys(given) == keys(replace(given, kept=Results()))
    assert keys(replace(given, kept=None)) == keys(replace(given, kept=Results(None))) == []


def test_a_changed_file_has_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_extracts, "_MIN_CHARACTERS", 100)
    log = written(tmp_path / "agent.jsonl", transcript(turns=3))

    def digest() -> bytes | None:
        with Library(tmp_path / "store.db", required=True) as library:
            kept = library.open(str(log)).bench.kept_results
            assert kept is not None
            return kept.content_digest()

    first = digest()
    assert first is not None and digest() == first
    with log.open("a") as file:
        file.write("\n")
    assert digest() != first
