"""The sizes of an agent's windows from turn to turn, which can be extended incrementally as the log grows.

Also contains the compactions and the unexplained falls of the reported size among them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from inspector.core.conversation import MAIN, StatedSizes, stated_sizes
from inspector.core.json_objects import Tokens, json_object
from inspector.engine.window.sections import REPLY_PRIMER
from inspector.llm.tokens import Certainty, TokenCount

if TYPE_CHECKING:
    from inspector.core.conversation import Session
    from inspector.llm.tokens import Sizes


_DIFFERS = 0.1
"""Share from which a size that a compaction states replaces the one reported for the call before it."""


@json_object(keys="before=tokens_before after=after.tokens before_how=certainty_before after_how=certainty_after")
@dataclass(frozen=True, slots=True)
class SizeChange:
    """Window sizes before and after a change."""

    before: TokenCount
    after: TokenCount

    @property
    def tokens_before(self) -> Annotated[Tokens, "of the window of the turn before; 0 before the first"]:
        return self.before.tokens

    @property
    def certainty_before(self) -> Annotated[Certainty, "how the number is known"]:
        return self.before.certainty

    @property
    def certainty_after(self) -> Annotated[Certainty, "the same"]:
        return self.after.certainty

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def grew(self) -> bool:
        return self.after.tokens > self.before.tokens


@json_object(keys="turn before after")
@dataclass(frozen=True, slots=True)
class Fall:
    """Fall of the reported size although no recorded message was dropped."""

    turn: Annotated[int, "the first after it"]
    before: Annotated[Tokens, "reported for the call before"]
    after: Annotated[Tokens, "reported for the first call after it"]

    @property
    def words(self) -> str:
        """Clause about it."""
        sizes = f"{self.before:,} to {self.after:,}"
        return f"the reported size fell from {sizes} before turn {self.turn:,}; the file does not say why"


def falls_of(session: Session, sizes: Sizes, agent: str = MAIN) -> tuple[Fall, ...]:
    """Return the unexplained falls of the reported size of an agent's requests, by turn.

    Args:
        session: Recorded session.
        sizes: Token counts of its messages.
        agent: Agent whose requests are compared.
    """
    turns = {position: turn for turn, position in enumerate(session.turns(agent), 1)} if sizes.falls else {}
    return tuple([Fall(turns[one.position], one.before, one.after) for one in sizes.falls if one.position in turns])


@dataclass(frozen=True, slots=True)
class Timeline:
    """Window sizes with one entry per turn. The last entry is the current context."""

    totals: tuple[int, ...]
    """Tokens of the window at each turn."""
    compactions: tuple[int, ...]
    """Turns (1-based) whose context is the first after a recorded compaction."""
    reported: tuple[int, ...] = ()
    """Input tokens reported by the provider for each turn; 0 if not reported."""
    certainty: Certainty = "estimated"
    """Certainty of `totals`."""
    falls: tuple[Fall, ...] = ()
    """Unexplained falls of the reported size, by turn."""
    stated: Mapping[int, StatedSizes] = field(default_factory=dict)
    """Sizes that the records of compactions state, by the turn of `compactions`."""

    @property
    def peak(self) -> int:
        return max(self.totals, default=0)

    def size(self, turn: int) -> TokenCount:
        """Return the window size at a turn (1-based): the reported size if there is one, otherwise the counted one."""
        reported = self.reported[turn - 1] if turn <= len(self.reported) else 0
        return TokenCount(reported, "reported") if reported else TokenCount(self.totals[turn - 1], self.certainty)

    def change(self, turn: int) -> SizeChange:
        """Return the window sizes at the previous turn and at this one (1-based). Before turn 1 the size is 0.

        At a compaction, the sizes that its record states are used where the calls around it report none. The size
        before is also used if it differs from that of the last call: much was added after the call.
        """
        before, after = self.size(turn - 1) if turn > 1 else TokenCount(0, "exact"), self.size(turn)
        stated = self.stated.get(turn, StatedSizes())
        is_near = before.certainty == "reported" and abs(stated.before - before.tokens) <= _DIFFERS * stated.before
        if stated.before and turn > 1 and not is_near:
            before = TokenCount(stated.before, "reported")
        if stated.after and after.certainty != "reported":
            after = TokenCount(stated.after, "reported")
        return SizeChange(before, after)


def compute_timeline(session: Session, sizes: Sizes, agent: str = MAIN) -> Timeline:
    """Return the window sizes of all turns in one pass over the log.

    Args:
        session: The recorded session.
        sizes: Token counts of the session's messages.
        agent: Name of the agent whose windows are measured.
    """
    return GrowingTimeline(agent).feed(session, sizes)


class GrowingTimeline:
    """Timeline of a growing log. Each update costs time proportional to the new messages."""

    def __init__(self, agent: str = MAIN) -> None:
        self.agent = agent
        self._totals_to: list[int] = []
        """Tokens of the context that ends at each position of the log."""
        self._summaries: list[int] = []
        """Position of the newest summary in the context that ends at each position of the log, or -1."""
        self._totals: list[int] = []
        """Tokens of the window that each reply answers."""
        self._reported: list[int] = []
        """Input tokens that the provider reported for each reply."""
        self._compactions: list[int] = []
        self._stated: dict[int, StatedSizes] = {}
        """Sizes that the records of compactions state, by turn."""
        self._own: list[int] = []
        """Positions of the agent's messages."""
        self._runs: list[int] = []
        """For each position, the start of its run: consecutive messages of the agent, each the child of the one before.
        """

    def feed(self, session: Session, sizes: Sizes, same: int = 0) -> Timeline:
        """Update with a log that grew or changed at its end, and return its timeline.

        Args:
            session: The recorded session as it is now.
            sizes: Token counts of the session's messages.
            same: Number of messages at the start of the log that are unchanged, including sizes, since the previous
                call.
        """
        self._measure(session, sizes, same)
        replies = session.turns(self.agent)
        known = min(bisect_left(replies, same), len(self._totals))
        del self._totals[known:], self._reported[known:]
        while self._compactions and self._compactions[-1] > known:
            self._stated.pop(self._compactions.pop(), None)
        last = replies[known - 1] if known else -1
        for turn, position in enumerate(replies[known:], known + 1):
            reply = session.messages[position]
            self._totals.append(self._total(sizes, reply.parent, sizes.unrecorded_before(reply)))
            self._reported.append(max(0, reply.usage.input) if reply.usage else 0)
            if self._is_compacted(session, reply.parent, last):
                self._compactions.append(turn)
                self._stated[turn] = stated_sizes(session, self._summaries[reply.parent])
            last = position
        end = session.last_position(self.agent)
        now = self._total(sizes, end, sizes.unrecorded_at(end))
        newest = (len(replies) + 1,) if self._is_compacted(session, end, last) else ()
        compactions = (*self._compactions, *newest)
        stated = self._stated | {turn: stated_sizes(session, self._summaries[end]) for turn in newest}
        return Timeline(
            (*self._totals, now),
            compactions,
            tuple(self._reported),
            sizes.window_certainty,
            falls_of(session, sizes, self.agent),
            stated,
        )

    def total_at(self, sizes: Sizes, position: int) -> int:
        """Return the tokens of the window that ends at a position of the log passed to the last `feed`.

        Args:
            sizes: The token counts passed to the last `feed`.
            position: Position of the window's last message.
        """
        return self._total(sizes, position, sizes.unrecorded_at(position))

    def _measure(self, session: Session, sizes: Sizes, same: int) -> None:
        """Compute the tokens of every context from the message at position `same` on."""
        totals, summaries, own_places = self._totals_to, self._summaries, self._own
        del totals[same:], summaries[same:], self._runs[same:], own_places[bisect_left(own_places, same) :]
        for position in range(same, len(session.messages)):
            message = session.messages[position]
            own = 0 if message.kind == "notice" else sizes.tokens[position]
            before, newest = (0, -1) if message.parent < 0 else (totals[message.parent], summaries[message.parent])
            totals.append(before + own)
            summaries.append(position if message.kind == "summary" else newest)
            follows = bool(own_places) and message.agent == self.agent and message.parent == own_places[-1]
            self._runs.append(self._runs[message.parent] if follows else position)
            if message.agent == self.agent:
                own_places.append(position)

    def _is_compacted(self, session: Session, end: int, last: int) -> bool:
        """Return True if the context that ends at a position was compacted since the last reply.

        It must contain a summary written since that reply, and lack the reply or something of its context. The first
        context of an agent only has to contain a summary.
        """
        newest, messages = self._summaries[end] if end >= 0 else -1, session.messages
        if newest <= last:
            return False
        if last < 0:
            return True
        before, place = last, newest
        while before >= 0 and messages[before].kind == "notice":
            before = messages[before].parent
        while place > before and self._runs[place] > before:
            place = messages[self._runs[place]].parent
        return place < before

    def _total(self, sizes: Sizes, end: int, unrecorded: int) -> int:
        """Return the tokens of the window that ends at a position."""
        own = self._totals_to[end] if end >= 0 else 0
        return (max(0, own - sizes.removed_at(end)) + REPLY_PRIMER if own else 0) + sizes.tools + unrecorded
