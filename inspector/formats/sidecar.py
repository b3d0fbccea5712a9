"""Sidecar of an exported request, for data that has no place in the request.

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
from inspector.core.limits import limit
from inspector.core.text import dumps

_VERSION = 1
_JSON = ".json"
_ENDING = ".inspector.json"
"""Suffix of the sidecar of `NAME.json`, which replaces `.json`."""
_SHORT_ENDING = ".inspector"
"""Suffix of the sidecar of any other file, which is appended."""
_MAX_TEXT_LENGTH = 500
"""Maximum number of characters of a text in it."""
_NO_SIZES = SizeFacts()
JOINT = "\n\n"
"""Separator of joined texts."""


def sizes_in(values: Any) -> SizeFacts | None:
    """Return the sizes in an exported file, or None if they are missing or invalid."""
    try:
        return size_facts(values)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Portion:
    """A message of the window within a message of the request."""

    length: int = 0
    """Number of blocks of the request's message or, if its content is one text, of characters."""
    kind: Kind = "chat"
    id: str = ""
    name: str = ""
    """Name of the speaker, if it differs from the role."""
    time: str = ""
    invented: bool = False
    """True if it was added to the request for the provider, and is no message of the window."""


@dataclass(frozen=True, slots=True)
class Companion:
    """Data about a request. Keys of messages are their indices in the request; -1 is a separate system prompt."""

    digest: str
    """SHA-256 of the request's bytes, in hexadecimal digits."""
    provider: str
    title: str = ""
    model: str = ""
    """Model that the counts are for."""
    sizes: SizeFacts = _NO_SIZES
    messages: Mapping[int, tuple[Portion, ...]] = field(default_factory=dict)
    """Portions of messages that consist of several, or whose kind differs from their role."""

    def text(self) -> str:
        """Return the text of the sidecar."""
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
    """Return a text if a sidecar accepts it, otherwise ""."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return ""
    return text if len(text) <= _MAX_TEXT_LENGTH else ""


def digest_of(content: bytes) -> str:
    """Return the digest by which a sidecar identifies its request."""
    return sha256(content).hexdigest()


def companion_path(path: Path) -> Path:
    """Return the path of a request's sidecar, which is different for each request."""
    if path.name.endswith(_JSON):
        return path.with_name(path.name.removesuffix(_JSON) + _ENDING)
    return path.with_name(path.name + _SHORT_ENDING)


def request_path(path: Path) -> Path | None:
    """Return the request of a sidecar, judged by its name, or None for other names."""
    for ending, end in ((_ENDING, _JSON), (_SHORT_ENDING, "")):
        if path.name.endswith(ending) and path.name != ending:
            plain = path.with_name(path.name.removesuffix(ending))
            request = path.with_name(plain.name + end)
            return plain if plain.is_file() and not request.is_file() else request
    return None


def find_companion(path: Path) -> tuple[Companion | None, str]:
    """Return the sidecar of a request, and the reason why it is not used, as a sentence.

    Either is missing if the other is present; both are if there is no file. Never raises.
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
            return None, f"{beside.name} was left out: it describes another version of {path.name}"
    except OSError as error:
        return None, f"{beside.name} was left out: it could not be read ({error.strerror or error})"
    except (ValueError, TypeError, KeyError):
        return None, f"{beside.name} was left out: it is not a sidecar written by Inspector"
    return companion, ""


def is_companion(value: Any) -> bool:
    """Return True if the value of a JSON file is that of a sidecar of any version."""
    match value:
        case {"inspector": int(), "request": {"sha256": str()}}:
            return True
    return False


def is_companion_file(path: Path) -> bool:
    """Return True if a file has the name and the content of a sidecar. Never raises."""
    if not path.name.endswith(_ENDING):
        return False
    try:
        return is_companion(orjson.loads(_read(path) or b"null"))
    except (OSError, ValueError):
        return False


def _read(path: Path) -> bytes | None:
    """Return the content of a sidecar, or None without a file. Raises OSError, and ValueError if it is too large."""
    most = limit("sidecar")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with open(path, "rb", opener=_open_at_once) as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        return None
    if len(content) > most:
        raise ValueError("too long")
    return content


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without blocking if it was replaced by a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _parse(content: bytes) -> Companion:
    """Parse the text of a sidecar. Raises ValueError, TypeError or KeyError if it is invalid."""
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
        size_facts([sizes["factor"], sizes["unrecorded"], sizes["limit"], sizes.get("compacted", 0)]),
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
    """Yield the portions of a message, or the whole message if they do not fit it."""
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
    """Split content into portions of these lengths, or return None if the lengths do not fit."""
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
