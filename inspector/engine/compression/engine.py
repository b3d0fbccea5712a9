"""Keeping a conversation within its policy: one immutable log, a stack of plans, and the window that follows from both.

This is the synchronous core of the memory manager and of replaying a recorded session: the same strategies as in the
app, on the same windows. Appending takes constant time. Nothing here asks a model or waits for anything but the
summariser that it is handed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_not
from typing import Any

from inspector.core.conversation import MAIN, Message, RequestContext
from inspector.engine.compression.adaptive import GrowthRate, adapt
from inspector.engine.compression.policy import Policy, Trigger
from inspector.engine.compression.recalls import ArchivedGroups, Recall, fits, recall, with_recall
from inspector.engine.compression.threshold import window_scale
from inspector.engine.strategies import (
    STRATEGIES,
    PlanBuilder,
    RecallSettings,
    Services,
    Summariser,
    draft_plan,
    recall_settings,
    size_that_stays,
)
from inspector.engine.summaries import SummaryError, clean_sentence, describe_error
from inspector.engine.window import KEPT, Plan, Window, WindowCursor, apply, refusals_in, renumber_summaries
from inspector.llm.models import Price, price_of
from inspector.llm.tokens import Sizes


@dataclass(frozen=True)
class Attempt:
    """What a compression would do to a window. Nothing is changed by making one."""

    before: Window
    plan: Plan
    after: Window
    failure: str = ""
    """Why no summary came about, in one sentence; a plan without its summary is never applied."""

    @property
    def savings(self) -> int:
        return self.before.total - self.after.total


@dataclass(frozen=True)
class Compaction:
    """A compression that was applied: the plan, with the windows before and after it."""

    plan: Plan
    before: Window
    after: Window

    @property
    def savings(self) -> int:
        """Tokens that it took out of the window, its summary already subtracted."""
        return self.before.total - self.after.total


@dataclass
class _SummaryRecorder:
    """A summariser that counts its calls and keeps the reason of the last failure."""

    summarise: Summariser
    calls: int = 0
    failure: str = ""

    def __call__(self, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
        self.calls += 1
        try:
            text = self.summarise(messages, target, count)
        except SummaryError as error:
            self.failure = clean_sentence(str(error))
            raise
        except Exception as error:
            self.failure = f"The summariser failed: {describe_error(error)}."
            raise SummaryError(self.failure) from error
        if not text.strip():
            self.failure = "The summary came back empty."
        return text


class CompressionEngine:
    """A growing conversation, its stack of plans and its window. `context` holds what requests carry beside messages.

    Sizes are in tokens, on the scale of `sizes`.
    """

    def __init__(
        self,
        policy: Policy,
        context: RequestContext,
        sizes: Sizes,
        services: Services | None = None,
        *,
        limit: int = 0,
        agent: str = MAIN,
        price: Callable[[], Price] | None = None,
    ) -> None:
        """`price` gives that of the model, for a policy that adapts; without it, it is looked up."""
        self.policy = policy
        self.sizes = sizes
        self.services = services or Services()
        self.cursor = WindowCursor(
            context, sizes, limit=limit or policy.limit, agent=agent, preserve_system=policy.preserve_system
        )
        """The log, the plans that it is seen through, and the window."""
        self.trigger = Trigger(policy, policy.threshold)
        self.failures = 0
        self.last_failure = ""
        """Why the last attempt whose summary failed did so, in one sentence."""
        self._ids: set[str] = set()
        self._summaries: set[str] = set()
        """Ids of the summaries of all plans."""
        self._last_context: tuple[Window, Window] | None = None
        """A window, and what was sent of it."""
        self._target = policy.target
        """The target that was asked for."""
        self.threshold_reason = ""
        """Why the threshold is what it has adapted to, in one sentence; empty while it has not."""
        self._price = price or (lambda: price_of(context.model))
        self.others: Callable[[str], Sequence[Message]] | None = None
        """What gives messages from elsewhere that have to do with some words: they may come back too."""
        self._archive = ArchivedGroups()
        self._last_recall: tuple[tuple[object, ...], Recall | None] = (), None
        """What a recall follows from, and the recall."""

    def set_policy(self, policy: Policy) -> None:
        """Go by another policy from now on, as if nothing had been tried before."""
        self.policy, self.trigger = policy, Trigger(policy, policy.threshold)
        self._target = policy.target

    def adjust(self, policy: Policy, reason: str) -> None:
        """Go by another threshold and target from now on, for a reason; what was tried before still counts."""
        self.policy, self.threshold_reason = policy, reason
        self.trigger.adjust(policy)

    @property
    def log(self) -> Sequence[Message]:
        """Every message ever appended, oldest first."""
        return self.cursor.log

    @property
    def plans(self) -> Sequence[Plan]:
        """The plans that the window is seen through, oldest first."""
        return self.cursor.plans

    @property
    def pins(self) -> frozenset[str]:
        """Ids of messages that stay word for word whatever happens."""
        return self.cursor.pins

    @pins.setter
    def pins(self, ids: frozenset[str]) -> None:
        self.cursor.pins = ids

    def append(self, message: Message, tokens: int) -> None:
        """Put a message of `tokens` tokens at the end of the log. Raises ValueError when its id is there already."""
        if message.id in self._ids:
            raise ValueError(f"A message with the id {message.id!r} is in the log already.")
        self._ids.add(message.id)
        self.cursor.append(message, tokens)
        if message.is_reply:
            self.cursor.turn += 1
            if self.policy.adapts and not self.plans and self.cursor.turn & (self.cursor.turn - 1) == 0:
                self._adapt()

    def _adapt(self) -> None:
        """Have threshold and target follow what the session has shown of itself."""
        if not self.policy.adapts:
            return
        window, calls = self.window(), self.cursor.turn - 1
        floor = window_scale(window).floor
        per_call = (self.full_total - floor) / max(1, calls)
        stays, most = self._fixed_size(window), min(filter(None, (self.policy.limit, window.limit)), default=0)
        growth = GrowthRate(calls, per_call, floor, stays, most)
        policy, why = adapt(self.policy, growth, self._price(), self._target)
        if why:
            self.adjust(policy, why)

    def rewind(self, length: int) -> None:
        """Cut the log to its first `length` messages: the person took another way from there. Plans stay."""
        if length < len(self.log):
            self._ids.difference_update([message.id for message in self.log[length:]])
            self.cursor.rewind(length)

    def __len__(self) -> int:
        """Messages in the window."""
        return len(self.cursor)

    @property
    def total(self) -> int:
        """Tokens of the window as it stands: the same as `window().total`, without building it."""
        return self.cursor.total

    @property
    def full_total(self) -> int:
        """Tokens that the window would have if nothing had ever been compressed."""
        return self.cursor.full_total

    @property
    def due(self) -> bool:
        """Whether a compression is to be tried now."""
        return self.trigger.due(self.cursor.total, len(self.cursor))

    def window(self) -> Window:
        """The window as it stands, with whatever a provider would refuse in it."""
        return self.cursor.window()

    def full_window(self) -> Window:
        """The whole log as one window, before any plan."""
        return self.cursor.full_window()

    def context(self) -> Window:
        """What to send: the window, repaired where a provider would refuse it (see `repair_plan`), with `recall`."""
        window = self.window()
        if self._last_context is None or self._last_context[0] is not window:
            refusal = next(refusals_in(window, window.context.dialect), None)
            repaired = apply(window, self.repair_plan()) if refusal else window
            self._last_context = window, with_recall(repaired, self.recall)
        return self._last_context[1]

    @property
    def recall(self) -> Recall | None:
        """What comes back for the current request of what the plans archived; None where nothing was archived.

        It is looked for once for each request, and again when something was archived since; else it costs nothing.
        """
        archived = self.cursor.archived
        if not archived and self.others is None:
            return None
        basis = self.cursor.request, archived, self.plans[-1] if self.plans else None
        if len(self._last_recall[0]) != len(basis) or any(map(is_not, self._last_recall[0], basis)):
            self._last_recall = basis, self._recall(archived)
        return self._last_recall[1]

    def _recall(self, archived: tuple[Message, ...]) -> Recall | None:
        """What comes back of some archived messages; nothing where a search fails, which may be the caller's own."""
        try:
            request = self.cursor.request
            others = tuple(self.others(request.text)) if self.others and request else ()
            settings = recall_settings(self.plans) or (RecallSettings.of(self.policy.settings) if others else None)
            self._archive.hold(archived + others)
            return recall(self.window(), self._archive, settings, self.services)
        except Exception as error:
            self.last_failure = f"The search failed: {describe_error(error)}."
            return None

    @property
    def back(self) -> Recall | None:
        """`recall` where anything came back and the model's window has room for it."""
        recall = self.recall
        return recall if recall and recall.message and fits(self.total, self.cursor.limit, recall) else None

    @property
    def sent_recall(self) -> tuple[str, int] | None:
        """For which request something came back into the context that was asked for last, and its tokens.

        None where nothing did, and where nobody has asked since the last request: nothing is searched for here.
        """
        basis, back = self._last_recall
        if back is None or back.message is None or basis[0] is not self.cursor.request:
            return None
        return (back.request, back.tokens) if fits(self.total, self.cursor.limit, back) else None

    def repair_plan(self) -> Plan:
        """A plan that takes out what no provider accepts, such as results without a call, and nothing else."""
        return PlanBuilder(self.window()).finish("mend", {})

    def attempt(
        self, window: Window | None = None, services: Services | None = None, *, rehearse: bool = False
    ) -> Attempt:
        """Draft the policy's plan for a window, by default the one that stands.

        Changes nothing: given a window, any thread may do it. `rehearse` first tries with a made-up summary, and asks
        for the real one only where the plan would be worth it: for summarisers that cost something.
        """
        window, services = window or self.window(), services or self.services
        settings, *tighter = self.policy.choices(window.total, self._fixed_size(window))
        if rehearse or tighter:
            rehearsal = replace(services, summarise=stand_in_summary)
            trial = self._draft(window, settings, rehearsal)
            while tighter and trial.after.total > self.policy.limit:
                settings = tighter.pop(0)
                trial = self._draft(window, settings, rehearsal)
            if not self.policy.worthwhile(window.total, trial.after.total):
                return replace(trial, failure="")
        return self._draft(window, settings, services)

    def _fixed_size(self, window: Window) -> int:
        """Tokens that stay whatever the target: what may not leave, and the newest messages."""
        knobs = STRATEGIES[self.policy.strategy].knobs
        keeps = [self.policy.settings.get(knob.name, knob.default) for knob in knobs if knob.role == "recent"]
        return size_that_stays(window, max(keeps, default=0))

    def _draft(self, window: Window, settings: Mapping[str, Any], services: Services) -> Attempt:
        summariser = _SummaryRecorder(services.summarise)
        try:
            plan = draft_plan(window, self.policy.strategy, settings, replace(services, summarise=summariser))
        except SummaryError as error:
            plan = empty_plan(window, self.policy, clean_sentence(str(error)))
        plan = renumber_summaries(plan, self._summaries)
        after = apply(window, plan) if plan.alters else window
        failure = summariser.failure
        if summariser.calls and not plan.summaries and not self.policy.worthwhile(window.total, after.total):
            failure = failure or plan.note
        return Attempt(window, plan, after, failure)

    def settle(self, attempt: Attempt) -> Compaction | None:
        """Apply an attempt where it is worth it, and remember how it went. Returns None when nothing was changed.

        Messages may have come in since it was made; they stay as they are, and make the next one due where they are
        enough for that.
        """
        before = self.window()
        if attempt.failure:
            self.failures += 1
            self.last_failure = attempt.failure
        if attempt.failure or not self.policy.worthwhile(attempt.before.total, attempt.after.total):
            why = attempt.failure or self.no_op_reason(attempt)
            self.trigger.came_to_nothing(attempt.before.total, len(attempt.before.messages), why)
            return None
        after = self.cursor.apply(attempt.plan, attempt.after if attempt.before is before else None)
        self._summaries.update(summary.id for summary in attempt.plan.summaries)
        self._adapt()
        self.trigger.note_success(attempt.after.total)
        return Compaction(attempt.plan, before, after)

    def compress(self, services: Services | None = None) -> Compaction | None:
        """Try to compress the window as it stands, due or not. Returns None when nothing was changed."""
        return self.settle(self.attempt(services=services))

    def no_op_reason(self, attempt: Attempt) -> str:
        """Why a plan was not worth it, in one sentence."""
        savings, total = max(0, attempt.savings), attempt.before.total
        if not savings:
            return f"{self.policy.strategy} would take out nothing" + (
                f": {attempt.plan.note}." if attempt.plan.note else "."
            )
        share = f"{self.policy.strategy} would take out {savings:,} of {total:,} tokens"
        note = f" ({attempt.plan.note})" if attempt.plan.note else ""
        return f"{share}{note}, less than {self.policy.minimum_progress:.0%}."

    def restack(self, plans: Sequence[Plan]) -> None:
        """See the log through these plans, which were made elsewhere."""
        self.cursor.reset(plans)
        self._summaries = {summary.id for plan in plans for summary in plan.summaries}

    def undo(self) -> Plan | None:
        """Take the newest plan back and return it; None when there is none. The log has never changed."""
        plan = self.cursor.undo()
        if plan is not None:
            self._summaries = {summary.id for other in self.plans for summary in other.summaries}
            self.trigger.note_success(self.total)
        return plan


def empty_plan(window: Window, policy: Policy, why: str) -> Plan:
    """A plan that leaves everything as it is."""
    return Plan(policy.strategy, policy.own_settings, window.ids, (KEPT,) * len(window.ids), turn=window.turn, note=why)


def stand_in_summary(_messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """A summariser for rehearsals and previews: words that mean nothing, of about the size that was asked for."""
    per_word = max(1, count("fact " * 100)) / 100
    return "fact " * max(1, int(target / per_word))
