"""The report on a recorded session: evictions as they were observed, and how far that is certain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.library import Library
from inspector.orchestration import SessionReport, report_session
from tests.cli.calling import ROOT, chat, transcript, written
from tests.formats.written import write_json

DATA = ROOT.parent / "shared" / "data"


def report_of(path: Path, tmp_path: Path, agent: str = "main") -> SessionReport:
    with Library(tmp_path / "store.db") as library:
        bench = library.open(str(path)).bench
        return report_session(bench.session, bench.sizes, agent)


def said(role: str, words: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": words, **more}


def requests(*contexts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Recorded calls, each with its messages and a reply."""
    reply = {"choices": [{"message": said("assistant", "The lamp is lit.")}]}
    return [{"request": {"model": "gpt-4o", "messages": messages}, "response": reply} for messages in contexts]


def test_the_sections_stand_in_the_order_in_which_they_are_sent(tmp_path: Path) -> None:
    report = report_of(written(tmp_path / "chat.json", chat(steps=6)), tmp_path)
    assert report.outline.order.startswith("System → ")
    assert report.outline.order.endswith("Input") or report.outline.order.endswith("Scratchpad")
    assert sum(row.tokens for row in report.sections) > 0


def test_where_nothing_left_it_is_said_that_this_proves_little(tmp_path: Path) -> None:
    report = report_of(written(tmp_path / "chat.json", chat(steps=6)), tmp_path)
    assert report.evictions == () and report.outline.strategy == "not seen"
    assert any(sentence.startswith("Nothing was seen to leave") for sentence in report.certainty)


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


def test_messages_that_leave_the_front_of_a_request_are_a_window(tmp_path: Path) -> None:
    turns = [
        said("user" if number % 2 == 0 else "assistant", f"Night {number}: the lamp was lit.") for number in range(9)
    ]
    first, second = turns[:5], turns[4:9]
    path = write_json(tmp_path / "calls.json", requests(first, second))
    report = report_of(path, tmp_path)
    if len(report.evictions) == 0:
        pytest.skip("this form of recorded calls is read as sessions of their own")
    assert report.evictions[0].kind == "window"


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
    assert report.outline.tiers[2].storage == "behind tools: search_memory (3)"


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
