"""Messages in the order that every provider asks for: each call with its result right behind it, one result per call.

Results are matched by call id, wherever they stand: a result answers the nearest call before it that still waits, or
else any that nothing answers. Results that no call asked for are left out. Ids are made fit and unique on the way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.core.conversation import (
    Dialect,
    Message,
    Part,
    Raw,
    RequestContext,
    Text,
    ToolCall,
    ToolResult,
    parts_of,
    readable,
)
from inspector.llm.providers.base import Request
from inspector.llm.providers.tool_names import UNFIT_SIGN

_MAX_TOKENS = 4096
"""Tokens of the reply, where a provider wants to be told and nothing was recorded."""


def own_settings(context: RequestContext, form: Dialect) -> Request:
    """The recorded request's other fields, where they mean the same: in the form that they were recorded in."""
    return {key: value for key, value in context.settings.items() if value is not None and context.dialect == form}


def reply_limit(context: RequestContext) -> int:
    """How many tokens the reply may have, as it was recorded under any provider's name for it."""
    limit = (context.settings.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return next((number for number in limit if type(number) is int and number > 0), _MAX_TOKENS)


def is_own_tool(tool: Raw) -> bool:
    """Whether a tool is one of the program's own, not one that a provider runs."""
    return tool.get("type", "custom") in ("custom", "function")


def name_and_description(tool: Raw, name: str) -> Request:
    """A tool's name, which is to be `name`, and what it says of itself."""
    words = {"description": tool["description"]} if isinstance(tool.get("description"), str) else {}
    return {"name": name, **words}


def argument_schema(tool: Raw) -> Request:
    """The JSON schema of a tool's arguments, under any provider's name for it."""
    schema: Any = tool.get("input_schema") or tool.get("parameters")
    return {"properties": {}, **schema, "type": "object"} if isinstance(schema, Mapping) else {"type": "object"}


NO_RESULT = "[no result was recorded]"
EMPTY = "[empty]"
NEXT_WORDS = "[the next request goes here]"
"""Stands behind a reply that a model would take as one to go on with."""
FIRST_WORDS = "[the conversation begins here]"
MAX_ID_LENGTH = 40
"""Characters of the id of a call. OpenAI's chat interface takes no longer ones; all others take these."""


@dataclass(slots=True, eq=False)
class Turn:
    """One message with its text read, and for each of its calls the result."""

    message: Message
    raw: Raw
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    results: list[Turn | None] = field(default_factory=list)
    """By call; None where nothing answers."""
    ids: list[str] = field(default_factory=list)
    """The ids that the calls are to have."""

    @property
    def result(self) -> ToolResult:
        """The result in a tool's message; its words, where the message holds none."""
        own = next((part for part in self.parts if isinstance(part, ToolResult)), None)
        if own is not None:  # not every form says that a call has failed
            return replace(own, is_error=own.is_error or self.message.is_error)
        words = tuple(Text(text) for text in map(readable, self.parts) if text)
        return ToolResult(self.message.answers or "", words, self.message.is_error)


def pair_turns(messages: Iterable[Message], fit: Callable[[str], str]) -> list[Turn]:
    """The turns of a conversation in order, without the results, which stand with their calls.

    `fit` makes an id acceptable to the provider; whether it is unique is seen to here. Notices are left out.
    """
    turns = [_turn_of(message) for message in messages if message.kind != "notice"]
    _answer(turns)
    _assign_ids(turns, fit)
    return [turn for turn in turns if turn.message.role != "tool"]


def _turn_of(message: Message) -> Turn:
    raw = message.raw
    parts = parts_of(raw, message.dialect)
    calls = tuple(part for part in parts if isinstance(part, ToolCall)) if message.role == "assistant" else ()
    return Turn(message, raw, parts, calls, [None] * len(calls))


def _answer(turns: Sequence[Turn]) -> None:
    """Give each call its result."""
    open_ids: defaultdict[str, list[tuple[Turn, int]]] = defaultdict(list)
    early: list[Turn] = []
    for turn in turns:
        for place, call in reversed(list(enumerate(turn.calls))):  # the last in the list is answered first
            open_ids[call.id].append((turn, place))
        if turn.message.role == "tool" and not _settle(turn, open_ids):
            early.append(turn)
    for turn in early:
        _settle(turn, open_ids)


def _settle(turn: Turn, open_ids: defaultdict[str, list[tuple[Turn, int]]]) -> bool:
    """Whether some call was waiting for this result."""
    calls = open_ids[turn.result.call_id]
    if calls:
        caller, place = calls.pop()
        caller.results[place] = turn
        return True
    return False


def _assign_ids(turns: Sequence[Turn], fit: Callable[[str], str]) -> None:
    """Ids for all calls, as they were where that can be."""
    own_ids = {call.id for turn in turns for call in turn.calls if call.id and fit(call.id) == call.id}
    used: set[str] = set()
    counts: Counter[str] = Counter()
    for turn in turns:
        for call in turn.calls:
            base = call_id = fit(call.id) or "call"
            while call_id in used or (call_id in own_ids and call_id != call.id):
                counts[base] += 1
                suffix = f"_{counts[base] + 1}"
                call_id = base[: MAX_ID_LENGTH - len(suffix)] + suffix
            used.add(call_id)
            turn.ids.append(call_id)


def short_id(id: str) -> str:
    """An id that OpenAI takes."""
    return id[:MAX_ID_LENGTH]


def plain_id(id: str) -> str:
    """An id that Anthropic takes."""
    return UNFIT_SIGN.sub("_", id)[:MAX_ID_LENGTH]
