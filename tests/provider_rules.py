"""What the two providers enforce on a request, written from their own refusals and apart from the exporter.

Each check gives the refusals that a request would meet, in the providers' words where these are known; none for a
request that would be taken. Tests of everything that makes contexts lean on this file, so nothing in it may come from
the code under test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Request = dict[str, Any]

OPENAI_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
OPENAI_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
ANTHROPIC_ID = re.compile(r"^[a-zA-Z0-9_-]+$")
ANTHROPIC_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
LEFT_OUT = "claude-opus-4-6"
"""A request may leave its model to whoever sends it: then the strictest one may be put in."""
OPENAI_SPEAKER = re.compile(r"^[^\s<|\\/>]{1,64}$")
OPENAI_KINDS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
ANTHROPIC_KINDS = ("search_result", "tool_reference", "container_upload", "compaction")
THOUGHTS = ("thinking", "redacted_thinking")
STRAY = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def check_openai(request: Request) -> list[str]:
    """The refusals that a chat completions request would meet."""
    return [*not_json(request), *openai_top(request), *openai_messages(request.get("messages"))]


def check_anthropic(request: Request) -> list[str]:
    """The refusals that a messages request would meet."""
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        return ["messages: at least one message is required"]
    thinks = isinstance(request.get("thinking"), dict) and request["thinking"].get("type") in ("enabled", "adaptive")
    return [
        *not_json(request),
        *anthropic_top(request),
        *anthropic_order(messages),
        *(refusal for at, message in enumerate(messages) for refusal in anthropic_message(message, at, len(messages))),
        *anthropic_pairs(messages),
        *anthropic_end(messages, thinks, by_budget=thinks and request["thinking"]["type"] == "enabled"),
        *anthropic_prefill(request, messages, thinks),
        *anthropic_thinking(request, messages),
        *anthropic_tools(request, messages),
    ]


def not_json(request: Request) -> Iterator[str]:
    try:
        json.dumps(request, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        yield f"We could not parse the JSON body of your request: {error}"


# --- OpenAI


def openai_top(request: Request) -> Iterator[str]:
    if not isinstance(request.get("model", LEFT_OUT), str) or not request.get("model", LEFT_OUT):
        yield "you must provide a model parameter"
    for key, value in request.items():
        if value is None:
            yield f"Invalid type for '{key}': got null instead"
    tools = request.get("tools")
    if tools is not None and (not isinstance(tools, list) or not tools):
        yield "[] is too short - 'tools'"
    if tools is None and "tool_choice" in request:
        yield "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
    for at, tool in enumerate(tools or []):
        if tool.get("type") == "function":
            function = tool.get("function")
            if not isinstance(function, dict) or not OPENAI_NAME.match(str(function.get("name"))):
                yield f"Invalid 'tools[{at}].function.name': string does not match pattern."


def openai_messages(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "[] is too short - 'messages'"
        return
    waiting: list[str] = []
    last_role = ""
    for at, message in enumerate(messages):
        yield from openai_shape(message, at)
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages[{at}]: {STRAY}"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield unanswered(waiting)
        if role == last_role and role in ("user", "assistant") and mergeable(messages[at - 1], message):
            yield f"messages[{at}]: two neighbours from the {role} that could be one"
        waiting = [call.get("id") for call in message.get("tool_calls") or []]
        last_role = str(role)
    if waiting:
        yield unanswered(waiting)


def mergeable(first: Any, second: Any) -> bool:
    """Not a refusal of this provider's, but of many that speak its language."""
    plain = {"role", "content"}
    return set(first) == set(second) == plain


def unanswered(waiting: list[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(map(str, waiting))}"
    )


def openai_shape(message: Any, at: int) -> Iterator[str]:
    role = message.get("role")
    if role not in OPENAI_ROLES:
        yield f"Invalid value: {role!r}. Supported values are: {OPENAI_ROLES}"
    for name in ("name", "tool_calls", "function_call", "tool_call_id"):
        if name in message and message[name] is None:
            yield f"Invalid type for 'messages[{at}].{name}': got null instead."
    if "name" in message and not OPENAI_SPEAKER.match(str(message["name"])):
        yield f"Invalid 'messages[{at}].name': string does not match pattern."
    yield from openai_content(message, at)
    if "tool_calls" in message:
        yield from openai_calls(message, at)
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield f"Missing required parameter: 'messages[{at}].tool_call_id'."
    if "content_parts" in message:
        yield f"Unknown parameter: 'messages[{at}].content_parts'."


def openai_content(message: Any, at: int) -> Iterator[str]:
    content, role = message.get("content"), message.get("role")
    if content is None:
        if not message.get("tool_calls") and not message.get("function_call"):
            yield f"Invalid value for 'content': expected a string, got null. ('messages[{at}].content')"
        return
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield f"Invalid type for 'messages[{at}].content': expected one of a string or array of objects."
        return
    if not content:
        yield f"Invalid 'messages[{at}].content': empty array. Expected an array with minimum length 1."
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            yield f"Invalid type for 'messages[{at}].content[]': expected an object with a type."
        elif block["type"] == "text" and not isinstance(block.get("text"), str):
            yield f"Missing required parameter: 'messages[{at}].content[].text'."
        elif block["type"] in ("image_url", "file") and role != "user":
            yield (
                f"Invalid 'messages[{at}]'. Image URLs are only allowed for messages with role 'user', but this "
                f"message with role '{role}' contains an image URL."
            )
        elif block["type"] not in OPENAI_KINDS:
            yield f"Invalid value: '{block['type']}'. Supported values are: 'text', 'image_url', 'input_audio', 'file'."


def openai_calls(message: Any, at: int) -> Iterator[str]:
    calls = message["tool_calls"]
    if message.get("role") != "assistant":
        yield f"Unknown parameter: 'messages[{at}].tool_calls'."
    if not isinstance(calls, list) or not calls:
        yield f"Invalid 'messages[{at}].tool_calls': empty array. Expected an array with minimum length 1."
        return
    ids = [call.get("id") for call in calls]
    if len(set(ids)) < len(ids):
        yield f"Duplicate value for 'tool_call_id' in 'messages[{at}]'"
    for call in calls:
        if not isinstance(call.get("id"), str) or not call["id"]:
            yield f"Missing required parameter: 'messages[{at}].tool_calls[].id'."
        elif len(call["id"]) > 40:
            yield f"Invalid 'messages[{at}].tool_calls[].id': string too long. Expected maximum length 40."
        if call.get("type") == "custom":
            continue
        function = call.get("function")
        if call.get("type") != "function" or not isinstance(function, dict):
            yield f"Missing required parameter: 'messages[{at}].tool_calls[].function'."
            continue
        if not isinstance(function.get("name"), str) or not OPENAI_NAME.match(function["name"]):
            yield f"Invalid 'messages[{at}].tool_calls[].function.name': string does not match pattern."
        if not isinstance(function.get("arguments"), str):
            yield f"Invalid type for 'messages[{at}].tool_calls[].function.arguments': expected a string."


# --- Anthropic


def blocks_of(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def anthropic_top(request: Request) -> Iterator[str]:
    if not isinstance(request.get("model", LEFT_OUT), str) or not request.get("model", LEFT_OUT):
        yield "model: Field required"
    if type(request.get("max_tokens")) is not int or request["max_tokens"] < 1:
        yield "max_tokens: Field required"
    for key, value in request.items():
        if value is None:
            yield f"{key}: Input should be a valid value"
    system = request.get("system", "x")
    if isinstance(system, str) and not system.strip():
        yield "system: text content blocks must be non-empty"
    if isinstance(system, list):
        for at, block in enumerate(system):
            if not isinstance(block, dict) or block.get("type") != "text" or not str(block.get("text") or "").strip():
                yield f"system.{at}: text content blocks must contain non-whitespace text"
        if not system:
            yield "system: List should have at least 1 item"


def anthropic_order(messages: list[Any]) -> Iterator[str]:
    if messages[0].get("role") != "user":
        yield "messages: first message must use the user role"
    for at, (before, after) in enumerate(pairwise(messages), 1):
        if before.get("role") == after.get("role"):
            yield f"messages.{at}: roles must alternate between 'user' and 'assistant'"


def anthropic_message(message: Any, at: int, count: int) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        yield f"messages.{at}.role: Input should be 'user' or 'assistant'"
    if not isinstance(content, str | list):
        yield f"messages.{at}.content: Input should be a valid list"
        return
    if not content and not (role == "assistant" and at == count - 1):
        yield f"messages.{at}: all messages must have non-empty content except for the optional final assistant message"
    for place, block in enumerate(blocks_of(message)):
        yield from (f"messages.{at}.content.{place}: {refusal}" for refusal in anthropic_block(block, role))
    kinds = [block.get("type") for block in blocks_of(message) if isinstance(block, dict)]
    if role == "assistant" and kinds and kinds[-1] in THOUGHTS:
        yield f"messages.{at}: The final block in an assistant message cannot be `thinking`."


def anthropic_block(block: Any, role: Any) -> Iterator[str]:
    match block:
        case {"type": "text"}:
            if not isinstance(block.get("text"), str) or not block["text"]:
                yield "text content blocks must be non-empty"
            elif not block["text"].strip():
                yield "text content blocks must contain non-whitespace text"
        case {"type": "tool_use"}:
            yield from anthropic_call(block, role)
        case {"type": "tool_result"}:
            yield from anthropic_result(block, role)
        case {"type": "thinking"}:
            if role != "assistant" or not isinstance(block.get("thinking"), str) or not block.get("signature"):
                yield "thinking.signature: Field required"
        case {"type": "redacted_thinking"}:
            if role != "assistant" or not isinstance(block.get("data"), str) or not block["data"]:
                yield "redacted_thinking.data: Field required"
        case {"type": "image" | "document"}:
            yield from anthropic_media(block, role)
        case {"type": str(kind)}:
            if kind not in ANTHROPIC_KINDS and not kind.endswith(("_tool_use", "_tool_result")):
                yield f"Input tag '{kind}' found using 'type' does not match any of the expected tags"
        case _:
            yield "Input should be a valid dictionary with a type"


def anthropic_call(block: Any, role: Any) -> Iterator[str]:
    if role != "assistant":
        yield "`tool_use` blocks can only be in `assistant` messages"
    if not isinstance(block.get("id"), str) or not ANTHROPIC_ID.match(block["id"]) or len(block["id"]) > 64:
        yield "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if not isinstance(block.get("name"), str) or not ANTHROPIC_NAME.match(block["name"]):
        yield "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
    if not isinstance(block.get("input"), dict):
        yield "tool_use.input: Input should be a valid dictionary"


def anthropic_result(block: Any, role: Any) -> Iterator[str]:
    if role != "user":
        yield "`tool_result` blocks can only be in `user` messages"
    content = block.get("content", "")
    if not isinstance(content, str | list):
        yield "tool_result.content: Input should be a valid list"
        return
    if block.get("is_error") and not (content.strip() if isinstance(content, str) else content):
        yield "tool_result: content cannot be empty if `is_error` is true"
    for inner in content if isinstance(content, list) else []:
        if isinstance(inner, dict) and inner.get("type") in ("tool_use", "tool_result", *THOUGHTS):
            yield f"tool_result.content: Input tag '{inner['type']}' does not match any of the expected tags"
        yield from anthropic_block(inner, "user")


def anthropic_media(block: Any, role: Any) -> Iterator[str]:
    if role != "user":
        yield f"`{block['type']}` blocks are not permitted in assistant messages"
    source = block.get("source")
    if not isinstance(source, dict) or not isinstance(source.get("type"), str):
        yield f"{block['type']}.source: Field required"
        return
    if source["type"] == "base64":
        allowed = PICTURES if block["type"] == "image" else ("application/pdf",)
        if source.get("media_type") not in allowed or not source.get("data"):
            yield f"{block['type']}.source.base64.media_type: Input should be one of {allowed}"


def anthropic_pairs(messages: list[Any]) -> Iterator[str]:
    seen: set[str] = set()
    for at, message in enumerate(messages):
        blocks = [block for block in blocks_of(message) if isinstance(block, dict)]
        ids = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        if seen & set(ids) or len(set(ids)) < len(ids):
            yield f"messages.{at}: `tool_use` ids must be unique"
        seen |= set(map(str, ids))
        after = (
            [block for block in blocks_of(messages[at + 1]) if isinstance(block, dict)]
            if at + 1 < len(messages)
            else []
        )
        answered = [block.get("tool_use_id") for block in after if block.get("type") == "tool_result"]
        if missing := [each for each in ids if each not in answered]:
            yield (
                f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(map(str, missing))}. Each `tool_use` block must have a corresponding `tool_result` block "
                "in the next message."
            )
        yield from anthropic_answers(messages, at, blocks)


def anthropic_answers(messages: list[Any], at: int, blocks: list[Any]) -> Iterator[str]:
    """The rules for the results in a message: asked for just before, once each, and first."""
    asked = [block.get("id") for block in blocks_of(messages[at - 1]) if block.get("type") == "tool_use"] if at else []
    results = [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]
    for each in results:
        if each not in asked:
            yield (
                f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {each}. Each `tool_result` "
                "block must have a corresponding `tool_use` block in the previous message."
            )
    if len(set(results)) < len(results):
        yield f"messages.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks"
    kinds = [block.get("type") for block in blocks]
    if results and kinds[: len(results)] != ["tool_result"] * len(results):
        yield f"messages.{at}: `tool_result` blocks must come first in the content of the user message"


def anthropic_end(messages: list[Any], thinks: bool, by_budget: bool) -> Iterator[str]:
    last = messages[-1]
    if last.get("role") == "assistant":
        blocks = blocks_of(last)
        if blocks and blocks[-1].get("type") == "text" and blocks[-1]["text"] != blocks[-1]["text"].rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"
        if not thinks and any(block.get("type") in THOUGHTS for block in blocks):
            yield (
                f"messages.{len(messages) - 1}: When thinking is disabled, an `assistant` message in the final "
                "position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request."
            )
    if not thinks:
        return
    replies = [at for at, message in enumerate(messages) if message.get("role") == "assistant"]
    after = blocks_of(messages[replies[-1] + 1]) if replies and replies[-1] + 1 < len(messages) else []
    in_loop = replies and (
        replies[-1] == len(messages) - 1 or any(block.get("type") == "tool_result" for block in after)
    )
    places = slice(1 if by_budget else None)
    if in_loop and not any(block.get("type") in THOUGHTS for block in blocks_of(messages[replies[-1]])[places]):
        yield (
            f"messages.{replies[-1]}.content.0.type: Expected `thinking` or `redacted_thinking`. When `thinking` is "
            "enabled, a final `assistant` message must start with a thinking block"
        )


def anthropic_prefill(request: Request, messages: list[Any], thinks: bool) -> Iterator[str]:
    """Claude 4.6 and newer, and all that think, go on with no reply."""
    version = re.search(r"claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)", request.get("model", LEFT_OUT))
    newer = version and (int(version[1]), int(version[2] or 0)) >= (4, 6)
    if messages[-1].get("role") == "assistant" and (newer or thinks):
        yield "This model does not support assistant message prefill. The conversation must end with a user message."


def anthropic_thinking(request: Request, messages: list[Any]) -> Iterator[str]:
    """With a budget of thinking, what holds any begins with it."""
    if (request.get("thinking") or {}).get("type") != "enabled":
        return
    for at, message in enumerate(messages):
        kinds = [block.get("type") for block in blocks_of(message)]
        if message.get("role") == "assistant" and any(kind in THOUGHTS for kind in kinds) and kinds[0] not in THOUGHTS:
            yield (
                f"messages.{at}.content.0: If an assistant message contains any thinking blocks, the first block must "
                f"be `thinking` or `redacted_thinking`. Found `{kinds[0]}`."
            )


def anthropic_tools(request: Request, messages: list[Any]) -> Iterator[str]:
    tools = request.get("tools")
    used = any(
        isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result")
        for message in messages
        for block in blocks_of(message)
    )
    if used and not tools:
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"
    if not tools and "tool_choice" in request:
        yield "tool_choice: may only be specified while providing tools"
    for at, tool in enumerate(tools or []):
        if "type" in tool and tool["type"] != "custom":
            continue
        if not isinstance(tool.get("name"), str) or not ANTHROPIC_NAME.match(tool["name"]):
            yield f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if not isinstance(tool.get("input_schema"), dict) or tool["input_schema"].get("type") != "object":
            yield f"tools.{at}.custom.input_schema.type: Field required"
