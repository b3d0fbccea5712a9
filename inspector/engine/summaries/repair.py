"""Add identifiers that a summary has omitted: paths, ids, numbers with their key, URLs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, count, filterfalse, repeat

from inspector.core.conversation import Message
from inspector.engine.summaries.extractive.filling import NOTHING, Choice, Filling, Unit, place
from inspector.engine.summaries.extractive.gist import MAY_HOLD, MessageSummary, gists, identifiers
from inspector.engine.summaries.summary_sections import BULLET, FACTS, heading_in

_ITEMS = ("- ", "* ", "• ")


def repair_summary(text: str, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """Return a summary with omitted identifiers of its messages added, as far as `target` allows.

    They are added to its facts, or as a new section at its end: first those of earlier summaries, then by frequency,
    newest first. A summary without omissions, or at its target, is returned unchanged.

    Args:
        text: The summary.
        messages: The summarised messages.
        target: Maximum tokens of the result.
        count: Returns the tokens of a text.
    """
    facts = _losses(facts_of(gists(messages)), text.split("\n"))
    room = target - count(text)
    while room > 0:
        longer = _with_facts(text, Filling(room, count, contents_of).fill(NOTHING, facts))
        if (excess := count(longer) - target) <= 0:
            return longer
        room -= excess  # inserting lines can merge tokens at their edges
    return text


def facts_of(gists: Sequence[MessageSummary]) -> Choice:
    """Return the identifiers of messages: those of earlier summaries in order, others by frequency, newest first."""
    earlier = dict.fromkeys(chain.from_iterable([source.facts for source in gists if source.earlier]))
    uses = Counter(chain.from_iterable(said := [source.facts for source in reversed(gists) if not source.earlier]))
    newest = dict.fromkeys(chain.from_iterable(said))
    new = sorted(filterfalse(earlier.__contains__, newest), key=uses.__getitem__, reverse=True)
    return Choice(_units(earlier), _units(new, len(earlier)))


def _units(facts: Collection[str], start: int = 0) -> list[Unit]:
    return list(zip(repeat(FACTS), facts, count(start), strict=False))


def _losses(facts: Choice, lines: Iterable[str]) -> Choice:
    """Return the facts that none of the lines contains."""
    contents = set(chain.from_iterable(map(contents_of, lines)))
    sides = [[unit for unit in side if unit[1] not in contents] for side in (facts.earlier, facts.new)]
    return Choice(*sides)


def contents_of(line: str) -> tuple[str, ...]:
    """Return the text and the identifiers of a line. Cached, because similar summaries contain the same lines."""
    return _telling_contents(line) if MAY_HOLD(line) else (line.removeprefix(BULLET),)


@lru_cache(maxsize=32_768)
def _telling_contents(line: str) -> tuple[str, ...]:
    return line.removeprefix(BULLET), *identifiers(line)


def _with_facts(text: str, facts: Iterable[Unit]) -> str:
    """Return a summary with more facts in its facts section, which is added at the end if necessary."""
    bullets = [BULLET + text for _, text, _ in sorted(facts, key=place)]
    if not bullets:
        return text
    lines = text.rstrip().split("\n")
    own = next((number for number, line in enumerate(lines) if heading_in(line) == FACTS), None)
    if own is None:
        return "\n".join([*lines, "", f"{FACTS}:", *bullets])
    end = own + 1
    for number in range(end, len(lines)):
        if lines[number].lstrip().startswith(_ITEMS):
            end = number + 1
        elif lines[number].strip():
            break
    return "\n".join([*lines[:end], *bullets, *lines[end:]])
