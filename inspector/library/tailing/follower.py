"""A conversation while another program goes on with it: its window, its sizes and what has just come.

What comes in costs what came in. The numbers are fitted to what the provider reports whenever that is cheap beside what
came, and else now and then; so they move at once, and settle soon after.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Message, Problem, Session
from inspector.core.text import plural
from inspector.engine.window import GrowingTimeline, SizeChange, Timeline, Window, at_turn
from inspector.library import Workbench
from inspector.library.tailing.live_sources import LiveSource, LogGrowth
from inspector.llm.tokens import Sizes, count_message, count_sizes, counter_for

POLL = 0.25
"""Seconds between two looks at a source."""
_SHORT = 500
"""Messages of a log that is fitted anew whenever it grows."""
_PART = 10
"""A longer one is fitted again when it has grown by one in so many."""
_SHARE = 20
"""Or when nothing comes, and so many times as long has passed as it took the last time."""
_BATCH = 1_000_000
"""Characters that are counted between two looks."""
_MESSAGE_CHARS = 200
"""What a message costs beside its text, in characters."""
_MAX_FRESH = 500
"""Messages that are told one by one, the newest, where more come at once."""
_CALL_LOOKBACK = 500
"""Messages before these among which their calls are looked for."""


@dataclass(frozen=True, slots=True)
class FreshMessage:
    """A message that has come."""

    number: int
    """In the log, from 1."""
    message: Message
    tokens: int
    total: int
    """Tokens of its agent's window up to it."""
    says: str
    """What it did, or its first words, on one line."""
    again: bool
    """Whether it has come before, and says more or something else now."""


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """A compaction that the recording itself made: the windows before and after it."""

    turn: int
    """The first that was sent after it."""
    sizes: SizeChange
    time: str
    """When its summary was written, as it was recorded; "" where it was not."""
    message: str
    """The id of its summary; "" where there is none."""
    number: int = 0
    """Of its summary in the log, from 1; 0 where there is none."""


@dataclass(frozen=True, eq=False)
class Moment:
    """Everything there is to show of a session that is followed, at one moment."""

    session: Session
    sizes: Sizes
    agent: str
    window: Window
    """The context as it now stands."""
    timeline: Timeline
    limit: int = 0
    """As the follower was told; 0 for that of the model."""
    fresh: tuple[FreshMessage, ...] = ()
    """What has come since the moment before, oldest first."""
    compactions: tuple[RecordedCompaction, ...] = ()
    """Those that have come since the moment before."""
    damage: tuple[Problem, ...] = ()
    """What could not be read of what came since the moment before, or of all where it begins."""
    begins: bool = False
    """Whether this is the first moment, or another recording stands in the place of the one before."""
    settles: bool = False
    """Whether all messages are counted now, where some were estimated by their lengths at the moment before."""
    same: int = 0
    """How many messages of the log, from the first, are those of the moment before: what had come behind them is gone
    where it is not among the fresh ones."""
    before: int = 0
    """How many messages the log had at the moment before; 0 where it begins."""

    @cached_property
    def bench(self) -> Workbench:
        """The session as it stands, for whatever looks at an opened one."""
        return Workbench(self.session, self.sizes, limit=self.limit)

    @property
    def is_cut(self) -> bool:
        """Whether the log has fewer messages than at the moment before."""
        return len(self.session.messages) < self.before

    @property
    def cut_words(self) -> str:
        """What became of a log that was cut, in a sentence."""
        count = len(self.session.messages)
        return f"The log was cut: it had {plural(self.before, 'message')}, and has {count:,}."

    @property
    def turns(self) -> int:
        """Replies so far."""
        return len(self.session.turns(self.agent))

    def latest_compaction(self) -> RecordedCompaction | None:
        turns = self.timeline.compactions
        return _compaction(self.session, self.timeline, self.agent, turns[-1]) if turns else None


def _compaction(session: Session, timeline: Timeline, agent: str, turn: int) -> RecordedCompaction:
    """The compaction before a turn."""
    place = _summary_before(session, agent, turn)
    summary = session.messages[place] if place >= 0 else None
    return RecordedCompaction(
        turn,
        timeline.change(turn),
        summary.time if summary else "",
        summary.id if summary else "",
        place + 1,
    )


def _summary_before(session: Session, agent: str, turn: int) -> int:
    """The position of the newest summary before a turn of an agent; -1 for none."""
    replies = session.turns(agent)
    end = replies[turn - 1] if turn <= len(replies) else len(session.messages)
    places = (place for place in reversed(session.compactions) if place < end)
    return next((place for place in places if session.messages[place].agent == agent), -1)


class Follower:
    """Looks at a source again and again, whenever `poll` is called. Not for several threads at once."""

    def __init__(self, source: LiveSource, limit: int = 0) -> None:
        """`limit` overrides the context window of the model when it is not 0; in tokens."""
        self.source = source
        self._limit = limit
        self._moment: Moment | None = None
        self._counts: list[int | None] = []
        """Raw tokens of every message of the log; None for those that are not counted yet."""
        self._uncounted = 0
        self._timeline = GrowingTimeline()
        self._fitted = 0
        """Messages of the log when the numbers were last fitted."""
        self._fit_after = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether there is more to be done at once, so that the next look need not wait."""
        return self.source.has_more or self._uncounted > 0

    def poll(self) -> Moment | None:
        """What there is to show now; None where nothing is new. Raises OSError, StoreError and TableError."""
        moment, growth = self._moment, self.source.poll()
        if growth is not None and not (moment is None and self.source.has_more):
            self._moment = self._grow(growth)
        elif moment is None:
            return None
        elif self._uncounted:
            self._count(moment.session)
            if self._uncounted:
                return None
            self._moment = replace(self._refit(moment.session), settles=moment.sizes.is_partial)
        elif self._fitted < len(self._counts) and time.monotonic() >= self._fit_after:
            self._moment = self._refit(moment.session)
        else:
            return None
        return self._moment

    def _grow(self, growth: LogGrowth) -> Moment:
        session, before = growth.session, self._moment
        same = 0 if growth.begins or before is None else growth.same
        self._counts[same:] = [None] * (len(session.messages) - same)
        self._uncounted = self._counts.count(None)
        self._count(session)
        if before is None or not same or self._is_to_be_fitted(before, session, same):
            moment = self._refit(session)
        else:
            sizes = before.sizes.grown(session, same, self._counts[same:])
            moment = self._moment_of(session, sizes, same)
        return self._with_news(moment, before if same else None, same)

    def _count(self, session: Session) -> None:
        """Count what is not counted yet, the newest first, as far as that goes between two looks."""
        counter, work, place = counter_for(session.model), 0, len(self._counts)
        while self._uncounted and work < _BATCH and place > 0:
            place -= 1
            if self._counts[place] is None:
                message = session.messages[place]
                self._counts[place] = count_message(message, counter)
                self._uncounted -= 1
                work += message.chars + _MESSAGE_CHARS

    def _is_to_be_fitted(self, before: Moment, session: Session, same: int) -> bool:
        """Whether it is cheap beside what came, or needed, to fit the numbers to what was reported."""
        length, fresh = len(session.messages), session.messages[same:]
        return (
            length <= _SHORT
            or length - min(self._fitted, same) >= length // _PART
            or (session.model, session.tools) != (before.session.model, before.session.tools)
            or any(message.kind == "summary" for message in fresh)
            or any(message.usage.input > before.sizes.limit for message in fresh if message.usage)
        )

    def _refit(self, session: Session) -> Moment:
        """Fit the numbers to what was reported: that costs the whole log."""
        start = time.monotonic()
        sizes = count_sizes(session, self._counts, counter_for(session.model))
        self._timeline = GrowingTimeline(session.agents[0])
        moment = self._moment_of(session, sizes, 0)
        self._fitted = len(self._counts)
        self._fit_after = time.monotonic() + _SHARE * (time.monotonic() - start)
        return moment

    def _moment_of(self, session: Session, sizes: Sizes, same: int) -> Moment:
        timeline = self._timeline.feed(session, sizes, same)
        agent = self._timeline.agent
        self._fitted = min(self._fitted, same)
        window = at_turn(session, sizes, None, agent, self._limit)
        count = len(session.messages)
        return Moment(session, sizes, agent, window, timeline, self._limit, same=count, before=count)

    def _with_news(self, moment: Moment, before: Moment | None, same: int) -> Moment:
        """A moment with what is new since the one before; with the newest messages where there was none."""
        session = moment.session
        earlier = {message.id for message in before.session.messages[same:]} if before else frozenset[str]()
        first = max(same, len(session.messages) - _MAX_FRESH)
        actions = Actions(session.messages[max(0, first - _CALL_LOOKBACK) :])
        fresh = [
            FreshMessage(
                place + 1,
                session.messages[place],
                moment.sizes.tokens[place],
                self._timeline.total_at(session, moment.sizes, place),
                row_words(session.messages[place], actions),
                session.messages[place].id in earlier,
            )
            for place in range(first, len(session.messages))
        ]
        compactions = _fresh_compactions(moment, before, same) if before else ()
        count = len(before.session.messages) if before else 0
        known = frozenset(before.session.problems) if before else frozenset[Problem]()
        return replace(
            moment,
            damage=tuple([problem for problem in session.problems if problem not in known]),
            fresh=tuple(fresh),
            compactions=compactions,
            begins=before is None,
            settles=before is not None and before.sizes.is_partial and not moment.sizes.is_partial,
            same=same,
            before=count,
        )


def _fresh_compactions(moment: Moment, before: Moment, same: int) -> tuple[RecordedCompaction, ...]:
    """The compactions that were not there at the moment before, of whose log `same` messages are as they were."""
    settled = bisect_left(moment.session.turns(moment.agent), same)
    known, compactions = (
        {
            (turn, compaction.message): compaction
            for turn in one.timeline.compactions[bisect_right(one.timeline.compactions, settled) :]
            for compaction in [_compaction(one.session, one.timeline, one.agent, turn)]
        }
        for one in (before, moment)
    )
    return tuple([compaction for name, compaction in compactions.items() if name not in known])
