"""Rules of two files, and facts, that say the same in other words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from inspector.analysis.memory_audit.action_words import is_verb
from inspector.analysis.memory_audit.chosen_values import may_choose
from inspector.analysis.memory_audit.loaded_items import AuditedItem, same_owner
from inspector.analysis.memory_audit.made_choices import choices_in
from inspector.analysis.memory_audit.same_words import agree, compared_words, joined_phrases, with_plain_bounds
from inspector.analysis.memory_audit.statements import areas_in, is_choice
from inspector.core.text import cued_pattern, lazy_pattern, word_set

_MAX_RARE = 12
"""Maximum number of rules with a word by which others are found."""
_MAX_LENGTH = 240
"""Maximum length in characters of a rule that is compared. A longer one says several things."""
_CONTAINED, _SHARED = 0.75, 0.4
"""Minimum share of the words of the shorter rule, and of all words of both, that both have."""
_MAX_CHOICE = 9
"""Maximum number of words of a rule that only chooses a value."""
_MIN_SHARED = 3
_FEW, _ALL = 2, 0.66
"""Number of shared words that suffices if they are all words of one rule, and their minimum share of both."""
_MARKS = "`'\"()<>*_.,:;"
_SAME_STEMS = {"ok": "ask", "approv": "ask", "permission": "ask", "allocation": "allocat", "first": "before"}
_IDLE = word_set(
    "own nam cal get new best somebody machin need must plain raw befor before beforehand would "
    "something own start run yourself"
)
_UNASKED = cued_pattern(
    r"(?i)\b(?:do not|don[’']t|never) (.{3,80}?) without (?:asking|(?:\w+ )?(?:approval|permission|confirmation))\b",
    "without",
)
_RATHER = cued_pattern(r"(?i)\b(?:instead of|rather than|free of)\b|(?<=,) not\b", "instead rather free not")
_DIGIT = lazy_pattern(r"\d")
_OF_ALL = lazy_pattern(r"(?i)^(?:every|each|all|any|if|when|whenever|changes?|new|\w+ needs?)\b")
"""Beginning of a rule without a word that demands: "Every function has a comment"."""


def reworded(entries: Sequence[AuditedItem]) -> Iterator[tuple[int, int, float]]:
    """Yield the numbers of two items that say the same in other words, with the share of words of both.

    Rules are compared with those of other files, facts with all of the same owner.
    """
    words = {number: _rule_stems(entry) for number, entry in enumerate(entries) if _is_compared(entry)}
    index: dict[str, list[int]] = defaultdict(list)
    chosen: dict[_Chosen, list[int]] = defaultdict(list)
    for number, own in words.items():
        near = Counter(other for word in own if len(index[word]) <= _MAX_RARE for other in index[word])
        for word in own:
            index[word].append(number)
        choice = _only_choice(entries[number])
        alike = chosen[choice][-_MAX_RARE:] if choice else []
        for other in {*near, *alike}:
            common = near[other]
            share = common / (len(own) + len(words[other]) - common)
            least = common / min(len(own), len(words[other]))
            is_near = other in alike or _are_near(common, least, share)
            if is_near and _may_repeat(entries[other], entries[number], is_chosen=other in alike):
                yield other, number, share
        if choice:
            chosen[choice].append(number)


_Chosen = tuple[str, str, frozenset[str]]


def _only_choice(entry: AuditedItem) -> _Chosen | None:
    """Return the choice, the value and the topics of an item that only chooses one value; None for another one."""
    text = entry.item.text
    if text.count(" ") >= _MAX_CHOICE or not may_choose(text) or (entry.is_rule and not is_choice(text)):
        return None
    rows = [row for row in choices_in(text).values() if not row.needs_topic]
    if len(rows) != 1 or len(rows[0].chosen) != 1 or _DIGIT.search(text):
        return None
    return rows[0].name, next(iter(rows[0].chosen)), rows[0].topics


def _are_near(common: int, least: float, share: float) -> bool:
    """Return True if two rules share enough words: number, share of the shorter rule, and share of both."""
    if common >= _MIN_SHARED and least >= _CONTAINED and share >= _SHARED:
        return True
    return common >= _FEW and least == 1 and share >= _ALL


def _is_compared(entry: AuditedItem) -> bool:
    text = entry.item.text
    is_short = len(text) <= _MAX_LENGTH and not text.endswith((":", "?"))
    if not entry.is_rule:
        return is_short and bool(text)
    is_demand = is_choice(text) or is_verb(text.split(" ", 1)[0]) or bool(_OF_ALL.match(text))
    return not entry.is_lead and not entry.is_step and is_short and is_demand


def _in_one_wording(text: str) -> str:
    """Return a rule with one wording for a wish to be asked and for what is not used."""
    return _RATHER.sub(", never", _UNASKED.sub(r"ask before \1", with_plain_bounds(joined_phrases(text))))


def _rule_stems(entry: AuditedItem) -> frozenset[str]:
    words = (word.strip(_MARKS).lower() for word in compared_words(_in_one_wording(entry.item.text)))
    same = (_SAME_STEMS.get(word, word) for word in words if word not in _IDLE)
    return frozenset(word.removesuffix("y").removesuffix("at").removesuffix("er") for word in same if word)


def _may_repeat(one: AuditedItem, other: AuditedItem, *, is_chosen: bool) -> bool:
    """Return True if two items hold in one place, with the same numbers, code and polarity."""
    if one.item.text == other.item.text or not _are_comparable(one, other):
        return False
    if one.item.about and other.item.about and one.item.about != other.item.about:
        return False
    areas = [areas_in(entry.area) for entry in (one, other)]
    if (all(areas) and areas[0] != areas[1]) or not _choose_alike(one, other):
        return False
    return is_chosen or agree(_in_one_wording(one.item.text), _in_one_wording(other.item.text))


def _are_comparable(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True for rules of two files or headings, and for facts about one owner and subject."""
    if one.is_rule != other.is_rule or one.subject != other.subject:
        return False
    is_apart = one.store.path != other.store.path or one.item.name != other.item.name
    return is_apart if one.is_rule else same_owner(one, other)


def _choose_alike(one: AuditedItem, other: AuditedItem) -> bool:
    """Return False if two rules choose different values for one thing."""
    first, second = (choices_in(entry.item.text) for entry in (one, other))
    named = [(first[name].named, second[name].named) for name in first.keys() & second.keys()]
    return not any(mine and theirs and mine.isdisjoint(theirs) for mine, theirs in named)
