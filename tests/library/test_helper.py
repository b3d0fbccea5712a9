"""A long session opened by another process: the same as when it is opened here, however that process ends."""

from __future__ import annotations

import multiprocessing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, Message
from inspector.library import Library, Opener, OpenError, Step, Workbench
from inspector.store import Store
from tests.cli.calling import chat, transcript, written
from tests.killed_program import check_workers_end


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of several batches and frames, with halves of surrogate pairs, and lines that cannot be read."""
    records = transcript(turns=700, prompt="\ud83d Mend \x1b[31m the pier lights \ud800.")
    for record in records[2::2]:
        record["message"]["content"][0]["content"] += "dark " * 600
    records[1]["message"]["content"][1]["name"] = "Read \udfff"
    file = written(tmp_path / "agent.jsonl", records)
    with file.open("a", encoding="utf-8") as end:
        end.write('{"type": "user", broken\n')
    return file


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def last_bench(steps: list[Step]) -> Workbench:
    return [step.bench for step in steps if step.bench][-1]


def contents(bench: Workbench) -> list[Any]:
    """All that is known of a session and its messages, their records included."""
    names = [field.name for field in fields(Message) if field.name != "body"]
    session = bench.session
    columns: dict[str, Any] = {
        name: list(getattr(bench.sizes, name)) for name in ("tokens", "levels", "removed", "falls")
    }
    sizes = replace(bench.sizes, **columns)
    return [
        *(getattr(session, field.name) for field in fields(session) if field.name != "messages"),
        *([getattr(message, name) for name in names] for message in session.messages),
        *([message.raw, message.record] for message in session.messages),
        (sizes, bench.plans, bench.versions, bench.store_id, bench.limit),
    ]


def reports(steps: list[Step]) -> list[tuple[Any, ...]]:
    return [(step.activity, step.count, step.total, step.notes, step.problem, step.first) for step in steps]


def test_a_helper_takes_the_very_steps_that_are_taken_without_one(log: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "here.db") as here, Store(tmp_path / "there.db") as there:
        for least in (5, 3):  # the second time, it is stored, and its index and counts are known
            own = list(Opener(here, keeps=True, refine=-1.0, limit=9_000).steps(str(log)))
            sent = list(Opener(there, keeps=True, refine=-1.0, limit=9_000, helper_from=0).steps(str(log)))
            assert reports(own) == reports(sent) and len([step for step in own if step.bench]) >= least
            assert contents(last_bench(own)) == contents(last_bench(sent))
        assert [row.tokens for row in there.sessions()] == [row.tokens for row in here.sessions()] != [None]
    assert multiprocessing.active_children() == []


def test_a_helper_opens_what_is_stored_with_its_plans(log: Path, db: Path) -> None:
    with Library(db, required=True) as library:
        opened = library.open(str(log))
        opened.push(opened.bench.hand_plan((opened.bench.session.messages[1].id,), "pinned", None), MAIN)
        for target in ("3f0c", str(log)):
            own = list(Opener(library.store).steps(target))
            sent = list(Opener(library.store, helper_from=0).steps(target))
            assert contents(last_bench(own)) == contents(last_bench(sent))
            assert reports(own) == reports(sent) and last_bench(sent).plans[MAIN]


def test_only_what_is_long_and_stays_in_its_file_is_given_to_a_helper(log: Path, tmp_path: Path) -> None:
    whole = written(tmp_path / "chat.jsonl", [chat(1)])
    for target, size in ((log, log.stat().st_size + 1), (whole, 0)):
        steps = Opener(helper_from=size).steps(str(target))
        assert next(steps).bench is not None
        assert multiprocessing.active_children() == []


def test_what_cannot_be_opened_is_told_alike(log: Path) -> None:
    for target in (f"{log}#2", "nothing.jsonl"):
        with pytest.raises(OpenError) as here:
            list(Opener().steps(target))
        with pytest.raises(OpenError) as there:
            list(Opener(helper_from=0).steps(target))
        assert str(here.value) == str(there.value)


def kill_helper() -> bool:
    """Kill the helper, as a condition that nobody cancels by."""
    for process in multiprocessing.active_children():
        process.kill()
    return False


@pytest.mark.parametrize("begun", [False, True])
def test_a_helper_that_dies_costs_a_note_and_nothing_else(log: Path, begun: bool) -> None:
    opening = Opener(refine=-1.0, helper_from=0).steps(str(log), is_cancelled=lambda: kill_helper() and begun)
    steps = [next(opening)]
    kill_helper()
    steps += opening
    notes = [note for step in steps for note in step.notes]
    assert len(notes) == 1 and notes[0].startswith("The process that counts this session has ended")
    assert contents(last_bench(steps)) == contents(last_bench(list(Opener().steps(str(log)))))
    assert {step.bench.session for step in steps if step.bench} == {last_bench(steps).session}


def test_who_cancels_ends_the_helper_and_stores_nothing(log: Path, db: Path) -> None:
    with Store(db) as store:
        assert list(Opener(store, keeps=True, helper_from=0).steps(str(log), is_cancelled=lambda: True)) == []
        opening = Opener(store, keeps=True, refine=-1.0, helper_from=0).steps(str(log))
        next(opening)
        assert len(multiprocessing.active_children()) == 1
        opening.close()  # type: ignore[attr-defined]  # it is a generator
        assert multiprocessing.active_children() == [] and store.sessions() == []


OPENING = """
import io
import sys
from inspector.library import Opener
class Captured(io.StringIO):
    def fileno(self):
        return -1
if __name__ == "__main__":
    sys.stderr = Captured()  # as Textual has it
    for step in Opener(refine=-1.0, helper_from=0).steps(sys.argv[1]):
        print("begun", flush=True)
        sys.stdin.read()
"""


def test_a_helper_ends_with_the_program_that_is_killed(log: Path, tmp_path: Path) -> None:
    script = tmp_path / "opens.py"
    script.write_text(OPENING)
    check_workers_end(script, log)
