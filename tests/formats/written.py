"""Small files for tests to read, and the records of a coding agent's transcript to fill them with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.conversation import Message, Session
from inspector.formats import load

Record = dict[str, Any]


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, records: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def only(path: Path) -> Session:
    """The one session in a file."""
    [session] = load(path)
    return session


def texts(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def by_text(session: Session, text: str) -> Message:
    """The message that says just this."""
    [result] = [message for message in session.messages if message.text == text]
    return result


def path_texts(session: Session, text: str) -> list[str]:
    """What is said in the context that ends with the message that says `text`."""
    return [session.messages[at].text for at in session.path_to(session.messages.index(by_text(session, text)))]


@dataclass
class Scribe:
    """Writes a transcript as the coding agent does: every record hangs from the one before unless told otherwise."""

    records: list[Record] = field(default_factory=list)
    session: str = "5e551011-0000"
    common: Record = field(default_factory=dict)
    last: str | None = None

    def add(self, kind: str, uuid: str, /, **fields: Any) -> str:
        record = {"type": kind, "uuid": uuid, "parentUuid": self.last, "sessionId": self.session, **self.common}
        self.records.append(record | {"timestamp": f"2026-03-01T10:{len(self.records):02}:00Z"} | fields)
        self.last = uuid
        return uuid

    def ask(self, uuid: str, text: Any, /, **fields: Any) -> str:
        return self.add("user", uuid, message={"role": "user", "content": text}, **fields)

    def reply(self, uuid: str, id: str, *blocks: Any, usage: Any = None, model: str = "claude-x", **fields: Any) -> str:
        message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": list(blocks)}
        return self.add("assistant", uuid, message=message | ({"usage": usage} if usage else {}), **fields)

    def answer(self, uuid: str, call: str, text: Any, /, **fields: Any) -> str:
        return self.ask(uuid, [{"type": "tool_result", "tool_use_id": call, "content": text}], **fields)

    def write(self, path: Path) -> Path:
        return write_lines(path, self.records)


def says(text: str) -> Record:
    return {"type": "text", "text": text}


def calls(id: str, name: str = "Read", **input: Any) -> Record:
    return {"type": "tool_use", "id": id, "name": name, "input": input}
