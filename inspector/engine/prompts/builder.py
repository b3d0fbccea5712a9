"""Build a prompt from a window or from parts.

A template (`as_text`), a message list (`as_messages`) and a builder (`PromptBuilder`) return the same messages in the
same order, regardless of the order in which they were added: System, Memory, Tools, History, Input, Scratchpad.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, Self

from inspector.core.conversation import Kind, Message, ProviderName, Raw, RequestContext, Role
from inspector.core.text import dumps
from inspector.engine.prompts.template import PROMPT_TEMPLATE, Template, format_history, format_memory, format_tools
from inspector.engine.window import REPLY_PRIMER, SECTIONS, Section, Window, group, section_of
from inspector.llm.providers import (
    DEFAULT_DIALECT,
    PROVIDERS,
    RecordedCall,
    Request,
    dialect_of_message,
    message_from_raw,
    provider_of,
    provider_of_call,
    text_message,
    wire_of,
)
from inspector.llm.tokens import CharsCounter, Counter, count_message, counter_for

_ROUGH = CharsCounter(4.0)
"""Rough estimate: four characters per token."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One message of a prompt, with its section and size."""

    section: Section
    message: Message
    tokens: int


@dataclass(frozen=True)
class Prompt:
    """A prompt to send to a model: messages in standard order, and tools."""

    pieces: tuple[_Piece, ...]
    context: RequestContext
    """Model, tools and settings of the request."""
    tool_tokens: int

    @property
    def tools(self) -> tuple[Raw, ...]:
        """Tool definitions as they were given."""
        return self.context.tools

    @cached_property
    def tokens(self) -> dict[Section, int]:
        """Tokens of the six sections, in order, as a chat request counts them."""
        totals = dict.fromkeys(SECTIONS, 0)
        for piece in self.pieces:
            totals[piece.section] += piece.tokens
        totals["tools"] += self.tool_tokens
        if self.pieces:
            totals["input"] += REPLY_PRIMER
        return totals

    @property
    def total(self) -> int:
        """Tokens of the whole prompt, exactly the sum of its sections."""
        return sum(self.tokens.values())

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Messages in OpenAI's chat form. Messages recorded in that form are unchanged.

        Nothing is repaired. Use `request` for messages that a provider accepts.
        """
        return [_chat(piece.message) for piece in self.pieces]

    @property
    def text(self) -> str:
        """The prompt as one text, in the standard template."""
        return self.as_text()

    def as_text(self, template: Template | str = PROMPT_TEMPLATE) -> str:
        """Return the prompt as one text.

        Args:
            template: Template with the placeholders system_prompt, memory, tool_descriptions, history, user_input and
                scratchpad.

        Raises:
            ValueError: The template lacks a placeholder for content of the prompt.
        """
        template = Template(template) if isinstance(template, str) else template
        return template.format(
            system_prompt="\n\n".join(message.text for message in self.of("system")),
            memory=format_memory(self.of("memory")),
            tool_descriptions=format_tools(self.tools),
            history=format_history(self.of("history")),
            user_input="\n\n".join(message.text for message in self.of("input")),
            scratchpad=format_history(self.of("scratchpad")),
        )

    def of(self, section: Section) -> list[Message]:
        """Return the messages of a section."""
        return [piece.message for piece in self.pieces if piece.section == section]

    def request(self, to: ProviderName) -> Request:
        """Return a complete request for a provider, repaired so that it is accepted."""
        return PROVIDERS[to].request(self.context, [piece.message for piece in self.pieces])


def as_text(window: Window, template: Template | str = PROMPT_TEMPLATE) -> str:
    """Return a window as one text.

    Args:
        window: Window to write.
        template: Text with a placeholder for each section.

    Raises:
        ValueError: The template lacks a placeholder for content of the window.
    """
    return PromptBuilder.from_window(window).build().as_text(template)


def as_messages(window: Window) -> list[dict[str, Any]]:
    """Return a window as a message list in OpenAI's chat form: system messages first, the newest work last."""
    return PromptBuilder.from_window(window).build().messages


class PromptBuilder:
    """Collects the parts of a prompt in any order. All methods except `build` return the builder.

    A part is a text, a message, or a list of these. A message can be a `Message`, a dictionary in either provider's
    form, or an object with `role` and `content`. Without a model or counter, four characters count as a token.

    Args:
        model: Model whose tokeniser counts the tokens.
        counter: Token counter to use instead.
    """

    def __init__(self, model: str = "", counter: Counter | None = None) -> None:
        self._counter = counter or (counter_for(model) if model else _ROUGH)
        self._context = RequestContext(model)
        self._window: Window | None = None
        self._pieces: list[_Piece] = []
        self._tools: list[Raw] = []
        self._ids = (f"prompt {number}" for number in count(1))

    @classmethod
    def from_window(cls, window: Window) -> Self:
        """Return a builder with the messages and tools of a window and their sizes.

        Results are placed after their calls, regardless of where they were recorded.
        """
        builder = cls(window.context.model, window.sizes.counter)
        builder._context = window.context
        builder._window = window
        for members in window.groups.members:
            section = window.sections[members[0]]
            builder._pieces += [_Piece(section, window.messages[index], window.tokens[index]) for index in members]
        return builder

    def add_system(self, prompt: Any) -> Self:
        """Add a system prompt."""
        return self._add("system", self._messages_of(prompt, "system"))

    def add_context(self, context: Any) -> Self:
        """Add remembered or retrieved content: texts, messages, entries of a store, or None if nothing was found."""
        return self._add("memory", self._messages_of(context, "user", "injected"))

    def add_tools(self, tools: Iterable[Any] | Mapping[str, Any] | None) -> Self:
        """Add tools: definitions in either provider's form, or objects with a `definition`, as a list or by name.

        Raises:
            ValueError: A tool is anything else.
        """
        self._tools += map(_definition_of, tools.values() if isinstance(tools, Mapping) else tools or ())
        return self

    def add_history(self, history: Any, max_tokens: int | None = None) -> Self:
        """Add the past conversation.

        System messages in it are added to System, summaries to Memory, and notices are skipped.

        Args:
            history: The messages.
            max_tokens: Maximum tokens of the other messages. Only the newest groups that fit are added; a call and its
                results are one group. None for no limit.
        """
        messages = [message for message in self._messages_of(history, "user") if message.kind != "notice"]
        past = [message for message in messages if section_of(message, 0, 1) == "history"]
        history_messages = past if max_tokens is None else self._newest(past, max_tokens)
        self._add("system", [message for message in messages if section_of(message, 0, 1) == "system"])
        self._add("memory", [message for message in messages if section_of(message, 0, 1) == "memory"])
        return self._add("history", history_messages)

    def add_user(self, request: Any) -> Self:
        """Add the current input."""
        return self._add("input", self._messages_of(request, "user"))

    def add_scratchpad(self, work: Any) -> Self:
        """Add the agent's work and thinking since the current input."""
        return self._add("scratchpad", self._messages_of(work, "assistant"))

    def build(self) -> Prompt:
        """Return the prompt. The builder can be extended and built again."""
        pieces = sorted(self._pieces, key=lambda piece: SECTIONS.index(piece.section))
        tools = (*self._context.tools, *self._tools)
        provider = provider_of_call(RecordedCall(tools=list(tools)), surer_than=0.5)
        dialect = provider.wire.name if provider else self._context.dialect
        context = replace(self._context, tools=tools, dialect=dialect) if self._tools else self._context
        return Prompt(tuple(pieces), context, self._tool_tokens(context))

    def _tool_tokens(self, context: RequestContext) -> int:
        if self._window is not None and not self._tools:
            return self._window.sizes.tools
        factor = self._window.sizes.factor if self._window else 1.0
        return round(factor * provider_of(context.dialect).count_tools(context.tools, self._counter))

    def _add(self, section: Section, messages: Iterable[Message]) -> Self:
        self._pieces += [_Piece(section, message, self._measure(message)) for message in messages]
        return self

    def _measure(self, message: Message) -> int:
        return self._window.sizes.measure(message) if self._window else count_message(message, self._counter)

    def _newest(self, messages: Sequence[Message], max_tokens: int) -> list[Message]:
        """Return the newest consecutive groups that fit."""
        indices: list[int] = []
        for members in reversed(group(messages).members):
            max_tokens -= sum(self._measure(messages[index]) for index in members)
            if max_tokens < 0:
                break
            indices += members
        return [messages[index] for index in sorted(indices)]

    def _messages_of(self, part: Any, role: Role, kind: Kind = "chat") -> list[Message]:
        return messages_of(part, role, kind, self._ids)


def _definition_of(tool: Any) -> Raw:
    """Return the definition of a tool. Raises ValueError if it has none."""
    definition = tool if isinstance(tool, Mapping) else getattr(tool, "definition", None)
    if not isinstance(definition, Mapping):
        raise ValueError(f"A tool must be a definition or an object with a definition, not {type(tool).__name__}.")
    return dict(definition)


def messages_of(part: Any, role: Role, kind: Kind, ids: Iterator[str]) -> list[Message]:
    """Return any kind of part as messages. A message with several results becomes several messages.

    Args:
        part: The part; see `PromptBuilder`.
        role: Role of messages made from texts.
        kind: Kind of all new messages.
        ids: Provides ids for messages that have none.
    """
    if part is None:
        return []
    if isinstance(part, Message):
        return [part]
    if isinstance(part, str):
        return [text_message(next(ids), role, part, DEFAULT_DIALECT, kind=kind)] if part.strip() else []
    if (raw := _raw_of(part)) is not None:
        return _messages_from_raw(raw, kind, ids)
    if isinstance(part, Iterable) and not isinstance(part, Mapping | bytes):
        return [message for item in part for message in messages_of(item, role, kind, ids)]
    return messages_of(_words_of(part), role, kind, ids)


def _messages_from_raw(raw: dict[str, Any], kind: Kind, ids: Iterator[str]) -> list[Message]:
    dialect = dialect_of_message(raw)
    pieces = wire_of(dialect).split(raw)
    own = raw.get("id") if len(pieces) == 1 else None
    own_id = own if isinstance(own, str) and own else None
    return [message_from_raw(own_id or next(ids), piece, dialect, kind=kind) for piece in pieces]


def _raw_of(part: Any) -> dict[str, Any] | None:
    """Return the dictionary of a chat message, given as one or as an object with `role` and `content`; else None."""
    raw = _plain(part)
    if isinstance(raw, Mapping):
        return dict(raw) if "role" in raw else None
    if not hasattr(part, "content") or not isinstance(getattr(part, "role", None), str):
        return None
    names = ("role", "content", "tool_calls", "tool_call_id", "name")
    fields = {name: getattr(part, name) for name in names if getattr(part, name, None) is not None}
    if "tool_calls" in fields:
        fields["tool_calls"] = [_plain(call) for call in fields["tool_calls"]]
    return fields


def _plain(thing: Any) -> Any:
    """Return the dictionary of an object that can convert itself to one, or the object."""
    for name in ("to_dict", "model_dump"):
        if not isinstance(thing, Mapping) and callable(write := getattr(thing, name, None)):
            return write()
    return thing


def _words_of(entry: Any) -> str:
    """Return the text of an entry that is not a message, such as a search result of any library."""
    for name in ("text", "content", "summary", "snippet", "page_content"):
        text = entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)
        if isinstance(text, str):
            return text
    return dumps(entry) if isinstance(entry, Mapping) else str(entry)


def _chat(message: Message) -> dict[str, Any]:
    """Return a message in OpenAI's chat form, unchanged if it was recorded in it."""
    if message.dialect == DEFAULT_DIALECT:
        return dict(message.raw)
    return dict(wire_of(DEFAULT_DIALECT).encode(message.role, message.parts, message.name))
