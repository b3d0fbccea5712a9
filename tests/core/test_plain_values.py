"""Data classes of plain values as JSON rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import orjson
import pytest

from inspector.core.plain_values import Link, PlainValues


class Change(NamedTuple):
    kind: Literal["created", "moved"]
    path: str
    added: str | None = None


@dataclass(frozen=True, slots=True)
class One:
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    changes: tuple[Change, ...]
    pair: tuple[str, int]
    share: float
    one: Annotated[One, "an object with one field"]
    by_name: Mapping[Literal["a", "b"], Mapping[str, One]] = field(default_factory=dict)
    turns: frozenset[int] = frozenset()


class Thing:
    pass


THING = Thing()


@dataclass(frozen=True)
class Holder:
    thing: Thing | None


@dataclass(frozen=True)
class Odd:
    value: Any


ROW = Row(
    (Change("created", "a.py"), Change("moved", "ü", "x\ny")),
    ("", 3),
    1,
    One("1"),
    {"b": {"y": One("2"), "x": One("")}, "a": {}},
    frozenset({3, 1}),
)


def through_json(values: PlainValues[Any], value: Any) -> Any:
    return values.value(orjson.loads(orjson.dumps(values.fields(value))))


def test_objects_come_back_equal_and_in_their_order() -> None:
    back = through_json(PlainValues(Row), ROW)
    assert back == ROW
    assert [list(back.by_name), list(back.by_name["b"])] == [["b", "a"], ["y", "x"]]
    assert isinstance(back.changes[0], Change)
    assert isinstance(back.turns, frozenset)


def test_objects_of_linked_classes_are_named() -> None:
    values = PlainValues(Holder, {Thing: Link(lambda _: 7, {7: THING}.__getitem__)})
    assert values.fields(Holder(THING)) == [7]
    assert through_json(values, Holder(THING)).thing is THING
    assert through_json(values, Holder(None)).thing is None
    with pytest.raises(LookupError):
        values.value([8])


@pytest.mark.parametrize("kind", [Odd, Holder, Thing])
def test_types_that_json_cannot_express_are_refused(kind: type) -> None:
    with pytest.raises(TypeError):
        PlainValues(kind)


@pytest.mark.parametrize(
    ("place", "damage"),
    [(0, [["created", 1, None]]), (0, [["created", "a"]]), (0, None), (1, ["", 3, 4]), (3, "1"), (4, [["a"]]), (5, 1)],
)
def test_damaged_rows_raise(place: int, damage: Any) -> None:
    row = PlainValues(Row).fields(ROW)
    with pytest.raises((TypeError, ValueError, LookupError)):
        PlainValues(Row).value([*row[:place], damage, *row[place + 1 :]])
    with pytest.raises((TypeError, ValueError)):
        PlainValues(Row).value(row[:-1])
