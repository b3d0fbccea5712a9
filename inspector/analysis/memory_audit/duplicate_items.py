"""Pairs of memories that say the same, in the same words or in others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import ceil

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.loaded_items import AuditedItem, same_owner
from inspector.analysis.memory_audit.reworded_rules import reworded
from inspector.analysis.memory_audit.same_words import agree, compared_words
from inspector.analysis.memory_audit.statements import areas_in
from inspector.core.text import clip, lazy_pattern, one_line

_NEAR = 0.8
"""Minimum share of the words of two near duplicates that both have."""
_MIN_WORDS = 2
"""Minimum number of content words of a near duplicate. Two texts of so few have the same ones."""
_SHORTEST, _MIN_LENGTH = 6, 12
"""Minimum number of characters of an exact duplicate, and of a rule that is one."""
_MAX_GROUP = 40
"""Maximum number of items that share a word and are compared in pairs."""
_MAX_SAME = 4
"""Maximum number of items with one text that are compared with others."""
_LETTERS = lazy_pattern(r"\w+")
_MARK = lazy_pattern(r"</?[\w.-]{1,80}[^<>]{0,400}>|\S{0,2000}://\S{0,2000}")
"""A tag or an address, which says nothing by itself."""
_RELATIVE = lazy_pattern(r"\]\(\.{1,2}/")
"""A link whose target depends on the folder of its file."""
_DEMANDS = lazy_pattern(
    r"(?i)^\W*(?:please |you )?"
    r"(?:never|always|do not|don[’']t|must|should|use|prefer|avoid|run|keep|ensure|make|write|ask)\b"
)
_MIN_SENTENCE = 6
"""Minimum number of words of a sentence that says something without the line above it."""


def duplicates(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    """Yield items that say the same as an earlier one. Those with the same words are one finding."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        groups[" ".join(_LETTERS.findall(entry.item.text.lower()))].append(number)
    for text, numbers in groups.items():
        for same in _comparable_groups(entries, numbers) if len(text) >= _SHORTEST else ():
            yield duplicate_finding([entries[number] for number in same], places, 0.97, "say the same")
    near: set[frozenset[int]] = set()
    same_words = {number: text for text, numbers in groups.items() for number in numbers}
    for first, second, finding in _near_duplicates(entries, groups, places):
        near.add(frozenset((first, second)))
        yield finding
    for first, second, share in reworded(entries):
        if {first, second} not in near and same_words[first] != same_words[second]:
            yield duplicate_finding(
                [entries[first], entries[second]], places, 0.55 + 0.2 * share, "say the same in other words"
            )


def _near_duplicates(
    entries: Sequence[AuditedItem], groups: Mapping[str, Sequence[int]], places: Places
) -> Iterator[tuple[int, int, AuditFinding]]:
    """Yield pairs of items that share most words, and not all. Of items with one text, a few are compared."""
    plain = {number: text for text, numbers in groups.items() for number in numbers[:_MAX_SAME]}
    some = sorted(plain)
    for first, second, share in _near_pairs([entries[number] for number in some], places):
        one, other = some[first], some[second]
        if plain[one] != plain[other] and _are_comparable(entries[one], entries[other]):
            what = f"share {share:.0%} of their words"
            yield one, other, duplicate_finding([entries[one], entries[other]], places, 0.6 + 0.35 * share, what)


def _comparable_groups(entries: Sequence[AuditedItem], numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the items with one text that can be compared, two or more together."""
    groups: list[list[int]] = []
    for number in numbers:
        near = (group for group in groups if _are_comparable(entries[group[-1]], entries[number]))
        if (group := next(near, None)) is not None:
            group.append(number)
        elif len(groups) < _MAX_GROUP:
            groups.append([number])
    yield from (group for group in groups if len(group) > 1)


def _are_comparable(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if one agent reads both: files of different programs are often copies by intention."""
    if not (one.is_rule and other.is_rule):
        return one.is_rule == other.is_rule and same_owner(one, other)
    if min(len(one.item.text), len(other.item.text)) < _MIN_LENGTH or _MARK.fullmatch(other.item.text):
        return False
    same_place = one.item.about == other.item.about or not (one.item.about and other.item.about)
    same_file = one.store.tool == other.store.tool or one.store.path == other.store.path
    return same_file and same_place and _share_heading(one, other) and _are_introduced_alike(one, other)


def _share_heading(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two items are under one heading, or say something without it. Two procedures may share a step."""
    if one.item.name == other.item.name and one.store.path == other.store.path:
        return True
    if (one.is_step and other.is_step) or _RELATIVE.search(one.item.text):
        return False
    return _is_whole(one.item.text) and _is_whole(other.item.text) and not _have_other_areas(one, other)


def _have_other_areas(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two items are under headings of different languages or parts of the project."""
    areas = [areas_in(entry.item.name) for entry in (one, other)]
    return all(areas) and areas[0] != areas[1]


def _are_introduced_alike(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two items do not describe two things: only a sentence or a command holds under any line."""
    if one.is_lead or other.is_lead:
        return False
    return one.lead == other.lead or all(_stands_alone(entry.item.text) for entry in (one, other))


def _stands_alone(text: str) -> bool:
    """Return True if a text is a command, or a sentence of some length."""
    is_sentence = text.rstrip('*_`"”) ').endswith((".", "!")) and len(text.split()) >= _MIN_SENTENCE
    return is_sentence or _DEMANDS.search(text) is not None


def _is_whole(text: str) -> bool:
    """Return True if a text says something without the heading above it, and asks nothing."""
    if text.endswith("?"):
        return False
    return len(text) >= 2 * _MIN_LENGTH or text.endswith((".", "!"))


def duplicate_finding(same: Sequence[AuditedItem], places: Places, confidence: float, what: str) -> AuditFinding:
    """Return the finding that items say the same. The patch removes those that say nothing more than another one."""
    one, other, *more = same
    is_one_program = one.store.tool == other.store.tool
    needless = _needless(same) if is_one_program else []
    patch, edits = places.removals((entry.store, entry.item) for entry in needless)
    names = [places.of(entry.store, entry.item) for entry in same]
    who = f"{names[0]} and {names[1]}" if not more else f"{names[0]}, {names[1]} and {len(more):,} more"
    evidence = f"{who} {what}: “{clip(one_line(one.item.text), 80)}”"
    if one.item.text != other.item.text:
        evidence += f" and “{clip(one_line(other.item.text), 80)}”"
    evidence += "." if needless or not is_one_program else ". Each has words that the other lacks: choose one."
    value = clip(one_line(other.item.text), 200)
    return AuditFinding("duplicate", names, value, evidence, confidence, patch, edits[0] if edits else None, edits[1:])


def _needless(same: Sequence[AuditedItem]) -> Sequence[AuditedItem]:
    """Return the items whose words are all in the first one, or the first one if all its words are in the second."""
    words = [frozenset(_LETTERS.findall(entry.item.text.lower())) for entry in same]
    needless = [entry for entry, own in zip(same[1:], words[1:], strict=True) if own <= words[0]]
    return needless or ([same[0]] if words[0] < words[1] else [])


def _near_pairs(entries: Sequence[AuditedItem], places: Places) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of items that share most words, found by their rarest words, with the share.

    An item is compared with a bounded number of earlier ones, those with its rarest words first.
    """
    words = [compared_words(entry.item.text) for entry in entries]
    sizes = [*map(len, words)]
    counts = Counter(chain.from_iterable(words))
    index: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(words):
        size = sizes[number]
        if size < _MIN_WORDS:
            continue
        rare = sorted(own, key=lambda word: (counts[word], word))[: size - ceil(_NEAR * size) + 1]
        others: dict[int, None] = {}
        least, most = _NEAR * size, size / _NEAR
        for word in rare:
            if len(others) < _MAX_GROUP:
                near = index[word][-_MAX_GROUP:]
                others |= dict.fromkeys([other for other in near if least <= sizes[other] <= most])
            index[word].append(number)
        if len(others) >= _MAX_GROUP:
            places.bounds.add(f"More than {_MAX_GROUP} memories are similar: not all were compared with each other.")
        for other in sorted([*others][:_MAX_GROUP]):
            common = len(own & words[other])
            share = common / (size + sizes[other] - common)
            if share >= _NEAR and agree(entries[other].item.text, entries[number].item.text):
                yield other, number, share
