"""Filling a summary of a limited size: what says most first, and neither old nor new crowding the other out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, takewhile
from operator import itemgetter

from inspector.summaries.sections import BULLET, Heading

_EARLIER_SHARE = 2 / 3
"""Of a room that is too small for all, the part that what an earlier summary told takes before anything new.

With less, it would be forgotten in a few passes; with all of it, nothing new would ever be told. Room that one side
does not need goes to the other.
"""
AROUND = len(BULLET) + 1
"""Characters around a line: its bullet and its end."""
_LEAST_ROOM = 12
"""Characters of room in which it is not worth looking for a line that fits."""
_PATIENCE = 100
"""Units that may be found too long before the room counts as full."""
_NEARLY = 1.1
"""Everything is tried whole where it takes up to so many times the room, since the room is an estimate."""
_MARGIN = 0.95
_ROUNDS = 3
CHARACTERS = 4
"""Of a token, to begin with."""
_SAMPLE = 160
"""Units that are counted to know how many characters a token has."""


Unit = tuple[Heading, str, int, int]
"""A line that may be taken over: its heading, its text, its place among that heading's lines, and the characters that
it takes (its own and `AROUND`).

A plain tuple, because a long conversation has thousands of them.
"""


place, _length = itemgetter(2), itemgetter(3)
"""The place of a unit, to sort by, and its characters."""


@dataclass(frozen=True)
class Choice:
    """Units that may be taken, what says most first; those that an earlier summary told apart."""

    earlier: Sequence[Unit] = ()
    new: Sequence[Unit] = ()

    @cached_property
    def cost(self) -> int:
        """Characters that all of them take."""
        return cost(self.earlier) + cost(self.new)

    def fill(self, room: int) -> tuple[list[Unit], Choice]:
        """The units that fit into so many characters, and those left over."""
        if self.fits(room):
            return [*self.earlier, *self.new], Choice()
        first, rest = _fill(self.earlier, int(room * _EARLIER_SHARE))
        room -= cost(first)
        second, left = _fill(self.new, room)
        third, unfit = _fill(rest, room - cost(second))
        return [*first, *second, *third], Choice(unfit, left)

    def fits(self, room: int) -> bool:
        """Whether all of them fit into so many characters; of many that do not, few are looked at."""
        return all(map(room.__ge__, accumulate(map(_length, chain(self.earlier, self.new)))))


def cost(units: Iterable[Unit]) -> int:
    return sum(map(_length, units))


def _fill(units: Sequence[Unit], room: int) -> tuple[list[Unit], list[Unit]]:
    """Units taken one after the other as long as each fits, and the ones left over."""
    ends = list(takewhile(room.__ge__, accumulate(map(_length, units))))
    count = len(ends)
    while count and room - (ends[count - 2] if count > 1 else 0) < _LEAST_ROOM:
        count -= 1
    units_in = list(units[:count])
    rest: list[Unit] = []
    room -= ends[count - 1] if count else 0
    misses = 0
    for place in range(count, len(units)):
        if room < _LEAST_ROOM or misses > _PATIENCE:
            rest += units[place:]
            break
        if (length := _length(units[place])) <= room:
            units_in.append(units[place])
            room -= length
        else:
            rest.append(units[place])
            misses += 1
    return units_in, rest


def fit_text(
    make: Callable[[int], str], room: float, full: int, target: int, count: Callable[[str], int], base: int = 0
) -> str:
    """What `make` makes of so much room, in characters, that it takes at most `target` tokens.

    `room` is a first guess, `whole` what everything would take, `fixed` the tokens of what is there with no room at
    all. Where nothing takes as little as the target, that is what comes back.
    """
    if full <= room * _NEARLY:
        room = full + _LEAST_ROOM
    for number in range(_ROUNDS + int(room).bit_length()):
        text = make(int(room))
        size = count(text)
        if size <= target:
            return text
        room *= _MARGIN * max(0, target - base) / (size - base) if number < _ROUNDS and size > base else 0.5
        if room < _LEAST_ROOM:
            break
    return make(0)


def room_for(tokens: int, units: Sequence[Unit], count: Callable[[str], int]) -> float:
    """Characters of room that so many tokens are in lines such as these, judged by some of them."""
    sample = "\n- ".join([unit[1] for unit in units[:: len(units) // _SAMPLE + 1]])
    return tokens * _MARGIN * (len(sample) / max(1, count(sample)) if sample else CHARACTERS)
