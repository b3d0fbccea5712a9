"""Read the title and the folder of a session from the start and the end of its file, without reading all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

_STEP = 16 << 10
"""Number of bytes read at a time."""
_HEAD = 128 << 10
"""Maximum number of bytes read at the start of a file."""
_TAIL = 4 << 10
"""Number of bytes read at the end of a file, where later titles are recorded."""
_TITLE = 120
"""Maximum number of characters of a title."""
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DECODER = json.JSONDecoder()

_CHATS = "hatSessions"
"""End of the names of folders in which a session can be a single line of any length."""
_UNTITLED = "New Session"
"""Title that Continue gives to sessions without one."""
_AROUND = ("task", "user_query")
"""Tags that tools put around the user's text."""

Headline = tuple[str, str]
"""Title and working folder; "" for each that is unknown."""


def read_headline(path: Path, size: int) -> Headline:
    """Return the headline of a file of `size` bytes. Never raises: an unreadable file has an empty headline."""
    try:
        file = os.open(path, _READ_ONLY)
    except (OSError, ValueError):
        return "", ""
    try:
        if path.suffix == ".md":
            return _title_of_markdown(os.read(file, _STEP)), str(path.parent)
        if path.suffix == ".json":
            return _headline_of_value(file)
        title, folder = _headline_of(_records(file))
        if not title and path.parent.name.endswith(_CHATS):
            os.lseek(file, 0, os.SEEK_SET)
            return _headline_of_value(file)
        os.lseek(file, max(0, size - _TAIL), os.SEEK_SET)
        return _late_title(os.read(file, _TAIL)) or title, folder
    except OSError:
        return "", ""
    finally:
        os.close(file)


def working_folder(path: str) -> Path | None:
    """Return the folder that the agent of a recording worked in, if it is on this machine."""
    try:
        folder = read_headline(Path(path), Path(path).stat().st_size)[1] if path else ""
        return Path(folder) if folder and Path(folder).is_dir() else None
    except (OSError, ValueError):
        return None


def clip_title(text: str) -> str:
    """Return a title as one line of at most 120 characters."""
    line = " ".join(text[: 8 * _TITLE].split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"


def _records(file: int) -> Iterator[dict[str, Any]]:
    """Yield the records at the start of a JSON Lines file."""
    pieces: list[bytes] = []
    for _ in range(_HEAD // _STEP):
        data = os.read(file, _STEP)
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join([*pieces, lines[0]])
            pieces = []
        for line in lines:
            yield from _record_of(line)
        pieces.append(rest)
        if not data:
            break
    yield from _record_of(b"".join(pieces))


def _headline_of_value(file: int) -> Headline:
    """Return the headline of a JSON value that is a record or contains messages."""
    text = b""
    for size in (_STEP, _HEAD - _STEP):
        text += os.read(file, size)
        title, folder = _headline_of(_record_of(text), without_folder=True)
        decoded = "" if title else text.decode("utf-8", "replace")
        title = title or _title_before_messages(decoded) or _headline_of(_elements(decoded), without_folder=True)[0]
        if title or folder:
            return title, folder
    return "", ""


def _title_before_messages(text: str) -> str:
    """Return the title of a truncated Continue session; "" for any other text."""
    head, has_history, _ = text.partition('"history"')
    _, has_title, rest = head.partition('"title":')
    if not (has_history and has_title and '"sessionId"' in head):
        return ""
    try:
        title = _DECODER.raw_decode(rest.lstrip())[0]
    except (ValueError, RecursionError):
        return ""
    return clip_title(title) if isinstance(title, str) and title != _UNTITLED else ""


def _record_of(line: bytes) -> Iterator[dict[str, Any]]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return
    if isinstance(record, dict):
        yield record


def _elements(text: str) -> Iterator[dict[str, Any]]:
    """Yield the messages at the start of a JSON value that can be truncated."""
    for name in ('"messages"', '"requests"', ""):
        start = text.find("[", text.find(name)) if name in text else -1
        if start >= 0:
            break
    while start >= 0 and text[start : start + 1] in ("[", ","):
        start += 1
        while text[start : start + 1].isspace():
            start += 1
        try:
            value, start = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            yield value
        while text[start : start + 1].isspace():
            start += 1


def _headline_of(records: Iterator[dict[str, Any]], without_folder: bool = False) -> Headline:
    """Return the recorded title, or else the user's first text. Stop reading once text and folder are known."""
    words = folder = ""
    for record in records:
        folder = folder or _folder_of(record)
        if title := _own_title(record):
            return clip_title(title), folder
        words = words or _words_of(_asked_in(record))
        if words and (folder or without_folder):
            break
    return clip_title(words), folder


def _own_title(record: dict[str, Any]) -> str:
    match record:
        case (
            {"type": "summary", "summary": str(title)}
            | {"type": "custom-title", "customTitle": str(title)}
            | {"type": "ai-title", "aiTitle": str(title)}
            | {"type": "session_info", "name": str(title)}
            | {"type": "session_start", "sessionTitle": str(title)}
            | {"kind": 0, "v": {"customTitle": str(title)}}
            | {"kind": 1, "k": ["customTitle"], "v": str(title)}
            | {"projectID": str(), "directory": str(), "title": str(title)}
            | {"sessionId": str(), "history": list(), "title": str(title)}
        ):
            return "" if title == _UNTITLED else title
    return ""


def _late_title(data: bytes) -> str:
    """Return the last title among the complete records at the end of a file; a summary only if it is the only one."""
    lines = (line for line in data.split(b"\n") if b"itle" in line or b'"summary"' in line)
    records = [record for line in lines for record in _record_of(line) if _own_title(record)]
    records.sort(key=lambda record: record.get("type") != "summary")
    return clip_title(_own_title(records[-1])) if records else ""


def _folder_of(record: dict[str, Any]) -> str:
    match record:
        case (
            {"cwd": str(folder)}
            | {"payload": {"cwd": str(folder)}}
            | {"data": {"context": {"cwd": str(folder)}}}
            | {"data": {"cwd": str(folder)}}
            | {"workspace": {"working_dir": str(folder)}}
            | {"projectID": str(), "directory": str(folder)}
            | {"sessionId": str(), "history": list(), "workspaceDirectory": str(folder)}
        ):
            return "" if folder.startswith("file:") else folder
    return ""


def _asked_in(record: dict[str, Any]) -> Any:
    """Return the user's message in a record of any supported tool; None for all other records."""
    if record.get("isMeta"):
        return None
    match record:
        case (
            {"type": "user", "message": {"content": content} | {"parts": content}}
            | {"role": "user", "message": {"content": content}}
            | {"type": "context.append_message", "message": {"content": content, "origin": {"kind": "user"}}}
            | {"type": "message", "message": {"role": "user", "content": content}}
            | {"payload": {"type": "message", "role": "user", "content": content}}
            | {"payload": {"type": "user_message", "message": content}}
            | {"type": "user.message", "data": {"content": content}}
            | {"role": "user", "content": content}
            | {"role": "user", "parts": content}
            | {"type": "user", "content": content}
            | {"message": {"text": content}, "response": _}
            | {"message": {"role": "user", "content": content}, "contextItems": list()}
            | {"kind": "MessageEvent", "source": "user", "llm_message": {"content": content}}
            | {"action": "message", "source": "user", "args": {"content": content}}
            | {"kind": 0, "v": {"requests": [{"message": {"text": content}}, *_]}}
            | {"kind": 2, "k": ["requests"], "v": [{"message": {"text": content}}, *_]}
        ):
            return content
    return None


def _words_of(content: Any) -> str:
    """Return the text that a user typed; "" for tool results and for text that a program sent in the user role."""
    match content:
        case str(text):
            text = text.lstrip()
            for tag in _AROUND:
                if text.startswith(f"<{tag}>"):
                    text = text.removeprefix(f"<{tag}>").partition(f"</{tag}>")[0].lstrip()
            return "" if text.startswith(("<", "# AGENTS.md")) else text
        case [*blocks]:
            texts = (
                _words_of(block.get("text"))
                for block in blocks
                if isinstance(block, dict) and block.get("type", "text") in ("text", "input_text")
            )
            return next(filter(None, texts), "")
    return ""


def _title_of_markdown(data: bytes) -> str:
    """Return the user's first text in a Markdown chat: aider's level-4 headings, or SpecStory's text after `User`.

    Commands to aider, and its placeholder for empty input, are skipped.
    """
    is_persons = False
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith("#### "):
            if not line.startswith(("#### /", "#### !", "#### <blank>")):
                return clip_title(line[5:])
            continue
        text = line.strip(" _*")
        if is_persons and text and not text.startswith(("#", "<!--", "---")):
            return clip_title(text)
        is_persons = is_persons or text.startswith("User")
    return ""
