"""What a model answered, read from whatever object its client gives: text, tool calls, usage, and whether it was cut.

Clients differ in everything. Understood are plain attributes or dictionaries (`content`, `tool_calls`, `usage`,
`stop_reason`), Anthropic's blocks, and OpenAI's choices. What is missing is empty; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.conversation import ToolCall, Usage, parts_of
from inspector.memory.message_adapter import LLMMessage, value
from inspector.providers import dialect_of_message, usage_of

_CUT_OFF = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens")
"""Reasons for which a model stopped before it was done."""
COUNTS = (
    "input_tokens",
    "output_tokens",
    "prompt_tokens",
    "completion_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
_DETAILS = ("prompt_tokens_details", "input_tokens_details")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A model's answer."""

    message: LLMMessage
    """As it goes into the memory."""
    usage: Usage | None = None
    cut_off: bool = False

    @property
    def text(self) -> str:
        """Its words, without calls and thinking."""
        content = self.message.content
        if isinstance(content, str):
            return content
        texts = (value(block, "text") for block in content or () if value(block, "type") == "text")
        return "\n\n".join(text for text in texts if isinstance(text, str))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        raw = self.message.to_dict()
        return tuple(part for part in parts_of(raw, dialect_of_message(raw)) if isinstance(part, ToolCall))


def read_answer(response: Any) -> _Answer:
    """The answer that a client's response holds."""
    choices = value(response, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else response
    message = value(choice, "message") if choice is not response else response
    content, calls = value(message, "content"), value(message, "tool_calls")
    if isinstance(message, str):
        content = message
    elif isinstance(content, list | tuple):
        content = [plain(block) for block in content]
    elif not isinstance(content, str):
        content = None
    cut_off = any(value(choice, name) in _CUT_OFF for name in ("finish_reason", "stop_reason"))
    calls = list(calls) if isinstance(calls, list | tuple) and calls else None
    return _Answer(LLMMessage("assistant", content, calls), reported(value(response, "usage")), cut_off)


def plain(block: Any) -> Any:
    """A block as a dictionary, where a client gives objects."""
    dump = None if isinstance(block, Mapping) else getattr(block, "model_dump", None)
    if callable(dump):
        return dump(exclude_none=True)
    return dict(vars(block)) if not isinstance(block, Mapping | str) and hasattr(block, "__dict__") else block


def reported(usage: Any) -> Usage | None:
    """Token counts in either provider's words; None where nothing was reported."""
    found: dict[str, Any] = {name: number for name in COUNTS if isinstance(number := value(usage, name), int)}
    for name in _DETAILS:
        if isinstance(cached := value(value(usage, name), "cached_tokens"), int):
            found[name] = {"cached_tokens": cached}
    return usage_of(found) if found else None
