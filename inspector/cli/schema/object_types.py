"""The types of the keys of JSON objects, read from the annotations of their classes.

Annotations are evaluated here and nowhere else, for the documentation and for the JSON Schema.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType, NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from inspector.core.json_objects import OPEN, is_json_object, object_paths, object_spec


@dataclass(frozen=True, slots=True)
class KeyType:
    """A key of a JSON object, with the type of its values."""

    name: str
    hint: Any
    is_optional: bool

    @property
    def notes(self) -> str:
        """The notes of the annotations, from the inside out: the unit first."""
        return "; ".join(_notes(self.hint))


@cache
def key_types(kind: Any) -> Mapping[str, KeyType]:
    """Return the keys of a JSON object in their order."""
    kind = get_origin(kind) or kind
    spec, types = object_spec(kind), dict[str, KeyType]()
    for name, path in object_paths(kind).items():
        hint = kind
        for attribute in path.split("."):
            hint = _attribute_hint(_without_none(without_notes(hint)), attribute)
        is_optional = name in spec.optional
        if name in spec.inline:
            types |= key_types(without_notes(hint))
        else:
            types[name] = KeyType(name, _without_none(hint) if is_optional else hint, is_optional)
    return types


def is_object(hint: Any) -> bool:
    """Return True if values of a type are JSON objects with declared keys."""
    return isinstance(hint, type) and is_json_object(hint)


def is_text(hint: Any) -> bool:
    """Return True if values of a type are written as text: `str`, and classes that define their own text."""
    if not isinstance(hint, type) or is_object(hint):
        return False
    return hint is str or any("__str__" in vars(base) for base in hint.__mro__[:-1])


def is_mapping(hint: Any) -> bool:
    """Return True if values of a type are mappings."""
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def has_known_keys(hint: Any) -> bool:
    """Return True if the keys of a mapping come from a fixed list of names."""
    return get_origin(get_args(hint)[0]) is Literal


def union_members(hint: Any) -> tuple[Any, ...]:
    """Return the types that a value may have."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def without_notes(hint: Any) -> Any:
    """Return a type without its notes; `str` for an open list of names."""
    if get_origin(hint) is not Annotated:
        return hint
    return str if OPEN in hint.__metadata__ else get_args(hint)[0]


def _without_none(hint: Any) -> Any:
    """Return a type without None."""
    if get_origin(hint) is Annotated:
        return Annotated[(_without_none(get_args(hint)[0]), *hint.__metadata__)]
    return Union[tuple(member for member in union_members(hint) if member is not NoneType)]  # noqa: UP007  members are known at run time


def _notes(hint: Any) -> Iterator[str]:
    if get_origin(hint) is Annotated:
        yield from _notes(get_args(hint)[0])
        yield from (note for note in hint.__metadata__ if isinstance(note, str))
    else:
        for member in union_members(hint):
            if member is not hint:
                yield from _notes(member)


def objects_within(hint: Any) -> Iterator[Any]:
    """Yield the JSON objects in a type, without the objects inside them."""
    if is_object(hint):
        yield hint
    elif get_origin(hint) is not Literal:
        for part in get_args(hint)[:1] if get_origin(hint) is Annotated else get_args(hint):
            yield from objects_within(part)


def object_title(kind: Any) -> str:
    """Return the name of an object: the one that its class declares, or `LaneRegretOutput` as "Lane regret"."""
    if title := object_spec(kind).title:
        return title
    name: str = kind.__name__.removesuffix("Output")
    return "".join(f" {char.lower()}" if char.isupper() else char for char in name).strip().capitalize()


def object_about(kind: Any) -> str:
    """Return the description of an object: the one that its class declares, or the first paragraph of its docstring."""
    return object_spec(kind).about or str(kind.__doc__).partition("\n\n")[0]


def _attribute_hint(kind: Any, name: str) -> Any:
    """Return the evaluated annotation of a field or a property of a class."""
    for base in (get_origin(kind) or kind).__mro__:
        annotation = inspect.get_annotations(base).get(name)
        if annotation is None and (member := vars(base).get(name)) is not None:
            getter = member.func if isinstance(member, cached_property) else member.fget
            annotation = inspect.get_annotations(getter)["return"]
        if annotation is not None:
            module = sys.modules[base.__module__]
            holder = SimpleNamespace(__annotations__={name: annotation})
            return get_type_hints(holder, vars(module), _checker_names(module), include_extras=True)[name]
    raise AttributeError(f"{kind} has no annotated attribute {name!r}")


@cache
def _checker_names(module: ModuleType) -> dict[str, Any]:
    """Return what a module imports for type checkers alone."""
    return {
        alias.name: getattr(import_module(str(inner.module)), alias.name)
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in node.body
        if isinstance(inner, ast.ImportFrom)
        for alias in inner.names
    }
