"""Collect the evidence for a diagnosis: facts known from sizes, and findings that require reading every message."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated

from inspector.analysis.cache_loss import CacheLoss, cache_losses
from inspector.analysis.context_loss import LossHistory
from inspector.analysis.replay import RecordedNeeds
from inspector.analysis.usage_breakdown import ToolServer, tool_definitions, tool_servers
from inspector.core.conversation import MAIN, REMOVED, Message, Session, StatedSizes
from inspector.core.json_objects import json_object
from inspector.core.plain_values import PlainValues
from inspector.engine import work_state
from inspector.engine.facts import Regret
from inspector.engine.window import Fall, Timeline, Window, at_turn, compute_timeline
from inspector.formats import format_records
from inspector.library import EarlierSession, Workbench, find_earlier_session, kept_value, recorded_losses
from inspector.llm.models import limit_of, session_price
from inspector.llm.tokens import TokenCount, mark
from inspector.store import Store

_DIFFERS = 0.1
"""Share of the reported size from which the shown size differs from it."""
_DIFFERS_BY = 100
"""Minimum of that difference, in tokens."""
_LONG_LOG = 5_000
"""Number of messages from which a log is long."""


@json_object(keys="turn=regret.turn message=regret.message number is_lookup needs=regret.needs")
@dataclass(frozen=True, slots=True)
class LateNeed:
    """A reply that contains something which a recorded compaction had dropped."""

    regret: Regret
    is_lookup: Annotated[
        bool,
        "true if it read again what an earlier call had read; false if it states something that is not in the recorded"
        " context, so that the model had it from an unrecorded source",
    ]
    turn: int
    """First turn whose window contains the reply; one past the last is the current context."""
    number: Annotated[int, "of the reply in the log, from 1"]

    @property
    def lost_at(self) -> frozenset[int]:
        """Turns of the compactions that had dropped it."""
        return frozenset(need.lost_at for need in self.regret.needs)


@dataclass(frozen=True)
class Findings:
    """Results of reading every message of an agent."""

    lookups: tuple[LateNeed, ...] = ()
    """Replies that re-fetched lost facts, by turn."""
    uses: tuple[LateNeed, ...] = ()
    """Other replies that state facts which their recorded windows do not contain, by turn."""
    sealed: frozenset[int] = frozenset()
    """Turns of compactions with encrypted summaries, whose retained facts are unknown."""
    consequences: tuple[work_state.Consequence, ...] = ()
    """Later actions and statements that go against the state of the work before a compaction."""

    @property
    def needs(self) -> tuple[LateNeed, ...]:
        """Replies that re-fetched lost facts or, if no reply did, those that state facts from an unrecorded source."""
        return self.lookups or self.uses

    @property
    def turns(self) -> tuple[int, ...]:
        """Turns whose window contains such a reply for the first time, in ascending order."""
        return tuple(need.turn for need in self.needs)

    def at(self, turn: int) -> LateNeed | None:
        """Return the need whose reply is new in a turn's window; None for other turns."""
        return next((need for need in self.needs if need.turn == turn), None)

    def of(self, compaction: int) -> Findings:
        """Return the findings about one compaction, given its turn."""
        lookups, uses = (
            tuple(need for need in needs if compaction in need.lost_at) for needs in (self.lookups, self.uses)
        )
        followed = tuple(one for one in self.consequences if one.compaction == compaction)
        return Findings(lookups, uses, self.sealed & {compaction}, followed)


def look_back(bench: Workbench, agent: str = MAIN, cancelled: Callable[[], bool] = bool) -> Findings | None:
    """Find the replies that needed facts dropped by the recording's own compactions.

    Reads the whole log, which is slow.

    Args:
        bench: Session to examine.
        agent: Agent whose context is examined.
        cancelled: Called regularly; stops the search when it returns True.

    Returns:
        The findings, or None if the search was cancelled.

    Raises:
        OSError: If the recording can no longer be read.
    """
    compactions = set(compute_timeline(bench.session, bench.sizes, agent).compactions)
    if not compactions:
        return Findings()
    return kept_value(
        bench, "findings", agent, lambda: PlainValues(Findings), lambda: _find(bench, agent, compactions, cancelled)
    )


def _find(bench: Workbench, agent: str, compactions: Collection[int], cancelled: Callable[[], bool]) -> Findings | None:
    history = recorded_losses(bench, agent, cancelled)
    if history is None:
        return None
    sealed = frozenset(losses.turn for losses in history.compactions if losses.is_sealed)
    needs = [*_needs(bench.session, agent, history, compactions)]
    lookups, uses = (tuple(need for need in needs if need.is_lookup is kind) for kind in (True, False))
    followed = tuple(one for losses in history.compactions for one in losses.consequences)
    return Findings(lookups, uses, sealed, followed)


def _needs(session: Session, agent: str, history: LossHistory, compactions: Collection[int]) -> Iterator[LateNeed]:
    """Yield the needs that compactions caused, each with the turn whose window shows the reply."""
    replies = session.turns(agent)
    for regret, is_lookup in RecordedNeeds(session, agent, compactions).needs(history.regrets, len(replies)):
        position = replies[regret.turn - 1]
        later = _is_in_context(session, agent, position, regret.turn + 1)
        yield LateNeed(regret, is_lookup, regret.turn + later, position + 1)


def _is_in_context(session: Session, agent: str, position: int, turn: int) -> bool:
    """Return True if the context of a turn contains the message at a position. Linear in the messages after it."""
    end = session.context_end(turn, agent)
    while end > position and 0 <= session.messages[end].parent < end:
        end = session.messages[end].parent
    return end == position


def _times(turns: Sequence[int]) -> str:
    """Describe how often something happened, given the turns before which it did."""
    return f"{'once' if len(turns) == 1 else f'{len(turns):,} times, last'} before turn {turns[-1]:,}"


@dataclass(frozen=True, slots=True)
class Rewind:
    """A return of the user to an earlier message, or to an empty context, from which the conversation continued."""

    turn: int
    """First turn of the new branch."""
    back_to: int
    """Number in the log of the message that both branches follow; 0 for the beginning."""
    tip: int
    """Number of the last reply of the abandoned branch."""

    @property
    def words(self) -> str:
        """Clause about it."""
        if not self.back_to:
            return f"the context began again before turn {self.turn:,}, and left {self._branch}"
        return f"a rewind to message {self.back_to:,} before turn {self.turn:,} left {self._branch}"

    @property
    def _branch(self) -> str:
        first = self.back_to + 1
        if first >= self.tip:
            return f"the branch of message {self.tip:,}"
        return f"the branch of messages {first:,} to {self.tip:,}"


@dataclass(frozen=True)
class Overview:
    """Facts about an agent's context that do not require reading a message. Each is computed once, on demand."""

    bench: Workbench
    agent: str = MAIN
    store: Store | None = None
    """Store that may contain the session with which this one continues."""

    @cached_property
    def timeline(self) -> Timeline:
        return compute_timeline(self.bench.session, self.bench.sizes, self.agent)

    @cached_property
    def window(self) -> Window:
        """Current window."""
        return self.bench.window(None, self.agent)

    @cached_property
    def places(self) -> dict[str, int]:
        """Position of each message in the log, by id."""
        return {message.id: position for position, message in enumerate(self.bench.session.messages)}

    @cached_property
    def clearings(self) -> tuple[int, ...]:
        """Turns before which tool results were cleared from the context without a summary, in ascending order."""
        session, replies = self.bench.session, self.bench.session.turns(self.agent)
        cleared = (place for place, message in enumerate(session.messages) if self._is_cleared(message))
        return tuple(dict.fromkeys(bisect_left(replies, place) + 1 for place in cleared))

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Turns whose context lacks messages of the previous one, except compactions and clearings, ascending."""
        session, replies = self.bench.session, self.bench.session.turns(self.agent)
        ends = [session.messages[reply].parent for reply in replies] + [session.last_position(self.agent)]
        known = {*self.timeline.compactions, *self.clearings}
        pairs = enumerate(pairwise(ends), 2)
        return tuple(turn for turn, pair in pairs if turn not in known and not session.is_continued(*pair))

    @property
    def leavings(self) -> tuple[str, ...]:
        """Descriptions of content that was removed from the window without a summary, with its turns."""
        dropped = tuple(turn for turn in self.cuts if turn not in (*self.breaks, *(back.turn for back in self.rewinds)))
        kinds = (("older results were cleared from", self.clearings), ("messages were dropped from", dropped))
        words = (f"{what} its window {_times(turns)}" for what, turns in kinds if turns)
        return (
            *words,
            *(f"the API removed {tokens:,} tokens before turn {turn:,}" for turn, tokens in self.removals[-1:]),
        )

    @cached_property
    def removals(self) -> tuple[tuple[int, int], ...]:
        """Turns from whose request the API removed content, with the tokens that it reported, in ascending order."""
        messages, sums = self.bench.session.messages, Counter[int]()
        for turn, reply in enumerate(self.bench.session.turns(self.agent), 1):
            for event in messages[reply].events:
                if event.part == REMOVED and event.value.isdecimal():
                    sums[turn] += int(event.value)
        return tuple(sorted(sums.items()))

    @cached_property
    def breaks(self) -> tuple[int, ...]:
        """Turns before which the chain of messages is broken, so that no earlier message is in the context."""
        broken = {problem.message for problem in self.bench.session.problems if problem.message}
        return tuple(turn for turn in self.cuts if self._first_of(turn) in broken)

    @cached_property
    def rewinds(self) -> tuple[Rewind, ...]:
        """Returns of the user to an earlier message, by turn, in a format that records branches."""
        session = self.bench.session
        rows = []
        for turn in self.cuts if format_records(session, "branches") else ():
            last, path = session.turns(self.agent)[turn - 2], session.path_to(session.context_end(turn, self.agent))
            fresh = [place for place in path if place > last]
            first = session.messages[fresh[0]] if fresh and turn not in self.breaks else None
            if first is not None and session.original_of(first) is first:
                rows.append(Rewind(turn, first.parent + 1, last + 1))
        return tuple(rows)

    def _first_of(self, turn: int) -> str:
        """Return the id of the first message of the context of a turn."""
        session = self.bench.session
        path = session.path_to(session.context_end(turn, self.agent))
        return session.messages[path[0]].id if path else ""

    @property
    def compacted_before(self) -> int:
        """Tokens that the compaction before the first reply replaced; 0 if there was none, or if unknown."""
        session = self.bench.session
        if session.sizes and session.sizes.compacted:
            return session.sizes.compacted
        if stated := self.timeline.stated.get(1, StatedSizes()).before:
            return stated
        first = next((session.messages[place] for place in session.compactions), None)
        return first.usage.input if first and first.usage and self.timeline.compactions[:1] == (1,) else 0

    @cached_property
    def earlier(self) -> EarlierSession | None:
        """Session that contains what the compaction dropped with which this one begins; None if it was not found."""
        return find_earlier_session(self.bench.session, self.store) if self.begins_compacted else None

    @property
    def begins_compacted(self) -> bool:
        """True if the session begins with a compaction, so that the file does not contain what it dropped."""
        session = self.bench.session
        own = [place for place, message in enumerate(session.messages) if message.agent == self.agent]
        first = next((place for place in own if session.messages[place].kind == "summary"), -1)
        is_whole = session.path_to(first) == own[: bisect_right(own, first)]
        return self.timeline.compactions[:1] == (1,) and is_whole

    def _is_cleared(self, message: Message) -> bool:
        """Return True if a message repeats an earlier tool result with less text."""
        original = self.bench.session.by_id.get(message.id.rpartition("#")[0])
        if original is None or message.agent != self.agent or message.answers in ("", None):
            return False
        return original.answers == message.answers and original.chars > message.chars and not original.images

    @cached_property
    def servers(self) -> tuple[ToolServer, ...]:
        """MCP servers whose tool definitions are recorded, largest first."""
        return tool_servers(tool_definitions(self.window, self.bench.session))

    @cached_property
    def records_compactions(self) -> bool:
        """True if the file would contain a record of each compaction."""
        return format_records(self.bench.session, "compactions")

    @property
    def falls(self) -> tuple[Fall, ...]:
        """Unexplained falls of the reported size, by turn."""
        return self.timeline.falls

    @property
    def difference(self) -> tuple[int, int] | None:
        """Shown and reported size of the last reported window, if they differ by more than a tenth."""
        sizes = zip(self.timeline.totals, self.timeline.reported, strict=False)
        pair = next((pair for pair in reversed([*sizes]) if pair[1]), (0, 0))
        differs = abs(pair[0] - pair[1]) > max(_DIFFERS_BY, _DIFFERS * pair[1])
        return pair if differs and self.is_counted else None

    @cached_property
    def unrecorded_share(self) -> float:
        """Unrecorded share of the window after the last compaction; 0 without compactions."""
        if not self.timeline.compactions:
            return 0.0
        window = at_turn(self.bench.session, self.bench.sizes, self.timeline.compactions[-1], self.agent)
        is_unrecorded = not window.context.records_system and window.total
        return min(1.0, window.unrecorded / window.total) if is_unrecorded else 0.0

    @cached_property
    def cache_losses(self) -> tuple[CacheLoss, ...]:
        """Calls that the prompt cache no longer served; none if the recording or the user's prices are unreadable."""
        try:
            return cache_losses(self.bench.session, session_price(self.bench.session), self.agent)
        except (OSError, ValueError):
            return ()

    @property
    def limit(self) -> int:
        """Context window in tokens: the user's setting, or else the model's."""
        return self.bench.limit or self.bench.sizes.limit

    @cached_property
    def is_limit_known(self) -> bool:
        """True if the limit is more than a default for an unlisted model."""
        session = self.bench.session
        is_set = self.bench.limit or (session.sizes and session.sizes.limit)
        return bool(is_set) or limit_of(session.model).source != "default"

    @cached_property
    def too_large(self) -> tuple[int, ...]:
        """Turns whose window exceeds the limit, in ascending order; empty until everything is counted."""
        if not self.is_counted:
            return ()
        totals, limit_at = self.timeline.totals, self.bench.limit_at
        return tuple(turn for turn, tokens in enumerate(totals, 1) if tokens > limit_at(turn, self.agent) > 0)

    @property
    def is_long(self) -> bool:
        """True if reading every message is too slow to be started automatically."""
        return len(self.bench.session.messages) > _LONG_LOG

    @property
    def is_counted(self) -> bool:
        """True if all counts are final."""
        return not (self.bench.partial or self.bench.sizes.is_partial)

    def total(self, count: int) -> str:
        """Return the tokens of a whole window as text, marked if it contains an estimate."""
        return str(TokenCount(count, self.timeline.certainty))

    def tokens(self, count: int) -> str:
        """Return a number of tokens as text, marked if it is an estimate."""
        sizes = self.bench.sizes
        return f"{mark(sizes.certainty) or mark(sizes.tools_certainty)}{count:,}"
