"""Steps of an agent as messages of the APIs and libraries whose messages a memory accepts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Asked(NamedTuple):
    text: str


class Replied(NamedTuple):
    text: str


class Called(NamedTuple):
    name: str
    arguments: dict[str, Any]
    result: str


Step = Asked | Replied | Called
Writer = Callable[[Step, str], list[dict[str, Any]]]
"""Returns the messages of a step whose call has an id."""


def chat(step: Step, call: str) -> list[dict[str, Any]]:
    """Messages of OpenAI's chat completions."""
    match step:
        case Asked(text):
            return [{"role": "user", "content": text}]
        case Replied(text):
            return [{"role": "assistant", "content": text}]
        case Called(name, arguments, result):
            function = {"name": name, "arguments": json.dumps(arguments)}
            return [
                {"role": "assistant", "content": None, "tool_calls": [tool_call(call, function)]},
                {"role": "tool", "tool_call_id": call, "content": result},
            ]


def tool_call(call: str, function: dict[str, Any]) -> dict[str, Any]:
    return {"id": call, "type": "function", "function": function}


def responses(step: Step, call: str) -> list[dict[str, Any]]:
    """Items of OpenAI's Responses API."""
    match step:
        case Asked(text):
            return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
        case Replied(text):
            content = [{"type": "output_text", "text": text, "annotations": []}]
            return [{"type": "message", "role": "assistant", "id": f"msg_{call}", "content": content}]
        case Called(name, arguments, result):
            return [
                {"type": "function_call", "call_id": call, "name": name, "arguments": json.dumps(arguments)},
                {"type": "function_call_output", "call_id": call, "output": result},
            ]


def anthropic(step: Step, call: str) -> list[dict[str, Any]]:
    """Messages of Anthropic's API."""
    match step:
        case Asked(text):
            return [{"role": "user", "content": [{"type": "text", "text": text}]}]
        case Replied(text):
            return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
        case Called(name, arguments, result):
            answer = {"type": "tool_result", "tool_use_id": call, "content": result}
            return [
                {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name, "input": arguments}]},
                {"role": "user", "content": [answer]},
            ]


def gemini(step: Step, call: str) -> list[dict[str, Any]]:
    """Contents of the Gemini API."""
    match step:
        case Asked(text):
            return [{"role": "user", "parts": [{"text": text}]}]
        case Replied(text):
            return [{"role": "model", "parts": [{"text": text}]}]
        case Called(name, arguments, result):
            response = {"id": call, "name": name, "response": {"output": result}}
            return [
                {"role": "model", "parts": [{"functionCall": {"name": name, "args": arguments, "id": call}}]},
                {"role": "user", "parts": [{"functionResponse": response}]},
            ]


def langchain(step: Step, call: str) -> list[dict[str, Any]]:
    """Messages of LangChain."""
    match step:
        case Asked(text):
            return [{"type": "human", "content": text}]
        case Replied(text):
            return [{"type": "ai", "content": text}]
        case Called(name, arguments, result):
            calls = [{"name": name, "args": arguments, "id": call, "type": "tool_call"}]
            return [
                {"type": "ai", "content": "", "tool_calls": calls},
                {"type": "tool", "content": result, "tool_call_id": call, "name": name},
            ]


def pydantic(step: Step, call: str) -> list[dict[str, Any]]:
    """Messages of Pydantic AI."""
    match step:
        case Asked(text):
            return [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}]
        case Replied(text):
            return [{"kind": "response", "parts": [{"part_kind": "text", "content": text}]}]
        case Called(name, arguments, result):
            own = {"tool_name": name, "tool_call_id": call}
            return [
                {"kind": "response", "parts": [{"part_kind": "tool-call", "args": arguments, **own}]},
                {"kind": "request", "parts": [{"part_kind": "tool-return", "content": result, **own}]},
            ]


FORMS: Mapping[str, tuple[Writer, str, str]] = {
    "chat": (chat, "gpt-5", "openai"),
    "responses": (responses, "gpt-5", "openai-responses"),
    "anthropic": (anthropic, "claude-sonnet-4-5", "anthropic"),
    "gemini": (gemini, "gemini-2.5-pro", "openai"),
    "langchain": (langchain, "gpt-5", "openai"),
    "pydantic": (pydantic, "gpt-5", "openai"),
}
"""Writers of messages, each with a model and the provider whose requests its agent sends."""
