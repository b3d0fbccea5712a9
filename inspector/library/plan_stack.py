"""The stack of plans as layers over the recorded window: what each one did to what lay beneath it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.conversation import Session
from inspector.library.workbench import Preview, Workbench
from inspector.window import BY_HAND, Plan, Window, apply

_VERBS = {
    "summarised": "summarised",
    "dropped": "dropped",
    "archived": "archived",
    "masked": "masked",
    "trimmed": "trimmed",
    "retrieved": "brought back",
}


@dataclass(frozen=True)
class Layer:
    """One applied plan, and the window right beneath and right above it."""

    number: int
    """From 1, in the order in which the plans were applied."""
    plan: Plan
    session: Session
    before: Window | None = None
    after: Window | None = None
    """None where the plan was made at a later turn, and says nothing about the one that is shown."""

    @property
    def holds(self) -> bool:
        """Whether it changes the window that is shown."""
        return self.after is not None

    @property
    def did(self) -> str:
        """What it did, in a few words."""
        return did(self.plan)

    @property
    def preview(self) -> Preview:
        """The layer alone, as a change that can be looked at."""
        assert self.before is not None and self.after is not None, "it is asked for where the layer holds"
        return Preview(self.session, self.before, self.before, self.after, self.plan, (), ())


def layers(bench: Workbench, recorded: Window) -> list[Layer]:
    """An agent's plans, newest first, over the window of one turn."""
    found: list[Layer] = []
    window = recorded
    for number, plan in enumerate(bench.plans.get(recorded.agent, ()), 1):
        if plan.turn > recorded.turn:
            found.append(Layer(number, plan, bench.session))
            continue
        after = apply(window, plan)
        found.append(Layer(number, plan, bench.session, window, after))
        window = after
    return found[::-1]


def did(plan: Plan) -> str:
    """How many messages had which fate: "334 summarised, 2 trimmed"."""
    parts = [f"{plan.counts[kind]:,} {verb}" for kind, verb in _VERBS.items() if plan.counts.get(kind)]
    if plan.strategy == BY_HAND:
        pinned = plan.counts.get("pinned", 0)
        parts += [f"{pinned:,} pinned"] if pinned else []
        parts = parts or ["unpinned"]
    return ", ".join(parts) or "nothing changed"
