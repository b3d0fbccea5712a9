"""Prohibitions in sentences, as a relation of actions, objects, exceptions and endings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import word_set
from inspector.engine.facts import content_words
from inspector.engine.work_state.ban_patterns import (
    ALL,
    ASK,
    ASKED,
    BACK,
    BEFORE,
    CREATED,
    CUT,
    DOING_IT,
    DONE_NOUNS,
    EXCEPT,
    FORBIDS,
    GOES_NOWHERE,
    GUARD,
    HANDS,
    HYPOTHETIC,
    IF,
    INSTEAD,
    KEPT_RUNNING,
    LEAVE,
    LEAVE_IT,
    MINE,
    MUST_NOT_CHANGE,
    NEGATES,
    NO_DUTY,
    NO_NAME,
    NO_ONE,
    NOT_DONE,
    NOT_YET,
    OBJECT_OF,
    ONLY,
    PASSIVE,
    PAUSE,
    QUOTED,
    REPORTED,
    SELF,
    SPARED,
    STATED,
    SUBJECT_OF,
    UNDONE,
    UNTIL,
    WANTS_NOT,
    WILL_DO,
)
from inspector.engine.work_state.rule_verbs import ALONE, CHANGE, FORM, FORMS, MEANT, plain_sentence
from inspector.engine.work_state.ruled_things import RuledThing, things_in

_OF_ALL = CHANGE | {"commit", "push", "install"}
"""Actions that a rule can forbid on anything."""
_TO_PLACE = re.compile(r"(?i)^\s?(?:to|into|in)\b")
_NO_THINGS = word_set("i we you it they there that this nothing")
"""First words of a clause that names nothing."""
_SCOPE = re.compile(r"(?i)when(?:ever)? (?:you|writing|editing|adding|changing|working)\b")
"""Start of a clause that says where a rule applies, and not until when."""
_REACHED = re.compile(
    r"(?i)\b(?:tests?|suite|builds?|ci|checks?|lint|green|pass(?:es|ed)?|works?|fixed|done|finished|complete\w*)\b"
)
"""Words of a condition that the agent itself can reach."""
_PERSON = re.compile(r"(?i)\b(?:colleague|boss|team|customers?|users?|people|someone|client|manager|dba|ops)s?\b")
_PACKAGES = content_words("dependency dependencies deps package packages library libraries libs")
_WITH = re.compile(r"(?i)\b(?:with|using|via|through) `?([\w.]{2,40}(?:\(\))?)`?$")
"""The means of an action at the end of its object: "Do not write to stdout with print()"."""
_NEW_ONES = re.compile(r"(?i)\bnew (?:ones?|files?|\w{3,20}) (?:is|are) (?:fine|ok|okay|allowed)")
_SENTENCE = re.compile(r"[.;:!?]\s|\n")
_VERBS = re.compile(r"[\w-]{2,40}")
_CLAUSES = re.compile(r"[;:!?\n]\s?|,\s|\.\s| [-–—] ")
_POINTS = re.compile(r"(?i)\b(?:it|that|which|this)$")
_NO_ACTION = re.compile(r"(?i)(?:need|way|idea|reason|problem)")
_NAMES = re.compile(r"(?i)\b(?:names?|naming|signatures?|identifiers|api)\b")
_NO_NOUN = re.compile(r"(?i)(?:it|that|this|they|there|what|everything|i|we|you)\b")
_OF_USER = frozenset(("commit", "push", "merge", "deploy", "publish", "tag", "install", "apply", "rebase"))
"""Actions that users do themselves."""
_EVERY = re.compile(r"(?i)every|it|that")
_MORE_VERBS = re.compile(rf"(?i)(?:(?:,| or| and|/) ?(?:{FORM})\b)+")
_CONDITION = re.compile(r" (?:if|when|after|once|because|since|so|as|unless)\b")
_PATH_LIKE = re.compile(r"[/.]\w|\w/")
_OURS = re.compile(r"(?i)(?:we|i) ")
_LISTED = re.compile(r"(?i) or | and | nor |/| ?, ?")
_TERMS = re.compile(r"[\w@./-]{1,80}")
_TERM = re.compile(r"[A-Z@./]|\w-\w")
_STATES = re.compile(r"(?i)\b(?:is|are|was|were|has|have|had|\w{2,20}s) $")
"""Words before "no" in a report: "The table has no migrations"."""


class Ban(NamedTuple):
    """Actions that a sentence forbids."""

    actions: frozenset[str]
    """The actions, as in `rule_verbs`."""
    things: tuple[RuledThing, ...] = ()
    """The objects of the actions, any if empty. For `is_only`, the only objects that are allowed."""
    ending: str = ""
    """"approval" for a rule that ends with one, "condition" for one that cannot be checked."""
    is_only: bool = False
    """True if everything but the things is forbidden."""
    spared: tuple[RuledThing, ...] = ()
    """The exceptions in the sentence."""
    verbs: frozenset[str] = frozenset()
    """The verbs of the sentence."""
    spares_new: bool = False
    """True if new ones are allowed."""


@lru_cache(maxsize=4_096)
def bans_in(rule: str) -> tuple[Ban, ...]:
    """Return what a rule forbids; nothing for a sentence that is a question, a report, or not certain."""
    text = plain_sentence(rule)
    if text.rstrip().endswith("?") or QUOTED.search(text):
        return ()
    stated = [
        *_with_verbs(text),
        *_in_other_voices(text),
        *_kept(text),
        *_done_by_others(text),
        *_asked_first(text),
        *_only_there(text),
        *_in_nouns(text),
    ]
    if not stated:
        return tuple(_excepted(text))
    spared = tuple(thing for match in SPARED.finditer(text) for thing in things_in(match[1] or match[2]))
    spares_new = _NEW_ONES.search(text) is not None
    bans = (ban._replace(spared=spared, spares_new=spares_new) for ban in stated if ban.actions)
    return tuple(dict.fromkeys(bans))


def _excepted(text: str) -> Iterator[Ban]:
    """Yield the ban of an action on what a request excepts from it."""
    match = EXCEPT.search(text)
    if match is None or NEGATES.search(text[: match.start(1) - 4].removesuffix(" but")):
        return
    said = _VERBS.findall(_CLAUSES.split(text[: match.start()])[-1] + text[match.start() : match.start(1)])
    verb = next((word for word in said if word.lower() in FORMS), "")
    if verb:
        verbs = [verb, *(["upgrade"] if FORMS[verb.lower()] in ("update", "bump") else [])]
        yield from _ban(verbs, match[1], _ending(text, match.end()))


def _ending(text: str, start: int) -> str:
    """Return what ends a rule whose words begin at a position."""
    match = UNTIL.search(text, start) or IF.search(text, start)
    if match is None or _SCOPE.match(match[0]):
        return ""
    if ASKED.search(match[1]):
        return PAUSE
    is_lasting = match[0].lower().startswith(("until", "till")) and not _REACHED.search(match[1])
    return "" if is_lasting else "condition"


def _is_report(text: str, start: int) -> bool:
    """Return True if the words before a prohibition make it a report: "the script does not delete"."""
    head = text[:start]
    return bool(REPORTED.search(head) and not STATED.search(head[-60:] + text[start : start + 40])) or bool(
        HYPOTHETIC.match(text, start)
    )


def _ban(verbs: list[str], phrase: str, ending: str, before: str = "") -> Iterator[Ban]:
    """Yield the ban of what some verbs say on what a phrase names, or what the words before it name."""
    own = frozenset(FORMS[verb.lower()] for verb in verbs if verb.lower() in FORMS)
    actions = _actions_of(own, phrase)
    phrase = CUT.split(phrase, maxsplit=1)[0]
    things = things_in(phrase)
    if not things and ALL.match(phrase):
        yield from _ban_of_all(actions, ending, own)
        return
    if "install" in actions and any(thing.head in _PACKAGES for thing in things):
        yield Ban(frozenset(("install",)), (), ending, verbs=own)
        return
    things = (*_resolved(things, phrase, before), *_means(actions, phrase))
    if things or own & ALONE:
        yield Ban(actions, things, ending, verbs=own)


def _resolved(things: tuple[RuledThing, ...], phrase: str, before: str) -> tuple[RuledThing, ...]:
    """Return the things of a phrase, or those before it that its pronoun points to."""
    points = bool(before) and (not things or BACK.search(phrase) is not None)
    return (_antecedent(before) or things) if points else things


def _means(actions: frozenset[str], phrase: str) -> tuple[RuledThing, ...]:
    """Return what a phrase names as the means of writing something."""
    tool = _WITH.search(phrase) if "insert" in actions else None
    return things_in(tool[1]) if tool else ()


def _ban_of_all(actions: frozenset[str], ending: str, verbs: frozenset[str]) -> Iterator[Ban]:
    """Yield the ban of some actions on anything. Who may change nothing may not commit."""
    if actions & _OF_ALL:
        yield Ban(actions | {"commit"} if "change" in actions else actions, (), ending, verbs=verbs)


def _actions_of(verbs: frozenset[str], phrase: str) -> frozenset[str]:
    """Return the actions that some verbs mean. To write to a file is to change it."""
    actions = frozenset[str]().union(*(MEANT[verb] for verb in verbs))
    return actions | CHANGE if "write" in verbs and _TO_PLACE.match(phrase) else actions


def _antecedent(before: str) -> tuple[RuledThing, ...]:
    """Return what the clauses before a pronoun are about."""
    clause = _SENTENCE.split(before.rstrip(" ,;:.!-–—"))[-1]
    for pattern in (SUBJECT_OF, OBJECT_OF):
        if (match := pattern.search(clause)) and _names_thing(match[1]):
            return things_in(match[1])
    return ()


def _names_thing(words: str) -> bool:
    return words.lower().split()[0] not in _NO_THINGS and not _PERSON.search(words)


def _with_verbs(text: str) -> Iterator[Ban]:
    for match in FORBIDS.finditer(text):
        if _is_report(text, match.start()):
            continue
        verbs = [match[1], *_VERBS.findall(match[2])]
        start = match.start(1) if match[0].lower().startswith("without") else 0
        yield from _ban(verbs, match[3], _ending(text, start), text[: match.start()])


def _in_other_voices(text: str) -> Iterator[Ban]:
    """Yield the bans in sentences that name the object of the action first: "Nothing gets pushed"."""
    for clause in _CLAUSES.split(text):
        if (match := PASSIVE.search(clause)) and not _POINTS.search(match[1]):
            yield from _ban([match[2]], match[1], _ending(text, 0))
    if match := NO_ONE.search(text):
        phrase = match["what"] or match["place"] or match[4]
        if not _is_report(text, match.start()) and not _NO_ACTION.match(phrase):
            yield from _ban([match[3]], phrase, _ending(text, 0), text[: match.start()])
    if match := GOES_NOWHERE.search(text):
        things = things_in(CUT.split(match[1])[0])
        yield Ban(CHANGE | {"send", "push", "commit"}, things, _ending(text, 0), verbs=frozenset(("send",)))
    yield from _in_rarer_words(text)


def _in_rarer_words(text: str) -> Iterator[Ban]:
    """Yield the bans in sentences such as "Changing them is forbidden" and "Keep the container running"."""
    if match := DOING_IT.search(text):
        yield from _ban([match[1]], match[2], _ending(text, 0), text[: match.start()])
    if match := KEPT_RUNNING.search(text):
        yield from _ban(["stop"], match[1], _ending(text, 0))
    if match := NOT_DONE.search(text):
        yield from _ban(_VERBS.findall(match[2]), CUT.split(match[1])[0], _ending(text, 0))
    if match := WANTS_NOT.search(text):
        yield from _ban([match[2]], match[1], _ending(text, 0), text[: match.start()])


def _kept(text: str) -> Iterator[Ban]:
    """Yield the bans of changes to what has to stay as it is."""
    change = ["touch"]
    for clause in _CLAUSES.split(text):
        if match := GUARD.search(clause):
            yield from _guarded(match[1], change, text)
    for pattern in (LEAVE, HANDS):
        if (match := pattern.search(text)) and not NO_DUTY.search(text[: match.start()]):
            yield from _guarded(match[1], change, text)
    if match := MUST_NOT_CHANGE.search(text):
        phrase = "" if _POINTS.search(match[1]) else match[1]
        yield from _ban(change, phrase, _ending(text, 0), text[: match.start()])
    if (match := LEAVE_IT.search(text)) and not NO_DUTY.search(text[: match.start()]):
        yield from _ban(change, match[1], _ending(text, 0), text[: match.start()])
    if match := UNDONE.search(text):
        yield from _ban([match[2]], "" if FORMS.get(match[2].lower(), "") in ALONE else match[1], _ending(text, 0))


def _guarded(phrase: str, change: list[str], text: str) -> Iterator[Ban]:
    """Yield the ban of changes to what a phrase names. Names that stay as they are must not be renamed."""
    words = content_words(phrase)
    if not words.isdisjoint(content_words("name names naming signature signatures api identifiers")):
        yield from _ban(
            ["rename"],
            _NAMES.sub("", phrase) or "names",
            _ending(text, 0),
        )
        return
    if not _NO_NOUN.match(phrase):
        yield from _ban(change, phrase, _ending(text, 0))


def _done_by_others(text: str) -> Iterator[Ban]:
    for match in MINE.finditer(text):
        verb = match[1].lower()
        yield from _ban([verb] if verb in FORMS else [], match[2], PAUSE)
    if own := SELF.search(text) or WILL_DO.search(text):
        verb = FORMS[own[1].lower()]
        if MEANT[verb] & _OF_USER:
            yield from _ban([verb], "" if _EVERY.search(own[2]) else own[2], PAUSE)


def _asked_first(text: str) -> Iterator[Ban]:
    if match := ASK.search(text) or BEFORE.search(text):
        more = _MORE_VERBS.match(match[2])
        verbs = [match[1], *(_VERBS.findall(more[0]) if more else ())]
        before = text[: (ASK.search(text) or match).start()]
        yield from _ban(verbs, match[2][more.end() :] if more else match[2], PAUSE, before)
    elif match := NOT_YET.search(text):
        yield from _ban([match[1]], match[2], PAUSE)


def _only_there(text: str) -> Iterator[Ban]:
    """Yield the bans of everything but what a rule allows. Only paths and names of files can be checked."""
    for pattern in ONLY:
        if match := pattern.search(text):
            phrase = _CONDITION.split(match["what"])[0]
            things = things_in(phrase)
            things = things if any(map(_is_checkable, things)) else ()
            verb = FORMS.get(match["verb"].lower(), "") if match["verb"] else "change"
            actions = MEANT.get(verb, frozenset())
            if things and actions & (CHANGE | {"run", "use"}):
                yield Ban(
                    frozenset(("test",)) if "run" in actions else CHANGE,
                    things,
                    _ending(text, match.end()),
                    True,
                    verbs=frozenset((verb,)),
                )
            return


def _is_checkable(thing: RuledThing) -> bool:
    return (
        _PATH_LIKE.search(thing.phrase) is not None
        or _PATH_LIKE.search(thing.name) is not None
        or any("/" in word or "." in word for word in thing.words)
    )


def _in_nouns(text: str) -> Iterator[Ban]:
    """Yield the bans of programs and libraries for which there is another one, and of what "no …" names."""
    for match in INSTEAD.finditer(text):
        if not _is_report(text, match.start(2)) or _OURS.match(text):
            yield Ban(frozenset(("use", "insert")), things_in(match[2]), _ending(text, 0), verbs=frozenset(("use",)))
    for match in NO_NAME.finditer(text):
        if not (HYPOTHETIC.match(text, match.start()) or _STATES.search(text[: match.start()])):
            for item in _LISTED.split(match[1]):
                yield from _banned_noun(item, text)


def _banned_noun(item: str, text: str) -> Iterator[Ban]:
    """Yield the ban of what a noun names: an action, something to create, or a program or library."""
    words = _TERMS.findall(item)
    if not words:
        return
    last = words[-1].lower()
    if FORMS.get(words[0].lower()) and words[0].lower().endswith("ing"):
        yield from _ban([words[0]], " ".join(words[1:]), _ending(text, 0))
    elif verb := "merge" if "merge" in item.lower().split() else _verb_of(last):
        force = "force" in item.lower()
        yield Ban(frozenset(("force",)) if force else MEANT[verb], (), _ending(text, 0), verbs=frozenset((verb,)))
    elif last in CREATED:
        yield Ban(frozenset(("create",)), things_in(item), _ending(text, 0), verbs=frozenset(("create",)))
    elif len(words) <= 2 and (_TERM.search(words[-1]) or "`" in item):
        yield Ban(
            frozenset(("use", "insert", "create")), things_in(words[-1]), _ending(text, 0), verbs=frozenset(("use",))
        )


def _verb_of(noun: str) -> str:
    """Return the verb for a noun that names an action, in its singular or plural; "" for any other noun."""
    forms = (
        noun,
        noun.removesuffix("ing") if noun.endswith("ing") else noun.removesuffix("s"),
        noun.removesuffix("es"),
    )
    return next((DONE_NOUNS[one] for one in forms if one in DONE_NOUNS), "")
