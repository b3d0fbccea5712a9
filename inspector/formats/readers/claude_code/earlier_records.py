"""Ids of the records before the compaction with which a transcript begins. Another file contains these records."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from inspector.formats.readers.claude_code.message_drafts import text_in

_MAX_LINES = 50
"""Lines at the start of a file among which the compaction is searched."""
_MAX_LINE = 1 << 20
"""Bytes of a line that are read."""
_MESSAGES = ("user", "assistant")


def earlier_ids(path: Path) -> tuple[str, ...]:
    """Return the ids of the records that the first compaction follows or kept, the last dropped record first.

    Empty if the file does not begin with a compaction, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            lines = [file.readline(_MAX_LINE) for _ in range(_MAX_LINES)]
    except (OSError, ValueError):
        return ()
    for line in lines:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if not isinstance(record, dict):
            continue
        if record.get("subtype") == "compact_boundary":
            return tuple(dict.fromkeys(_ids_in(record)))
        if record.get("type") in _MESSAGES:
            return ()
    return ()


def _ids_in(boundary: dict[str, Any]) -> list[str]:
    facts = boundary.get("compactMetadata")
    facts = facts if isinstance(facts, dict) else {}
    run, segment = facts.get("preservedMessages"), facts.get("preservedSegment")
    uuids = run.get("uuids") if isinstance(run, dict) else None
    kept = [uuid for uuid in islice(uuids, _MAX_LINES) if isinstance(uuid, str)] if isinstance(uuids, list) else []
    ends = [text_in(segment, name) for name in ("headUuid", "tailUuid")] if isinstance(segment, dict) else []
    before = [text_in(boundary, name) for name in ("logicalParentUuid", "parentUuid")]
    return list(filter(None, (*before, *kept, *ends)))
