"""The workbench of an open session: its log, its sizes, and the applied plans.

The app and the command line share it. It does not depend on a screen, and all results are frozen `Preview` objects that
can be passed between threads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from inspector.core.conversation import MAIN, Problem, Session
from inspector.engine import compression, strategies
from inspector.engine.facts import FactCache
from inspector.engine.strategies import Services
from inspector.engine.window import (
    KEPT,
    Fate,
    Plan,
    Window,
    apply,
    at_turn,
    manual_plan,
    problems,
    renumber_summaries,
    view,
)
from inspector.llm.tokens import Sizes

if TYPE_CHECKING:
    from inspector.engine.compression import Recall, Scale
    from inspector.engine.facts import FactIndex
    from inspector.library.bench.file_extracts import FileExtracts
    from inspector.library.bench.stored_extracts import StoredExtracts


TAKEN = "The provider accepted this request as recorded, because the client repaired it before sending."
"""Remark on problems for which the provider did not reject a request."""


@dataclass(frozen=True)
class Preview:
    """One turn as recorded, with the applied plans, and with another plan being tried."""

    session: Session
    recorded: Window
    before: Window
    """Window with the applied plans. While a plan is tried, it does not include retrieved messages."""
    after: Window
    """Window with the plan being tried and with retrieved messages; the same as `before` without such a plan."""
    plan: Plan | None
    applied: tuple[Plan, ...]
    problems: tuple[Problem, ...]
    """Problems for which the provider would reject `after`."""
    recall: Recall | None = None
    """Archived messages retrieved into `after`."""
    view: Window | None = None
    """Window with the applied plans only, if that differs from `before`."""
    taken: frozenset[Problem] = frozenset()
    """The part of `problems` that is in a recorded request which the provider accepted in repaired form."""

    @property
    def base(self) -> Window:
        """Window for which further plans are made: with the applied plans and without retrieved messages."""
        return self.view or self.before

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """Fate of each message in `before`: that of the plan being tried, unless the message is retrieved."""
        back = self.recall.fates if self.recall and self.recall.is_in(self.after) else {}
        if self.plan is None:
            return tuple([back.get(name, KEPT) for name in self.before.ids])
        return tuple([back.get(name, fate) for name, fate in zip(self.before.ids, self.plan.fates, strict=True)])

    @property
    def plans(self) -> tuple[Plan, ...]:
        """All plans between the recorded window and `after`."""
        return (*self.applied, self.plan) if self.plan else self.applied

    @property
    def savings(self) -> int:
        """Tokens that the plan being tried removes from the window."""
        return self.before.total - self.after.total

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def recorded_so(self) -> bool:
        """True if there are problems, all of them recorded and accepted, so that no plan caused them."""
        return bool(self.problems) and self.taken.issuperset(self.problems)

    @property
    def worst(self) -> Problem | None:
        """Problem to show if there is room for only one, preferably one that no provider accepted."""
        return min(self.problems, key=self.taken.__contains__, default=None)


def windows_as_preview(preview: Preview, before: Window, after: Window | None = None) -> Preview:
    """Return two recorded windows as a preview without plans.

    Args:
        preview: Preview of the same session.
        before: Earlier window.
        after: Later window; None for the recorded one of the preview.
    """
    later = after or preview.recorded
    return replace(preview, recorded=before, before=before, after=later, plan=None, applied=(), view=None, recall=None)


@dataclass
class Workbench:
    """An open session. `plans` contains each agent's applied plans, oldest first."""

    session: Session
    sizes: Sizes
    plans: dict[str, tuple[Plan, ...]] = field(default_factory=dict)
    limit: int = 0
    """Context window in tokens that overrides the model's; 0 for the model's."""
    store_id: str = ""
    """Id of the session in the store; "" if it is not stored."""
    versions: dict[str, int] = field(default_factory=dict)
    """Version of each agent's stored stack that `plans` corresponds to; missing for an empty stack."""
    partial: bool = False
    """True if this is only the end of a log that is still being read."""
    bookmarks: dict[str, str] = field(default_factory=dict)
    """Notes of bookmarks by message id, as stored when the session was opened."""
    facts: FactCache = field(default_factory=FactCache, repr=False, compare=False)
    """Facts of the session, computed on demand. A bench for a longer log takes them over."""
    extracts: StoredExtracts | FileExtracts | None = field(default=None, repr=False, compare=False)
    """Cache of extracts of the session. It is used as long as a bench refers to it."""
    services: Services = field(default_factory=Services, repr=False, compare=False)
    """Services for strategies if a preview specifies no others. The search service keeps its index."""

    @property
    def id(self) -> str:
        """Id in the store, or the session's own id if it is not stored."""
        return self.store_id or self.session.id

    @property
    def kept_results(self) -> StoredExtracts | FileExtracts | None:
        """Results of presets on this session from earlier runs; None if they are not kept."""
        extracts = self.extracts
        return extracts if extracts is not None and extracts.session is self.session else None

    def with_session(self, session: Session, plans: Mapping[str, tuple[Plan, ...]]) -> Workbench:
        """Return a bench with another version of the session, with messages at the same positions, and its plans."""
        return Workbench(session, self.sizes, dict(plans), self.limit, self.store_id)

    def turns(self, agent: str = MAIN) -> int:
        """Return the number of model calls by `agent`. The current context is one turn more."""
        return len(self.session.turns(agent))

    def place_of(self, message: str) -> tuple[str, int] | None:
        """Return the agent of a message and the first turn with it in the window; None if no window contains it."""
        places = {message.id: position for position, message in enumerate(self.session.messages)}
        position = places.get(message)
        if position is None:
            return None
        agent = self.session.messages[position].agent
        replies = self.session.turns(agent)
        first = bisect_right(replies, position)
        for turn in range(first, len(replies) + 1):
            if position in self.session.path_to(self.session.context_end(turn + 1, agent)):
                return agent, turn + 1
        return None

    def fact_index(self) -> FactIndex:
        """Return the facts of the session, which are read on first use.

        Raises:
            OSError: If the recording can no longer be read.
        """
        return self.facts.index_of(self.session)

    def scale(self, agent: str = MAIN) -> Scale:
        """Return the reference values for the thresholds of presets in an agent's context."""
        return compression.scale_of(self.session, self.sizes, agent, self.limit)

    def fit_notice(self, agent: str = MAIN) -> str:
        """Return a sentence about documented presets that do not fit an agent's context; "" if all of them do."""
        return compression.fit_notice(self.scale(agent))

    def window(self, turn: int | None = None, agent: str = MAIN) -> Window:
        """Return the recorded window.

        Args:
            turn: Turn from 1; None or one past the last for the current context.
            agent: Agent whose window it is.

        Raises:
            ValueError: If the session does not have that turn.
        """
        return at_turn(self.session, self.sizes, turn, agent, self.limit)

    def limit_at(self, turn: int, agent: str = MAIN) -> int:
        """Return the context window at a turn from 1: the user's setting, the recorded one, or else the model's."""
        return self.limit or self.session.limit_at(turn, agent) or self.sizes.limit

    def preview(
        self,
        turn: int | None = None,
        agent: str = MAIN,
        strategy: str | None = None,
        settings: Mapping[str, Any] | None = None,
        services: Services | None = None,
    ) -> Preview:
        """Return the window at a turn with the applied plans, and with a strategy tried on it.

        Args:
            turn: Turn of the window; None for the current one.
            agent: Agent of the window.
            strategy: Strategy to try; None for none.
            settings: Settings of the strategy.
            services: Services for the strategy; None for those of the bench.
        """
        if strategy is None:
            return self.preview_draft(lambda _: None, turn, agent)
        helpers = services or self.services
        return self.preview_draft(
            lambda window: strategies.draft_plan(window, strategy, settings, helpers), turn, agent
        )

    def preview_draft(
        self, draft: Callable[[Window], Plan | None], turn: int | None = None, agent: str = MAIN
    ) -> Preview:
        """Return the window at a turn with the applied plans, and with a drafted plan.

        Args:
            draft: Creates a plan for a window, or returns None for no plan.
            turn: Turn of the window; None for the current one.
            agent: Agent of the window.
        """
        recorded = self.window(turn, agent)
        applied = tuple(plan for plan in self.plans.get(agent, ()) if plan.turn <= recorded.turn)
        base = view(recorded, applied)
        plan = draft(base)
        return self.preview_of(recorded, base, renumber_summaries(plan, self.names()) if plan else None, applied)

    def preview_of(self, recorded: Window, base: Window, plan: Plan | None, applied: tuple[Plan, ...]) -> Preview:
        """Return a preview of a plan made for `base`.

        Args:
            recorded: Recorded window.
            base: Recorded window with the applied plans.
            plan: Plan being tried; None for none.
            applied: Applied plans, among whose archived messages those for the turn's request are retrieved.
        """
        after, plans = (apply(base, plan), (*applied, plan)) if plan else (base, applied)
        back = None
        if plans:  # no strategy is loaded for a session without plans
            back = compression.recall_in(recorded, after, plans, self.services)
            after = compression.with_recall(after, back)
        before = base if plan else after
        refusals = problems(after)
        taken = self.taken(recorded, refusals)
        return Preview(self.session, recorded, before, after, plan, applied, refusals, back, base, taken)

    def taken(self, recorded: Window, refusals: Iterable[Problem]) -> frozenset[Problem]:
        """Return the problems that the recording has in a request which the provider accepted and reported usage for.

        This is the request of the turn or, if none was reported for it, the last one before it.

        Args:
            recorded: Recorded window of the turn.
            refusals: Problems of that window.
        """
        rows = frozenset(refusals)
        sent = self._last_sent(recorded) if rows else None
        return rows.intersection(problems(sent)) if sent else frozenset()

    def _last_sent(self, recorded: Window) -> Window | None:
        """Return the window of the last request up to a turn for which the provider reported usage."""
        if recorded.reported is not None:
            return recorded
        replies, messages = self.session.turns(recorded.agent), self.session.messages
        turns = range(min(recorded.turn, len(replies)), 0, -1)
        turn = next((turn for turn in turns if messages[replies[turn - 1]].usage), None)
        return self.window(turn, recorded.agent) if turn else None

    def names(self) -> frozenset[str]:
        """Return the ids of all messages that plans of any agent created, including those not visible at every turn."""
        plans = [plan for stack in self.plans.values() for plan in stack]
        injections = [injection.message.id for plan in plans for injection in plan.injections]
        return frozenset([*(summary.id for plan in plans for summary in plan.summaries), *injections])

    def apply(self, plan: Plan, agent: str = MAIN) -> None:
        """Add a plan to the stack."""
        self.plans[agent] = (*self.plans.get(agent, ()), plan)

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Remove and return the newest plan; None if there is no plan."""
        stack = self.plans.get(agent, ())
        if not stack:
            return None
        self.plans[agent] = stack[:-1]
        return stack[-1]

    def hand_plan(
        self, ids: tuple[str, ...], kind: Literal["pinned", "dropped", "kept"], turn: int | None, agent: str = MAIN
    ) -> Plan:
        """Return a plan that pins, unpins or drops messages of the current window.

        Args:
            ids: Messages to change.
            kind: Fate of the messages; "kept" unpins them.
            turn: Turn of the window; None for the current one.
            agent: Agent of the window.

        Raises:
            RefusedError: If a provider would reject the result, or nothing would remain.
        """
        return draft_manual_plan(self.preview(turn, agent).base, ids, kind)

    def with_sizes(self, sizes: Sizes) -> Workbench:
        """Return the bench with other sizes."""
        return replace(self, sizes=sizes)

    def copy(self) -> Workbench:
        """Return a copy whose plans and bookmarks can be changed independently."""
        return replace(self, plans=dict(self.plans), versions=dict(self.versions), bookmarks=dict(self.bookmarks))


class RefusedError(ValueError):
    """Raised for a manual change after which a provider would reject the window. The text is one sentence."""


def draft_manual_plan(window: Window, ids: tuple[str, ...], kind: Literal["pinned", "dropped", "kept"]) -> Plan:
    """Return a manual plan for a window.

    Args:
        window: Window to change.
        ids: Messages to change.
        kind: Fate of the messages; "kept" unpins them.

    Raises:
        RefusedError: If a provider would reject the result for a new reason, or nothing would remain.
    """
    plan = manual_plan(window, ids, kind)
    after = apply(window, plan)
    if plan.alters and all(message.role == "system" for message in after.messages):
        raise RefusedError("Nothing was dropped, because the conversation would be empty.")
    earlier = {problem.text for problem in problems(window)}
    if new := [problem for problem in problems(after) if problem.text not in earlier]:
        raise RefusedError(f"Nothing was dropped, because the provider would reject the rest: {new[0]}")
    return plan
