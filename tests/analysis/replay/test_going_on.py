"""What an agent must know to go on after a compaction, asked of its new context."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.replay import NONE, RECORDED, WorkProbe, probes_of
from inspector.analysis.replay.going_on import messages_after
from inspector.analysis.replay.run import replay
from inspector.core.conversation import InMemoryBody, Session
from inspector.engine.facts import FactIndex
from inspector.engine.work_state import WorkHistory, fates_of
from inspector.llm.models import Price
from inspector.llm.providers import is_sealed_summary
from tests.analysis.replay.test_rereads import Recording
from tests.cli.calling import inspect
from tests.engine.work_state.scripts import Compact, Run, Say, User, session_of
from tests.generated import sized
from tests.places import ROOT

FULL = (
    "The user asked: Go. We changed /w/tide/totals.py, so that leap days count. `make test` failed with "
    "AssertionError: 28 != 29. Next, compare the length of each month with /w/tide/calendar.py."
)


def call(path: str, **arguments: str) -> str:
    return json.dumps({"path": path, **arguments})


def recording(summary: str) -> Session:
    """A session that changes one file, reads another, is compacted, and opens both and a new one afterwards."""
    talk = Recording()
    talk.read("ok", "write_file", call("/w/tide/totals.py", content="Leap days count in each total"))
    talk.read("calendar.py states the length of each month", "read_file", call("/w/tide/calendar.py"))
    talk.compact(summary)
    talk.read("def days(): ...", "read_file", call("/w/tide/calendar.py"))
    talk.read("DAYS = 29", "read_file", call("/w/tide/totals.py"))
    talk.read("see hidden_notes.md", "read_file", call("/w/tide/unheard_of.py"))
    talk.read("notes", "read_file", call("/w/tide/hidden_notes.md"))
    return Session("s", "", "openai", tuple(talk.talk(1).messages))


def probes(session: Session) -> list[WorkProbe]:
    (step,) = WorkHistory(session).transitions()
    return list(probes_of(step, fates_of(step)))


def answers(session: Session, kind: str) -> dict[str, bool]:
    return {probe.answer: probe.is_answered for probe in probes(session) if probe.kind == kind}


def test_changed_files_and_next_steps_are_asked_about() -> None:
    session = recording(FULL)
    assert answers(session, "file") == {"/w/tide/totals.py": True}
    assert answers(session, "next step") == {"/w/tide/calendar.py": True, "/w/tide/totals.py": True}


def test_a_step_that_was_unknown_or_that_a_later_result_names_is_not_asked_about() -> None:
    asked = answers(recording(FULL), "next step")
    assert not any("unheard_of" in answer or "hidden_notes" in answer for answer in asked)


@pytest.mark.parametrize(
    "summary", ["Continue.", "totals.py, calendar.py, 28, 29, AssertionError", " ".join(sorted(FULL.split()))]
)
def test_a_summary_that_says_nothing_or_only_lists_words_answers_less(summary: str) -> None:
    full, hollow = (
        sum(probe.is_answered for probe in probes(session)) for session in (recording(FULL), recording(summary))
    )
    assert hollow < full


@pytest.mark.parametrize(
    ("summary", "is_answered"),
    [
        ("`totals.py` - Added the field leapDays to MonthTotal.", True),
        ("totals.py was edited with replace_all false and a file_path.", False),
        ("totals.py, MonthTotal, leapDays", True),
        ("totals.py was left alone", False),
    ],
)
def test_a_file_belongs_to_what_was_said_and_written_with_it(summary: str, is_answered: bool) -> None:
    talk = Recording()
    edit = {"replace_all": False, "old_string": "class MonthTotal:", "new_string": "class MonthTotal:\n  leapDays: int"}
    path = {"file_path": "/w/tide/totals.py"}
    talk.read("ok", "Edit", json.dumps({**path, **edit}))
    talk.compact(summary)
    assert answers(Session("s", "", "openai", tuple(talk.talk(1).messages)), "file") == {path["file_path"]: is_answered}


def test_a_file_that_was_changed_long_ago_belongs_to_what_was_written_then() -> None:
    talk = Recording()
    talk.read("ok", "write_file", call("/w/tide/totals.py", content="Leap days count in each total"))
    talk.talk(100).compact("totals.py counts leap days in the totals.")
    assert answers(Session("s", "", "openai", tuple(talk.talk(1).messages)), "file") == {"/w/tide/totals.py": True}


def test_an_answer_opens_to_its_evidence_and_its_source() -> None:
    session = recording(FULL)
    for probe in probes(session):
        assert bool(probe.evidence) is probe.is_answered
        if probe.kind == "next step":
            name = probe.answer.rpartition("/")[2]
            assert name in probe.evidence and name in session.by_id[probe.message].text


def test_the_calls_of_ten_turns_follow_a_compression() -> None:
    session = recording(FULL)
    turns = session.turns()
    assert messages_after(session, 1, "main")[0] is session.messages[turns[0]]
    assert messages_after(session, len(turns) + 1, "main") == []
    assert len(messages_after(session, len(turns), "main")) == len(session.messages) - turns[-1]


def test_each_command_states_the_same_answers() -> None:
    agent = str(ROOT / "sessions" / "coding-agent.jsonl")
    (row,) = inspect("lost", agent, "--json").json["rows"]
    answered = sum(probe["is_answered"] for probe in row["probes"])
    words = f"answers {answered} of {len(row['probes'])} questions for going on"
    assert words in " ".join(inspect("lost", agent).out.split())
    replayed = inspect("replay", agent, "--preset", "recorded", "--json").json
    assert replayed["going_on"] == pytest.approx(answered / len(row["probes"]))


def test_an_encrypted_summary_is_asked_nothing() -> None:
    session = recording(FULL)
    (step,) = WorkHistory(session).transitions()
    raw = {"type": "compaction", "encrypted_content": "b64"}
    sealed = replace(step, summary=replace(step.summary, body=InMemoryBody(raw)))
    assert is_sealed_summary(sealed.summary.raw) and probes_of(sealed, fates_of(sealed)) == ()


@pytest.mark.parametrize(
    ("summary", "is_answered"),
    [
        ("The ferry limit is 6 now.", True),
        ("The ferry limit went from 4 to 6.", True),
        ("The ferry limit is 4.", False),
        ("ferry limit = 6. ferry limit = 4.", False),
        ("There are 6 boats and 4 crews.", False),
        ("The ferry limit is 16.", False),
    ],
)
def test_a_changed_value_is_answered_by_the_newest_alone(summary: str, is_answered: bool, tmp_path: Path) -> None:
    steps = (User("Set ferry_limit = 4, please."), Say("Done."), User("No, make it ferry_limit = 6."), Say("Done."))
    text = summary.replace("ferry limit", "ferry_limit")
    session = session_of((*steps, Compact(text), Run("ls"), Say("Ready.")), "claude-code", tmp_path)
    assert answers(session, "value") == {"ferry_limit = 6": is_answered}


def test_a_replay_has_the_questions_at_each_compaction() -> None:
    session = recording("Work goes on.")
    own = replay(session, sized(session), RECORDED, Price(1, 1, 1, 1), facts=FactIndex(session))
    (asked,) = own.questions
    assert asked.turn == own.compactions[0].turn
    assert list(asked.probes) == probes(session)
    assert (own.state.probes, own.state.answered) == (len(asked.probes), sum(one.is_answered for one in asked.probes))
    assert not replay(session, sized(session), NONE, Price(1, 1, 1, 1), facts=FactIndex(session)).questions


@pytest.mark.parametrize(
    ("summary", "is_answered"),
    [
        ("- `/w/tide/totals.py` - Added the missing month", True),
        ("**totals.py**\n- Changed the first month", True),
        ("Done so far: (1) read the notes. Updated the texts in calendar.py, totals.py", True),
        ("totals.py (new)", True),
        ("Now let me update totals.py:", False),
        ("- Phase 3: Update totals.py", False),
        ("- Read path=/w/tide/totals.py limit=20", False),
        ("totals.py is a file", False),
    ],
)
def test_a_report_tells_a_changed_file_and_an_announcement_or_a_read_does_not(summary: str, is_answered: bool) -> None:
    for layout in (summary, " ".join(summary.split())):
        assert answers(recording(layout), "file") == {"/w/tide/totals.py": is_answered}
