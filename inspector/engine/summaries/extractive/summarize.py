"""Extractive summary: deterministic, offline, and the default without a model.

Lines are sorted into eight sections (Goal, Constraints, Decisions, Files, Errors, Results, Open tasks, Facts verbatim),
and the most informative ones are selected up to the requested size. An earlier summary among the messages is parsed
back into its sections, so summaries are merged and never nested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, groupby
from operator import attrgetter, itemgetter

from inspector.core.conversation import Message
from inspector.engine.summaries.extractive.filling import Choice, Filling, Unit, place
from inspector.engine.summaries.extractive.gist import Line, MessageSummary, gists as gists_of
from inspector.engine.summaries.repair import contents_of, facts_of
from inspector.engine.summaries.summary_sections import HEADINGS, TITLE, Heading, render_sections

_WEIGHTS: dict[Heading, float] = {
    "Goal": 3.0,
    "Constraints": 2.6,
    "Decisions": 2.2,
    "Open tasks": 2.0,
    "Errors": 1.8,
    "Results": 1.4,
    "Files": 1.2,
}
_LINE, _WORDS = itemgetter(0, 1), itemgetter(3)
"""Heading and text of a line, and its words."""


def summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """Return a summary of messages, or "" if they contain no text.

    Deterministic. A smaller target never yields a longer summary.

    Args:
        messages: Messages to summarise.
        target: Maximum tokens of the summary. The first line is included even if it exceeds this.
        count: Returns the tokens of a text.
    """
    return _summary(gists_of(messages), target, count)


@lru_cache(maxsize=4)
def _summary(gists: tuple[MessageSummary, ...], target: int, count: Callable[[str], int]) -> str:
    """Return the summary of some gists. Cached, because previews and presets ask for the same one again."""
    lines, facts = rank_units(gists)
    room = target
    while True:
        text = render(Filling(room - count(f"{TITLE}\n"), count, contents_of).fill(lines, facts))
        excess = count(text) - target
        if excess <= 0 or room <= 0:
            return text
        room -= excess  # some counters count more for a text than for its lines


@lru_cache(maxsize=2)
def rank_units(gists: tuple[MessageSummary, ...]) -> tuple[Choice, Choice]:
    """Return lines and facts, most informative first. Cached for the last two, because resizing requests them again."""
    return rank(gists), facts_of(gists)


def rank(gists: Sequence[MessageSummary]) -> Choice:
    """Return lines by information, highest first: weight times the rarity of their words, slightly more for newer ones.

    Of identical new lines, only the newest is kept; a line that is also in an earlier summary is kept only there. Ties
    are resolved in favour of the older line, so the order is deterministic.
    """
    lines: list[Line] = []
    sides: dict[bool, dict[tuple[Heading, str], int]] = {True: {}, False: {}}
    for is_earlier, sources in groupby(gists, attrgetter("earlier")):
        start = len(lines)
        lines += chain.from_iterable(map(attrgetter("lines"), sources))
        sides[is_earlier].update(zip(map(_LINE, lines[start:]), count(start)))
    earlier, new = sides[True], sides[False]
    for key in earlier.keys() & new.keys():
        del new[key]
    places = sorted(earlier.values()), sorted(new.values())
    spread = Counter(chain.from_iterable(map(_WORDS, map(lines.__getitem__, chain(*places)))))
    rarity = {word: 1 / times for word, times in spread.items()}
    return Choice(*[_by_worth(lines, side, rarity) for side in places])


def _by_worth(lines: Sequence[Line], places: Iterable[int], rarity: Mapping[str, float]) -> list[Unit]:
    """Return the lines at these positions, most informative first."""
    rare, latest = rarity.__getitem__, len(lines)
    worths: list[float] = []
    units: list[Unit] = []
    for order in places:
        heading, text, weight, words = lines[order]
        worth = -weight * _WEIGHTS[heading] * (0.5 + sum(map(rare, words)) / (3 + len(words)) + 0.3 * order / latest)
        worths.append(worth)
        units.append((heading, text, order))
    return list(map(units.__getitem__, sorted(range(len(units)), key=worths.__getitem__)))


def render(chosen: Iterable[Unit]) -> str:
    """Return lines under their headings, in conversation order."""
    under: dict[Heading, list[str]] = {heading: [] for heading in HEADINGS}
    for heading, text, _ in sorted(chosen, key=place):
        under[heading].append(text)
    return render_sections(under)
