"""Models whose replies a test writes down beforehand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson

from inspector.memory.shared.single_agent import SingleAgent

Say = Callable[[list[dict[str, Any]]], str]


class ScriptedBackend:
    """Answers with what `say` makes of the messages, and votes for `choice`; keeps all requests."""

    def __init__(self, say: Say | str, choice: str = "", *, by_tool: bool = True) -> None:
        self._say = say
        self._choice = choice
        self._by_tool = by_tool
        self.requests: list[list[dict[str, Any]]] = []

    async def stream_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **_: Any
    ) -> AsyncIterator[dict[str, Any]]:
        self.requests.append(messages)
        is_vote = any(tool["function"]["name"] == "vote" for tool in tools)
        if is_vote and self._by_tool:
            arguments = orjson.dumps({"agent_id": self._choice, "reason": "it is right"}).decode()
            call = {"id": "c1", "type": "function", "function": {"name": "vote", "arguments": arguments}}
            yield {"type": "complete_message", "complete_message": {"role": "assistant", "tool_calls": [call]}}
        else:
            text = f"Vote {self._choice}: it is right" if is_vote else self._text(messages)
            for word in text.split(" "):
                yield {"type": "content", "content": f"{word} "}
            yield {"type": "complete_message", "complete_message": {"role": "assistant", "content": text}}
        yield {"type": "done"}

    def _text(self, messages: list[dict[str, Any]]) -> str:
        return self._say if isinstance(self._say, str) else self._say(messages)


class FailingBackend:
    """A model that breaks off."""

    async def stream_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **_: Any
    ) -> AsyncIterator[dict[str, Any]]:
        yield {"type": "content", "content": "I "}
        raise RuntimeError("the line is dead")


def agents_of(**backends: Any) -> dict[str, SingleAgent]:
    return {name: SingleAgent(backend, name) for name, backend in backends.items()}
