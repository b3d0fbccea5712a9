"""JSON held against the schema, strictly: no key that is not in it, none missing, every value of its type.

Reads the types of `inspector.cli.schema` and nothing of the code that makes the outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from inspector.cli.schema import OUTPUTS, VERSION, FailureOutput

Key = tuple[str, str]
"""A type of the schema, and a key of it."""


def output_types(command: str) -> list[Any]:
    """The types that a command's output may have."""
    return [
        getattr(import_module(f"inspector.cli.schema.{module}"), name)
        for module, name in (place.split(":") for place in OUTPUTS[command].split())
    ]


def command_of(words: Sequence[object]) -> str:
    """The command among the words of a command line, as `OUTPUTS` names it."""
    first, second = ([*map(str, words), "", ""])[:2]
    return next((name for name in (f"{first} {second}", first) if name in OUTPUTS), "")


def output_faults(output: Any, command: str, code: int, seen: set[Key] | None = None) -> list[str]:
    """What is wrong with what a command printed before it ended with `code`. Keys that it has are added to `seen`."""
    if not isinstance(output, dict):
        return [f"it is no object but {type(output).__name__}"]
    if output.get("version") != VERSION:
        return [f"its version is {output.get('version')!r}"]
    rest = {key: value for key, value in output.items() if key != "version"}
    kinds = [*output_types(command), *([FailureOutput] if code in (1, 2) else [])]
    found = [list(faults(rest, kind, "", seen if seen is not None else set())) for kind in kinds]
    return min(found, key=len)


def faults(value: Any, kind: Any, place: str, seen: set[Key]) -> Iterator[str]:
    """What of a value is not as its type says; `place` is where it stands."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Annotated, NotRequired):
        yield from faults(value, arguments[0], place, seen)
    elif origin in (Union, UnionType):
        found = [list(faults(value, each, place, seen)) for each in arguments]
        yield from min(found, key=len)
    elif is_typeddict(kind):
        yield from _object_faults(value, kind, place, seen)
    elif origin is Literal:
        if value not in arguments:
            yield f"{place}: {value!r} is none of {arguments}"
    elif origin is Mapping:
        if not isinstance(value, dict):
            yield f"{place}: {value!r} is no object"
            return
        for key, each in value.items():
            yield from faults(key, arguments[0], f"{place}.{key}", seen)
            yield from faults(each, arguments[1], f"{place}.{key}", seen)
    elif origin is Sequence:
        if not isinstance(value, list):
            yield f"{place}: {value!r} is no array"
            return
        for number, each in enumerate(value):
            yield from faults(each, arguments[0], f"{place}[{number}]", seen)
    elif kind is not Any and type(value) not in _plain_types(kind):
        yield f"{place}: {value!r} is no {kind.__name__}"


def _plain_types(kind: Any) -> tuple[type, ...]:
    known = {int: (int,), float: (int, float), str: (str,), bool: (bool,), NoneType: (NoneType,), None: (NoneType,)}
    return known[kind]


def _object_faults(value: Any, kind: Any, place: str, seen: set[Key]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: {value!r} is no {kind.__name__}"
        return
    hints = get_type_hints(kind, include_extras=True)
    yield from (f"{place}.{key} is missing" for key in kind.__required_keys__ - value.keys())
    for key, each in value.items():
        if key not in hints:
            yield f"{place}.{key} is not in the schema"
        else:
            seen.add((kind.__name__, key))
            yield from faults(each, hints[key], f"{place}.{key}", seen)


def reachable(kind: Any) -> Iterator[Any]:
    """The objects that a type consists of, itself included."""
    if is_typeddict(kind):
        yield kind
        for hint in get_type_hints(kind, include_extras=True).values():
            yield from reachable(hint)
    elif get_origin(kind) is not Literal:
        for each in get_args(kind):
            yield from reachable(each)
