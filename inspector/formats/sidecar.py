"""The file beside an exported request that holds what is known of it and has no place in it.

`request.json` has `request.inspector.json`, and `request` has `request.inspector`: how its sizes were calibrated, how
much of the prompt was never recorded, which messages are summaries or were put in by a program, and where messages of
one role were joined. It says by a digest which bytes it is about, and is believed only where they are the same. It
comes from anywhere: every value is checked, none is more than data.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import orjson

from inspector.core.conversation import SENT_KINDS, Kind, Raw, SizeFacts, size_facts
from inspector.core.text import dumps

_VERSION = 1
_JSON = ".json"
_ENDING = ".inspector.json"
"""Of the companion of `NAME.json`, in place of that."""
_SHORT_ENDING = ".inspector"
"""Of the companion of a file with any other name, behind that."""
_LARGEST = 8 << 20
"""Bytes of a companion; a longer one is none."""
_MAX_TEXT_LENGTH = 500
"""Characters of a text in it."""
"""Kinds of messages that are sent."""
_NO_SIZES = SizeFacts()
JOINT = "\n\n"
"""What stands between two texts that were joined."""


def sizes_in(values: Any) -> SizeFacts | None:
    """The sizes that a file which was exported from here holds; None where it holds none, or anything else."""
    try:
        return size_facts(values)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Portion:
    """A message of the window within a message of the request."""

    length: int = 0
    """Blocks of the request's message or, where its content is one text, characters."""
    kind: Kind = "chat"
    id: str = ""
    name: str = ""
    """Who speaks, where it differs from the role."""
    time: str = ""
    invented: bool = False
    """Whether it is no message of the window, but was put into the request for the provider's sake."""


@dataclass(frozen=True, slots=True)
class Companion:
    """What is known of a request. Messages go by their index in the request; the system prompt of its own has -1."""

    digest: str
    """SHA-256 of the request's bytes, in hexadecimal digits."""
    provider: str
    title: str = ""
    model: str = ""
    """The model that everything was counted for."""
    sizes: SizeFacts = _NO_SIZES
    messages: Mapping[int, tuple[Portion, ...]] = field(default_factory=dict)
    """The pieces of messages that are of several, or not what their role says."""

    def text(self) -> str:
        """The companion as it is written."""
        rows = [
            {"index": index, "pieces": [_piece_fields(piece) for piece in pieces]}
            for index, pieces in sorted(self.messages.items())
        ]
        head = {"inspector": _VERSION, "request": {"sha256": self.digest, "provider": self.provider}}
        facts = {"title": self.title, "model": self.model, "sizes": self.sizes._asdict(), "messages": rows}
        return dumps(head | facts, pretty=True) + "\n"


def _piece_fields(piece: Portion) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(piece).items() if value}
    return {name: value for name, value in fields.items() if (name, value) != ("kind", "chat")}


def fit_text(text: str) -> str:
    """A text that a companion takes: the text itself, or nothing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return ""
    return text if len(text) <= _MAX_TEXT_LENGTH else ""


def digest_of(content: bytes) -> str:
    """What a companion knows its request by."""
    return sha256(content).hexdigest()


def companion_path(path: Path) -> Path:
    """Where the companion of a request stands: no two requests have the same."""
    if path.name.endswith(_JSON):
        return path.with_name(path.name.removesuffix(_JSON) + _ENDING)
    return path.with_name(path.name + _SHORT_ENDING)


def request_path(path: Path) -> Path | None:
    """The request that a file with this name is the companion of; None for any other name."""
    for ending, end in ((_ENDING, _JSON), (_SHORT_ENDING, "")):
        if path.name.endswith(ending) and path.name != ending:
            plain = path.with_name(path.name.removesuffix(ending))
            request = path.with_name(plain.name + end)
            return plain if plain.is_file() and not request.is_file() else request
    return None


def find_companion(path: Path) -> tuple[Companion | None, str]:
    """The companion of the request at `path`, or a sentence that says why the one that is there is not used.

    Neither where there is none. Never raises.
    """
    beside = companion_path(path)
    companion, problem = _companion_at(beside, path)
    if companion is None and not problem and not beside.name.endswith(_ENDING):
        companion, _ = _companion_at(path.with_name(path.name + _ENDING), path)  # where it used to stand
    return companion, problem


def _companion_at(beside: Path, path: Path) -> tuple[Companion | None, str]:
    try:
        content = _read(beside)
        if content is None:
            return None, ""
        companion = _parse(content)
        if companion.digest != digest_of(path.read_bytes()):
            return None, f"{beside.name} was left out: it is about another content of {path.name}"
    except OSError as error:
        return None, f"{beside.name} was left out: it could not be read ({error.strerror or error})"
    except (ValueError, TypeError, KeyError):
        return None, f"{beside.name} was left out: it is not what Inspector writes beside an export"
    return companion, ""


def is_companion(value: Any) -> bool:
    """Whether the value of a JSON file is that of a companion, of this version or any other."""
    match value:
        case {"inspector": int(), "request": {"sha256": str()}}:
            return True
    return False


def is_companion_file(path: Path) -> bool:
    """Whether a file has the name and the content of a companion. Never raises."""
    if not path.name.endswith(_ENDING):
        return False
    try:
        return is_companion(orjson.loads(_read(path) or b"null"))
    except (OSError, ValueError):
        return False


def _read(path: Path) -> bytes | None:
    """The content of a companion; None where there is no such file. Raises OSError, and ValueError for a large one."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with open(path, "rb", opener=_open_at_once) as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    if len(content) > _LARGEST:
        raise ValueError("too long")
    return content


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; one that was replaced by a pipe meanwhile is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _parse(content: bytes) -> Companion:
    """What a text says. Raises ValueError, TypeError or KeyError for one that no companion has."""
    value = orjson.loads(content)
    if value["inspector"] != _VERSION:
        raise ValueError("another version")
    request, sizes = value["request"], value["sizes"]
    rows = {_number(row["index"], -1): tuple(map(_portion_of, row["pieces"])) for row in value["messages"]}
    return Companion(
        _text(request["sha256"]),
        _text(request["provider"]),
        _text(value["title"]),
        _text(value["model"]),
        size_facts([sizes[name] for name in SizeFacts._fields]),
        rows,
    )


def _portion_of(fields: Any) -> Portion:
    kind = fields.get("kind", "chat") if isinstance(fields, dict) else None
    if kind not in SENT_KINDS:
        raise ValueError("no piece")
    own_id, name, time = (_text(fields.get(field, "")) for field in ("id", "name", "time"))
    invented = fields.get("invented", False)
    if type(invented) is not bool:
        raise ValueError("neither yes nor no")
    return Portion(_number(fields.get("length", 0)), cast(Kind, kind), own_id, name, time, invented)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MAX_TEXT_LENGTH:
        raise ValueError("no text")
    return value


def _number(value: Any, least: int = 0) -> int:
    if type(value) is not int or value < least:
        raise ValueError("no number")
    return value


def cut(raw: Raw, pieces: Sequence[Portion]) -> Iterator[tuple[Raw, Portion]]:
    """A message of a request in its pieces; whole, and without a fact, where they are not its own."""
    contents = _contents(raw.get("content"), [piece.length for piece in pieces])
    if len(pieces) < 2 or contents is None:
        yield raw, pieces[0] if len(pieces) == 1 else Portion()
        return
    calls = {name for name in ("tool_calls", "function_call") if name in raw}
    plain = {name: value for name, value in raw.items() if name not in calls}
    for place, (content, piece) in enumerate(zip(contents, pieces, strict=True), 1):
        own = raw if place == len(pieces) else plain
        yield {**own, "content": content or (None if calls and own is raw else content)}, piece


def _contents(content: Any, lengths: Sequence[int]) -> list[Any] | None:
    """Content in pieces of these lengths; None where they do not make it up."""
    if not isinstance(content, str | list):
        return None
    contents: list[Any] = []
    at = 0
    for length in lengths:
        if isinstance(content, str) and at and length:
            if content[at : at + len(JOINT)] != JOINT:
                return None
            at += len(JOINT)
        contents.append(content[at : at + length])
        at += length
    return contents if at == len(content) else None
