"""Comparison of rules that forbid an action, or want a question before it, with other rules."""

from __future__ import annotations

from inspector.analysis.memory_audit.action_signs import action_root
from inspector.analysis.memory_audit.action_stances import ActionRule
from inspector.analysis.memory_audit.action_words import CODE_STEMS, GENERAL_HEADS
from inspector.engine.facts import stem, stem_set

_CHANGE = stem("change")
_USING = frozenset(
    map(
        action_root,
        stem_set(
            "throw raise catch sprinkle spread insert embed append install rely depend allocate spawn emit inject call "
            "draw"
        ),
    )
)
"""Stems of verbs that use their object."""
_MEANS = frozenset(["with", "via"])
_FREELY = frozenset(["from", "with", "when"])
_SCOPES = frozenset(["in", "inside", "on", "within", "under", "during"])


def excludes(ban: ActionRule, rule: ActionRule, *, apart: bool = False) -> float:
    """Return the confidence that a ban, or a wish to be asked, excludes what a rule demands or permits.

    0.0 if both can hold. A permission for one case is an exception, if the rules are not apart, in two files.
    """
    if ban.stance == "ask":
        return 0.85 if _needs_a_question(ban, rule) else 0.0
    if _bans_all(ban, rule):
        return 0.65
    return _excludes_words(ban, rule, apart=apart)


def _excludes_words(ban: ActionRule, rule: ActionRule, *, apart: bool) -> float:
    """Return the confidence that a ban excludes a rule with all its words."""
    words = _words_to_meet(ban, rule)
    if not words or not words <= rule.words or _are_apart(ban, rule):
        return 0.0
    narrower, extra = {*rule.core} - words, rule.tail - words
    if not narrower and not extra:
        return 0.85
    if rule.stance == "may":
        is_permitted = apart and ban.is_strict and not narrower and rule.preposition not in _SCOPES
        return 0.6 * is_permitted
    return 0.65 * (_is_firm(ban, rule) and _covers(ban, rule, narrower, extra))


def _are_apart(ban: ActionRule, rule: ActionRule) -> bool:
    return _is_by_hand(ban, rule) or _is_reversed(ban, rule) or _is_another_action(ban, rule)


def _words_to_meet(ban: ActionRule, rule: ActionRule) -> frozenset[str]:
    """Return the words of a ban that a rule must have; none if the rule is about the case that the ban leaves out."""
    if ban.is_for_all:
        return frozenset() if ban.tail & rule.words else frozenset(ban.core)
    return ban.words


def _is_firm(ban: ActionRule, rule: ActionRule) -> bool:
    return rule.stance == "must" and (ban.is_strict or rule.is_free)


def _is_by_hand(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if a ban is about what is done by hand, and a command does what the rule demands."""
    if ban.is_manual and not rule.is_manual:
        return True
    return ban.verb == _CHANGE and rule.by_command and not ban.by_command


def _is_reversed(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if the objects of two rules are exchanged: "Do not import a from b", "Import b from a"."""
    first, second = ban.tail - {*ban.core}, {*ban.core} - ban.tail
    return bool(first & ({*rule.core} - rule.tail) and second & (rule.tail - {*rule.core}))


def _bans_all(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if a ban is about a verb alone, and a rule demands it for each thing: "Comment every function"."""
    return ban.core == (rule.verb,) and rule.is_free and len(rule.core) > 1 and ban.tail <= CODE_STEMS


def _needs_a_question(ask: ActionRule, rule: ActionRule) -> bool:
    is_any = (
        rule.preposition in ("", "after", "before", "when", "whenever", "you", "we", "as") or rule.tail <= ask.words
    )
    is_any = is_any or (rule.stance == "may" and rule.preposition in _FREELY)
    is_same = {*ask.core} == {*rule.core} and is_any
    return rule.is_free and (is_same or (ask.core == (rule.verb,) and len(rule.core) > 1))


def _is_another_action(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if a rule has a verb that the ban lacks, or does not name the object of its pronoun."""
    is_whole = len(ban.core) > 1 or (not ban.verb and ban.is_strict and ban.tail <= {*rule.core})
    is_means = rule.preposition in _MEANS and is_whole and {*ban.core} <= rule.tail
    if not is_means and (not {*ban.core} & {*rule.core} or (rule.verb and not _may_use(ban, rule))):
        return True
    return bool(ban.near) and not ban.near & rule.words


def _may_use(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if a rule has the verb of a ban, or one that uses what is banned: "Throw exceptions"."""
    return rule.verb in ban.words or (not ban.verb and rule.verb in _USING)


def _covers(ban: ActionRule, rule: ActionRule, narrower: set[str], extra: frozenset[str]) -> bool:
    """Return False if a rule may be an exception, or about another thing with a name of several words."""
    if rule.preposition == "as" and ban.verb == rule.verb and {*ban.core} - rule.tail == {ban.verb}:
        return True
    if narrower and not ban.is_kind and not _is_of_it(ban, rule):
        return False
    is_weak = len(ban.words) == 1 and not ban.near and not ban.is_total
    return not (extra and rule.preposition in _SCOPES and is_weak)


def _is_of_it(ban: ActionRule, rule: ActionRule) -> bool:
    """Return True if a rule is about what the ban names, and not about a part of it: "lamp labels"."""
    last = next((word for word in reversed(rule.core) if word not in GENERAL_HEADS), "")
    return last in ban.words or ban.core == (rule.verb,) or {*ban.core} <= rule.tail
