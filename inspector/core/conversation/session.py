"""A recorded session: its immutable log and the settings of its requests."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from operator import itemgetter
from typing import Any, NamedTuple

from inspector.core.conversation.message import MAIN, InMemoryBody, Message
from inspector.core.conversation.parts import Dialect, Raw


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read, or in a window that a provider would reject."""

    text: str
    line: int | None = None
    """1-based line of the source, if known."""
    message: str | None = None
    """Id of the affected message."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True, eq=False)
class RequestContext:
    """Everything except the messages that is sent with each request: wire format, model, tools and settings.

    Instances compare by identity, so they can be used as cache keys.
    """

    model: str = ""
    dialect: Dialect = "openai"
    tools: tuple[Raw, ...] = ()
    """Tool definitions as recorded, in the wire format `dialect`."""
    settings: Raw = field(default_factory=dict)
    """Other fields of the request (temperature, metadata, …), kept for export."""
    records_system: bool = True
    """False if the system prompt and the tools are not recorded, so that their size is inferred."""
    is_sent: bool = False
    """True if the messages are a request as it is sent, so that no more results come before the next reply."""


class SizeFacts(NamedTuple):
    """Known sizes of a conversation. An exported request reports no usage, so its fitted values are stored with it."""

    factor: float = 1.0
    """Calibration factor that token counts are multiplied by."""
    unrecorded: int = 0
    """Tokens that were sent but are not in the request."""
    limit: int = 0
    """Context window of the model, in tokens; 0 if unknown."""
    compacted: int = 0
    """Tokens of the context that a compaction before the first message replaced; 0 if there was none."""
    limits: tuple[tuple[int, int], ...] = ()
    """Position of the first message with each context window, and the window in tokens, if it changes in the session.

    The last one is `limit`.
    """


LARGEST_SIZE = 1_000_000_000
"""Upper bound in tokens, larger than any context window."""


def size_facts(values: Any) -> SizeFacts:
    """Convert a JSON list of factor, unrecorded tokens, limit, compacted tokens and limits to `SizeFacts`.

    The last values can be missing.

    Raises:
        ValueError: The list has another shape, or a value is out of range.
    """
    limits: list[Any] = []
    match values:
        case [*values, list(limits)]:
            pass
    match values:
        case [int() | float() as factor, *sizes] if 2 <= len(sizes) <= 3 and all(type(size) is int for size in sizes):
            is_plausible = type(factor) is not bool and isfinite(factor) and 0.1 <= factor <= 10
            if is_plausible and all(0 <= size <= LARGEST_SIZE for size in sizes) and all(map(_is_limit, limits)):
                compacted = sizes[2] if len(sizes) == 3 else 0
                return SizeFacts(float(factor), sizes[0], sizes[1], compacted, tuple(map(tuple, limits)))
    raise ValueError("these are not sizes")


def _is_limit(value: Any) -> bool:
    """Return True if a value is the position of a message and a context window."""
    match value:
        case [int(place), int(limit)]:
            return place >= 0 < limit <= LARGEST_SIZE and bool not in (type(place), type(limit))
    return False


@dataclass(frozen=True, eq=False)
class Session:
    """One recorded conversation: its immutable log and the settings of its requests."""

    id: str
    title: str
    format: str
    messages: tuple[Message, ...]
    """The log, in the order of the source. Messages of all agents are included and distinguished by `Message.agent`."""
    model: str = ""
    tools: tuple[Raw, ...] = ()
    """Tool definitions as recorded, in the wire format `dialect`."""
    dialect: Dialect = "openai"
    settings: Raw = field(default_factory=dict)
    """Other fields of the request (temperature, metadata, …), kept for export."""
    records_system: bool = True
    """False if the format does not record the system prompt and the tools."""
    problems: tuple[Problem, ...] = ()
    path: str = ""
    line: int = 0
    """1-based line or element of the source where this session begins; 0 if the source contains one session."""
    sizes: SizeFacts | None = None
    """Sizes that were stored in the file, if any."""
    forked_from: str = ""
    """Id of the session that this one was forked from, if recorded."""
    stated_parts: tuple[tuple[str, int], ...] = ()
    """Parts of the unrecorded prompt with their tokens, if recorded."""
    stated_dollars: float | None = None
    """What all calls cost, if the file states it for the whole session."""
    is_sent: bool = False
    """True if the log ends with the messages of a request as it is sent."""
    capture: str = ""
    """Path of the captured requests that the log is joined with, or "the store"; empty without any."""

    def in_memory(self) -> Session:
        """Return a copy whose texts are in memory, which needs neither its file nor its store.

        Raises:
            OSError: The source can no longer be read.
        """
        loaded = (replace(message, body=InMemoryBody(*message.body.load())) for message in self.messages)
        return replace(self, messages=tuple(loaded))

    @cached_property
    def context(self) -> RequestContext:
        """Everything except the messages that is sent with each request. The same object on every access."""
        facts = (self.model, self.dialect, self.tools, self.settings, self.records_system, self.is_sent)
        return RequestContext(*facts)

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents in the log, the main agent first."""
        names = dict.fromkeys(message.agent for message in self.messages)
        return tuple(sorted(names, key=lambda name: name != MAIN)) or (MAIN,)

    @cached_property
    def by_id(self) -> dict[str, Message]:
        """Messages by id. If an id occurs more than once, the last message is used."""
        return {message.id: message for message in self.messages}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each message by id: its position in the log, from 1, independent of plans and turns."""
        return {message.id: number for number, message in enumerate(self.messages, 1)}

    @cached_property
    def replies(self) -> dict[str, tuple[int, ...]]:
        """Positions of the replies generated by a model, in order, by agent."""
        by_agent: dict[str, list[int]] = {}
        for position, message in enumerate(self.messages):
            if message.is_reply:
                by_agent.setdefault(message.agent, []).append(position)
        return {agent: tuple(positions) for agent, positions in by_agent.items()}

    def is_continued(self, before: int, end: int) -> bool:
        """Return True if the context that ends at `end` begins with the one that ends at the earlier position `before`.

        Another system prompt, and copies of the messages after it, make no difference.
        """
        place = end
        while place > before:
            place = self.messages[place].parent
        if place == before or before < 0:
            return True
        old, new = ([self.messages[at] for at in self.path_to(tip)] for tip in (before, end))
        pairs = zip(*([one for one in path if one.role != "system"] for path in (old, new)), strict=False)
        has_all = sum(one.role != "system" for one in old) <= sum(one.role != "system" for one in new)
        return has_all and all(self.original_of(one) is self.original_of(other) for one, other in pairs)

    def limit_at(self, turn: int, agent: str = MAIN) -> int:
        """Return the context window that the file states for an agent's turn (1-based), or 0 if it never changes."""
        limits, replies = self.sizes.limits if self.sizes else (), self.turns(agent)
        position = replies[turn - 1] if turn <= len(replies) else len(self.messages)
        place = bisect_right(limits, position, key=itemgetter(0))
        return limits[max(0, place - 1)][1] if limits else 0

    def turns(self, agent: str = MAIN) -> tuple[int, ...]:
        """Return the positions of the replies of an agent."""
        return self.replies.get(agent, ())

    @cached_property
    def compactions(self) -> tuple[int, ...]:
        """Positions of the recorded summaries. A summary that is repeated in later contexts is included once."""
        return tuple(_summaries_in(self.messages))

    def last_position(self, agent: str = MAIN) -> int:
        """Return the position of the last message of an agent in the log, or -1 if it has none."""
        positions = range(len(self.messages) - 1, -1, -1)
        return next((position for position in positions if self.messages[position].agent == agent), -1)

    def context_end(self, turn: int, agent: str = MAIN) -> int:
        """Return the position of the last message in the context of a turn.

        Args:
            turn: 1-based turn. One more than the number of turns means the current context.
            agent: Name of the agent.

        Returns:
            A position in the log, or -1 if the context is empty.
        """
        replies = self.turns(agent)
        return self.messages[replies[turn - 1]].parent if turn <= len(replies) else self.last_position(agent)

    def path_to(self, position: int, cache: Container[int] = ()) -> list[int]:
        """Return the positions of the context that ends with the message at `position`, oldest first.

        The result is never longer than the log, so it is finite even if parents form a cycle.

        Args:
            position: Position of the last message, which is included.
            cache: Positions that are already known. The result starts right after the nearest of them, or else at the
                start of the context.
        """
        path: list[int] = []
        while position >= 0 and position not in cache and len(path) < len(self.messages):
            path.append(position)
            position = self.messages[position].parent
        path.reverse()
        return path

    def original_of(self, message: Message) -> Message:
        """Return the original of a message that a compaction kept, or the message itself if it is not a copy.

        A kept message is repeated in the log, with the id of the original followed by `#` and a number.
        """
        original = self.by_id.get(message.id.rpartition("#")[0])
        return original if original is not None and original.says_the_same(message) else message

    @cached_property
    def repeats(self) -> int:
        """Number of messages in the log that repeat an earlier message for a later context."""
        return sum(map(self._is_copy, range(len(self.messages))))

    def _is_copy(self, position: int) -> bool:
        return self.original_of(self.messages[position]) is not self.messages[position]

    def _is_put_back(self, position: int) -> bool:
        """Return True if a program may have put a message at the start of a new context."""
        message = self.messages[position]
        return message.kind == "injected" or message.id.startswith("kept-") or self._is_copy(position)

    def context_before(self, summary: int) -> list[int]:
        """Return the positions of the context that a compaction replaced, oldest first.

        The new context can contain kept messages in front of the summary, and texts that the program put there again.
        Those are skipped when looking for the last message of the old context.

        Args:
            summary: Position of the compaction's summary.
        """
        first, messages = summary, self.messages
        while first and messages[first].parent == first - 1 and self._is_put_back(first - 1):
            first -= 1
        first = summary if messages[first].parent == first - 1 else first
        agent = messages[summary].agent
        ends = (place for place in range(first - 1, -1, -1) if messages[place].agent == agent)
        return self.path_to(next(ends, -1))

    def extend(self, messages: Sequence[Message]) -> Session:
        """Return the session with messages appended. The request context is unchanged."""
        return self.with_messages((*self.messages, *messages))

    def with_messages(self, messages: tuple[Message, ...]) -> Session:
        """Return the session with other messages. The request context is unchanged."""
        session = replace(self, messages=messages)
        session.__dict__["context"] = self.context
        return session

    def grown(self, messages: tuple[Message, ...], same: int, **changes: Any) -> Session:
        """Return the session with another log and other fields, reusing computed values of unchanged messages.

        The request context stays the same object unless the model or the tools change.

        Args:
            messages: The new log.
            same: Number of messages at the start of the new log that are unchanged.
            changes: New values of other fields.
        """
        session = replace(self, messages=messages, **changes)
        if (session.model, session.tools) == (self.model, self.tools):
            session.__dict__["context"] = self.context
        session.__dict__.update(self._worked_out_for(messages, same))
        return session

    def _worked_out_for(self, messages: Sequence[Message], same: int) -> Iterator[tuple[str, Any]]:
        """Yield the cached properties that can be carried over to a log with the same first `same` messages."""
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
        """Return the positions of each agent's replies in a log with the same first `same` messages."""
        replies = {agent: places[: bisect_left(places, same)] for agent, places in self.replies.items()}
        for place in range(same, len(messages)):
            if messages[place].is_reply:
                agent = messages[place].agent
                replies[agent] = (*replies.get(agent, ()), place)
        return {agent: places for agent, places in replies.items() if places}

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


def _summaries_in(messages: Sequence[Message], first: int = 0, known: Iterable[int] = ()) -> Iterator[int]:
    """Yield the positions of summaries from `first` on, skipping copies of these and of the `known` ones."""
    summaries = {messages[place].id: messages[place] for place in known}
    for place in range(first, len(messages)):
        message = messages[place]
        if message.kind == "summary":
            original = summaries.get(message.id.rpartition("#")[0])
            if original is None or not original.says_the_same(message):
                summaries[message.id] = message
                yield place
