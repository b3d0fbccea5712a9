"""Convert data classes of plain values to JSON rows and back, by their annotations.

A class with a new field needs no change here. Kept rows are invalidated by the digest of the source files.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

_Value = TypeVar("_Value")
_Convert = Callable[[Any], Any]
_PLAIN = (str, int, float, bool, type(None))


class Link(NamedTuple):
    """Conversion of objects of one class, which are not written themselves: to a plain value that names them."""

    name: _Convert
    find: _Convert
    """Returns the object of a name. Raises LookupError, TypeError or ValueError for an unknown one."""


class _Coder(NamedTuple):
    write: _Convert
    read: _Convert


class PlainValues(Generic[_Value]):
    """Converts values of one type to what JSON can contain, and back.

    The type is a data class or named tuple of strings, numbers, literals, tuples, sets, mappings and other such
    classes. A row lists the fields of an object in their order.
    """

    def __init__(self, kind: type[_Value], links: Mapping[type, Link] | None = None) -> None:
        """Prepare the conversion of a type.

        Args:
            kind: Type of the values.
            links: Classes whose objects are written as names.

        Raises:
            TypeError: The type contains something that JSON cannot express.
        """
        self._coders: dict[Any, _Coder] = {cls: _Coder(link.name, link.find) for cls, link in (links or {}).items()}
        coder = self._coder(kind)
        self.fields: Callable[[_Value], Any] = coder.write
        """Converts a value to a JSON-serialisable object."""
        self.value: Callable[[Any], _Value] = coder.read
        """Restores a value. Invalid input raises TypeError, ValueError, LookupError or AttributeError."""

    def _coder(self, kind: Any) -> _Coder:
        if kind not in self._coders:
            self._coders[kind] = self._new_coder(kind)
        return self._coders[kind]

    def _new_coder(self, kind: Any) -> _Coder:
        origin = get_origin(kind)
        if leaves := _leaves_of(kind):
            return _leaf(leaves)
        if origin is Annotated:
            return self._coder(get_args(kind)[0])
        if origin in (Union, types.UnionType):
            return self._optional(kind)
        if origin in (tuple, frozenset):
            return self._items(origin, get_args(kind))
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return self._mapping(*get_args(kind))
        if isinstance(origin, type) and issubclass(origin, Sequence):
            return self._items(tuple, (*get_args(kind), ...))
        return self._object(kind)

    def _optional(self, kind: Any) -> _Coder:
        inner = [one for one in get_args(kind) if one is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"{kind} is a union of several classes")
        write, read = self._coder(inner[0])
        return _Coder(
            lambda value: None if value is None else write(value), lambda row: None if row is None else read(row)
        )

    def _items(self, origin: Any, kinds: tuple[Any, ...]) -> _Coder:
        if (len(kinds) == 2 and kinds[1] is ...) or origin is frozenset:
            write, read = self._coder(kinds[0])
            return _Coder(
                lambda values: [write(value) for value in values], lambda rows: origin(map(read, _list(rows)))
            )
        coders = [self._coder(kind) for kind in kinds]
        return _Coder(
            lambda values: [one.write(value) for one, value in zip(coders, values, strict=True)],
            lambda rows: tuple([one.read(row) for one, row in zip(coders, _list(rows), strict=True)]),
        )

    def _mapping(self, key: Any, value: Any) -> _Coder:
        (write_key, read_key), (write, read) = self._coder(key), self._coder(value)
        return _Coder(
            lambda values: [[write_key(key), write(value)] for key, value in values.items()],
            lambda rows: {read_key(key): read(value) for key, value in _list(rows)},
        )

    def _object(self, kind: Any) -> _Coder:
        names = _field_names(kind)
        hints = _hints_of(kind)
        coders = [self._coder(hints[name]) for name in names]
        writers, readers = [one.write for one in coders], [one.read for one in coders]
        if len(names) == 1:
            get_one = attrgetter(names[0])
            return _Coder(lambda value: [writers[0](get_one(value))], lambda row: kind(readers[0](*_list(row))))
        get = attrgetter(*names)
        return _Coder(
            lambda value: [write(one) for write, one in zip(writers, get(value), strict=True)],
            lambda row: kind(*[read(one) for read, one in zip(readers, _list(row), strict=True)]),
        )


def _hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the annotations of a class. Raises TypeError if one names a class that only type checkers import."""
    try:
        return get_type_hints(kind, include_extras=True)
    except NameError as error:
        raise TypeError(f"annotations of {kind} are not resolved: {error}") from error


def _field_names(kind: Any) -> list[str]:
    """Return the fields of a class in the order of its arguments. Raises TypeError for any other class."""
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return list(kind._fields)
    if is_dataclass(kind) and fields(kind) and all(field.init and not field.kw_only for field in fields(kind)):
        return [field.name for field in fields(kind)]
    raise TypeError(f"{kind} is no class of plain values")


def _leaves_of(kind: Any) -> frozenset[type]:
    """Return the classes that a value of a type can have if JSON has all of them; else none."""
    if kind in _PLAIN:
        return frozenset((kind, int) if kind is float else (kind,))
    if get_origin(kind) is Annotated:
        return _leaves_of(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return frozenset(map(type, get_args(kind)))
    if get_origin(kind) in (Union, types.UnionType):
        every = [_leaves_of(one) for one in get_args(kind)]
        return frozenset[type]().union(*every) if all(every) else frozenset()
    return frozenset()


def _leaf(leaves: frozenset[type]) -> _Coder:
    def read(value: Any) -> Any:
        if type(value) not in leaves:
            raise TypeError(f"{value!r} is of another type")
        return value

    return _Coder(lambda value: value, read)


def _list(rows: Any) -> list[Any]:
    if type(rows) is not list:
        raise TypeError("a row is not a list")
    return rows
