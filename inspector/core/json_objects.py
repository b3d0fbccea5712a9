"""Dataclasses as JSON objects: the keys that they have, and where each key is described.

`json_object` marks a dataclass that is printed. Everything else is read from its annotations: the type of a key and, in
`Annotated[Tokens, "of the largest window"]`, what it means. Writing an object reads attributes only; annotations are
evaluated for the documentation and the JSON Schema alone (`inspector.cli.schema`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, TypeVar

_Object = TypeVar("_Object")

OPEN = object()
"""In the annotation of a `Literal`: the documentation does not list its values, because others may be added."""

Tokens = Annotated[int, "tokens"]
Dollars = Annotated[float, "US dollars"]
Fraction = Annotated[float, "from 0 to 1"]
Turn = Annotated[int, "the N-th model call, from 1; one more for the current context"]
Age = Annotated[float | None, "seconds since it was written; null if unknown"]
Settings = Annotated[Mapping[str, Any], "by name; inspector strategies NAME describes each"]


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """The declaration of a JSON object."""

    title: str
    about: str
    keys: tuple[str, ...]
    inline: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    rounded: frozenset[str] = frozenset()


def json_object(
    title: str = "", keys: str = "", *, inline: str = "", optional: str = "", rounded: str = "", about: str = ""
) -> Callable[[type[_Object]], type[_Object]]:
    """Return a decorator that marks a dataclass as a JSON object.

    Args:
        title: The name of the object in the documentation; that of the class by default.
        keys: The keys in their order, with spaces between them: `turn` for the attribute of this name, `class=cls` or
            `title=session.title` for another attribute. All fields by default.
        inline: Keys whose values are objects and which are replaced by the keys of these. A later key of the same
            name takes the place of an inlined one.
        optional: Keys that are left out where the value is None.
        rounded: Keys whose numbers are written with four decimals.
        about: The description of the object; the first paragraph of the docstring by default.
    """
    sets = [frozenset(names.split()) for names in (inline, optional, rounded)]
    spec = ObjectSpec(title, about, tuple(keys.split()), *sets)

    def mark(kind: type[_Object]) -> type[_Object]:
        kind.__json_object__ = spec  # type: ignore[attr-defined]  # read by the functions below alone
        return kind

    return mark


def is_json_object(kind: type) -> bool:
    """Return True if a class is marked itself; a mark of its base does not count."""
    return "__json_object__" in vars(kind)


def object_spec(kind: Any) -> ObjectSpec:
    """Return the declaration of a JSON object. Raises KeyError for any other class."""
    spec: ObjectSpec = vars(kind)["__json_object__"]
    return spec


@cache
def object_paths(kind: Any) -> dict[str, str]:
    """Return the attribute of each key of a JSON object, dotted where it is an attribute of an attribute."""
    words = object_spec(kind).keys or [field.name for field in fields(kind)]
    return {name: path or name for name, _, path in (word.partition("=") for word in words)}


def json_default(value: Any) -> Any:
    """Return the replacement for a value that has no form in JSON: the items of an object, or its text."""
    return json_items(value) if is_json_object(type(value)) else str(value)


def json_items(value: Any) -> dict[str, Any]:
    """Return the keys of a JSON object with their values, which are left as they are if they are objects."""
    kind: Any = type(value)
    spec, items = object_spec(kind), dict[str, Any]()
    for name, path in object_paths(kind).items():
        held = attrgetter(path)(value)
        if name in spec.inline:
            items |= json_items(held)
        elif held is not None or name not in spec.optional:
            items[name] = round(held, 4) if name in spec.rounded and held is not None else _json_form(held)
    return items


def _json_form(value: Any) -> Any:
    """Return a mapping as a dict and any other collection as a list; other values stay as they are."""
    if isinstance(value, str | bytes | dict | list | tuple) or not isinstance(value, Collection):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)
