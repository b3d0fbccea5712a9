"""Rollups of a session: the same totals as its other analyses, by agent, model, day, tool and file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.rollups import session_rollups
from inspector.core.conversation import Message, Session, Usage
from inspector.llm.models import session_cost
from inspector.llm.tokens import estimate
from inspector.store import Rollup
from tests.places import SESSIONS
from tests.samples_once import load_once
from tests.store.made import chain


def rollups_of(session: Session, folder: str = "") -> tuple[Rollup, ...]:
    return session_rollups(session, estimate(session), folder)


def part(rollup: Rollup, kind: str, name: str) -> tuple[int, int, float | None]:
    (match,) = [one for one in rollup.parts if (one.kind, one.name) == (kind, name)]
    return match.count, match.tokens, match.cost


def test_a_recorded_compaction_its_reads_and_its_cost() -> None:
    session = load_once(SESSIONS / "coding-agent.jsonl")[0]
    (row,) = rollups_of(session, "/home/gate/tidegate")
    bill = session_cost(session)
    assert (row.project, row.turns, row.calls, row.unreported) == ("tidegate", len(session.turns()), bill.calls, 0)
    assert row.cost == pytest.approx(bill.cost.total)
    assert (row.sent, row.cached, row.output) == (bill.usage.input, bill.usage.cache_read, bill.usage.output)
    assert (row.compactions, row.rereads) == (1, 4) and row.tokens_before > 5 * row.tokens_after
    assert (row.started, row.ended) == ("2026-03-30T09:02:11Z", "2026-03-30T10:03:31Z")
    assert part(row, "day", "2026-03-30")[0] == row.calls
    files = [one for one in row.parts if one.kind == "file"]
    assert sum(one.count for one in files) == 4 and sum(one.tokens for one in files) == row.reread_tokens
    assert row.reread_cost == pytest.approx(row.reread_tokens * 5 / 1_000_000), "the price of uncached input"
    assert part(row, "cause", "idle")[1] == row.cache_lost


def test_each_agent_has_its_own_totals() -> None:
    session = load_once(SESSIONS / "three-agents.jsonl")[0]
    rows = rollups_of(session)
    assert [row.agent for row in rows] == list(session.agents) and [row.place for row in rows] == [0, 1, 2, 3]
    assert sum(row.messages for row in rows) == len(session.messages)
    assert sum(row.cost or 0 for row in rows) == pytest.approx(session_cost(session).cost.total)


def test_calls_without_usage_have_no_cost_and_the_size_of_their_window() -> None:
    session = load_once(SESSIONS / "support-ticket.json")[0]
    (row,) = rollups_of(session)
    assert row.cost is None and row.unreported == row.calls > 0
    assert row.sent > row.calls * row.tools > 0
    assert (row.started, row.ended) == ("", "")
    assert {one.name for one in row.parts if one.kind == "day"} == {""}


def test_servers_have_the_sums_of_their_tools_also_of_those_never_called() -> None:
    session = chain("Find the pier.", "I look.")
    names = ("mcp__maps__find", "mcp__maps__route", "read")
    tools = tuple({"type": "function", "function": {"name": name, "description": name * 9}} for name in names)
    (row,) = rollups_of(replace(session, tools=tools))
    (server,) = [one for one in row.parts if one.kind == "server"]
    defined = {one.name: one.defined for one in row.parts if one.kind == "tool"}
    assert (server.name, server.count) == ("maps", 0)
    assert server.defined == defined[names[0]] + defined[names[1]] > defined["read"] > 0


def test_damaged_times_and_unknown_models_are_no_error() -> None:
    session = chain("Look.", "I look.", "More.", "Yes.")
    times = ("0001-01-01T00:00:00+14:00", "not a time", "9999-12-31T23:59:59-12:00", "2026-03-01T01:00:00+02:00")

    def odd(message: Message, time: str) -> Message:
        return replace(message, time=time, usage=Usage(100 + len(message.text), 5) if message.is_reply else None)

    messages = tuple(odd(message, time) for message, time in zip(session.messages, times, strict=True))
    (row,) = rollups_of(session.with_messages(messages))
    assert (row.started, row.ended) == ("2026-02-28T23:00:00Z", "2026-02-28T23:00:00Z"), "in UTC"
    assert (row.cost, row.unreported, row.sent) == (None, 2, 200 + len("I look.Yes.")), (
        "the price of the model is unknown"
    )


def test_an_empty_session_has_an_empty_rollup() -> None:
    (row,) = rollups_of(Session("s", "Nothing", "made", ()))
    assert (row.calls, row.sent, row.cost, row.parts) == (0, 0, None, ())
