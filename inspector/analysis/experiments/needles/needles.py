"""Needles: generated facts that certainly do not occur in a text yet, one for each class.

A needle is identified by its value, not by its label: "retry_window_ms=4821907" is retained only while the text
contains 4821907. A prohibition is retained only while the line with its value is still negated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Annotated

from inspector.core.conversation import Role

_NOT = re.compile(r"\b(?:never|not|no|without|forbidden|avoid)\b|n['’]t\b", re.I)
"""Words that mark a line as a prohibition."""
_WORDS = (
    *("quillon", "zephyr", "marl", "ostler", "brindle", "tansy", "gannet", "lodestar", "sorrel", "bascule"),
    *("thistle", "oriel", "fathom", "wicket", "juniper", "capstan", "larch", "pewter", "heron", "saffron"),
    *("cobble", "vellum", "osprey", "tamarisk", "galley", "bramble", "sextant", "umber", "yarrow", "kestrel"),
)


@dataclass(frozen=True, slots=True)
class Needle:
    """A fact to insert: its class, the value that identifies it, and the line that states it."""

    cls: Annotated[str, "of facts"]
    value: Annotated[str, "the value that is searched for"]
    line: Annotated[str, "the text that was added to the message"]

    def within(self, text: str) -> bool:
        """Return True if a text still states it."""
        if self.value not in text:
            return False
        whole = standing_alone(self.value)
        if self.cls != "constraint":
            return bool(whole.search(text))
        return any(whole.search(line) and _NOT.search(line) for line in text.split("\n"))


def standing_alone(value: str) -> re.Pattern[str]:
    """Return a pattern that matches a value as a separate word."""
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")


class _Making:
    """Random generator for the parts of values."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def words(self, count: int, between: str) -> str:
        return between.join(self.random.sample(_WORDS, count))

    def number(self, digits: int) -> int:
        return self.random.randrange(10 ** (digits - 1), 10**digits)

    def hash(self) -> str:
        letters = "".join(self.random.choices("0123456789abcdef", k=10))
        return f"{self.random.choice('abcdef')}{letters}{self.random.choice('123456789')}"

    def day(self) -> str:
        year, month, day = (self.random.randrange(*ends) for ends in ((2140, 2190), (1, 13), (1, 29)))
        return f"{year}-{month:02}-{day:02}"


@dataclass(frozen=True, slots=True)
class _Kind:
    """Generator for the needles of one class, and the roles that typically state them, the most typical first."""

    value: Callable[[_Making], str]
    lines: tuple[str, ...]
    """Sentences that state it, with {value} for the value and {word} for a random word."""
    home: tuple[Role, ...]


KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "constraint": _Kind(
            lambda make: f"{make.words(2, '-')}-{make.number(4)}",
            ("You must never restart {value} while the {word} job runs.", "Do not touch {value} before the audit."),
            ("user",),
        ),
        "decision": _Kind(
            lambda make: f"{make.words(2, '-')}-{make.number(4)}",
            ("We decided to go with {value} instead of the old one.", "Decision: {value} is used for the {word} part."),
            ("assistant",),
        ),
        "task": _Kind(
            lambda make: f"{make.words(2, '-')}-{make.number(4)}",
            ("TODO: still to move {value} to the second machine.", "Next: {value} remains to be checked."),
            ("assistant", "user"),
        ),
        "error": _Kind(
            lambda make: f"{make.words(1, '').upper()}-{make.number(5)}",
            ("Error: the {word} queue gave up with {value}", "fatal: {word} failed, code {value}"),
            ("tool",),
        ),
        "path": _Kind(
            lambda make: f"/srv/{make.words(2, '-')}/{make.words(1, '')}_{make.number(4)}.toml",
            ("The limits are read from {value}", "{word} settings: {value}"),
            ("tool", "assistant"),
        ),
        "url": _Kind(
            lambda make: f"https://{make.words(2, '-')}.example/{make.words(1, '')}/{make.number(4)}",
            ("The form is described at {value}", "see {value} for the {word} rules"),
            ("tool", "assistant", "user"),
        ),
        "id": _Kind(_Making.hash, ("commit {value} was the last one that passed", "{word} image: {value}"), ("tool",)),
        "number": _Kind(
            lambda make: str(make.number(7)),
            ("{word}_window_ms={value}", "{word}_quota: {value}"),
            ("tool", "user"),
        ),
        "amount": _Kind(
            lambda make: f"€{make.number(5):,}.{make.number(2)}",
            ("The {word} invoice came to {value}.", "The {word} budget is {value}."),
            ("user", "assistant"),
        ),
        "date": _Kind(
            _Making.day,
            ("The switch-over is set for {value}.", "The {word} licence ends on {value}."),
            ("user", "assistant"),
        ),
        "email": _Kind(
            lambda make: f"{make.words(2, '.')}{make.number(2)}@{make.words(1, '')}.example",
            ("Questions about {word} go to {value}", "The owner of the {word} part is {value}"),
            ("user", "assistant"),
        ),
        "symbol": _Kind(
            lambda make: f"{make.words(3, '_')}_{make.number(2)}",
            ("The slow part is {value}()", "{word} calls {value}() twice"),
            ("assistant", "tool"),
        ),
        "quote": _Kind(
            lambda make: f"{make.words(3, ' and ')}, row {make.number(3)}",
            ('The {word} label reads "{value}".', 'The {word} sign says "{value}".'),
            ("user", "assistant"),
        ),
    }
)
"""Classes of needles, named like the classes of facts. Names of tools are missing, because they cannot be called."""


def needles(random: Random, classes: Sequence[str], texts: Sequence[str]) -> Iterator[Needle]:
    """Yield one needle of each class after the other, endlessly. No value occurs in `texts` or is used twice.

    Args:
        random: Source of random values.
        classes: Classes of the needles.
        texts: Texts that must not contain the values.
    """
    make, names = _Making(random), set[str]()
    text = "\n".join(texts)
    while classes:
        for cls in classes:
            kind = KINDS[cls]
            value = kind.value(make)
            while value in names or value in text:
                value = kind.value(make)
            names.add(value)
            yield Needle(cls, value, random.choice(kind.lines).format(value=value, word=make.words(1, "")))
