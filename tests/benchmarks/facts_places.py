"""Labels that hold no text: which recording they are about, where a message stands in it, which stretch is a fact."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from inspector.core.conversation import Message
from inspector.llm.providers import message_from_raw

LABELS = Path(__file__).with_name("facts_apart.json")
ANY = "any"
"""The class of an optional label that excuses a fact of any class."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Label:
    """A stretch of a message that is a fact; of an optional one it is not said whether it is."""

    classes: tuple[str, ...]
    """Usually one. Where readers may differ between several, any of them is right; it is counted as the first."""
    span: Span
    optional: bool


@dataclass(frozen=True)
class Place:
    """Where a labelled message stands, and what is labelled in it."""

    file: str
    """The sha256 of the recording."""
    record: int
    """The line of the file, from 0; -1 where the file is one JSON value."""
    pointer: tuple[str | int, ...]
    """Keys and indexes from the record to the text, or to the call of a tool."""
    slot: str
    sha256: str
    half: str
    window: Span
    """What of the message was read and labelled."""
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Recording:
    """A file that labels are about."""

    sha256: str
    size: int
    kind: str


@dataclass(frozen=True)
class LabelSet:
    recordings: Mapping[str, Recording]
    places: Sequence[Place]

    def half(self, name: str) -> list[Place]:
        return [place for place in self.places if place.half == name]


def read_labels(path: Path = LABELS) -> LabelSet:
    """The labels in a file."""
    content = orjson.loads(path.read_bytes())
    recordings = [Recording(each["sha256"], each["bytes"], each["kind"]) for each in content["files"]]
    places = [
        Place(
            recordings[each["file"]].sha256,
            each["record"],
            tuple(each["at"]),
            each["slot"],
            each["sha256"],
            each["half"],
            (each["window"][0], each["window"][1]),
            tuple(labels_of(each["facts"])),
        )
        for each in content["messages"]
    ]
    return LabelSet({recording.sha256: recording for recording in recordings}, places)


def labels_of(facts: Mapping[str, Sequence[Sequence[int]]]) -> Iterator[Label]:
    """Labels as they are written: `{"path": [[3, 9]], "?number|hash": [[12, 14]]}`, optional ones with a `?`."""
    for classes, spans in facts.items():
        for start, end in spans:
            yield Label(tuple(classes.removeprefix("?").split("|")), (start, end), classes.startswith("?"))


def find_files(folders: Iterable[Path], recordings: Mapping[str, Recording]) -> dict[str, Path]:
    """The files under the folders whose size and sha256 are those of a recording, by sha256."""
    sizes = {recording.size for recording in recordings.values()}
    files: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.stat().st_size in sizes:
                sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
                if sha256 in recordings:
                    files.setdefault(sha256, path)
    return files


class ChangedError(Exception):
    """A file holds something else where a label says that a message stands."""


@dataclass
class Records:
    """The JSON values of a recording."""

    path: Path

    @cached_property
    def whole(self) -> Any:
        return orjson.loads(self.path.read_bytes())

    @cached_property
    def lines(self) -> list[bytes]:
        return self.path.read_bytes().split(b"\n")

    def value(self, place: Place) -> Any:
        """What the pointer of a place leads to. Raises ChangedError."""
        try:
            value = self.whole if place.record < 0 else orjson.loads(self.lines[place.record])
            for step in place.pointer:
                value = value[step]
        except (LookupError, TypeError, ValueError) as error:
            raise ChangedError(f"{self.path}: nothing at {place.record} {list(place.pointer)}") from error
        return value


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Mapping[str, Any]


def call_of(value: Mapping[str, Any]) -> Call:
    """The call that a recording writes in one of the usual ways."""
    function = value.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, dict) else {}
    name = value.get("name") or value.get("toolName") or inner.get("name") or function
    arguments = next((value[key] for key in ("input", "arguments", "args") if key in value), inner.get("arguments", {}))
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except ValueError:
            arguments = {"input": arguments}
    return Call(str(name), arguments if isinstance(arguments, dict) else {"input": arguments})


def text_of(value: Any) -> str:
    """The text that offsets are counted in: of a call its name and then a line for each argument."""
    if isinstance(value, str):
        return value
    call = call_of(value)
    lines = (f"{key}: {one if isinstance(one, str) else json_text(one)}" for key, one in call.arguments.items())
    return "\n".join([call.name, *lines])


def json_text(value: Any) -> str:
    """JSON with a space after each comma and colon, as it was labelled in."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_text(key)}: {json_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    return orjson.dumps(value).decode()


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def message_of(slot: str, value: Any) -> Message:
    """A message with the value as its content, in the role that the slot names."""
    if not isinstance(value, str):
        call = call_of(value)
        function = {"name": call.name, "arguments": orjson.dumps(call.arguments).decode()}
        calls = [{"id": "call", "type": "function", "function": function}]
        return message_from_raw("m", {"role": "assistant", "content": None, "tool_calls": calls}, "openai")
    if slot in ("result", "failed"):
        result = {"type": "tool_result", "tool_use_id": "call", "content": value, "is_error": slot == "failed"}
        return message_from_raw("m", {"role": "user", "content": [result]}, "anthropic")
    role = {"system": "system", "said": "assistant"}.get(slot, "user")
    return message_from_raw("m", {"role": role, "content": value}, "openai")
