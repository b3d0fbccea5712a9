"""The state of the work at any turn of a session, and at its compactions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.work_state.state_fold import advance, fold, recorded
from inspector.engine.work_state.state_items import WorkState


@dataclass(frozen=True)
class Transition:
    """A compaction: the state before it, the new context, and the messages that follow."""

    summary: Message
    position: int
    """Position of the summary in the log, from 0."""
    turn: int
    """The first turn after it."""
    before: WorkState
    kept: tuple[Message, ...]
    """Other messages of the new context before the first reply: kept ones, and what the tool attached again."""
    after: tuple[Message, ...]
    """Messages after it, until the next compaction. Copies of earlier messages are not among them."""
    replaced: tuple[Message, ...]
    """The context that was replaced, oldest first."""

    @cached_property
    def kept_ids(self) -> frozenset[str]:
        """Ids of the other messages of the new context, without the numbers of their parts."""
        return frozenset(message.id.rpartition("#")[0] or message.id for message in self.kept)


_STRIDE = 64
"""Messages between two states that are kept."""


@dataclass
class WorkHistory:
    """States of the work of one agent. States at the starts of contexts, and at some messages, are computed once."""

    session: Session
    agent: str = MAIN
    start: WorkState = field(default_factory=WorkState)
    """State before the first message, if the session is the end of a longer one."""
    _bases: dict[int, WorkState] = field(default_factory=dict)
    _marks: dict[int, WorkState] = field(default_factory=dict)
    """States after every 64th message of a path, by its position in the log."""

    def continued(self, session: Session, agent: str) -> WorkHistory:
        """Return the history of another version of the session, with the known states if it only adds messages.

        Args:
            session: Session as it is recorded now.
            agent: Agent whose work it is.
        """
        old, new = self.session.messages, session.messages
        goes_on = agent == self.agent and 0 < len(old) <= len(new) and new[len(old) - 1] is old[-1]
        known = (self._bases, self._marks) if goes_on else ({}, {})
        return WorkHistory(session, agent, self.start, *known)

    def at_turn(self, turn: int | None = None) -> WorkState:
        """Return the state before the reply of a turn, or after the last message.

        Args:
            turn: 1-based turn; None, or one more than the number of turns, for the newest state.

        Raises:
            OSError: If the recording can no longer be read.
        """
        return self.at(self._end_of(turn))

    def is_known(self, turn: int | None = None) -> bool:
        """Return True if the state at a turn follows from a known one by at most 64 messages."""
        place = self._end_of(turn)
        for _ in range(_STRIDE):
            if place < 0 or place in self._marks:
                return True
            if place in self._compactions:
                return place in self._bases
            place = self.session.messages[place].parent
        return False

    def _end_of(self, turn: int | None) -> int:
        """Return the position of the last message before the reply of a turn; None for the newest state."""
        turns = len(self.session.turns(self.agent))
        return self.session.context_end(turns + 1 if turn is None else turn, self.agent)

    def at(self, position: int) -> WorkState:
        """Return the state after the message at a position of the log, on its branch."""
        path = self.session.path_to(position, self._marks)
        known = self.session.messages[path[0]].parent if path else position
        state = self._marks[known] if known in self._marks else self._base_of(path)
        for start in range(0, len(path), _STRIDE):
            part = path[start : start + _STRIDE]
            state = fold(self._fresh(part), state)
            if len(part) == _STRIDE:
                self._marks[part[-1]] = state
        return state

    def transitions(self) -> Iterator[Transition]:
        """Yield the agent's compactions, oldest first. Raises OSError if the recording can no longer be read."""
        session = self.session
        places = [place for place in session.compactions if session.messages[place].agent == self.agent]
        for number, place in enumerate(places):
            end = places[number + 1] if number + 1 < len(places) else len(session.messages)
            before = session.context_before(place)
            if number + 1 < len(places):
                last = session.context_before(end)
                end = last[-1] + 1 if last and last[-1] > place else end
            after = [at for at in range(place + 1, end) if session.messages[at].agent == self.agent]
            yield Transition(
                session.messages[place],
                place,
                bisect_left(session.turns(self.agent), place) + 1 + self.start.turn,
                self._before(place),
                tuple(self._kept(place, after)),
                tuple(message for message in self._fresh(after) if not message.id.startswith("kept-")),
                tuple(session.messages[at] for at in before),
            )

    def _before(self, summary: int) -> WorkState:
        """Return the state before a compaction, after those of the earlier ones, however many there are."""
        chain: list[tuple[int, Sequence[int]]] = []
        earlier = summary
        while earlier >= 0 and earlier not in self._bases:
            self._bases[earlier] = WorkState()  # ends the chain where parents form a circle
            chain.append((earlier, path := self.session.context_before(earlier)))
            earlier = self._summary_in(self.session.path_to(path[-1])) if path else -1
        for place, context in reversed(chain):
            self._bases[place] = self.at(context[-1]) if context else self.start
        return self._bases[summary]

    def _base_of(self, path: Sequence[int]) -> WorkState:
        """Return the state at the start of a context: that before the compaction that it begins with."""
        summary = self._summary_in(path)
        return self._before(summary) if summary >= 0 else self.start

    def _summary_in(self, path: Sequence[int]) -> int:
        """Return the position of the first compaction in a context; -1 for none."""
        return next((place for place in path if place in self._compactions), -1)

    @cached_property
    def _compactions(self) -> frozenset[int]:
        return frozenset(self.session.compactions)

    def _fresh(self, path: Sequence[int]) -> Iterator[Message]:
        for place in path:
            message = self.session.messages[place]
            if self.session.original_of(message) is message:
                yield message

    def _kept(self, summary: int, after: Sequence[int]) -> Iterator[Message]:
        messages = self.session.messages
        reply = next((at for at in after if messages[at].is_reply), -1)
        end = messages[reply].parent if reply >= 0 else (after[-1] if after else summary)
        for place in self.session.path_to(end):
            is_own = place < summary or self.session.original_of(messages[place]) is not messages[place]
            is_put_back = messages[place].kind == "injected" or messages[place].id.startswith("kept-")
            if place != summary and messages[place].role != "system" and (is_own or is_put_back):
                yield messages[place]


def state_after(transition: Transition) -> WorkState:
    """Return the state when the first reply after a compaction was written."""
    state = advance(transition.before, transition.summary)
    for message in transition.after:
        if message.is_reply:
            return recorded(state, message)
        state = advance(state, message)
    return state
