"""Pairs of memories that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice
from operator import itemgetter
from typing import NamedTuple

from inspector.analysis.memory_audit.action_rules import IN_ONE_CASE, action_rules
from inspector.analysis.memory_audit.action_signs import may_ban, may_meet, needs_of
from inspector.analysis.memory_audit.action_stances import ActionRule
from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.chosen_values import SHOWS, may_name_values, value_sentence
from inspector.analysis.memory_audit.excluded_actions import excludes
from inspector.analysis.memory_audit.item_areas import share_areas, with_areas
from inspector.analysis.memory_audit.loaded_items import AuditedItem, same_owner
from inspector.analysis.memory_audit.made_choices import MadeChoice, choices_in
from inspector.analysis.memory_audit.one_value_rules import OneValueRule, one_value_rules
from inspector.analysis.memory_audit.project_choices import CHOICES_OF_PEOPLE
from inspector.analysis.memory_audit.same_words import key_words
from inspector.analysis.memory_audit.statements import OF_LAST, Statement, is_choice, statements_in
from inspector.core.text import clip, lazy_pattern, one_line
from inspector.engine.facts import is_imperative, sentences_of, stem, stem_set

_MAX_GROUP = 40
"""Maximum number of items that choose values of one attribute, or have one verb, and are compared in pairs."""
_MAX_FINDINGS = 200
_MAX_ITEMS = 10_000
"""Maximum number of items that are searched for contradictions."""
_LETTERS = lazy_pattern(r"\w+")
_LABEL = lazy_pattern(r"[-*+\s]{0,8}([^\W\d_][\w /-]{1,39}):\s")
"""Beginning of a point that names its subject before a colon."""
_NO_SUBJECTS = stem_set(
    "note important remember tip warning caution rule always never must reminder style convention policy"
)
"""Stems of labels that name no subject."""
_NAMED = stem_set(
    "variable function file folder directory class component constant method parameter argument property prop "
    "field key column table type interface enum hook route endpoint url branch test module package id "
    "attribute selector style event flag option command query schema json model service struct trait macro"
)
"""Stems of things that have names."""
_REJECTING = lazy_pattern(
    r"(?i)\b(?:reject\w*|don[’']?ts?|do not|never|avoid|anti-?patterns?|forbidden|prohibited|out of scope|non-?goals?"
    r"|not allowed|mistakes?|pitfalls?|wrong|bad)\b|❌"
)
"""A heading or line below which the points are what not to do."""
_MAX_RULE_ITEM = 600
"""Maximum length in characters of a rule or note whose choices are compared. A longer one is a document."""
_SHORT_ITEM = 160
"""Maximum length in characters of an item each of whose sentences is a rule."""
_BANS_IT = lazy_pattern(r"(?i)(?:never|do not|don[’']?t) (?:\w+ ){1,2}(?:it|them)\b")
_MUST = lazy_pattern(r"(?i)\b(?:must|should|always|only|returns?)\b")
_MAX_WORDS = 15
_MAX_SHORT = 8
"""Maximum number of words of a sentence that chooses a value without a verb for it: "4-space indentation"."""
_MAX_STYLE_WORDS = 8
"""Maximum number of words of a rule about names in general: "Use snake_case"."""


class _Pair(NamedTuple):
    """Two items that contradict each other."""

    first: int
    second: int
    value: str
    confidence: float
    moved: int
    """Number of the one that states a change, 1 or 2; 0 for none or both."""


def contradictions(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    """Yield pairs of items that cannot both hold. A pair is reported once."""
    if len(entries) > _MAX_ITEMS:
        places.bounds.add(
            f"Only the first {_MAX_ITEMS:,} of {len(entries):,} memories were searched for contradictions."
        )
        entries = entries[:_MAX_ITEMS]
    entries = with_areas(entries)
    seen: set[tuple[int, int]] = set()
    # sentences of each item that hold by themselves: later ones of a long item are about the first
    rules = [_rule_sentences(entry.item.text) if _is_compared(entry) else () for entry in entries]
    parts = (_by_chosen_value, _by_action, _by_one_value)
    for pair in chain(_by_values(entries), *(part(entries, rules) for part in parts)):
        if len(seen) >= _MAX_FINDINGS:
            places.bounds.add(f"Only the first {_MAX_FINDINGS:,} contradictions are listed.")
            break
        if pair[:2] not in seen:
            seen.add(pair[:2])
            yield _contradiction(entries[pair.first], entries[pair.second], places, pair)


def _by_values(entries: Sequence[AuditedItem]) -> Iterator[_Pair]:
    for attribute, statements in _by_attribute(entries).items():
        values: dict[int, frozenset[str]] = defaultdict(frozenset)
        for number, statement in statements:
            values[number] |= statement.chosen
        for (first, one), (second, other) in combinations(statements[:_MAX_GROUP], 2):
            if first == second or _is_case_of(values[first], values[second]):
                continue  # one item, or a rule for one of the cases that the other lists
            if confidence := _opposition(one, other, entries[first], entries[second]):
                value = f"{attribute}: {_values_of(one)} / {_values_of(other)}"
                yield _Pair(first, second, value, confidence, _moved_one(one, other))


def _by_chosen_value(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[_Pair]:
    """Yield rules that choose other values for one thing."""
    for name, rules in _choosing_rules(entries, sentences).items():
        for (first, one), (second, other) in combinations(rules[:_MAX_GROUP], 2):
            if first != second and (clash := one.clash(other)) and _share_rules(entries[first], entries[second]):
                yield _Pair(first, second, f"{name}: {clash}", 0.8, 0)


def _choosing_rules(
    entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]
) -> Mapping[str, Sequence[tuple[int, MadeChoice]]]:
    """Return the sentences that choose or reject a value, by the name of the choice."""
    groups: dict[str, list[tuple[int, MadeChoice]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        for sentence in sentences[number]:
            values = value_sentence(sentence) if may_name_values(sentence) and _may_choose(sentence) else None
            for name, choice in choices_in(values).items() if values else ():
                if entry.is_rule or name in CHOICES_OF_PEOPLE:
                    groups[name].append((number, choice))
    return groups


def _may_choose(sentence: str) -> bool:
    if IN_ONE_CASE.match(sentence) or sentence.count(" ") >= _MAX_WORDS or sentence.endswith(("?", ":")):
        return False
    return (
        sentence.count(" ") < _MAX_SHORT
        or is_imperative(sentence)
        or is_choice(sentence)
        or bool(_MUST.search(sentence))
    )


def _by_attribute(entries: Sequence[AuditedItem]) -> Mapping[str, Sequence[tuple[int, Statement]]]:
    groups: dict[str, list[tuple[int, Statement]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        if not _is_compared(entry):
            continue
        subject = entry.item.name if entry.store.kind == "knowledge-graph" else ""
        area = " ".join(entry.areas) if entry.is_rule else ""
        is_rule = entry.is_rule or entry.item.kind == "note"
        for statement in statements_in(entry.item.text, subject, area, is_rule=is_rule):
            groups[statement.attribute].append((number, statement))
    return groups


def _moved_one(one: Statement, other: Statement) -> int:
    """Return the number of the statement that states a change, 1 or 2; 0 for none or both."""
    return (other.has_moved and not one.has_moved) * 2 + (one.has_moved and not other.has_moved)


def _is_case_of(one: frozenset[str], other: frozenset[str]) -> bool:
    return one != other and bool(one and other) and (one < other or other < one)


def _values_of(statement: Statement) -> str:
    return ", ".join(sorted(statement.chosen)) or f"not {', '.join(sorted(statement.rejected))}"


def _opposition(one: Statement, other: Statement, first: AuditedItem, second: AuditedItem) -> float:
    """Return the confidence that two statements about one attribute cannot both hold; 0.0 if they can."""
    clash = bool(one.chosen & other.rejected or one.rejected & other.chosen)
    if not (clash or _differ(one, other)) or not _are_about_one(one, other, first, second):
        return 0.0
    if first.is_rule and not _is_same_scope(one, other, first, second, clash):
        return 0.0
    same = first.item.scope == second.item.scope
    return (0.9 if clash else 0.85) if same else 0.6


def _differ(one: Statement, other: Statement) -> bool:
    return bool(one.chosen and other.chosen) and not one.chosen & other.chosen


def _are_about_one(one: Statement, other: Statement, first: AuditedItem, second: AuditedItem) -> bool:
    """Return True if two statements may be about one subject. Facts about "the user" are those of one user."""
    if (one.chosen and one.chosen == other.chosen) or _shows(one) != _shows(other):
        return False
    if one.attribute == "merge":
        return _are_peers(one, other)
    if not _have_one_subject(one, other):
        return False
    return first.is_rule == second.is_rule and (first.is_rule or bool(one.subject) or same_owner(first, second))


def _have_one_subject(one: Statement, other: Statement) -> bool:
    if one.subject and other.subject and not _are_alike(one, other):
        return False
    if one.is_exact and bool(one.subject) != bool(other.subject):
        return False  # of the user, and of someone else
    return not _have_other_labels(one.text, other.text) and (one.attribute != "naming" or _name_alike(one, other))


def _shows(statement: Statement) -> bool:
    return SHOWS.search(statement.text) is not None


def _are_peers(one: Statement, other: Statement) -> bool:
    """Return True if two choices are about one thing: each names what the other names, or nothing more."""
    return one.subject <= key_words(other.text) and other.subject <= key_words(one.text)


def _have_other_labels(one: str, other: str) -> bool:
    """Return True if two points have labels without a common word: "Files: snake_case" and "Classes: PascalCase"."""
    first, second = map(_label_stems, (one, other))
    return bool(first and second) and not first & second


def _name_alike(one: Statement, other: Statement) -> bool:
    """Return True if two rules choose a style for the same names. A style is often that of one kind of names."""
    named = [frozenset(map(stem, _LETTERS.findall(statement.text.lower()))) & _NAMED for statement in (one, other)]
    if named[0] or named[1]:
        return named[0] == named[1]
    return max(len(_LETTERS.findall(statement.text)) for statement in (one, other)) <= _MAX_STYLE_WORDS


def _label_stems(text: str) -> frozenset[str]:
    label = _LABEL.match(text)
    return frozenset(map(stem, _LETTERS.findall(label[1]))) - _NO_SUBJECTS if label else frozenset()


def _are_alike(one: Statement, other: Statement) -> bool:
    """Return True if two subjects may be the same thing: exact values need all words of the shorter one."""
    common = one.subject & other.subject
    if one.is_exact or other.is_exact:
        return common in (one.subject, other.subject)
    return bool(common)


def _is_same_scope(one: Statement, other: Statement, first: AuditedItem, second: AuditedItem, clash: bool) -> bool:
    """Return True if two rules hold in the same place: neither is narrowed, or both by the same words."""
    if _hold_elsewhere(first, second):
        return False
    if one.scope and other.scope:
        return bool(one.scope & other.scope) and (one.scope <= other.scope or other.scope <= one.scope)
    if clash:
        ban, choice = (one, other) if one.rejected & other.chosen else (other, one)
        return not ban.scope or ban.scope <= choice.subject
    return one.scope <= other.subject and other.scope <= one.subject


def _hold_elsewhere(first: AuditedItem, second: AuditedItem) -> bool:
    """Return True if two rules are about different paths, or one is in a rule file of a subfolder."""
    if first.item.about and second.item.about and first.item.about != second.item.about:
        return True
    return any(
        "/**" in path and not entry.store.path.count("/rules/")
        for entry in (first, second)
        for path in entry.item.about
    )


def _by_action(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[_Pair]:
    """Yield rules of which one forbids what the other demands or permits, or wants a question before it."""
    bans, others = _actions_in(sentences)
    for number, ban, sentence in bans:
        words = frozenset(_needed(ban)) if ban.stance == "ban" else frozenset[str]()
        for other, rule, own in others.get(ban.core[0], ())[:_MAX_GROUP] if ban.core else ():
            if not words <= own and ban.core != (rule.verb,):
                continue  # most rules
            one, two = entries[number], entries[other]
            apart = one.store is not two.store
            if other != number and (sure := excludes(ban, rule, apart=apart)) and _share_rules(one, two):
                first, second = sorted((number, other))
                yield _Pair(first, second, clip(one_line(sentence), 120), sure, 0)


_Bans = Sequence[tuple[int, ActionRule, str]]
_Demands = Mapping[str, Sequence[tuple[int, ActionRule, frozenset[str]]]]


def _actions_in(sentences: Sequence[Sequence[str]]) -> tuple[_Bans, _Demands]:
    """Return the rules that forbid an action or want a question, and the others by each of their words."""
    bans: list[tuple[int, ActionRule, str]] = []
    rules: list[tuple[int, ActionRule]] = []
    left: list[tuple[int, str]] = []
    for number, own in enumerate(sentences):
        for sentence in own:
            if not may_ban(sentence):
                left.append((number, sentence))
                continue
            for rule in action_rules(sentence):
                if rule.stance in ("ban", "ask"):
                    bans.append((number, rule, sentence))
                else:
                    rules.append((number, rule))
    needs = needs_of(_needed(rule) for _, rule, _ in bans)
    for number, sentence in left:
        if may_meet(needs, sentence):
            rules += ((number, rule) for rule in action_rules(sentence))
    others: dict[str, list[tuple[int, ActionRule, frozenset[str]]]] = defaultdict(list)
    for number, rule in sorted(rules, key=itemgetter(0)):
        for word in (words := rule.words):
            others[word].append((number, rule, words))
    return bans, others


def _needed(ban: ActionRule) -> Sequence[str]:
    is_short = ban.stance == "ask" or len(ban.core) == 1 or ban.is_for_all
    return ban.core if is_short else (*ban.core, *ban.tail)


@lru_cache(maxsize=1 << 13)
def _rule_sentences(text: str) -> tuple[str, ...]:
    return tuple(_split_rules(text.replace("**", "")))


def _split_rules(text: str) -> Iterator[str]:
    if "→" not in text and not text.startswith((">", '"', "“")):
        is_whole = len(text) <= _SHORT_ITEM and not IN_ONE_CASE.match(text)
        before = ""
        for sentence in islice(sentences_of(text), None if is_whole else 1):
            # "It is generated. Do not edit it." is one rule
            yield f"{before}; {sentence}" if before and _BANS_IT.match(sentence) else sentence
            before = sentence.rstrip(".;")


def _share_rules(one: AuditedItem, other: AuditedItem) -> bool:
    return _share_place(one, other) and not _hold_elsewhere(one, other) and share_areas(one, other)


def _by_one_value(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[_Pair]:
    """Yield rules that are the same except for one value."""
    groups: dict[tuple[str, frozenset[str]], list[tuple[int, OneValueRule]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        if entry.is_rule and not entry.is_lead:
            for rule in _one_values_of(sentences[number]):
                groups[rule.about].append((number, rule))
    for (about, _), rules in groups.items():
        for (first, one), (second, other) in combinations(rules[:_MAX_GROUP], 2):
            if first != second and one.contradicts(other) and _are_in_one_list(entries[first], entries[second]):
                confidence = 0.8 if entries[first].item.scope == entries[second].item.scope else 0.6
                yield _Pair(first, second, f"{about}: {one.value} / {other.value}", confidence, 0)


def _one_values_of(sentences: Sequence[str]) -> Iterator[OneValueRule]:
    for number, sentence in enumerate(sentences):
        if not (number and OF_LAST.match(sentence)):
            yield from one_value_rules(sentence)


def _are_in_one_list(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two rules hold in the same place. Sections of one file, and steps, say the same of two things."""
    if _hold_elsewhere(one, other) or (one.is_step and other.is_step):
        return False
    if one.store.path == other.store.path:
        return one.area == other.area
    return one.areas == other.areas


def _is_compared(entry: AuditedItem) -> bool:
    """Return False for a rule below a heading such as "Do not", and for a note that is a whole document."""
    return len(entry.item.text) <= _MAX_RULE_ITEM and not _is_rejecting(entry.area)


@lru_cache(maxsize=1 << 12)
def _is_rejecting(area: str) -> bool:
    return _REJECTING.search(area) is not None


def _share_place(one: AuditedItem, other: AuditedItem) -> bool:
    return not (one.item.about and other.item.about) and same_owner(one, other)


def _contradiction(one: AuditedItem, other: AuditedItem, places: Places, pair: _Pair) -> AuditFinding:
    names = [places.of(entry.store, entry.item) for entry in (one, other)]
    texts = [
        f"{name} “{clip(one_line(entry.item.text), 100).removesuffix('.')}”"
        for name, entry in zip(names, (one, other), strict=True)
    ]
    older, why = _older(one, other, pair.moved)
    patch, edit = places.removal(older.store, older.item)
    evidence = f"{texts[0]} contradicts {texts[1]}. {why}"
    return AuditFinding("contradiction", names, pair.value, evidence, pair.confidence, patch, edit)


def _older(one: AuditedItem, other: AuditedItem, moved: int) -> tuple[AuditedItem, str]:
    """Return the item that the patch removes, and the reason as a sentence."""
    if moved:
        older, newer = (one, other) if moved == 2 else (other, one)
        return older, f"“{clip(one_line(newer.item.text), 60)}” states a change, and supersedes the other."
    times = [entry.item.when for entry in (one, other)]
    if all(times) and times[0][:19] != times[1][:19]:
        older = one if times[0] < times[1] else other
        return older, f"The newer one, of {max(times)[:10]}, supersedes the other."
    return other, "Neither has a date: choose one. The patch removes the second."
