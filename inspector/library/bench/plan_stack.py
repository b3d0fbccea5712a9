"""Change the plans of an open session on the bench and in the store, and show them as layers over the window."""

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
"""A version that no stack has, so that the store rejects changes to it."""
_VERBS = {
    "summarised": "summarised",
    "dropped": "dropped",
    "archived": "archived",
    "masked": "masked",
    "trimmed": "trimmed",
    "retrieved": "brought back",
}


class PlanStacks:
    """Each agent's plans in an open session. Changes are made on the bench at once, and in the store by `write`.

    A change in the store is made once, and only to the version of the stack that it was made for. If the store rejects
    a change, all later changes to the same stacks are rejected as well, until the bench shows the stored plans.
    """

    def __init__(
        self,
        bench: Workbench,
        write: Callable[[Change], None] | None = None,
        on_refusal: Callable[[Workbench, Workbench], None] | None = None,
    ) -> None:
        """Create the stacks of a bench.

        Args:
            bench: Open session.
            write: Makes a change in the store, at once or later, in the order of the calls; None to store nothing.
            on_refusal: Called where `write` makes changes, after one has failed, with the bench of the change and a
                bench with the stored plans: see `set_stored_plans`.
        """
        self.bench = bench
        self._write = write
        self._on_refusal = on_refusal
        self.bookmarks = SessionBookmarks(bench, write)
        self._early: list[tuple[str, Plan]] = []
        """Plans made before the session was in the store, with their agents."""
        self._undone: dict[str, list[Plan]] = {}
        """Plans of each agent that were undone since its newest plan was pushed, the last one at the end."""

    def push(self, plan: Plan, agent: str = MAIN) -> None:
        """Add a plan to an agent's stack. If the session is not stored yet, `set_bench` stores the plan later."""
        self._undone.pop(agent, None)
        self._add(plan, agent)

    def _add(self, plan: Plan, agent: str) -> None:
        self.bench.apply(plan, agent)
        if self.bench.store_id:
            self._change(partial(_push, agent=agent, plan=plan))
        else:
            self._early.append((agent, plan))

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Remove and return the newest plan of an agent; None if it has none."""
        undone = self.bench.undo(agent)
        if undone is not None and self.bench.store_id:
            self._change(partial(_undo, agent=agent))
        elif undone is not None:
            self._early = [(name, plan) for name, plan in self._early if plan is not undone]
        if undone is not None:
            self._undone.setdefault(agent, []).append(undone)
        return undone

    def redo(self, agent: str = MAIN) -> Plan | None:
        """Push the plan that was undone last again, and return it; None if a new one was pushed, or without one."""
        undone = self._undone.get(agent)
        if not undone:
            return None
        plan = undone.pop()
        self._add(plan, agent)
        return plan

    def set_bench(self, bench: Workbench) -> tuple[Plan, ...]:
        """Continue with a better bench, keeping the plans made here if it is the same session.

        Once the session is stored, these plans are stored too, except for agents that turn out to have stored plans.
        Such plans are rejected and returned.
        """
        old, self.bench = self.bench, bench
        self.bookmarks.set_bench(bench)
        if old.session is not bench.session:
            self._early, self._undone = [], {}
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
        """Show the stored plans after a rejected change and return True, unless the bench has changed meanwhile."""
        if self.bench.versions is not old.versions:
            return False
        self._undone = {}
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
    """Store a new plan.

    Raises:
        StaleError: If the stored stack has changed.
        StoreError: If the store cannot be written.
    """
    bench.versions[agent] = store.push(bench.store_id, agent, plan, bench.versions.get(agent, 0))


def _undo(store: Store, bench: Workbench, agent: str) -> None:
    """Remove the newest plan from the store.

    Raises:
        StaleError: If the stored stack has changed.
        StoreError: If the store cannot be written.
    """
    with store.atomic():
        store.undo(bench.store_id, agent, bench.versions.get(agent, 0))
        number = store.version(bench.store_id, agent)
    bench.versions[agent] = number


def with_stored_plans(bench: Workbench, store: Store, id: str) -> Workbench:
    """Return a bench with the plans, versions and bookmarks that are stored for a session.

    Args:
        bench: Open session.
        store: Store that contains it.
        id: Id of the session in the store.
    """
    stacks = {agent: store.stack(id, agent) for agent in bench.session.agents}
    plans = {agent: stack.plans for agent, stack in stacks.items() if stack.plans}
    versions = {agent: stacks[agent].version for agent in plans}
    bookmarks = {mark.message_id: mark.note for mark in store.bookmarks.of(id)}
    return replace(bench, store_id=id, plans=plans, versions=versions, bookmarks=bookmarks)


@dataclass(frozen=True)
class Layer:
    """One applied plan, with the windows directly before and after it."""

    number: int
    """Number of the plan, from 1, in the order of application."""
    plan: Plan
    session: Session
    before: Window | None = None
    after: Window | None = None
    """None if the plan was made at a later turn and does not affect the displayed one."""

    @property
    def holds(self) -> bool:
        """True if it affects the displayed window."""
        return self.after is not None

    @property
    def effect(self) -> str:
        """Summary of the number of messages by fate."""
        return describe_fates(self.plan)

    @property
    def preview(self) -> Preview:
        """Preview of this layer alone."""
        assert self.before is not None and self.after is not None, "it is asked for where the layer holds"
        return Preview(self.session, self.before, self.before, self.after, self.plan, (), ())


def layers(bench: Workbench, recorded: Window) -> list[Layer]:
    """Return an agent's plans over the window of one turn, newest first."""
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
    """Summarise the number of messages by fate: "334 summarised, 2 trimmed"."""
    parts = [f"{plan.counts[kind]:,} {verb}" for kind, verb in _VERBS.items() if plan.counts.get(kind)]
    if plan.strategy == BY_HAND:
        pinned = plan.counts.get("pinned", 0)
        parts += [f"{pinned:,} pinned"] if pinned else []
        parts = parts or ["unpinned"]
    return ", ".join(parts) or "nothing changed"
