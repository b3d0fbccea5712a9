"""A choice of one value for something, and whether two of them exclude each other."""

from __future__ import annotations

from typing import NamedTuple

from inspector.analysis.memory_audit.same_words import key_words
from inspector.core.text import lazy_pattern

_CLOCK = lazy_pattern(r"\d{1,2}:\d\d")
_UNIT = lazy_pattern(r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten)(%|[a-z]{1,12})")
_TIME = lazy_pattern(r"(?:m|milli|s|sec|min|h|hour|day|week|month|year)(?:ond|ute)?")


class OneValueRule(NamedTuple):
    """A rule that chooses one value for something."""

    about: tuple[str, frozenset[str]]
    """How it chooses, and the stems of its other words. Rules with the same ones can be compared."""
    value: str
    is_name: bool
    """True if the value is certainly one of several: a name, a number or an opposite."""
    bound: str = ""
    """"most" or "least" if a number is a bound, "adjective" if the value is one."""

    is_sure: bool = True
    """False if it may be no choice at all."""
    is_only: bool = False
    """True if the sentence says that it is the only value."""
    is_plain: bool = False
    """True if the sentence says nothing else, so that another value for the same is another rule."""
    text: str = ""
    """The sentence."""

    def _includes(self, other: OneValueRule) -> bool:
        return self.value.startswith(other.value) or {*other.value.split()} <= {*self.value.split()}

    def _differs(self, other: OneValueRule) -> bool:
        return key_words(self.value).isdisjoint(key_words(other.value)) and (self.is_sure or other.is_sure)

    def contradicts(self, other: OneValueRule) -> bool:
        """Return True if two rules about the same choose values that exclude each other."""
        if self._includes(other) or other._includes(self):
            return False
        if self.is_plain and other.is_plain and self.is_name == other.is_name:
            return self._differs(other)
        is_single = (self.is_name and other.is_name) or not (" " in self.value or " " in other.value)
        return (is_single or self.is_only or other.is_only) and _are_of_one_kind(self, other)


def _are_of_one_kind(one: OneValueRule, other: OneValueRule) -> bool:
    """Return True if two values can exclude each other: both are bounds of one kind, or count the same."""
    if {one.bound, other.bound} == {"most", "least"} or one.bound == other.bound == "adjective":
        return False
    if not (one.is_only or other.is_only or (one.is_sure and other.is_sure)):
        return False
    units = {_unit_of(one.value), _unit_of(other.value)}
    same_unit = len(units) == 1 or ("" in units and bool(one.bound) and one.bound == other.bound)
    return same_unit and _noun_in(one.value) == _noun_in(other.value)


def _unit_of(value: str) -> str:
    """Return the kind of what a value counts: "time", "size", "clock", or its unit."""
    if _CLOCK.fullmatch(value):
        return "clock"
    unit = match[1] if (match := _UNIT.fullmatch(value)) else ""
    return "time" if _TIME.fullmatch(unit) else "size" if unit.endswith("b") else unit


def _noun_in(value: str) -> str:
    """Return the noun before a number or name in a value of some words: "port" of "port 8000"."""
    first, *rest = value.split()
    return first if rest and first.isalpha() and any(character.isdigit() for character in rest[-1]) else ""
