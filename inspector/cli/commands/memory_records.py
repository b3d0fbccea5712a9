"""Entries as the commands `memory …` print them."""

from __future__ import annotations

from inspector.cli.schema import record
from inspector.cli.schema.memories import EntryRecord
from inspector.store import Memory


def entry_record(entry: Memory) -> EntryRecord:
    """An entry as JSON."""
    return record(
        EntryRecord,
        entry,
        session=entry.session_id,
        messages=list(entry.message_ids),
        created=entry.created_at,
        used=entry.used_at,
        pinned=entry.is_pinned,
        expires=entry.expires_at,
    )
