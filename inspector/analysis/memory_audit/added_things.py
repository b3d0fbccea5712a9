"""Sentences of which one forbids to add a thing that the other wants everywhere, or puts it in another place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from inspector.analysis.memory_audit.rule_frames import RuleFrame
from inspector.analysis.memory_audit.same_words import key_words
from inspector.core.text import lazy_pattern

_NOT_ADDED = lazy_pattern(
    r"(?i)^(?:please )?(?:do not|don[’']t|never|avoid) (?:add|adding|write|writing|leave|put|insert|create) (?:any )?"
    r"(\w[\w -]{2,30}?)(?:,? (?:unless|if|until|before)\b[^.]{0,30}\bask\w*\b[^.]{0,12})?\.?$"
)
""" "Do not add comments unless you are asked to" """
_EACH_HAS = lazy_pattern(
    r"(?i)^(?:every|each|all) \w[\w -]{1,50}? (?:has|have|needs?|gets?|carries|carry|(?:comes?|starts?|begins?) with)"
    r" (?:an? |its own |a short )?(\w[\w -]{2,40})"
)
"""Each function has a comment."""
_IN_FOLDER = lazy_pattern(
    r"(?i)^(?:(?:put|place|keep|store) )?(?:all |the )?(\w[\w -]{2,30}?) (?:(?:are|is|lives?|goes?|go|belongs?|stays?)"
    r" (?:kept |put |placed |stored )?)?(?:in|into|under|inside) `[\w./-]{0,60}/[\w./-]{0,60}`"
)
"""Put mocks into `internal/mocks`."""
_NEXT_TO = lazy_pattern(
    r"(?i)^(?:(?:put|place|keep|store|write|generate) )?(?:all |the )?(\w[\w -]{2,30}?) (?:(?:are|is|lives?|goes?|go"
    r"|belongs?|stays?|sits?|lies?) (?:kept |put |placed |stored |generated |written )?)?"
    r"(?:next to|alongside|in the same (?:folder|directory|package)) "
)
"""Mocks are generated next to the interface."""
_MAX_SENTENCES = 30
"""Maximum number of sentences about one thing that are compared."""


def addition_clashes(frames: Sequence[RuleFrame]) -> Iterator[tuple[int, int, str, float]]:
    """Yield the numbers of two sentences that contradict each other, why, and how sure it is."""
    for one, other, what in _pairs_about_one_thing(frames, _NOT_ADDED, _EACH_HAS):
        yield one, other, f"{what}: not added / everywhere", 0.65
    for one, other, what in _pairs_about_one_thing(frames, _IN_FOLDER, _NEXT_TO):
        yield one, other, f"place of {what}", 0.65


def _pairs_about_one_thing(
    frames: Sequence[RuleFrame], first: re.Pattern[str], second: re.Pattern[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield the numbers of sentences of both forms that name one thing, and its name."""
    names: dict[frozenset[str], str] = {}
    groups = _by_thing(frames, first, names)
    others = _by_thing(frames, second, names) if groups else {}
    for thing in groups.keys() & others.keys():
        pairs = product(groups[thing][:_MAX_SENTENCES], others[thing][:_MAX_SENTENCES])
        yield from ((one, other, names[thing]) for one, other in pairs if one != other)


def _by_thing(
    frames: Sequence[RuleFrame], form: re.Pattern[str], names: dict[frozenset[str], str]
) -> dict[frozenset[str], list[int]]:
    """Return the numbers of the sentences of a form by the stems of what they name."""
    groups: dict[frozenset[str], list[int]] = defaultdict(list)
    for number, frame in enumerate(frames):
        if match := form.search(frame.text):
            name = match[1].partition(" that ")[0].partition(" with ")[0].partition(" in ")[0]
            if thing := key_words(name):
                names.setdefault(thing, name.lower())
                groups[thing].append(number)
    return groups
