"""The contribution of one message to the state of the work, computed once, without the messages around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inspector.core.caches import MessageCache
from inspector.core.conversation import PREVIEW, Message, Part, Text, ToolCall, ToolResult
from inspector.core.text import lazy_pattern
from inspector.engine.work_state.call_effects import effects_of, is_silent_tool, only_looks
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.instruction_reads import instruction_name, may_read_instructions, text_of_file
from inspector.engine.work_state.instruction_rules import rules_of_instruction
from inspector.engine.work_state.languages import language_of, requested_language
from inspector.engine.work_state.open_questions import NextActor, actor_after, question_in
from inspector.engine.work_state.promised_rules import may_promise
from inspector.engine.work_state.result_news import ResultNews, news_of, wrote_in
from inspector.engine.work_state.user_words import UserWords, read_user_words
from inspector.engine.work_state.work_plans import outlined_in, plan_in_file, proposed_in

_SAMPLE = 1_000
_MAX_SAID = 6_000
"""Characters of a reply that are kept."""
_SKILL = lazy_pattern(r"Base directory for this skill: ?([^\n]{1,300})")
_CODEX_SKILL = lazy_pattern(r"<skill>\s*<name>([^<\n]{1,100})</name>\s*<path>([^<\n]{1,300})</path>")
_SKILL_LIST = lazy_pattern(r"\A\s{0,20}- [\w:.-]{1,80}: \S")
"""Start of the list of skills that can be loaded: "- review: Review a pull request"."""
_MEMORY = lazy_pattern(r"\A(?:Contents of )?(/[^\n]{1,300}\.md)\b|\A# AGENTS\.md instructions for ([^\n]{1,300})")
_INSTRUCTS = lazy_pattern(r"(?i)(?:claude|agents|gemini)[^/]{0,20}\.md$|/\.(?:claude|codex|agents)/")
"""Path of a file whose sentences are instructions to the agent, unlike other attached files."""
_MAX_INSTRUCTION = 20_000
_TASK = lazy_pattern(
    r"<(?:task|agent)-id>\s*([\w-]{1,80})\s*</(?:task|agent)-id>.{0,2000}?<status>\s*(\w+)\s*</status>", re.DOTALL
)
_SHELL = lazy_pattern(
    r"<system_notification>\s{0,9}Shell command [^\n]{0,400}?\(shellId: ([\w-]{1,80})\) (?:has |was )?"
    r"(completed|failed|exited|stopped|killed)\b"
)
"""Notice of Copilot CLI that a command in the background has ended."""
_SAID = lazy_pattern(r"To tell you how to proceed, the user said:\s{0,4}(\S[^\0]{0,6000})")
"""Words of a user who refuses a call."""
_LEAST_COMMAND = 300
"""Least number of characters of the text of a slash command that is an instruction."""
_CHARS_PER_TOKEN = 4


class Instruction(NamedTuple):
    """Text of instructions that was put into the context."""

    name: str
    path: str
    rules: tuple[str, ...]
    """Rules that the text states."""
    tokens: int
    """Estimated size."""


class MessageSteps(NamedTuple):
    """Contribution of a message to the state of the work."""

    words: UserWords | None = None
    """Words of a user."""
    language: str = ""
    """Language of a user's words."""
    sample: str = ""
    """Beginning of a reply."""
    promises: tuple[str, ...] = ()
    """Sentences of a reply that can promise to obey a rule."""
    requested: str = ""
    """Language that the user asks for."""
    plan: str = ""
    """Plan that a reply without calls proposes."""
    outline: str = ""
    """Reply without calls that lists steps."""
    question: str = ""
    """Question that a reply without calls leaves to the user."""
    next_actor: NextActor = "user"
    """Who acts after a reply without calls."""
    calls: tuple[CallEffects, ...] = ()
    news: tuple[ResultNews, ...] = ()
    instruction: Instruction | None = None
    expanded: Instruction | None = None
    """Long text without a name, which may be that of a slash command."""
    ended: tuple[str, str] = ("", "")
    """Id and state of a background task that a notification reports."""


NOTHING = MessageSteps()
"""Contribution of a message that says nothing about the work."""
_CACHE: MessageCache[MessageSteps] = MessageCache("work state", limit=200_000)


def steps_of(message: Message) -> MessageSteps:
    """Return what a message contributes to the state of the work.

    Raises:
        OSError: If the message can no longer be read.
    """
    return _CACHE.get(message, _steps_in)


def _steps_in(message: Message) -> MessageSteps:
    if message.kind in ("notice", "summary", "copy") or message.role == "system":
        return NOTHING
    if message.role == "tool":
        return _of_result(message)
    if message.role == "assistant":
        return _of_reply(message)
    text = "\n\n".join(part.text for part in message.parts if isinstance(part, Text))
    if message.kind == "injected":
        return _of_injected(text)
    return MessageSteps(read_user_words(text), language_of(text), requested=requested_language(text))


def _of_result(message: Message) -> MessageSteps:
    if not message.is_error and is_silent_tool(message.name):
        return MessageSteps(news=(ResultNews(message.answers or "", wrote=wrote_in(message.preview)),))
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    said = next((match[1] for part in results if (match := _SAID.search(part.text[:_MAX_SAID]))), "")
    return MessageSteps(read_user_words(said) if said else None, news=tuple(map(news_of, results)))


def _of_reply(message: Message) -> MessageSteps:
    sample = message.preview
    if message.calls and _reads_no_instructions(sample) and all(only_looks(call.name) for call in message.calls):
        looks = tuple(CallEffects(call.name, call.id) for call in message.calls)
        return MessageSteps(sample=sample, promises=may_promise(sample), calls=looks)
    parts = message.parts
    calls = tuple(effects_of(part) for part in parts if isinstance(part, ToolCall))
    said = _said(parts)
    if calls:
        return MessageSteps(sample=sample, promises=may_promise(said), calls=calls)
    return MessageSteps(
        sample=said[:_SAMPLE],
        promises=may_promise(said),
        plan=proposed_in(said),
        outline=outlined_in(said),
        question=question_in(said),
        next_actor=actor_after(said),
    )


def _reads_no_instructions(preview: str) -> bool:
    """Return True if a preview is the whole message, which names no file of instructions."""
    return len(preview) < PREVIEW and not may_read_instructions(preview)


def instruction_read(message: Message, call: str, paths: Sequence[str]) -> Instruction:
    """Return the instructions that the result of a call contains.

    Args:
        message: The message with the result.
        call: Id of the call.
        paths: Files that the call read.

    Raises:
        OSError: If the message can no longer be read.
    """
    results = (part.text for part in message.parts if isinstance(part, ToolResult) and part.call_id == call)
    text = text_of_file(next(results, "")[: 2 * _MAX_INSTRUCTION])
    names = ", ".join(map(instruction_name, paths))
    return Instruction(names, ", ".join(paths), _rules_of(text), len(text) // _CHARS_PER_TOKEN)


def said_by(message: Message) -> str:
    """Return the text of a reply, both ends of a long one. Raises OSError if the message can no longer be read."""
    return _said(message.parts)


def _said(parts: Sequence[Part]) -> str:
    said = "\n\n".join(part.text for part in parts if isinstance(part, Text))
    return said if len(said) <= _MAX_SAID else f"{said[: _MAX_SAID // 2]}\n{said[-_MAX_SAID // 2 :]}"


def _of_injected(text: str) -> MessageSteps:
    if text.lstrip().startswith("<turn_aborted>"):
        return MessageSteps(read_user_words(text.lstrip()))
    if task := _TASK.search(text[:6_000]) or _SHELL.search(text[:2_000]):
        return MessageSteps(ended=(task[1], task[2].lower()))
    head = text[:2_000]
    tokens = len(text) // _CHARS_PER_TOKEN
    if skill := _SKILL.search(head):
        path = skill[1].strip()
        name = path.rstrip("/").rsplit("/", 1)[-1]
        return MessageSteps(instruction=Instruction(name, path, _rules_of(text), tokens))
    if skill := _CODEX_SKILL.search(head):
        return MessageSteps(instruction=Instruction(skill[1], skill[2], _rules_of(text), tokens))
    return _of_attached(text, head, tokens)


def _of_attached(text: str, head: str, tokens: int) -> MessageSteps:
    """Return the plan, memory file or command in an injected text."""
    path, _, rest = text.lstrip().partition("\n")
    if plan := plan_in_file(path, rest) if path.startswith(("/", "~")) else "":
        return MessageSteps(plan=plan)
    if (memory := _MEMORY.match(head)) and (memory[2] or _INSTRUCTS.search(memory[1])):
        path = memory[1] or f"{memory[2].strip().rstrip('/')}/AGENTS.md"
        return MessageSteps(instruction=Instruction(path.rsplit("/", 1)[-1], path, _rules_of(text), tokens))
    if len(text) < _LEAST_COMMAND or head.lstrip().startswith("<") or _SKILL_LIST.match(head):
        return NOTHING
    return MessageSteps(expanded=Instruction("", "", _rules_of(text), tokens))


def _rules_of(text: str) -> tuple[str, ...]:
    return rules_of_instruction(text[:_MAX_INSTRUCTION])
