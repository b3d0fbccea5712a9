"""Inspector's own strategies, each handed the same conversation as a window whose counts are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from inspector.core.conversation import Session
from inspector.engine.strategies import STRATEGIES, Services, draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import Plan, apply
from inspector.engine.window.window import problems
from inspector.llm.providers import message_from_raw
from inspector.llm.tokens.sizes import Sizes, count_session, count_sizes, counter_for
from tests.benchmarks.conversations import Raw
from tests.benchmarks.peers_judge import Line, Verdict, judge

MODEL = "gpt-4o"
SUMMARY = 0.9
"""Where a strategy is told only the size of its summary: how much of the budget that may take."""


def names() -> list[str]:
    """Every strategy there is. None calls a model here: summaries are the extractive ones."""
    return list(STRATEGIES)


def summarises(name: str) -> bool:
    """Whether a strategy's time is that of making a summary, which has a goal of its own."""
    return STRATEGIES[name].cost == "needs a model"


def session_of(raws: Sequence[Raw]) -> Session:
    messages = (message_from_raw(f"m{place}", raw, "openai", parent=place - 1) for place, raw in enumerate(raws))
    return Session("bench", "A generated conversation", "openai", tuple(messages), MODEL)


def sizes_of(session: Session, folder: Path) -> Sizes:
    """Sizes from counts that are made once and kept in `folder`, as the store keeps them."""
    counter = counter_for(MODEL)
    text = blake2b(digest_size=8)
    for message in session.messages:
        text.update(message.preview.encode())
    kept = folder / f"counts-{len(session.messages)}-{text.hexdigest()}.json"
    if not kept.exists():
        *_, last = count_session(session, counter)
        kept.write_bytes(orjson.dumps(last.counts))
    return count_sizes(session, orjson.loads(kept.read_bytes()), counter)


def settings(name: str, window: Window, budget: int) -> dict[str, Any]:
    """What brings a strategy near the budget; everything else as it starts on this window."""
    knobs = {knob.name: knob for knob in STRATEGIES[name].knobs}
    given: dict[str, Any] = {key: budget for key in ("max_tokens", "target") if key in knobs}
    if "ratio" in knobs and not given:
        given["ratio"] = knobs["ratio"].clamp(SUMMARY * budget / window.total)
    return given


class Bench:
    """One strategy on one conversation. Each run begins with a window of which nothing is known but its counts."""

    def __init__(self, name: str, session: Session, sizes: Sizes, budget: int) -> None:
        self.name = name
        self.session = session
        self.sizes = sizes
        counter_for(MODEL).count("the tokenizer builds its table now")
        self.settings = settings(name, self.window(), budget)
        self.services = Services()
        """Kept, as a workbench and an engine keep theirs: the search has an index of its own."""
        self.plan: Plan | None = None
        self.after: Window | None = None

    def window(self) -> Window:
        return at_turn(self.session, self.sizes)

    def fresh(self, window: Window | None = None) -> Callable[[], Window]:
        """Plan and apply, on a new window or on one that was looked at before."""
        seen = window or self.window()
        return lambda: self.run(seen)

    def run(self, window: Window) -> Window:
        self.plan = draft_plan(window, self.name, self.settings, self.services)
        self.after = apply(window, self.plan)
        return self.after

    def planning(self, window: Window) -> Callable[[], Plan]:
        return lambda: draft_plan(window, self.name, self.settings, self.services)

    def verdict(self) -> Verdict:
        assert self.after is not None
        lines = [
            Line(message.role, "", tuple(call.id for call in message.calls), message.answers or "")
            for message in self.after.messages
        ]
        return judge(lines, self.after.total)

    def note(self) -> str:
        """What the plan says of itself; before that, what the provider would refuse by Inspector's own check."""
        assert self.plan is not None
        assert self.after is not None
        refused = len(problems(self.after))
        return f"{refused} problems; {self.plan.note}" if refused else self.plan.note
