"""Messages that plans have put into windows, after what they quote was forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from inspector.llm.providers import text_message
from inspector.store.damage import decoding, json_object
from inspector.store.serialization import column, message_from_json, message_json
from inspector.store.session_reader import content_digest

FORGOTTEN = "[This text was deleted.]"


def blank_injections(connection: sqlite3.Connection, ids: Collection[int]) -> None:
    """Let no message that a plan has put into a window quote any of these entries, inside the caller's transaction.

    The whole text of such a message goes: what else it quotes can be put in again.
    """
    rows = connection.execute("""
        SELECT m.id, m.message, p.settings FROM plan_message m JOIN plan p ON p.id = m.plan_id
        WHERE m.kind = 'injected'""").fetchall()
    for number, text, settings in rows:
        with decoding(f"the message {number} of a plan"):
            quoted = json_object(settings).get("memories")
            old = message_from_json(text)
        if isinstance(quoted, list) and any(name in ids for name in quoted):
            facts = {"kind": old.kind, "agent": old.agent, "parent": old.parent, "time": old.time}
            new = text_message(old.id, old.role, FORGOTTEN, old.dialect, **facts)
            connection.execute(
                "UPDATE plan_message SET message = ?, preview = ?, digest = ? WHERE id = ?",
                (message_json(new), column(new.preview), content_digest(new), number),
            )
