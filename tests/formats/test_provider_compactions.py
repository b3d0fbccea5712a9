"""Compactions that providers do themselves are in the window as the next request has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.engine.window import at_turn, compute_timeline, problems
from inspector.formats import load
from inspector.library import Workbench
from inspector.llm.tokens import estimate_sizes
from tests.cli.calling import inspect
from tests.places import ROOT

PLACE = ROOT / "tests" / "formats" / "recordings" / "provider-compactions"
BLOCK = PLACE / "a-compaction-block-drops-everything-before-it.json"
SIGNED = PLACE / "a-request-may-begin-with-a-signed-compaction.json"


def bench_of(path: Path) -> Workbench:
    session = load(path)[0]
    return Workbench(session, estimate_sizes(session))


@pytest.mark.parametrize("path", [BLOCK, SIGNED])
def test_a_window_begins_with_the_compaction_and_is_valid(path: Path) -> None:
    bench = bench_of(path)
    window = at_turn(bench.session, bench.sizes)
    assert next(message.kind for message in window.messages if message.role != "system") == "summary"
    assert "7741" not in " ".join(message.text for message in window.messages)
    assert compute_timeline(bench.session, bench.sizes).compactions == (1,)
    assert problems(window) == ()


def test_it_is_exported_as_the_block_that_it_was() -> None:
    recorded = json.loads(SIGNED.read_text(encoding="utf-8"))
    request = json.loads(inspect("export", str(SIGNED), "--to", "anthropic").out)
    assert request["messages"] == recorded["messages"]


def test_what_the_api_reports_on_the_window_is_listed() -> None:
    texts = [problem.text for problem in bench_of(BLOCK).session.problems]
    assert any("removed 5,000 tokens" in text for text in texts) and any("tools_changed" in text for text in texts)


def test_a_failed_compaction_changes_nothing() -> None:
    bench = bench_of(PLACE / "a-compaction-without-content-has-no-effect.json")
    assert len(bench.window(None).messages) == 3 and not bench.session.compactions


def test_the_answer_of_responses_compact_is_opened() -> None:
    session = bench_of(PLACE / "the-answer-of-responses-compact-is-a-window.json").session
    assert [message.kind for message in session.messages] == ["chat", "summary"]


def test_a_summarization_of_terminus_is_a_compaction_that_keeps_the_task() -> None:
    bench = bench_of(PLACE.parent / "atif" / "a-summarization-with-a-hand-off-is-a-compaction.json")
    timeline = compute_timeline(bench.session, bench.sizes)
    assert (timeline.compactions, timeline.falls) == ((3,), ())
    window = bench.window(3)
    assert [message.text[:8] for message in window.messages] == ["Drain th", "Here are"]
