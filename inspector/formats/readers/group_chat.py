"""Group chats of agents (`{"history": [{"role", "name", "content"}]}`), as recorded by AutoGen and Magentic-One.

https://microsoft.github.io/autogen: several agents take part in one conversation. The speaker is in `name` or in the
role, such as "WebSurfer", or "Orchestrator (-> WebSurfer)" with an addressee. Messages of agents are replies; messages
of the person, and output that a program printed for the agents, are the user's.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from inspector.core.conversation import Kind, Session
from inspector.core.text import clip
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import digest, first_words, shorten_title, unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_files import records_of_kind
from inspector.formats.reading.source import Progress
from inspector.llm.providers import DEFAULT_DIALECT, as_text

_KEYS = ("history", "chat_history")
_NO_AGENTS = frozenset({"human", "user", "person", "user_proxy", "system", "tool", "function", ""})
"""Roles that do not name an agent."""
_NOTE = re.compile(r"\([^()]*\)\s*\Z")
"""Note after the name of a speaker: the recipient, or that it is a thought."""
_ADDRESSEE = re.compile(r"\(-> ?([^()]+)\)\s*\Z")
_STEP = re.compile(r"\d{1,9}\Z")
_MAX_NAME = 64
_NO_NAME = re.compile(r"[^\w-]+")
"""Characters that no provider accepts in a name."""
_PRINTED = re.compile(r"exitcode: -?\d+ \(")
"""Start of the report of a program that executed code."""
_MIN_SPEAKERS = 2
"""Minimum number of speakers in a group."""


class GroupChat(Format):
    """Conversations of several agents."""

    name = "group-chat"
    features: ClassVar[frozenset[Feature]] = frozenset({"agents", "system prompt"})
    page = "https://microsoft.github.io/autogen"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any(_turns_in(record) for record in sample.objects)
        return FormatMatch(0.9, "a history in which several agents speak") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        records = records_of_kind(content, progress, lambda record: bool(_turns_in(record)), "group chat")
        return unique(_chat_session(content, record, number, problems) for record, number, problems in records)


def _turns_in(record: Any) -> list[Any]:
    """Return the turns of a chat with several speakers, or none."""
    if not isinstance(record, dict):
        return []
    turns: list[Any] = next((record[key] for key in _KEYS if isinstance(record.get(key), list)), [])
    speakers = {_speaker(turn) for turn in turns if _is_turn(turn)}
    return turns if len(speakers - {""}) >= _MIN_SPEAKERS else []


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str)


def _speaker(turn: dict[str, Any]) -> str:
    """Return the name of the agent that speaks, or "" for the user."""
    name = turn.get("name")
    if not isinstance(name, str) or not name:
        role = _NOTE.sub("", turn["role"]).rstrip()
        name = "" if role.lower() in _NO_AGENTS else role
    return _NO_NAME.sub("_", name)[:_MAX_NAME].strip("_")


def _chat_session(content: Content, record: dict[str, Any], number: int, problems: Problems) -> Session:
    """Read a chat. The first message keeps the other fields of the record."""
    log = LogBuilder(DEFAULT_DIALECT)
    around = {key: value for key, value in record.items() if key not in _KEYS}
    _check_addressees(record, problems)
    _check_mistake(record, problems)
    for place, turn in enumerate(_turns_in(record), 1):
        if not _is_turn(turn):
            problems.add(f"turn {place} was left out: it has no speaker")
            continue
        raw, is_first = _chat_message(turn), not log.messages
        if is_first and raw["role"] == "assistant":  # whoever brings it: it is what the group is to do
            raw["role"] = "user"
        kind: Kind = "injected" if _PRINTED.match(turn["content"]) and not is_first else "chat"
        log.add(f"m{place}", raw, around | turn if is_first else turn, kind=kind)
    messages = tuple(log.messages)
    question = record.get("question")
    title = as_text(question) if isinstance(question, str) else ""
    return Session(
        id=digest(messages[0].raw, len(messages)),
        title=shorten_title(" ".join(title.split())) or first_words(messages),
        format=GroupChat.name,
        messages=messages,
        problems=problems.all(),
        path=content.source.path,
        line=number,
    )


def _check_addressees(record: dict[str, Any], problems: Problems) -> None:
    """Report agents that speak although another was addressed last, in a chat in which some are addressed."""
    turns = [turn for turn in _turns_in(record) if _is_turn(turn)]
    addressees = [_ADDRESSEE.search(turn["role"]) for turn in turns]
    names = [_NO_NAME.sub("_", match[1])[:_MAX_NAME].strip("_") if match else "" for match in addressees]
    last = ""
    for place, (turn, name) in enumerate(zip(turns, names, strict=True), 1):
        speaker = _speaker(turn)
        if name:
            last = name
        elif speaker in names and speaker != last:
            what = f"after {last} was addressed" if last else "without a message to it"
            problems.add(f"turn {place}: {speaker} speaks {what}: turns may be missing or out of order")
        elif speaker == last:
            last = ""


def _check_mistake(record: dict[str, Any], problems: Problems) -> None:
    """Report that the step that is marked as the mistake of an agent is not a turn of that agent."""
    agent, step, turns = record.get("mistake_agent"), record.get("mistake_step"), _turns_in(record)
    place = int(step) if isinstance(step, str) and _STEP.match(step) else step
    if isinstance(agent, str) and type(place) is int and place >= 0:
        speakers = [_speaker(turn) for turn in turns[place : place + 1] if _is_turn(turn)]
        if [speaker.casefold() for speaker in speakers] != [agent.casefold()]:
            what = f"its mistake is step {place} of {clip(agent, _MAX_NAME)}, who does not speak there"
            problems.add(f"{what}: turns may be missing or out of order")


def _chat_message(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn as a chat message."""
    speaker, text = _speaker(turn), turn["content"]
    is_reply = bool(speaker) and not _PRINTED.match(text)
    role = "system" if turn["role"] == "system" else "assistant" if is_reply else "user"
    return {"role": role, "content": text} | ({"name": speaker} if speaker else {})
