"""Putting a prompt together: requirement 1's three patterns, over one window or from its parts.

A template (`as_text`), a message list (`as_messages`) and a builder (`PromptBuilder`) give the same messages in the
same order, whatever order things were added in: System, Memory, Tools, History, Input, Scratchpad.
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
"""Requirement 1's rough estimate: four characters to a token."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One message of a prompt, where it stands and what it takes."""

    section: Section
    message: Message
    tokens: int


@dataclass(frozen=True)
class Prompt:
    """What is sent to a model: pieces in the standard order, and the tools."""

    pieces: tuple[_Piece, ...]
    context: RequestContext
    """What the prompt is made for: its model, its tools and the settings of its requests."""
    tool_tokens: int

    @property
    def tools(self) -> tuple[Raw, ...]:
        """Tool definitions, as they were given."""
        return self.context.tools

    @cached_property
    def tokens(self) -> dict[Section, int]:
        """Tokens of the six sections, in order, as a chat request takes them."""
        totals = dict.fromkeys(SECTIONS, 0)
        for piece in self.pieces:
            totals[piece.section] += piece.tokens
        totals["tools"] += self.tool_tokens
        if self.pieces:
            totals["input"] += REPLY_PRIMER
        return totals

    @property
    def total(self) -> int:
        """Tokens of the whole prompt: exactly the sum of its sections."""
        return sum(self.tokens.values())

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The message list, in OpenAI's chat form; what was recorded in that form is as it was.

        Nothing is mended here: `request` gives what a provider is sure to take.
        """
        return [_chat(piece.message) for piece in self.pieces]

    @property
    def text(self) -> str:
        """The prompt as one text, by the standard template."""
        return self.as_text()

    def as_text(self, template: Template | str = PROMPT_TEMPLATE) -> str:
        """The prompt by a template with the places system_prompt, memory, tool_descriptions, history, user_input and
        scratchpad. Raises ValueError when it lacks a place for something that the prompt holds."""
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
        """The messages of a section."""
        return [piece.message for piece in self.pieces if piece.section == section]

    def request(self, to: ProviderName) -> Request:
        """A complete request that the provider `to` takes, with what it would refuse mended."""
        return PROVIDERS[to].request(self.context, [piece.message for piece in self.pieces])


def as_text(window: Window, template: Template | str = PROMPT_TEMPLATE) -> str:
    """A window by a template. Raises ValueError as `Prompt.as_text` does."""
    return PromptBuilder.from_window(window).build().as_text(template)


def as_messages(window: Window) -> list[dict[str, Any]]:
    """A window as a message list, in OpenAI's chat form: system messages first, the newest work last."""
    return PromptBuilder.from_window(window).build().messages


class PromptBuilder:
    """Collects the parts of a prompt, in any order; every method but `build` gives the builder back.

    A part is a text, a message (a `Message`, a chat message as a dictionary in either provider's form, or an object
    with `role` and `content`), or a list of those. Tokens are counted as `model` counts them, or with `counter`; with
    neither, four characters make a token.
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
        """A builder that holds a window: its messages with their sizes, and its tools.

        A result stands where its call does, wherever it was recorded.
        """
        builder = cls(window.context.model, window.sizes.counter)
        builder._context = window.context
        builder._window = window
        for members in window.groups.members:
            section = window.sections[members[0]]
            builder._pieces += [_Piece(section, window.messages[index], window.tokens[index]) for index in members]
        return builder

    def add_system(self, prompt: Any) -> Self:
        return self._add("system", self._messages_of(prompt, "system"))

    def add_context(self, context: Any) -> Self:
        """What was remembered or retrieved: texts, messages, entries of a store, or None where nothing was found."""
        return self._add("memory", self._messages_of(context, "user", "injected"))

    def add_tools(self, tools: Iterable[Any] | Mapping[str, Any] | None) -> Self:
        """Tools: definitions in either provider's form, or objects with one as `definition`; or such by name.

        Raises ValueError for anything else.
        """
        self._tools += map(_definition_of, tools.values() if isinstance(tools, Mapping) else tools or ())
        return self

    def add_history(self, history: Any, max_tokens: int | None = None) -> Self:
        """What was said before. System messages among it go to System, summaries to Memory, and notices nowhere.

        Of the rest, the newest groups that fit into `max_tokens` stay, in order of time; a call and its results are
        one group. None keeps all.
        """
        messages = [message for message in self._messages_of(history, "user") if message.kind != "notice"]
        past = [message for message in messages if section_of(message, 0, 1) == "history"]
        history_messages = past if max_tokens is None else self._newest(past, max_tokens)
        self._add("system", [message for message in messages if section_of(message, 0, 1) == "system"])
        self._add("memory", [message for message in messages if section_of(message, 0, 1) == "memory"])
        return self._add("history", history_messages)

    def add_user(self, request: Any) -> Self:
        """The current input."""
        return self._add("input", self._messages_of(request, "user"))

    def add_scratchpad(self, work: Any) -> Self:
        """What the agent has done and thought since the current input."""
        return self._add("scratchpad", self._messages_of(work, "assistant"))

    def build(self) -> Prompt:
        """The prompt. The builder stays as it is and may be added to and built again."""
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
        """The newest groups that fit, without a gap."""
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
    """The definition of a tool. Raises ValueError for what has none."""
    definition = tool if isinstance(tool, Mapping) else getattr(tool, "definition", None)
    if not isinstance(definition, Mapping):
        raise ValueError(f"A tool is a definition, or an object with a definition; {type(tool).__name__} is neither.")
    return dict(definition)


def messages_of(part: Any, role: Role, kind: Kind, ids: Iterator[str]) -> list[Message]:
    """What somebody handed over, as messages; texts become messages of `role` and `kind`.

    A message that has no id of its own takes the next of `ids`. One with several results becomes several.
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
    """A chat message as a dictionary, from a dictionary or an object with `role` and `content`; None for all else."""
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
    """A dictionary for what knows how to write itself as one."""
    for name in ("to_dict", "model_dump"):
        if not isinstance(thing, Mapping) and callable(write := getattr(thing, name, None)):
            return write()
    return thing


def _words_of(entry: Any) -> str:
    """The text of an entry that is no message: of a store, of a search, or of whatever somebody retrieves with."""
    for name in ("text", "content", "summary", "snippet", "page_content"):
        text = entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)
        if isinstance(text, str):
            return text
    return dumps(entry) if isinstance(entry, Mapping) else str(entry)


def _chat(message: Message) -> dict[str, Any]:
    """A message in OpenAI's chat form: as it was where it was recorded in that form."""
    if message.dialect == DEFAULT_DIALECT:
        return dict(message.raw)
    return dict(wire_of(DEFAULT_DIALECT).encode(message.role, message.parts, message.name))
