"""Claims about results: "all tests pass", "the build succeeds", "nothing is running"; and what contradicts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from inspector.core.text import cued_pattern, lazy_pattern, one_line
from inspector.engine.commands import CheckKind, check_kind, targets_of
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.state_items import StateItem, WorkState

_TOOLS = (
    r"clippy|eslint|ruff|flake8|rubocop|biome|prettier|mypy|pyright|tsc|pytest|vitest|jest|rspec|playwright|cypress"
)
_CHECK = (
    rf"tests?|specs?|suite|checks|build|compilation|pipeline|lint(?:er|ing)?|type ?checks?|type ?checking"
    rf"|types|ci|{_TOOLS}"
)
_TURNS = (
    r"(?: (?:now|all|still|also|again|run|runs|is|are|has|have|been|was|were|comes?|came|back|fully|completely)){0,4} "
)
_PASSES = cued_pattern(
    rf"(?i)\b({_CHECK}){_TURNS}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean|ok|successful(?:ly)?|fixed|happy"
    r"|(?:went|came|come|got) through|works?(?= (?:again|now|fine|on|for)\b|[,.;!]|$)|(?:0|no|zero) (?:failures"
    rf"|errors))\b|\b({_CHECK}|typescript|compiler)\b[^.,;:\n]{{0,40}}? (?:without|no|zero|0) (?:any |more |type "
    r"|lint )*(?:errors?|warnings?|failures?|issues|problems|findings)\b"
    r"|\b(?:it|everything|(?:the|this|our|your|whole) (?:[\w-]{2,30} ){0,2}[\w-]{2,30}|code|project|app"
    r"|docs) (?:now |also |still |again )*(compiles|builds|links)(?= (?:cleanly|fine|now|again|successfully"
    r"|without)|[.,;!]|$| and (?:\w{3,20}s|is|now)\b)"
    r"|\b\d{1,6} (examples|tests|specs|passed)\b[^.;\n]{0,20}? (?:0|no|zero) (?:failures|failed|errors)\b"
    r"|\b(tests?|specs?|suite|build|checks|lint)\b[^.;\n]{0,60}?\b(?:errors?|fail(?:ed|ures?)?)[=:] ?0\b"
    r"|\b(everything) (?:now |is |all )*(?:passes|green)\b|\b(\d{1,6})/\7 (?:tests? )?(?:pass(?:es|ed|ing)?|green"
    r"|ok)\b",
    "pass passes passed passing succeed succeeds succeeded green clean ok successful successfully fixed happy through"
    " work works without no zero 0 compiles builds links error errors fail failed failure failures",
)
"""A claim that a check passes, without its subject: "tests now pass", "tsc reports no errors"."""
_ELSEWHERE = lazy_pattern(
    r"(?i)\b(tests?|testes|pruebas|build|lint(?:er)?|ci|pipeline|compilación|compilation"
    r"|suite)\b[^.;:\n]{0,40}?\b(?:durch|grün|erfolgreich|bestanden|fehlerfrei|ohne fehler|passent|(?:au )?verts?"
    r"|réussi\w*|sans erreurs?|pasan|pasaron|en verde|sin errores|con éxito|passam|passaram|a passar|sem erros|passano"
    r"|verdi|senza errori|slagen|zonder fouten)(?=[\s.,;!]|$)|\b(тесты)(?: \w+)? (?:прошли|проходят|зел[её]ные)\b"
    r"|(测试|測試|构建|編譯|编译)(?:都|全部|已经|已|均|全)*(?:通[过過]|成功)|(テスト|ビルド)[はが]?(?:すべて|全て"
    r"|全部)?(?:通|パス|成功)|(테스트|빌드)[가는]? ?(?:모두 |전부 )?(?:통과|성공)"
)
"""The same in other languages than English."""
_WORKED = cued_pattern(
    r"(?i)\b((?:[\w-]{3,30} ){0,2}[\w-]{4,30}) (?:(?:has |have |had |now |was |were |is |are |also )*)"
    r"(?:succeed(?:ed|s)|worked|went through|(?:ran|finished|completed|applied|deployed|executed|rolled out)"
    r" (?:successfully|cleanly|fine|without (?:errors|problems))|successful)\b",
    "succeeded succeeds worked through successfully cleanly fine without successful",
)
"""A claim that something else succeeded: "The deployment went through"."""
_PARTICIPLE = cued_pattern(
    r"(?i)\b(?:is|are|was|were|has been|have been|got)(?: now| successfully| all| both)?"
    r" (pushed|published|deployed|installed|uploaded|merged|rebased|migrated|released|tagged|committed|applied"
    r"|imported|seeded|restarted|rolled out)\b",
    "pushed published deployed installed uploaded merged rebased migrated released tagged committed applied imported"
    " seeded restarted rolled",
)
"""A claim that a command was carried out: "The image is pushed"."""
_NONE_FAILS = cued_pattern(
    r"(?i)\b(?:no|zero|0) (?:more )?(?:failing|failed|broken) (tests?|specs?|checks)\b", "failing failed broken"
)
_CLAUSE = lazy_pattern(r"[,:;(]")
_PART = lazy_pattern(r"[,;] (?:and|so|then) ")
_CONDITION = lazy_pattern(r"(?i)^\W*(?:if|once|when|until|unless|whether|should|make sure|ensure|verify)\b")
_FINISHED = lazy_pattern(
    r"(?i)\b(?:is|are|was|were|has|have|had|works?|done|ready|pass(?:es)?|builds?|\w{3,20}ed)\b[^,;:()\n]{0,80}?"
    r" (?:and|but|so|while) "
)
"""A clause with a verb before another one: "The parser is fixed and"."""
_SUBJECT = 4
"""Words before the check that may name its subject: "all refund tests"."""
_NOTHING_RUNS = cued_pattern(
    r"(?i)\b(?:nothing|no (?:background )?(?:tasks?|process(?:es)?|commands?|servers?|jobs?"
    r"|agents?))\b[^.\n]{0,40}\b(?:running|active|alive)\b"
    r"|\bnot running (?:any(?:thing)?|in the background)\b|\bes läuft nichts\b",
    "running active alive läuft",
)
_UNCERTAIN = lazy_pattern(
    r"(?i)^\W*(?:make|get|have|run|fix|keep|see|confirm|check)\b|\b(?:if|once|when|until|unless|whether|should|would"
    r"|will|must|make sure|ensure|verify|so that|expect\w*|hope\w*|need\w*|want\w*|to (?:make|get|have)|not all"
    r"|not yet|don[’']?t|do not|doesn[’']?t|can[’']?t|cannot|before|asked|aim|goal|except|but|still fail\w*|only|some"
    r"|most|other|rest|could|may|might|let me|i[’']ll)\b|\?$"
)
_COUNTED = frozenset(("examples", "everything"))
_ALL = content_words(
    "test tests unit-test suite everything recap here all whole full entire passing now relevant every both "
    "existing these those summary work done two three four five six seven eight nine ten eleven twelve"
)
_BROWSER_TESTS = ("playwright", "cypress", "webdriver", "puppeteer")
_END_TO_END = content_words("e2e end-to-end browser")
_UNIT = content_words("unit")
_LANGUAGES = content_words("go golang rust python ruby java kotlin swift js javascript ts typescript php elixir node")
"""Subjects of claims that say of a check in which language it is: "all Go tests are green"."""
_ANY_LANGUAGE = ("make", "just", "task", "npm", "pnpm", "yarn", "bazel", "nox", "tox")
"""Programs of checks in whatever language."""
_KINDS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    ("build", lazy_pattern(r"(?i)^(?:builds?|compiles|compilation|compilación|compiler|构建|編譯|编译|ビルド|빌드)$")),
    ("lint", lazy_pattern(r"(?i)^(?:lint.*|clippy|eslint|ruff|flake8|rubocop|biome|prettier)$")),
    ("types", lazy_pattern(r"(?i)^(?:type.*|mypy|pyright|tsc)$")),
)
_MAX_SENTENCE = 600
_LEAST_SHARED = 5
"""Letters that a word of a claim and one of a command share."""
_LEAST_NAME = 3
"""Letters of a word of a command that begins one of a claim: "win" and "windows"."""
_LEAST_STEM = 4
"""Letters of a word that begins another one: "migr" and "migrat"."""


class Claim(NamedTuple):
    """A sentence that states a result."""

    text: str
    kind: CheckKind
    """The check that is claimed to pass; "" for another command, or for the claim that nothing is running."""
    subject: frozenset[str]
    """Words that name the part, or the other command; empty for everything."""


def claims_in(text: str) -> Iterator[Claim]:
    """Yield the claims about results in a text. Conditions, wishes and intentions are none."""
    for sentence in map(one_line, sentences_of(text)):
        if len(sentence) <= _MAX_SENTENCE and (claim := _claim_of(sentence)):
            yield claim


@lru_cache(maxsize=1 << 14)
def _claim_of(sentence: str) -> Claim | None:
    """Return the first claim in a sentence, from a cache: the next summary repeats most of its sentences."""
    if _CONDITION.match(sentence):
        return None
    parts = (part for part in _PART.split(sentence) if not _UNCERTAIN.search(part))
    claim = next(filter(None, map(_claim_in, parts)), None)
    return claim and claim._replace(text=sentence)


def _claim_in(sentence: str) -> Claim | None:
    if _NOTHING_RUNS.search(sentence):
        return Claim(sentence, "", frozenset())
    if match := _PASSES.search(sentence) or _NONE_FAILS.search(sentence):
        name = next(filter(None, match.groups()), "")
        before = _FINISHED.split(_CLAUSE.split(sentence[: match.start()])[-1])[-1]
        words = content_words(" ".join(before.split()[-_SUBJECT:])) - _ALL
        is_whole = name.lower() in _COUNTED or name.isdigit()
        subject = frozenset(word for word in words if not (is_whole or word[0].isdigit()))
        return Claim(sentence, _kind_of(name), subject)
    if match := _ELSEWHERE.search(sentence):
        return Claim(sentence, _kind_of(next(filter(None, match.groups()))), frozenset())
    match = _WORKED.search(sentence) or _PARTICIPLE.search(sentence)
    is_claim = match and not is_negated(sentence[: match.end()])
    return Claim(sentence, "", content_words(match[1])) if match and is_claim else None


def _kind_of(name: str) -> CheckKind:
    return next((kind for kind, pattern in _KINDS if pattern.search(name)), "tests")


def may_contradict(state: WorkState) -> bool:
    """Return True if a state has a failure or process that a claim can go against."""
    return next(chain(state.of("failure"), state.of("running")), None) is not None


def is_contradicted(claim: Claim, state: WorkState) -> StateItem | None:
    """Return the failure or process that contradicts a claim in a state; None if nothing does."""
    if not claim.kind and not claim.subject:
        return next(iter(state.of("running")), None)
    if not claim.kind:
        failures = (item for item in state.of("failure") if not check_kind(item.name))
        return next((item for item in failures if _is_subject(claim.subject, item.name)), None)
    failures = (item for item in state.of("failure") if check_kind(item.name) == claim.kind)
    return next((item for item in failures if _is_claimed(claim, item.name)), None)


def _is_claimed(claim: Claim, command: str) -> bool:
    """Return True if a claim covers what a failing check checks."""
    is_driven = any(program in command for program in _BROWSER_TESTS)
    about = _command_words(command) | (_END_TO_END if is_driven else frozenset())
    is_whole = claim.subject == _UNIT and not is_driven and not targets_of(command)
    is_about = any(word.startswith(other) for word in claim.subject for other in about if len(other) >= _LEAST_NAME)
    is_whole = is_whole or (claim.subject <= _LANGUAGES and command.startswith(_ANY_LANGUAGE))
    return not claim.subject or bool(claim.subject & about) or is_about or is_whole


def _command_words(command: str) -> frozenset[str]:
    return content_words(command.replace("_", " ").replace("/", " ").replace(".", " "))


def _is_subject(subject: frozenset[str], command: str) -> bool:
    """Return True if a claim is about a command: a word of it begins as its subject does."""
    pairs = ((word, other) for word in subject for other in _command_words(command))
    return any(
        (word[:_LEAST_SHARED] == other[:_LEAST_SHARED] and len(word) >= _LEAST_SHARED)
        or (min(len(word), len(other)) >= _LEAST_STEM and (word.startswith(other) or other.startswith(word)))
        for word, other in pairs
    )
