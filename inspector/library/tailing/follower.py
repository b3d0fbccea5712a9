"""Follow a conversation while another program continues it: its window, its sizes and its new messages.

The cost is proportional to the new content. Sizes are fitted to the provider's reported usage when that is cheap
compared with the new content, and otherwise from time to time, so they change at once and settle soon afterwards.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Message, Part, Problem, Session
from inspector.core.text import plural
from inspector.engine.window import GrowingTimeline, SizeChange, Timeline, Window, at_turn
from inspector.library import Workbench
from inspector.library.tailing.file_tail import Sign, sign_of
from inspector.library.tailing.live_sources import LiveSource, LogGrowth
from inspector.llm.tokens import Sizes, count_parts, count_sizes, counter_for, digest
from inspector.store import Store

POLL = 0.25
"""Seconds between two polls of a source."""
_LOOKS = 4
"""One of so many looks for news searches for new files of the source."""
_SHORT = 500
"""Number of messages up to which a log is fitted whenever it grows."""
_PART = 10
"""A longer log is fitted again when it has grown by one message in this many."""
_SHARE = 20
"""It is also fitted when idle, after this many times the duration of the last fit."""
_BATCH = 1_000_000
"""Number of characters counted between two polls."""
_LOOKED_UP = 20
"""Number of uncounted messages above which their counts are looked up in the store. New ones are not there."""
_MESSAGE_CHARS = 200
"""Additional cost of a message in characters, apart from its text."""
_MAX_FRESH = 500
"""Maximum number of new messages that are reported individually, the newest ones."""
_CALL_LOOKBACK = 500
"""Number of earlier messages that are searched for the calls of new results."""


@dataclass(frozen=True, slots=True)
class FreshMessage:
    """A new message."""

    number: int
    """Position of the message in the log, from 1."""
    message: Message
    tokens: int
    total: int
    """Tokens of its agent's window up to and including it."""
    again: bool
    """True if it was reported before and has changed since."""
    actions: Actions
    """Calls that it can answer."""
    words: str | None = None
    """Text without secrets, which replaces that of the message."""

    @property
    def says(self) -> str:
        """Its action or its first words, as one line. Read when asked for, because few of many lines are shown."""
        return row_words(self.message, self.actions) if self.words is None else self.words


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """One of the recording's own compactions."""

    turn: int
    """Turn of the first request after it."""
    sizes: SizeChange
    time: str
    """Recorded time of its summary; "" if unknown."""
    message: str
    """Id of its summary; "" if it has none."""
    number: int = 0
    """Position of its summary in the log, from 1; 0 if it has none."""


@dataclass(frozen=True, eq=False)
class Moment:
    """State of a followed session at one moment."""

    session: Session
    sizes: Sizes
    agent: str
    window: Window
    """Current context."""
    timeline: Timeline
    limit: int = 0
    """Context window given to the follower, in tokens; 0 for the model's."""
    fresh: tuple[FreshMessage, ...] = ()
    """Messages since the previous moment, oldest first."""
    compactions: tuple[RecordedCompaction, ...] = ()
    """Compactions since the previous moment."""
    damage: tuple[Problem, ...] = ()
    """Parts that could not be read since the previous moment, or all of them at the beginning."""
    begins: bool = False
    """True if this is the first moment, or if another recording has replaced the previous one."""
    settles: bool = False
    """True if all messages are counted now and some were estimated at the previous moment."""
    same: int = 0
    """Number of messages at the start of the log that are unchanged.

    Later messages of the previous moment no longer exist, unless they are among the fresh ones.
    """
    before: int = 0
    """Number of messages in the log at the previous moment; 0 at the beginning."""

    @cached_property
    def bench(self) -> Workbench:
        """Workbench with the session in its current state."""
        return Workbench(self.session, self.sizes, limit=self.limit)

    @property
    def is_cut(self) -> bool:
        """True if the log has fewer messages than at the previous moment."""
        return len(self.session.messages) < self.before

    @property
    def cut_words(self) -> str:
        """Sentence about a log that was truncated."""
        count = len(self.session.messages)
        return f"The log became shorter: it had {plural(self.before, 'message')} and now has {count:,}."

    @property
    def turns(self) -> int:
        """Number of replies so far."""
        return len(self.session.turns(self.agent))

    def recorded_compactions(self) -> tuple[RecordedCompaction, ...]:
        """Return all compactions of the agent, oldest first."""
        return tuple([_compaction(self.session, self.timeline, self.agent, turn) for turn in self.timeline.compactions])

    def latest_compaction(self) -> RecordedCompaction | None:
        turns = self.timeline.compactions
        return _compaction(self.session, self.timeline, self.agent, turns[-1]) if turns else None


def _compaction(session: Session, timeline: Timeline, agent: str, turn: int) -> RecordedCompaction:
    """Return the compaction before a turn."""
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
    """Return the position of the newest summary before a turn of an agent; -1 if no summary exists."""
    replies = session.turns(agent)
    end = replies[turn - 1] if turn <= len(replies) else len(session.messages)
    places = (place for place in reversed(session.compactions) if place < end)
    return next((place for place in places if session.messages[place].agent == agent), -1)


class Follower:
    """Follows a source by repeated calls of `poll`. Not thread-safe."""

    def __init__(self, source: LiveSource, limit: int = 0, store: Store | None = None) -> None:
        """Start before the first poll.

        Args:
            source: Source of the log.
            limit: Context window in tokens that overrides the model's own; 0 keeps it.
            store: Store with counts of messages; None to count all.
        """
        self.source = source
        self._limit = limit
        self._store = store
        self._moment: Moment | None = None
        self._counts: list[int | None] = []
        """Raw tokens of every message in the log; None for messages that are not counted yet."""
        self._uncounted = 0
        self._timeline = GrowingTimeline()
        self._fitted = 0
        """Number of messages in the log when the sizes were last fitted."""
        self._fit_after = 0.0
        self._files: Sequence[Path] = ()
        self._signs: list[Sign | None] = []
        """The source's files, and their signatures before the last poll."""
        self._looks = 0
        self._is_quiet = False
        """True if two polls in a row found nothing in the same files; the first can leave a last line for the second.
        """

    @property
    def is_busy(self) -> bool:
        """True if there is more work, so that the next poll should follow immediately."""
        return self.source.has_more or self._uncounted > 0

    def may_have_news(self) -> bool:
        """Return False if a poll would find nothing, which the times and sizes of the source's files tell."""
        is_fit_due = self._fitted < len(self._counts) and time.monotonic() >= self._fit_after
        if self.is_busy or is_fit_due or not self._is_quiet:
            return True
        self._looks += 1
        if self._looks % _LOOKS == 0:
            self._files = self.source.files()
        return self._signs != [*map(sign_of, self._files)]

    def poll(self) -> Moment | None:
        """Return the new state; None if nothing has changed.

        Raises:
            OSError: If the source can no longer be read.
            StoreError: If the store cannot be read.
            TableError: If the rank table of the model's tokenizer cannot be read.
        """
        self._files = self.source.files()
        signs = [*map(sign_of, self._files)]
        moment, growth = self._moment, self.source.poll()
        is_same = growth is None and not self.source.is_waiting and bool(signs) and signs == self._signs
        self._signs, self._is_quiet = signs, is_same
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
        """Count uncounted messages, newest first, as many as fit between two polls."""
        counter, work, place = counter_for(session.model), 0, len(self._counts)
        waiting: list[tuple[int, Message, Sequence[Part]]] = []
        while len(waiting) < self._uncounted and work < _BATCH and place > 0:
            place -= 1
            if self._counts[place] is None:
                message = session.messages[place]
                waiting.append((place, message, message.parts))
                work += message.chars + _MESSAGE_CHARS
        if self._store and len(waiting) > _LOOKED_UP:
            keys = [digest(message, parts) for _, message, parts in waiting]
            known = self._store.counts(keys, counter.name)
            for (place, _, _), key in zip(waiting, keys, strict=True):
                self._counts[place] = known.get(key)
        for place, message, parts in waiting:
            if self._counts[place] is None:
                self._counts[place] = count_parts(parts, message.role, message.name, message.dialect, counter)
        self._uncounted -= len(waiting)

    def _is_to_be_fitted(self, before: Moment, session: Session, same: int) -> bool:
        """Return True if fitting the sizes is necessary, or cheap compared with the new content."""
        length, fresh = len(session.messages), session.messages[same:]
        return (
            length <= _SHORT
            or length - min(self._fitted, same) >= length // _PART
            or (session.model, session.tools) != (before.session.model, before.session.tools)
            or any(message.kind == "summary" for message in fresh)
            or any(message.usage.input > before.sizes.limit for message in fresh if message.usage)
        )

    def _refit(self, session: Session) -> Moment:
        """Fit the sizes to the reported usage, at a cost proportional to the whole log."""
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
        """Return a moment with the changes since the previous one; the first moment gets the newest messages."""
        session = moment.session
        earlier = {message.id for message in before.session.messages[same:]} if before else frozenset[str]()
        first = max(same, len(session.messages) - _MAX_FRESH)
        actions = Actions(session.messages[max(0, first - _CALL_LOOKBACK) :])
        fresh = [
            FreshMessage(
                place + 1,
                session.messages[place],
                moment.sizes.tokens[place],
                self._timeline.total_at(moment.sizes, place),
                session.messages[place].id in earlier,
                actions,
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
    """Return the compactions since the previous moment, given the number of unchanged messages in its log."""
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
