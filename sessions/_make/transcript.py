"""Writes a session as the coding agent of that name records it: JSON Lines, one record a line, linked by `parentUuid`.

A reply of several blocks becomes several lines that share `message.id`, and only the last of them carries the whole
`output_tokens`, as in real recordings. Usage is worked out from what was really added, with the system prompt and the
tool definitions (`overhead`, in tokens) counted although no line holds them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .names import Clock, Names
from .tokens import estimate

Record = dict[str, Any]
CACHE_LIVES = 300.0
"""Seconds after which the provider forgets a cached prefix."""


def say(text: str) -> Record:
    return {"type": "text", "text": text}


@dataclass(frozen=True)
class Outcome:
    """What a tool answered: the text that the model reads, and the recorder's own structured copy of it."""

    content: str | list[Record]
    structured: Any
    is_error: bool = False


@dataclass
class Transcript:
    """One file in the making. `agent` is set for a sub-agent, whose lines are all a side chain."""

    seed: str
    clock: Clock
    cwd: str
    branch: str
    model: str
    version: str
    slug: str
    session: str = ""
    agent: str = ""
    overhead: int = 15_000
    names: Names = field(init=False)
    records: list[Record] = field(default_factory=list)
    parent: str | None = None
    sent: int = 0
    """Tokens of the conversation that the next call sends, without the overhead."""
    cached: int = 0
    called: float = 0.0
    """When the model was called last, in seconds."""
    origin: dict[str, str] = field(default_factory=dict)
    """The line that each call stands in."""

    def __post_init__(self) -> None:
        self.names = Names(self.seed)
        self.session = self.session or self.names.uuid()

    def write(self, type_: str, fields: Record, *, parent: str | None, chain: bool = True) -> str:
        """Add a record with the fields that all linked records have; gives its uuid."""
        uuid = self.names.uuid()
        record: Record = {
            "parentUuid": parent,
            "isSidechain": bool(self.agent),
            "userType": "external",
            "cwd": self.cwd,
        }
        record |= {"sessionId": self.session, "version": self.version, "gitBranch": self.branch}
        record |= {"agentId": self.agent} if self.agent else {}
        record |= {"slug": self.slug} if self.slug else {}
        self.records.append(record | {"type": type_} | fields | {"uuid": uuid, "timestamp": self.clock.stamp})
        if chain:
            self.parent = uuid
        return uuid

    def loose(self, record: Record) -> None:
        """Add a record that is not part of the chain, as it is."""
        self.records.append(record)

    def user(self, content: str | list[Record], *, after: float = 0.0, **fields: Any) -> str:
        """A person's (or a program's) message, `after` seconds."""
        self.clock.wait(after)
        self.sent += 4 + estimate(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        return self.write("user", {"message": {"role": "user", "content": content}} | fields, parent=self.parent)

    def reply(self, blocks: Sequence[Record], *, after: float = 6.0) -> list[str]:
        """One model call that answers with `blocks`; gives the ids of its tool calls."""
        usage, output = self.usage(), 3 + sum(estimate(spoken(block)) + 4 for block in blocks)
        head = {"model": self.model, "id": self.names.short("msg_01"), "type": "message", "role": "assistant"}
        request = self.names.short("req_011C", 20)
        self.clock.wait(after)
        for place, block in enumerate(blocks, start=1):
            last = place == len(blocks)
            counted = output if last else min(output, self.names.between(1, 9))
            stop = ("tool_use" if block["type"] == "tool_use" else "end_turn") if last else None
            message: Record = head | {"content": [block], "stop_reason": stop, "stop_sequence": None}
            message |= {"usage": usage | {"output_tokens": counted, "service_tier": "standard"}}
            uuid = self.write("assistant", {"message": message, "requestId": request}, parent=self.parent)
            if block["type"] == "tool_use":
                self.origin[block["id"]] = uuid
            self.clock.blink()
        self.sent += output
        return [block["id"] for block in blocks if block["type"] == "tool_use"]

    def usage(self) -> Record:
        """What the provider reports about the input of the next call, and the state of its cache after it."""
        now = self.clock.now.timestamp()
        read = self.cached if now - self.called < CACHE_LIVES else 0
        total, fresh = self.overhead + self.sent, self.names.between(3, 11)
        written = total - read - fresh
        self.cached, self.called = total - fresh, now
        return {
            "input_tokens": fresh,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        }

    def answer(self, call: str, outcome: Outcome, *, after: float = 0.4) -> str:
        """The result of a call, linked to the line that the call stands in."""
        self.clock.wait(after)
        block: Record = {"tool_use_id": call, "type": "tool_result", "content": outcome.content}
        block |= {"is_error": True} if outcome.is_error else {}
        text = outcome.content if isinstance(outcome.content, str) else json.dumps(outcome.content, ensure_ascii=False)
        self.sent += 6 + estimate(text)
        fields: Record = {"message": {"role": "user", "content": [block]}, "toolUseResult": outcome.structured}
        fields |= {"sourceToolAssistantUUID": self.origin[call]}
        return self.write("user", fields, parent=self.origin[call])

    def call(self, name: str, arguments: Record) -> Record:
        return {"type": "tool_use", "id": self.names.short("toolu_01"), "name": name, "input": arguments}

    def think(self, text: str) -> Record:
        return {"type": "thinking", "thinking": text, "signature": self.names.signature(96 + len(text) % 120)}

    def system(self, subtype: str, **fields: Any) -> str:
        self.clock.blink()
        return self.write("system", {"subtype": subtype} | fields, parent=self.parent)

    def progress(self, call: str, output: str, seconds: int) -> None:
        """A sign of life from a command that takes long; it hangs on the call and is not part of the chain."""
        data = {"type": "bash_progress", "output": output, "fullOutput": output, "elapsedTimeSeconds": seconds}
        fields = {"data": data | {"totalLines": output.count("\n") + 1}, "toolUseID": f"bash-progress-{seconds}"}
        self.write("progress", fields | {"parentToolUseID": call}, parent=self.origin[call], chain=False)

    def rest(self, seconds: float) -> None:
        """The end of a turn: the recorder notes how long it took."""
        self.system("turn_duration", durationMs=round(1000 * seconds), isMeta=False)

    def compact(self, summary: str) -> None:
        """An automatic compaction: a boundary with no parent, and the summary that stands for all before it."""
        before = self.overhead + self.sent
        boundary = {
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": False,
            "level": "info",
        }
        boundary |= {"logicalParentUuid": self.parent, "compactMetadata": {"trigger": "auto", "preTokens": before}}
        self.clock.wait(48)
        self.write("system", boundary, parent=None)
        self.sent, self.cached = 0, self.overhead - 40
        self.clock.blink()
        self.called = self.clock.now.timestamp()
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def snapshot(self, message: str, files: Sequence[str], *, update: bool = False) -> None:
        """The recorder's note of which files it has a copy of; not part of the conversation."""
        backups = {
            name: {"backupFileName": f"{self.names.hex(16)}@v{place}", "version": place, "backupTime": self.clock.stamp}
            for place, name in enumerate(files, start=1)
        }
        held = {"messageId": message, "trackedFileBackups": backups, "timestamp": self.clock.stamp}
        record = {"type": "file-history-snapshot", "messageId": message, "snapshot": held, "isSnapshotUpdate": update}
        self.loose(record)

    def queue(self, operation: str, content: str = "") -> None:
        """A message that was typed while the agent was at work, put in the queue or taken out."""
        record = {"type": "queue-operation", "operation": operation, "timestamp": self.clock.stamp}
        self.loose(record | {"sessionId": self.session} | ({"content": content} if content else {}))

    def title(self, text: str) -> None:
        self.loose({"type": "summary", "summary": text, "leafUuid": self.parent})

    def text(self) -> str:
        return "".join(f"{line(record)}\n" for record in self.records)


def line(record: Record) -> str:
    """A record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def spoken(block: Record) -> str:
    """What of a block the model has written."""
    match block["type"]:
        case "text":
            return str(block["text"])
        case "thinking":
            return str(block["thinking"])
        case "tool_use":
            return f"{block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
        case _:
            return json.dumps(block, ensure_ascii=False)
