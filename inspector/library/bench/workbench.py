"""An opened session on the bench: its log, its sizes, and the stack of plans that it is looked at through.

The app and the command line both work on this. It knows no screen; everything that it computes is a frozen `Preview`
that a worker can hand over.
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
    from inspector.library.bench.stored_extracts import StoredExtracts


TAKEN = "The provider took a request that was recorded so: what sent it had put it right."
"""What there is to say of problems that a provider did not refuse a request for."""


@dataclass(frozen=True)
class Preview:
    """Everything there is to show of one turn: as recorded, through the applied plans, and with one more tried on."""

    session: Session
    recorded: Window
    before: Window
    """Through the plans that are applied; without what comes back of what they archived while a plan is tried on."""
    after: Window
    """With the plan that is tried on, and with what comes back; `before` itself when none is."""
    plan: Plan | None
    applied: tuple[Plan, ...]
    problems: tuple[Problem, ...]
    """What the provider would refuse `after` for."""
    recall: Recall | None = None
    """What comes back into `after` of what the plans archived."""
    view: Window | None = None
    """Through the plans that are applied and nothing else, where that is not `before`."""
    taken: frozenset[Problem] = frozenset()
    """Those of `problems` that were recorded so, in a request that the provider took: it was sent in another form."""

    @property
    def base(self) -> Window:
        """The window that a further plan is made for: through the plans that are applied, without what comes back."""
        return self.view or self.before

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """The fate of each message of `before`: that of the plan that is tried on, unless it comes back."""
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
        """Tokens that the plan being tried takes out of the window."""
        return self.before.total - self.after.total

    @property
    def valid(self) -> bool:
        return not self.problems

    @property
    def recorded_so(self) -> bool:
        """Whether there are problems, and none but what was recorded so and taken: no plan is to blame."""
        return bool(self.problems) and self.taken.issuperset(self.problems)

    @property
    def worst(self) -> Problem | None:
        """The problem to tell where there is room for one: what no provider took comes before what one took."""
        return min(self.problems, key=self.taken.__contains__, default=None)


@dataclass
class Workbench:
    """An opened session. `plans` holds each agent's applied plans, oldest first."""

    session: Session
    sizes: Sizes
    plans: dict[str, tuple[Plan, ...]] = field(default_factory=dict)
    limit: int = 0
    """Overrides the context window of the session's model when it is not 0."""
    store_id: str = ""
    """The session's id in the store; empty while it is not there."""
    versions: dict[str, int] = field(default_factory=dict)
    """For each agent, the version of its stack in the store that `plans` agrees with; none for an empty one."""
    partial: bool = False
    """Whether this is only the end of a log that is still being read."""
    bookmarks: dict[str, str] = field(default_factory=dict)
    """The notes of bookmarks as they were stored when the session was opened, by the ids of messages."""
    facts: FactCache = field(default_factory=FactCache, repr=False, compare=False)
    """The facts of the session, once they were asked for. A bench whose log has grown takes it over."""
    extracts: StoredExtracts | None = field(default=None, repr=False, compare=False)
    """Where gists and facts of a stored session are kept: it is asked for as long as a bench holds it."""
    services: Services = field(default_factory=Services, repr=False, compare=False)
    """What strategies summarise and search with, where a preview names no others; the search keeps its index."""

    @property
    def id(self) -> str:
        """What the session is called in the store, or by itself while it is not there."""
        return self.store_id or self.session.id

    def with_session(self, session: Session, plans: Mapping[str, tuple[Plan, ...]]) -> Workbench:
        """This bench with another version of its session, whose messages are at the same places, and its plans."""
        return Workbench(session, self.sizes, dict(plans), self.limit, self.store_id)

    def turns(self, agent: str = MAIN) -> int:
        """How many model calls `agent` made; one turn more is the context as it now stands."""
        return len(self.session.turns(agent))

    def place_of(self, message: str) -> tuple[str, int] | None:
        """Whose context a message was in, and the first turn with it in the window; None for one that never is."""
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
        """The facts of the session; read the first time. Raises OSError where the recording cannot be read any more."""
        return self.facts.index_of(self.session)

    def scale(self, agent: str = MAIN) -> Scale:
        """What the thresholds of presets are measured by for an agent's context."""
        return compression.scale_of(self.session, self.sizes, agent, self.limit)

    def fit_notice(self, agent: str = MAIN) -> str:
        """Which of the documented presets do not fit an agent's context; empty where all do."""
        return compression.fit_notice(self.scale(agent))

    def window(self, turn: int | None = None, agent: str = MAIN) -> Window:
        """The window as it was recorded. Raises ValueError for a turn that is not there."""
        return at_turn(self.session, self.sizes, turn, agent, self.limit)

    def preview(
        self,
        turn: int | None = None,
        agent: str = MAIN,
        strategy: str | None = None,
        settings: Mapping[str, Any] | None = None,
        services: Services | None = None,
    ) -> Preview:
        """The window at a turn through the applied plans, and what `strategy` would make of it."""
        if strategy is None:
            return self.preview_draft(lambda _: None, turn, agent)
        helpers = services or self.services
        return self.preview_draft(
            lambda window: strategies.draft_plan(window, strategy, settings, helpers), turn, agent
        )

    def preview_draft(
        self, draft: Callable[[Window], Plan | None], turn: int | None = None, agent: str = MAIN
    ) -> Preview:
        """The window at a turn through the applied plans, and the plan that `draft` gives for it; None for no plan."""
        recorded = self.window(turn, agent)
        applied = tuple(plan for plan in self.plans.get(agent, ()) if plan.turn <= recorded.turn)
        base = view(recorded, applied)
        plan = draft(base)
        return self.preview_of(recorded, base, renumber_summaries(plan, self.names()) if plan else None, applied)

    def preview_of(self, recorded: Window, base: Window, plan: Plan | None, applied: tuple[Plan, ...]) -> Preview:
        """A preview of a plan that was made for `base`, the recorded window through the applied plans; None for none.

        What comes back is looked for in what the plans archived, for the request of this turn.
        """
        after, plans = (apply(base, plan), (*applied, plan)) if plan else (base, applied)
        back = None
        if plans:  # what a session without plans is shown with loads no strategy
            back = compression.recall_in(recorded, after, plans, self.services)
            after = compression.with_recall(after, back)
        before = base if plan else after
        refusals = problems(after)
        taken = self.taken(recorded, refusals)
        return Preview(self.session, recorded, before, after, plan, applied, refusals, back, base, taken)

    def taken(self, recorded: Window, refusals: Iterable[Problem]) -> frozenset[Problem]:
        """Those of some problems of a turn that the recording has in a request for which the provider reported usage.

        That is the request of this turn, or where nothing was reported of it, the last one before it.
        """
        rows = frozenset(refusals)
        sent = self._last_sent(recorded) if rows else None
        return rows.intersection(problems(sent)) if sent else frozenset()

    def _last_sent(self, recorded: Window) -> Window | None:
        """The window of the last request, up to a turn, that the provider reported usage for."""
        if recorded.reported is not None:
            return recorded
        replies, messages = self.session.turns(recorded.agent), self.session.messages
        turns = range(min(recorded.turn, len(replies)), 0, -1)
        turn = next((turn for turn in turns if messages[replies[turn - 1]].usage), None)
        return self.window(turn, recorded.agent) if turn else None

    def names(self) -> frozenset[str]:
        """Names of all messages that any agent's plans have made, also of those that are not seen at every turn."""
        plans = [plan for stack in self.plans.values() for plan in stack]
        injections = [injection.message.id for plan in plans for injection in plan.injections]
        return frozenset([*(summary.id for plan in plans for summary in plan.summaries), *injections])

    def apply(self, plan: Plan, agent: str = MAIN) -> None:
        """Put a plan on the stack."""
        self.plans[agent] = (*self.plans.get(agent, ()), plan)

    def undo(self, agent: str = MAIN) -> Plan | None:
        """Take the newest plan off the stack and give it back; None when there is none."""
        stack = self.plans.get(agent, ())
        if not stack:
            return None
        self.plans[agent] = stack[:-1]
        return stack[-1]

    def hand_plan(
        self, ids: tuple[str, ...], kind: Literal["pinned", "dropped", "kept"], turn: int | None, agent: str = MAIN
    ) -> Plan:
        """A plan that pins, unpins or drops messages of the window as it now is. Raises RefusedError."""
        return draft_manual_plan(self.preview(turn, agent).base, ids, kind)

    def with_sizes(self, sizes: Sizes) -> Workbench:
        """The same bench with other sizes."""
        return replace(self, sizes=sizes)

    def copy(self) -> Workbench:
        """The same bench with stacks of its own."""
        return replace(self, plans=dict(self.plans), versions=dict(self.versions), bookmarks=dict(self.bookmarks))


class RefusedError(ValueError):
    """A change by hand that would leave a window that a provider refuses. Its text is one sentence."""


def draft_manual_plan(window: Window, ids: tuple[str, ...], kind: Literal["pinned", "dropped", "kept"]) -> Plan:
    """A person's plan for a window. Raises RefusedError where a provider gets more to refuse, or nothing is left."""
    plan = manual_plan(window, ids, kind)
    after = apply(window, plan)
    if plan.alters and all(message.role == "system" for message in after.messages):
        raise RefusedError("Nothing would be left of the conversation, so nothing was dropped.")
    earlier = {problem.text for problem in problems(window)}
    if new := [problem for problem in problems(after) if problem.text not in earlier]:
        raise RefusedError(f"A provider would refuse what is left, so nothing was dropped: {new[0]}")
    return plan
