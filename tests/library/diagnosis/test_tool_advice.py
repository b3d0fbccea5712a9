"""Advice for the user of the recorded tool, with its saving on the session."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.formats import load
from inspector.library import Workbench
from inspector.library.diagnosis import ToolAdvice, advise, survey
from inspector.llm.models import MILLION, Price, session_price
from inspector.llm.tokens import estimate_sizes
from tests.places import SESSIONS

PRICE = Price(2.0, 8.0, 0.5, 2.0)


def advice_on(session: Session, price: Price = PRICE) -> dict[str, ToolAdvice]:
    bench = Workbench(session, estimate_sizes(session))
    rows = advise(survey(bench), price)
    assert [row.tokens for row in rows] == sorted((row.tokens for row in rows), reverse=True)
    return {row.kind: row for row in rows}


def chat(tmp_path: Path, turns: list[tuple[str, str, str]], tools: list[str] = []) -> Session:  # noqa: B006
    """A session of requests, each answered after one call of a tool with an argument and a result."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at the harbour."}]
    for number, (tool, argument, result) in enumerate(turns):
        function = {"name": tool, "arguments": json.dumps({"file_path": argument})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    messages.append({"role": "assistant", "content": "It is calm."})
    definitions = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in tools]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": messages, **({"tools": definitions} if tools else {})}))
    return load(path)[0]


def test_a_short_session_gets_no_advice(tmp_path: Path) -> None:
    assert advice_on(chat(tmp_path, [("Read", "/a/x.py", "one line")])) == {}


def test_a_session_that_sent_nothing_gets_no_advice(tmp_path: Path) -> None:
    prompt = {"role": "user", "content": "The tide is out and the boats lie on the sand. " * 12_000}
    tool = {"type": "function", "function": {"name": "mcp__weather__now", "parameters": {}}}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": [prompt], "tools": [tool]}))
    (session,) = load(path)
    assert survey(Workbench(session, estimate_sizes(session))).timeline.peak > 100_000
    assert advice_on(session) == {}


def test_files_that_are_read_again_after_a_compaction_belong_into_the_tools_rules() -> None:
    (session,) = load(SESSIONS / "coding-agent.jsonl")
    advice = advice_on(session, session_price(session))
    rule = advice["rule"]
    assert "docs/board-feed.md" in rule.text and "into CLAUDE.md" in rule.text
    assert "tidegate/gate.py" not in rule.text, "the session changes it"
    assert rule.text.endswith("They were read again after 1 compaction.")
    other = advice_on(replace(session, format="gemini-cli"), session_price(session))
    assert "into GEMINI.md" in other["rule"].text
    assert other["compact earlier"].text.startswith("Run /compress at 75,000 tokens, not ")
    unknown = advice_on(replace(session, format="openai"), session_price(session))
    assert unknown["compact earlier"].text.startswith("Compact at 75,000 tokens")


def test_a_compaction_at_half_of_the_peak_is_simulated_on_the_recorded_sizes() -> None:
    (session,) = load(SESSIONS / "coding-agent.jsonl")
    advice = advice_on(session)["compact earlier"]
    overview = survey(Workbench(session, estimate_sizes(session)))
    timeline = overview.timeline
    totals = [timeline.size(turn).tokens for turn in range(1, len(timeline.totals))]
    rest = totals[timeline.compactions[0] - 1]
    sizes, size, count = [totals[0]], totals[0], 0
    for before, now in pairwise(totals):
        size = min(now, size + max(0, now - before))
        size = rest if size > 75_000 else size
        count += size < sizes[-1]
        sizes.append(size)
    assert advice.tokens == sum(totals) - sum(sizes) - 75_000 * count
    assert advice.cost == pytest.approx((advice.tokens * 0.5 - count * 2_000 * 8) / MILLION)


def test_reported_sizes_are_those_that_advice_is_about(tmp_path: Path) -> None:
    session = chat(tmp_path, [("Read", f"/a/{number}.py", "one line") for number in range(9)])
    sizes = iter(range(100_000, 200_000, 10_000))
    messages = tuple(
        replace(message, usage=Usage(next(sizes), 1)) if message.role == "assistant" else message for message in session
    )
    assert "as the window reached 190,000:" in advice_on(session.with_messages(messages))["compact earlier"].text


def test_large_results_that_stay_in_the_window_are_named(tmp_path: Path) -> None:
    big = "the tide is out and the boats lie on the sand\n" * 1_000
    session = chat(tmp_path, [("Read", "/srv/tides.log", big), *[("Read", "/srv/small", "calm")] * 5])
    advice = advice_on(session)["smaller reads"]
    assert "/srv/tides.log" in advice.text and "/srv/small" not in advice.text
    position = next(place for place, message in enumerate(session.messages) if message.chars > 40_000)
    tokens = estimate_sizes(session).tokens[position]
    assert advice.tokens == (tokens - 2_000) * 6, "one request after each of the six calls"


def test_a_server_whose_tools_are_never_called_is_named_with_its_share(tmp_path: Path) -> None:
    names = [f"mcp__weather__tool_{number}" for number in range(40)] + ["mcp__tides__read", "Read"]
    session = chat(tmp_path, [("mcp__tides__read", "x", "calm")] * 3, names)
    advice = advice_on(session)
    assert set(advice) == {"remove server"}
    assert "MCP server weather" in advice["remove server"].text and "tides" not in advice["remove server"].text
    tools = estimate_sizes(session).tools
    assert 0.9 * tools * 4 < advice["remove server"].tokens < tools * 4
