"""Files that compact at every line and keep all of what stood before: read in time that grows with the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.written import only, write_json, write_lines

MAX_COPIES = 2_000
ROUNDS = 100


def pi_lines() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"type": "session", "id": "s", "cwd": "/pier"}]
    for number in range(ROUNDS):
        message = {"role": "user", "content": [{"type": "text", "text": "Hi."}]}
        lines.append({"type": "message", "id": f"a{number}", "parentId": lines[-1]["id"], "message": message})
        compaction = {"type": "compaction", "id": f"c{number}", "summary": "S", "firstKeptEntryId": "a0"}
        lines.append(compaction | {"parentId": f"a{number}"})
    return lines


def kimi_lines() -> list[dict[str, Any]]:
    said = {"role": "user", "content": [{"type": "text", "text": "Hi."}]}
    lines: list[dict[str, Any]] = [{"type": "tools.set_active_tools", "names": []}]
    for _ in range(ROUNDS):
        lines.append({"type": "context.append_message", "message": said})
        lines.append({"type": "context.apply_compaction", "summary": "S", "keptUserMessageCount": 10**9})
    return lines


def copilot_session() -> dict[str, Any]:
    rounds = [{"id": f"r{number}", "response": "Hi.", "summary": "S"} for number in range(2 * ROUNDS)]
    metadata = {"toolCallRounds": rounds, "summaries": [{"toolCallRoundId": "r0", "text": "S"}] * ROUNDS}
    request = {"requestId": "q", "message": {"text": "Go."}, "result": {"metadata": metadata}}
    late = [
        request | {"requestId": f"l{n}", "result": {"metadata": {"summaries": metadata["summaries"]}}}
        for n in range(30)
    ]
    return {"sessionId": "s", "requesterUsername": "u", "requests": [request, *late]}


def test_what_compactions_keep_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.formats.building.log_builder.MAX_COPIES", MAX_COPIES)
    write_lines(tmp_path / "pi.jsonl", pi_lines())
    write_lines(tmp_path / "wire.jsonl", kimi_lines())
    write_json(tmp_path / "chat.json", copilot_session())
    for name, kind in (("pi.jsonl", "pi"), ("wire.jsonl", "kimi"), ("chat.json", "copilot-chat")):
        session = only(tmp_path / name)
        assert session.format == kind
        assert len(session.messages) <= MAX_COPIES + 4 * ROUNDS
        assert any("its compactions keep more" in str(problem) for problem in session.problems), name
