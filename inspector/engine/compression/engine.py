"""Keep a conversation within its policy: an immutable log, a stack of plans, and the window that results from both.

This is the synchronous core of the memory manager and of replays. It runs the same strategies on the same windows as
the app. Appending takes constant time. The engine calls no model and never blocks, except in the summariser it is
given.
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
    """A drafted compression that has not been applied."""

    before: Window
    plan: Plan
    after: Window
    failure: str = ""
    """Reason why no summary was made, as one sentence. A plan without its summary is never applied."""

    @property
    def savings(self) -> int:
        """Tokens that the plan removes, less its summary."""
        return self.before.total - self.after.total


@dataclass(frozen=True)
class Compaction:
    """A compression that was applied, with the windows before and after it."""

    plan: Plan
    before: Window
    after: Window

    @property
    def savings(self) -> int:
        """Tokens that were removed, less the summary."""
        return self.before.total - self.after.total


@dataclass
class _SummaryRecorder:
    """A summariser that counts its calls and stores the reason of the last failure."""

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
            self.failure = "The summariser returned an empty summary."
        return text


class CompressionEngine:
    """A growing conversation, its stack of plans and its window. Sizes are in tokens, on the scale of `sizes`.

    Args:
        policy: When and how to compress.
        context: Properties of requests other than their messages.
        sizes: Token counts, used to measure new messages.
        services: Services for strategies; new ones by default.
        limit: Tokens the model accepts; that of the policy or of `sizes` by default.
        agent: Name of the agent.
        price: Returns the price of the model, for adaptive policies; looked up by default.
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
        self.policy, self.sizes = policy, sizes
        self.services = services or Services()
        self.cursor = WindowCursor(
            context, sizes, limit=limit or policy.limit, agent=agent, preserve_system=policy.preserve_system
        )
        """The log, its plans and the window."""
        self.trigger = Trigger(policy, policy.threshold)
        self.failures = 0
        self.last_failure = ""
        """Reason of the last failed summary, as one sentence."""
        self._ids: set[str] = set()
        self._summaries: set[str] = set()
        """Ids of the summaries of all plans."""
        self._last_context: tuple[Window, Window] | None = None
        """A window, and the context that was sent for it."""
        self._target = policy.target
        """The requested target."""
        self.threshold_reason = ""
        """Reason for the adapted threshold, as one sentence; empty if it has not been adapted."""
        self._price = price or (lambda: price_of(context.model))
        self.others: Callable[[str], Sequence[Message]] | None = None
        """Returns messages from elsewhere that match a query. They can be retrieved as well."""
        self.holds_recall = False
        """True to keep the retrieved content until the next plan, for the prompt cache."""
        self._archive = ArchivedGroups()
        self._last_recall: tuple[tuple[object, ...], Recall | None] = (), None
        """The inputs of the last recall, and the recall."""

    def set_policy(self, policy: Policy) -> None:
        """Replace the policy and forget earlier attempts."""
        self.policy, self.trigger = policy, Trigger(policy, policy.threshold)
        self._target = policy.target

    def adjust(self, policy: Policy, reason: str) -> None:
        """Change threshold and target, for a reason. Earlier attempts still count."""
        self.policy, self.threshold_reason = policy, reason
        self.trigger.adjust(policy)

    @property
    def log(self) -> Sequence[Message]:
        """All appended messages, oldest first."""
        return self.cursor.log

    @property
    def plans(self) -> Sequence[Plan]:
        """Plans through which the window is viewed, oldest first."""
        return self.cursor.plans

    @property
    def pins(self) -> frozenset[str]:
        """Ids of messages that are always kept word for word."""
        return self.cursor.pins

    @pins.setter
    def pins(self, ids: frozenset[str]) -> None:
        self.cursor.pins = ids

    def append(self, message: Message, tokens: int) -> None:
        """Append a message of `tokens` tokens to the log.

        Raises:
            ValueError: The log already contains a message with this id.
        """
        if message.id in self._ids:
            raise ValueError(f"The log already contains a message with the id {message.id!r}.")
        self._ids.add(message.id)
        self.cursor.append(message, tokens)
        self.trigger.note_arrival(tokens, self.cursor.total)
        if message.is_reply:
            self.cursor.turn += 1
            if self.policy.adapts and not self.plans and self.cursor.turn & (self.cursor.turn - 1) == 0:
                self._adapt()

    def _adapt(self) -> None:
        """Adapt threshold and target to the session so far."""
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
        """Truncate the log to its first `length` messages, because the conversation branched there. Plans are kept."""
        if length < len(self.log):
            self._ids.difference_update([message.id for message in self.log[length:]])
            self.cursor.rewind(length)

    def __len__(self) -> int:
        """Return the number of messages in the window."""
        return len(self.cursor)

    @property
    def total(self) -> int:
        """Tokens of the window, equal to `window().total` without building the window."""
        return self.cursor.total

    @property
    def full_total(self) -> int:
        """Tokens of the window without any compression."""
        return self.cursor.full_total

    @property
    def due(self) -> bool:
        """True if a compression should be attempted now."""
        return self.trigger.due(self.cursor.total, len(self.cursor))

    def window(self) -> Window:
        """Return the current window, even if a provider would reject it."""
        return self.cursor.window()

    def full_window(self) -> Window:
        """Return the whole log as one window, without any plan."""
        return self.cursor.full_window()

    def context(self) -> Window:
        """Return the window to send: repaired if necessary (see `repair_plan`), with `recall`."""
        window = self.window()
        if self._last_context is None or self._last_context[0] is not window:
            refusal = next(refusals_in(window, window.context.dialect), None)
            repaired = apply(window, self.repair_plan()) if refusal else window
            self._last_context = window, with_recall(repaired, self.recall)
        return self._last_context[1]

    @property
    def recall(self) -> Recall | None:
        """Archived content retrieved for the current request, or None. Cached until that or the archive changes."""
        archived = self.cursor.archived
        if not archived and not self.others:
            return None
        basis = self.cursor.request, archived, self.plans[-1] if self.plans else None
        before, back = self._last_recall
        start = 1 if self.holds_recall and back and back.message else 0
        if len(before) != len(basis) or any(map(is_not, before[start:], basis[start:])):
            self._last_recall = basis, self._recall(archived)
        return self._last_recall[1]

    def _recall(self, archived: tuple[Message, ...]) -> Recall | None:
        """Return the recall from archived messages; None if the search fails, which can be the caller's."""
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
        """`recall` if it retrieved anything and the model's window has room for it; otherwise None."""
        recall = self.recall
        return recall if recall and recall.message and fits(self.total, self.cursor.limit, recall) else None

    @property
    def sent_recall(self) -> tuple[str, int] | None:
        """Request and tokens of the recall in the last requested context; None if it had none. Does not search."""
        basis, back = self._last_recall
        if back is None or back.message is None or not (self.holds_recall or basis[0] is self.cursor.request):
            return None
        return (back.request, back.tokens) if fits(self.total, self.cursor.limit, back) else None

    def repair_plan(self) -> Plan:
        """Return a plan that only removes content no provider accepts, such as results without a call."""
        return PlanBuilder(self.window()).finish("mend", {})

    def attempt(
        self, window: Window | None = None, services: Services | None = None, *, rehearse: bool = False
    ) -> Attempt:
        """Draft the policy's plan without applying it. Thread-safe if a window is given.

        Args:
            window: Window to compress; the current one by default.
            services: Services for strategies; those of the engine by default.
            rehearse: Try with a placeholder summary first, and make the real one only if the plan is worthwhile. For
                summarisers that cost money.
        """
        window, services = window or self.window(), self._fitting(services or self.services)
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

    def _fitting(self, services: Services) -> Services:
        """Return services whose summaries leave the window below the limit of the policy, if it has one."""
        return replace(services, fit=self.policy.limit) if services.fit is None and self.policy.limit else services

    def _fixed_size(self, window: Window) -> int:
        """Return the tokens that remain under any target: protected and newest messages."""
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
        """Apply an attempt if it is worthwhile, and record the outcome. Returns None if nothing was changed.

        Messages may have been appended since the attempt was made. They are not changed, and can make the next one due.
        """
        before = self.window()
        if attempt.failure:
            self.failures += 1
            self.last_failure = attempt.failure
        if attempt.failure or not self.policy.worthwhile(attempt.before.total, attempt.after.total):
            why = attempt.failure or self.no_op_reason(attempt)
            self.trigger.note_failure(attempt.before.total, len(attempt.before.messages), why)
            return None
        after = self.cursor.apply(attempt.plan, attempt.after if attempt.before is before else None)
        self._summaries.update(summary.id for summary in attempt.plan.summaries)
        self._adapt()
        self.trigger.note_success(attempt.after.total)
        return Compaction(attempt.plan, before, after)

    def compress(self, services: Services | None = None) -> Compaction | None:
        """Try to compress the current window, due or not. Returns None if nothing was changed."""
        return self.settle(self.attempt(services=services))

    def no_op_reason(self, attempt: Attempt) -> str:
        """Return a sentence with the reason why an attempt was not worthwhile."""
        savings, total = max(0, attempt.savings), attempt.before.total
        if not savings:
            return f"{self.policy.strategy} would remove nothing" + (
                f": {attempt.plan.note}." if attempt.plan.note else "."
            )
        share = f"{self.policy.strategy} would remove {savings:,} of {total:,} tokens"
        note = f" ({attempt.plan.note})" if attempt.plan.note else ""
        return f"{share}{note}, less than {self.policy.minimum_progress:.0%}."

    def restack(self, plans: Sequence[Plan]) -> None:
        """Replace the stack of plans by plans that were made elsewhere."""
        self.cursor.reset(plans)
        self._summaries = {summary.id for plan in plans for summary in plan.summaries}

    def undo(self) -> Plan | None:
        """Pop the newest plan and return it; None if the stack is empty."""
        plan = self.cursor.undo()
        if plan is not None:
            self._summaries = {summary.id for other in self.plans for summary in other.summaries}
            self.trigger.note_success(self.total)
        return plan


def empty_plan(window: Window, policy: Policy, why: str) -> Plan:
    """Return a plan that changes nothing.

    Args:
        window: The window.
        policy: Provides the strategy and its settings.
        why: Note of the plan.
    """
    return Plan(policy.strategy, policy.own_settings, window.ids, (KEPT,) * len(window.ids), turn=window.turn, note=why)


def stand_in_summary(_messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """Return a meaningless placeholder of about the target size, for rehearsals and previews.

    Args:
        _messages: Ignored.
        target: Size in tokens.
        count: Returns the tokens of a text.
    """
    per_word = max(1, count("fact " * 100)) / 100
    return "fact " * max(1, int(target / per_word))
