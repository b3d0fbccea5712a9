"""Provider for OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses.

Recorded messages are stored in the wire format of the chat API; requests consist of items. Rules and error messages are
from https://platform.openai.com/docs/api-reference/responses/create.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import orjson

from inspector.core.conversation import Image, Message, Raw, RequestContext, Unknown, Usage
from inspector.llm.providers.base import Provider, RecordedCall, Request, TextCounter
from inspector.llm.providers.openai_chat import chat_tokens
from inspector.llm.providers.openai_chat.chat_request import repaired_message
from inspector.llm.providers.openai_chat.chat_rules import id_fault
from inspector.llm.providers.openai_chat.chat_settings import STRANGE_TOOL
from inspector.llm.providers.openai_chat.chat_wire import OPENAI_CHAT_WIRE
from inspector.llm.providers.openai_responses.responses_request import context_refusals, responses_request
from inspector.llm.providers.openai_responses.responses_settings import SETTINGS
from inspector.llm.providers.rules import (
    ContentRule,
    Fault,
    Lengths,
    MessageSequence,
    call_id_faults,
    call_name_faults,
    no_messages,
    stray_results,
    unanswered_calls,
)
from inspector.llm.providers.tool_names import MAX_NAME_LENGTH
from inspector.llm.providers.usage import token_count, usage_unless_zero

_MAX_ID_LENGTH = 64
_STRANGE_TOOL = STRANGE_TOOL.format(field="input[…].name")
_DUPLICATE_ID = "Duplicate function_call_output for call_id {ids}."
_LONE_REASONING = "Item '{id}' of type 'reasoning' was provided without its required following item."
_NO_MESSAGES = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."
_ORPHAN = "No tool call found for function call output with call_id {ids}."
_NO_RESULT = "No tool output found for function call {ids}."


def _id_in(json: str) -> str:
    try:
        item = orjson.loads(json)
    except orjson.JSONDecodeError:  # nested too deeply
        return ""
    return str(item.get("id", "")) if isinstance(item, dict) else ""


def _refusals(message: Message) -> tuple[str, ...]:
    """Return an error message for a reasoning item at the end of a message."""
    last = message.parts[-1:] if message.role == "assistant" else ()
    items = [part for part in last if isinstance(part, Unknown) and part.type == "reasoning"]
    return tuple(_LONE_REASONING.format(id=_id_in(part.json)) for part in items)


_CONTENT = ContentRule("OpenAI Responses", _refusals)


class OpenAIResponses(Provider):
    """OpenAI's Responses API."""

    name = "openai-responses"
    title = "OpenAI Responses"
    wire = OPENAI_CHAT_WIRE
    families: frozenset[str] = frozenset()
    """Empty, because the chat API is the default for OpenAI's models."""
    content = _CONTENT
    settings = SETTINGS

    def confidence(self, call: RecordedCall) -> float:
        """Return 1 if the request has `input` in place of `messages`, or the reply is a `response` object."""
        responses_call = "input" in call.fields and "messages" not in call.fields
        return 1.0 if responses_call or call.reply_record.get("object") == "response" else 0.0

    def usage(self, report: Raw) -> Usage | None:
        """Return the reported usage. The fields have Anthropic's names, but the input includes cached tokens."""
        if "input_tokens_details" not in report:
            return None
        cached = token_count(report["input_tokens_details"], "cached_tokens")
        return usage_unless_zero(token_count(report, "input_tokens"), token_count(report, "output_tokens"), cached, 0)

    def message_faults(self, messages: Sequence[Message], lengths: Lengths) -> Iterator[Fault]:
        return _message_faults(messages)

    def mend(self, message: Message) -> Raw | None:
        return repaired_message(message)

    def size_fault(self, limit: int) -> str:
        return f"Your input exceeds the context window of this model: it takes {limit} tokens."

    def sequence_faults(self, sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
        return _sequence_faults(sequence, lengths)

    def context_refusals(self, context: RequestContext) -> Iterator[str]:
        return context_refusals(context)

    def request(self, context: RequestContext, messages: Sequence[Message]) -> Request:
        return responses_request(context, messages)

    def count_tools(self, tools: Iterable[Raw], counter: TextCounter) -> int:
        return chat_tokens.count_tools(tools, counter)

    def image_tokens(self, image: Image) -> int:
        return chat_tokens.image_tokens(image)


def _message_faults(messages: Sequence[Message]) -> Iterator[Fault]:
    """Yield faults for invalid ids and names, and for reasoning without a following item. All else is converted."""
    yield from call_id_faults(messages, _id_fault, _DUPLICATE_ID)
    yield from call_name_faults(messages, MAX_NAME_LENGTH, _STRANGE_TOOL)
    for index, message in enumerate(messages):
        yield from (Fault(index, words, index + 1) for words in _CONTENT.faults(message))


def _sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """Yield faults for an empty request, results without a call, and unanswered calls."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=False)
    yield from stray_results(sequence, _ORPHAN, _DUPLICATE_ID, anywhere=True)
    yield from unanswered_calls(sequence, lengths, _NO_RESULT)


def _id_fault(id: str) -> str:
    return id_fault(id, "input[…].call_id", _MAX_ID_LENGTH)
