"""Sentences about one thing of which one demands it and the other waives or denies it, or that have opposite words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from inspector.analysis.memory_audit.project_choices import OPPOSITES
from inspector.analysis.memory_audit.rule_frames import RuleFrame, frame_of
from inspector.analysis.memory_audit.same_words import key_words
from inspector.core.text import lazy_pattern, said_in

_WAIVES = lazy_pattern(
    r"(?i)^(?P<subject>.{2,80}?) (?:(?:is|are) (?:\w+ly )?(?:optional|not (?:needed|required|necessary|mandatory)"
    r"|unnecessary|overkill|superfluous)|(?:can|may) be (?:skipped|omitted|left out|ignored))\b"
    r"|\b(?:needs?|requires?) no (?P<lacks>.{2,60})|\bno (?P<no>.{2,40}?) (?:is |are )?(?:needed|required|necessary)\b"
    r"|\b(?:no need (?:to|for)|don[’']t bother (?:to |with )?|you (?:don[’']t|do not) (?:need|have) (?:to )?|need not"
    r"|needn[’']t|(?:can|may|feel free to) skip|no ?(?:body|one) (?:needs|has) to) ?(?P<object>.{2,60})"
    r"|^skip (?P<skip>.{2,60})|\bwithout (?P<without>(?:asking|approval|review|an? \w+))\b"
)
"""A sentence that says that something may be left out."""
_DEMANDS = lazy_pattern(
    r"(?i)\b(?:mandatory|required|obligatory|compulsory|must|always|needs?|requires?|every|each|all|never"
    r" [^.]{2,60} without|has to|have to|before)\b"
)
_ALWAYS = lazy_pattern(r"(?i)\b(?:mandatory|required|obligatory|compulsory)\b")
_MAX_SHARING = 30
"""Maximum number of sentences with one of two opposite words that are compared."""
_MAX_WAIVERS = 200
_MIN_COMMON = 2
_SAME_SHARE = 0.6
"""Minimum share of the stems of the shorter of two sentences that both have."""
_MAX_STEMS = 14
_LIGHT = key_words(
    "file code thing project run make set new change way case time name line one two call get work read user default"
)


def stance_clashes(frames: Sequence[RuleFrame]) -> Iterator[tuple[int, int, str, float]]:
    """Yield the numbers of two sentences that contradict each other, why, and how sure it is."""
    yield from _waived_demands(frames)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, frame in enumerate(frames):
        for word in _opposite_words().keys() & said_in(frame.text):
            groups[word].append(number)
    for word, numbers in groups.items():
        for opposite in _opposite_words()[word]:
            if word < opposite:
                for one, other in product(numbers[:_MAX_SHARING], groups.get(opposite, ())[:_MAX_SHARING]):
                    if one != other and _are_opposite(frames[one], frames[other]):
                        yield one, other, f"{word} / {opposite}", 0.6


def _waived_demands(frames: Sequence[RuleFrame]) -> Iterator[tuple[int, int, str, float]]:
    """Yield sentences of which one says that something may be left out that the other demands."""
    waivers = [(number, match) for number, frame in enumerate(frames) if (match := _WAIVES.search(frame.text))]
    demands = _demands_in(frames, {number for number, _ in waivers}) if waivers else ()
    for one, match in waivers[:_MAX_WAIVERS]:
        what = key_words(next(filter(None, match.groups())).split(",")[0].split(" for ")[0]) - _LIGHT
        for other, frame in demands if what and not frames[one].is_hedged else ():
            if what & frame.stems and (waived := _waived(frames[one], frame, what, match)):
                yield one, other, f"{' '.join(sorted(waived))}: required / not required", 0.65


def _demands_in(frames: Sequence[RuleFrame], waivers: set[int]) -> Sequence[tuple[int, RuleFrame]]:
    return [
        (number, frame)
        for number, frame in enumerate(frames)
        if number not in waivers and _DEMANDS.search(frame.text) and not frame.is_hedged
    ]


def _telling(frame: RuleFrame) -> frozenset[str]:
    return frame.stems - _LIGHT if len(frame.stems) <= _MAX_STEMS else frozenset()


def _are_opposite(one: RuleFrame, other: RuleFrame) -> bool:
    """Return True if two sentences say the same about one thing, except for two opposite words."""
    first, second = _telling(one), _telling(other)
    common = first & second
    if len(common) < max(_MIN_COMMON, _SAME_SHARE * min(len(first), len(second))) or one.is_hedged or other.is_hedged:
        return False
    is_one = one.is_denied == other.is_denied and _hold_alike(one, other)
    return is_one and _opposites(one.text, other.text) is not None


def _hold_alike(one: RuleFrame, other: RuleFrame) -> bool:
    return not one.scope ^ other.scope or (bool(one.scope & other.scope))


def _waived(waiver: RuleFrame, frame: RuleFrame, what: frozenset[str], match: re.Match[str]) -> frozenset[str]:
    """Return the stems of what a sentence waives, if the other one demands it; none if it does not."""
    common = what & frame.stems
    is_narrow = frame_of(waiver.text.partition(";")[0]).scope - frame.stems - frame.scope
    if is_narrow or len(common) < max(1, _SAME_SHARE * len(what)):
        return frozenset()
    others = (waiver.stems & frame.stems) - what - _LIGHT
    least = _MIN_COMMON if match["without"] else 1
    is_told = len(others) >= least or len(common) > 1 or (match["subject"] and _ALWAYS.search(frame.text))
    return common if is_told else frozenset()


@lru_cache(maxsize=1)
def _opposite_words() -> dict[str, frozenset[str]]:
    rows: dict[str, set[str]] = defaultdict(set)
    for line in OPPOSITES.split(", "):
        words = line.split()
        for word in words:
            rows[word] |= {*words} - {word}
    return {word: frozenset(others) for word, others in rows.items()}


def _opposites(one: str, other: str) -> tuple[str, str] | None:
    """Return the only two opposite words of two sentences; None if there are no such, or one has both."""
    first, second = said_in(one), said_in(other)
    pairs = [
        (word, opposite)
        for word in first
        for opposite in _opposite_words().get(word, ())
        if opposite in second and word not in second and opposite not in first
    ]
    return pairs[0] if len(pairs) == 1 else None
