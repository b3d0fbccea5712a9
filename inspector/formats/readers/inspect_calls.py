"""Calls of models among the events of Inspect, each with the messages that were sent.

https://inspect.aisi.org.uk/reference/inspect_ai.event.html: the messages of a sample are those of its end. Only
the calls show the windows if the history was compacted, which is an event, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inspector.core.conversation import Part, Role, Session
from inspector.core.text import dumps
from inspector.formats.building.blocks import (
    UNRECORDED_SUMMARY,
    blocks_of,
    call_of,
    fields_of,
    objects_of,
    result_of,
    thoughts_of,
    time_of,
)
from inspector.formats.building.log_builder import definition_of, raw_from
from inspector.formats.building.traces import usage_fields
from inspector.formats.readers.requests.request_chains import chains_of, leading_prompts
from inspector.formats.readers.requests.request_log import Exchange
from inspector.formats.readers.requests.requests import session_of_chain
from inspector.formats.reading.content import Content, Fields
from inspector.llm.providers import DEFAULT_DIALECT, as_text


def has_calls(events: Iterable[Fields]) -> bool:
    """Return True if events contain a call of a model with its messages."""
    return any(event.get("event") == "model" and isinstance(event.get("input"), list) for event in events)


def has_compaction(events: Iterable[Fields]) -> bool:
    """Return True if an event is a compaction."""
    return any(event.get("event") == "compaction" for event in events)


def sessions_of_events(
    content: Content, events: Iterable[Fields], resolve: Callable[[Any], Any], usage_of: Callable[[Fields], Any]
) -> list[Session]:
    """Return the conversations that the calls among events form, in the order in which they began.

    Args:
        content: The file.
        events: The events of a sample, in order.
        resolve: Returns a value with the texts that are stored elsewhere.
        usage_of: Returns the usage in a report.
    """
    exchanges: list[Exchange] = []
    known: set[str] = set()
    compaction, is_unsaid = "", False
    for event in events:
        if event.get("event") == "compaction":
            compaction = as_text(event.get("type")) or "summary"
        elif has_calls([event]):
            exchange = _exchange_of(event, len(exchanges) + 1, resolve, usage_of)
            own = set(map(dumps, exchange.messages))
            exchange.begins_anew = compaction == "summary" and bool(exchanges)
            is_unsaid = own <= known if exchange.begins_anew else is_unsaid and not compaction
            if is_unsaid:  # also in the calls that go on from there
                exchange.messages.insert(
                    leading_prompts(exchange.messages), {"role": "user", "content": UNRECORDED_SUMMARY}
                )
            known |= own
            exchanges.append(exchange)
            compaction = ""
    chains = chains_of(((exchange, DEFAULT_DIALECT) for exchange in exchanges), is_one_program=True)
    alone = len(chains) == 1
    return [session_of_chain(chain, content, "inspect", alone, None) for chain in chains]


def _exchange_of(
    event: Fields, number: int, resolve: Callable[[Any], Any], usage_of: Callable[[Fields], Any]
) -> Exchange:
    output = fields_of(event.get("output"))
    message = next((fields_of(choice.get("message")) for choice in objects_of(output.get("choices"))), {})
    usage = usage_of(fields_of(output.get("usage")))
    tools = [definition_of(tool, DEFAULT_DIALECT) for tool in objects_of(resolve(event.get("tools")))]
    exchange = Exchange(
        [_chat_message(raw, resolve) for raw in objects_of(event["input"])],
        None,
        tools,
        as_text(output.get("model") or event.get("model")),
        {},
        _chat_message(message, resolve) if message else None,
        {"usage": usage_fields(usage.input, usage.output, usage.cache_read)} if usage else {},
        number,
    )
    exchange.time = time_of(event.get("completed") or event.get("timestamp"))
    return exchange


def _chat_message(message: Fields, resolve: Callable[[Any], Any]) -> Fields:
    content = resolve(message.get("content"))
    role = as_text(message.get("role"))
    if role == "tool":
        answer = result_of(message.get("tool_call_id"), content, is_error=bool(message.get("error")))
        return dict(raw_from([answer], "tool", DEFAULT_DIALECT, as_text(message.get("function"))))
    parts: list[Part] = []
    for block in content if isinstance(content, list) else [content]:
        is_thought = isinstance(block, dict) and block.get("type") == "reasoning"
        parts += thoughts_of(block.get("reasoning") or block.get("summary")) if is_thought else blocks_of(block)
    calls = objects_of(message.get("tool_calls"))
    parts += [call_of(call.get("id"), call.get("function"), call.get("arguments")) for call in calls]
    known: dict[str, Role] = {"system": "system", "assistant": "assistant"}
    return dict(raw_from(parts, known.get(role, "user"), DEFAULT_DIALECT, ""))
