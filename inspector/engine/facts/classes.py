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
    "id",
    "amount",
    "number",
    "date",
    "email",
    "symbol",
    "quote",
    "tool",
]
SentenceClass = Literal["constraint", "decision", "task", "error"]
"""Class of a fact that is a sentence or line."""
Source = Literal["speech", "typed", "rules", "output"]
"""Origin of a text: an agent or a summary, a user, a system prompt, or a tool."""


@dataclass(frozen=True, slots=True)
class _About:
    """Description of a class in one line, and its default weight."""

    about: str
    weight: float


CLASSES: Mapping[FactClass, _About] = MappingProxyType(
    {
        "constraint": _About('a rule about what must or must not be done ("must", "never", "don\'t")', 3.0),
        "decision": _About("a statement of what was decided", 2.5),
        "task": _About("work that remains: items of a to-do list, next steps", 2.0),
        "error": _About("a line that reports a failure", 1.5),
        "path": _About("a file or folder", 1.5),
        "url": _About("a web address", 1.5),
        "id": _About("a hash, a UUID or another unique identifier", 1.5),
        "amount": _About("an amount of money with its currency", 1.5),
        "number": _About("a number with its key or unit, or a version number", 1.2),
        "date": _About("a day, a year or a time of day", 1.0),
        "email": _About("an e-mail address", 1.0),
        "symbol": _About("a name from code: a function, class or constant", 1.0),
        "quote": _About("text in quotation marks", 0.8),
        "tool": _About("the name of a tool that was called", 0.3),
    }
)
NAMES: tuple[FactClass, ...] = get_args(FactClass)
assert tuple(CLASSES) == NAMES
SENTENCES: frozenset[FactClass] = frozenset(("constraint", "decision", "task", "error"))
"""Classes whose facts are sentences. The facts of all other classes are values."""
_EARLIER_NAMES: Mapping[str, FactClass] = MappingProxyType({"hash": "id", "money": "amount", "quoted": "quote"})
"""Earlier names of classes, which presets and scripts may still contain."""

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
        overrides = {fact_class(name): weight for name, weight in self.overrides.items()}
        for name, weight in overrides.items():
            if not 0 <= weight <= _MAX_WEIGHT:
                raise ValueError(f"the weight of {name} must be from 0 to {_MAX_WEIGHT:,}, not {weight}")
        object.__setattr__(self, "overrides", overrides)
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
    """Return a class by its name. Accepts the earlier names `hash`, `money` and `quoted`.

    Raises:
        ValueError: The class is unknown.
    """
    name = _EARLIER_NAMES.get(name, name)
    if name not in CLASSES:
        raise ValueError(f"there is no fact class {name!r}: choose one of {', '.join(NAMES)}")
    return cast(FactClass, name)
