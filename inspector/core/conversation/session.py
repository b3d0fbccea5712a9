"""A recorded session: the immutable log, and what was recorded around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

from inspector.core.conversation.message import MAIN, Message
from inspector.core.conversation.parts import Dialect, Raw


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read, or in a window that a provider would refuse."""

    text: str
    line: int | None = None
    """1-based line of the source, where there is one."""
    message: str | None = None
    """The id of the message concerned."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True, eq=False)
class RequestContext:
    """What goes with the messages of every request to a model: whose form they are in, the model, tools and settings.

    Two are equal only where they are the same object, so caches may be keyed by one.
    """

    model: str = ""
    dialect: Dialect = "openai"
    tools: tuple[Raw, ...] = ()
    """Tool definitions as the request carried them, in `dialect`."""
    settings: Raw = field(default_factory=dict)
    """The other fields of the request (temperature, metadata, …), kept for export."""
    records_system: bool = True
    """False where the system prompt and the tools are not known, so that their size is inferred."""


class SizeFacts(NamedTuple):
    """What is known of the sizes of a conversation; of an exported one, what was fitted, for a request reports none."""

    factor: float = 1.0
    """What counts are multiplied with."""
    unrecorded: int = 0
    """Tokens that were sent and are not in the request."""
    limit: int = 0
    """The context window of its model, in tokens; 0 where that is not known."""


_LARGEST = 1_000_000_000
"""Tokens that no window has."""


def size_facts(values: Any) -> SizeFacts:
    """The facts in a list of JSON values, in order. Raises ValueError for a list that holds anything else."""
    match values:
        case [int() | float() as factor, int(unrecorded), int(limit)] if not any(isinstance(x, bool) for x in values):
            if isfinite(factor) and 0.1 <= factor <= 10 and all(0 <= x <= _LARGEST for x in (unrecorded, limit)):
                return SizeFacts(float(factor), unrecorded, limit)
    raise ValueError("these are no sizes")


@dataclass(frozen=True, eq=False)
class Session:
    """One recorded conversation: the immutable log, and what was recorded around it."""

    id: str
    title: str
    format: str
    messages: tuple[Message, ...]
    """The log, in the order of the source; every agent's messages, told apart by `Message.agent`."""
    model: str = ""
    tools: tuple[Raw, ...] = ()
    """Tool definitions as the request carried them, in `dialect`."""
    dialect: Dialect = "openai"
    settings: Raw = field(default_factory=dict)
    """The other fields of the request (temperature, metadata, …), kept for export."""
    records_system: bool = True
    """False for formats that leave the system prompt and the tools out of the file."""
    problems: tuple[Problem, ...] = ()
    path: str = ""
    line: int = 0
    """1-based line or element of the source that this session began at; 0 when the source holds one session."""
    sizes: SizeFacts | None = None
    """What is known of its sizes from where it was exported."""

    @cached_property
    def context(self) -> RequestContext:
        """What goes with the messages of its requests; always the same object."""
        return RequestContext(self.model, self.dialect, self.tools, self.settings, self.records_system)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents that speak, the main one first."""
        names = dict.fromkeys(message.agent for message in self.messages)
        return tuple(sorted(names, key=lambda name: name != MAIN)) or (MAIN,)

    @cached_property
    def by_id(self) -> dict[str, Message]:
        """The messages by their ids; of several with one id, the last."""
        return {message.id: message for message in self.messages}

    @cached_property
    def replies(self) -> dict[str, tuple[int, ...]]:
        """For each agent, the positions of the replies that a model gave, in order."""
        by_agent: dict[str, list[int]] = {}
        for position, message in enumerate(self.messages):
            if message.is_reply:
                by_agent.setdefault(message.agent, []).append(position)
        return {agent: tuple(positions) for agent, positions in by_agent.items()}

    def turns(self, agent: str = MAIN) -> tuple[int, ...]:
        """Positions of the replies of `agent`."""
        return self.replies.get(agent, ())

    @cached_property
    def compactions(self) -> tuple[int, ...]:
        """Positions of the summaries that the recording itself made. An earlier one that it kept is there once."""
        return tuple(_summaries_in(self.messages))

    def last_position(self, agent: str = MAIN) -> int:
        """Where the context of `agent` now ends: its last message in the log; -1 where it has none."""
        positions = range(len(self.messages) - 1, -1, -1)
        return next((position for position in positions if self.messages[position].agent == agent), -1)

    def context_end(self, turn: int, agent: str = MAIN) -> int:
        """The position that the context of a turn ends with; one past the last turn, as it now stands. -1 for none."""
        replies = self.turns(agent)
        return self.messages[replies[turn - 1]].parent if turn <= len(replies) else self.last_position(agent)

    def path_to(self, position: int, cache: Container[int] = ()) -> list[int]:
        """Positions of the context that ends with (and includes) the message at `position`, oldest first.

        It begins right behind the first of the positions in `cache` that is met on the way back, or else with the
        context. It ends, also where a message comes before itself: it is never longer than the log.
        """
        path: list[int] = []
        while position >= 0 and position not in cache and len(path) < len(self.messages):
            path.append(position)
            position = self.messages[position].parent
        path.reverse()
        return path

    def original_of(self, message: Message) -> Message:
        """The message that a compaction kept as this one: it stands in the log once more then, with the next free id.

        The message itself where it is no such copy.
        """
        original = self.by_id.get(message.id.rpartition("#")[0])
        return original if original is not None and original.says_the_same(message) else message

    @cached_property
    def repeats(self) -> int:
        """How many messages were recorded once and stand in the log again, for a later context that has them too."""
        return sum(map(self._is_copy, range(len(self.messages))))

    def _is_copy(self, position: int) -> bool:
        return self.original_of(self.messages[position]) is not self.messages[position]

    def context_before(self, summary: int) -> list[int]:
        """Positions of the context that one with the summary at a position took the place of, oldest first.

        What was kept may stand before the summary in the new context, and nothing of it may be the old one's.
        """
        first, messages = summary, self.messages
        while first and messages[first].parent == first - 1 and self._is_copy(first - 1):
            first -= 1
        first = summary if messages[first].parent == first - 1 else first
        agent = messages[summary].agent
        ends = (place for place in range(first - 1, -1, -1) if messages[place].agent == agent)
        return self.path_to(next(ends, -1))

    def extend(self, messages: Sequence[Message]) -> Session:
        """The session with more messages at its end. Its requests have the same context."""
        return self.with_messages((*self.messages, *messages))

    def with_messages(self, messages: tuple[Message, ...]) -> Session:
        """The session with other messages. Its requests have the same context."""
        session = replace(self, messages=messages)
        session.__dict__["context"] = self.context
        return session

    def grown(self, messages: tuple[Message, ...], same: int, **changes: Any) -> Session:
        """The session with another log, of which the first `same` messages are its own, and with other fields.

        What was worked out for those messages is taken over. Its requests have the same context, unless its model or
        its tools are others.
        """
        session = replace(self, messages=messages, **changes)
        if (session.model, session.tools) == (self.model, self.tools):
            session.__dict__["context"] = self.context
        session.__dict__.update(self._worked_out_for(messages, same))
        return session

    def _worked_out_for(self, messages: Sequence[Message], same: int) -> Iterator[tuple[str, Any]]:
        """What was worked out for this log, for one whose first `same` messages are the same."""
        fresh = range(same, len(messages))
        if "replies" in self.__dict__:
            yield "replies", self._replies_in(messages, same)
        if "compactions" in self.__dict__:
            known = self.compactions[: bisect_left(self.compactions, same)]
            yield "compactions", (*known, *_summaries_in(messages, same, known))
        if same < len(self.messages) or not same:
            return
        if "by_id" in self.__dict__:
            yield "by_id", self.by_id | {messages[place].id: messages[place] for place in fresh}
        if "agents" in self.__dict__:
            names = dict.fromkeys((*self.agents, *(messages[place].agent for place in fresh)))
            yield "agents", tuple(sorted(names, key=lambda name: name != MAIN))

    def _replies_in(self, messages: Sequence[Message], same: int) -> dict[str, tuple[int, ...]]:
        """The positions of each agent's replies in a log whose first `same` messages are the same."""
        replies = {agent: places[: bisect_left(places, same)] for agent, places in self.replies.items()}
        for place in range(same, len(messages)):
            if messages[place].is_reply:
                agent = messages[place].agent
                replies[agent] = (*replies.get(agent, ()), place)
        return {agent: places for agent, places in replies.items() if places}

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


def _summaries_in(messages: Sequence[Message], first: int = 0, known: Iterable[int] = ()) -> Iterator[int]:
    """Positions of the summaries from the first message on, but for copies of those and of the ones that are known."""
    summaries = {messages[place].id: messages[place] for place in known}
    for place in range(first, len(messages)):
        message = messages[place]
        if message.kind == "summary":
            original = summaries.get(message.id.rpartition("#")[0])
            if original is None or not original.says_the_same(message):
                summaries[message.id] = message
                yield place
