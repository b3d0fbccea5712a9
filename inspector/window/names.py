"""Which tool gave which result, for windows of any provider."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.conversation import Message


def call_names(messages: Sequence[Message]) -> dict[str, str]:
    """For each tool result, by message id, the name of the tool that gave it."""
    asked: dict[str, str] = {}
    names: dict[str, str] = {}
    for message in messages:
        for call in message.calls:
            asked[call.id] = call.name
        if message.answers is not None and message.answers in asked:
            names[message.id] = asked[message.answers]
    return names
