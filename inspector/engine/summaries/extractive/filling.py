"""Filling a summary of a limited size: what says most first, and neither old nor new crowding the other out.

Lines and facts have one order, which does not depend on the size, and each is taken where it fits into what is left. So
less room never gives a longer summary: up to the first unit that fits into the one room only, both are the same, and
with that unit the one already takes more than there is in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from inspector.engine.summaries.summary_sections import BULLET, Heading

_EARLIER_SHARE = 2 / 3
"""Of a room that is too small for all, the part that what an earlier summary told takes before anything new.

With less, it would be forgotten in a few passes; with all of it, nothing new would ever be told. Room that one side
does not need goes to the other.
"""
_LINES_SHARE = 0.8
"""Of the room, what lines take before facts that stand in none of them have their turn."""
_MIN_ROOM = 3
"""Tokens of room in which no line fits."""
_MAX_REJECTED = 100
"""Units that may be found too long before the room counts as full."""


Unit = tuple[Heading, str, int]
"""A line that may be taken over: its heading, its text, and its place among that heading's lines.

A plain tuple, because a long conversation has thousands of them.
"""


place = itemgetter(2)
"""The place of a unit, to sort by."""


@dataclass(frozen=True)
class Choice:
    """Units that may be taken, what says most first; those that an earlier summary told apart."""

    earlier: Sequence[Unit] = ()
    new: Sequence[Unit] = ()

    def __iter__(self) -> Iterator[Unit]:
        yield from self.earlier
        yield from self.new


NOTHING = Choice()


@dataclass
class _Source:
    """Units of one kind, of which the next one is looked at."""

    units: Iterator[Unit]
    share: float
    """Its share of the room, in proportion to those of the others."""
    are_facts: bool
    unit: Unit | None = None
    tokens: int = 0
    """Of the next unit."""
    used: int = 0
    """Tokens that were taken from here."""
    finish: float = 0.0
    """How far along its share it is with the next unit."""


@dataclass
class Filling:
    """A room of so many tokens that is being filled."""

    room: int
    count: Callable[[str], int]
    contents: Callable[[str], Iterable[str]]
    """What a line tells: itself, and its identifiers."""
    headings: set[Heading] = field(default_factory=set)
    """Those that stand there, so that they take no further room."""
    chosen: dict[Unit, int] = field(default_factory=dict)
    """What was taken, with its tokens."""
    tellings: set[str] = field(default_factory=set)
    """What the lines tell that were taken."""
    _facts: dict[str, Unit] = field(default_factory=dict)

    def fill(self, lines: Choice, facts: Choice) -> Collection[Unit]:
        """The units that fit, each source in turn by its share; what one does not need goes to the others.

        The very first line is taken in any case.
        """
        sources = [
            _Source(iter(units), kind_share * side_share, kind is facts)
            for kind, kind_share in ((lines, _LINES_SHARE), (facts, 1 - _LINES_SHARE))
            for units, side_share in ((kind.earlier, _EARLIER_SHARE), (kind.new, 1 - _EARLIER_SHARE))
        ]
        sources = [source for source in sources if self._look_ahead(source)]
        if lines is not NOTHING and sources:
            self._add_next(sources[0])
            sources = sources[not self._look_ahead(sources[0]) :]
        misses = 0
        while sources and misses <= _MAX_REJECTED and self.room >= _MIN_ROOM:
            source = min(sources, key=attrgetter("finish"))
            if self._cost(source) > self.room:
                misses += 1
            else:
                self._add_next(source)
            if not self._look_ahead(source):
                sources.remove(source)
        return self.chosen.keys()

    def _look_ahead(self, source: _Source) -> bool:
        """Look at the next unit of a source that is not told already. Says whether there is one."""
        doubles = self.tellings if source.are_facts else ()
        source.unit = next((unit for unit in source.units if unit[1] not in doubles), None)
        if source.unit is None:
            return False
        source.tokens = self.count(f"{BULLET}{source.unit[1]}\n")
        source.finish = (source.used + source.tokens) / source.share
        return True

    def _cost(self, source: _Source) -> int:
        """Tokens of the next unit of a source, with its heading where that does not stand there yet."""
        assert source.unit is not None
        heading, text, _ = source.unit
        if source.are_facts and text in self.tellings:
            return 0
        return source.tokens + (0 if heading in self.headings else self.count(f"\n{heading}:\n"))

    def _add_next(self, source: _Source) -> None:
        """Take the next unit of a source. Facts that it tells give their room back."""
        unit = source.unit
        assert unit is not None
        heading, text, _ = unit
        if source.are_facts and text in self.tellings:
            return
        self.room -= self._cost(source)
        if source.are_facts:
            self._facts[text] = unit
        else:
            contents = tuple(self.contents(text))
            self.tellings.update(contents)
            doubles = [self._facts.pop(content) for content in contents if content in self._facts]
            self.room += min(source.tokens, sum(map(self.chosen.pop, doubles)))
        self.headings.add(heading)
        self.chosen[unit] = source.tokens
        source.used += source.tokens
