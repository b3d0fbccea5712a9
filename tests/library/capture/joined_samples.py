"""A session of Claude Code twice: the transcript that the tool writes, and the requests that a proxy captured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall

SYSTEM = "You keep the lighthouse. " * 200
REMINDER = "<system-reminder>The tide table is in tides.txt.</system-reminder>"
TOOLS = [{"name": "light", "description": "Lights a lamp. " * 120, "input_schema": {"type": "object"}}]
_BEGIN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class Program:
    """A program that writes a transcript, and whose requests are captured."""

    transcript: Path
    capture: Path
    captures: bool = True
    """False while the requests are not captured."""
    lines: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    """Messages of the next request."""
    sizes: list[int] = field(default_factory=list)
    """Reported size of each request."""
    number: int = 0

    def __post_init__(self) -> None:
        self.log = CaptureLog(self.capture)

    @property
    def time(self) -> str:
        moment = _BEGIN + timedelta(seconds=10 * len(self.lines))
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def user(self, text: str, *, reminder: str = "", shown: str | None = None, **fields: Any) -> None:
        """Send a text. `shown` is what the transcript has of it."""
        blocks = [{"type": "text", "text": part} for part in (reminder, text) if part]
        self._add("user", blocks)
        self._write("user", {"role": "user", "content": text if shown is None else shown}, **fields)

    def result(self, text: str, *, reminder: str = "") -> None:
        """Send the result of the newest call."""
        block = {"type": "tool_result", "tool_use_id": f"toolu_{self.number}", "content": text}
        self._add("user", [block, *([{"type": "text", "text": reminder}] if reminder else [])])
        self._write("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": text})

    def reply(self, text: str, *, calls: bool = False) -> None:
        """Let the model reply to the messages."""
        self.number += 1
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if calls:
            blocks.append({"type": "tool_use", "id": f"toolu_{self.number}", "name": "light", "input": {"lamp": text}})
        request = {"model": "claude-opus-5", "system": SYSTEM, "tools": TOOLS, "messages": self.messages}
        size = len(json.dumps(request)) // 4
        self.sizes.append(size)
        usage = {"input_tokens": size, "output_tokens": 40}
        answer = {"id": f"msg_{self.number:024}", "type": "message", "role": "assistant", "model": "claude-opus-5"}
        if self.captures:
            body = json.dumps({**answer, "content": blocks, "usage": usage}).encode()
            sent = json.dumps(request).encode()
            path = "/v1/messages"
            call = CapturedCall("anthropic-messages", path, self.time, 0.5, 200, sent, "", body, "", is_stream=False)
            self.log.append(call)
        self._add("assistant", blocks)
        self._write("assistant", {**answer, "content": blocks, "usage": usage | {"output_tokens": 1}})

    def compact(self, summary: str) -> None:
        """Replace the messages by a summary."""
        self.messages = []
        self._add("user", [{"type": "text", "text": summary}])
        boundary = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
        self._line(boundary | {"compactMetadata": {"trigger": "auto"}}, parent=None)
        self._write("user", {"role": "user", "content": summary}, isCompactSummary=True)

    def _add(self, role: str, blocks: Sequence[dict[str, Any]]) -> None:
        if role == "user" and self.messages and self.messages[-1]["role"] == "user":
            self.messages[-1] = {"role": "user", "content": [*self.messages[-1]["content"], *blocks]}
        else:
            self.messages.append({"role": role, "content": list(blocks)})

    def _write(self, kind: str, message: dict[str, Any], **fields: Any) -> None:
        self._line({"type": kind, "message": message, **fields}, self.lines[-1]["uuid"] if self.lines else None)

    def _line(self, fields: dict[str, Any], parent: str | None) -> None:
        head = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/lamp", "version": "2.1.5"}
        line = {**head, "sessionId": "lamp-session", **fields, "uuid": f"u-{len(self.lines)}", "timestamp": self.time}
        self.lines.append(line)
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def work(program: Program, turns: int, first: int = 0) -> None:
    """Let a program light some lamps, with a call and its result in each turn."""
    for turn in range(first, first + turns):
        text = f"Please light lamp {turn} on the northern pier."
        program.user(text, reminder="" if turn else REMINDER)
        program.reply(f"I light lamp {turn} on the pier now.", calls=True)
        program.result(f"Lamp {turn} burns. " * 30, reminder=f"<system-reminder>Oil: {turn}</system-reminder>")
        program.reply(f"Lamp {turn} on the northern pier burns now.")
