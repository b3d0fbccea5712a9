"""Statements of memories: the values of attributes that a sentence chooses or rejects, and their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from inspector.core.text import word_set
from inspector.engine.facts import content_words, sentences_of, stem

# "PostgreSQL 15", "tabs", "Thursdays"
VALUES: Mapping[str, str] = {
    "package manager": r"npm|pnpm|yarn|bun",
    "Python package manager": r"pip|poetry|uv|pipenv|conda",
    "indentation": r"tabs?|spaces",
    "quotes": r"(?:single|double)(?=[- ]quot)",
    "database": r"postgres(?:ql)?|mysql|mariadb|sqlite|mongo(?:db)?|oracle|dynamodb|cassandra|cockroachdb|sql server",
    "weekday": r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
    "test runner": r"jest|vitest|mocha|jasmine|ava",
    "Python test runner": r"pytest|unittest|nose2?",
    "browser tests": r"playwright|cypress|selenium|puppeteer",
    "formatter": r"prettier|biome|dprint",
    "language": r"english|spanish|german|french|italian|portuguese|dutch|japanese|chinese|korean|russian|polish"
    r"|turkish",
    "theme": r"(?:dark|light)(?= (?:mode|theme))",
    "merge": r"rebas(?:e|ing)|squash(?:ing)?|merge commits?",
    "commit language": r"conventional commits|gitmoji",
    "commit mood": r"imperative|past tense|present tense",
    "time zone": r"utc|local time(?: ?zone)?|server time",
    "naming": r"camelcase|camel case|snake_case|snake case|kebab-case|pascalcase",
    "server state": r"react[- ]query|tanstack query|swr|apollo",
    "state library": r"redux|zustand|mobx|jotai|recoil",
    "ORM": r"prisma|drizzle|typeorm|sequelize|knex",
    "styles": r"tailwind(?: ?css)?|styled-components|css modules|emotion|sass|scss",
    "editor": r"vim|neovim|emacs|vs ?code|pycharm|intellij",
}
_ALIASES = {
    "postgresql": "postgres",
    "mongodb": "mongo",
    "tab": "tabs",
    "rebasing": "rebase",
    "squashing": "squash",
    "tailwindcss": "tailwind",
    "tailwind css": "tailwind",
    "vscode": "vs code",
    "scss": "sass",
    "camel case": "camelcase",
    "snake case": "snake_case",
    "local time zone": "local time",
    "local timezone": "local time",
    "react-query": "react query",
}
_VALUE = re.compile(
    "(?i)(?<![\\w./@-])(?:" + "|".join(f"(?P<v{n}>{words})" for n, words in enumerate(VALUES.values())) + ")(?![\\w/-])"
)
_ATTRIBUTES = tuple(VALUES)
_REJECTS = re.compile(
    r"(?i)\b(?:never|not|don[’']t|do not|avoid|no|no longer|instead of|rather than|over|without|from|stop using"
    r"|replaces?|replaced|dislikes?|hates?|isn[’']t|aren[’']t|deprecated)\b"
    r"(?:[ “\"'(]{1,2}(?!(?:to|with|by)\b)[\w-]+){0,2}[ “\"'(]{1,3}$"
)
# "npm install", "pytest -q"
_COMMAND = re.compile(
    r"(?i)^ (?:(?:run|install|i|ci|test|start|publish|audit|exec|create|init|add|remove|sync|build|dev|lint|format|dlx"
    r"|x|pip|workspaces?|typecheck)\b|--?\w|\S{0,80}/)"
)
_EXPLICIT = re.compile(r"(?i)\b(?:use|uses|using|always|only|prefer)\W{1,3}$")
_CHOOSES = re.compile(
    r"(?i)\b(?:uses?|using|used|prefers?|preferred|always|must|should|only|install\w*|manage\w*|manager|via|with|to|in|on"
    r"|is|are|run|runs|happens?|answers?|likes?|loves?|now|speaks?|learning|by|write|writes|written|indent\w*|format\w*"
    r"|adopt\w*|takes?|choose|default\w*|standard\w*)\b(?:[^\w.;!?]{1,3}[\w’']+){0,4}[^\w.;!?]{1,4}$|^\W*$|:\W*$"
)
_MOVED = re.compile(r"(?i)\b(?:moved|migrated|switched|changed|converted|upgraded)\b|\bno longer\b|\bnow\b|\bsince\b")
_LANGUAGE = re.compile(
    r"(?i)\b(?:answer|respon|repl|speak|spoke|write|written|prefer|language|comment|document|communicat)"
)
_NARROWS = re.compile(
    r"(?i)\b(?:for|in|within|under|inside|when|if|on|at|during|only|unless|except|until|before|after)\b"
)
_AREAS = word_set(
    "frontend backend server client web mobile api python typescript javascript go rust java kotlin swift ruby php sql "
    "css html markdown yaml json docs documentation tests "
    "test testing ci e2e ios android infra scripts cli ui sdk example examples production prod development dev staging "
    "local"
)
_PARTS = word_set("frontend backend staging production web mobile ios android feature release hotfix")
"""Areas that narrow a rule wherever it names them: "Deploy staging on Mondays"."""
_OF_TEST_RUNNERS = frozenset({"test runner", "Python test runner", "browser tests"})
_REPLIES = re.compile(r"(?i)\b(?:answer|respon|repl|speak|spoke)")
_GENERIC = frozenset(
    map(
        stem,
        word_set(
            "folder directory package packages project repo repository code file files dependencies strings string "
            "formatting tests testing end-to-end state installing indentation styling everything all persistence data "
            "storage database access name names naming component components merging"
        ),
    )
)
"""Stems that do not narrow a rule by themselves: "in the web folder"."""
_CONDITIONS = re.compile(
    r"(?i)\b(?:unless|except|only|for|without|until|before|after|when|if|while|directly|manually|first|via|through|instead|again"
    r"|otherwise|both|either|or)\b"
)
_NEGATIVE = re.compile(r"(?i)^\W*(?:please )?(?:never|do not|don[’']?t|avoid|must not|no|you must (?:not|never))\b:?")
_POSITIVE = re.compile(r"(?i)^\W*(?:please )?(?:always|you must|must|make sure (?:to|you)|remember to|be sure to)?\b")
_FILLERS = word_set("always never must should please ever sure using used avoid prefer")
_SUBJECT = re.compile(
    r"(?i)^(?:the |a |an |our |my )?(.{1,60}?)\s(?:uses?|is|are|was|has|have|had|prefers?|likes?|loves?|happens?"
    r"|happen|moved|migrated|switched|runs?|lives?|works?|takes?|leaves?|ships?|starts?|speaks?|hates?|dislikes?"
    r"|wants?|stores?|deploys?)\b"
)
_PRONOUNS = word_set("user he she they it we i you this that there")
_CLAUSE_END = re.compile(r"[,;:—–(]| - ")
_LETTERS = re.compile(r"\w+")
_WORDS = re.compile(r"\w(?:[\w./+#-]*\w)?")
_MAX_SENTENCE, _MAX_RULE = 400, 160
"""Maximum length in characters of a sentence, and of a rule that is compared with its opposite."""
_MIN_RULE_WORDS = 2
_USE = "use"
"""Verb of rules that need only one more word: "Never use semicolons"."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that chooses or rejects values of an attribute."""

    attribute: str
    chosen: frozenset[str]
    rejected: frozenset[str]
    subject: frozenset[str]
    """Stems of the thing that it is about; empty for a rule, or if it is about the user."""
    scope: frozenset[str]
    """Stems of words that narrow it."""
    text: str
    has_moved: bool = False
    is_exact: bool = False
    """True if another value contradicts it only if both are about the very same thing."""


@lru_cache(maxsize=1 << 13)
def sentences_in(text: str) -> tuple[str, ...]:
    """Return the sentences of an item, without the signs of Markdown."""
    plain = text.replace("**", "").replace("__", "").replace("`", "")
    return tuple(sentence for sentence in sentences_of(plain) if len(sentence) <= _MAX_SENTENCE)


def statements_in(text: str, subject: str = "", area: str = "") -> Iterator[Statement]:
    """Yield the statements of an item.

    Args:
        text: Its text.
        subject: Name of the thing that the item is about, if it does not name it itself.
        area: Headings above it.
    """
    for sentence in sentences_in(text):
        yield from _by_words(sentence, subject, area)
        if _QUANTITY.search(sentence):
            yield from _by_quantity(sentence)
        if _ASKING.search(sentence):
            yield from _by_approval(sentence)
        if _PREDICATE.search(sentence):
            yield from _by_predicate(sentence, subject)


def _by_words(sentence: str, subject: str, area: str) -> Iterator[Statement]:
    chosen: dict[str, set[str]] = {}
    rejected: dict[str, set[str]] = {}
    after = 0
    for match in _VALUE.finditer(sentence):
        name = _ATTRIBUTES[int(str(match.lastgroup)[1:])]
        value = match[0].lower()
        value = _ALIASES.get(value, value)
        value = value.removesuffix("s") if name == "weekday" else value
        if name == "language" and not _LANGUAGE.search(sentence):
            continue
        before, after = sentence[: match.start()], match.end()
        if _COMMAND.match(sentence[after:]) and not _EXPLICIT.search(before[-20:]):
            continue
        if _REJECTS.search(before[-60:]):
            rejected.setdefault(name, set()).add(value)
        elif _CHOOSES.search(before[-80:]) or name in chosen:
            chosen.setdefault(name, set()).add(value)
    for name in chosen.keys() | rejected.keys():
        is_exact = name == "weekday"
        about = content_words(_VALUE.sub(" ", sentence)) if is_exact else _subject_of(sentence, subject)
        yield Statement(
            name,
            frozenset(chosen.get(name, ())),
            frozenset(rejected.get(name, ())),
            about - content_words(name),
            _scope_of_value(name, sentence, after, area),
            sentence,
            bool(_MOVED.search(sentence)),
            is_exact,
        )


def _scope_of_value(name: str, sentence: str, after: int, area: str) -> frozenset[str]:
    """Return the words that narrow the choice of a value: those after it, and parts of the project."""
    scope = _scope_of_words(sentence[after:], area) | (frozenset(_WORDS.findall(sentence.lower())) & _PARTS)
    if name not in _OF_TEST_RUNNERS:
        narrow = _NARROWS.search(sentence[after:])
        scope |= areas_in(sentence[after + narrow.start() :]) if narrow else frozenset()
    if name == "language":
        scope |= {"replies"} if _REPLIES.search(sentence) else areas_in(sentence)
    return scope - content_words(name) - frozenset(name.lower().split())


def _subject_of(sentence: str, subject: str) -> frozenset[str]:
    match = _SUBJECT.match(sentence)
    words = frozenset(stem(word) for word in _LETTERS.findall(match[1])) if match else frozenset()
    words -= {stem(word) for word in (*_PRONOUNS, *_FILLERS, "the", "all")}
    return words or frozenset(content_words(subject))


def _scope_of_words(rest: str, area: str) -> frozenset[str]:
    narrow = _NARROWS.search(rest)
    words = content_words(rest[narrow.end() :]) - _GENERIC if narrow else frozenset[str]()
    return words | areas_in(area)


def areas_in(text: str) -> frozenset[str]:
    """Return the languages and parts of a project that a text names."""
    return frozenset(word for word in _WORDS.findall(text.lower()) if word in _AREAS)


_OF_TESTS = word_set("test tests testing")
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_QUANTITIES: Mapping[str, re.Pattern[str]] = {
    "line length": re.compile(
        r"(?i)\bline (?:length|width)s?\b[^.\d]{0,25}(\d{2,3})\b|\b(\d{2,3})[- ](?:char(?:acter)?s?|columns?)\b"
    ),
    "coverage": re.compile(r"(?i)(\d{2,3}) ?%[^.\d]{0,25}\bcoverage|\bcoverage\b[^.\d]{0,30}(\d{2,3}) ?%"),
    "indentation width": re.compile(r"(?i)\b(2|4|8|two|four|eight)[- ]spaces?\b"),
    "Python version": re.compile(
        r"(?i)\b(?:use|requires?|targets?|runs?|on) python ?(?:version |>= ?)?(3\.\d{1,2})\b"
        r"|\bpython (3\.\d{1,2}) (?:is|as) (?:the )?(?:minimum|required)"
        r"|\bminimum python (?:version )?(?:is )?(3\.\d{1,2})\b"
    ),
    "Node version": re.compile(
        r"(?i)\b(?:use|requires?|targets?|runs?|on) node(?:\.js)? ?(?:version |>= ?)?v?(\d{2})\b"
    ),
}
# "Standup is at 9:30", "Kim lives in Graz", "The timeout is 30 seconds"
_PREDICATES: Mapping[str, re.Pattern[str]] = {
    "place": re.compile(
        r"(?i)^(.{1,60}?) (?:now )?(?:lives? in|resides? in|is based in|(?:has )?moved to|relocated to) ([\w .-]{2,40})"
    ),
    "employer": re.compile(
        r"(?i)^(.{1,60}?) (?:now )?(?:works? (?:at|for)|is employed (?:at|by)|(?:has )?joined) ([\w .&-]{2,40})"
    ),
    "name": re.compile(r"(?i)^(.{0,60}?)(?:name is|is named|is called|goes by) ([\w .-]{2,40})"),
    "time": re.compile(
        r"(?i)^(.{1,60}?) (?:is|are|starts?|begins?|happens?|takes? place|runs?|leaves?|meets?)(?: now)? (?:at|by)"
        r" (\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)"
    ),
    "favorite": re.compile(r"(?i)^(.{0,40}favou?rite .{1,30}?) (?:is|are) ([\w .-]{2,40})"),
    "number": re.compile(
        r"(?i)^(.{3,60}?) (?:is|are|has|have|takes?|costs?|expires? (?:in|after)|listens on(?: port)?|is set to"
        r"|defaults? to|lasts?|runs on port|must be|should be)(?: now)?(?: at (?:least|most))?"
        r" (\d[\d.,:]*|two|three|four|five|six|seven|eight) ?([%\w]{0,12})"
    ),
}

_ASKING = re.compile(r"(?i)\b(?:ask|asking|asked|check with|approval|permission|confirmation)\b")
_QUANTITY = re.compile(r"(?i)\d|(?:two|four|eight)[- ]space")
_PREDICATE = re.compile(
    r"(?i)\b(?:lives?|resides?|based|moved|relocated|works?|employed|joined|name|named|called|goes)\b|favou?rite"
    r"|\d| (?:two|three|four|five|six|seven|eight)\b"
)
"""Signs of the sentences that one of the patterns above may match. Most sentences have none."""


def _by_quantity(sentence: str) -> Iterator[Statement]:
    for name, pattern in _QUANTITIES.items():
        if values := {value.lower() for match in pattern.finditer(sentence) for value in match.groups() if value}:
            chosen = frozenset(_NUMBERS.get(value, value) for value in values)
            last = max(match.end() for match in pattern.finditer(sentence))
            scope = (areas_in(sentence) - _OF_TESTS - word_set(name.lower())) | _scope_of_words(sentence[last:], "")
            yield Statement(name, chosen, frozenset(), frozenset(), scope, sentence)


_ASKS_FIRST = re.compile(
    r"(?i)^(?:please |always )?(?:ask|check with|get (?:approval|permission|confirmation))\b.{0,40}?\bbefore "
    r"(?:you )?(.{4,80})"
    r"|^(?:never|do not|don[’']?t) (.{4,80}?) without (?:asking|approval|permission|confirmation|being asked)"
)
_ASKS_NOT = re.compile(
    r"(?i)^(?!never|do not|don[’']?t)(?:you (?:can|may) )?(.{4,80}?)"
    r" without (?:asking|approval|permission|confirmation|being asked)"
)


def _by_approval(sentence: str) -> Iterator[Statement]:
    """Yield whether a rule wants the agent to ask before it does something."""
    for pattern, value in ((_ASKS_FIRST, "ask first"), (_ASKS_NOT, "do not ask")):
        if match := pattern.match(sentence):
            about = frozenset(content_words(next(filter(None, match.groups()))))
            yield Statement("approval", frozenset({value}), frozenset(), about, frozenset(), sentence, is_exact=True)


def _by_predicate(sentence: str, subject: str) -> Iterator[Statement]:
    for name, pattern in _PREDICATES.items():
        match = pattern.match(sentence)
        if match is None:
            continue
        words = content_words(match[1]) - {stem(word) for word in _PRONOUNS}
        value = " ".join(match[2].lower().split()[:3]).rstrip(" .-")
        unit = match[3].lower() if name == "number" else ""
        value = _NUMBERS.get(value, value)
        about, has_moved = words or content_words(subject), bool(_MOVED.search(sentence))
        attribute, scope = f"{name} {unit}".strip(), areas_in(sentence) or frozenset({name})
        yield Statement(attribute, frozenset({value}), frozenset(), about, scope, sentence, has_moved, True)


def opposite_rule(text: str) -> tuple[bool, tuple[str, ...]] | None:
    """Return whether a rule forbids something, and the stems of its words in order; None for any other sentence.

    A sentence with a condition is none, because its opposite may hold otherwise.
    """
    forbids = _NEGATIVE.match(text)
    if _CONDITIONS.search(text) or len(text) > _MAX_RULE:
        return None
    start = forbids or _POSITIVE.match(text)
    clause = _CLAUSE_END.split(text[start.end() if start else 0 :], maxsplit=1)[0]
    words = [word for word in _WORDS.findall(clause) if content_words(word) and word.lower() not in _FILLERS]
    stems = tuple(dict.fromkeys(stem(word) for word in words if word.lower() != _USE))
    least = 1 if len(words) > len(stems) or text.lower().startswith("avoid") else _MIN_RULE_WORDS
    return (bool(forbids), stems) if len(stems) >= least else None
