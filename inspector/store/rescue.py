"""What is left of a damaged store: sessions with the messages that can still be read, and the plans made for them.

Of a message its text is what counts: a head that is damaged is made again from it, also where the head is lost and the
messages beside it tell where it stood.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from inspector.core.conversation import (
    MAIN,
    InMemoryBody,
    Message,
    Part,
    Problem,
    Raw,
    Session,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    parts_of,
)
from inspector.llm.providers import DEFAULT_DIALECT, DIALECTS, count_characters, message_from_raw, wire_of
from inspector.store.damage import KINDS, ROLES, DamagedError, json_list, json_object, require_message
from inspector.store.plans import plan_of_row
from inspector.store.rows import Rows, number_of, text_of, value_of
from inspector.store.serialization import HEAD, Row, message_of, settings_of
from inspector.store.session_reader import content_digest, digest_rules, problem_of

if TYPE_CHECKING:
    from inspector.engine.window import Plan

_SESSION = (
    "id, recorded_id, title, format, dialect, model, path, line, records_system, messages, settings, tools, problems, "
    "imported_at, tokens, peak, counter, digested_by"
)
_FACTS = ("recorded_id", "imported_at", "counter", "tokens", "peak")
"""Columns of a session that its log does not tell: three texts, two numbers."""
_ATTEMPTS = 2_000_000
"""Messages of one session, at most: no number in a damaged file takes more memory than that."""
_LOSS_NOTE = "[the rest of this message was lost]"
_PLAN = "session_id, agent, position, strategy, settings, covers, turn, note, created_at"


@dataclass(frozen=True, slots=True)
class _RescueBody:
    """The body of a message in a damaged store. Reading it raises ValueError where it is damaged."""

    rows: Rows
    key: int

    def load(self) -> tuple[Raw, Raw]:
        raw, record = self.load_pair()
        return raw, record or {}

    def load_pair(self) -> tuple[Raw, Raw | None]:
        """Raw message and record; None for a record that is lost. Raises ValueError where the raw message is."""
        for _, raw, record in self.rows.rows("body", "raw, record", self.key):
            with suppress(ValueError):
                return json_object(text_of(raw)), value_of(record, json_object, None)
        raise ValueError("the text is lost")


@dataclass(slots=True)
class _LogPlace:
    """Where a message stands in the store and in its session's log, as far as that is known."""

    key: int
    session_id: str | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True)
class RescuedSession:
    """The readable part of a damaged session."""

    session: Session
    """With its messages numbered anew, so that none is missing."""
    facts: Mapping[str, Any]
    """What could be read of `_FACTS`."""
    log: Sequence[str]
    """The ids of its messages by their positions in the whole log; empty where one is lost."""
    lost: int
    """Messages that are gone."""
    cut: int
    """Messages of which only the beginning is left, as the head has it."""
    mended: int
    """Messages whose head was made again from their text."""
    changed: int
    """Messages that do not say word for word what was stored."""


@dataclass(frozen=True, slots=True)
class RescuedPlan:
    """An undamaged plan, with the other columns of its row."""

    id: int
    agent: str
    plan: Plan
    created_at: str


class Rescue:
    """Sessions and what belongs to them, out of the rows that can be read.

    `strict` reads the same file through a connection that decodes texts.
    """

    def __init__(self, rows: Rows, strict: sqlite3.Connection) -> None:
        self.rows = rows
        self.strict = strict

    @property
    def ids(self) -> list[str]:
        """The ids of all sessions of which anything is left, in the order in which they were imported."""
        return list(dict.fromkeys([*self.session_rows, *self.keys]))

    @cached_property
    def session_rows(self) -> dict[str, dict[str, Any]]:
        """What is left of the table session, by id."""
        names = _SESSION.split(", ")
        rows = [dict(zip(names, row[1:], strict=True)) for row in self.rows.scan("session", _SESSION)]
        return {text_of(row["id"]): row for row in rows if row["id"] is not None}

    @cached_property
    def keys(self) -> dict[str, dict[int, int]]:
        """The keys of each session's messages by position, also of those of which only the text is left."""
        places = {key: _LogPlace(key) for key, _ in self.rows.scan("body", "key")}
        for key, session_id, position in self.rows.scan("message", "session_id, position"):
            name = None if session_id is None else text_of(session_id)
            places[key] = _LogPlace(key, name, position if _is_position(position, key) else None)
        _place_strays([places[key] for key in sorted(places)], self.session_rows)
        keys: dict[str, dict[int, int]] = {}
        for place in places.values():
            if place.session_id is not None and place.position is not None:
                keys.setdefault(place.session_id, {}).setdefault(place.position, place.key)
        return keys

    def session(self, id: str) -> RescuedSession:
        """A session with the messages that are left of it."""
        row, keys = self.session_rows.get(id, {}), self.keys.get(id, {})
        dialect = text_of(row.get("dialect"))
        comparable = text_of(row.get("digested_by")) == digest_rules()
        log_parts = _Log(self.rows, dialect if dialect in DIALECTS else "", comparable)
        for position in sorted(keys):
            log_parts.add(position, keys[position])
        count = number_of(row.get("messages"))
        length = max(max(keys, default=-1) + 1, count if count < _ATTEMPTS else 0)
        losses, messages = length - len(log_parts.messages), tuple(log_parts.messages)
        places = {position: messages[index].id for position, index in log_parts.indices.items()}
        problems: list[Problem] = value_of(row.get("problems"), _problems_of, [])
        for number, subject in ((losses, "messages"), (log_parts.cut, "the ends of messages")):
            if number:
                problems.append(Problem(f"{subject} were lost when the store was damaged: {number:,}"))
        settings, sizes = value_of(row.get("settings"), settings_of, ({}, None))
        session = Session(
            id,
            text_of(row.get("title")) or next((message.preview for message in messages if message.preview), id),
            text_of(row.get("format")),
            messages,
            text_of(row.get("model")),
            tuple(value_of(row.get("tools"), _objects, [])),
            log_parts.dialect or DEFAULT_DIALECT,
            settings,
            row.get("records_system") != 0,
            tuple(problems),
            text_of(row.get("path")),
            number_of(row.get("line")),
            sizes,
        )
        log = [places.get(position, "") for position in range(length)]
        counts = (losses, log_parts.cut, log_parts.mended, log_parts.changed)
        return RescuedSession(session, _facts_of(row), log, *counts)

    @cached_property
    def plan_rows(self) -> dict[str, list[Row]]:
        """What is left of the table plan, by session, in the order of the stacks: rowid, then the columns `_PLAN`."""
        rows: dict[str, list[Row]] = {}
        for row in self.rows.scan("plan", _PLAN):
            rows.setdefault(text_of(row[1]), []).append(row)
        return {name: sorted(stack, key=lambda row: number_of(row[3])) for name, stack in rows.items()}

    def plans(self, id: str, log: Sequence[str]) -> tuple[list[RescuedPlan], int]:
        """The plans of a session that are whole, and how many are lost.

        A plan stands on those below it: where one is lost, so are those above.
        """
        rows = self.plan_rows.get(id, [])
        plans: list[RescuedPlan] = []
        broken_agents: set[str] = set()
        for row in rows:
            agent = text_of(row[2])
            plan = None if agent in broken_agents else self.plan(row, log)
            if plan is None or sum(other.agent == agent for other in plans) + 1 != row[3]:
                broken_agents.add(agent)
            else:
                plans.append(RescuedPlan(row[0], agent, plan, text_of(row[9])))
        return plans, len(rows) - len(plans)

    def plan(self, row: Row, log: Sequence[str]) -> Plan | None:
        """The plan of a row, if all of it is there."""
        number, _, _, _, strategy, settings, covers, turn, note, _ = row
        texts = [text_of(value) for value in (strategy, settings, covers, note)]
        count = "SELECT count(*) FROM plan_message NOT INDEXED WHERE plan_id = ?"
        with suppress(DamagedError, sqlite3.Error):
            match = plan_of_row(self.strict, (number, *texts[:3], turn, texts[3]), list(log))
            is_whole = self.strict.execute(count, (number,)).fetchone() == (len(match.versions),)
            if is_whole and "" not in match.plan.ids and number_of(turn, -1) >= 0:
                return match.plan
        return None


def _is_position(value: Any, key: int) -> bool:
    """Whether a message with this key can stand there: those before it were stored before it."""
    return type(value) is int and 0 <= value < min(key, _ATTEMPTS)


def _place_strays(places: Sequence[_LogPlace], sessions: Collection[str]) -> None:
    """Tell messages that have lost their session or position, ordered by key, where their neighbours leave room.

    The messages of a session lie one behind the other. A session that is in no other row than one message's is a
    damaged name.
    """
    counts = Counter(place.session_id for place in places)
    for place in places:
        if place.session_id not in sessions and counts[place.session_id] < 2:
            place.session_id = None
    firm = [place for place in places if place.session_id is not None and place.position is not None]
    keys, places_in_use = [place.key for place in firm], {(place.session_id, place.position) for place in firm}
    for place in places:
        if place.session_id is None or place.position is None:
            at = bisect_left(keys, place.key)
            _place_stray(place, firm[max(at - 1, 0) : at + 1], places_in_use)


def _place_stray(place: _LogPlace, neighbours: Sequence[_LogPlace], in_use: set[tuple[str | None, int | None]]) -> None:
    """Give a message the session of a neighbour, and the position that its key has there, unless it is in `in_use`."""
    for neighbour in neighbours:
        position = (neighbour.position or 0) + place.key - neighbour.key
        if _is_position(position, place.key) and (neighbour.session_id, position) not in in_use:
            place.session_id, place.position = neighbour.session_id, position
            in_use.add((neighbour.session_id, position))
            return


def _parent_of(value: Any) -> int:
    """The position of the message before one; one that no message has where that is not known."""
    return value if type(value) is int and -1 <= value < _ATTEMPTS else _ATTEMPTS


def _facts_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """What can be read of the columns `_FACTS`."""
    texts = {name: text_of(row[name]) for name in _FACTS[:3] if row.get(name) is not None}
    return texts | {name: row[name] for name in _FACTS[3:] if number_of(row.get(name), -1) >= 0}


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects of a JSON list."""
    return [value for value in json_list(text) if isinstance(value, dict)]


def _problems_of(text: str) -> list[Problem]:
    """The problems that were found in a source. Raises TypeError for values that are none of their fields."""
    return [problem_of(value) for value in _objects(text)]


def _sound_message(row: Row, body: _RescueBody, raw: Raw) -> Message | None:
    """The message of a head that is whole, and that its text does not contradict; None for any other."""
    with suppress(TypeError, ValueError, KeyError, AttributeError, RecursionError):
        values = tuple([text_of(value) if isinstance(value, bytes) else value for value in row])
        message = require_message(message_of(values, body))
        if message.chars == sum(map(count_characters, parts_of(raw, message.dialect))):
            return message
    return None


def _truncated_message(row: Row) -> Message | None:
    """A message that says as much as its head tells, where its text is lost; None where the head is damaged too."""
    with suppress(TypeError, ValueError, KeyError, AttributeError, RecursionError):
        values = tuple([text_of(value) if isinstance(value, bytes) else value for value in row])
        message = require_message(message_of(values, InMemoryBody({})))
        text = Text(message.preview if message.chars <= len(message.preview) else f"{message.preview} {_LOSS_NOTE}")
        parts: list[Part] = [text] if message.answers is None else [ToolResult(message.answers, (text,))]
        parts += [ToolCall(call.id, call.name, "{}") for call in message.calls]
        raw = wire_of(message.dialect).encode(message.role, parts, message.name)
        rest = message_from_raw(
            message.id, raw, message.dialect, role=message.role, name=message.name, kind=message.kind
        )
        facts = {name: getattr(message, name) for name in ("agent", "parent", "time", "model", "usage")}
        return replace(rest, **facts)
    return None


class _Log:
    """Builds a log from the messages that can be read."""

    def __init__(self, rows: Rows, dialect: str, comparable: bool) -> None:
        """`comparable` says whether the digests that are stored are made as those are that would be made now."""
        self.rows = rows
        self.dialect = dialect
        self.comparable = comparable
        self.messages: list[Message] = []
        self.indices: dict[int, int] = {}
        """Where the messages stand by now, by their positions in the whole log."""
        self.newest: dict[str, int] = {}
        """The newest message of each agent."""
        self.agent = MAIN
        self.ids: set[str] = set()
        self.cut = self.mended = self.changed = 0

    def add(self, position: int, key: int) -> None:
        """Put the message with this key behind the others, if anything is left of it."""
        body = _RescueBody(self.rows, key)
        heads = self.rows.rows("message", HEAD, key)
        try:
            raw, record = body.load_pair()
        except ValueError:
            message = self.first(heads, _truncated_message)
            if message is None:
                return
            self.cut += 1
        else:
            message = self.first(heads, partial(_sound_message, body=body, raw=raw))
            if message is None:
                self.mended += 1
                message = self.rebuild_message(next(self.rows.rows("message", HEAD, key), ()), body, raw, position)
            elif record is None or self.differs(message, raw, key):
                self.changed += 1
        agent = message.agent
        parent = -1 if message.parent == -1 else self.indices.get(message.parent, self.newest.get(agent, -1))
        self.agent, self.dialect = agent, self.dialect or message.dialect
        self.indices[position] = self.newest[agent] = len(self.messages)
        self.messages.append(replace(message, parent=parent))
        self.ids.add(message.id)

    def first(self, heads: Iterable[Row], decode: Callable[[Row], Message | None]) -> Message | None:
        """The first head that can be decoded to a message with an id of its own."""
        messages = (decode(head[1:]) for head in heads)
        return next((message for message in messages if message is not None and message.id not in self.ids), None)

    def differs(self, message: Message, raw: Raw, key: int) -> bool:
        """Whether a message has another digest than the one that was stored with it."""
        digests = [digest for _, digest in self.rows.rows("message", "digest", key)]
        return self.comparable and content_digest(replace(message, body=InMemoryBody(raw))) not in digests

    def rebuild_message(self, row: Row, body: _RescueBody, raw: Raw, position: int) -> Message:
        """A message out of its text, with what is left of its head."""
        head = dict(zip(HEAD.split(", "), row[1:], strict=True)) if row else {}
        name = text_of(head.get("id")) or f"rescued-{position + 1}"
        kind, dialect = text_of(head.get("kind")), text_of(head.get("dialect"))
        return message_from_raw(
            name if name not in self.ids else f"{name}-{position + 1}",
            raw,
            dialect if dialect in DIALECTS else self.dialect or DEFAULT_DIALECT,
            body=body,
            kind=kind if kind in KINDS else "chat",
            agent=text_of(head.get("agent"), self.agent),
            **_metadata_of(head),
        )


def _metadata_of(head: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a message's metadata in the columns of its row, as the fields of a message."""
    role = text_of(head.get("role"))
    usage = [number_of(head.get(name), -1) for name in HEAD.split(", ") if name.startswith("usage")]
    usage[-1] = max(0, usage[-1])  # a column that older stores do not have
    metadata: dict[str, Any] = {name: text_of(head.get(name)) for name in ("time", "model")}
    metadata |= {"parent": _parent_of(head.get("parent"))}
    metadata |= {"role": role} if role in ROLES else {}
    metadata |= {"name": text_of(head["name"])} if head.get("name") else {}
    metadata |= {"usage": Usage(*usage)} if usage and min(usage) >= 0 else {}
    return metadata
