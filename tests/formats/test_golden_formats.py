"""Compare the sessions of recordings of every format with the golden files.

A recording is a sample of `samples.py`, or a file or folder in `recordings/`, named after the rule that it shows. If
sessions are meant to change, write the golden files again and read the diff:

    GOLDEN=write pytest tests/formats/test_golden_formats.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Message, Session, ToolCall
from inspector.formats import FORMATS, find, load
from tests.formats.samples import write_sample

HERE = Path(__file__).parent
GOLDEN, RECORDINGS = HERE / "golden", HERE / "recordings"
WIDTH = 100
"""Characters of a text that are shown; the digest covers the rest."""
NAMES = sorted(
    [f"samples/{name}" for name in FORMATS.own]
    + [str(path.relative_to(RECORDINGS)) for path in RECORDINGS.glob("*/*") if not path.name.startswith(".")]
)


def golden(path: Path) -> str:
    """The sessions of a file as JSON, one message per line."""
    return f"[{','.join(map(session_text, load(path)))}]\n"


def session_text(session: Session) -> str:
    head = {
        "format": session.format,
        "id": session.id,
        "title": session.title,
        "model": session.model,
        "dialect": session.dialect,
        "records_system": session.records_system,
        "line": session.line or None,
        "agents": session.agents,
        "turns": session.replies,
        "compactions": session.compactions,
        "tools": session.tools,
        "settings": session.settings or None,
        "sizes": session.sizes and session.sizes._asdict(),
        "problems": tuple((problem.line, problem.message, problem.text) for problem in session.problems),
    }
    rows = ",\n".join(map(as_json, map(message_row, session)))
    lines = ",\n".join(
        f"{as_json(key)}: {as_json(value)}" for key, value in head.items() if value not in ("", (), None)
    )
    return f'{{\n{lines},\n"messages": [\n{rows}\n]}}'


def message_row(message: Message) -> dict[str, Any]:
    """A message without the fields that say nothing."""
    parts, text = message.parts, message.text
    row = {
        "id": message.id,
        "role": message.role,
        "kind": message.kind if message.kind != "chat" else "",
        "name": message.name,
        "agent": message.agent if message.agent != "main" else "",
        "text": shortened(text),
        "parts": " ".join(type(part).__name__ for part in parts),
        "calls": [(part.id, part.name, shortened(part.arguments)) for part in parts if isinstance(part, ToolCall)],
        "heads": [(call.id, call.name) for call in message.calls],
        "answers": message.answers,
        "is_error": message.is_error,
        "thinks": message.thinks,
        "images": message.images,
        "flaw": message.has_flaw,
        "time": message.time,
        "model": message.model,
        "dialect": message.dialect,
        "usage": message.usage and asdict(message.usage),
        "placeholder": message.placeholder,
        "chars": message.chars,
        "digest": digest([message.preview, text, repr(parts), message.raw, message.record]),
    }
    return {"parent": message.parent} | {key: value for key, value in row.items() if value}


def shortened(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}… {len(text)} characters"


def digest(values: Iterable[Any]) -> str:
    """Digest whole texts, the raw message, and the other fields of its record, which are not shown."""
    return sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:12]


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def recording(name: str, folder: Path) -> Path:
    """The file to open of a recording."""
    group, _, own = name.partition("/")
    path = RECORDINGS / name
    if group == "samples":
        return write_sample(own, folder)
    return find(path)[0] if path.is_dir() else path


@pytest.mark.parametrize("name", NAMES)
def test_the_sessions_are_those_that_are_checked_in(name: str, tmp_path: Path) -> None:
    path, found = GOLDEN / f"{name}.json", golden(recording(name, tmp_path))
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found.splitlines() == path.read_text(encoding="utf-8").splitlines()


def test_every_golden_file_is_of_a_recording() -> None:
    assert {str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/*")} == {f"{name}.json" for name in NAMES}
