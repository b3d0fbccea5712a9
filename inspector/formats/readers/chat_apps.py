"""Conversations of chat applications: Jan, LibreChat, Open WebUI, Chatbot UI, AI Studio and Grok.

https://github.com/janhq/jan, https://www.librechat.ai, https://docs.openwebui.com, https://github.com/mckaywrigley,
https://aistudio.google.com, https://grok.com. In LibreChat, Open WebUI and Grok an edit or a second reply is a branch.
All branches are in the log, the current one last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from inspector.core.conversation import MAIN, Role
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.chat_trees import tree_order
from inspector.formats.building.library_log import LibraryLog, model_in
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.formats.reading.record_order import RecordOrder
from inspector.llm.providers import as_text

_TREE: frozenset[Feature] = frozenset({"system prompt", "usage", "times", "models", "branches"})
_Turn = tuple[Role, Fields]
"""Role and fields of a message."""


class Jan(HistoryFormat):
    """Threads of Jan, a message on each line."""

    name = "jan"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", time="created_at")
    features: ClassVar[frozenset[Feature]] = frozenset({"times"})
    page = "https://github.com/janhq/jan"
    place = "~/jan/threads"
    mark = "messages of a thread"
    kind = "message of a thread"

    def is_entry(self, record: Fields) -> bool:
        return record.get("object") == "thread.message" and isinstance(record.get("content"), list)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        for number, record in entries:
            notes = {name: value for name, value in record.items() if name not in ("content", "role")}
            blocks = [_jan_block(block) for block in objects_of(record["content"])]
            role = role_of(as_text(record.get("role"))) or "user"
            log.add_message(as_text(record.get("id")) or f"m{number}", role, {"content": blocks}, notes)
        return [History(log, as_text(entries[0][1].get("thread_id")))]


def _jan_block(block: Fields) -> Fields:
    """Return a block of the Assistants API with its text on its own."""
    text = fields_of(block.get("text")).get("value")
    return {"type": "text", "text": text} if isinstance(text, str) else block


def _tree_log(log: LibraryLog, turns: dict[str, _Turn], parents: dict[str, str], leaf: str) -> LibraryLog:
    """Add the messages of a tree, the branch that ends with a leaf last."""
    first = log.ends.get(MAIN, -1)
    ends: dict[str, int] = {}
    for key in tree_order(parents, leaf if leaf in parents else next(reversed(parents), "")):
        before = ends.get(parents[key], first)
        role, fields = turns[key]
        added = log.add_message(key, role, fields, _notes(fields), after=before)
        ends[key] = log.ends[MAIN] if added else before
    return log


def _notes(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name not in ("content", "text", "children", "childrenIds")}


class LibreChat(HistoryFormat):
    """Exports of LibreChat, as a tree or as the list of its messages."""

    name = "librechat"
    order: ClassVar[RecordOrder] = RecordOrder(id="messageId")
    features = _TREE
    page = "https://www.librechat.ai"
    mark = "messages with a messageId and a sender"
    kind = "conversation"

    def is_history(self, record: Fields) -> bool:
        messages = objects_of(record.get("messages"))
        return "conversationId" in record and any("messageId" in one and "sender" in one for one in messages)

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        options = fields_of(record.get("options"))
        log = LibraryLog()
        if prompt := as_text(options.get("promptPrefix") or options.get("system") or options.get("instructions")):
            log.add_message("system", "system", {"content": prompt}, {})
        turns: dict[str, _Turn] = {}
        parents: dict[str, str] = {}
        model = model_in(options)
        for message in _nested(objects_of(record["messages"])):
            key = as_text(message.get("messageId"))
            parents[key] = as_text(message.get("parentMessageId"))
            is_person = message.get("isCreatedByUser") is True
            turns[key] = "user" if is_person else "assistant", _librechat_fields(message, is_person, model)
        name, title = as_text(record["conversationId"]), as_text(record.get("title"))
        leaf = as_text(record.get("messageId") or next(reversed(parents), ""))
        yield History(_tree_log(log, turns, parents, leaf), name, title, {"model": model})


def _nested(messages: list[Fields]) -> Iterator[Fields]:
    """Yield messages and their descendants. The first child of each is the last, like the order of exports."""
    waiting = [*reversed(messages)]
    while waiting:
        message = waiting.pop()
        yield message
        waiting += reversed(objects_of(message.get("children")))


def _librechat_fields(message: Fields, is_person: bool, model: str) -> Fields:
    """Return a message with its content as blocks, which also exist for an empty text."""
    blocks = objects_of(message.get("content"))
    content = [_jan_block(_tool_call(block)) for block in blocks] if blocks else message.get("text")
    own = {"model": message.get("model") or model} if not is_person else {"model": None}
    return {**message, "content": content, **own}


def _tool_call(block: Fields) -> Fields:
    """Return a call with its result in LibreChat's block as a block of the AI SDK."""
    call = fields_of(block.get("tool_call"))
    if not call:
        return {"type": "text", "text": block["text"]} if isinstance(block.get("text"), str) else block
    names = {"toolCallId": call.get("id"), "toolName": call.get("name"), "args": call.get("args")}
    result = {"result": call["output"]} if call.get("output") is not None else {}
    return {"type": "tool-invocation", "toolInvocation": {**names, **result}}


class OpenWebUI(HistoryFormat):
    """Exports of Open WebUI."""

    name = "open-webui"
    features = _TREE
    page = "https://docs.openwebui.com"
    mark = "a history with messages and a currentId"
    kind = "chat"

    def is_history(self, record: Fields) -> bool:
        history = fields_of(_webui_chat(record).get("history"))
        messages = history.get("messages")
        if not isinstance(messages, dict):
            return False
        return "currentId" in history or any("parentId" in fields_of(message) for message in messages.values())

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        chat = _webui_chat(record)
        history = fields_of(chat["history"])
        log = LibraryLog()
        if prompt := as_text(fields_of(chat.get("params")).get("system") or chat.get("system")):
            log.add_message("system", "system", {"content": prompt}, {})
        nodes = {key: node for key, node in history["messages"].items() if isinstance(node, dict)}
        parents = {key: as_text(node.get("parentId")) for key, node in nodes.items()}
        turns = {key: (role_of(as_text(node.get("role"))) or "user", node) for key, node in nodes.items()}
        models = chat.get("models")
        model = as_text(models[0]) if isinstance(models, list) and models else ""
        name, title = as_text(record.get("id") or chat.get("id")), as_text(record.get("title") or chat.get("title"))
        log = _tree_log(log, turns, parents, as_text(history.get("currentId")))  # a file that was cut off has none
        yield History(log, name, title, {"model": model})


def _webui_chat(record: Fields) -> Fields:
    return record["chat"] if isinstance(record.get("chat"), dict) else record


class ChatbotUI(HistoryFormat):
    """Exports of Chatbot UI."""

    name = "chatbot-ui"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "models", "context window"})
    page = "https://github.com/mckaywrigley/chatbot-ui"
    mark = "a history with folders and prompts"
    kind = "export"

    def is_history(self, record: Fields) -> bool:
        return "folders" in record and any("messages" in one for one in objects_of(record.get("history")))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        for number, chat in enumerate(objects_of(record["history"]), 1):
            log = LibraryLog()
            if isinstance(chat.get("prompt"), str):
                log.add_message("system", "system", {"content": chat["prompt"]}, {})
            for place, message in enumerate(objects_of(chat.get("messages")), 1):
                role = role_of(as_text(message.get("role"))) or "user"
                log.add_message(f"m{place}", role, {"content": message.get("content")}, {})
            model = as_text(fields_of(chat.get("model")).get("id"))
            yield History(log, as_text(chat.get("id")), as_text(chat.get("name")), {"model": model, "line": number})


class AIStudio(HistoryFormat):
    """Prompts of Google AI Studio."""

    name = "ai-studio"
    order: ClassVar[RecordOrder] = RecordOrder(lists="chunkedPrompt.chunks")
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "models", "thinking"})
    page = "https://aistudio.google.com"
    mark = "a chunkedPrompt and runSettings"
    kind = "prompt"

    def is_history(self, record: Fields) -> bool:
        return "chunks" in fields_of(record.get("chunkedPrompt")) and "runSettings" in record

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        log = LibraryLog()
        log.add_message("system", "system", fields_of(record.get("systemInstruction")), {})
        thoughts: list[str] = []
        for number, chunk in enumerate(objects_of(fields_of(record["chunkedPrompt"]).get("chunks")), 1):
            if chunk.get("isThought") is True:
                thoughts.append(as_text(chunk.get("text")))
                continue
            role: Role = "assistant" if chunk.get("role") == "model" else "user"
            fields: Fields = {"content": chunk.get("text"), "reasoning": "\n\n".join(thoughts)}
            log.add_message(f"m{number}", role, fields, {"tokenCount": chunk.get("tokenCount")})
            thoughts = []
        model = as_text(fields_of(record["runSettings"]).get("model")).removeprefix("models/")
        yield History(log, facts={"model": model})


class GrokChats(HistoryFormat):
    """Conversations exported by Grok."""

    name = "grok"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "branches"})
    page = "https://grok.com"
    mark = "conversations with responses"
    kind = "export of conversations"

    def is_history(self, record: Fields) -> bool:
        return any(map(_is_grok_chat, (record, *objects_of(record.get("conversations")))))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        chats = [record] if _is_grok_chat(record) else [*filter(_is_grok_chat, objects_of(record["conversations"]))]
        for number, chat in enumerate(chats, 1):
            head = fields_of(chat["conversation"])
            rows = [fields_of(row.get("response")) for row in objects_of(chat["responses"])]
            nodes = {as_text(row.get("response_id")): row for row in rows}
            parents = {key: as_text(row.get("parent_response_id")) for key, row in nodes.items()}
            turns = {key: _grok_turn(row) for key, row in nodes.items()}
            leaf = as_text(head.get("leaf_response_id"))
            name, title = as_text(head.get("conversation_id")), as_text(head.get("title"))
            model = next(filter(None, map(_grok_model, rows)), "")
            facts = {"model": model, "line": number if len(chats) > 1 else 0}
            yield History(_tree_log(LibraryLog(), turns, parents, leaf), name, title, facts)


def _is_grok_chat(record: Fields) -> bool:
    rows = objects_of(record.get("responses"))
    return isinstance(record.get("conversation"), dict) and any("response" in row for row in rows)


def _grok_model(row: Fields) -> str:
    details = fields_of(fields_of(row.get("metadata")).get("requestModelDetails"))
    return as_text(details.get("modelId") or row.get("model"))


def _grok_turn(row: Fields) -> _Turn:
    is_person = as_text(row.get("sender")).lower() == "human"
    model = None if is_person else _grok_model(row)
    time = row.get("create_time")
    stamp = fields_of(fields_of(time).get("$date")).get("$numberLong")
    fields = {"content": row.get("message"), "reasoning": row.get("thinking_trace"), "model": model}
    return "user" if is_person else "assistant", fields | {"create_time": time_of(stamp) if stamp else time}
