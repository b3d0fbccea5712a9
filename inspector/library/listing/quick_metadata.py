"""What a session is called and where it was, from the beginning and the end of its file: no file is read whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

_STEP = 16 << 10
"""Bytes that are read of a file at a time."""
_HEAD = 128 << 10
"""Bytes of its beginning that are looked at in all."""
_TAIL = 4 << 10
"""Bytes of its end: a title that was given later stands there."""
_TITLE = 120
"""Characters of a title, at most."""
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DECODER = json.JSONDecoder()

_CHATS = "hatSessions"
"""How folders end in which a session may be all of a file's first line, however long."""
_UNTITLED = "New Session"
"""What Continue calls a session that has no title yet."""
_AROUND = ("task", "user_query")
"""Tags that tools put around what a person typed."""

Headline = tuple[str, str]
"""A title and the folder that was worked in; each empty where nothing tells."""


def read_headline(path: Path, size: int) -> Headline:
    """The headline of a file of so many bytes. Never raises: a file that cannot be read has none."""
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


def clip_title(text: str) -> str:
    """A title in one line of at most 120 characters."""
    line = " ".join(text[: 8 * _TITLE].split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"


def _records(file: int) -> Iterator[dict[str, Any]]:
    """The records at the beginning of a file of JSON lines."""
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
    """The headline of a JSON value that is a record, or that holds messages."""
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
    """The title of a session of Continue that is cut off among its messages; empty for any other text."""
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
    """The messages at the beginning of a JSON value that may be cut off."""
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
    """The title that the records give, or the first words from the person; as soon as these and a folder are known."""
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
    """The last title among the whole records at the end of a file; a summary only where there is nothing else."""
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
    """What a person says in a record, in whatever form the tool keeps it; None for all other records."""
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
    """The text that a person typed; empty for tool results and for text that a program sent in the user role."""
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
    """The first words of a person in a chat in Markdown: aider's quoted headings, SpecStory's text below `User`.

    Commands to aider, and its sign for an empty input, are no words.
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
