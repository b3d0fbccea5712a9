"""A small file of every format that agents in editors keep, with one question and one answer in it."""

from __future__ import annotations

from typing import Any


def editor_samples(question: str, answer: str) -> dict[str, list[Any]]:
    """The records of a file of JSON lines of each."""
    return {
        "cline": [
            {"role": "user", "content": [{"type": "text", "text": question}], "ts": 1767323045000},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": answer}],
                "ts": 1767323046000,
                "modelInfo": {"modelId": "claude-sonnet-4-5", "providerId": "anthropic", "mode": "act"},
                "metrics": {"tokens": {"prompt": 9, "completion": 3, "cached": 0}, "cost": 0.01},
            },
        ],
        "copilot-chat": [
            {"kind": 0, "v": {"version": 3, "sessionId": "s1", "creationDate": 1767323045000, "requests": []}},
            {"kind": 2, "k": ["requests"], "v": [{"requestId": "r1", "message": {"text": question}, "response": []}]},
            {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": answer}]},
        ],
    }
