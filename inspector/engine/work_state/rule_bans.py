"""Prohibitions in sentences, as a relation of actions, objects, exceptions and endings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern, said_in
from inspector.engine.facts import content_words
from inspector.engine.work_state.ban_patterns import (
    ASK,
    BACK,
    BEFORE,
    CUT,
    DOING_IT,
    EXCEPT,
    FORBIDS,
    GOES_NOWHERE,
    GUARD,
    HANDS,
    HEADLINE,
    IN_BRACKETS,
    KEPT_RUNNING,
    KEPT_THING,
    LEAVE,
    LEAVE_IT,
    LEFT_TO_USER,
    MINE,
    MUST_NOT_CHANGE,
    NEGATED,
    NEGATES,
    NO_DUTY,
    NO_ONE,
    NOT_YET,
    PASSIVE,
    PAUSE,
    QUOTED,
    SELF,
    SPARED,
    STAYING,
    SURVIVES,
    UNDONE,
    WILL_DO,
    WITHOUT,
)
from inspector.engine.work_state.ban_terms import BY_CODE, Ban, ban_of, ending_of, is_report
from inspector.engine.work_state.foreign_rules import foreign_bans
from inspector.engine.work_state.noun_bans import in_nouns, limits_in, only_there, with_unknown_verb
from inspector.engine.work_state.owned_things import owned_by_others
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.rule_verbs import ALONE, CHANGE, FORM, FORMS, MEANT
from inspector.engine.work_state.ruled_things import PATH, things_in

_NEW_ONES = lazy_pattern(
    r"(?i)\bnew (?:ones?|files?|\w{3,20}) (?:is|are) (?:fine|ok|okay|allowed)"
    r"|\b(?:add|write|create|make) (?:a )?new ones?\b"
    r"|\b(?:existing|already (?:applied|released|merged)|bestehende\w?|existant\w?|existentes?|esistenti) \w"
)
"""Words of a rule that concerns only what is there already."""
_VERBS = lazy_pattern(r"[\w-]{2,40}")
_CLAUSES = lazy_pattern(r"[;:!?\n]\s?|,\s|\.\s| [-–—] ")
_POINTS = lazy_pattern(r"(?i)\b(?:it|that|which|this)$")
_POINTS_TO = lazy_pattern(r"(?i)(?:it|they|that|this|them|these|those|that one|this one)(?: file| folder)?")
_SUBJECT = lazy_pattern(
    r"(?i)(?:the|our|my|this|that) ([\w./ -]{2,40}?) (?:is|are|was|were|has|have|comes?|belongs?)\b"
)
"""Start of a clause that a pronoun in the next one refers to: "The bootloader is audited"."""
_POINTS_BACK = lazy_pattern(
    r"(?i)\b(?:the|our|my|this|that|these|those) ([\w./-]{2,40}(?: [\w./-]{2,40}){0,2}) (?:but|and|so)"
    r" (?:it|they|this)$"
)
"""A thing, and a pronoun for it in the next clause."""
_ORDERS = lazy_pattern(r"(?i)\b(?:must|may|should|shall|can)")
_NO_ACTION = lazy_pattern(r"(?i)(?:need|way|idea|reason|problem)")
_MODAL = lazy_pattern(r"(?i) (?:may|must|should|shall|can|to|gets?|will|is|are|ever) ")
_USED = frozenset(("uses", "used", "calls", "hits"))
"""Verbs of sentences that only report: "No one uses this endpoint"."""
_PER = lazy_pattern(r"(?i) (?:per|while|during)\b")
_IS = lazy_pattern(r"(?i) (?:is|are) ")
_WHEN = lazy_pattern(r"(?i)\b(?:when|while|if) (?:the|an?|there|no)\b")
_NAMES = lazy_pattern(r"(?i)\b(?:names?|naming|signatures?|identifiers|api)\b")
_NO_NOUN = lazy_pattern(r"(?i)(?:it|that|this|they|there|what|everything|i|we|you)\b")
_OF_USER = frozenset(("commit", "push", "merge", "deploy", "publish", "tag", "install", "apply", "rebase"))
"""Actions that users do themselves."""
_OUTWARD = frozenset(("send", "push", "commit", "publish", "deploy", "merge"))
"""Actions that bring something to another place."""
_MAX_SPACES = 4
"""Spaces in a phrase that may be more than the name of a thing."""
_EVERY = lazy_pattern(r"(?i)\b(?:every\w*|it|that|them|this)\b")
_MORE_VERBS = lazy_pattern(rf"(?i)(?:(?:,| or| and|/) ?(?:{FORM})\b)+")


@lru_cache(maxsize=4_096)
def bans_in(rule: str) -> tuple[Ban, ...]:
    """Return what a rule forbids; nothing for a sentence that is a question, a report, or not certain."""
    text = plain_sentence(rule).rstrip()
    if _states_none(text):
        return ()
    stated = tuple(_completed(_stated(text, rule), text))
    return tuple(dict.fromkeys(stated)) or tuple(_excepted(text))


def _completed(stated: Sequence[Ban], text: str) -> Iterator[Ban]:
    """Yield bans with the exceptions and the further things that a text names."""
    if not stated:
        return
    spared = tuple(thing for match in SPARED.finditer(text) for thing in things_in(match[1] or match[2]))
    spares_new = _NEW_ONES.search(text) is not None
    also = tuple(thing for match in IN_BRACKETS.finditer(text) for thing in things_in(match[1] or match[2]))
    for ban in stated:
        yield ban._replace(
            spared=(*ban.spared, *spared), spares_new=spares_new, things=ban.things and (*ban.things, *also)
        )


def _states_none(text: str) -> bool:
    """Return True if a text is a question, a quotation or a title."""
    is_question = text.endswith("?") and not WITHOUT.search(text)
    return is_question or bool(QUOTED.search(text) or HEADLINE.fullmatch(text))


def _stated(text: str, rule: str) -> list[Ban]:
    """Return what a rule forbids, with everything that it states of exceptions left out."""
    stated = [
        *limits_in(text),
        *_with_verbs(text),
        *_in_other_voices(text),
        *_kept(text),
        *_done_by_others(text),
        *_asked_first(text),
        *only_there(text),
        *in_nouns(text),
        *foreign_bans(rule),
    ]
    return [ban for ban in stated if ban.actions] or [*with_unknown_verb(text)]


def _excepted(text: str) -> Iterator[Ban]:
    """Yield the ban of an action on what a request excepts from it."""
    match = EXCEPT.search(text)
    if match is None or NEGATES.search(text[: match.start(1) - 4].removesuffix(" but")):
        return
    said = _VERBS.findall(_CLAUSES.split(text[: match.start()])[-1] + text[match.start() : match.start(1)])
    verb = next((word for word in said if word.lower() in FORMS), "")
    if verb:
        verbs = [verb, *(["upgrade"] if FORMS[verb.lower()] in ("update", "bump") else [])]
        yield from ban_of(verbs, match[1], ending_of(text, match.end()))


def _with_verbs(text: str) -> Iterator[Ban]:
    for match in FORBIDS.finditer(text):
        if is_report(text, match.start()) or BY_CODE.search(match[0]):
            continue
        verbs = [match[1], *_VERBS.findall(match[2])]
        start = match.start(1) if match[0].lower().startswith("without") else 0
        yield from ban_of(verbs, match[3], ending_of(text, start), text[: match.start()])


def _in_other_voices(text: str) -> Iterator[Ban]:
    """Yield the bans in sentences that name the object of the action first: "Nothing gets pushed"."""
    before = ""
    for clause in () if NEGATED.isdisjoint(said_in(text)) else _CLAUSES.split(text):
        if (match := PASSIVE.search(clause)) and not BY_CODE.search(clause):
            subject = _SUBJECT.match(before) if _POINTS_TO.fullmatch(match[1]) and _ORDERS.search(match[0]) else None
            named = (
                subject[1] if subject else _antecedent(match[1]) if _POINTS.search(match[1]) else _named_by(match[1])
            )
            yield from ban_of([match[2]], named, ending_of(text, 0)) if named else ()
        before = clause
    yield from _for_no_one(text)
    if match := GOES_NOWHERE.search(text):
        things = things_in(CUT.split(match[1])[0])
        yield Ban(CHANGE | _OUTWARD, things, ending_of(text, 0), verbs=frozenset(("send",)))
    yield from _in_rarer_words(text)


def _antecedent(clauses: str) -> str:
    """Return what a pronoun points to: in "you may read the export but it", "export"; "" if nothing is certain."""
    match = _POINTS_BACK.search(clauses)
    return match[1] if match else ""


def _for_no_one(text: str) -> Iterator[Ban]:
    """Yield the bans in sentences such as "Nobody commits to main". "No code change needed" is none."""
    if match := NO_ONE.search(text):
        phrase = match["what"] or match["place"] or match[4]
        before_verb = text[match.start() : match.start(3)]
        is_noun = bool(match["what"]) and match[3].lower() in MEANT and not _MODAL.search(before_verb)
        describes = _IS.search(before_verb) is not None and _WHEN.search(text, match.end(3)) is not None
        describes = describes or match[3].lower() in _USED
        if not (is_noun or describes or is_report(text, match.start()) or _NO_ACTION.match(phrase)):
            yield from ban_of([match[3]], phrase, ending_of(text, 0), text[: match.start()])


def _in_rarer_words(text: str) -> Iterator[Ban]:
    """Yield the bans in sentences such as "Changing them is forbidden" and "Keep the container running"."""
    if match := DOING_IT.search(text):
        yield from ban_of([match[1]], match[2], ending_of(text, 0), text[: match.start()])
    if match := KEPT_RUNNING.search(text):
        yield from ban_of(["stop"], _unless_pronoun(match[1] or match[2]), ending_of(text, 0), text[: match.start()])


def _kept(text: str) -> Iterator[Ban]:
    """Yield the bans of changes to what has to stay as it is."""
    change = ["touch"]
    start = 0
    for clause in () if STAYING.isdisjoint(said_in(text)) else _CLAUSES.split(text):
        if (match := GUARD.search(clause)) and not _PER.match(clause, match.end()):
            yield from _guarded(match[1], change, text, text[:start])
        start += len(clause) + 2
    for pattern in (LEAVE, HANDS):
        if (match := pattern.search(text)) and not NO_DUTY.search(text[: match.start()]):
            yield from _guarded(match[match.lastindex or 1], change, text, text[: match.start()])
    if match := KEPT_THING.search(text):
        yield from ban_of(["delete"], match[1], ending_of(text, 0))
    if match := SURVIVES.search(text):
        yield from ban_of(["delete"], _unless_pronoun(match[1] or match[2]), ending_of(text, 0), text[: match.start()])
    yield from _left_as_it_is(text)


def _left_as_it_is(text: str) -> Iterator[Ban]:
    """Yield the bans of changes in "Leave it" and "Leave all changes uncommitted"."""
    if match := MUST_NOT_CHANGE.search(text):
        phrase = "" if _POINTS.search(match[1]) or _POINTS_TO.fullmatch(match[1]) else match[1]
        yield from ban_of(["touch"], phrase, ending_of(text, 0), text[: match.start()])
    left = LEAVE_IT.search(text)
    if left and not NO_DUTY.search(text[: left.start()]):
        yield from ban_of(["touch"], left[2] or "", ending_of(text, 0), text[: left.start()])
    if match := UNDONE.search(text):
        yield from ban_of([match[2]], "" if FORMS.get(match[2].lower(), "") in ALONE else match[1], ending_of(text, 0))


def _unless_pronoun(phrase: str) -> str:
    """Return a phrase; "" for a pronoun, which refers to an earlier name."""
    return "" if _POINTS_TO.fullmatch(phrase) else phrase


def _named_by(phrase: str) -> str:
    """Return the paths in a phrase that is longer than a name, or the phrase."""
    paths = PATH.findall(phrase) if phrase.count(" ") > _MAX_SPACES else []
    return " and ".join(f"files in {path}" if path.endswith("/") else path for path in paths) or phrase


def _guarded(phrase: str, change: list[str], text: str, before: str) -> Iterator[Ban]:
    """Yield the ban of changes to what a phrase names, or a word before it that a pronoun points to.

    Names that stay as they are must not be renamed.
    """
    if before and _POINTS_TO.fullmatch(phrase):
        yield from ban_of(change, "", ending_of(text, 0), before)
        return
    phrase = phrase.rpartition(" but ")[2]
    phrase = _named_by(phrase)
    words = content_words(phrase)
    if not words.isdisjoint(content_words("name names naming signature signatures api identifiers")):
        rest = _NAMES.sub("", phrase)
        bans = tuple(ban_of(["rename"], rest, ending_of(text, 0)))
        yield from bans or (Ban(frozenset(("rename",)), (), ending_of(text, 0)),)
        return
    if not _NO_NOUN.match(phrase) or BACK.search(phrase):
        yield from ban_of(change, phrase, ending_of(text, 0), before)


def _done_by_others(text: str) -> Iterator[Ban]:
    for match in MINE.finditer(text):
        verb = match[1].lower()
        yield from ban_of([verb] if verb in FORMS else [], match[2], PAUSE)
    if left := LEFT_TO_USER.search(text):
        yield from ban_of([left[1]], left[2], PAUSE)
    if own := SELF.search(text) or WILL_DO.search(text):
        verb = FORMS[own[1].lower()]
        if MEANT[verb] & _OF_USER:
            yield from ban_of([verb], "" if _EVERY.search(own[2]) else own[2], PAUSE)
        elif verb == own[1].lower() and not _EVERY.search(own[2]):
            yield from ban_of([verb], own[2], PAUSE)
    yield from owned_by_others(text)


def _asked_first(text: str) -> Iterator[Ban]:
    if match := ASK.search(text) or BEFORE.search(text):
        more = _MORE_VERBS.match(match[2])
        verbs = [match[1], *(_VERBS.findall(more[0]) if more else ())]
        before = text[: (ASK.search(text) or match).start()]
        yield from ban_of(verbs, match[2][more.end() :] if more else match[2], PAUSE, before)
    elif match := NOT_YET.search(text):
        yield from ban_of([match[1]], match[2], PAUSE)
