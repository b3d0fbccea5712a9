"""Questions of the BEAM benchmark about a conversation, and what a context must contain to answer each.

https://github.com/mohammadtavakoli78/BEAM: a folder per conversation with `chat.json`, and the questions by ability in
`probing_questions/probing_questions.json`. The benchmark lets a model answer, and another one judge the answer by a
rubric. Without a model, only the precondition can be tested: that the context contains what the answer is made of. That
is the newest value after an update, both statements of a contradiction, the events in their order, both points of a
time, and an instruction or a preference in the user's words. A question whose right answer is that nothing is known is
answered if no place of the context has the words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from inspector.formats.building.blocks import objects_of
from inspector.formats.dialogues import Dialogue, Question
from inspector.formats.file_loading import load
from inspector.formats.readers.beam import BEAM
from inspector.formats.reading.source import UnreadableError
from inspector.llm.providers import as_text

BEAM_ABILITIES = {
    "information_extraction": "extract",
    "multi_session_reasoning": "several",
    "temporal_reasoning": "time",
    "knowledge_update": "update",
    "contradiction_resolution": "contra.",
    "event_ordering": "order",
    "instruction_following": "instr.",
    "preference_following": "prefer",
    "summarization": "summary",
    "abstention": "abstain",
}
"""Abilities that the questions test, with titles for columns."""
BEAM_UNANSWERED = "abstention"
"""Ability that is tested by questions which the conversation does not answer."""
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary")
_GIVEN = ("instruction_being_tested", "preference_being_tested")
_BY_RUBRIC = ("information_extraction", "multi_session_reasoning", "knowledge_update", "summarization")
"""Abilities whose rubric states the parts of the answer rather than its form."""
_REPLACED = "original_info"
"""Key of the evidence that an update made out of date."""
_CLAIM = re.compile(r"(?:LLM response should \w+: )?you (?:(?:also )?(?:said|mentioned|stated) )?(?:that )?", re.I)
"""Start of a rubric item that repeats a statement of the user."""
_NUGGET = re.compile(r"LLM response should \w+: ", re.I)
"""Start of a rubric item that states a part of the answer."""
_LABELLED = re.compile(r"^([^:]{3,60}): ")
"""Time point before the event at it: "March 29: end of the first sprint"."""
_PLACE = re.compile(r"^\d{1,3}(?:st|nd|rd|th): ")
_SHORTENED = "chat_trunecated.json"
"""File, spelled so, that the benchmark reads instead of `chat.json` where it exists."""
_FILES = ("probing_questions/probing_questions.json", "probing_questions.json")


def read_beam(path: Path) -> list[Dialogue]:
    """Read the conversations of a BEAM file with their questions.

    The questions about a conversation with several plans refer to all of them, so these plans have no questions.

    Args:
        path: A `chat.json` whose folder contains the questions.

    Raises:
        UnreadableError: The file contains no such conversation, or its questions cannot be read.
    """
    source = next((path.parent / name for name in _FILES if (path.parent / name).is_file()), None)
    if source is None:
        raise UnreadableError(path, f"{path.parent} has no {_FILES[0]}: choose the folder of a BEAM conversation.")
    sessions = [session for session in load(_shortened(path)) if session.format == BEAM.name]
    if not sessions:
        raise UnreadableError(path, f"{path} is no conversation of BEAM: choose another file.")
    try:
        record = orjson.loads(source.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise UnreadableError(source, f"{source} cannot be read ({error}): download it again.") from error
    questions = tuple(_questions_in(record)) if isinstance(record, dict) and len(sessions) == 1 else ()
    return [Dialogue(session, questions) for session in sessions]


def _shortened(path: Path) -> Path:
    """Return the shortened conversation next to a complete one, if there is one."""
    other = path.with_name(_SHORTENED)
    return other if other.is_file() else path


def _questions_in(record: dict[str, Any]) -> Iterator[Question]:
    for ability in BEAM_ABILITIES:
        for entry in objects_of(record.get(ability)):
            answer = _answer_of(ability, entry)
            is_answered, is_ordered = ability != BEAM_UNANSWERED, ability == "event_ordering"
            yield Question(
                as_text(entry.get("question", "")),
                answer if is_answered else "",
                tuple(dict.fromkeys(f"m{number}" for number in _sources_in(entry.get("source_chat_ids")))),
                ability,
                tuple(_statements_of(ability, entry, answer)),
                is_ordered,
                is_answered,
                not is_answered,
            )


def _answer_of(ability: str, entry: dict[str, Any]) -> str:
    """Return what an answer must state: the parts that the rubric names, or else the whole answer."""
    items = _rubric_items(entry.get("rubric"))
    parts = [item[part.end() :] for item in items if (part := _NUGGET.match(item))]
    if parts and ability in _BY_RUBRIC:
        return ". ".join(parts)
    return next((as_text(entry[name]) for name in _ANSWERS if entry.get(name)), "")


def _sources_in(value: Any) -> Iterator[int]:
    """Yield the numbers of the messages that the answer is taken from, except those that were updated later."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _sources_in(part)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name != _REPLACED:
                yield from _sources_in(part)


def _statements_of(ability: str, entry: dict[str, Any], answer: str) -> Iterator[str]:
    """Yield the statements that a context must contain, for abilities that words from different places do not show."""
    if ability == "knowledge_update":
        yield answer
    elif ability in ("instruction_following", "preference_following"):
        yield from (as_text(entry[name]) for name in _GIVEN if entry.get(name))
    elif ability == "contradiction_resolution":
        claims = [(item, _CLAIM.match(item)) for item in _rubric_items(entry.get("rubric"))]
        yield from (item[claim.end() :] for item, claim in claims if claim)
    elif ability == "temporal_reasoning":
        points = _rubric_items(entry.get("time_points"))
        yield from (
            f"{label[1]} {point[label.end() :]}" if (label := _LABELLED.match(point)) else point for point in points
        )
    elif ability == "event_ordering":
        yield from (_PLACE.sub("", item) for item in _rubric_items(entry.get("ordering_tested")))


def _rubric_items(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
