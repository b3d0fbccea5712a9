"""The newest compaction of a session of the Cline SDK, from the file next to its messages.

https://github.com/cline/cline (session-compaction.ts): `ID.messages.json` keeps every message, `ID.compaction.json`
the messages sent in the place of the first `source_message_count`. The messages after these were sent unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inspector.formats.building.blocks import objects_of
from inspector.formats.readers.cline.cline_events import TaskCompaction, is_sdk_summary, task_text
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text, token_count

_COUNT = "source_message_count"
_HEAD = 20
"""Characters at its start by which a shortened text is recognized."""


def is_compacted_state(record: Any) -> bool:
    """Return True if a record is a compaction rather than a task."""
    return isinstance(record, dict) and _COUNT in record and isinstance(record.get("messages"), list)


def recorded_compaction(state: Fields, messages: Sequence[Fields]) -> tuple[TaskCompaction, dict[int, Fields]]:
    """Match the compacted messages with those that they replaced.

    Args:
        state: The object in the file of the compaction.
        messages: All messages of the session.

    Returns:
        The compaction, and the messages that it kept with a shorter text, by their position in `messages`.

    Raises:
        ValueError: The compaction is of other messages.
    """
    count = token_count(state, _COUNT) if _COUNT in state else len(messages)
    if count > len(messages):
        raise ValueError(f"it replaces {count:,} messages, of which {len(messages):,} are recorded")
    kept, cut, new = _match(objects_of(state.get("messages")), messages[:count])
    if not kept and not new:
        raise ValueError("no message is in it")
    place = count if _COUNT in state else max(kept, default=count - 1) + 1
    record = {key: value for key, value in state.items() if key not in ("messages", "system_prompt")}
    return TaskCompaction(place, _summary_of(new, cut, place - len(kept)), record, tuple(kept)), cut


def _match(
    compacted: Sequence[Fields], messages: Sequence[Fields]
) -> tuple[list[int], dict[int, Fields], list[Fields]]:
    """Return the places of the kept messages, those with another text, and the messages that are new."""
    places: dict[str, list[int]] = {}
    for place, message in enumerate(messages):
        places.setdefault(_key(message), []).append(place)
    by_id = {as_text(message["id"]): place for place, message in enumerate(messages) if message.get("id")}
    kept: list[int] = []
    cut: dict[int, Fields] = {}
    new: list[Fields] = []
    end = len(messages)
    for message in reversed(compacted):
        same = places.get(_key(message), [])
        while same and same[-1] >= end:
            same.pop()
        place = same[-1] if same else by_id.get(as_text(message.get("id")), -1)
        if not same and not (0 <= place < end and _is_cut(message, messages[place])):
            new.append(message)
            continue
        if not same:
            cut[place] = message
        end = place
        kept.append(place)
    return kept[::-1], cut, new[::-1]


def _key(message: Fields) -> str:
    content = message.get("content")
    whole = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return json.dumps([message.get("role"), whole], sort_keys=True, default=str)


def _is_cut(message: Fields, original: Fields) -> bool:
    """Return True if a message of the compaction is a recorded message whose text was shortened."""
    if is_sdk_summary(message) or message.get("role") != original.get("role"):
        return False
    return message["role"] != "user" or task_text(message)[:_HEAD] == task_text(original)[:_HEAD]


def _summary_of(new: Sequence[Fields], cut: dict[int, Fields], removed: int) -> Fields:
    """Return the summary as one message; without one, a note that says what the compaction did."""
    first: Fields = new[0] if new else {"role": "user", "id": "compaction"}
    texts = [text for message in new if (text := task_text(message))]
    if not texts:
        shortened = f", and {len(cut):,} shortened" if cut else ""
        texts = [f"({removed:,} messages of the conversation were removed here{shortened})"]
    return first | {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
