"""From the messages of a Goose session to a log: the model's messages, and the beginnings of contexts.

https://github.com/block/goose (conversation/message, context_mgmt): a compaction hides all messages (`agentVisible`)
and adds a summary, and a reply that leads on, which the person does not see (`userVisible`). The summary of a call and
its answer is of that kind, too. Content for the person alone, by its audience or as a notification, is never sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from inspector.core.conversation import MAIN, Kind, Part, Text, Usage
from inspector.core.text import word_set
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.library_blocks import block_parts
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_NOTICES = word_set(
    "systemNotification toolConfirmationRequest actionRequired conversationCompacted summarizationRequested "
    "contextLengthExceeded"
)
"""Content that is shown to the person and not sent."""
_CALLS, _ANSWERS = word_set("toolRequest frontendToolRequest"), word_set("toolResponse")
_SLACK = 2
"""Seconds by which a report may follow the beginning of the next reply: times are whole seconds."""


@dataclass(frozen=True, eq=False)
class GooseMessage:
    """A message as it was recorded."""

    record: Fields

    @cached_property
    def blocks(self) -> list[Fields]:
        """Content that may be sent."""
        return [block for block in self._content if _kind_of_block(block) not in _NOTICES and _is_for_model(block)]

    @cached_property
    def notices(self) -> list[str]:
        """Content that is only displayed."""
        blocks = (block for block in self._content if _kind_of_block(block) in _NOTICES)
        return [*filter(None, (as_text(block.get("msg") or block.get("prompt")) for block in blocks))]

    @property
    def answers(self) -> list[Fields]:
        """The answers of tools in it."""
        return [block for block in self.blocks if _kind_of_block(block) in _ANSWERS]

    @cached_property
    def is_reply(self) -> bool:
        return self.record.get("role") == "assistant"

    @cached_property
    def is_shown(self) -> bool:
        """True if the person sees it."""
        return self._metadata.get("userVisible") is not False

    @cached_property
    def is_sent(self) -> bool:
        """True if the model sees it now."""
        return self._metadata.get("agentVisible") is not False

    @cached_property
    def has_calls(self) -> bool:
        """True if there is a call or an answer in it."""
        return any(_kind_of_block(block) in _CALLS | _ANSWERS for block in self.blocks)

    @cached_property
    def model(self) -> str:
        inference = fields_of(self._metadata.get("inference"))
        return as_text(inference.get("resolvedModel") or inference.get("requestedModel"))

    @cached_property
    def seconds(self) -> float:
        return _unix_seconds(self.record.get("created"))

    @property
    def _content(self) -> list[Fields]:
        return objects_of(self.record.get("content"))

    @property
    def _metadata(self) -> Fields:
        return fields_of(self.record.get("metadata"))


@dataclass(slots=True)
class _GooseReply:
    """The words of one reply of the model, in one message or several."""

    position: int
    seconds: float
    usage: Usage | None = None


@dataclass(slots=True)
class GooseLog:
    """Takes the messages of a session."""

    log: LogBuilder
    model: str = ""
    """The model that the session names."""
    _replies: list[_GooseReply] = field(default_factory=list)
    _goes_on: bool = False
    """True if the last message was a reply."""
    _end: int | None = None
    """Position of the context before calls that are now hidden."""

    def add_all(self, messages: Sequence[GooseMessage]) -> None:
        """Add messages in order. After the last compaction, hidden messages are removed from the window."""
        summaries = {*_places_of_summaries(messages)}
        newest = max(summaries, default=0)
        for place, message in enumerate(messages):
            is_hidden = place >= newest and not message.is_sent
            self._go_round(is_hidden=is_hidden, has_calls=message.has_calls)
            if place in summaries:
                self.log.begin_anew()
            kind: Kind = "chat" if message.is_shown else "injected"
            kind = "notice" if is_hidden and not message.has_calls else kind
            self._add(message, place, "summary" if place in summaries else kind)
        self._go_round(is_hidden=False)

    def _go_round(self, *, is_hidden: bool, has_calls: bool = False) -> None:
        """Hang the next message from the one before hidden calls, or record where these begin."""
        if is_hidden and has_calls and self._end is None:
            self._end = self.log.ends.get(MAIN, -1)
        elif not is_hidden and self._end is not None:
            self.log.begin_anew(after=self._end)
            self._end = None

    def add_usage(self, ledger: Iterable[Fields]) -> int:
        """Add the usage of replies. Return the number of reports that belong to none.

        A report follows the beginning of its reply, and precedes the next one.
        """
        rows = [row for row in ledger if not row.get("is_compaction")]
        strays = 0
        for row in reversed(rows):
            usage, seconds = _ledger_usage(row), _unix_seconds(row.get("created_timestamp"))
            reply = next(self._free_replies_at(seconds), None)
            if reply and usage:
                reply.usage = usage
                model = as_text(row.get("model")) or self.log.messages[reply.position].model
                self.log.change(reply.position, usage=usage, model=model)
            strays += bool(usage and not reply)
        return strays

    def _free_replies_at(self, seconds: float) -> Iterator[_GooseReply]:
        """Yield the replies without a report that one of this time may belong to, the latest first."""
        next_begin = float("inf")
        for reply in reversed(self._replies):
            if reply.seconds <= seconds <= next_begin + _SLACK and reply.usage is None:
                yield reply
            next_begin = reply.seconds

    def _add(self, message: GooseMessage, place: int, kind: Kind) -> None:
        name = as_text(message.record.get("id")) or f"m{place + 1}"
        time = time_of(message.record.get("created"))
        around = {key: value for key, value in message.record.items() if key != "content"}
        parts = [part for block in message.blocks for part in _goose_parts(block)]
        if kind == "notice":
            self.log.add_parts(name, "system", parts or [*map(Text, message.notices)], around, time=time, kind=kind)
            return
        for answer in message.answers:
            self.log.add_parts(name, "tool", [_answer_of(answer)], around, time=time)
            self._goes_on = False
        if parts and message.is_reply:
            self._add_reply(name, parts, around, message, kind)
        elif parts:
            self.log.add_parts(name, "user", parts, around, time=time, kind=kind)
            self._goes_on = False
        if message.notices:
            self.log.add_parts(name, "system", [*map(Text, message.notices)], {}, time=time, kind="notice")

    def _add_reply(self, name: str, parts: list[Part], around: Fields, message: GooseMessage, kind: Kind) -> None:
        time, model = time_of(message.record.get("created")), message.model or self.model
        facts: Fields = {"model": model} if kind == "chat" else {}
        position = self.log.add_parts(name, "assistant", parts, around, time=time, kind=kind, **facts)
        if kind == "chat" and not self._goes_on:
            self._replies.append(_GooseReply(position, message.seconds))
        self._goes_on = kind == "chat"


def _unix_seconds(time: Any) -> float:
    """Return a time in Unix seconds, as it is or in milliseconds; 0 for none."""
    if not isinstance(time, int | float) or isinstance(time, bool):
        return 0.0
    return time / 1000 if time > 1e11 else float(time)


def _places_of_summaries(messages: Sequence[GooseMessage]) -> Iterator[int]:
    """Yield the places of compaction summaries: words that the person does not see, preceded by nothing still sent.

    The reply that leads on follows it, which the person does not see either; earlier versions showed it. Context of a
    turn, which begins with a tag, is not shown and is not a summary.
    """
    has_reply = False
    for place, message in enumerate(messages):
        before, after = messages[max(place - 1, 0)], messages[place + 1 : place + 2]
        if place and before.is_sent and before.blocks:
            return
        leads_on = any(next_one.is_reply and not next_one.is_shown for next_one in after)
        if place and _may_be_summary(message) and (leads_on or (has_reply and _is_plain(message))):
            yield place
        has_reply |= message.is_reply


def _may_be_summary(message: GooseMessage) -> bool:
    return not (message.is_shown or message.is_reply or message.has_calls)


def _is_plain(message: GooseMessage) -> bool:
    """Return True if a message is sent now, and is no context of a turn."""
    text = "".join(as_text(block.get("text")) for block in message.blocks)
    return message.is_sent and not text.lstrip().startswith("<")


def _kind_of_block(block: Fields) -> str:
    return as_text(block.get("type"))


def _is_for_model(block: Fields) -> bool:
    """Return True if content is for the model."""
    audience = fields_of(block.get("annotations")).get("audience") or block.get("audience")
    return not isinstance(audience, list) or not audience or "assistant" in audience


def _goose_parts(block: Fields) -> Iterator[Part]:
    """Yield the words and calls of a block; nothing for an answer, which is a separate message."""
    if _kind_of_block(block) in _CALLS:
        call = fields_of(fields_of(block.get("toolCall")).get("value"))
        yield call_of(block.get("id"), call.get("name"), call.get("arguments"))
    elif _kind_of_block(block) == "image":
        yield from blocks_of(block)
    elif _kind_of_block(block) not in _ANSWERS:
        yield from block_parts(block)


def _answer_of(block: Fields) -> Part:
    """Return the answer to a call that the model received."""
    result = fields_of(block.get("toolResult"))
    value = result.get("value")
    inner = value if isinstance(value, dict) else {"content": value}
    if result.get("status") == "error":
        return result_of(block.get("id"), result.get("error"), is_error=True)
    content = inner.get("content")
    entries = [*filter(_is_for_model, objects_of(content))] if isinstance(content, list) else content
    texts = [_plain_entry(entry) for entry in entries] if isinstance(entries, list) else entries
    return result_of(block.get("id"), texts, is_error=inner.get("isError") is True)


def _plain_entry(entry: Fields) -> Any:
    """Return an entry of an answer, or the text of a resource."""
    text = fields_of(entry.get("resource")).get("text")
    return text if isinstance(text, str) else entry


def _ledger_usage(row: Fields) -> Usage | None:
    """Return the usage in a row of the ledger: tokens from the cache may be counted only in the total."""
    output, total = token_count(row, "output_tokens"), token_count(row, "total_tokens")
    sent = max(token_count(row, "input_tokens"), total - output)
    return usage_unless_zero(
        sent, output, token_count(row, "cache_read_tokens"), token_count(row, "cache_write_tokens")
    )
