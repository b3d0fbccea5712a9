"""The contribution of one message to the state of the work, computed once, without the messages around it."""

from __future__ import annotations

import re
from typing import NamedTuple

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, Text, ToolCall, ToolResult
from inspector.engine.work_state.call_effects import CallEffects, effects_of
from inspector.engine.work_state.languages import language_of, requested_language
from inspector.engine.work_state.result_news import ResultNews, news_of
from inspector.engine.work_state.user_words import UserWords, read_user_words

_MAX_SAID = 6_000
"""Characters of a reply that are kept."""
_SILENT = re.compile(
    r"(?i)^(?:read|grep|glob|ls|view|list_?dir\w*|list_?files|read_?file\w*|search\w*|web_?search|web_?fetch|todo\w*)$"
)
"""Tools whose results say nothing about the work unless they fail."""
_SKILL = re.compile(r"Base directory for this skill: ?([^\n]{1,300})")
_CODEX_SKILL = re.compile(r"<skill>\s*<name>([^<\n]{1,100})</name>\s*<path>([^<\n]{1,300})</path>")
_MEMORY = re.compile(r"\A(?:Contents of )?(/[^\n]{1,300}\.md)\b|\A# AGENTS\.md instructions for ([^\n]{1,300})")
_TASK = re.compile(r"<task-id>\s*([\w-]{1,80})\s*</task-id>.{0,2000}?<status>\s*(\w+)\s*</status>", re.DOTALL)
_CHARS_PER_TOKEN = 4


class Instruction(NamedTuple):
    """Text of instructions that was put into the context."""

    name: str
    path: str
    text: str
    """At most 8,000 characters."""
    tokens: int
    """Estimated size."""


class MessageSteps(NamedTuple):
    """Contribution of a message to the state of the work."""

    words: UserWords | None = None
    """Words of a user."""
    language: str = ""
    requested: str = ""
    """Language that the user asks for."""
    said: str = ""
    """Text of a reply."""
    calls: tuple[CallEffects, ...] = ()
    news: tuple[ResultNews, ...] = ()
    instruction: Instruction | None = None
    ended: tuple[str, str] = ("", "")
    """Id and state of a background task that a notification reports."""


_NOTHING = MessageSteps()
_CACHE: MessageCache[MessageSteps] = MessageCache("work state", limit=200_000)


def steps_of(message: Message) -> MessageSteps:
    """Return what a message contributes to the state of the work.

    Raises:
        OSError: If the message can no longer be read.
    """
    return _CACHE.get(message, _steps_in)


def _steps_in(message: Message) -> MessageSteps:
    if message.kind in ("notice", "summary", "copy") or message.role == "system":
        return _NOTHING
    if message.role == "tool":
        return _of_result(message)
    if message.role == "assistant":
        return _of_reply(message)
    text = "\n\n".join(part.text for part in message.parts if isinstance(part, Text))
    if message.kind == "injected":
        return _of_injected(text)
    return MessageSteps(read_user_words(text), language_of(text), requested_language(text))


def _of_result(message: Message) -> MessageSteps:
    if not message.is_error and _SILENT.match(message.name):
        return MessageSteps(news=(ResultNews(message.answers or ""),))
    return MessageSteps(news=tuple(news_of(part) for part in message.parts if isinstance(part, ToolResult)))


def _of_reply(message: Message) -> MessageSteps:
    parts = message.parts
    said = "\n\n".join(part.text for part in parts if isinstance(part, Text))
    calls = tuple(effects_of(part) for part in parts if isinstance(part, ToolCall))
    kept = said if len(said) <= _MAX_SAID else f"{said[: _MAX_SAID // 2]}\n{said[-_MAX_SAID // 2 :]}"
    return MessageSteps(language=language_of(said), said=kept, calls=calls)


def _of_injected(text: str) -> MessageSteps:
    if task := _TASK.search(text[:6_000]):
        return MessageSteps(ended=(task[1], task[2].lower()))
    head = text[:2_000]
    tokens = len(text) // _CHARS_PER_TOKEN
    if skill := _SKILL.search(head):
        path = skill[1].strip()
        return MessageSteps(instruction=Instruction(path.rstrip("/").rsplit("/", 1)[-1], path, text[:8_000], tokens))
    if skill := _CODEX_SKILL.search(head):
        return MessageSteps(instruction=Instruction(skill[1], skill[2], text[:8_000], tokens))
    if memory := _MEMORY.search(head):
        path = memory[1] or f"{memory[2].strip().rstrip('/')}/AGENTS.md"
        return MessageSteps(instruction=Instruction(path.rsplit("/", 1)[-1], path, "", tokens))
    return _NOTHING
