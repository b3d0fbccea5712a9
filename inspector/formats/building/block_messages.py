"""Conversion of messages whose content is a list of blocks: texts, thinking, calls and results."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from inspector.core.conversation import MAIN
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.building.message_heuristics import request_messages, without_failure
from inspector.formats.reading.content import Fields


class BlockMessages:
    """Adds messages in order. A call without an id is answered by the next result of no known call."""

    def __init__(self) -> None:
        self.log = LogBuilder()
        self.calls = 0
        self.open: deque[str] = deque()
        """Calls without an id that have no result yet."""

    @property
    def end(self) -> int:
        """Position of the message that the next one follows."""
        return self.log.ends.get(MAIN, -1)

    def add_message(self, name: str, message: Fields, record: Fields, after: int | None = None, **facts: Any) -> None:
        """Add a message. Tool results in it become separate messages.

        Args:
            name: Id of the messages.
            message: The message, with a role and content.
            record: The rest of its record.
            after: Position of the message that it follows; by default the last one.
            facts: Further fields of `Message`.
        """
        blocks = [*self._with_ids(message.get("content"))]
        content = blocks if isinstance(message.get("content"), list) else message.get("content")
        raws = request_messages({"role": message.get("role"), "content": content})
        for place, (raw, failure) in enumerate(map(without_failure, raws)):
            if place:
                self.log.add(name, raw, **facts, **failure)
            else:
                self.log.add(name, raw, record, after=after, **facts, **failure)

    def _with_ids(self, content: Any) -> Iterator[Fields]:
        for block in objects_of(content):
            match block:
                case {"type": "tool_use", "id": str(id)} if id:
                    yield block
                case {"type": "tool_use"}:
                    self.calls += 1
                    self.open.append(f"call-{self.calls}")
                    yield block | {"id": self.open[-1]}
                case {"type": "tool_result"} if self.open and block.get("tool_use_id") not in self.log.tools:
                    yield block | {"tool_use_id": self.open.popleft()}
                case _:
                    yield block
