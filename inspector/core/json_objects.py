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


class _Open:
    """See `OPEN`."""


OPEN = _Open()
"""In the annotation of a `Literal`: its values are not listed in the documentation, because others may be added."""

Tokens = Annotated[int, "tokens"]
Dollars = Annotated[float, "US dollars"]
Fraction = Annotated[float, "from 0 to 1"]
Turn = Annotated[int, "the N-th model call, from 1; one more for the context as it now stands"]
Age = Annotated[float | None, "seconds since it was said or written; null where that is not known"]
Settings = Annotated[Mapping[str, Any], "by name; inspector strategies NAME tells what each is"]


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """The declaration of a JSON object."""

    title: str
    keys: tuple[str, ...]
    inline: frozenset[str]
    optional: frozenset[str]
    rounded: frozenset[str]
    about: str


@dataclass(frozen=True, slots=True)
class ObjectKey:
    """One key of a JSON object."""

    name: str
    path: str
    """The attribute that holds the value, dotted where it is an attribute of an attribute."""
    is_inlined: bool
    """True if the value is an object whose keys take the place of this one."""
    is_optional: bool
    """True if the key is left out where the value is None."""
    is_rounded: bool


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
    inlined, left_out, short = (frozenset(names.split()) for names in (inline, optional, rounded))
    spec = ObjectSpec(title, tuple(keys.split()), inlined, left_out, short, about)

    def mark(kind: type[_Object]) -> type[_Object]:
        kind.__json_object__ = spec  # type: ignore[attr-defined]  # read by `object_spec` alone
        return kind

    return mark


def object_spec(kind: type) -> ObjectSpec | None:
    """Return the declaration of a class, or None if it is no JSON object. Subclasses declare themselves."""
    return kind.__dict__.get("__json_object__")


@cache
def object_keys(kind: type) -> tuple[ObjectKey, ...]:
    """Return the keys of a class that is a JSON object, in their order."""
    spec = object_spec(kind)
    assert spec is not None, "only JSON objects have keys"
    keys = []
    for word in spec.keys or [field.name for field in fields(kind)]:
        name, _, path = word.partition("=")
        keys.append(ObjectKey(name, path or name, name in spec.inline, name in spec.optional, name in spec.rounded))
    return tuple(keys)


def json_default(value: Any) -> Any:
    """Return what is written in place of a value that JSON has no form for: the items of an object, or its text."""
    return str(value) if object_spec(type(value)) is None else json_items(value)


def json_items(value: Any) -> dict[str, Any]:
    """Return the keys of a JSON object with their values. Objects among the values stay as they are."""
    items: dict[str, Any] = {}
    kind: Any = type(value)
    for key in object_keys(kind):
        held = attrgetter(key.path)(value)
        if key.is_inlined:
            items |= json_items(held)
        elif held is not None or not key.is_optional:
            items[key.name] = round(held, 4) if key.is_rounded and held is not None else _json_form(held)
    return items


def _json_form(value: Any) -> Any:
    """Return a mapping as a dict and any other collection as a list; other values stay as they are."""
    if isinstance(value, str | bytes | dict | list | tuple) or not isinstance(value, Collection):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)
