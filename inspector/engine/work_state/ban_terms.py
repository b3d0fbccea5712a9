"""Prohibitions of rules, made of the verbs and objects in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts import content_words
from inspector.engine.work_state.ban_patterns import (
    ALL,
    ANSWERED,
    ASKED,
    BACK,
    CUT,
    EXAMPLES,
    HYPOTHETIC,
    IF,
    OBJECT_OF,
    PAUSE,
    REPORTED,
    STATED,
    SUBJECT_OF,
    UNTIL,
)
from inspector.engine.work_state.rule_verbs import ALONE, CHANGE, FORMS, MEANT
from inspector.engine.work_state.ruled_things import PATH, RuledThing, is_concrete, things_in
from inspector.engine.work_state.text_rules import TextRule

_OF_ALL = CHANGE | {"commit", "push", "install"}
"""Actions that a rule can forbid on anything."""
_OTHERS = lazy_pattern(r"(?i)\s*(?:any |the |all )?others?\b(?=[^.;!?\n]*\b(?:beyond|besides|except|than|apart)\b)")
"""Objects of which only the exception is named: "any other test logic beyond the renamed argument"."""
_ONLY_CODE = lazy_pattern(r"(?i)(?:the |any |all )?(?:source )?code")
_TO_PLACE = lazy_pattern(r"(?i)^\s?(?:to|into|in)\b")
_NO_THINGS = word_set("i we you it they there that this nothing")
"""First words of a clause that names nothing."""
_SCOPE = lazy_pattern(r"(?i)when(?:ever)? (?:you|writing|editing|adding|changing|working)\b")
"""Start of a clause that says where a rule applies, and not until when."""
_REACHED = lazy_pattern(
    r"(?i)\b(?:tests?|suite|builds?|ci|checks?|lint|green|pass(?:es|ed)?|works?|fixed|done|finished|complete\w*)\b"
)
"""Words of a condition that the agent itself can reach."""
_TIME = lazy_pattern(
    r"(?i)(?:before|until|till) (?:(?:the|this|next|end|of|early|late|our) )*(?:(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day|tomorrow|tonight|noon|week(?:end)?|month|quarter|sprint|year|january|february|march|april|june|july"
    r"|august|september|october|november|december|christmas|easter|holidays?|launch|freeze|q[1-4])\b"
)
"""A time that is not reached while the agent works."""
_SEEN_FIRST = lazy_pattern(
    r"(?i)\b(?:i|we)(?:'d| would)? (?:want|need|like|have) to (?:see|review|look|check|read|test|try)\b[^.;!?\n]{0,40}"
    r"\bfirst\b"
)
"""Words of a rule that ends with the user's review: "Don't push yet, I want to see it first"."""
_ASKS_THEN = lazy_pattern(r"(?i)\bask (?:me|us)(?: first)? (?:if|when|whenever|once|before)\b")
_AT_PORT = lazy_pattern(r"(?i)\b(?:on|at) (?:port )?:?([1-9]\d{3,4})\b")
_PERSON = lazy_pattern(r"(?i)\b(?:colleague|boss|team|customers?|users?|people|someone|client|manager|dba|ops)s?\b")
_PACKAGES = content_words(
    "dependency dependencies deps package packages library libraries libs software program programs tool tools app"
    " apps plugin plugins extension extensions crate crates gem gems pod pods jar jars wheel wheels"
)
_INSTALLS = frozenset(("install", "pull-in"))
_ANY_NEW = lazy_pattern(r"(?i)\s*(?:any|some)? ?thing (?:new|else|more|extra)\b")
_OF_GIT = frozenset(("push", "force-push", "amend", "squash", "rebase", "commit", "deploy", "publish", "release"))
_OF_HISTORY = frozenset(("force-push", "amend", "squash", "rebase"))
"""Verbs without an object."""
_OF_WHOLE = frozenset(("deploy", "publish", "release", "ship", "push", "merge"))
"""Verbs of which a command names no plain object: "Don't deploy it"."""
_IMPLIED = content_words("remote origin github gitlab commit commits branch history")
"""Objects that such a verb has anyway."""
_WITH = lazy_pattern(r"(?i)\b(?:with|using|via|through) `?([\w.]{2,40}(?:\(\))?)`?$")
"""The means of an action at the end of its object: "Do not write to stdout with print()"."""
_PURPOSE = lazy_pattern(r"(?i)(?<=\w) for \w")
"""The purpose for which a thing is not used: "Never use moment for dates"."""
_OF_CODE = (
    r"(?:guest|admin|editor|visitor|member|helper|worker|class|handler|endpoint|parser|middleware|validator|function"
    r"|method|job|decorator|component|importer|exporter|module|hook|query)s?"
)
_DESCRIBED = lazy_pattern(
    r"(?i)(?:^|[.,;:!] )(?:(?:and|but|so|also) )?(?:(?:the|this|that|our|each|every"
    rf"|an?) )?(?:[\w-]{{1,30}} )?{_OF_CODE}(?: (?:also|still|itself))? $"
)
"""A part of the code or a kind of users as the subject of a prohibition, which describes what the code does."""
BY_CODE = lazy_pattern(rf"(?i)\bby (?:this|that|the|our|an?) (?:[\w-]{{1,30}} )?{_OF_CODE}\b")
"""A part of the code that does what a sentence in the passive voice says."""
_SENTENCE = lazy_pattern(r"[.;:!?]\s|\n")


class Ban(NamedTuple):
    """Actions that a sentence forbids."""

    actions: frozenset[str]
    """The actions, as in `rule_verbs`."""
    things: tuple[RuledThing, ...] = ()
    """The objects of the actions, any if empty. For `is_only`, the only objects that are allowed."""
    ending: str = ""
    """"approval" or "answer" of the user, which ends the rule, or a "condition" that cannot be checked."""
    is_only: bool = False
    """True if everything but the things is forbidden."""
    spared: tuple[RuledThing, ...] = ()
    """The exceptions in the sentence."""
    verbs: frozenset[str] = frozenset()
    """The verbs of the sentence."""
    spares_new: bool = False
    """True if new ones are allowed."""
    text: TextRule | None = None
    """Text that must not be written."""
    most: int = 0
    """Maximum number of sub-agents; 0 for a rule that is not about them."""
    together: bool = False
    """True if only sub-agents that run at the same time count."""


def ending_of(text: str, start: int) -> str:
    """Return what ends a rule whose words begin at a position."""
    return PAUSE if _SEEN_FIRST.search(text) else _ending_after(text, start)


def _ending_after(text: str, start: int) -> str:
    match = UNTIL.search(text, start) or IF.search(text, start)
    if match is None or _SCOPE.match(match[0]) or _TIME.match(match[0]):
        return ""
    if _ASKS_THEN.search(text, 0, match.end()):
        return PAUSE
    if ANSWERED.search(match[1]):
        return "answer"
    if ASKED.search(match[1]):
        depends = IF.search(text, match.start(1))
        return "condition" if depends and not ASKED.search(depends[1]) else PAUSE
    is_lasting = match[0].lower().startswith(("until", "till")) and not _REACHED.search(match[1])
    return "" if is_lasting else "condition"


def is_report(text: str, start: int) -> bool:
    """Return True if the words before a prohibition make it a report: "the script does not delete"."""
    head = text[:start]
    if _DESCRIBED.search(head):
        return True
    return bool(REPORTED.search(head) and not STATED.search(head[-60:] + text[start : start + 40])) or bool(
        HYPOTHETIC.match(text, start)
    )


def ban_of(verbs: list[str], phrase: str, ending: str, before: str = "") -> Iterator[Ban]:
    """Yield the ban of what some verbs say on what a phrase names, or what the words before it name."""
    own = frozenset(FORMS[verb.lower()] for verb in verbs if verb.lower() in FORMS)
    actions = _actions_of(own, phrase)
    if _OTHERS.match(phrase):
        return
    things = _objects(own, phrase)
    phrase = CUT.split(phrase, maxsplit=1)[0]
    if not things and actions & _OF_ALL and ALL.match(phrase):  # who may change nothing may not commit
        yield _of_all(actions, phrase)._replace(ending=ending, verbs=own)
        return
    if "install" in actions and _names_packages(own, things, phrase):
        yield Ban(frozenset(("install",)), (), ending, verbs=own)
        return
    things = (*_named_with(own, things, phrase, before), *_means(actions, phrase))
    if things or own & ALONE:
        yield Ban(actions, things, ending, verbs=own)
    if "use" in own and (purpose := _PURPOSE.search(phrase)):
        yield Ban(frozenset(("install",)), things_in(phrase[: purpose.start()]), ending, verbs=own)


def _names_packages(verbs: frozenset[str], things: tuple[RuledThing, ...], phrase: str) -> bool:
    """Return True if a phrase names packages, or whatever else can be installed: "anything new"."""
    return any(thing.head in _PACKAGES for thing in things) or (verbs <= _INSTALLS and bool(_ANY_NEW.match(phrase)))


def _of_all(actions: frozenset[str], phrase: str) -> Ban:
    """Return the ban of some actions on anything, or on all code. Documents are no code."""
    docs = things_in("docs") if _ONLY_CODE.fullmatch(phrase.strip()) else ()
    return Ban(actions | {"commit"} if "change" in actions else actions, spared=docs)


def _objects(verbs: frozenset[str], phrase: str) -> tuple[RuledThing, ...]:
    """Return what a phrase names, or its examples: "anything that costs money, like `terraform apply`"."""
    things = things_in(CUT.split(phrase, maxsplit=1)[0])
    if verbs & _OF_GIT and all(thing.words <= _IMPLIED for thing in things):
        return ()
    examples = None if things else EXAMPLES.search(phrase)
    return things_in(examples[1]) if examples else things


def _named_with(
    verbs: frozenset[str], things: tuple[RuledThing, ...], phrase: str, before: str
) -> tuple[RuledThing, ...]:
    """Return the things of a phrase that commands with some verbs name, or those that its pronoun points to."""
    if verbs <= _OF_HISTORY:
        return things
    named = _resolved(things, phrase, before)
    return tuple(filter(is_concrete, named)) if verbs <= _OF_WHOLE and not things else named


def _resolved(things: tuple[RuledThing, ...], phrase: str, before: str) -> tuple[RuledThing, ...]:
    """Return the things of a phrase, or those before it that its pronoun points to."""
    points = bool(before) and (not things or BACK.search(phrase) is not None)
    return (_antecedent(before) or things) if points else things


def _means(actions: frozenset[str], phrase: str) -> tuple[RuledThing, ...]:
    """Return what a phrase names as the means of writing something."""
    tool = _WITH.search(phrase) if "insert" in actions else None
    return things_in(tool[1]) if tool else ()


def _actions_of(verbs: frozenset[str], phrase: str) -> frozenset[str]:
    """Return the actions that some verbs mean. To write to a file is to change it."""
    actions = frozenset[str]().union(*(MEANT[verb] for verb in verbs))
    return actions | CHANGE if "write" in verbs and _TO_PLACE.match(phrase) else actions


def _antecedent(before: str) -> tuple[RuledThing, ...]:
    """Return what the clauses before a pronoun are about."""
    clause = _SENTENCE.split(before.rstrip(" ,;:.!-–—"))[-1]
    for pattern in (SUBJECT_OF, OBJECT_OF):
        if (match := pattern.search(clause)) and _names_thing(match[1]):
            port = _AT_PORT.search(clause)
            return (*things_in(match[1]), *(things_in(port[1]) if port else ()))
    paths = PATH.findall(clause)
    return things_in(paths[0]) if len(paths) == 1 else ()


def _names_thing(words: str) -> bool:
    return words.lower().split()[0] not in _NO_THINGS and not _PERSON.search(words)
