"""Sessions of Crush: a database with the parts of each message in JSON.

https://github.com/charmbracelet/crush (internal/message): a message that is a summary takes the place of all before it,
and is sent in the person's name. A session that a tool began names the one that it belongs to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Part, Session
from inspector.formats.base import UNLIKE, Feature, FormatMatch, SessionHead
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.library_blocks import block_parts
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.formats.reading.databases import LooseRow, rows_at_a_glance, rows_of
from inspector.llm.providers import as_text

_SESSION_COLUMNS = frozenset({"id", "title", "parent_session_id", "completion_tokens"})
_MESSAGE_COLUMNS = frozenset({"id", "session_id", "role", "parts"})
_LIST = """
    SELECT * FROM sessions WHERE id IN (SELECT session_id FROM messages)
    AND (parent_session_id IS NULL OR parent_session_id NOT IN (SELECT session_id FROM messages))
    ORDER BY created_at, id"""


class Crush(DatabaseFormat):
    """Databases that Crush keeps in the folder of a project."""

    name = "crush"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "sub-agents", "compactions"})
    page = "https://github.com/charmbracelet/crush"
    place = ".crush"

    def recognize(self, sample: Sample) -> FormatMatch:
        sessions, messages = (sample.tables.get(name, frozenset()) for name in ("sessions", "messages"))
        known = sessions >= _SESSION_COLUMNS and messages >= _MESSAGE_COLUMNS
        return FormatMatch(1.0, "tables of sessions with a parent, and of messages with parts") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        messages: dict[str, list[LooseRow]] = {}
        for row in rows_of(connection, "SELECT * FROM messages ORDER BY created_at, rowid"):
            messages.setdefault(as_text(row["session_id"]), []).append(row)
        infos = rows_of(connection, "SELECT * FROM sessions ORDER BY created_at, id")
        children: dict[str, list[LooseRow]] = {}
        for info in infos:
            if info["id"] in messages and info["parent_session_id"] in messages:
                children.setdefault(as_text(info["parent_session_id"]), []).append(info)
        mains = [info for info in infos if info["id"] in messages and info["parent_session_id"] not in messages]
        for line, info in enumerate(mains, 1):
            family = [info, *_descendants(as_text(info["id"]), children)]
            yield _crush_session(content, family, messages, line if len(mains) > 1 else 0)

    def heads(self, path: Path) -> list[SessionHead]:
        return [_head_of_row(row, path) for row in rows_at_a_glance(path, _LIST)]


def _head_of_row(row: LooseRow, path: Path) -> SessionHead:
    """Return the head of a session. Its folder is the parent of the database's folder."""
    time = row["updated_at"]
    seconds = float(time) if isinstance(time, int | float) else 0.0
    return SessionHead(as_text(row["title"]), str(path.parent.parent), seconds)


def _descendants(name: str, children: dict[str, list[LooseRow]]) -> Iterator[LooseRow]:
    """Yield the sessions that a session started, directly and indirectly."""
    for info in children.pop(name, ()):
        yield info
        yield from _descendants(as_text(info["id"]), children)


def _crush_session(
    content: Content, family: Sequence[LooseRow], messages: dict[str, list[LooseRow]], line: int
) -> Session:
    """Read a session. The log of a sub-agent follows that of the main agent."""
    main = family[0]
    rows = messages[as_text(main["id"])]
    model = next((as_text(row["model"]) for row in reversed(rows) if row["model"]), "")
    log = LogBuilder(dialect_for(model))
    for place, info in enumerate(family):
        agent = (as_text(info["title"])[:60] or f"agent {place}") if place else MAIN
        agent = f"{agent} {place}" if agent in log.ends else agent
        for row in messages[as_text(info["id"])]:
            _add_crush_message(
                log, row, agent, is_summary=bool(row["is_summary_message"]) or row["id"] == info["summary_message_id"]
            )
    return log.session(content, Crush.name, as_text(main["id"]), as_text(main["title"]), model=model, line=line)


def _add_crush_message(log: LogBuilder, row: LooseRow, agent: str, *, is_summary: bool) -> None:
    name, role = as_text(row["id"]), as_text(row["role"])
    facts: Fields = {"agent": agent, "time": time_of(row["created_at"])}
    around = {key: value for key, value in row.items() if key != "parts" and not isinstance(value, bytes)}
    blocks = [(as_text(part.get("type")), fields_of(part.get("data"))) for part in objects_of(row["parts"])]
    for kind, data in blocks:
        if kind == "tool_result":
            result = result_of(data.get("tool_call_id"), _crush_answer(data), is_error=data.get("is_error") is True)
            log.add_parts(name, "tool", [result], around, **facts)
    parts = [part for kind, data in blocks for part in _crush_parts(kind, data)]
    if not parts:
        return
    if is_summary:
        log.begin_anew(agent)
        log.add_parts(name, "user", parts, around, kind="summary", **facts)
    elif role == "assistant":
        log.add_parts(name, "assistant", parts, around, model=as_text(row["model"]), **facts)
    else:
        log.add_parts(name, "system" if role == "system" else "user", parts, around, **facts)


def _crush_answer(data: Fields) -> Any:
    """Return the result of a tool, with an image if there is one."""
    if data.get("data") and as_text(data.get("mime_type")).startswith("image/"):
        picture = {"type": "image", "mimeType": data["mime_type"], "data": data["data"]}
        return [{"text": as_text(data.get("content"))}, picture]
    return data.get("content")


def _crush_parts(kind: str, data: Fields) -> Iterator[Part]:
    """Convert a part, except results and the reason for the end of a message."""
    match kind:
        case "tool_call":
            yield call_of(data.get("id"), data.get("name"), data.get("input"))
        case "binary":
            mime = as_text(data.get("MIMEType") or data.get("mime_type"))
            place = as_text(data.get("Path") or data.get("path"))
            picture = {"type": "image", "mimeType": mime, "data": data.get("Data") or data.get("data")}
            yield from blocks_of(picture if mime.startswith("image/") else place)
        case "image_url":
            yield from blocks_of({"type": "image", "url": data.get("url") or data.get("URL")})
        case "tool_result" | "finish":
            return
        case _:
            yield from block_parts({"type": kind, **data})
