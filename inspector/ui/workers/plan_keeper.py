"""The stacks of plans on the bench, kept in the store: in order, once, and only on the stack that they were made for.

What is on the screen changes at once, the store a moment later in a thread of its own. Where the store cannot follow,
the screen is told what is stored instead.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from inspector.library import Workbench, store_plan, unstore_plan, with_stored_plans
from inspector.store import StaleError, Store, StoreError
from inspector.ui.messages import PlanMade, PlanUndone
from inspector.ui.workers.write_queue import WriteQueue
from inspector.window import Plan

_NEVER = -1
"""A version that no stack has: what is stored for it is refused."""


class Front(Protocol):
    """The app, as far as stacks go."""

    def inspected(self) -> Workbench | None: ...

    def show_stacks(self, bench: Workbench) -> None: ...

    def tell_failure(self, error: Exception) -> None: ...

    def tell(self, handler: Callable[..., Any], *values: Any) -> None:
        """Call a handler on the app's own thread, from another one."""


class PlanKeeper:
    """Stores what is done to the stacks of the session that is open. Without a store nothing is kept."""

    def __init__(self, store: Store | None, front: Front) -> None:
        self.front = front
        self.changes = WriteQueue(store, partial(front.tell, front.tell_failure))
        self.early: list[tuple[str, Plan]] = []
        """Plans made while the session was not in the store yet, with their agents."""

    def keep(self, made: PlanMade) -> None:
        """Store a plan that was put on a stack."""
        if made.bench.stored:
            self.change(made.bench, partial(store_plan, agent=made.agent, plan=made.plan))
            return
        self.early.append((made.agent, made.plan))
        bench = self.front.inspected()
        if bench is not None and bench.stored and bench.session is made.bench.session:
            self.keep_early(bench)  # it was stored while the message was on its way
            self.front.show_stacks(bench)

    def take_back(self, undone: PlanUndone) -> None:
        """Take a plan out of the store that was taken off a stack."""
        if undone.bench.stored:
            self.change(undone.bench, partial(unstore_plan, agent=undone.agent))
        else:
            self.early = [(agent, plan) for agent, plan in self.early if plan is not undone.plan]

    def join(self, old: Workbench, new: Workbench) -> None:
        """What was made here stays when a better bench comes; once the session is stored, what came early is kept."""
        if old.session is not new.session:
            return
        if old.stored or not new.stored:
            new.plans, new.versions = old.plans, old.versions
        else:
            self.keep_early(new)

    def keep_early(self, bench: Workbench) -> None:
        """Store what was made before the session was stored, unless it was made before its stored plans were seen."""
        early, self.early = self.early, []
        stale = frozenset(bench.versions)
        for agent, plan in early:
            if agent in stale:
                self.front.tell_failure(StaleError())
            else:
                bench.apply(plan, agent)
                self.keep(PlanMade(bench, agent, plan))

    def change(self, bench: Workbench, change: Callable[[Store, Workbench], None]) -> None:
        """Do in the store what was done on the bench. Where that fails, show what the store has instead.

        Whatever else is asked for on the same bench was made for a stack that the store does not have, and fails too.
        """

        def attempt(store: Store) -> None:
            try:
                change(store, bench)
            except Exception:
                bench.versions.update(dict.fromkeys(bench.session.agents, _NEVER))
                with suppress(StoreError):
                    self.front.tell(self.take_stored, bench, with_stored_plans(bench, store, bench.stored))
                raise

        self.changes.add(attempt)

    def take_stored(self, old: Workbench, stored: Workbench) -> None:
        """Show the stacks as the store has them, unless something else is on the bench by now."""
        bench = self.front.inspected()
        if bench is not None and bench.versions is old.versions:
            self.front.show_stacks(replace(bench, plans=stored.plans, versions=stored.versions))
