"""Starting sub-agents side by side, and handing their last words to the agent that called them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from _make.bench import Bench
from _make.names import Clock
from _make.prose import prose
from _make.transcript import Outcome, Record, Transcript, say


@dataclass(frozen=True)
class Order:
    """What a sub-agent is asked, and the scene in which it works. The scene gives back the report."""

    agent: str
    kind: str
    title: str
    prompt: str
    work: Callable[[Bench], str]


def start(bench: Bench, said: str, orders: list[Order], *, thinking: str = "") -> list[Transcript]:
    """Call all sub-agents with one message; their results come back in the order in which they finish."""
    parent = bench.transcript
    blocks: list[Record] = [parent.think(prose(thinking)), say(prose(said))]
    tasks = [
        parent.call("Task", {"description": order.title, "prompt": prose(order.prompt), "subagent_type": order.kind})
        for order in orders
    ]
    calls = parent.reply([*blocks, *tasks], after=9)
    done = [
        (helper, call, order, report)
        for call, order in zip(calls, orders, strict=True)
        for helper, report in [run(bench, order)]
    ]
    began = parent.clock.now
    for helper, call, order, report in sorted(done, key=lambda each: each[0].clock.now):
        parent.clock.now = max(parent.clock.now, helper.clock.now)
        parent.answer(call, outcome(helper, order, report, (helper.clock.now - began).total_seconds()), after=0.1)
    return [helper for helper, *_ in done]


def run(bench: Bench, order: Order) -> tuple[Transcript, str]:
    """Let one sub-agent work, with a clock of its own that starts now."""
    clock = Clock.at("2026-01-01T00:00:00", f"agent {order.agent}")
    clock.now = bench.transcript.clock.now
    helper = replace(
        bench.transcript,
        seed=f"agent {order.agent}",
        clock=clock,
        agent=order.agent,
        overhead=6_900,
        records=[],
        parent=None,
        sent=0,
        cached=0,
        called=0.0,
        origin={},
        branch="main",
    )
    own = Bench(helper, bench.workshop)
    own.user(order.prompt, after=0.2)
    report = prose(order.work(own))
    helper.reply([say(report)], after=7)
    return helper, report


def outcome(helper: Transcript, order: Order, report: str, seconds: float) -> Outcome:
    """A sub-agent's result as its caller sees it, with the totals that the recorder keeps."""
    last = helper.records[-1]["message"]["usage"]
    total = sum(
        last[key] for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    )
    uses = sum(1 for record in helper.records if "toolUseResult" in record)
    counted = f"total_tokens: {total}\ntool_uses: {uses}\nduration_ms: {round(1000 * seconds)}"
    totals = f"agentId: {order.agent}\n<usage>{counted}</usage>"
    structured: dict[str, Any] = {"status": "completed", "prompt": prose(order.prompt), "agentId": order.agent}
    structured |= {"content": [say(report)], "totalDurationMs": round(1000 * seconds), "totalTokens": total}
    return Outcome([say(report), say(totals)], structured | {"totalToolUseCount": uses, "usage": last})
