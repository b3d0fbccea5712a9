"""Pairs of memories that contradict each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, islice
from typing import NamedTuple

from inspector.analysis.memory_audit.action_rules import IN_ONE_CASE, action_rules
from inspector.analysis.memory_audit.action_signs import may_ban, may_meet, needs_of
from inspector.analysis.memory_audit.action_stances import ActionRule
from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.chosen_values import may_choose
from inspector.analysis.memory_audit.excluded_actions import excludes
from inspector.analysis.memory_audit.frame_clashes import frame_clashes
from inspector.analysis.memory_audit.loaded_items import AuditedItem, same_owner
from inspector.analysis.memory_audit.made_choices import MadeChoice, choices_in
from inspector.analysis.memory_audit.one_value_rules import one_value_rules
from inspector.analysis.memory_audit.one_values import OneValueRule
from inspector.analysis.memory_audit.statements import MOVED, OF_LAST, OF_TESTS, is_choice, share_areas, with_areas
from inspector.core.text import clip, lazy_pattern, one_line, plural
from inspector.engine.facts import is_imperative, sentences_of

_MAX_GROUP = 40
"""Maximum number of items that choose values of one attribute, or have one verb, and are compared in pairs."""
_MAX_TRIED = 2 * _MAX_GROUP
"""Maximum number of sentences with a word for a choice that are searched for its values."""
_MAX_FINDINGS = 200
_MAX_ITEMS = 10_000
"""Maximum number of items that are searched for contradictions."""
_REJECTING = lazy_pattern(
    r"(?i)\b(?:reject\w*|don[’']?ts?|do not|never|avoid|anti-?patterns?|forbidden|prohibited|out of scope|non-?goals?"
    r"|not allowed|mistakes?|pitfalls?|(?<!get )wrong|bad)\b|❌"
)
"""A heading or line below which the points are what not to do."""
_MAX_RULE_ITEM = 600
"""Maximum length in characters of a rule or note whose choices are compared. A longer one is a document."""
_SHORT_ITEM = 160
"""Maximum length in characters of an item each of whose sentences is a rule."""
_BANS_IT = lazy_pattern(r"(?i)(?:never|do not|don[’']?t) (?:\w+ ){1,2}(?:it|them)\b")
_MUST = lazy_pattern(r"(?i)\b(?:must|should|always|only|returns?)\b")
_MAX_WORDS = 15
_MAX_QUOTE = 100
"""Maximum number of characters of a rule that the evidence quotes in full."""
_MAX_NAMED = 5
"""Maximum number of other rules that the evidence names."""
_OPEN_ENDS = ("?", ":", "exception", "exception.")
_MAX_SHORT = 8
"""Maximum number of words of a sentence that chooses a value without a verb for it: "4-space indentation"."""
_OF_USER = lazy_pattern(r"(?i)(?:the )?(?:user|i|he|she|they)\b|[a-z]{2,12}s (?!is|are|was|has|have)[a-z]")
"""Beginning of a fact about the user: "User works at night", "Prefers tea"."""


class ContradictingPair(NamedTuple):
    """Two items that contradict each other."""

    first: int
    second: int
    value: str
    confidence: float
    texts: tuple[str, str]
    """The sentences that contradict each other."""
    moved: int = 0
    """Number of the one that states a change, 1 or 2; 0 for none or both."""


def contradictions(
    entries: Sequence[AuditedItem], places: Places, examples: Iterable[AuditedItem] = ()
) -> Iterator[AuditFinding]:
    """Yield pairs of items that cannot both hold. A rule that contradicts several of one choice is reported once.

    Args:
        entries: The items.
        places: Names of the items.
        examples: Lines of code and of tables in rule files, which may show what a rule forbids.
    """
    if len(entries) > _MAX_ITEMS:
        places.bounds.add(
            f"Only the first {_MAX_ITEMS:,} of {len(entries):,} memories were searched for contradictions."
        )
        entries = entries[:_MAX_ITEMS]
    entries = with_areas(entries)
    seen: dict[tuple[int, int, tuple[str, str]], ContradictingPair] = {}
    # sentences of each item that hold by themselves: later ones of a long item are about the first
    rules = [_rule_sentences(entry.item.text, entry.is_rule) if _is_compared(entry) else () for entry in entries]
    parts = (_by_chosen_value, _by_action, _by_one_value)
    more = [*entries, *with_areas([*examples])]
    for pair in chain(chain.from_iterable(part(entries, rules) for part in parts), _by_frame(more)):
        if len(seen) >= _MAX_FINDINGS:
            places.bounds.add(f"Only the first {_MAX_FINDINGS:,} contradictions are listed.")
            break
        # a rule is one sentence, a note may have several
        key = (pair.first, pair.second, ("", "") if more[pair.first].is_rule else pair.texts)
        seen.setdefault(key, pair)
    for same in _with_one_rule([*seen.values()], more):
        yield _finding_of_pairs(same, more, places)


def _with_one_rule(
    pairs: Sequence[ContradictingPair], entries: Sequence[AuditedItem]
) -> Iterator[Sequence[ContradictingPair]]:
    """Yield pairs, those of one rule with others that choose the same value together, the most certain first."""
    counts = Counter(
        (one, values) for pair in pairs if (values := _values_of(pair)) for one in (pair.first, pair.second)
    )
    groups: dict[tuple[object, ...], list[ContradictingPair]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        values = _values_of(pair)
        hub = max((pair.second, pair.first), key=lambda one: counts[one, values])
        is_of_rules = entries[pair.first].is_rule and entries[pair.second].is_rule
        groups[(hub, values) if values and is_of_rules and counts[hub, values] > 1 else (number,)].append(pair)
    for same in groups.values():
        yield sorted(same, key=lambda pair: -pair.confidence)


def _values_of(pair: ContradictingPair) -> frozenset[str]:
    """Return both values of a choice: of "exports: named / default", "named" and "default"; none without two."""
    values = pair.value.rpartition(": ")[2].split(" / ")
    return frozenset(values) if ": " in pair.value and len(values) == 2 else frozenset()


def _finding_of_pairs(
    pairs: Sequence[ContradictingPair], entries: Sequence[AuditedItem], places: Places
) -> AuditFinding:
    """Return the finding of a pair, and of others with the same rule, which it names and does not quote."""
    pair = pairs[0]
    if len(pairs) == 1:
        return contradiction_finding(entries[pair.first], entries[pair.second], places, pair)
    (hub,) = frozenset((pair.first, pair.second)).intersection(*((one.first, one.second) for one in pairs[1:]))
    if pair.first == hub:  # the patch removes the rule that all others contradict
        pair = pair._replace(first=pair.second, second=hub, texts=pair.texts[::-1], moved=(0, 2, 1)[pair.moved])
    finding = contradiction_finding(entries[pair.first], entries[pair.second], places, pair, rivals=len(pairs))
    others = [entries[one.second if one.first == hub else one.first] for one in pairs[1:]]
    names = [places.of(entry.store, entry.item) for entry in others]
    listed = f"{', '.join(names[:_MAX_NAMED])}{', …' * (len(names) > _MAX_NAMED)}"
    evidence = f"{finding.evidence} The second also contradicts {plural(len(names), 'more rule')}: {listed}."
    return replace(finding, items=[*finding.items, *names], evidence=evidence)


def _by_chosen_value(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[ContradictingPair]:
    """Yield items that choose other values for one thing."""
    for name, choices in _choices_by_name(sentences).items():
        for (first, one), (second, other) in combinations(choices[:_MAX_GROUP], 2):
            are_facts = not (entries[first].is_rule or entries[second].is_rule)
            if first == second or not (clash := one.clash(other, are_facts=are_facts)):
                continue
            if sure := _sure_of(entries[first], entries[second], one.topics, other.topics):
                texts = one.text, other.text
                yield ContradictingPair(first, second, f"{name}: {clash}", sure, texts, _moved_one(*texts))


def _sure_of(one: AuditedItem, other: AuditedItem, *topics: frozenset[str]) -> float:
    """Return the confidence that two items with other values contradict each other; 0.0 if they are apart.

    Choices for a thing may be memories of two users, other facts are of one.
    """
    if one.is_rule != other.is_rule:
        return 0.0
    if one.is_rule:
        return (0.8 if one.item.scope == other.item.scope else 0.6) * _share_rules(one, other)
    if same_owner(one, other):
        return 0.85 * (one.subject == other.subject)
    return 0.6 * (all(topics) and not any(_OF_USER.match(entry.item.text) for entry in (one, other)))


def _moved_one(one: str, other: str) -> int:
    """Return the number of the sentence that states a change, 1 or 2; 0 for none or both."""
    moved = [MOVED.search(text) is not None for text in (one, other)]
    return 0 if moved[0] == moved[1] else 1 + moved[1]


def _choices_by_name(sentences: Sequence[Sequence[str]]) -> Mapping[str, Sequence[tuple[int, MadeChoice]]]:
    """Return the sentences that choose or reject a value, by the name of the choice: as many as are compared."""
    candidates = [
        (number, sentence, names)
        for number, own in enumerate(sentences)
        for sentence in own
        if (names := may_choose(sentence)) and _is_clear(sentence)
    ]
    counts = Counter(chain.from_iterable(names for _, _, names in candidates))
    tried = Counter[str]()
    groups: dict[str, list[tuple[int, MadeChoice]]] = defaultdict(list)
    for number, sentence, names in candidates:
        if any(counts[name] > 1 and len(groups[name]) < _MAX_GROUP and tried[name] < _MAX_TRIED for name in names):
            tried.update(names)
            for choice in choices_in(sentence).values():
                groups[choice.name].append((number, choice))
    return groups


def _is_clear(sentence: str) -> bool:
    """Return True if a sentence is a rule or a choice for all cases, and short."""
    if IN_ONE_CASE.match(sentence) or sentence.count(" ") >= _MAX_WORDS or sentence.endswith(_OPEN_ENDS):
        return False
    return (
        sentence.count(" ") < _MAX_SHORT
        or is_imperative(sentence)
        or is_choice(sentence)
        or bool(_MUST.search(sentence))
    )


def _hold_elsewhere(first: AuditedItem, second: AuditedItem) -> bool:
    """Return True if two rules are about different paths, or one is in a rule file of a subfolder."""
    if first.item.about and second.item.about and first.item.about != second.item.about:
        return True
    return any(
        "/**" in path and not entry.store.path.count("/rules/")
        for entry in (first, second)
        for path in entry.item.about
    )


def _by_action(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[ContradictingPair]:
    """Yield rules of which one forbids what the other demands or permits, or wants a question before it."""
    bans, others = _actions_in(sentences)
    for number, ban, sentence in bans:
        words = frozenset(_needed(ban)) if ban.stance == "ban" else frozenset[str]()
        groups = [others.get(word, ()) for word in (words or ban.core[:1])]
        for other, rule, own, text in min(groups, key=len, default=())[:_MAX_GROUP]:
            if not words <= own and ban.core != (rule.verb,):
                continue  # most rules
            one, two = entries[number], entries[other]
            apart = one.store is not two.store
            if other != number and (sure := excludes(ban, rule, apart=apart)) and _share_rules(one, two):
                first, second = sorted((number, other))
                texts = (sentence, text) if number < other else (text, sentence)
                yield ContradictingPair(first, second, clip(one_line(sentence), 120), sure, texts)


_Bans = Sequence[tuple[int, ActionRule, str]]
_Demands = Mapping[str, Sequence[tuple[int, ActionRule, frozenset[str], str]]]


def _actions_in(sentences: Sequence[Sequence[str]]) -> tuple[_Bans, _Demands]:
    """Return the rules that forbid an action or want a question, and the others by each of their words."""
    bans: list[tuple[int, ActionRule, str]] = []
    rules: dict[int, list[tuple[ActionRule, str]]] = defaultdict(list)
    for number, own in enumerate(sentences):
        for sentence in filter(may_ban, own):
            for rule in action_rules(sentence):
                if rule.stance in ("ban", "ask"):
                    bans.append((number, rule, sentence))
                else:
                    rules[number].append((rule, sentence))
    needs = needs_of(_needed(rule) for _, rule, _ in bans)
    for number, own in enumerate(sentences):
        for sentence in own:
            if not may_ban(sentence) and may_meet(needs, sentence):
                rules[number] += ((rule, sentence) for rule in action_rules(sentence))
    return bans, _by_word(rules)


def _by_word(rules: Mapping[int, Sequence[tuple[ActionRule, str]]]) -> _Demands:
    """Return rules by each of their words, in the order of their items."""
    others: dict[str, list[tuple[int, ActionRule, frozenset[str], str]]] = defaultdict(list)
    for number, own in sorted(rules.items()):
        for rule, sentence in own:
            for word in (words := rule.words):
                others[word].append((number, rule, words, sentence))
    return others


def _needed(ban: ActionRule) -> Sequence[str]:
    is_short = ban.stance == "ask" or len(ban.core) == 1 or ban.is_for_all
    return ban.core if is_short else (*ban.core, *ban.tail)


@lru_cache(maxsize=1 << 13)
def _rule_sentences(text: str, is_rule: bool) -> tuple[str, ...]:
    return tuple(_split_rules(text.replace("**", ""), is_rule=is_rule))


def _split_rules(text: str, *, is_rule: bool) -> Iterator[str]:
    if "→" not in text and not text.startswith((">", '"', "“")):
        is_whole = not is_rule or (len(text) <= _SHORT_ITEM and not IN_ONE_CASE.match(text))
        before = ""
        for sentence in islice(sentences_of(text), None if is_whole else 1):
            # "It is generated. Do not edit it." is one rule
            yield f"{before}; {sentence}" if before and _BANS_IT.match(sentence) else sentence
            before = sentence.rstrip(".;")


def _share_rules(one: AuditedItem, other: AuditedItem) -> bool:
    return _share_place(one, other) and not _hold_elsewhere(one, other) and share_areas(one, other)


def _by_frame(entries: Sequence[AuditedItem]) -> Iterator[ContradictingPair]:
    """Yield rules that contradict each other by what they are about, however they say it."""
    sentences = [
        (number, sentence)
        for number, entry in enumerate(entries)
        if entry.is_rule and not entry.is_lead and _is_compared(entry) and "→" not in entry.item.text
        for sentence in sentences_of(entry.item.text.replace("**", ""))
    ]
    for clash in frame_clashes(sentences):
        one, other = entries[clash.first], entries[clash.second]
        if _share_place(one, other) and not _hold_elsewhere(one, other) and one.areas ^ other.areas <= OF_TESTS:
            yield ContradictingPair(clash.first, clash.second, clash.value, clash.confidence, clash.texts)


def _by_one_value(entries: Sequence[AuditedItem], sentences: Sequence[Sequence[str]]) -> Iterator[ContradictingPair]:
    """Yield items that are the same except for one value."""
    groups: dict[tuple[str, frozenset[str]], list[tuple[int, OneValueRule]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        if not entry.is_lead:
            for rule in _one_values_of(sentences[number]):
                groups[rule.about].append((number, rule))
    for (about, _), rules in groups.items():
        for (first, one), (second, other) in combinations(rules[:_MAX_GROUP], 2):
            if first != second and one.contradicts(other) and _are_in_one_list(entries[first], entries[second]):
                sure = _sure_of(entries[first], entries[second], frozenset())
                if sure:
                    texts = one.text, other.text
                    yield ContradictingPair(
                        first, second, f"{about}: {one.value} / {other.value}", sure, texts, _moved_one(*texts)
                    )


def _one_values_of(sentences: Sequence[str]) -> Iterator[OneValueRule]:
    for number, sentence in enumerate(sentences):
        if not (number and OF_LAST.match(sentence)):
            yield from (rule._replace(text=sentence) for rule in one_value_rules(sentence))


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
    return not (one.item.about and other.item.about) and (one.is_rule or same_owner(one, other))


def contradiction_finding(
    one: AuditedItem, other: AuditedItem, places: Places, pair: ContradictingPair, rivals: int = 1
) -> AuditFinding:
    """Return the finding that two items contradict each other.

    The patch removes the older one, or else the one that several others contradict. If either may be right, there is
    no patch.

    Args:
        one: The first item.
        other: The second item.
        places: Names of the items.
        pair: The sentences, and which of them states a change.
        rivals: Number of items that contradict the second one.
    """
    names = [places.of(entry.store, entry.item) for entry in (one, other)]
    said = [
        entry.item.text if entry.is_rule and len(entry.item.text) <= _MAX_QUOTE else text
        for entry, text in zip((one, other), pair.texts, strict=True)
    ]
    texts = [
        f"{name} “{clip(one_line(text), _MAX_QUOTE).removesuffix('.')}”" for name, text in zip(names, said, strict=True)
    ]
    older, why = _older(one, other, pair.moved, rivals)
    patch, edit = places.removal(older.store, older.item) if older else ("", None)
    evidence = f"{texts[0]} contradicts {texts[1]}. {why}"
    return AuditFinding("contradiction", names, pair.value, evidence, pair.confidence, patch, edit)


def _older(one: AuditedItem, other: AuditedItem, moved: int, rivals: int) -> tuple[AuditedItem | None, str]:
    """Return the item that the patch removes, None if either may be right, and the reason as a sentence."""
    if moved:
        older, newer = (one, other) if moved == 2 else (other, one)
        return older, f"“{clip(one_line(newer.item.text), 60)}” states a change, and supersedes the other."
    times = [entry.item.when for entry in (one, other)]
    if all(times) and times[0][:19] != times[1][:19]:
        older = one if times[0] < times[1] else other
        return older, f"The newer one, of {max(times)[:10]}, supersedes the other."
    if rivals > 1:
        return other, "The patch removes the second."
    return None, "Neither is known to be newer: choose one."
