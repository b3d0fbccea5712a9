"""Logs of OpenHands: a condensation names the events that leave the context, and puts a summary before what stays."""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence
from typing import Any

from inspector.conversation import MAIN, Message
from inspector.formats.blocks import blocks_of
from inspector.formats.log_builder import LogBuilder


class CondensedLog:
    """Knows which event each message of the context came of."""

    def __init__(self, log: LogBuilder) -> None:
        self.log = log
        self.kept: list[tuple[Hashable, int]] = []
        """What no condensation has taken out: the id of an event, and the position of its message."""
        self.summary: Any = ""
        """The newest summary: it stays where a later condensation brings none."""

    def keep(self, event: Hashable, first: int) -> None:
        """Note that the messages from a position on came of an event."""
        self.kept += [(event, place) for place in range(first, len(self.log.messages))]

    def condense(
        self, gone: Container[Hashable], summary: Any, name: str, record: dict[str, Any], facts: dict[str, Any]
    ) -> None:
        """Begin a context without some events: a summary, where there is one, and the rest."""
        kept = [(event, place) for event, place in self.kept if event not in gone]
        self.kept = kept if self.log.has_room_for(len(kept)) else []
        rest = _with_whole_calls([self.log.messages[place] for _, place in self.kept])
        self.log.begin_anew(MAIN)
        self.summary = summary or self.summary
        if self.summary:
            self.log.add_parts(name, "user", blocks_of(self.summary), record, kind="summary", **facts)
        if not any(message.role == "system" for message in rest):
            self.log.repeat_prompt()
        for message in rest:  # a copy of a reply is no reply
            kind = "injected" if message.role == "assistant" else message.kind
            self.log.add(message.id, message.raw, {}, kind=kind, time=message.time, is_error=message.is_error)


def _with_whole_calls(messages: Sequence[Message]) -> list[Message]:
    """Messages without replies whose calls have lost a result, and without results whose call has gone."""
    answers = {message.answers for message in messages}
    whole = [message for message in messages if all(call.id in answers for call in message.calls)]
    calls = {call.id for message in whole for call in message.calls}
    return [message for message in whole if message.answers is None or message.answers in calls]
