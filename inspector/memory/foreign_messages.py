"""Conversion of the messages and replies of other APIs and libraries to chat messages.

Supported are items of OpenAI's Responses API, contents of the Gemini API, and the messages of LangChain and Pydantic
AI, as objects or as the dictionaries that their libraries write. The libraries themselves are never imported.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard
from uuid import uuid4

from inspector.core.conversation import Usage
from inspector.core.text import clip, dumps, one_line
from inspector.engine.summaries import field_of, parse_usage
from inspector.llm.providers import chat_messages, is_item, usage_unless_zero

_Message = dict[str, Any]
_ITEM_BLOCKS = ("input_text", "output_text", "input_image", "input_file")
_LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
_CALL_BLOCKS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "invalid_tool_call")
_THOUGHT_BLOCKS = ("thinking", "redacted_thinking")
_GEMINI_ROLES = (None, "", "user", "model", "function", "tool", "system")
_PYDANTIC_NOTES = (
    *("instruction", "instruction-delta", "instruction-digest", "instruction-baseline"),
    *("tool-availability-delta", "capability-load-delta", "model-settings-delta"),
)
"""Parts of a request of Pydantic AI that are no messages: the agent's instructions and settings."""
_FOREIGN_KEYS = frozenset({"type", "kind", "parts", "lc"})
"""Keys of which a message of another API has one, unless its content is a list."""
_MAX_REASON = 200


def foreign_messages(value: Any) -> list[_Message] | None:
    """Return the chat messages for a message of another API; None if its form is none of the supported ones.

    A message with several results becomes several chat messages.

    Raises:
        ValueError: The message has no content.
    """
    if type(value) is dict and _FOREIGN_KEYS.isdisjoint(value) and not _is_list(value.get("content")):
        return None
    if _is_item(value):
        messages = chat_messages([_plain_fields(value)])
    elif _is_content(value):
        messages = list(_gemini_messages(value))
    elif _is_pydantic_ai(value):
        is_reply = field_of(value, "kind") == "response"
        messages = [_pydantic_reply(value)] if is_reply else list(_pydantic_messages(value))
    elif role := _langchain_role(value := _langchain_fields(value)):
        messages = [_langchain_message(value, role)]
    else:
        return None
    if not messages:
        raise ValueError("The message has no content.")
    return messages


def foreign_reply(response: Any) -> tuple[_Message, Usage | None] | None:
    """Return the chat message and the usage of a reply of another API; None if its form is none of the supported ones.

    Raises:
        ValueError: The reply has no content.
    """
    if _is_list(output := field_of(response, "output")):
        messages, usage = (
            chat_messages([_plain_fields(item) for item in output]),
            parse_usage(field_of(response, "usage")),
        )
    elif _is_list(candidates := field_of(response, "candidates")):
        content = field_of(candidates[0], "content") if candidates else None
        parts = _items(content, "parts")
        messages = [_gemini_message({"role": "model"}, parts)] if parts else []
        usage = _gemini_usage(_first_set(response, "usageMetadata", "usage_metadata"))
    elif _is_pydantic_ai(response) or _langchain_role(_langchain_fields(response)):
        messages = foreign_messages(response) or []
        usage = _library_usage(response)
    else:
        return None
    replies = [message for message in messages if message["role"] == "assistant"]
    if not replies:
        raise ValueError(f"The model's response has no content{_stop_reason(response)}.")
    return _join_replies(replies), usage


def describe_failure(response: Any) -> str:
    """Return why a response is no reply, in one sentence."""
    error = field_of(response, "error")
    if error and isinstance(error, str | Mapping):
        message = error if isinstance(error, str) else field_of(error, "message")
        words = message if isinstance(message, str) and message.strip() else dumps(error)
        return f"The provider returned an error: {clip(one_line(words), _MAX_REASON).rstrip('.')}."
    if isinstance(message := field_of(error, "message"), str):
        return describe_failure({"error": message})
    if _is_list(choices := field_of(response, "choices")):
        return f"The model's response has {'a choice without a message' if choices else 'no choices'}."
    if reason := _stop_reason(response):
        return f"The model's response has no content{reason}."
    kind = "an empty text" if response == "" else f"a value of type {type(response).__name__}"
    return f"The model's response is {kind}, not a reply in a supported form."


def _stop_reason(response: Any) -> str:
    """Return the reported reason of a reply without content, in parentheses; "" without one."""
    candidates = field_of(response, "candidates")
    details = _first_set(response, "promptFeedback", "prompt_feedback") or field_of(response, "incomplete_details")
    holders = [*(candidates[:1] if _is_list(candidates) else ()), details]
    names = ("finishReason", "finish_reason", "blockReason", "block_reason", "reason")
    reasons = (
        field_of(_first_set(holder, *names), "value") or _first_set(holder, *names) for holder in holders if holder
    )
    reason = next((reason for reason in reasons if isinstance(reason, str)), "")
    return f" ({clip(one_line(reason), _MAX_REASON)})" if reason else ""


def _join_replies(replies: Sequence[_Message]) -> _Message:
    """Return the parts of one reply as one message."""
    if len(replies) == 1:
        return replies[0]
    contents = [reply["content"] for reply in replies if reply["content"]]
    blocks = [
        block for content in contents for block in ([_text_block(content)] if isinstance(content, str) else content)
    ]
    calls = [call for reply in replies for call in reply.get("tool_calls", ())]
    thoughts = [reply["reasoning_content"] for reply in replies if reply.get("reasoning_content")]
    joined = {"role": "assistant", "content": blocks or None} | ({"tool_calls": calls} if calls else {})
    return joined | ({"reasoning_content": "\n\n".join(thoughts)} if thoughts else {})


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)


def _items(thing: Any, name: str) -> Sequence[Any]:
    """Return a list in a field, or an empty one."""
    return value if _is_list(value := field_of(thing, name)) else ()


def _first_set(thing: Any, *names: str) -> Any:
    """Return the first field that is set: libraries write the same field as `functionCall` or `function_call`."""
    return next((value for name in names if (value := field_of(thing, name)) is not None), None)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _plain_fields(value: Any) -> Any:
    """Return an object of a client as a dictionary."""
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if callable(dump) and not isinstance(value, Mapping) else value


def _text_block(text: str) -> _Message:
    return {"type": "text", "text": text}


def _call(call_id: Any, name: Any, arguments: Any) -> _Message:
    """Return a call in the form of a chat API. A call without an id gets one."""
    words = arguments if isinstance(arguments, str) else dumps(arguments or {})
    function = {"name": _string(name), "arguments": words or "{}"}
    return {"id": _string(call_id) or f"call_{uuid4().hex[:24]}", "type": "function", "function": function}


def _media(data: Any, kind: Any) -> _Message:
    """Return a block for an image or a file: an address, Base64, or bytes."""
    if isinstance(data, bytes):
        data = base64.b64encode(data).decode()
    is_address = "://" in data[:12] or data.startswith("data:")
    kind = _string(kind) or "application/octet-stream"
    url = data if is_address else f"data:{kind};base64,{data}"
    if kind.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    return _text_block(f"[{kind}: {url}]") if "://" in url[:12] else {"type": "file", "file": {"file_data": url}}


def _content(blocks: Sequence[_Message]) -> Any:
    """Return blocks as the content of a message: a text if there is nothing else, None if there is nothing."""
    if all(block.get("type") == "text" for block in blocks):
        return "\n\n".join(block["text"] for block in blocks) or None
    return list(blocks)


def _reply(blocks: Sequence[_Message], calls: Sequence[_Message], thoughts: Sequence[str] = ()) -> _Message:
    reply: _Message = {"role": "assistant", "content": _content(blocks)}
    if calls:
        reply["tool_calls"] = list(calls)
    return reply | ({"reasoning_content": "\n\n".join(thoughts)} if any(thoughts) else {})


def _result(call_id: Any, name: Any, content: Any) -> _Message:
    words = content if isinstance(content, str) or _is_blocks(content) else dumps(content)
    result = {"role": "tool", "tool_call_id": _string(call_id), "content": words}
    return result | ({"name": name} if _string(name) else {})


def _is_blocks(content: Any) -> bool:
    return _is_list(content) and bool(content) and all(isinstance(field_of(b, "type"), str) for b in content)


def _is_item(value: Any) -> bool:
    kind = field_of(value, "type")
    if kind is not None and is_item(value if isinstance(value, dict) else {"type": kind}):
        return True
    content = field_of(value, "content")
    if kind not in (None, "message") or not isinstance(field_of(value, "role"), str):
        return False
    if isinstance(content, str):
        return bool(kind == "message")
    return _is_list(content) and any(field_of(block, "type") in _ITEM_BLOCKS for block in content)


def _is_content(value: Any) -> bool:
    """Return True for `{"role", "parts"}`. Messages of Pydantic AI have parts too, and a kind."""
    role = field_of(value, "role")
    is_known = role is None or (isinstance(role, str) and role in _GEMINI_ROLES)
    return is_known and _is_list(field_of(value, "parts")) and not isinstance(field_of(value, "kind"), str)


def _gemini_messages(value: Any) -> Iterator[_Message]:
    """Yield the results of a content, followed by its other parts."""
    others = []
    for part in _items(value, "parts"):
        answer = _first_set(part, "functionResponse", "function_response")
        if answer is None:
            others.append(part)
            continue
        response = field_of(answer, "response")
        output = _first_set(response, "output", "result", "error")
        content = response if output is None else output
        yield _result(field_of(answer, "id"), field_of(answer, "name"), content)
    if others:
        yield _gemini_message(value, others)


def _gemini_message(value: Any, parts: Sequence[Any]) -> _Message:
    calls = [_first_set(part, "functionCall", "function_call") for part in parts]
    thoughts = [_string(field_of(part, "text")) for part in parts if field_of(part, "thought")]
    blocks = [block for part in parts if not field_of(part, "thought") for block in _gemini_blocks(part)]
    role = field_of(value, "role")
    if role != "model":
        return {"role": "system" if role == "system" else "user", "content": _content(blocks)}
    uses = [_call(field_of(c, "id"), field_of(c, "name"), field_of(c, "args")) for c in calls if c is not None]
    return _reply(blocks, uses, thoughts)


def _gemini_blocks(part: Any) -> Iterator[_Message]:
    """Yield a part as a block, except calls."""
    text = field_of(part, "text")
    inline, file = _first_set(part, "inlineData", "inline_data"), _first_set(part, "fileData", "file_data")
    if isinstance(text, str):
        yield _text_block(text)
    elif inline is not None:
        yield _media(field_of(inline, "data") or "", _first_set(inline, "mimeType", "mime_type"))
    elif file is not None:
        yield _media(_string(_first_set(file, "fileUri", "file_uri")), _first_set(file, "mimeType", "mime_type"))
    elif _first_set(part, "functionCall", "function_call") is None:
        yield _text_block(dumps(_plain_fields(part)))


def _gemini_usage(report: Any) -> Usage | None:
    def count(*names: str) -> int:
        value = _first_set(report, *names)
        return value if type(value) is int and value >= 0 else 0

    read = count("promptTokenCount", "prompt_token_count")
    read += count("toolUsePromptTokenCount", "tool_use_prompt_token_count")
    written = count("candidatesTokenCount", "candidates_token_count")
    written += count("thoughtsTokenCount", "thoughts_token_count")
    return usage_unless_zero(read, written, count("cachedContentTokenCount", "cached_content_token_count"), 0)


def _langchain_fields(value: Any) -> Any:
    """Return the fields of a message of LangChain that `dumpd` or `messages_to_dict` wrote; others unchanged."""
    match value:
        case {"lc": int(), "kwargs": dict(fields)} | {"type": "human" | "ai" | "system" | "tool", "data": dict(fields)}:
            return fields
    return value


def _langchain_role(value: Any) -> str:
    """Return the role of a message of LangChain, which has a type instead of a role; "" for anything else."""
    kind = field_of(value, "type")
    if not isinstance(kind, str) or field_of(value, "role") is not None:
        return ""
    kind = kind.removesuffix("MessageChunk").lower()
    return _LANGCHAIN_ROLES.get(kind, "") if isinstance(field_of(value, "content"), str | list) else ""


def _langchain_message(value: Any, role: str) -> _Message:
    content = field_of(value, "content")
    blocks = [_text_block(content)] if isinstance(content, str) else list(map(_langchain_block, content))
    if role == "tool":
        kept = content if isinstance(content, str) else [block for block in blocks if block]
        return _result(field_of(value, "tool_call_id"), field_of(value, "name"), kept)
    kept_blocks = [block for block in blocks if block]
    if role == "assistant":
        return _langchain_reply(value, kept_blocks)
    message: _Message = {"role": role, "content": _content(kept_blocks) or ""}
    return message | ({"name": name} if (name := _string(field_of(value, "name"))) else {})


def _langchain_reply(value: Any, blocks: Sequence[_Message]) -> _Message:
    entries = [*_items(value, "tool_calls"), *_items(value, "invalid_tool_calls")]
    calls = [_call(field_of(call, "id"), field_of(call, "name"), field_of(call, "args")) for call in entries]
    content = _items(value, "content")
    thoughts = [block for block in content if field_of(block, "type") in _THOUGHT_BLOCKS]
    words = [field_of(field_of(value, "additional_kwargs"), "reasoning_content")]
    words += [field_of(block, "reasoning") for block in content if field_of(block, "type") == "reasoning"]
    reply = _reply(blocks, calls, list(filter(None, map(_string, words))))
    return reply | ({"thinking_blocks": thoughts} if thoughts else {})


def _langchain_block(block: Any) -> _Message | None:
    """Return a block of content. Calls and thinking are None, because a message has fields for them."""
    match block:
        case str():
            return _text_block(block)
        case {"type": str(kind)} if kind in _CALL_BLOCKS or kind in _THOUGHT_BLOCKS:
            return None
        case {"type": "reasoning", "reasoning": str()}:
            return None
        case {"type": "text", "text": str(text)}:
            return _text_block(text)
        case {"type": "image" | "file" | "audio" | "video" as kind, **rest} if "source" not in rest:
            data = next((rest[name] for name in ("url", "base64", "data") if isinstance(rest.get(name), str)), None)
            return _media(data, rest.get("mime_type") or f"{kind}/*") if data and kind != "source" else dict(block)
        case {"type": str()}:
            return dict(block)
    return _text_block(dumps(block))


def _is_pydantic_ai(value: Any) -> bool:
    return field_of(value, "kind") in ("request", "response") and _is_list(field_of(value, "parts"))


def _pydantic_messages(value: Any) -> Iterator[_Message]:
    """Yield the parts of a request, each as a message. Its `instructions` are not one of them."""
    for part in _items(value, "parts"):
        kind, content = field_of(part, "part_kind"), field_of(part, "content")
        name, call_id = field_of(part, "tool_name"), field_of(part, "tool_call_id")
        if kind in ("tool-return", "retry-prompt") and name:
            write = getattr(part, "model_response_str", None) or getattr(part, "model_response", None)
            yield _result(call_id, name, write() if callable(write) else content)
        elif kind == "system-prompt":
            yield {"role": "system", "content": _string(content)}
        elif kind in ("user-prompt", "retry-prompt", "retry-feedback"):
            entries = content if _is_list(content) else [content]
            blocks = [block for entry in entries if (block := _pydantic_block(entry))]
            yield {"role": "user", "content": _content(blocks)}
        elif kind not in _PYDANTIC_NOTES:
            raise ValueError(f"A request of Pydantic AI has a part of the unknown kind {kind!r}.")


def _pydantic_block(entry: Any) -> _Message | None:
    """Return a piece of a user's prompt as a block; None for a mark of the prompt cache."""
    if isinstance(entry, str):
        return _text_block(entry)
    kind, media_type = field_of(entry, "kind"), _string(field_of(entry, "media_type"))
    if kind == "cache-point":
        return None
    if kind == "binary" and isinstance(data := field_of(entry, "data"), str | bytes):
        return _media(data, media_type)
    if isinstance(url := field_of(entry, "url"), str) and isinstance(kind, str):
        return _media(url, "image/*" if kind == "image-url" else media_type or kind.removesuffix("-url"))
    return _text_block(dumps(entry))


def _pydantic_reply(value: Any) -> _Message:
    blocks, calls, thoughts = [], [], []
    for part in _items(value, "parts"):
        kind, content = field_of(part, "part_kind"), field_of(part, "content")
        name, call_id = field_of(part, "tool_name"), field_of(part, "tool_call_id")
        if kind == "tool-call":
            calls.append(_call(call_id, name, field_of(part, "args")))
        elif kind == "thinking":
            thoughts.append(_string(content))
        elif kind == "text":
            blocks.append(_text_block(_string(content)))
        elif kind == "file" and (block := _pydantic_block(content)):
            blocks.append(block)
        else:  # an action of the provider's own tools
            detail = field_of(part, "args") if content is None else content
            blocks.append(_text_block(f"[{kind} {name}: {detail if isinstance(detail, str) else dumps(detail)}]"))
    return _reply(blocks, calls, thoughts)


def _library_usage(response: Any) -> Usage | None:
    """Return the usage that LangChain or Pydantic AI reports. Cached tokens are part of the input in both."""
    report = _first_set(response, "usage_metadata", "usage")
    details = field_of(report, "input_token_details")
    values = (
        field_of(report, "input_tokens"),
        field_of(report, "output_tokens"),
        _first_set(report, "cache_read_tokens") or field_of(details, "cache_read"),
        _first_set(report, "cache_write_tokens") or field_of(details, "cache_creation"),
    )
    return usage_unless_zero(*(value if type(value) is int and value >= 0 else 0 for value in values))
