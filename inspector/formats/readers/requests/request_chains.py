"""Conversations in a log of requests.

A program that sends its whole history with every call logs the same messages repeatedly. A request that begins with all
messages of an earlier one, followed by a reply, continues that conversation, and the reply keeps the data reported for
it in the earlier response. So does a request with another system prompt, and one with another beginning that contains
the newest message and the reply to it: a program that compacts the history, or edits it, sends such requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.core.conversation import Dialect, Thinking, ToolResult
from inspector.core.text import dumps
from inspector.formats.readers.requests.request_log import Exchange
from inspector.llm.providers import wire_of

_Point = tuple[int, int]
"""Number of messages, and their combined fingerprint."""
_Seam = tuple[int, int]
"""Fingerprints of the newest message of a request and of the reply to it."""
MAX_PROMPTS = 20
"""Maximum number of changes of a system prompt that are shown: each context repeats the messages of the one before."""


@dataclass(slots=True)
class Chain:
    """The newest request of a conversation, and the exchanges in which its replies were logged."""

    exchange: Exchange
    dialect: Dialect
    replies: dict[int, Exchange] = field(default_factory=dict)
    """Exchange of each reply, by its position among the messages."""
    compacting: dict[int, Exchange] = field(default_factory=dict)
    """Exchange of each compaction that a call returned which only compacts, by the position of the compaction."""
    earlier: list[Chain] = field(default_factory=list)
    """The contexts before the newest one, which begin with other messages."""
    is_compacted: bool = False
    """True if the newest context begins after a compaction that the program recorded."""
    prompts: int = 0
    """Number of requests with another system prompt than the request before."""

    def feed(self, exchange: Exchange, *, is_anew: bool = False) -> None:
        """Continue with a later request.

        The conversation keeps the position and the record of its first request, and the newest tools.

        Args:
            exchange: The request.
            is_anew: True if its messages begin differently, so that it begins a context. One with another system
                prompt does so, too.
        """
        has_other_prompt = _prompt_of(exchange) != _prompt_of(self.exchange)
        self.prompts += has_other_prompt
        if is_anew or (has_other_prompt and self.prompts <= MAX_PROMPTS):
            before = Chain(self.exchange, self.dialect, self.replies, self.compacting, is_compacted=self.is_compacted)
            self.earlier.append(before)
            self.replies, self.compacting, self.is_compacted = {}, {}, exchange.begins_anew
        elif self.exchange.reply:
            self.replies[len(self.exchange.messages)] = self.exchange
        if exchange.is_compaction:
            self.compacting[len(exchange.messages) - 1] = exchange
        exchange.number = self.exchange.number
        exchange.has_new_tools = bool(exchange.tools and self.exchange.tools) and exchange.tools != self.exchange.tools
        exchange.tools = exchange.tools or self.exchange.tools
        exchange.record = exchange.record | self._record_before(exchange)
        exchange.model = exchange.model or self.exchange.model
        self.exchange = exchange

    def _record_before(self, exchange: Exchange) -> dict[str, Any]:
        """Return the record that a later request inherits. That of a call that only compacts is its own."""
        if exchange.is_compaction:
            return {}
        before = self.earlier[-1].exchange if self.exchange.is_compaction and self.earlier else self.exchange
        return before.record

    def think_again(self) -> None:
        """Replace replies that were sent back without their reasoning by the logged replies."""
        messages = self.exchange.messages
        answers = {place: known.reply for place, known in self.replies.items() if place < len(messages)}
        again = {
            place: reply
            for place, reply in answers.items()
            if isinstance(messages[place], dict)
            and _thinks(reply, self.dialect)
            and not _thinks(messages[place], self.dialect)
            and fingerprint(reply, self.dialect) == fingerprint(messages[place], self.dialect)
        }
        if again:
            self.exchange.messages = [again.get(place, raw) for place, raw in enumerate(messages)]


def _thinks(raw: Any, dialect: Dialect) -> bool:
    """Return True if a message contains reasoning."""
    return any(isinstance(part, Thinking) for part in wire_of(dialect).parse(raw))


def chains_of(exchanges: Iterable[tuple[Exchange, Dialect]], *, is_one_program: bool = False) -> list[Chain]:
    """Return the conversations in a log, in the order in which they began.

    Args:
        exchanges: Recorded requests in the order of the file, each with its wire format.
        is_one_program: True if a request with another beginning may continue a conversation. In a trace of several
            agents, it is one of another agent.
    """
    chains: list[Chain] = []
    ends: dict[_Point, Chain] = {}
    bare_ends: dict[_Point, Chain] = {}
    seams: dict[_Seam, Chain] = {}
    newest: Chain | None = None
    for exchange, dialect in _with_compacted(exchanges):
        prints = [] if exchange.is_run else _fingerprints(exchange, dialect)
        points = list(_points_of(dumps(exchange.system), prints))
        bare = list(_points_of("", _without_prompt(exchange, prints)))
        chain = _chain_before(exchange, dialect, points, ends) or _chain_before(exchange, dialect, bare, bare_ends)
        after = newest if exchange.continues else None
        is_anew = after is not None or chain is None
        chain = after or chain or _chain_with_seam(exchange, dialect, prints, seams)
        if chain:
            chain.feed(exchange, is_anew=is_anew)
        else:
            chain = Chain(exchange, dialect)
            chains.append(chain)
        newest = chain
        ends.update(dict.fromkeys(points[len(exchange.messages) :], chain))  # as it was asked, and as it was answered
        if is_one_program and len(prints) - leading_prompts(exchange.messages) > 1:
            bare_ends[bare[-1]] = chain
            seams[prints[-2], prints[-1]] = chain
    _restore_reasoning(chains)
    return chains


def _restore_reasoning(chains: Iterable[Chain]) -> None:
    for chain in chains:
        for context in (*chain.earlier, chain):
            context.think_again()


def _with_compacted(exchanges: Iterable[tuple[Exchange, Dialect]]) -> Iterator[tuple[Exchange, Dialect]]:
    """Yield exchanges, each call that only compacts after the request that it was made with."""
    for exchange, dialect in exchanges:
        if exchange.compacted:
            yield exchange.compacted, dialect
        yield exchange, dialect


def _chain_with_seam(
    exchange: Exchange, dialect: Dialect, prints: Sequence[int], seams: Mapping[_Seam, Chain]
) -> Chain | None:
    """Return the conversation whose newest message and the reply to it are in a request that begins differently."""
    for place in range(min(len(exchange.messages), len(prints)) - 2, -1, -1):
        chain = seams.get((prints[place], prints[place + 1]))
        if chain and chain.dialect == dialect and chain.exchange.reply and place + 2 < len(prints):
            return chain
    return None


def _chain_before(
    exchange: Exchange, dialect: Dialect, points: list[_Point], ends: dict[_Point, Chain]
) -> Chain | None:
    """Return the conversation that a request continues, by the longest shared prefix."""
    messages = exchange.messages
    for length, so_far in reversed(points[1:]):
        chain = ends.get((length, so_far))
        if not chain or chain.dialect != dialect or length >= len(points) - 1:
            continue
        size = len(chain.exchange.messages)
        goes_on = chain.exchange.reply is None or _has_reply(messages, length)
        if length > size or (length == size and goes_on):
            return chain
    return None


def _has_reply(messages: list[Any], length: int) -> bool:
    """Return True if the next message is a reply, which may differ from the logged one."""
    reply = messages[length] if length < len(messages) else None
    return isinstance(reply, dict) and reply.get("role") == "assistant"


def _fingerprints(exchange: Exchange, dialect: Dialect) -> list[int]:
    """Return a hash of each message of a request, and of its reply."""
    has_prints = len(exchange.prints) == len(exchange.messages)
    prints = exchange.prints if has_prints else [fingerprint(raw, dialect) for raw in exchange.messages]
    return [*prints, *([fingerprint(exchange.reply, dialect)] if exchange.reply else [])]


def leading_prompts(messages: Sequence[Any]) -> int:
    """Return the number of system messages with which a list begins."""
    return next((place for place, raw in enumerate(messages) if not is_prompt(raw)), len(messages))


def is_prompt(raw: Any) -> bool:
    """Return True if a message is a system prompt."""
    return isinstance(raw, dict) and raw.get("role") in ("system", "developer")


def _prompt_of(exchange: Exchange) -> tuple[Any, list[Any]]:
    return exchange.system, exchange.messages[: leading_prompts(exchange.messages)]


def _without_prompt(exchange: Exchange, prints: list[int]) -> list[int]:
    """Return the fingerprints of messages, with 0 for those of the system prompt."""
    length = leading_prompts(exchange.messages) if prints else 0
    return [0] * length + prints[length:]


def _points_of(system: str, prints: Sequence[int]) -> Iterator[_Point]:
    """Yield every prefix of a request, from the empty one to all of it with its reply."""
    so_far = hash(system)
    yield 0, so_far
    for length, own in enumerate(prints, 1):
        so_far = hash((so_far, own))
        yield length, so_far


def fingerprint(raw: Any, dialect: Dialect) -> int:
    """Return a hash of a message without its reasoning, which is usually not sent again, in any notation."""
    if not isinstance(raw, dict):
        return 0
    wire = wire_of(dialect)
    parts = [part for part in wire.parse(raw) if not isinstance(part, Thinking) and _tells(part)]
    return hash((wire.role(raw), tuple(parts)))


def _tells(part: Any) -> bool:
    """Return True if a part is more than an empty text."""
    return isinstance(part, ToolResult) or getattr(part, "text", "text") != ""
