"""Conversion of messages and texts to columns and back, without loss.

JSON is escaped if a text contains half of a surrogate pair, which UTF-8 cannot represent. Short texts with one become
a BLOB.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from typing import Any

from inspector.core.conversation import (
    Body,
    CallHead,
    InMemoryBody,
    Message,
    Raw,
    Session,
    SizeFacts,
    Usage,
    WorkEvent,
    size_facts,
)
from inspector.core.text import exact_dumps
from inspector.store.damage import StoreError, json_list, json_object, require_message

Row = tuple[Any, ...]

HEAD = (
    "id, agent, parent, role, kind, name, calls, answers, is_error, thinks, preview, chars, images, time, model, "
    "usage_input, usage_output, usage_cache_read, usage_cache_write, usage_cache_write_1h, events, dialect"
)
"""The columns of a message's head, in the order of `head_row` and `message_of`."""


def column(text: str) -> str | bytes:
    """Return a text in a form that SQLite can store."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def text_of(value: str | bytes) -> str:
    """Return the text of a value from `column`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


_SIZES, JOINED = "inspector:sizes", "inspector:joined"
"""Among a request's settings, the names of what is known of the session itself, which are no fields of a request."""
STORED_CAPTURE = "the store"
"""`Session.capture` of a stored session that has its captured requests."""


def settings_column(session: Session) -> str:
    """Return a session's settings, known sizes and whether it has its captured requests as JSON. Raises StoreError."""
    settings = {name: value for name, value in session.settings.items() if name not in (_SIZES, JOINED)}
    known = {_SIZES: session.sizes, JOINED: bool(session.capture)}
    return to_json(settings | {name: value for name, value in known.items() if value}, f"the session {session.title}")


def settings_of(text: Any) -> tuple[Raw, SizeFacts | None, str]:
    """Return the settings, sizes and `Session.capture` in a text from `settings_column`.

    Raises:
        ValueError: The text has another shape.
        TypeError: A part of it has another type.
    """
    settings = json_object(text)
    sizes, is_joined = settings.pop(_SIZES, None), settings.pop(JOINED, False)
    return settings, None if sizes is None else size_facts(sizes), STORED_CAPTURE if is_joined is True else ""


def to_json(value: Any, subject: str) -> str:
    """Return a value as JSON. Raises StoreError, naming `subject`, for a value that `loads` cannot return."""
    try:
        text = exact_dumps(value, ascii_only=False)
        return text if isinstance(column(text), str) else exact_dumps(value, ascii_only=True)
    except (TypeError, ValueError) as error:
        raise StoreError(f"{subject} cannot be stored: {error}") from error


def head_row(message: Message) -> Row:
    """Return a message's head as the values of the columns `HEAD`."""
    calls = [[call.id, call.name] for call in message.calls]
    usage = message.usage
    return (
        column(message.id),
        column(message.agent),
        message.parent,
        message.role,
        message.kind,
        column(message.name),
        to_json(calls, f"message {message.id}") if calls else "",
        None if message.answers is None else column(message.answers),
        int(message.is_error),
        int(message.thinks),
        column(message.preview),
        message.chars,
        message.images,
        column(message.time),
        column(message.model),
        *(_usage_row(usage) if usage else (None,) * 5),
        to_json(message.events, f"message {message.id}") if message.events else None,
        message.dialect,
    )


def _usage_row(usage: Usage) -> Row:
    return usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_write_1h or None


def message_of(row: Row, body: Body) -> Message:
    """Return the message with these values of the columns `HEAD`, and a body."""
    calls, answers = row[6:8]
    return Message(
        id=text_of(row[0]),
        role=row[3],
        body=body,
        dialect=row[21],
        kind=row[4],
        name=text_of(row[5]),
        calls=_calls_of(calls) if calls else (),
        answers=None if answers is None else text_of(answers),
        is_error=row[8] == 1,
        thinks=row[9] == 1,
        preview=text_of(row[10]),
        chars=row[11],
        images=row[12],
        agent=text_of(row[1]),
        parent=row[2],
        time=text_of(row[13]),
        model=text_of(row[14]),
        usage=None if row[15] is None else _usage_of(row[15:20]),
        events=() if row[20] is None else _events_of(json_list(row[20])),
    )


def _usage_of(counts: Row) -> Usage:
    """Return the usage in the columns of a head, the last of which is empty if it is zero."""
    sent, answered, read, written, for_an_hour = counts
    return Usage(sent, answered, read, written, for_an_hour or 0)


def _calls_of(calls: str) -> tuple[CallHead, ...]:
    """Return the calls of a message's head. Raises ValueError or TypeError for text that `head_row` did not write."""
    heads = tuple([CallHead(*call) for call in json_list(calls)])
    if not all(isinstance(head.id, str) and isinstance(head.name, str) for head in heads):
        raise TypeError("a call's id or name is not a string")
    return heads


def _events_of(values: Iterable[Any]) -> tuple[WorkEvent, ...]:
    """Return the events in a list of `[part, name, value]`. Raises ValueError or TypeError for any other list."""
    events = tuple([WorkEvent(*value) for value in values])
    if not all(isinstance(text, str) for event in events for text in event):
        raise TypeError("an event is not made of strings")
    return events


_PLAIN = tuple(field.name for field in fields(Message) if field.name not in ("body", "calls", "usage", "events"))


def message_json(message: Message) -> str:
    """Return a whole message, head and body, as one JSON object."""
    raw, record = message.body.load()
    values: dict[str, Any] = {name: getattr(message, name) for name in _PLAIN}
    values["calls"] = [[call.id, call.name] for call in message.calls]
    values["events"] = message.events
    usage = message.usage
    values["usage"] = astuple(usage) if usage else None
    return to_json(values | {"raw": raw, "record": record}, f"message {message.id}")


def message_from_json(text: str) -> Message:
    """Return the message in a text from `message_json`, with its body in memory.

    Raises TypeError, ValueError or KeyError for any other text.
    """
    values = json_object(text)
    body = InMemoryBody(values.pop("raw"), values.pop("record"))
    calls = tuple([CallHead(*call) for call in values.pop("calls")])
    events = _events_of(values.pop("events", ()))
    usage = values.pop("usage")
    message = Message(body=body, calls=calls, events=events, usage=Usage(*usage) if usage else None, **values)
    return require_message(message)


def ranges(ids: Iterable[str], positions: Mapping[str, int]) -> list[list[int] | str]:
    """Return ids as `[first, last]` ranges of positions in the log. Ids that are not in the log stay as they are."""
    runs: list[list[int] | str] = []
    for name in ids:
        position = positions.get(name)
        last = runs[-1] if runs else None
        if position is None:
            runs.append(name)
        elif isinstance(last, list) and last[1] == position - 1:
            last[1] = position
        else:
            runs.append([position, position])
    return runs


def ids_of(runs: Iterable[list[int] | str], ids: list[str]) -> tuple[str, ...]:
    """Return the ids in a value from `ranges`, given the ids of the log in order. Raises TypeError or ValueError."""
    members: list[str] = []
    for run in runs:
        if isinstance(run, str):
            members.append(run)
            continue
        first, last = run
        if not 0 <= first <= last < len(ids):
            raise ValueError(f"there are no positions {first} to {last}")
        members += ids[first : last + 1]
    if len(set(members)) < len(members):
        raise ValueError("a message is covered twice")
    return tuple(members)
