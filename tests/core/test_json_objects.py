"""Dataclasses as JSON: which keys an object has, what takes their place, and how deep it may lie."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from inspector.core.json_objects import json_items, json_object
from inspector.core.text import dumps, plain_dumps, printable_json


@json_object()
@dataclass(frozen=True, slots=True)
class Lamp:
    name: str
    watts: float = 40.0


@json_object(
    keys="lamp class=cls share note kept name=pier.name",
    inline="lamp",
    optional="note",
    rounded="share",
)
@dataclass(frozen=True)
class Entry:
    lamp: Lamp
    cls: str
    pier: Lamp
    share: float | None = None
    note: str | None = None
    kept: Collection[Any] | Mapping[str, Any] = field(default_factory=tuple)


PIER, GATE = Lamp("pier"), Lamp("gate", 60.123456)


def test_all_fields_are_keys_unless_keys_are_named() -> None:
    assert json_items(PIER) == {"name": "pier", "watts": 40.0}


def test_an_object_is_inlined_and_a_later_key_takes_the_place_of_one_of_its_own() -> None:
    items = json_items(Entry(PIER, "path", GATE))
    assert list(items) == ["name", "watts", "class", "share", "kept"]
    assert items["name"] == "gate"


def test_a_key_is_left_out_where_it_is_optional_and_none_and_rounded_where_it_is_not() -> None:
    assert json_items(Entry(PIER, "path", GATE))["share"] is None
    items = json_items(Entry(PIER, "path", GATE, share=0.123456, note=""))
    assert (items["share"], items["note"]) == (0.1235, "")


@pytest.mark.parametrize(
    ("kept", "written"),
    [
        ((PIER,), [{"name": "pier", "watts": 40.0}]),
        (frozenset({1}), [1]),
        ({"a": PIER}.values(), [{"name": "pier", "watts": 40.0}]),
        (MappingProxyType({"a": PIER}), {"a": {"name": "pier", "watts": 40.0}}),
        (Counter({2: 3}), {"2": 3}),
        ([Path("a/b")], ["a/b"]),
    ],
)
def test_collections_mappings_and_paths_are_written_as_json_has_them(kept: Any, written: Any) -> None:
    entry = Entry(PIER, "path", GATE, kept=kept)
    assert json.loads(printable_json(entry))["kept"] == json.loads(dumps(entry))["kept"] == written


def test_an_object_is_written_at_any_depth() -> None:
    value: Any = PIER
    for level in range(5_000):
        value = {"in": value} if level % 2 else [value]
    assert '{"name":"pier","watts":40.0}' in plain_dumps(value)
    assert '{"name":"pier","watts":40.0}' in dumps(value)


def test_a_dataclass_that_is_no_json_object_is_written_as_text() -> None:
    @dataclass
    class Plain:
        name: str

        def __str__(self) -> str:
            return f"the {self.name}"

    assert dumps([Plain("pier")]) == '["the pier"]'
    with pytest.raises(KeyError):
        json_items(Plain("pier"))
