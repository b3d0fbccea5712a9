"""Decide whether two replies are the same step.

Replies with calls are the same step if they call the same tools with the same objects: a path, an address, a command
or a query after normalising, or else all arguments. Replies with text only are the same step if each states most values
and sentences of the other by the relation that also judges summaries, and contradicts none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.analysis.tool_activity import object_of_call
from inspector.core.conversation import Message, Text, ToolCall
from inspector.engine.facts import (
    SENTENCES,
    RelatedText,
    content_words,
    extract,
    sentence_of,
    sentences_of,
    source_words,
)
from inspector.engine.summaries import AnswerCall
from inspector.llm.providers import text_message

WORDED_CLASSES = SENTENCES | {"tool"}
"""Classes of facts that a reply can state in other words."""
_PIECE = re.compile(r"\w+")
_ABOUT = 0.75
"""Share of the words of a sentence in another one about the same thing."""
_MOST = 0.5
"""Share of the values and sentences of a text that another one must state."""


@dataclass(frozen=True, slots=True)
class StepReply:
    """The text and the calls of a reply."""

    text: str
    calls: tuple[AnswerCall, ...] = ()


def reply_step(message: Message) -> StepReply:
    """Return the text and the calls of a recorded reply."""
    parts = message.parts
    text = "\n\n".join(part.text for part in parts if isinstance(part, Text))
    return StepReply(text, tuple(AnswerCall(part.name, part.arguments) for part in parts if isinstance(part, ToolCall)))


def is_same_step(first: StepReply, second: StepReply) -> bool:
    """Return True if two replies are the same step."""
    if first.calls or second.calls:
        return _same_calls(first.calls, second.calls)
    return _same_text(first.text, second.text)


def is_same_call(first: StepReply, second: StepReply) -> bool:
    """Return True if two replies make the same calls, whatever their texts."""
    return _same_calls(first.calls, second.calls)


def _same_calls(first: Sequence[AnswerCall], second: Sequence[AnswerCall]) -> bool:
    """Return True if the calls are the same in any order; repeated calls count once."""
    ours, others = ({(call.name, call_object(call)) for call in calls} for calls in (first, second))
    return all(any(map(_is_alike, [call] * len(others), others)) for call in ours) and all(
        any(map(_is_alike, [call] * len(ours), ours)) for call in others
    )


def is_among(call: AnswerCall, others: Sequence[AnswerCall]) -> bool:
    """Return True if one of some calls has the same tool and the same object."""
    return any(_is_alike((call.name, call_object(call)), (other.name, call_object(other))) for other in others)


def call_object(call: AnswerCall) -> str:
    """Return the path, address, command or query that a call is about, or else its arguments."""
    return object_of_call(ToolCall("", call.name, call.arguments))


def _is_alike(first: tuple[str, str], second: tuple[str, str]) -> bool:
    """Return True if two calls have the same tool and the same object, of which one may be a relative path."""
    (tool, mine), (other_tool, other) = first, second
    if tool != other_tool:
        return False
    return mine == other or (bool(mine and other) and (mine.endswith(f"/{other}") or other.endswith(f"/{mine}")))


def _same_text(first: str, second: str) -> bool:
    ours, others = ("".join(text.split()).casefold() for text in (first, second))
    if ours == others or not (ours and others):
        return ours == others
    return _covers(first, second) and _covers(second, first)


def _covers(text: str, other: str) -> bool:
    """Return True if another text states most of a text, and contradicts none of its sentences."""
    related, here = RelatedText(other), _values_of(other)
    restatable = [one for one in map(sentence_of, sentences_of(text)) if len(one.clause) >= one.least]
    values, words = _values_of(text), _digits(other)
    stated = sum(
        value in here
        or (words >= _digits(value[1]) and related.relates(value[1], [source_words(text, value[1])], by_chance=True))
        for value in values
    )
    for sentence in restatable:
        if related.restates(sentence):
            stated += 1
        elif related.is_about(sentence, _ABOUT):
            return False
    total = len(values) + len(restatable)
    if not total:
        ours = content_words(text)
        return len(ours & content_words(other)) >= _MOST * max(1, len(ours))
    return stated >= _MOST * total


def _digits(text: str) -> set[str]:
    """Return the parts of words that contain digits."""
    return {piece for piece in _PIECE.findall(text.lower()) if any(map(str.isdecimal, piece))}


def _values_of(text: str) -> set[tuple[str, str]]:
    facts = extract(text_message("", "assistant", text, "openai"))
    return {(fact.cls, fact.text) for fact in facts if fact.cls not in WORDED_CLASSES}
