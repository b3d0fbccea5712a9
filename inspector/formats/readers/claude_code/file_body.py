"""Bodies of messages that stay in their file until somebody reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from inspector.core.conversation import Raw
from inspector.formats.building.blocks import UNRECORDED_SUMMARY
from inspector.formats.readers.claude_code.attachments import attached_content
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.source import Source
from inspector.llm.providers import wire_of

_Record = Mapping[str, Any]
WIRE = wire_of("anthropic")
"""Wire format of the messages in a transcript."""


@dataclass(frozen=True, slots=True)
class FileBody:
    """A message of a Claude Code transcript, as the lines of the file that hold it.

    Never raises: if the file has changed, a notice replaces the text.
    """

    source: Source
    key: str
    """The uuid of the record, or the id of its API message: the sign that it is still the same. "" for neither."""
    spans: tuple[tuple[int, int], ...]
    """Offset and length in bytes of each line."""
    piece: int = 0
    """Which of the messages that `split` makes of the line."""
    of: int = 1
    """Number of messages that `split` makes of the line."""

    def load(self) -> tuple[Raw, Raw]:
        try:
            parse_record = _parse_record if self.of == 1 else _cached_parser(self.source)
            pieces, rest = parse_record(self.source, self.key, self.spans)
        except (OSError, BrokenJSONError):
            return self.notice()
        if self.piece >= len(pieces):
            return self.notice()
        return pieces[self.piece], {} if self.piece else rest

    def notice(self) -> tuple[Raw, Raw]:
        text = f"[This message cannot be read any more: {self.source.path} has changed since it was opened.]"
        return {"role": "user", "content": text}, {}


_Reading = Callable[[Source, str, tuple[tuple[int, int], ...]], tuple[list[Raw], Raw]]


def _parse_record(source: Source, key: str, spans: tuple[tuple[int, int], ...]) -> tuple[list[Raw], Raw]:
    """Return the messages in a record, and its rest. Raises OSError or `BrokenJSONError`, also for another record."""
    records = [unwrap_progress(parse(line)[0]) for line in source.read(spans)]
    if not all(isinstance(record, dict) and key in _keys_of(record) for record in records):
        raise BrokenJSONError("the line holds another record")
    return pieces_of(join_raw(records)), around(records[0])


def _cached_parser(source: Source) -> _Reading:
    """Return `_parse_record` with a cache, so that messages of one record that are read in order parse it once."""
    state = Path(source.path).stat() if source.data is None else None
    return partial(_parse_cached, (state.st_mtime_ns, state.st_size) if state else ())


@lru_cache(maxsize=2)
def _parse_cached(
    _state: tuple[int, ...], source: Source, key: str, spans: tuple[tuple[int, int], ...]
) -> tuple[list[Raw], Raw]:
    return _parse_record(source, key, spans)


def pieces_of(raw: dict[str, Any]) -> list[Raw]:
    """Return a record's message as messages of the log, in which each tool result is a message of its own."""
    return WIRE.split(raw) if raw["role"] == "user" else [raw]


def unwrap_progress(record: Any) -> Any:
    """Return the sub-agent's record that a progress record repeats, or any other record unchanged."""
    match record:
        case {"type": "progress", "data": {"type": "agent_progress", "agentId": str(agent), "message": dict(inner)}}:
            return {"timestamp": record.get("timestamp")} | inner | {"isSidechain": True, "agentId": agent}
    return record


def _keys_of(record: _Record) -> tuple[Any, ...]:
    message = record.get("message")
    return record.get("uuid"), message.get("id") if isinstance(message, dict) else None, ""


def raw_of(record: _Record) -> dict[str, Any]:
    """Return the Anthropic message in a record: role and content, and nothing that an API would refuse."""
    message = record.get("message")
    if record.get("subtype") == "compact_boundary":
        return {"role": "user", "content": UNRECORDED_SUMMARY}
    if record.get("type") == "system":
        return {"role": "system", "content": _notice_text(record)}
    if record.get("type") == "attachment":
        return {"role": "user", "content": attached_content(record)}
    if record.get("type") == "queue-operation":
        return {"role": "user", "content": _queued_content(record.get("content"))}
    content = message.get("content") if isinstance(message, dict) else message
    return {"role": "assistant" if record.get("type") == "assistant" else "user", "content": content}


def _queued_content(content: Any) -> Any:
    """Return the words and images that a user queued; "" for none."""
    if isinstance(content, list):
        return [block for block in content if isinstance(block, dict) and block.get("type") in ("text", "image")]
    return content if isinstance(content, str) else ""


def join_raw(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Join one API message that was recorded on several lines.

    The agent leaves the blank texts out that a model puts between its thinking and its calls when it sends them again.
    """
    raw = raw_of(records[0])
    if len(records) == 1:
        return raw
    blocks: list[Any] = []
    for record in records:
        content = raw_of(record)["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        blocks.append(content if isinstance(content, list) else [content])
    lines = [line for line in blocks if not all(map(_is_blank_text, line))] or blocks
    return {**raw, "content": [block for line in lines for block in line]}


def _is_blank_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not str(block.get("text") or "").strip()


def around(record: _Record) -> Raw:
    """Return the record without the role and the content of its message."""
    message = record.get("message")
    if not isinstance(message, dict):
        return {key: value for key, value in record.items() if key != "message"}
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    return {**record, "message": rest}


def _notice_text(record: _Record) -> str:
    """Return a system record that a person should see, in words."""
    content = record.get("content")
    if isinstance(content, str) and content and record.get("subtype") != "microcompact_boundary":
        return content
    if record.get("subtype") == "microcompact_boundary":
        return _clearing_text(record)
    words = ["The model's API answered with an error"]
    if status := _status_of(record):
        words.append(f"({status})")
    attempt, most = record.get("retryAttempt"), record.get("maxRetries")
    if attempt is not None and most is not None:
        words.append(f"and was asked again: attempt {attempt} of {most}")
    return " ".join(words)


def _clearing_text(record: _Record) -> str:
    """Describe a clearing of results without a summary, in words."""
    facts = record.get("microcompactMetadata")
    ids = facts.get("compactedToolIds") if isinstance(facts, dict) else None
    saved = facts.get("tokensSaved") if isinstance(facts, dict) else None
    count = f"{len(ids):,} " if isinstance(ids, list) and ids else ""
    tokens = f", which saved {saved:,} tokens" if isinstance(saved, int) and not isinstance(saved, bool) else ""
    return f"The results of {count}older calls were cleared from the window here{tokens}"


def _status_of(record: _Record) -> str:
    """Return the code or kind of an API error, wherever the record states it."""
    for place in (record.get("error"), record.get("cause")):
        if isinstance(place, str):
            return place
        if isinstance(place, dict):
            for key in ("status", "code", "message", "type"):
                if isinstance(place.get(key), str | int):
                    return str(place[key])
    return ""
