"""Classes of facts, with their descriptions and default weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, cast, get_args

FactClass = Literal[
    "constraint",
    "decision",
    "task",
    "error",
    "path",
    "url",
    "hash",
    "money",
    "number",
    "date",
    "email",
    "symbol",
    "quoted",
    "tool",
]


@dataclass(frozen=True, slots=True)
class _About:
    """Description of a class in one line, and its default weight."""

    about: str
    weight: float


CLASSES: Mapping[FactClass, _About] = MappingProxyType(
    {
        "constraint": _About('a rule that must be followed ("must", "never", "don\'t")', 3.0),
        "decision": _About("an explicit decision", 2.5),
        "task": _About("open work: to-do lists, next steps", 2.0),
        "error": _About("a line that reports a failure", 1.5),
        "path": _About("a file or folder", 1.5),
        "url": _About("a web address", 1.5),
        "hash": _About("a hash, a UUID, or another unique id", 1.5),
        "money": _About("an amount of money", 1.5),
        "number": _About("a number with a key or a unit, or a version", 1.2),
        "date": _About("a date, a year, or a time of day", 1.0),
        "email": _About("an e-mail address", 1.0),
        "symbol": _About("a function, class or constant", 1.0),
        "quoted": _About("a string in quotation marks", 0.8),
        "tool": _About("the name of a called tool", 0.3),
    }
)
NAMES: tuple[FactClass, ...] = get_args(FactClass)
assert tuple(CLASSES) == NAMES


_MAX_WEIGHT = 1_000
"""Maximum weight: beyond any practical use, and small enough to multiply and add."""


@dataclass(frozen=True, eq=False)
class Weights(Mapping[FactClass, float]):
    """Weight of each class: the defaults with `overrides`.

    Raises:
        ValueError: A class is unknown, a weight is not between 0 and 1,000, or all weights are 0.
    """

    overrides: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, weight in self.overrides.items():
            if name not in CLASSES:
                raise ValueError(f"there is no fact class {name!r}: choose one of {', '.join(NAMES)}")
            if not 0 <= weight <= _MAX_WEIGHT:
                raise ValueError(f"the weight of {name} must be from 0 to {_MAX_WEIGHT:,}, not {weight}")
        object.__setattr__(self, "overrides", dict(self.overrides))
        if not any(self.values()):
            raise ValueError("all weights are 0: give at least one class a positive weight")

    def __getitem__(self, name: FactClass) -> float:
        return self.overrides.get(name, CLASSES[name].weight)

    def __iter__(self) -> Iterator[FactClass]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __hash__(self) -> int:
        return hash(tuple(self.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weights) and tuple(self.values()) == tuple(other.values())


def fact_class(name: str) -> FactClass:
    """Return a class by its name.

    Raises:
        ValueError: The class is unknown.
    """
    if name not in CLASSES:
        raise ValueError(f"there is no fact class {name!r}: choose one of {', '.join(NAMES)}")
    return cast(FactClass, name)
