"""What OpenAI's Responses interface refuses, in its words.

The rules are those of https://platform.openai.com/docs/api-reference/responses/create; the words are those of its
refusals. Results are matched to their calls by `call_id`, wherever they stand behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from inspector.conversation import Message, Unknown
from inspector.providers.openai_chat.rules import refused_id
from inspector.providers.rules import (
    Fault,
    Lengths,
    MessageSequence,
    call_id_faults,
    calls_never_answered,
    no_messages,
    stray_results,
)

_LONGEST_ID = 64
_REPEATED_ID = "Duplicate function_call_output for call_id {ids}."
_LONE_REASONING = "Item '{id}' of type 'reasoning' was provided without its required following item."
_NO_MESSAGES = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."
_ORPHAN = "No tool call found for function call output with call_id {ids}."
_UNANSWERED = "No tool output found for function call {ids}."


def message_faults(messages: Sequence[Message], closely: bool) -> Iterator[Fault]:
    """Ids that do not fit, and reasoning items with nothing behind them. All else is written anew in this form."""
    yield from call_id_faults(messages, _refused_id, _REPEATED_ID)
    for index, message in enumerate(messages if closely else ()):
        last = message.parts[-1:] if message.role == "assistant" else ()
        for part in last:
            if isinstance(part, Unknown) and part.type == "reasoning":
                yield Fault(index, _LONE_REASONING.format(id=_id_in(part.json)), index + 1)


def sequence_faults(sequence: MessageSequence, lengths: Lengths) -> Iterator[Fault]:
    """An empty request, stray results and calls that are never answered."""
    yield no_messages(sequence.messages, _NO_MESSAGES, counting_system=False)
    yield from stray_results(sequence, _ORPHAN, _REPEATED_ID, anywhere=True)
    yield from calls_never_answered(sequence, lengths, _UNANSWERED)


def _refused_id(id: str) -> str:
    return refused_id(id, "input[…].call_id", _LONGEST_ID)


def _id_in(json: str) -> str:
    try:
        item = orjson.loads(json)
    except orjson.JSONDecodeError:  # deeper than can be read
        return ""
    return str(item.get("id", "")) if isinstance(item, dict) else ""
