"""Sentences of a user that ask for an action which an earlier rule forbids, or allow it."""

from __future__ import annotations

import re

from inspector.core.text import word_set
from inspector.engine.facts import content_words, is_negated, stem
from inspector.engine.work_state.rule_bans import Ban, bans_in
from inspector.engine.work_state.rule_verbs import FORMS, MEANT, plain_sentence
from inspector.engine.work_state.ruled_things import RuledThing, shown_words, shows

_WORD = re.compile(r"[\w-]+")
_POINTERS = word_set("it that this them those")
_REQUESTS = word_set(
    "mention put note document describe list append include set explain extend correct get take bring make try handle"
    " solve sort do go run start let"
)
"""Further verbs of users who ask for a change."""
_ALLOWS = re.compile(
    r"(?i)\b(?:can|may|should|must|needs?|have to|has to|ok(?:ay)?|fine|allowed|approved|go ahead|please|yours"
    r"|free to|let's|let us|after all|signed off|agreed|green light)\b"
)
"""Words of a sentence that allows or asks for something."""
_IT = r"(?:it|this|that|them|everything|all of (?:it|this)|(?:the |your |my |our )?[\w/.-]{1,40})"
_ASKED_FOR: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?i)\b(?:{pattern})"), verb)
    for pattern, verb in (
        (
            rf"(?:get|bring|put|send|have) {_IT}(?: {_IT})? (?:up |out |over )?(?:to|on|onto) (?:the )?"
            r"(?:origin|remote|github|gitlab|bitbucket|upstream|server)\b"
            r"|upload (?:the |your )?(?:branch|commits)\b",
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
_WEAK = frozenset(
    map(stem, word_set("table column row schema index database db branch folder directory package server config code"))
)
"""Nouns that name nothing alone."""
_RUNS = word_set("run rerun start try go make")
_RUNNABLE = content_words("test tests suite spec specs lint linter build benchmark benchmarks script scripts")
"""Verbs and nouns of requests that change nothing: "run the tests"."""
_PACKAGES = content_words("dependency dependencies package packages library libraries version versions")


def permits(sentence: str, rule: str) -> bool:
    """Return True if a later sentence of the user asks for what a rule forbids, or allows it."""
    bans = bans_in(rule)
    if not bans or is_negated(sentence) or sentence.endswith("?"):
        return False
    text = plain_sentence(sentence)
    said = [word.lower() for word in _WORD.findall(text)]
    other = {verb for pattern, verb in _ASKED_FOR if pattern.search(text)}
    verbs = {FORMS[word] for word in said if word in FORMS} | _REQUESTS.intersection(said) | other
    asked = frozenset[str]().union(*(MEANT.get(verb, frozenset()) for verb in verbs))
    words = shown_words(text)
    is_asked = bool(verbs) or _ALLOWS.search(text) is not None
    points = not _POINTERS.isdisjoint(said)
    return any(
        _is_permitted(ban, asked, verbs, words, is_asked) or (points and bool(verbs & ban.verbs)) for ban in bans
    )


def _is_permitted(ban: Ban, asked: frozenset[str], verbs: set[str], words: frozenset[str], is_asked: bool) -> bool:
    is_same = bool(verbs & ban.verbs) or bool(asked & (ban.actions - {"insert", "run", "create"}))
    if not ban.things:
        return is_same and (
            ban.actions != {"install"} or bool(words & _PACKAGES) or bool(verbs & {"install", "upgrade"})
        )
    is_run = bool(verbs) and verbs <= _RUNS and not is_same
    return is_asked and any(
        _is_named(thing, words) and not (is_run and thing.head in _RUNNABLE) for thing in ban.things
    )


def _is_named(thing: RuledThing, words: frozenset[str]) -> bool:
    """Return True if a sentence names a thing, if only by its telling words: "run it on staging"."""
    telling = thing.words - thing.soft - _WEAK
    return thing.head in words or shows(words, thing) or bool(telling and telling <= words)
