"""Deterministic models on loopback: what they answer follows from the request alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.engine.summaries.endpoint import Asked, Behaviour

MODEL_KEY = "sk-loop-123456789"

Rule = Callable[[list[dict[str, Any]]], str | dict[str, Any]]
"""Returns the text of the reply to messages, or a call as {"name": …, "arguments": …}."""


def model(rule: Rule, **usage: int) -> Behaviour:
    """A chat endpoint that streams what a rule says."""

    def behave(asked: Asked) -> None:
        reply = rule(asked.body["messages"])
        asked.head()
        asked.piece("", role="assistant")
        if isinstance(reply, str):
            for word in reply.split(" "):
                asked.piece(f"{word} ")
            asked.piece(None, "stop")
        else:
            call = {"index": 0, "id": "c", "type": "function", "function": reply}
            asked.piece(None, None, tool_calls=[call])
            asked.piece(None, "tool_calls")
        asked.usage(**(usage or {"prompt_tokens": 100, "completion_tokens": 10}))
        asked.event("[DONE]")

    return behave


def text_in(messages: list[dict[str, Any]]) -> str:
    """All texts of a request, one after another."""
    return "\n".join(str(message.get("content") or "") for message in messages)


def last_line_with(word: str, without: str = "I do not know.") -> Rule:
    """The last line of the context that contains a word; questions aside."""

    def rule(messages: list[dict[str, Any]]) -> str:
        lines = [line for line in text_in(messages).splitlines() if word in line and not line.endswith("?")]
        return lines[-1] if lines else without

    return rule


def calls(name: str, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments)}


def environment(url: str, **more: str) -> Mapping[str, str]:
    """The variables that name a model on loopback."""
    return {"INSPECTOR_MODEL": "gpt-4o", "OPENAI_BASE_URL": url, "OPENAI_API_KEY": MODEL_KEY} | more


def set_model(patch: pytest.MonkeyPatch, url: str) -> None:
    """Set the variables that name a model on loopback."""
    for name, value in environment(url).items():
        patch.setenv(name, value)
