"""Dialogues of LoCoMo: two people over many days, with questions and the turns that answer them.

https://github.com/snap-research/locomo: a list of `{"sample_id", "conversation", "qa"}`. A dialogue becomes a session
whose messages keep the ids of the turns, to which the questions refer: `D1:3` is the third turn of the first day.
Neither person is a model: the one who speaks first is the user, the other the assistant. A picture is represented by
its caption, and the date of a day precedes its first turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import Message, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import digest, shorten_title, unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.dialogues import Dialogue, Question
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_files import records_of_kind
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import DEFAULT_DIALECT, as_text

_DAY = re.compile(r"session_(\d{1,6})")
_TURN_ID = re.compile(r"D\d+:\d+")
_ADVERSARIAL = 5
"""Category of the questions that the dialogue does not answer."""
_NO_NAME = re.compile(r"[^\w-]+")
"""Characters that no provider accepts in a name."""


class LoCoMo(Format):
    """Dialogues of the LoCoMo benchmark, as sessions."""

    name = "locomo"
    order: ClassVar[RecordOrder] = RecordOrder(number="dia_id", lists="conversation.*")
    features: ClassVar[frozenset[Feature]] = frozenset({"times"})
    page = "https://github.com/snap-research/locomo"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any(_days_in(record) for record in sample.objects)
        return FormatMatch(0.95, "dialogues with a list of turns for each day") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return [dialogue.session for dialogue in _dialogues_in(content, progress)]


def read_dialogues(path: str | Path, progress: Progress | None = None) -> list[Dialogue]:
    """Read the dialogues of a file with their questions.

    Args:
        path: File to read.
        progress: Called while the file is read.

    Raises:
        UnreadableError: The file contains no dialogues.
    """
    try:
        return _dialogues_in(open_content(path, progress), progress)
    except RecursionError as error:
        raise UnreadableError(path, f"{path} is nested too deeply to be read: choose another file.") from error
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error


def _dialogues_in(content: Content, progress: Progress | None) -> list[Dialogue]:
    rows = records_of_kind(content, progress, lambda record: bool(_days_in(record)), "dialogue", "LoCoMo dialogue")
    records = list(rows)
    sessions = unique(_dialogue_session(content, *row) for row in records)
    return [
        Dialogue(session, tuple(_questions_in(record))) for session, (record, *_) in zip(sessions, records, strict=True)
    ]


def _days_in(record: Any) -> list[tuple[int, list[Any]]]:
    """Return the days of a dialogue by number, each with its turns, or none."""
    conversation = record.get("conversation") if isinstance(record, dict) else None
    if not isinstance(conversation, dict):
        return []
    days = [(_DAY.fullmatch(key), turns) for key, turns in conversation.items()]
    lists = [(int(day[1]), turns) for day, turns in days if day and isinstance(turns, list)]
    return sorted([(number, turns) for number, turns in lists if any(map(_is_turn, turns))], key=itemgetter(0))


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, dict) and "speaker" in turn and "text" in turn


def _dialogue_session(content: Content, record: dict[str, Any], number: int, problems: Problems) -> Session:
    conversation, own = record["conversation"], record.get("sample_id")
    speakers = [as_text(conversation.get(key) or "") for key in ("speaker_a", "speaker_b")]
    messages = _log_of_days(record, problems)
    return Session(
        id=own if isinstance(own, str) and own else digest(messages[0].raw, len(messages)),
        title=shorten_title(" ".join(" and ".join(filter(None, speakers)).split()) or "a dialogue"),
        format=LoCoMo.name,
        messages=messages,
        problems=problems.all(),
        path=content.source.path,
        line=number,
    )


def _log_of_days(record: dict[str, Any], problems: Problems) -> tuple[Message, ...]:
    """Return the turns of all days as messages. The first speaker is the user."""
    log, user = LogBuilder(DEFAULT_DIALECT), None
    for day, turns in _days_in(record):
        date = as_text(record["conversation"].get(f"session_{day}_date_time") or "")
        for place, turn in enumerate(turns, 1):
            if not _is_turn(turn):
                problems.add(f"turn {place} of day {day} was left out: it has no speaker")
                continue
            user = user or as_text(turn["speaker"])
            turn_id = turn.get("dia_id")
            log.add(
                turn_id if isinstance(turn_id, str) and turn_id else f"D{day}:{place}", _raw_of(turn, user, date), turn
            )
            date = ""
    return tuple(log.messages)


def _raw_of(turn: dict[str, Any], user: str, date: str) -> dict[str, Any]:
    """Return a turn as a chat message: its text after the date of the day, followed by the caption of an image."""
    speaker = as_text(turn["speaker"])
    caption = turn.get("blip_caption")
    texts = [date, as_text(turn["text"]), f"[picture: {as_text(caption)}]" if caption else ""]
    raw = {"role": "user" if speaker == user else "assistant", "content": "\n\n".join(filter(None, texts))}
    name = _NO_NAME.sub("_", speaker)[:64]
    return raw | ({"name": name} if name.strip("_") else {})


def _questions_in(record: dict[str, Any]) -> Iterator[Question]:
    """Yield the valid questions.

    Categories are 1 several turns, 2 time, 3 inference, 4 a single turn, and 5 adversarial, which has no answer.
    """
    entries = record.get("qa")
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("category"), int):
            continue
        category = entry["category"]
        evidence = entry.get("evidence")
        ids = _TURN_ID.findall(" ".join(map(as_text, evidence))) if isinstance(evidence, list) else []
        is_answered = category != _ADVERSARIAL
        answer = as_text(entry.get("answer", "")) if is_answered else ""
        yield Question(
            as_text(entry.get("question", "")),
            answer,
            tuple(dict.fromkeys(ids)),
            str(category),
            is_answered=is_answered,
        )
