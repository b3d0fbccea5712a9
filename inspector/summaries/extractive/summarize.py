"""A summary made of the conversation's own lines: deterministic, offline, and the default without a model.

It sorts lines into eight sections (Goal, Constraints, Decisions, Files, Errors, Results, Open tasks, Facts verbatim)
and takes the ones that say most until the size asked for is reached. An earlier summary among the messages is read
back into its sections, so summaries are merged and never nested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from inspector.conversation import Message
from inspector.summaries.extractive.filling import (
    AROUND,
    CHARACTERS,
    Choice,
    Unit,
    cost,
    fit_text,
    place,
    room_for,
)
from inspector.summaries.extractive.gist import Gist, Line
from inspector.summaries.extractive.gist import gists as gists_of
from inspector.summaries.repair import facts_of, losses
from inspector.summaries.sections import HEADINGS, TITLE, Heading, render_sections

_WEIGHTS: dict[Heading, float] = {
    "Goal": 3.0,
    "Constraints": 2.6,
    "Decisions": 2.2,
    "Open tasks": 2.0,
    "Errors": 1.8,
    "Results": 1.4,
    "Files": 1.2,
}
_LINES_SHARE = 0.8
"""Of the room, what lines take before facts that stand in none of them have their turn."""
_AROUND_ALL = len(TITLE) + sum(len(heading) + 3 for heading in HEADINGS) // 2
"""Characters of the title and of as many headings as a short summary has."""


_LINE = itemgetter(0, 1)
"""The heading and the text of a line."""


def summarise(messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """A summary of `messages` of about `target` tokens as `count` counts them; never more, but for its first line.

    The same messages always give the same text; messages that say nothing give "".
    """
    lines, facts = rank_units(gists_of(messages))
    guess = int(target * CHARACTERS * _LINES_SHARE)
    likely = [*lines.fill(guess)[0], *facts.fill(target * CHARACTERS - guess)[0]]
    room, whole = room_for(target, likely, count), _AROUND_ALL + lines.cost + facts.cost
    return fit_text(lambda room: render(choose(lines, facts, room)), room, whole, target, count)


@lru_cache(maxsize=2)
def rank_units(gists: tuple[Gist, ...]) -> tuple[Choice, Choice]:
    """Lines and facts, what says most first. Kept for the last two: a size that is moved asks for the same again."""
    return rank(gists), facts_of(gists)


def choose(lines: Choice, facts: Choice, room: int) -> list[Unit]:
    """What fits into `room` characters, at least one line: lines, the facts that are in none of them, more lines."""
    room -= _AROUND_ALL
    chosen, rest = lines.fill(max(int(room * _LINES_SHARE), room - facts.cost))
    if not chosen:
        return [*lines.earlier[:1], *lines.new[:1], *facts.earlier[:1]][:1]
    room -= cost(chosen)
    beside, _ = losses(facts, [unit[1] for unit in chosen]).fill(room)
    more, _ = rest.fill(room - cost(beside))
    return [*chosen, *beside, *more]


def rank(gists: Sequence[Gist]) -> Choice:
    """Lines by what they say, most first: weight, times the rarity of their words, a little more for newer ones.

    Of new lines that are the same only the newest stays, of lines that an earlier summary told too only that one. Ties
    go to the older, so the order is always the same.
    """
    sides: dict[bool, dict[tuple[Heading, str], tuple[Line, int]]] = {True: {}, False: {}}
    latest = 0
    for source in gists:
        places = range(latest, latest + len(source.lines))
        sides[source.earlier].update(zip(map(_LINE, source.lines), zip(source.lines, places, strict=True), strict=True))
        latest = places.stop
    earlier, new = sides[True], sides[False]
    for key in earlier:
        new.pop(key, None)
    spread = Counter(chain.from_iterable([line[3] for line, _ in (*earlier.values(), *new.values())]))
    rarity = {word: 1 / times for word, times in spread.items()}
    return Choice(*[_by_worth(side.values(), rarity, max(1, latest)) for side in (earlier, new)])


def _by_worth(lines: Iterable[tuple[Line, int]], rarity: Mapping[str, float], latest: int) -> list[Unit]:
    rare = rarity.__getitem__
    units = [
        (
            -weight * _WEIGHTS[heading] * (0.5 + sum(map(rare, words)) / (3 + len(words)) + 0.3 * order / latest),
            order,
            (heading, text, order, len(text) + AROUND),
        )
        for (heading, text, weight, words), order in lines
    ]
    units.sort()
    return [unit for _, _, unit in units]


def render(chosen: Iterable[Unit]) -> str:
    """Lines under their headings, in the order in which they were said."""
    under: dict[Heading, list[str]] = {}
    for heading, text, _, _ in sorted(chosen, key=place):
        under.setdefault(heading, []).append(text)
    return render_sections(under)
