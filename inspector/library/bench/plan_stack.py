"""The plans applied to an open session: changed on the bench and in the store, and seen as layers over the window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from inspector.core.conversation import MAIN, Session
from inspector.engine.window import BY_HAND, Plan, Window, apply
from inspector.library.bench.session_bookmarks import Change, SessionBookmarks
from inspector.library.bench.workbench import Preview, Workbench
from inspector.store import Store, StoreError

_NEVER = -1
"""A version that no stack has: what is stored for it is refused."""
_VERBS = {
    "summarised": "summarised",
    "dropped": "dropped",
    "archived": "archived",
    "masked": "masked",
    "trimmed": "trimmed",
    "retrieved": "brought back",
}


class PlanStacks:
    """Each agent's stack of plans of an open session, changed on the bench at once and in the store as `write` does it.

    A change in the store is made once, and only on the stack that it was made for. Where the store refuses it, all
    that was asked for later on the same stacks is refused too, until the bench shows what is stored.
    """

    def __init__(
        self,
        bench: Workbench,
        write: Callable[[Change], None] | None = None,
        on_refusal: Callable[[Workbench, Workbench], None] | None = None,
    ) -> None:
        """`write` makes a change in the store, at once or later, in the order of the calls; None stores nothing.

        `on_refusal` is called where `write` makes the change, after a change that failed, with the bench of the change
        and a bench with the plans that are stored instead: see `set_stored_plans`.
        """
        self.bench = bench
        self._write = write
        self._on_refusal = on_refusal
        self.bookmarks = SessionBookmarks(bench, write)
        self._early: list[tuple[str, Plan]] = []
        """Plans made while the session was not in the store yet, with their agents."""

    def push(self, plan: Plan, agent: str = MAIN) -> None:
        """Put a plan on an agent's stack. Where the session is not stored yet, it is stored later: see `set_bench`."""
        self.bench.apply(plan, agent)
        if self.bench.store_id:
            self._change(partial(_push, agent=agent, plan=plan))
        else:
            self._early.append((agent, plan))

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Take the newest plan off an agent's stack and give it back; None where there is none."""
        undone = self.bench.undo(agent)
        if undone is not None and self.bench.store_id:
            self._change(partial(_undo, agent=agent))
        elif undone is not None:
            self._early = [(name, plan) for name, plan in self._early if plan is not undone]
        return undone

    def set_bench(self, bench: Workbench) -> tuple[Plan, ...]:
        """Go on with a better bench; one of the same session has the plans that were made here.

        Once it is stored, what was made before is stored too, except for plans that were made before the stored plans
        of their agent were seen: these are refused, and given back.
        """
        old, self.bench = self.bench, bench
        self.bookmarks.set_bench(bench)
        if old.session is not bench.session:
            self._early = []
        elif old.store_id or not bench.store_id:
            bench.plans, bench.versions = old.plans, old.versions
        else:
            return self._store_early()
        return ()

    def _store_early(self) -> tuple[Plan, ...]:
        early, self._early = self._early, []
        unseen = frozenset(self.bench.versions)
        for agent, plan in early:
            if agent not in unseen:
                self.push(plan, agent)
        return tuple([plan for agent, plan in early if agent in unseen])

    def set_stored_plans(self, old: Workbench, new: Workbench) -> bool:
        """Show the stored plans after a change that was refused, unless something else is on the bench by now."""
        if self.bench.versions is not old.versions:
            return False
        self.bench = replace(self.bench, plans=new.plans, versions=new.versions)
        return True

    def _change(self, change: Callable[[Store, Workbench], None]) -> None:
        bench = self.bench

        def attempt(store: Store) -> None:
            try:
                change(store, bench)
            except Exception:
                bench.versions.update(dict.fromkeys(bench.session.agents, _NEVER))
                if self._on_refusal is not None:
                    with suppress(StoreError):
                        self._on_refusal(bench, with_stored_plans(bench, store, bench.store_id))
                raise

        if self._write is not None:
            self._write(attempt)


def _push(store: Store, bench: Workbench, agent: str, plan: Plan) -> None:
    """Raises StaleError where the stack in the store is another one by now, and StoreError."""
    bench.versions[agent] = store.push(bench.store_id, agent, plan, bench.versions.get(agent, 0))


def _undo(store: Store, bench: Workbench, agent: str) -> None:
    """Raises StaleError where the stack in the store is another one by now, and StoreError."""
    with store.atomic():
        store.undo(bench.store_id, agent, bench.versions.get(agent, 0))
        number = store.version(bench.store_id, agent)
    bench.versions[agent] = number


def with_stored_plans(bench: Workbench, store: Store, id: str) -> Workbench:
    """A bench with the plans that the store has for a session under `id`, with their versions, and its bookmarks."""
    stacks = {agent: store.stack(id, agent) for agent in bench.session.agents}
    plans = {agent: stack.plans for agent, stack in stacks.items() if stack.plans}
    versions = {agent: stacks[agent].version for agent in plans}
    bookmarks = {mark.message_id: mark.note for mark in store.bookmarks.of(id)}
    return replace(bench, store_id=id, plans=plans, versions=versions, bookmarks=bookmarks)


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
    def effect(self) -> str:
        """The number of messages with each fate, in a few words."""
        return describe_fates(self.plan)

    @property
    def preview(self) -> Preview:
        """The layer alone, as a change that can be looked at."""
        assert self.before is not None and self.after is not None, "it is asked for where the layer holds"
        return Preview(self.session, self.before, self.before, self.after, self.plan, (), ())


def layers(bench: Workbench, recorded: Window) -> list[Layer]:
    """An agent's plans, newest first, over the window of one turn."""
    stack: list[Layer] = []
    window = recorded
    for number, plan in enumerate(bench.plans.get(recorded.agent, ()), 1):
        if plan.turn > recorded.turn:
            stack.append(Layer(number, plan, bench.session))
            continue
        after = apply(window, plan)
        stack.append(Layer(number, plan, bench.session, window, after))
        window = after
    return stack[::-1]


def describe_fates(plan: Plan) -> str:
    """How many messages had which fate: "334 summarised, 2 trimmed"."""
    parts = [f"{plan.counts[kind]:,} {verb}" for kind, verb in _VERBS.items() if plan.counts.get(kind)]
    if plan.strategy == BY_HAND:
        pinned = plan.counts.get("pinned", 0)
        parts += [f"{pinned:,} pinned"] if pinned else []
        parts = parts or ["unpinned"]
    return ", ".join(parts) or "nothing changed"
