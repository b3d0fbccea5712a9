"""Messages in an order that every provider accepts: each call directly followed by its only result.

Results are matched by call id, regardless of their position. A result answers the nearest preceding open call, or else
any unanswered call. Results without a call are dropped. Call ids are made valid and unique.
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
"""Maximum tokens of the reply, if the provider requires a limit and none was recorded."""


def own_settings(context: RequestContext, form: Dialect) -> Request:
    """Return the recorded settings without null values, or nothing if they have another wire format than `form`."""
    return {key: value for key, value in context.settings.items() if value is not None and context.dialect == form}


def reply_limit(context: RequestContext) -> int:
    """Return the recorded maximum tokens of the reply, under any provider's name for it, or a default."""
    limit = (context.settings.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return next((number for number in limit if type(number) is int and number > 0), _MAX_TOKENS)


def is_own_tool(tool: Raw) -> bool:
    """Return True if the program runs the tool itself, rather than the provider."""
    return tool.get("type", "custom") in ("custom", "function")


def name_and_description(tool: Raw, name: str) -> Request:
    """Return the `name` and `description` fields of a tool definition."""
    words = {"description": tool["description"]} if isinstance(tool.get("description"), str) else {}
    return {"name": name, **words}


def argument_schema(tool: Raw) -> Request:
    """Return the JSON schema of a tool's arguments, under any provider's name for it."""
    schema: Any = tool.get("input_schema") or tool.get("parameters")
    return {"properties": {}, **schema, "type": "object"} if isinstance(schema, Mapping) else {"type": "object"}


NO_RESULT = "[no result was recorded]"
EMPTY = "[empty]"
NEXT_WORDS = "[the next request goes here]"
"""Placeholder after a final reply that the model would otherwise continue."""
FIRST_WORDS = "[the conversation begins here]"
MAX_ID_LENGTH = 40
"""Maximum length of a call id in OpenAI's chat API. All other APIs accept ids of this length."""


@dataclass(slots=True, eq=False)
class Turn:
    """A message that has been read, with the results of its calls."""

    message: Message
    raw: Raw
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    results: list[Turn | None] = field(default_factory=list)
    """Result of each call, or None if it has none."""
    ids: list[str] = field(default_factory=list)
    """Valid and unique id of each call."""

    @property
    def result(self) -> ToolResult:
        """Result in a tool message. If there is no result part, its text is used."""
        own = next((part for part in self.parts if isinstance(part, ToolResult)), None)
        if own is not None:  # not every wire format can mark a failed call
            return replace(own, is_error=own.is_error or self.message.is_error)
        words = tuple(Text(text) for text in map(readable, self.parts) if text)
        return ToolResult(self.message.answers or "", words, self.message.is_error)


def pair_turns(messages: Iterable[Message], fit: Callable[[str], str]) -> list[Turn]:
    """Return the turns of a conversation in order, with results attached to their calls. Notices are dropped.

    Args:
        messages: The messages.
        fit: Makes a call id valid for the provider. Uniqueness is ensured here.
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
    """Attach results to their calls."""
    open_ids: defaultdict[str, list[tuple[Turn, int]]] = defaultdict(list)
    early: list[Turn] = []
    for turn in turns:
        for place, call in reversed(list(enumerate(turn.calls))):  # the last call in the list is popped first
            open_ids[call.id].append((turn, place))
        if turn.message.role == "tool" and not _settle(turn, open_ids):
            early.append(turn)
    for turn in early:
        _settle(turn, open_ids)


def _settle(turn: Turn, open_ids: defaultdict[str, list[tuple[Turn, int]]]) -> bool:
    """Attach a result to an open call. Return False if no call with its id is open."""
    calls = open_ids[turn.result.call_id]
    if calls:
        caller, place = calls.pop()
        caller.results[place] = turn
        return True
    return False


def _assign_ids(turns: Sequence[Turn], fit: Callable[[str], str]) -> None:
    """Assign valid, unique ids to all calls, keeping recorded ids where possible."""
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
    """Return an id shortened for OpenAI."""
    return id[:MAX_ID_LENGTH]


def plain_id(id: str) -> str:
    """Return an id that is valid for Anthropic."""
    return UNFIT_SIGN.sub("_", id)[:MAX_ID_LENGTH]
