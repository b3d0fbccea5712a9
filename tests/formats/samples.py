"""A small file of every format, with the same question and the same answer in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.formats.written import write_lines

ASK = {"role": "user", "content": "Count the orders of May."}
REPLY = "There are three."
SAMPLES: dict[str, list[Any]] = {
    "claude-code": [
        {"type": "user", "uuid": "u1", "sessionId": "s1", "message": ASK},
        {
            "type": "assistant",
            "uuid": "u2",
            "parentUuid": "u1",
            "sessionId": "s1",
            "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": REPLY}]},
        },
    ],
    "codex": [
        {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s1"}},
        {"type": "response_item", "payload": {"type": "message", **ASK}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": REPLY}]},
        },
    ],
    "copilot-cli": [
        {"type": "session.start", "data": {"sessionId": "s1"}, "id": "e1"},
        {"type": "user.message", "data": {"content": ASK["content"]}, "id": "e2", "parentId": "e1"},
        {"type": "assistant.message", "data": {"content": REPLY, "toolRequests": []}, "id": "e3", "parentId": "e2"},
    ],
    "gemini-cli": [
        {"sessionId": "s1", "projectHash": "p1", "startTime": "2026-01-02T03:04:05Z"},
        {"id": "m1", "type": "user", "content": [{"text": ASK["content"]}]},
        {"id": "m2", "type": "gemini", "content": REPLY},
    ],
    "opencode": [
        {
            "info": {"id": "s1"},
            "messages": [
                {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": ASK["content"]}]},
                {"info": {"id": "m2", "role": "assistant"}, "parts": [{"type": "text", "text": REPLY}]},
            ],
        },
    ],
    "pi": [
        {"type": "session", "id": "s1", "cwd": "/tmp"},
        {"type": "message", "message": ASK},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]}},
    ],
    "sharegpt": [
        {"conversations": [{"from": "human", "value": ASK["content"]}, {"from": "gpt", "value": REPLY}]},
    ],
    "locomo": [
        {
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1": [
                    {"speaker": "Ann", "dia_id": "D1:1", "text": ASK["content"]},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": REPLY},
                ],
            },
        },
    ],
    "group-chat": [
        {
            "history": [
                {"role": "system", "name": "Planner", "content": "Be brief."},
                {"role": "human", "content": ASK["content"]},
                {"role": "Counter", "content": REPLY},
            ],
        },
    ],
    "orchestration": [
        {
            "inspector": "collaboration",
            "steps": [{"agent_id": "counter", "request": ASK["content"], "contribution": {"content": REPLY}}],
        },
    ],
    "openai": [
        {
            "model": "gpt-4o",
            "messages": [{"role": "system", "content": "Be brief."}, ASK],
            "choices": [{"message": {"role": "assistant", "content": REPLY}}],
        },
    ],
    "anthropic": [
        {
            "request": {"model": "claude-sonnet-4-0", "max_tokens": 9, "system": "Be brief.", "messages": [ASK]},
            "response": {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "text", "text": REPLY}],
            },
        },
    ],
}
"""Of formats that may stand on lines, the records of such a file."""
OTHER_SAMPLES: dict[str, Callable[[Path], Path]] = {}
"""Of the others, what writes a file into a folder."""


def write_sample(name: str, folder: Path) -> Path:
    """A file of a format."""
    return (
        OTHER_SAMPLES[name](folder) if name in OTHER_SAMPLES else write_lines(folder / "recording.jsonl", SAMPLES[name])
    )
