"""Claims about results: "all tests pass", "the build succeeds", "nothing is running"; and what contradicts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from inspector.core.text import one_line
from inspector.engine.facts import content_words, sentences_of
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.work_checks import CheckKind, check_kind, targets_of

_PASSES = re.compile(
    r"(?i)\b(tests?|specs?|suite|checks|build|lint(?:er|ing)?|type ?checks?|types|ci)"
    r"(?: (?:now|all|still|also|is|are|has|have|run|runs|was|were)){0,3} "
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean|ok|successful|fixed|(?:0|no|zero) (?:failures|errors))\b"
)
"""A claim that a check passes, without its subject: "tests now pass"."""
_NONE_FAILS = re.compile(r"(?i)\b(?:no|zero|0) (?:more )?(?:failing|failed|broken) (tests?|specs?|checks)\b")
_CLAUSE = re.compile(r"[,:;(]")
_SUBJECT = 4
"""Words before the check that may name its subject: "all refund tests"."""
_NOTHING_RUNS = re.compile(
    r"(?i)\b(?:nothing|no (?:background )?(?:tasks?|process(?:es)?|commands?|servers?|jobs?"
    r"|agents?))\b[^.\n]{0,40}\brunning\b"
    r"|\bnot running (?:any(?:thing)?|in the background)\b|\bes läuft nichts\b"
)
_UNCERTAIN = re.compile(
    r"(?i)^\W*(?:make|get|have|run|fix|keep|see|confirm|check)\b|\b(?:if|once|when|until|unless|whether|should"
    r"|would|will|must|make sure|ensure|verify|so that|expect\w*|hope\w*|need\w*|want\w*|to (?:make|get|have)"
    r"|not all|don[’']?t|do not|doesn[’']?t|before|after|asked|aim|goal|except|but|still fail\w*|only|some|most"
    r"|other|rest|could|may|might|let me|i[’']ll)\b|\?$"
)
_ALL = content_words("all whole full entire passing now relevant every both existing these those summary work done")
_BROWSER_TESTS = ("playwright", "cypress", "webdriver", "puppeteer")
_END_TO_END = content_words("e2e end-to-end browser")
_UNIT = content_words("unit")
_KINDS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    ("tests", re.compile(r"(?i)^(?:tests?|specs?|suite|checks|ci)$")),
    ("build", re.compile(r"(?i)^build$")),
    ("lint", re.compile(r"(?i)^lint")),
    ("types", re.compile(r"(?i)^type")),
)


class Claim(NamedTuple):
    """A sentence that states a result."""

    text: str
    kind: CheckKind
    """The check that is claimed to pass; "" for the claim that nothing is running."""
    subject: frozenset[str]
    """Words that name the part; empty for everything."""


def claims_in(text: str) -> Iterator[Claim]:
    """Yield the claims about results in a text. Conditions, wishes and intentions are none."""
    for sentence in map(one_line, sentences_of(text)):
        if len(sentence) > 600:
            continue
        nothing, match = _NOTHING_RUNS.search(sentence), _PASSES.search(sentence) or _NONE_FAILS.search(sentence)
        if not (nothing or match) or _UNCERTAIN.search(sentence):
            continue
        if nothing:
            yield Claim(sentence, "", frozenset())
        elif match:
            kind = next(kind for kind, pattern in _KINDS if pattern.search(match[1]))
            before = _CLAUSE.split(sentence[: match.start()])[-1]
            yield Claim(sentence, kind, content_words(" ".join(before.split()[-_SUBJECT:])) - _ALL)


def is_contradicted(claim: Claim, state: WorkState) -> StateItem | None:
    """Return the failure or process that contradicts a claim in a state; None if nothing does."""
    if not claim.kind:
        return next(iter(state.of("running")), None)
    for item in state.of("failure"):
        if check_kind(item.name) == claim.kind:
            about = content_words(item.name.replace("_", " ").replace("/", " ").replace(".", " "))
            is_driven = any(program in item.name for program in _BROWSER_TESTS)
            about |= _END_TO_END if is_driven else frozenset()
            is_whole = claim.subject == _UNIT and not is_driven and not targets_of(item.name)
            if not claim.subject or claim.subject & about or is_whole:
                return item
    return None
