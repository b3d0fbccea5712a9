"""Places of values in a JSON text, so that a part is added or removed while every other byte stays as it is.

Comments and trailing commas are accepted and kept, as in JSONC.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from inspector.core.errors import InspectorError

_MAX_DEPTH = 100
_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_DECODER = json.JSONDecoder()
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,3})?")
_INDENT = re.compile(r"^([ \t]+)\S", re.M)


class SettingsError(InspectorError):
    """A settings file is not understood, and is not changed. The text names the file and the line."""


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """A value with its place in the text."""

    start: int
    end: int
    value: Any
    members: tuple[tuple[str, int, JsonPlace], ...] = ()
    """Members of an object or a list: the key ("" in a list), the start with the key, and the value."""

    def of(self, key: str) -> JsonPlace | None:
        """Return the value of a key of an object."""
        return next((place for name, _, place in self.members if name == key), None)


def parse_json(text: str, name: str) -> JsonPlace:
    """Return the value of a JSON text with the places of all its parts.

    Args:
        text: The text.
        name: Name of the file, for errors.

    Raises:
        SettingsError: If it is not JSON, contains a key twice, or is nested too deeply.
    """
    reader = _JsonReader(text, name)
    place = reader.read_value(reader.skip(0), 0)
    if (end := reader.skip(place.end)) != len(text):
        raise reader.error(end, "text follows the end of its value")
    return place


class _JsonReader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def error(self, at: int, reason: str) -> SettingsError:
        return refusal(self.name, self.text, at, reason)

    def skip(self, at: int) -> int:
        """Return the next position without white space and comments."""
        match = _TRIVIA.match(self.text, at)
        return match.end() if match else at

    def read_value(self, at: int, depth: int) -> JsonPlace:
        if depth > _MAX_DEPTH:
            raise self.error(at, "values are nested too deeply")
        match self.text[at : at + 1]:
            case "{" | "[" as opening:
                return self._read_container(at, depth, opening == "{")
            case '"':
                value, end = self._read_string(at)
                return JsonPlace(at, end, value)
        literal = _LITERAL.match(self.text, at)
        if literal is None:
            raise self.error(at, "a JSON value is missing")
        return JsonPlace(at, literal.end(), json.loads(literal[0]))

    def _read_string(self, at: int) -> tuple[str, int]:
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except ValueError:
            raise self.error(at, "a string is not valid JSON") from None
        return str(value), end

    def _read_container(self, start: int, depth: int, is_object: bool) -> JsonPlace:
        closing = "}" if is_object else "]"
        members: dict[str | int, tuple[str, int, JsonPlace]] = {}
        at = self.skip(start + 1)
        while self.text[at : at + 1] != closing:
            first, key = at, ""
            if is_object:
                key, at = self._read_key(at)
                if key in members:
                    raise self.error(first, f"the key {json.dumps(key)} occurs twice")
            place = self.read_value(at, depth + 1)
            members[key if is_object else len(members)] = (key, first, place)
            at = self.skip(place.end)
            if self.text[at : at + 1] == ",":
                at = self.skip(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.error(at, f"a comma or {closing} is missing")
        values = [place.value for _, _, place in members.values()]
        value = dict(zip(members, values, strict=True)) if is_object else values
        return JsonPlace(start, at + 1, value, tuple(members.values()))

    def _read_key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            raise self.error(at, "a key is missing")
        key, at = self._read_string(at)
        at = self.skip(at)
        if self.text[at : at + 1] != ":":
            raise self.error(at, "a colon is missing")
        return key, self.skip(at + 1)


def refusal(name: str, text: str, at: int, reason: str) -> SettingsError:
    """Return the error for a place in a settings file."""
    line = text.count("\n", 0, at) + 1
    return SettingsError(f"{name}, line {line}: {reason}. Inspector leaves the file as it is.")


def with_member(text: str, container: JsonPlace, value: Any, key: str = "") -> str:
    """Return the text with a value added at the end of an object or a list.

    Args:
        text: The text.
        container: The object or list in it.
        value: The new value.
        key: Its key in an object.
    """
    inside = text[container.start : container.end]
    is_flat = "\n" not in (inside if container.members else text.strip()) and text.strip() != "{}"
    unit = match[1] if (match := _INDENT.search(text)) else "  "
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _line_indent(text, container.start)
    indent = _line_indent(text, container.members[0][1]) if container.members else outer + unit
    rows = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    if is_flat:
        rows += json.dumps(value, ensure_ascii=False)
        lead, close = " " if container.members else "", ""
    else:
        rows += json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)
        lead, close = newline + indent, newline + outer
    tail = text[container.end - 1 :]
    if not container.members:
        return f"{text[: container.start + 1]}{inside[1:-1].rstrip()}{lead}{rows}{close}{tail}"
    last = container.members[-1][2].end
    rest = text[last : container.end - 1]
    comma = "" if "," in _COMMENT.sub("", rest) else ","
    stay = len(rest.rstrip())  # Comments and a trailing comma stay with the last value.
    return f"{text[:last]}{comma}{rest[:stay]}{lead}{rows}{rest[stay:]}{tail}"


def without_member(text: str, container: JsonPlace, number: int) -> str:
    """Return the text without one member of an object or a list. Undoes `with_member`.

    Args:
        text: The text.
        container: The object or list in it.
        number: Position of the member.
    """
    _, start, place = container.members[number]
    if number + 1 < len(container.members):
        return text[:start] + text[container.members[number + 1][1] :]
    first = container.members[number - 1][2].end if number else container.start + 1
    between, rest = text[first:start].rstrip(), text[place.end : container.end - 1]
    rest = "" if not number and not _COMMENT.search(between + rest) else rest.lstrip(",")
    return text[:first] + between.removeprefix(",") + rest + text[container.end - 1 :]


def with_value(text: str, place: JsonPlace, value: Any) -> str:
    """Return the text with a value replaced by a short one, written on one line."""
    return text[: place.start] + json.dumps(value, ensure_ascii=False) + text[place.end :]


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
