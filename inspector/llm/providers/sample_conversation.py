"""Sample conversations for the conformance checks of plugins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from inspector.core.conversation import Dialect, Message, Role, Text, Thinking, ToolCall, ToolResult
from inspector.llm.providers.message_parsing import message_from_raw, text_message
from inspector.llm.providers.registry import wire_of

_TOPICS = ("orders of May", "the parcel hall", "pressure in pump 3", "invoice 4711", "the release branch")


def sample_messages(random: Random, dialect: Dialect) -> tuple[Message, ...]:
    """Generate a valid conversation of 2 to 6 requests, with parallel calls, failures, thinking and long results."""
    messages: list[Message] = [_said("system", "You look after the parcel hall. Never delete an order.", dialect, 0)]
    for _ in range(random.randint(2, 6)):
        topic, stress = random.choice(_TOPICS), "It is urgent. " * random.randint(0, 3)
        messages.append(_said("user", f"Please look at {topic}. {stress}", dialect, len(messages)))
        for _ in range(random.randint(0, 3)):
            messages += _tool_step(random, topic, dialect, len(messages))
        answer = f"Done: {topic}. The total is {random.randint(10, 9_999)}."
        messages.append(_said("assistant", answer, dialect, len(messages)))
    return tuple(replace(message, parent=place - 1) for place, message in enumerate(messages))


def _tool_step(random: Random, topic: str, dialect: Dialect, place: int) -> Iterator[Message]:
    """Yield a reply with one to three calls, and their results: short, long, identical or failed."""
    wire, arguments = wire_of(dialect), f'{{"about": "{topic}"}}'
    calls = [ToolCall(f"call_{place}_{number}", "query", arguments) for number in range(random.randint(1, 3))]
    thinking = [Thinking("Let me see.", "c2ln")] if dialect == "anthropic" and random.random() < 0.5 else []
    yield message_from_raw(f"m{place}", wire.encode("assistant", [*thinking, Text("Looking."), *calls]), dialect)
    for number, call in enumerate(calls, 1):
        text = random.choice(["3 rows", f"{topic}: row\n" * random.randint(20, 400), "Error: table is locked"])
        result = ToolResult(call.id, (Text(text),), is_error=text.startswith("Error"))
        yield message_from_raw(f"m{place + number}", wire.encode("tool", [result], "query"), dialect)


def _said(role: Role, text: str, dialect: Dialect, place: int) -> Message:
    return text_message(f"m{place}", role, text, dialect)
