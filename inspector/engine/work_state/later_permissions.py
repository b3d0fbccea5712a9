"""Sentences of a user that ask for an action which an earlier rule forbids, or allow it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts import content_words, is_negated, stem, stem_set
from inspector.engine.work_state.ban_checks import is_outside
from inspector.engine.work_state.ban_patterns import PAUSE, UNTIL
from inspector.engine.work_state.ban_terms import Ban
from inspector.engine.work_state.foreign_prohibitions import verbs_in_script
from inspector.engine.work_state.foreign_rules import verbs_of
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import CHANGE, FORMS, MEANT, meant_by
from inspector.engine.work_state.ruled_things import PATH, RuledThing, shown_words, shows

_WORD = lazy_pattern(r"[\w-]+")
_DROPS = lazy_pattern(r"(?i)\bdrop(?:ped)?(?= (?:the|it|that|this|them)\b)")
"""A verb that is no negation where it asks for a deletion."""
_POINTERS = word_set("it that this them those")
_CHANGING = word_set(
    "mention put note document append include set extend correct get take bring make handle solve sort do go let adapt"
    " align shorten trim polish improve simplify tidy complete finish raise lower increase decrease split replace swap"
)
"""Further verbs of users who ask for a change."""
_OF_CHANGE = frozenset(("change", "create"))
_HARMLESS = word_set(
    "look looking read reading check checking explain explaining show showing see view inspect review compare"
    " describe summarize understand test testing debug trace find search analyze analyse count measure verify know"
    " think mean remember quote cite watch ignore skip keep leave stay"
)
"""Verbs of requests that change nothing."""
_ALLOWS = lazy_pattern(
    r"(?i)\b(?:can|may|should|must|needs?|have to|has to|ok(?:ay)?|fine|allowed|approved|go ahead|please|yours"
    r"|free to|let's|let us|after all|signed off|agreed|green light)\b"
)
"""Words of a sentence that allows or asks for something."""
_IT = r"(?:it|this|that|them|everything|all of (?:it|this)|(?:the |your |my |our )?[\w/.-]{1,40})"
_ASKED_FOR: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(rf"(?i)\b(?:{pattern})"), verb)
    for pattern, verb in (
        (
            rf"(?:get|bring|put|send|have) {_IT}(?: {_IT})? (?:up |out |over )?(?:to|on|onto) (?:the )?"
            r"(?:origin|remote|github|gitlab|bitbucket|upstream|server)\b"
            rf"|upload (?:the |your )?(?:branch|commits)\b|ship {_IT}",
            "push",
        ),
        (
            rf"(?:put|get|save|record|store) {_IT}(?: {_IT})? (?:in|into|under|to)"
            r" (?:git|version control|the history)\b|check (?:it|this|that|them|everything|all) in\b",
            "commit",
        ),
        (
            rf"(?:get|bring|put|take) {_IT}(?: {_IT})? (?:in|into|onto) (?:the )?(?:main|master|develop|trunk)\b"
            rf"|land {_IT}",
            "merge",
        ),
        (
            rf"(?:get|bring|put|take) {_IT}(?: {_IT})? (?:live|online|(?:in|into|on|to) (?:the )?prod(?:uction)?)\b"
            rf"|roll {_IT} out\b|go live\b",
            "deploy",
        ),
        (
            rf"(?:throw|thrown|toss|tossed) (?:{_IT} )?(?:away|out)\b|(?:can|may|should|must|has to|have to) go\b"
            rf"|get rid of\b|make room\b|free (?:up )?(?:some |the )?(?:disk )?space\b",
            "delete",
        ),
        (r"(?:a|its|one|the) (?:new|separate|own|second) (?:file|module|script|class|component|page)\b", "create"),
        (rf"(?:take|pull in|bring in|go with) {_IT}", "add"),
        (rf"call {_IT} \w|(?:change|fix|shorten) (?:the |its |that )?name\b", "rename"),
        (rf"(?:turn|switch) {_IT} off and on|power[- ]cycle|kick {_IT}", "restart"),
    )
)
"""Requests in other words than the verbs of rules."""
_WEAK = stem_set("table column row schema index database db branch folder directory package server config code")
"""Nouns that name nothing alone."""
_ANY_CHANGE = CHANGE | {"run", "stop", "start", "disable", "format"}
_VAGUE = frozenset(("insert", "run", "create"))
"""Actions of many verbs, of which a request says little where a rule names no thing."""
_RUNNABLE = content_words("test tests suite spec specs lint linter build benchmark benchmarks script scripts")
"""Nouns of requests that change nothing: "run the tests"."""
_PACKAGES = content_words("dependency dependencies package packages library libraries version versions")


def permits(sentence: str, rule: str) -> bool:
    """Return True if a later sentence of the user asks for what a rule forbids, or allows it."""
    bans = bans_in(rule)
    request = _request_in(sentence) if bans and not sentence.endswith("?") else None
    if request is None:
        return False
    return any(_is_permitted(ban, request) or (request.points and bool(request.verbs & ban.verbs)) for ban in bans)


def may_permit(sentence: str) -> bool:
    """Return True if a sentence asks for or allows something. `permits` is False for any other one."""
    return not sentence.endswith("?") and _request_in(sentence) is not None


@lru_cache(maxsize=1_024)
def _request_in(sentence: str) -> _Request | None:
    """Return the request in a sentence; None for a negated one, and for one that asks for nothing."""
    sentence = _DROPS.sub("delete", sentence)
    if is_negated(sentence):
        return None
    foreign, rest = verbs_of(sentence)
    text = plain_sentence(f"{foreign} {rest}" if foreign else sentence)
    said = [word.lower() for word in _WORD.findall(text)]
    other = {verb for pattern, verb in _ASKED_FOR if pattern.search(text)}
    verbs = {FORMS[word] for word in said if word in FORMS} | _CHANGING.intersection(said) | other
    asked = frozenset[str]().union(*(_asked_by(verb) for verb in verbs))
    allows = not verbs and _HARMLESS.isdisjoint(said) and _ALLOWS.search(text) is not None
    paths = PATH.findall(text)
    if not (verbs or allows or paths):
        return None
    return _Request(asked, frozenset(verbs), shown_words(text), paths, allows, not _POINTERS.isdisjoint(said))


def is_met(rule: str, sentence: str) -> bool:
    """Return True if a sentence of the user states what a rule waits for: "before I have reviewed it"."""
    until = UNTIL.search(rule) if any(ban.ending == PAUSE for ban in bans_in(rule)) else None
    met = content_words(until[1]) & content_words(sentence) if until else frozenset[str]()
    return bool(met) and not (is_negated(sentence) or sentence.endswith("?"))


def is_about(sentence: str, rule: str, words: frozenset[str]) -> bool:
    """Return True if a sentence shares one of some words of a rule, names its thing, or its action in any language."""
    said = content_words(sentence)
    if words & said or shown_words(rule) & frozenset(map(stem, said)):
        return True
    verbs = (*verbs_of(sentence)[0].split(), *verbs_in_script(sentence))
    asked = frozenset[str]().union(*map(meant_by, verbs))
    return any(asked & ban.actions for ban in bans_in(rule))


class _Request(NamedTuple):
    """Request in a sentence of a user."""

    actions: frozenset[str]
    verbs: frozenset[str]
    words: frozenset[str]
    paths: Sequence[str]
    allows: bool
    """True if it allows something without naming an action."""
    points: bool
    """True if it can be about a thing that an earlier sentence names."""


def _asked_by(verb: str) -> frozenset[str]:
    """Return the actions that a verb of a request asks for. To open a file is to look at it."""
    return frozenset((verb,)) if verb == "open" else MEANT.get(verb, _OF_CHANGE)


def _is_permitted(ban: Ban, request: _Request) -> bool:
    """Return True if a request is for an action that a ban forbids, on one of its things, or allows all on it."""
    if ban.is_only:
        return _is_beyond(ban, request)
    is_same = bool(request.verbs & ban.verbs) or bool(request.actions & _lifting(ban))
    if ban.text is not None:
        return is_same and bool(request.words & shown_words(ban.text.phrase))
    if not ban.things:
        return _is_for_all(ban, request)
    is_run = "run" in request.actions and request.words.isdisjoint(_RUNNABLE)
    return any(
        (is_same or is_run or request.allows or thing.head in request.verbs) and _is_named(thing, request.words)
        for thing in ban.things
    )


def _lifting(ban: Ban) -> frozenset[str]:
    """Return the actions of a request that lift a ban on the things that it names."""
    return _ANY_CHANGE if "any" in ban.actions else ban.actions - {"run"}


def _is_for_all(ban: Ban, request: _Request) -> bool:
    """Return True if a request is for an action that a ban forbids on anything."""
    is_same = bool(request.verbs & ban.verbs) or bool(request.actions & (ban.actions - _VAGUE))
    is_package = bool(request.words & _PACKAGES or request.verbs & {"install", "upgrade"})
    return is_same and (is_package or ban.actions != {"install"})


def _is_beyond(ban: Ban, request: _Request) -> bool:
    """Return True if a request is for what a ban does not allow: another path, or all tests."""
    if "test" in ban.actions:
        return "run" in request.actions and not request.words.isdisjoint(_RUNNABLE)
    return any(is_outside(path, ban) for path in request.paths)


def _is_named(thing: RuledThing, words: frozenset[str]) -> bool:
    """Return True if a sentence names a thing, if only by its telling words: "run it on staging"."""
    telling = thing.words - thing.soft - _WEAK
    return thing.head in words or shows(words, thing) or bool(telling and telling <= words)
