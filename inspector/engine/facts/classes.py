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
        "constraint": _About('what must, must not or may never be done ("must", "never", "don\'t")', 3.0),
        "decision": _About("what was decided, in words that say so", 2.5),
        "task": _About("what is still to be done: lists of things to do, what comes next", 2.0),
        "error": _About("a line that tells of a failure", 1.5),
        "path": _About("a file or folder", 1.5),
        "url": _About("a web address", 1.5),
        "hash": _About("a hash, a uuid, or another id that was made to be unique", 1.5),
        "money": _About("an amount with its currency", 1.5),
        "number": _About("a number with its key or its unit, or the number of a version", 1.2),
        "date": _About("a day, a year that is said as one, or a time of day", 1.0),
        "email": _About("an e-mail address", 1.0),
        "symbol": _About("a name from code: a function, a class, a constant", 1.0),
        "quoted": _About("a string that somebody put in quotation marks", 0.8),
        "tool": _About("the name of a tool that was called", 0.3),
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
                raise ValueError(f"there is no class of facts called {name!r}: choose among {', '.join(NAMES)}")
            if not 0 <= weight <= _MAX_WEIGHT:
                raise ValueError(f"the weight of {name} is {weight}: give a number from 0 to {_MAX_WEIGHT:,}")
        object.__setattr__(self, "overrides", dict(self.overrides))
        if not any(self.values()):
            raise ValueError("all weights are 0: give at least one class a weight")

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
        raise ValueError(f"there is no class of facts called {name!r}: choose among {', '.join(NAMES)}")
    return cast(FactClass, name)
