"""JSON held against the schema that `inspector schema` prints, strictly.

No key that is not in it, none missing, every value of its type; a number with a point is no integer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from inspector.cli.command_line import cli
from inspector.cli.schema import OUTPUTS
from inspector.cli.schema.json_schema import Schema, command_schema

Key = tuple[str, str]
"""The title of an object of the schema, and a key of it."""

_seen: set[Key] = set()
"""The keys that the values have which are being validated."""


def _properties(validator: Any, properties: Schema, value: Any, schema: Schema) -> Iterator[Any]:
    if isinstance(value, dict):
        _seen.update((schema["title"], key) for key in properties if key in value)
    yield from Draft202012Validator.VALIDATORS["properties"](validator, properties, value, schema)


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = extend(
    Draft202012Validator,
    {"properties": _properties},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@cache
def _validators(command: str) -> list[Any]:
    """A validator for each form of what a command prints; the last is for one that fails."""
    schema = command_schema(command)
    return [_Validator({**schema, "anyOf": [form]}) for form in schema["anyOf"]]


def command_of(words: Sequence[object]) -> str:
    """The command among the words of a command line, as `OUTPUTS` names it; empty where no command is named."""
    first, second = [*cli.with_command([*map(str, words)]), "", ""][:2]
    return next((name for name in (f"{first} {second}", first) if name in OUTPUTS), "")


def assert_valid(words: Sequence[object], code: int, out: str) -> None:
    """Hold what a command line printed against the schema, where it was called with --json and came to its end."""
    options = list(map(str, words[: words.index("--")] if "--" in words else words))
    if "--json" not in options or code not in (0, 1, 2, 3) or not out or {"--help", "-h", "--version"} & {*options}:
        return
    if options[:1] == ["schema"] and code == 0:
        Draft202012Validator.check_schema(json.loads(out))
        return
    command = command_of(options)
    outputs = out.splitlines() if command == "follow" else [out]
    assert [fault for each in outputs for fault in output_faults(json.loads(each), command, code)] == [], options


def output_faults(output: Any, command: str, code: int, seen: set[Key] | None = None) -> list[str]:
    """What is wrong with what a command printed before it ended with `code`. Keys that it has are added to `seen`."""
    validators = _validators(command)
    _seen.clear()
    least: list[str] | None = None
    for validator in validators if code in (1, 2) else validators[:-1]:
        faults = [_sentence(error) for error in validator.iter_errors(output)]
        if least is None or len(faults) < len(least):
            least = faults
        if not faults:
            break
    if seen is not None:
        seen |= _seen
    return least or []


def _sentence(error: Any) -> str:
    """What is wrong, and where: the innermost error of those that led to this one."""
    while error.context:
        error = error.context[0]
    return f"{error.json_path}: {error.message[:300]}"


def keys_of(command: str, titles: Sequence[str] = ()) -> set[Key]:
    """Every key of what a command prints, or of the forms with these titles, with the keys of the objects inside."""
    schema = command_schema(command)
    forms = [form for form in schema["anyOf"][:-1] if form["title"] in titles or not titles]
    return set(_keys(forms, schema["$defs"]))


def _keys(schema: Any, definitions: Schema) -> Iterator[Key]:
    if isinstance(schema, list):
        for part in schema:
            yield from _keys(part, definitions)
    elif isinstance(schema, dict):
        if "$ref" in schema:
            yield from _keys(definitions[schema["$ref"].rpartition("/")[2]], definitions)
        for key in schema.get("properties", ()):
            yield schema["title"], key
        for name in ("properties", "anyOf", "items", "additionalProperties"):
            inner = schema.get(name)
            yield from _keys(list(inner.values()) if name == "properties" and inner else inner, definitions)
