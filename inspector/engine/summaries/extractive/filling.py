"""Fill a summary of limited size with the most informative units, balancing old and new content.

Lines and facts have a fixed order that does not depend on the size, and each is taken if it fits into the remaining
room. So less room never yields a longer summary: up to the first unit that only fits into the larger room, both are
identical, and including that unit, the larger one already exceeds the smaller room.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from inspector.engine.summaries.summary_sections import BULLET, Heading

_EARLIER_SHARE = 2 / 3
"""Fraction of a limited room that content of earlier summaries takes before anything new.

With less, it would be forgotten after a few compressions; with everything, nothing new would ever be added. Room that
one side does not need goes to the other.
"""
_LINES_SHARE = 0.8
"""Fraction of the room that lines take before facts that no line contains."""
_MIN_ROOM = 3
"""Room in tokens in which no line fits."""
_MAX_REJECTED = 100
"""Number of units that can be too long before the room counts as full."""


Unit = tuple[Heading, str, int]
"""A candidate line: its heading, its text, and its position among that heading's lines.

A plain tuple, because long conversations have thousands of them.
"""


place = itemgetter(2)
"""Sort key: the position of a unit."""


@dataclass(frozen=True)
class Choice:
    """Candidate units, most informative first, separated by whether they are from an earlier summary."""

    earlier: Sequence[Unit] = ()
    new: Sequence[Unit] = ()

    def __iter__(self) -> Iterator[Unit]:
        yield from self.earlier
        yield from self.new


NOTHING = Choice()


@dataclass
class _Source:
    """Units of one kind with one unit of lookahead."""

    units: Iterator[Unit]
    share: float
    """Share of the room, relative to the other sources."""
    are_facts: bool
    unit: Unit | None = None
    tokens: int = 0
    """Size of the next unit."""
    used: int = 0
    """Tokens that were taken from this source."""
    finish: float = 0.0
    """Progress of its share including the next unit."""


@dataclass
class Filling:
    """A room with a limited number of tokens that is being filled."""

    room: int
    count: Callable[[str], int]
    contents: Callable[[str], Iterable[str]]
    """Returns the text of a line and its identifiers."""
    headings: set[Heading] = field(default_factory=set)
    """Headings already in the summary, which take no more room."""
    chosen: dict[Unit, int] = field(default_factory=dict)
    """Selected units with their tokens."""
    tellings: set[str] = field(default_factory=set)
    """Texts and identifiers of the selected lines."""
    _facts: dict[str, Unit] = field(default_factory=dict)

    def fill(self, lines: Choice, facts: Choice) -> Collection[Unit]:
        """Return the units that fit, from each source in proportion to its share. Unused shares go to the others.

        The first line is always included.
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
        """Advance a source to its next unit that is not included yet. Returns False if it has no more."""
        doubles = self.tellings if source.are_facts else ()
        source.unit = next((unit for unit in source.units if unit[1] not in doubles), None)
        if source.unit is None:
            return False
        source.tokens = self.count(f"{BULLET}{source.unit[1]}\n")
        source.finish = (source.used + source.tokens) / source.share
        return True

    def _cost(self, source: _Source) -> int:
        """Return the tokens of a source's next unit, including its heading if that is new."""
        assert source.unit is not None
        heading, text, _ = source.unit
        if source.are_facts and text in self.tellings:
            return 0
        return source.tokens + (0 if heading in self.headings else self.count(f"\n{heading}:\n"))

    def _add_next(self, source: _Source) -> None:
        """Add the next unit of a source. Facts that it contains are removed again, which frees their room."""
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
