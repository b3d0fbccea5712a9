"""What OpenAI's Responses interface enforces on a request, written from its own refusals and apart from the exporter.

Kept apart from the rules of the other two interfaces for its length; nothing in it may come from the code under test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.provider_rules import Request, not_json

ROLES = ("system", "developer", "user", "assistant")
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
OUTPUTS = {"function_call_output": "function_call", "custom_tool_call_output": "custom_tool_call"}
HOSTED = ("web_search_call", "file_search_call", "code_interpreter_call", "tool_search_call", "tool_search_output")
"""What OpenAI's own tools did; an item goes back as it came."""
SAID = {"user": ("input_text", "input_image", "input_file"), "assistant": ("output_text", "refusal")}
FOREIGN = ("messages", "max_tokens", "max_completion_tokens", "response_format", "reasoning_effort", "stop", "seed")
NO_INPUT = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."


def check_responses(request: Request) -> list[str]:
    """The refusals that a Responses request would meet."""
    items = request.get("input")
    if not isinstance(items, list) or not items:
        return [NO_INPUT]
    return [
        *not_json(request),
        *top(request),
        *(refusal for at, item in enumerate(items) for refusal in shape(item, at)),
        *pairs(items),
        *reasoning(items),
    ]


def top(request: Request) -> Iterator[str]:
    if not request.get("model", "left to whoever sends it"):
        yield "Missing required parameter: 'model'."
    for name, value in request.items():
        if value is None:
            yield f"Invalid type for '{name}': got null instead."
        if name in FOREIGN:
            yield f"Unknown parameter: '{name}'."
    if not isinstance(request.get("instructions", ""), str):
        yield "Invalid type for 'instructions': expected a string."
    for at, tool in enumerate(request.get("tools", [])):
        if tool.get("type") == "function" and not NAME.match(str(tool.get("name"))):
            yield f"Missing required parameter: 'tools[{at}].name'."
        if tool.get("type") == "function" and not isinstance(tool.get("parameters"), dict):
            yield f"Missing required parameter: 'tools[{at}].parameters'."


def shape(item: Any, at: int) -> Iterator[str]:
    kind = item.get("type", "message")
    if kind in CALLS or kind in OUTPUTS:
        name = item.get("call_id")
        if not isinstance(name, str):
            yield f"Missing required parameter: 'input[{at}].call_id'."
        elif not 0 < len(name) <= 64:
            yield f"Invalid 'input[{at}].call_id': string too long or empty: {len(name)}."
    if kind in CALLS:
        if not isinstance(item.get("name"), str) or not NAME.match(item["name"]):
            yield f"Invalid 'input[{at}].name': string does not match pattern."
        if not isinstance(item.get(CALLS[kind]), str):
            yield f"Invalid type for 'input[{at}].{CALLS[kind]}': expected a string."
    elif kind in OUTPUTS:
        yield from content(item.get("output"), SAID["user"], f"input[{at}].output")
    elif kind == "message":
        if item.get("role") not in ROLES:
            yield f"Invalid value: '{item.get('role')}'. Supported values are: {ROLES}"
        yield from content(
            item.get("content"), SAID.get(str(item.get("role")), ("input_text",)), f"input[{at}].content"
        )
        for name in set(item) - {"type", "role", "content", "id", "status"}:
            yield f"Unknown parameter: 'input[{at}].{name}'."
    elif kind == "compaction":
        if not isinstance(item.get("encrypted_content"), str):
            yield f"Missing required parameter: 'input[{at}].encrypted_content'."
    elif kind != "reasoning" and kind not in HOSTED:
        yield f"Invalid value: '{kind}'."


def content(value: Any, kinds: tuple[str, ...], where: str) -> Iterator[str]:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        yield f"Invalid type for '{where}': expected one of an array of objects or string, but got null instead."
        return
    for block in value:
        if not isinstance(block, dict) or block.get("type") not in kinds:
            yield f"Invalid value: '{block}'. Supported values are: {kinds}"
        elif block["type"].endswith("text") and not isinstance(block.get("text"), str):
            yield f"Missing required parameter: '{where}[].text'."


def pairs(items: list[Any]) -> Iterator[str]:
    """Each output has one call of its kind before it, and each call one output, wherever that stands."""
    waiting: dict[str, str] = {}
    ever: set[str] = set()
    for item in items:
        kind, call = item.get("type"), str(item.get("call_id"))
        if kind in CALLS:
            if call in ever:
                yield f"Duplicate function_call for call_id {call}."
            waiting[call] = kind
            ever.add(call)
        elif kind in OUTPUTS and waiting.pop(call, None) != OUTPUTS[kind]:
            yield f"No tool call found for function call output with call_id {call}."
    for call in waiting:
        yield f"No tool output found for function call {call}."


def reasoning(items: list[Any]) -> Iterator[str]:
    """Reasoning is followed by more of it or by what it led to."""
    for at, item in enumerate(items):
        if item.get("type") != "reasoning":
            continue
        after = items[at + 1] if at + 1 < len(items) else {}
        if after.get("role") != "assistant" and after.get("type") not in ("reasoning", *CALLS, *HOSTED):
            yield f"Item '{item.get('id')}' of type 'reasoning' was provided without its required following item."
