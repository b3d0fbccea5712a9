"""Conversations as sessions that other coding agents continue: Codex, opencode and pi. Always in a new file.

Each has the properties of the sessions that these programs write: a header first, every result after its call, times
that do not decrease, and ids in their order. A program adds its own system prompt and tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID, uuid5

from inspector.core.conversation import Document, Image, Text, Thinking, ToolResult, Unknown
from inspector.core.text import dumps, plain_dumps, plural, printable_json
from inspector.formats.writers.base import (
    Conversation,
    FileForm,
    arguments_object,
    hidden_notes,
    new_session_id,
    signature_notes,
    stray_notes,
    utc_times,
)
from inspector.llm.providers import NO_RESULT, Turn, order_notes

_Record = dict[str, Any]
_CODEX_VERSION = "0.142.2"
_OPENCODE_VERSION = "1.17.9"
_PI_VERSION = 3
"""The versions of the programs whose records these are."""
_NO_MODEL = "unknown"
_ZERO_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
_ZERO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
_ID_END = 14


class _SessionWriter(FileForm):
    """A session of another program."""

    program: str

    def notes(self, conversation: Conversation) -> Iterator[str]:
        yield self.how_to_continue(conversation)
        prompts = sum(message.role == "system" for message in conversation.messages)
        if names := [
            plural(number, noun)
            for number, noun in ((prompts, "system message"), (len(conversation.context.tools), "tool definition"))
            if number
        ]:
            yield f"Left out, because {self.program} adds its own: {' and '.join(names)}."
        turns = conversation.turns
        if missing := sum(result is None for turn in turns for result in turn.results):
            yield f"No result of {plural(missing, 'call')} was recorded: {NO_RESULT} replaces it."
        media = sum(isinstance(part, Image | Document) for turn in turns for part in _all_parts(turn))
        if media:
            yield f"Left out: {plural(media, 'attachment')}."
        yield from order_notes(conversation.messages)
        yield from stray_notes(conversation)
        if any(turn.message.kind == "summary" for turn in turns[1:]):
            yield "The summary is at the start, after a compaction."
        yield from self.thinking_notes(conversation)
        yield from hidden_notes(conversation, self.title)

    def thinking_notes(self, conversation: Conversation) -> Iterator[str]:
        """Yield a sentence if thinking is changed or left out."""
        yield from signature_notes(conversation, self.title)

    def how_to_continue(self, conversation: Conversation) -> str:
        """Return how the program continues the session, in a sentence."""
        raise NotImplementedError


class CodexWriter(_SessionWriter):
    """Return a rollout that Codex resumes."""

    name, title, suffix, program = "codex", "Codex rollout", ".jsonl", "Codex"

    def write(self, conversation: Conversation) -> str:
        return "".join(plain_dumps(record) + "\n" for record in self._records(conversation))

    def file_name(self, conversation: Conversation) -> str:
        began = next(_times(conversation))[:19].replace(":", "-")
        return f"rollout-{began}-{_session_id(conversation)}{self.suffix}"

    def how_to_continue(self, conversation: Conversation) -> str:
        name, day = self.file_name(conversation), next(_times(conversation))[:10].replace("-", "/")
        return f"Codex resumes it from ~/.codex/sessions/{day}/{name}, with codex resume {_session_id(conversation)}."

    def thinking_notes(self, conversation: Conversation) -> Iterator[str]:
        if any(_thoughts_of(turn) for turn in _turns_of(conversation)):
            yield "Thinking was left out: Codex sends only its own back."

    def _records(self, conversation: Conversation) -> Iterator[_Record]:
        session, times = str(_session_id(conversation)), _times(conversation)
        began, folder = next(times), _folder_of(conversation)
        head = {"id": session, "timestamp": began, "cwd": folder, "originator": "inspector"}
        meta = {**head, "cli_version": _CODEX_VERSION, "source": "cli", "instructions": None}
        yield {"timestamp": began, "type": "session_meta", "payload": meta}
        if conversation.context.model:
            payload = {"cwd": folder, "model": conversation.context.model, "summary": "auto"}
            yield {"timestamp": began, "type": "turn_context", "payload": payload}
        if title := conversation.title:
            name = {"type": "thread_name_updated", "thread_id": session, "thread_name": title}
            yield {"timestamp": began, "type": "event_msg", "payload": name}
        if summary := _summary_of(conversation):
            item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}
            yield {
                "timestamp": began,
                "type": "compacted",
                "payload": {"message": summary, "replacement_history": [item]},
            }
        for turn, time in zip(_turns_of(conversation), times, strict=False):
            text = _turn_text(turn)
            for kind, payload in (*self._items(turn, text), *self._events(turn, text)):
                yield {"timestamp": time, "type": kind, "payload": payload}

    @staticmethod
    def _events(turn: Turn, text: str) -> Iterator[tuple[str, _Record]]:
        """Yield what the program shows of a message when it resumes."""
        if text:
            kind = "agent_message" if turn.message.role == "assistant" else "user_message"
            yield "event_msg", {"type": kind, "message": text}

    @staticmethod
    def _items(turn: Turn, text: str) -> Iterator[tuple[str, _Record]]:
        is_reply = turn.message.role == "assistant"
        if text:
            content = [{"type": "output_text" if is_reply else "input_text", "text": text}]
            role = "assistant" if is_reply else "user"
            yield "response_item", {"type": "message", "role": role, "content": content}
        for call, name in zip(turn.calls, turn.ids, strict=True):
            own = {
                "type": "function_call",
                "name": call.name,
                "arguments": dumps(arguments_object(call.arguments)),
            }
            yield "response_item", {**own, "call_id": name}
        for result, name in zip(turn.results, turn.ids, strict=True):
            output = _result_text(result)
            yield "response_item", {"type": "function_call_output", "call_id": name, "output": output}


class PiWriter(_SessionWriter):
    """Return a session that pi continues."""

    name, title, suffix, program = "pi", "pi session", ".jsonl", "pi"

    def write(self, conversation: Conversation) -> str:
        return "".join(plain_dumps(record) + "\n" for record in self._records(conversation))

    def file_name(self, conversation: Conversation) -> str:
        began = next(_times(conversation)).replace(":", "-").replace(".", "-")
        return f"{began}_{_session_id(conversation)}{self.suffix}"

    def how_to_continue(self, conversation: Conversation) -> str:
        return f"pi continues it with pi --session {self.file_name(conversation)}."

    def _records(self, conversation: Conversation) -> Iterator[_Record]:
        session, times = _session_id(conversation), _times(conversation)
        head = {"type": "session", "version": _PI_VERSION, "id": str(session), "timestamp": next(times)}
        yield {**head, "cwd": _folder_of(conversation)}
        parent = None
        for number, entry in enumerate(self._entries(conversation, times)):
            name = uuid5(session, str(number)).hex[:8]
            yield {"type": entry["type"], "id": name, "parentId": parent, **entry}
            parent = name

    def _entries(self, conversation: Conversation, times: Iterator[str]) -> Iterator[_Record]:
        began = next(_times(conversation))
        if conversation.title:
            yield {"type": "session_info", "timestamp": began, "name": conversation.title}
        if summary := _summary_of(conversation):
            size = {"firstKeptEntryId": "", "tokensBefore": conversation.tokens_before}
            yield {"type": "compaction", "timestamp": began, "summary": summary, **size}
        for turn, time in zip(_turns_of(conversation), times, strict=False):
            if turn.message.kind == "injected" and turn.message.role != "assistant":
                own = {"customType": "inspector", "content": _turn_text(turn), "display": True}
                yield {"type": "custom_message", "timestamp": time, **own}
                continue
            for message in self._messages(conversation, turn, _milliseconds(time)):
                yield {"type": "message", "timestamp": time, "message": message}

    @staticmethod
    def _messages(conversation: Conversation, turn: Turn, time: int) -> Iterator[_Record]:
        texts = [{"type": "text", "text": text}] if (text := _turn_text(turn)) else []
        if turn.message.role != "assistant":
            yield {"role": "user", "content": texts or [{"type": "text", "text": ""}], "timestamp": time}
            return
        thoughts = [{"type": "thinking", "thinking": text} for text in _thoughts_of(turn)]
        calls = [
            {
                "type": "toolCall",
                "id": name,
                "name": call.name,
                "arguments": arguments_object(call.arguments),
            }
            for call, name in zip(turn.calls, turn.ids, strict=True)
        ]
        provider, model = _provider_of(conversation), turn.message.model or conversation.context.model or _NO_MODEL
        api = "anthropic-messages" if provider == "anthropic" else "openai-responses"
        usage = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": _ZERO_COST}
        head = {"role": "assistant", "content": [*thoughts, *texts, *calls], "api": api, "provider": provider}
        reason = "toolUse" if calls else "stop"
        yield {**head, "model": model, "usage": usage, "stopReason": reason, "timestamp": time}
        for call, name, result in zip(turn.calls, turn.ids, turn.results, strict=True):
            content = [{"type": "text", "text": _result_text(result)}]
            own = {"role": "toolResult", "toolCallId": name, "toolName": call.name, "content": content}
            yield {**own, "isError": bool(result and result.result.is_error), "timestamp": time}


class OpencodeWriter(_SessionWriter):
    """Return a session as opencode exports and imports it."""

    name, title, suffix, program = "opencode", "opencode session", ".json", "opencode"

    def write(self, conversation: Conversation) -> str:
        times = _times(conversation)
        began, session = next(times), self._name_of(conversation)
        names = _names_in_order(began, _session_id(conversation))
        messages = list(_opencode_summary(conversation, _milliseconds(began), session, names))
        asked = messages[0]["info"]["id"] if messages else ""
        for turn, time in zip(_turns_of(conversation), times, strict=False):
            messages.append(_opencode_message(conversation, turn, _milliseconds(time), session, names, asked))
            asked = asked if turn.message.role == "assistant" else messages[-1]["info"]["id"]
        newest = messages[-1]["info"]["time"]["created"] if messages else _milliseconds(began)
        info = {
            "id": session,
            "slug": session[-8:].lower(),
            "projectID": "global",
            "directory": _folder_of(conversation),
            "title": conversation.title or "Continued session",
            "version": _OPENCODE_VERSION,
            "time": {"created": _milliseconds(began), "updated": newest},
        }
        return printable_json({"info": info, "messages": messages}) + "\n"

    def file_name(self, conversation: Conversation) -> str:
        return f"{self._name_of(conversation)}{self.suffix}"

    def how_to_continue(self, conversation: Conversation) -> str:
        name = self._name_of(conversation)
        return f"opencode continues it after opencode import {name}{self.suffix}, with opencode --session {name}."

    @staticmethod
    def _name_of(conversation: Conversation) -> str:
        return f"ses_{_session_id(conversation).hex[:26]}"


def _opencode_summary(conversation: Conversation, time: int, session: str, names: Iterator[str]) -> Iterator[_Record]:
    """Yield the request for a compaction and the summary, if there is one."""
    if summary := _summary_of(conversation):
        model, provider = conversation.context.model or _NO_MODEL, _provider_of(conversation)
        asked, reply, folder = f"msg_{next(names)}", f"msg_{next(names)}", _folder_of(conversation)
        head: _Record = {"sessionID": session, "time": {"created": time}, "agent": "build"}
        chosen = {"providerID": provider, "modelID": model}
        part = {
            "id": f"prt_{next(names)}",
            "sessionID": session,
            "messageID": asked,
            "type": "compaction",
            "auto": False,
        }
        yield {"info": {"id": asked, "role": "user", **head, "model": chosen}, "parts": [part]}
        info: _Record = {"id": reply, "role": "assistant", **head, **chosen, "parentID": asked, "mode": "compaction"}
        info |= {"path": {"cwd": folder, "root": folder}, "cost": 0, "tokens": _ZERO_TOKENS, "summary": True}
        info |= {"time": {"created": time, "completed": time}, "finish": "stop"}
        text = {"id": f"prt_{next(names)}", "sessionID": session, "messageID": reply, "type": "text", "text": summary}
        yield {"info": info, "parts": [text]}


def _opencode_message(
    conversation: Conversation, turn: Turn, time: int, session: str, names: Iterator[str], asked: str
) -> _Record:
    """Return a message with its parts. `asked` is the id of the newest message of the user."""
    model, folder = turn.message.model or conversation.context.model or _NO_MODEL, _folder_of(conversation)
    name, provider = f"msg_{next(names)}", _provider_of(conversation)
    info: _Record = {"id": name, "sessionID": session, "role": "user", "time": {"created": time}, "agent": "build"}
    if turn.message.role == "assistant":
        info |= {
            "role": "assistant",
            "time": {"created": time, "completed": time},
            **({"parentID": asked} if asked else {}),
        }
        info |= {"modelID": model, "providerID": provider, "mode": "build", "path": {"cwd": folder, "root": folder}}
        info |= {"cost": 0, "tokens": _ZERO_TOKENS, "finish": "tool-calls" if turn.calls else "stop"}
    else:
        info |= {"model": {"providerID": provider, "modelID": model}}
    parts = [
        {"id": f"prt_{next(names)}", "sessionID": session, "messageID": name, **part}
        for part in _opencode_parts(turn, time)
    ]
    return {"info": info, "parts": parts}


def _opencode_parts(turn: Turn, time: int) -> Iterator[_Record]:
    span = {"start": time, "end": time}
    for text in _thoughts_of(turn):
        yield {"type": "reasoning", "text": text, "time": span}
    if text := _turn_text(turn):
        yield {"type": "text", "text": text, **({"synthetic": True} if turn.message.kind == "injected" else {})}
    for call, name, result in zip(turn.calls, turn.ids, turn.results, strict=True):
        state: _Record = {
            "status": "completed",
            "input": arguments_object(call.arguments),
            "time": span,
        }
        if result and result.result.is_error:
            state |= {"status": "error", "error": _result_text(result)}
        else:
            state |= {"output": _result_text(result), "title": "", "metadata": {}}
        yield {"type": "tool", "tool": call.name, "callID": name, "state": state}


def _turns_of(conversation: Conversation) -> list[Turn]:
    """Return the turns that a session contains: all but system messages, summaries and those without content."""
    turns = (turn for turn in conversation.turns if turn.message.role != "system" and turn.message.kind != "summary")
    return [turn for turn in turns if turn.calls or _turn_text(turn) or _thoughts_of(turn)]


def _summary_of(conversation: Conversation) -> str:
    """Return the text of all summaries, which begins a session."""
    return "\n\n".join(message.text for message in conversation.messages if message.kind == "summary")


def _times(conversation: Conversation) -> Iterator[str]:
    """Yield the time of the session, and then that of each turn."""
    times = [turn.message.time for turn in _turns_of(conversation)]
    return utc_times([next(filter(None, times), ""), *times])


def _milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def _session_id(conversation: Conversation) -> UUID:
    return new_session_id(conversation, "inspector hand-off")


def _names_in_order(began: str, session: UUID) -> Iterator[str]:
    """Yield the ends of ids, in ascending order, as opencode sorts by them."""
    first = _milliseconds(began) << 12
    for number in count():
        yield f"{(first + number) & ((1 << 48) - 1):012x}{uuid5(session, str(number)).hex[:_ID_END]}"


def _folder_of(conversation: Conversation) -> str:
    """Return the newest recorded working folder; "/" without one."""
    for message in reversed(conversation.messages):
        record = message.record
        path = record.get("path")
        folder = record.get("cwd") or (path.get("cwd") if isinstance(path, Mapping) else None)
        if isinstance(folder, str) and folder:
            return folder
    return "/"


def _provider_of(conversation: Conversation) -> str:
    return "anthropic" if conversation.context.dialect == "anthropic" else "openai"


def _all_parts(turn: Turn) -> Iterator[Any]:
    yield from turn.parts
    for result in turn.results:
        yield from result.result.parts if result else ()


def _turn_text(turn: Turn) -> str:
    texts = [part.text for part in turn.parts if isinstance(part, Text)]
    return "\n\n".join(filter(None, texts))


def _thoughts_of(turn: Turn) -> list[str]:
    return [part.text for part in turn.parts if isinstance(part, Thinking) and part.text]


def _result_text(turn: Turn | None) -> str:
    """Return the text of a result, or a placeholder without one."""
    return NO_RESULT if turn is None else "\n\n".join(_result_parts(turn.result))


def _result_parts(result: ToolResult) -> Iterator[str]:
    for part in result.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, Unknown):
            yield part.json
