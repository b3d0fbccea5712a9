"""The report on a recorded session: evictions as they were observed, and how far that is certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.library import Library
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens import estimate_sizes
from inspector.report import Eviction, SessionReport, describe_eviction, observe, report_session
from tests.cli.calling import call as tool_call, chat, transcript, written
from tests.places import ROOT

DATA = ROOT.parent / "shared" / "data"


def report_of(path: Path, tmp_path: Path, agent: str = "main") -> SessionReport:
    with Library(tmp_path / "store.db") as library:
        bench = library.open(str(path)).bench
        return report_session(bench.session, bench.sizes, agent)


def said(role: str, words: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": words, **more}


def test_the_sections_stand_in_the_order_in_which_they_are_sent(tmp_path: Path) -> None:
    report = report_of(written(tmp_path / "chat.json", chat(steps=6)), tmp_path)
    assert report.outline.order.startswith("System → ")
    assert report.outline.order.endswith("Input") or report.outline.order.endswith("Scratchpad")
    assert sum(row.tokens for row in report.sections) > 0


def test_where_nothing_left_it_is_said_that_this_proves_little(tmp_path: Path) -> None:
    report = report_of(written(tmp_path / "chat.json", chat(steps=6)), tmp_path)
    assert report.evictions == () and report.outline.strategy == "not seen"
    assert any(sentence.startswith("No content was dropped") for sentence in report.certainty)


def test_a_summary_that_begins_a_new_context_is_an_eviction() -> None:
    path = ROOT / "sessions" / "coding-agent.jsonl"
    with Library(Path("/nonexistent/store.db")) as library:
        bench = library.open(str(path)).bench
        report = report_session(bench.session, bench.sizes)
    (event,) = report.evictions
    assert (event.turn, event.kind) == (26, "summarization")
    assert event.before > event.after > event.summary > 0
    assert event.left == 100 and event.cache_read is not None
    assert report.outline.strategy == "Summarization"
    assert report.outline.eviction_location == "turn 26"


def log_of(*rows: tuple[dict[str, Any], int]) -> Session:
    """A session of raw messages, each with the place of the one before it in its context."""
    messages = [
        message_from_raw(f"m{number}", raw, "openai", parent=parent) for number, (raw, parent) in enumerate(rows)
    ]
    return Session("s", "A night", "openai", tuple(messages), model="gpt-4o")


def evictions_of(session: Session) -> tuple[Eviction, ...]:
    return observe(session, estimate_sizes(session)).evictions


def test_messages_that_leave_the_front_of_a_request_are_a_window() -> None:
    session = log_of(
        (said("user", "The lamp of the first night."), -1),
        (said("user", "The lamp of the second night."), 0),
        (said("user", "The lamp of the third night."), 1),
        (said("assistant", "It was lit."), 2),
        (said("user", "The lamp of the third night."), -1),
        (said("user", "And the fourth?"), 4),
        (said("assistant", "It was lit too."), 5),
    )
    (event,) = evictions_of(session)
    assert (event.turn, event.kind, event.left, event.stayed) == (2, "window", 2, 1)


def test_a_result_that_says_less_is_told() -> None:
    call = said("assistant", "", tool_calls=[tool_call(1, "read_log", month=1)])
    long, short = (said("tool", words, tool_call_id="call_1") for words in ("lit " * 200, "[cleared]"))
    request = (said("user", "Which nights?"), -1)
    session = log_of(
        request, (call, 0), (long, 1), (said("assistant", "All of them."), 2), (call, 0), (short, 4),
        (said("assistant", "As I said."), 5),
    )  # fmt: skip
    kinds = [(event.kind, event.shortened) for event in evictions_of(session)]
    assert ("tool results", 1) in kinds


def test_going_back_and_on_another_way_is_no_eviction() -> None:
    session = log_of(
        (said("user", "Which nights?"), -1),
        (said("assistant", "All of them."), 0),
        (said("user", "Are you sure?"), 1),
        (said("assistant", "I am."), 2),
        (said("user", "Count them, please."), 1),
        (said("assistant", "There are nine."), 4),
    )
    observations = observe(session, estimate_sizes(session))
    assert (observations.evictions, observations.rewinds) == ((), 1)


def test_reported_tokens_that_fall_without_a_record_are_told() -> None:
    usage = [Usage(50_000, 20, cache_read=40_000), Usage(21_000, 20, cache_read=0, cache_write=21_000)]
    session = log_of(
        (said("user", "Which nights?"), -1),
        (said("assistant", "All of them."), 0),
        (said("user", "Are you sure?"), 1),
        (said("assistant", "I am."), 2),
    )
    places = {1: usage[0], 3: usage[1]}
    session = session.with_messages(
        tuple(replace(message, usage=places.get(place)) for place, message in enumerate(session.messages))
    )
    (event,) = evictions_of(session)
    assert (event.kind, event.before, event.after, event.cache_read) == ("unseen", 50_000, 21_000, 0)
    assert "nothing was read from the prompt cache" in describe_eviction(event, 100_000)


def test_results_with_a_note_in_their_place_are_told(tmp_path: Path) -> None:
    request = chat(steps=3)
    for message in request["messages"]:
        if message["role"] == "tool":
            message["content"] = "[Old tool result content cleared]"
    report = report_of(written(tmp_path / "chat.json", request), tmp_path)
    assert len(report.observations.notes) == 3
    assert report.outline.strategy == "Tool results cleared"


def test_tools_of_a_memory_are_its_persistent_tier(tmp_path: Path) -> None:
    request = chat(steps=3)
    for message in request["messages"]:
        for call in message.get("tool_calls", ()):
            call["function"]["name"] = "search_memory"
    report = report_of(written(tmp_path / "chat.json", request), tmp_path)
    assert report.outline.tiers[2].storage == "through tools: search_memory (3)"


def test_reported_usage_is_told_as_the_counting(tmp_path: Path) -> None:
    report = report_of(written(tmp_path / "log.jsonl", transcript(turns=6)), tmp_path)
    assert report.outline.counting.startswith("API for ") or report.outline.counting.startswith("not recorded")


@pytest.mark.skipif(not DATA.exists(), reason="the recorded sessions are not at hand (../shared/data)")
@pytest.mark.parametrize("path", sorted((DATA / "claude-code").rglob("*.jsonl")), ids=lambda path: path.name)
def test_every_recorded_compaction_is_an_observed_eviction(path: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "store.db") as library:
        bench = library.open(str(path)).bench
        session = bench.session
        report = report_session(session, bench.sizes)
    begins = [position for position in session.compactions if session.messages[position].agent == "main"]
    seen = [event for event in report.evictions if event.kind == "summarization"]
    assert len(seen) <= len(begins)
    assert all(event.turn <= report.turns + 1 for event in report.evictions)
    assert report.observations.peak == max(report.observations.totals, default=0)
