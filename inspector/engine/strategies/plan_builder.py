"""Builds plans that are always valid: a strategy only names the messages to remove or change.

A builder starts with all messages kept. Protected are system messages, the first task, the current request, pinned
messages, the newest step, and calls that still wait for a result. Finished steps of the current turn can be removed,
oldest first and after everything else, because in a session with one request there is nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from itertools import compress
from operator import attrgetter
from typing import Any

from inspector.core.conversation import Message, Text
from inspector.core.text import plural
from inspector.engine.strategies.protection import (
    OPENER,
    SUMMARY,
    free_groups,
    free_with_summaries,
    group_sizes,
    newest_step,
    places_before_user,
    protection,
    summary_names,
)
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.shortening import Shortener
from inspector.engine.summaries import SummaryError
from inspector.engine.window import KEPT, LEAVE_KINDS, Fate, Plan, Score, Window, message_faults
from inspector.llm.providers import EMPTY, PROVIDERS, Provider, text_message, wire_of

_ORPHAN = Fate("dropped", "this result has no call: the provider would reject it")
_NOT_FIRST = Fate("dropped", "a conversation must start with a user message")
DEAD_CALL = Fate("trimmed", "its call has no result: the provider would reject it")
_EMPTY_CALL = Fate("dropped", "its call has no result and it has no other content")
HOLLOW = Fate("dropped", "it is empty: the provider would reject it")
BLEMISH = Fate("trimmed", "the provider would reject a part of it")
_NO_END = Fate("dropped", "the model does not continue a reply")
_SUMMARY_ID = re.compile(r"summary (\d{1,9})")
SUBSTANTIAL = 400
"""Size in tokens from which any text can be shortened: a summary that is not shorter is then a failure."""


_MIN_SUMMARY = 64
"""Minimum size of a summary in tokens, however little room there is: its title and one line."""


def least_summary(size: int, least: float) -> int:
    """Return the minimum tokens of a summary with a usual size: the fraction `least` of it, or one line."""
    return min(size, max(_MIN_SUMMARY, int(least * size)))


class PlanBuilder(Shortener):
    """Builds the plan for one window.

    Indices are positions in `window.messages`. Groups are kept or removed as a whole.
    """

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.tokens: Sequence[int] = window.tokens
        """Tokens of each message without calls that were never answered, which are removed in any case."""
        self.summaries: list[Message] = []
        self.note = ""
        self.failure = ""
        """Reason why a requested summary could not be made. The plan then changes nothing."""
        self.failed_to_ask = False
        """True if the summariser itself failed."""
        self._mends: dict[int, Message | None] = {}
        if not window.live.issuperset(window.groups.open_calls):
            self._mend_calls()

    def fork(self) -> PlanBuilder:
        """Return an independent copy of the builder in its current state."""
        other = copy(self)
        other.fates, other.rewrites, other.summaries = list(self.fates), dict(self.rewrites), list(self.summaries)
        return other

    @property
    def protection(self) -> Mapping[int, Fate]:
        """Protected messages, each with the reason as its fate."""
        return self.window.cached_form(protection)

    def candidates(self, summaries: bool = False) -> list[tuple[int, ...]]:
        """Return the groups that can be removed, oldest first, each as its indices.

        Args:
            summaries: True if the strategy makes a summary. Earlier summaries are then included, because the new one
                replaces them; any other strategy would lose them. So is the message that opens the conversation, if the
                new summary can open it instead.
        """
        groups = self.window.cached_form(free_with_summaries if summaries else free_groups)
        self.keep(groups.summaries, SUMMARY.reason)
        self.keep(groups.opener, OPENER.reason)
        return list(groups.free)

    def newest_step(self) -> tuple[int, ...]:
        """Return the agent's last action and everything inserted after it. See `protection.newest_step`."""
        return newest_step(self.window)

    @property
    def group_sizes(self) -> Sequence[int]:
        """Tokens of each group of the window."""
        if not self._mends:
            return self.window.remember(group_sizes)
        return group_sizes(replace(self.window, tokens=tuple(self.tokens)))

    def size(self, indices: Iterable[int]) -> int:
        """Return the tokens of these messages."""
        return sum(map(self.tokens.__getitem__, indices))

    def weight(self, members: Sequence[int]) -> int:
        """Return the tokens of a whole group, given by its members."""
        return self.group_sizes[self.window.groups.of[members[0]]]

    def weights(self, groups: Iterable[Sequence[int]]) -> list[int]:
        """Return the tokens of whole groups."""
        sizes, of = self.group_sizes, self.window.groups.of
        return [sizes[of[members[0]]] for members in groups]

    def keep(self, indices: Iterable[int], reason: str) -> None:
        """Set the reason why messages are kept. Protected messages have their own reason.

        Args:
            indices: Positions of the messages in the window.
            reason: Clause that is shown next to each message, such as "newest 10".
        """
        fate, fates = Fate("kept", reason), self.fates
        for index in indices:
            if fates[index] is KEPT:
                fates[index] = fate

    def keep_rest(self, reason: str) -> None:
        """Set the reason of all messages without a fate."""
        fate = Fate("kept", reason)
        self.fates = [fate if old is KEPT else old for old in self.fates]

    def drop(self, indices: Iterable[int], rule: str) -> None:
        """Drop messages.

        Args:
            indices: Positions of the messages in the window.
            rule: Reason that is shown next to each message.
        """
        self.give(indices, Fate("dropped", rule))

    def archive(self, indices: Iterable[int], reason: str) -> None:
        """Move messages to the persistent tier, from which they can be retrieved.

        Args:
            indices: Positions of the messages in the window.
            reason: Clause that is shown next to each message.
        """
        self.give(indices, Fate("archived", reason))

    def give(self, indices: Iterable[int], fate: Fate) -> None:
        """Set the fate of messages."""
        fates = self.fates
        for index in indices:
            fates[index] = fate

    def condense(
        self, indices: Sequence[int], ratio: float, services: Services, fit: int | None = None, least: float = 0.0
    ) -> bool:
        """Replace messages by one summary. Returns True if it was made.

        A single earlier summary is not summarised again. If the summariser fails, the plan changes nothing.

        Args:
            indices: Positions of the messages.
            ratio: Size of the summary as a fraction of their size.
            services: Provides the summariser.
            fit: Maximum tokens of the window. If there is less room for the summary, it is made smaller.
            least: Minimum size when made smaller, as a fraction of its usual size; never less than one line.
        """
        source = self._without_faults(indices)
        messages = [self.window.messages[index] for index in indices]
        if all(message.kind == "summary" for message in messages):
            return False
        messages = [source.rewrites.get(message.id, message) for message in messages]
        sizes, tokens = self.window.sizes, source.aim(indices, ratio, services.fit if fit is None else fit, least)
        try:
            text = services.summarise(messages, max(1, sizes.room(tokens)), sizes.counter.count)
        except SummaryError as failure:
            self.failure, self.failed_to_ask = str(failure), True
            return False
        return self.summarise(indices, text)

    def _without_faults(self, indices: Iterable[int]) -> PlanBuilder:
        """Return the plan with the content that can be sent, if the provider would reject some of these messages."""
        if set(indices).isdisjoint(self.window.remember(message_faults)):
            return self
        mended = self.fork()
        mended.mend()
        return mended

    def aim(self, indices: Sequence[int], ratio: float, fit: int | None, least: float = 0.0) -> int:
        """Return the size of a summary in tokens, reduced if there is less room for it.

        Args:
            indices: Positions of the messages to summarise.
            ratio: Size of the summary as a fraction of their size.
            fit: Maximum tokens of the window; None if unlimited.
            least: Minimum size when reduced, as a fraction of its usual size.
        """
        share = int(ratio * (self.size_left(indices) if self.rewrites else self.size(indices)))
        if fit is None:
            return share
        room = fit - (self.total - self.size_left(indices))
        return max(least_summary(share, least), min(share, room))

    def size_left(self, indices: Iterable[int]) -> int:
        """Return the tokens of these messages in the window under the plan so far."""
        window, rewrites, fates = self.window, self.rewrites, self.fates
        orphans = window.groups.orphans
        places = [index for index in indices if fates[index].kind not in LEAVE_KINDS and index not in orphans]
        rewritten = [rewrites[window.ids[index]] for index in places if window.ids[index] in rewrites]
        whole = [index for index in places if window.ids[index] not in rewrites] if rewritten else places
        return self.size(whole) + sum(window.sizes.measure_all(rewritten))

    def summarise(self, indices: Sequence[int], text: str) -> bool:
        """Replace messages by one summary, unless it is empty or not smaller.

        Args:
            indices: Positions of the messages in the window.
            text: Text of the summary.

        Returns:
            True if the summary was made.
        """
        size_before = self.size(indices)
        if not text.strip():
            return self.without_summary("the summary is empty, so it replaces nothing", size_before)
        summary = text_message(self.summary_id(), "user", text, self.window.context.dialect, kind="summary")
        size = self.window.sizes.measure(summary)
        if size >= size_before:
            why = f"a summary would have {size:,} tokens, no less than the {size_before:,} of its source"
            return self.without_summary(why, size_before)
        others = len(indices) - 1
        company = f", with {plural(others, 'other')}" if others else ""
        self.give(indices, Fate("summarised", f"into {summary.id}{company}", summary.id))
        self.summaries.append(summary)
        return True

    def without_summary(self, why: str, size: int) -> bool:
        """Record the missing summary: as a note if it would replace little text, else as a failure. Returns False."""
        if size >= SUBSTANTIAL:
            self.failure = why
        else:
            self.note = why
        return False

    def summary_id(self) -> str:
        """Return the next id: "summary 1", "summary 2"… A summary never gets the id of one that it replaces."""
        names = [*self.window.cached_form(summary_names), *(message.id for message in self.summaries)]
        return f"summary {1 + max((int(match[1]) for match in map(_SUMMARY_ID.fullmatch, names) if match), default=0)}"

    @property
    def total(self) -> int:
        """Tokens of the window under the plan so far."""
        window, rewrites = self.window, self.rewrites
        gone = list(map(LEAVE_KINDS.__contains__, map(attrgetter("kind"), self.fates)))
        for index in window.groups.orphans:
            gone[index] = True
        size = window.total - sum(compress(window.tokens, gone))
        if rewrites:
            places = [index for index, name in enumerate(window.ids) if name in rewrites and not gone[index]]
            size -= sum(map(window.tokens.__getitem__, places)) - sum(
                window.sizes.measure_all([rewrites[window.ids[i]] for i in places])
            )
        return size + sum(map(window.sizes.measure, self.summaries))

    def finish(self, strategy: str, settings: Any, scores: Mapping[str, Score] | None = None) -> Plan:
        """Return the plan, repaired where a provider would reject the result.

        Args:
            strategy: Name of the strategy.
            settings: Its settings, as a dataclass or a mapping.
            scores: Score of each message, by id.
        """
        values = settings if isinstance(settings, Mapping) else asdict(settings)
        if self.failure:
            return unchanged_plan(self.window, strategy, values, self.failure)
        self.mend()
        return Plan(
            strategy,
            values,
            self.window.ids,
            tuple(self.fates),
            self.versions(),
            tuple(self.summaries),
            self.window.turn,
            self.note,
            scores=scores or {},
        )

    def versions(self) -> dict[str, Message]:
        """Return the new versions of messages that are kept, by id."""
        if not self.rewrites or LEAVE_KINDS.isdisjoint(map(attrgetter("kind"), self.fates)):
            return self.rewrites
        leavers = {name for name, fate in zip(self.window.ids, self.fates, strict=True) if fate.kind in LEAVE_KINDS}
        return {name: message for name, message in self.rewrites.items() if name not in leavers}

    def mend(self) -> None:
        """Remove everything that a provider would reject: orphan results, dead calls, faulty content, a final reply."""
        groups = self.window.groups
        for index in groups.orphans:
            self.fates[index] = _ORPHAN
        self._mend_calls()
        provider = PROVIDERS[self.window.context.dialect]
        for index in [place for place in self.window.remember(message_faults) if not self.fates[place].leaves]:
            self.remove_faults(index, provider)
        if provider.refused_end(self.window):
            self.fates[-1] = _NO_END
        self.open_with_user()

    def remove_faults(self, index: int, provider: Provider) -> None:
        """Repair a message with rejected content. If nothing remains, drop it, or insert a placeholder if protected."""
        message = self.window.messages[index]
        if not provider.content.faults(version := self.rewrites.get(message.id, message)):
            return
        raw = provider.mend(version)
        if raw is None and index not in self.protection:
            self.fates[index] = HOLLOW
            return
        self.fates[index] = BLEMISH
        raw = wire_of(message.dialect).encode(message.role, [Text(EMPTY)]) if raw is None else raw
        self.rewrites[message.id] = self.version(message, raw)

    def _mend_calls(self) -> None:
        """Remove calls that were never answered; repeat it for messages that a strategy has rewritten since."""
        window, tokens = self.window, list(self.window.tokens)
        for index in window.groups.open_calls.keys() - window.live:
            version = self.rewrites.get(window.ids[index])
            if not self.fates[index].leaves and (version is None or version is not self._mends.get(index)):
                self.remove_calls(index, window.groups.open_calls[index])
                version = self._mends[index] = self.rewrites.get(window.ids[index])
            if index in self._mends:
                tokens[index] = window.sizes.measure(version) if version and not self.fates[index].leaves else 0
        self.tokens = tokens

    def remove_calls(self, index: int, places: Sequence[int]) -> None:
        """Remove the calls at these places of a message; drop the message if nothing remains."""
        message = self.window.messages[index]
        message = self.rewrites.get(message.id, message)
        raw = wire_of(message.dialect).without_calls(message.raw, places)
        if raw is None:
            self.fates[index] = _EMPTY_CALL
            return
        self.fates[index] = DEAD_CALL
        self.rewrites[message.id] = self.version(message, raw)

    def open_with_user(self) -> None:
        """Drop unprotected messages before the first message with the user role, if there is one."""
        groups = self.window.groups
        openers = [summary.id for summary in self.summaries if self.window.task is None]
        for number in {groups.of[index]: None for index in places_before_user(self.window, self.fates, openers)}:
            members = groups.members[number]
            if self.protection.keys().isdisjoint(members):
                for member in members:
                    self.fates[member] = _NOT_FIRST


def unchanged_plan(window: Window, strategy: str, settings: Mapping[str, Any], failure: str) -> Plan:
    """Return the plan of a strategy whose summary failed: all messages are kept.

    Args:
        window: The window.
        strategy: Name of the strategy.
        settings: Its settings.
        failure: Reason of the failure.
    """
    fates = tuple(PlanBuilder(window).fates)
    return Plan(strategy, settings, window.ids, fates, turn=window.turn, note=failure, has_failed=True)
