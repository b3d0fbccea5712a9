"""Requests to OpenAI's Responses API, converted from a valid chat request.

Calls and their results are separate items, linked by `call_id`. Messages, calls and results are sent without an `id`,
because an id refers to an object stored by the provider, which can be deleted or belong to someone else. All other
items are sent as recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby
from typing import Any

from inspector.core.conversation import Message, Raw, RequestContext, readable
from inspector.core.text import dumps
from inspector.llm.providers.base import Request
from inspector.llm.providers.openai_chat.chat_request import chat_request
from inspector.llm.providers.openai_chat.chat_settings import STRANGE_TOOL, choice_with_names, model_refusals
from inspector.llm.providers.openai_chat.chat_wire import ITEM, OPENAI_CHAT_WIRE, RESPONSES, block_part, is_internal
from inspector.llm.providers.openai_responses.responses_items import SEALED, is_sealed_summary
from inspector.llm.providers.openai_responses.responses_settings import SAME_SETTINGS
from inspector.llm.providers.tool_names import ToolNames, fit_name, name_of_tool
from inspector.llm.providers.tool_pairing import FIRST_WORDS

_Item = dict[str, Any]

_TEXTS = frozenset({"text", "input_text", "output_text"})


def responses_request(context: RequestContext, messages: Sequence[Message]) -> Request:
    """Return a Responses request with the model, tools and settings of `context`."""
    chat = chat_request(context, messages, keeps_items=True)
    instructions, items = _input_of(chat.pop("messages"))
    request: Request = {"model": chat.pop("model")} if "model" in chat else {}
    if instructions:
        request["instructions"] = instructions
    if tools := list(_tools_of(chat.pop("tools", ()))):
        request["tools"] = tools
    recorded = context.settings.get(RESPONSES) if context.dialect == OPENAI_CHAT_WIRE.name else None
    if isinstance(recorded, Mapping):
        return request | {"input": items} | _own_settings(recorded, request, ToolNames(context))
    return request | {"input": items} | _settings_of(chat)


def _own_settings(recorded: Raw, request: Request, names: ToolNames) -> Request:
    """Return the settings recorded for this API, without those that are invalid for the model or the tools."""
    refused = {name for name, _ in _refused_settings(recorded, request.get("model", ""))}
    if "tools" not in request:
        refused |= {"tool_choice", "parallel_tool_calls"}
    settings = {key: value for key, value in recorded.items() if value is not None and key not in refused}
    if "tool_choice" in settings:
        settings["tool_choice"] = choice_with_names(settings["tool_choice"], names)
    return settings


def _refused_settings(settings: Raw, model: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each setting of this API that a model rejects, and the error message."""
    reasoning = settings.get("reasoning")
    effort = reasoning.get("effort") if isinstance(reasoning, Mapping) else None
    as_chat = {**settings, "reasoning_effort": effort} if effort else settings
    for name, words in model_refusals(as_chat, model):
        yield ("reasoning", words.replace(name, "reasoning.effort")) if name == "reasoning_effort" else (name, words)


def context_refusals(context: RequestContext) -> Iterator[str]:
    """Yield error messages about tools and settings that were recorded for this API."""
    recorded = context.settings.get(RESPONSES)
    if context.dialect != OPENAI_CHAT_WIRE.name or not isinstance(recorded, Mapping):
        return
    names = ToolNames()
    if any(name and not names.is_fit(name) for name in map(name_of_tool, context.tools)):
        yield STRANGE_TOOL.format(field="tools[…].name")
    yield from (words for _, words in _refused_settings(recorded, context.model))


def _input_of(messages: Iterable[_Item]) -> tuple[str, list[_Item]]:
    """Return the `instructions` and `input` fields of a request, from valid chat messages.

    If the first message is a system message of plain text, it becomes the instructions. Other system messages keep
    their positions.
    """
    rest = list(messages)
    instructions = ""
    if rest and rest[0]["role"] in ("system", "developer") and isinstance(rest[0].get("content"), str):
        instructions = rest.pop(0)["content"]
    writer = _Writer({call["id"] for item in rest for call in item.get("tool_calls") or ()})
    items = [entry for item in rest for entry in writer.items(item)]
    return instructions, items or [{"role": "user", "content": FIRST_WORDS}]


class _Writer:
    """Converts chat messages to items one by one, keeping track of the types of open calls."""

    def __init__(self, ids: set[str]) -> None:
        self.ids = ids
        self.custom: set[str] = set()
        self.older_id = ""
        """Generated id of the latest `function_call` (the deprecated form), which has none."""

    def items(self, message: _Item) -> Iterator[_Item]:
        match message:
            case {"role": "tool", "tool_call_id": id}:
                yield self.output(id, message.get("content"))
            case {"role": "function"}:
                yield self.output(self.older_id, message.get("content"))
            case {"role": "assistant"}:
                yield from self.reply(message)
            case _:
                yield from _entries_of(message.get("content"), message["role"], "input_text")

    def output(self, id: str, content: Any) -> _Item:
        kind = "custom_tool_call_output" if id in self.custom else "function_call_output"
        return {"type": kind, "call_id": id, "output": _content_of(content, "input_text") or ""}

    def reply(self, message: _Item) -> Iterator[_Item]:
        calls = list(self.calls(message))
        content = message.get("content")
        entries = list(_entries_of(content, "assistant", "output_text")) if content else []
        while entries and not calls and entries[-1].get("type") == "reasoning":  # invalid without a following item
            entries.pop()
        yield from entries if entries or calls else [{"role": "assistant", "content": ""}]
        yield from calls

    def calls(self, message: _Item) -> Iterator[_Item]:
        for call in message.get("tool_calls") or ():
            if call["type"] == "custom":
                self.custom.add(call["id"])
                custom = call["custom"]
                yield {
                    "type": "custom_tool_call",
                    "call_id": call["id"],
                    "name": custom["name"],
                    "input": custom["input"],
                }
            else:
                yield _function_call(call["id"], call["function"])
        older = message.get("function_call")
        if isinstance(older, Mapping) and isinstance(older.get("name"), str) and not message.get("tool_calls"):
            self.older_id = self.free(fit_name(older["name"]))
            yield _function_call(self.older_id, older)

    def free(self, name: str) -> str:
        """Return an unused call id."""
        candidates = (f"{name[:48]}_{number}" for number in count(1))
        free = next(candidate for candidate in candidates if candidate not in self.ids)
        self.ids.add(free)
        return free


def _entries_of(content: Any, role: str, kind: str) -> Iterator[_Item]:
    """Yield the items of a message except its calls, in order: text messages, and items recorded among them."""
    if not isinstance(content, list) or not content:
        yield {"role": role, "content": content}
        return
    for is_item, blocks in groupby(content, is_internal):
        if is_item:
            yield from (_item_of(block, role) for block in blocks)
        else:
            yield {"role": role, "content": _content_of(list(blocks), kind)}


def _item_of(block: _Item, role: str) -> _Item:
    """Return a recorded item unchanged, except for an encrypted summary, which is converted to a valid form."""
    item: _Item = block["item"] if block["type"] == ITEM else block
    if not is_sealed_summary(item):
        return item
    secret = item.get("encrypted_content")
    if isinstance(secret, str) and secret:
        return {"type": "compaction", "encrypted_content": secret}
    return {"role": role, "content": SEALED}


def _function_call(id: str, function: Raw) -> _Item:
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else dumps(arguments)
    return {"type": "function_call", "call_id": id, "name": fit_name(function["name"]), "arguments": text}


def _content_of(content: Any, kind: str) -> Any:
    """Return content as blocks of this API, with texts of type `kind`. A string is returned unchanged."""
    if not isinstance(content, list):
        return content
    return [_block_of(block, kind) for block in content]


def _block_of(block: Any, kind: str) -> _Item:
    match block:
        case {"type": str(own), "text": str(text)} if own in _TEXTS:
            return {"type": kind, "text": text}
        case {"type": "refusal", "refusal": str(text)} if kind == "output_text":
            return {"type": "refusal", "refusal": text}
        case {"type": "image_url", "image_url": {"url": str(url), **rest}} if kind == "input_text":
            return {"type": "input_image", "image_url": url, "detail": rest.get("detail") or "auto"}
        case {"type": "file", "file": dict(file)} if kind == "input_text":
            return {"type": "input_file", **file}
    return {"type": kind, "text": readable(block_part(block))}


def _tools_of(tools: Iterable[Raw]) -> Iterator[_Item]:
    """Yield chat tools in the flat form of this API. Strict schemas are enabled only if they were recorded."""
    for tool in tools:
        match tool:
            case {"type": "function", "function": Mapping() as function}:
                parameters = function.get("parameters") or {"type": "object", "properties": {}}
                yield {"type": "function", "strict": False, **function, "parameters": parameters}
            case {"type": "custom", "custom": Mapping() as custom}:
                yield {"type": "custom", **custom}
            case _:
                yield dict(tool)


def _settings_of(chat: Raw) -> _Item:
    """Return the settings of a chat request under their names in this API, without those that have no equivalent."""
    settings: _Item = {key: value for key, value in chat.items() if key in SAME_SETTINGS}
    for name in ("max_tokens", "max_completion_tokens"):
        if isinstance(chat.get(name), int):
            settings["max_output_tokens"] = chat[name]
    if isinstance(chat.get("reasoning_effort"), str):
        settings["reasoning"] = {"effort": chat["reasoning_effort"]}
    text: _Item = {}
    match chat.get("response_format"):
        case {"type": "json_schema", "json_schema": Mapping() as schema}:
            text["format"] = {"type": "json_schema", **schema}
        case {"type": str(kind)}:
            text["format"] = {"type": kind}
    if isinstance(chat.get("verbosity"), str):
        text["verbosity"] = chat["verbosity"]
    match chat.get("tool_choice"):
        case {"type": str(kind), **rest}:
            choice_of_kind = rest.get(kind)
            settings["tool_choice"] = {
                "type": kind,
                **(choice_of_kind if isinstance(choice_of_kind, Mapping) else rest),
            }
        case str(choice):
            settings["tool_choice"] = choice
    return settings | ({"text": text} if text else {})
