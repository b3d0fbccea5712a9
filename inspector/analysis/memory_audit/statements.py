"""Statements of memories: the values of attributes that a sentence chooses or rejects, and their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from inspector.analysis.memory_audit.same_words import REASON
from inspector.analysis.memory_audit.stated_values import ALIASES, FIRST_WORDS, VALUES
from inspector.core.text import cued_pattern, lazy_pattern, said_in, word_set
from inspector.engine.facts import content_words, is_imperative, sentences_of, stem, stem_set

_VALUE = lazy_pattern(
    "(?i)(?<![\\w./@-])(?:"
    + "|".join(f"(?P<v{n}>{words})" for n, words in enumerate(VALUES.values()))
    + r")(?![\w/\\-]|\.\w|['’]s\b)"
)
_ATTRIBUTES = tuple(VALUES)
_REJECTS = lazy_pattern(
    r"(?i)(?:\b(?:never(?! an? )|not(?! an? )|don[’']t|do not|avoid|no longer|instead of|rather than|over|stop using"
    r"|replaces?|replaced|dislikes?|hates?|isn[’']t|aren[’']t|deprecated)\b|(?:^|[—–,;(] ?)no\b)"
    r"(?: (?:the|any|use|uses|using|call|run|install|write|writing|indent|indenting|answer|reply|mix|import|add|adopt"
    r"|deploy|in|with|on)){0,2}[ “\"'(]{1,3}$"
)
# "npm install", "pytest -q"
_COMMAND = lazy_pattern(
    r"(?i)^ (?:(?:run|install|i|ci|test|start|publish|audit|exec|create|init|add|remove|sync|build|dev|lint|format|dlx"
    r"|x|pip|workspaces?|typecheck)\b|--?\w|\S{0,80}/)"
)
_NAMES_A_PATH = lazy_pattern(r"\S{0,80}[/.]\S{0,80}(?::| [-—–]) ")
"""Beginning of a sentence that describes a file or folder: "data/: SQLite files". It chooses no value."""
_DESCRIBES = lazy_pattern(
    r"(?i):| (?:does(?:n[’']t| not)|do(?:n[’']t| not)|supports?|ha(?:s|ve)|can(?:not)?|may|requires?|needs?"
    r"|is an? (?:accepted|supported|valid|alternative))\b"
)
"""Continuation of a sentence that says something about a value instead of choosing it: "SQLite has no types"."""
_EXPLICIT = lazy_pattern(r"(?i)\b(?:use|uses|using|always|only|prefer)\W{1,3}$")
_INSTALLS = lazy_pattern(r"(?i)^\W*run\W{1,3} (?:install|ci|i|add)\b")
_CHOOSES = lazy_pattern(
    r"(?i)\b(?:uses?|using|used|prefers?|preferred|always|must|should|only|install\w*|manage\w*|manager|via|with|to|in|on"
    r"|is|are|run|runs|happens?|answers?|likes?|loves?|now|speaks?|learning|by|write|writes|written|indent\w*|format\w*"
    r"|adopt\w*|follows?|takes?|choose|default\w*|standard\w*)\b(?:[^\w.;!?]{1,3}[\w’']+){0,4}[^\w.;!?]{1,4}$|^\W*$|:\W*$"
)
_MOVED = cued_pattern(
    r"(?i)\b(?:moved|migrated|switched|changed|converted|upgraded)\b|\bno longer\b|\bnow\b|\bsince\b",
    "moved migrated switched changed converted upgraded no now since",
)
_LANGUAGE = lazy_pattern(
    r"(?i)\b(?:answer|respon|repl|speak|spoke|write|written|prefer|language|comment|document|communicat|interface|\bui\b)"
)
_IS_ABOUT = {
    "language": _LANGUAGE,
    "docstring style": lazy_pattern(r"(?i)\bdocstrings?\b"),
    "Python formatter": lazy_pattern(r"(?i)\bformat"),
    "log library": lazy_pattern(r"(?i)\blog(?:s|ged|ging|ger)?\b"),
}
"""Words without which the values of an attribute mean something else."""
_NARROWS = lazy_pattern(
    r"(?i)\b(?:for|in|within|under|inside|across|between|when|if|on|at|during|only|unless|except|until|before|after)\b"
)
_FOLDER = lazy_pattern(r"(?<![\w./-])[\w.-]{1,40}/(?![\w.*/-])")
_ACROSS = cued_pattern(r"(?i)\b(?:across|between|outside|beyond)\b", "across between outside beyond")
_MERGED = stem_set("all pull request pr prs requests branch branches commit commits history feature")
_AREAS = word_set(
    "frontend backend server client web mobile api python typescript javascript go rust java kotlin swift ruby php sql "
    "css html markdown yaml json docs documentation tests "
    "test testing ci e2e ios android infra scripts cli ui sdk example examples production prod development dev staging "
    "local"
)
LANGUAGES = word_set("python typescript javascript go rust java kotlin swift ruby php")
"""Areas that narrow nothing in a project that names only one of them."""
_PARTS = word_set("ci frontend backend staging production web mobile ios android feature release hotfix")
"""Areas that narrow a rule wherever it names them: "Deploy staging on Mondays"."""
_OF_TEST_RUNNERS = frozenset({"test runner", "Python test runner", "browser tests"})
_REPLIES = lazy_pattern(r"(?i)\b(?:answer|respon|repl|speak|spoke)")
_GENERIC = stem_set(
    "folder directory package packages project repo repository code file files dependencies strings string "
    "formatting tests testing end-to-end state management installing indentation styling everything all persistence "
    "data storage database access name names naming component components merging"
)
"""Stems that do not narrow a rule by themselves: "in the web folder"."""
FILLERS = word_set("always never must should please ever sure using used avoid prefer")
_SUBJECT = lazy_pattern(
    r"(?i)^(?:the |a |an |our |my )?(.{1,60}?)\s(?:uses?|is|are|was|has|have|had|prefers?|likes?|loves?|happens?"
    r"|happen|moved|migrated|switched|runs?|lives?|works?|takes?|leaves?|ships?|starts?|speaks?|hates?|dislikes?"
    r"|wants?|stores?|deploys?)\b"
)
_PRONOUNS = word_set("user he she they it we i you this that there")
_LETTERS = lazy_pattern(r"\w+")
_WORDS = lazy_pattern(r"\w(?:[\w./+#-]*\w)?")
_MAX_SENTENCE = 400
"""Maximum length in characters of a sentence."""


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


_LONG_NAMES = {"JS": "JavaScript", "TS": "TypeScript"}
_SHORT_NAME = lazy_pattern(r"\b[JT]S\b")


@lru_cache(maxsize=1 << 13)
def sentences_in(text: str) -> tuple[str, ...]:
    """Return the sentences of an item, without the signs of Markdown."""
    plain = _SHORT_NAME.sub(lambda match: _LONG_NAMES[match[0]], text)
    plain = plain.replace("**", "").replace("__", "").replace("`", "")
    return tuple(sentence for sentence in sentences_of(plain) if len(sentence) <= _MAX_SENTENCE)


def statements_in(text: str, subject: str = "", area: str = "", *, is_rule: bool = False) -> Iterator[Statement]:
    """Yield the statements of an item.

    Args:
        text: Its text.
        subject: Name of the thing that the item is about, if it does not name it itself.
        area: Headings above it.
        is_rule: True to yield only those of sentences that demand or choose something, as in a rule file.
    """
    for number, sentence in enumerate(sentences_in(text)):
        if not _has_sign(sentence):
            continue
        if is_rule and ("→" in text or not is_choice(sentence) or (number and OF_LAST.match(sentence))):
            continue
        if _names_value(sentence):
            yield from _by_words(sentence, subject, area)
        if _has_quantity(sentence):
            yield from _by_quantity(sentence, area)
        if _has_predicate(sentence):
            yield from _by_predicate(sentence, subject, _RULED if is_rule else tuple(_PREDICATES))


def _has_sign(sentence: str) -> bool:
    """Return False if a sentence states nothing. Looking for the signs of a statement is much cheaper."""
    return _names_value(sentence) or _has_predicate(sentence) or _has_quantity(sentence)


def _has_quantity(sentence: str) -> bool:
    return not _DIGITS.isdisjoint(sentence) or _QUANTITY.search(sentence) is not None


def _has_predicate(sentence: str) -> bool:
    return not (_PREDICATE_SIGNS.isdisjoint(said_in(sentence)) and _DIGITS.isdisjoint(sentence))


def _names_value(sentence: str) -> bool:
    return not FIRST_WORDS.isdisjoint(said_in(sentence))


def is_choice(sentence: str) -> bool:
    """Return True if a sentence of a rule file demands or chooses something, and does not describe a program."""
    return (
        len(sentence.split()) <= _MAX_CHOICE_WORDS
        and (_BINDS.search(sentence) is not None or is_imperative(sentence))
        and not _DESCRIPTION.search(sentence)
    )


def _by_words(sentence: str, subject: str, area: str) -> Iterator[Statement]:
    chosen: dict[str, set[str]] = {}
    rejected: dict[str, set[str]] = {}
    after = 0
    for match in _VALUE.finditer(sentence):
        name = _ATTRIBUTES[int(str(match.lastgroup)[1:])]
        value = match[0].lower()
        value = ALIASES.get(value, value)
        value = value.removesuffix("s") if name == "weekday" else value
        if name in _IS_ABOUT and not _IS_ABOUT[name].search(sentence):
            continue
        before, after = sentence[: match.start()], match.end()
        if _is_described(before, sentence[after:]):
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
            about - content_words(name) - (_MERGED if name == "merge" else set()),
            _scope_of_value(name, sentence, after, area),
            sentence,
            bool(_MOVED.search(sentence)),
            is_exact,
        )


def _is_described(before: str, behind: str) -> bool:
    """Return True if a value is part of a command, or the text around it describes it or a file."""
    near = before[-20:]
    if _COMMAND.match(behind) and not (_EXPLICIT.search(near) or _INSTALLS.search(near + behind)):
        return True
    if _OF_STYLE.match(behind):
        return True
    return bool(_NAMES_A_PATH.match(before)) or (not before.strip() and bool(_DESCRIBES.match(behind)))


def _scope_of_value(name: str, sentence: str, after: int, area: str) -> frozenset[str]:
    """Return the words that narrow the choice of a value: those after it, and parts of the project."""
    scope = _scope_of_words(sentence[after:], area) | (areas_in(sentence) & _PARTS) | {*_FOLDER.findall(sentence)}
    if name not in _OF_TEST_RUNNERS:
        narrow = _NARROWS.search(sentence[after:])
        scope |= areas_in(sentence[after + narrow.start() :]) if narrow else frozenset()
    if name == "merge":
        scope |= content_words(_NARROWS.split(sentence[after:], maxsplit=1)[0]) - _MERGED
    if name == "language":
        scope |= {"replies"} if _REPLIES.search(sentence) else areas_in(sentence)
    return scope - content_words(name) - frozenset(name.lower().split())


def _subject_of(sentence: str, subject: str) -> frozenset[str]:
    match = _SUBJECT.match(sentence)
    words = frozenset(stem(word) for word in _LETTERS.findall(match[1])) if match else frozenset()
    words -= {stem(word) for word in (*_PRONOUNS, *FILLERS, "the", "all")}
    return words or frozenset(content_words(subject))


def _scope_of_words(rest: str, area: str) -> frozenset[str]:
    narrow = _NARROWS.search(rest)
    words = content_words(rest[narrow.end() :]) - _GENERIC if narrow else frozenset[str]()
    words |= {"across"} if _ACROSS.search(rest) else set()
    return words | areas_in(area)


def areas_in(text: str) -> frozenset[str]:
    """Return the languages and parts of a project that a text names."""
    return frozenset(_LETTERS.findall(text.lower())) & _AREAS


OF_TESTS = word_set("test tests testing")
_NUMBERS = {
    "no": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
}
_OF_QUANTITIES = stem_set(
    "maximum minimum max min limit keep code line lines test tests coverage must should use wrap at of with our the "
    "all long width characters columns break set stay may have required indent indentation need version"
)
"""Stems that do not name the subject of a quantity."""
_QUANTITIES: Mapping[str, re.Pattern[str]] = {
    "line length": lazy_pattern(
        r"(?i)\bline (?:length|width)s?\b[^.\d]{0,25}(\d{2,3})\b"
        r"|\blines?\b[^.\d]{0,40}\b(\d{2,3})[- ](?:char(?:acter)?s?|columns?)\b"
        r"|\bwrap (?:all )?(?:code|lines)\b[^.\d]{0,15}\bat (\d{2,3})\b"
        r"|\b(\d{2,3})[- ](?:char(?:acter)?s?|columns?)\b (?:per line|lines?|limit|max\w*|width)\b"
    ),
    "coverage": lazy_pattern(
        r"(?i)(\d{2,3}) ?(?:%|percent)[^.\d]{0,25}\bcoverage|\bcoverage\b[^.\d]{0,30}(\d{2,3}) ?(?:%|percent)"
    ),
    "indentation width": lazy_pattern(r"(?i)\b(2|4|8|two|four|eight)[- ]spaces?\b"),
    "Python version": lazy_pattern(
        r"(?i)\b(?:use|supports?|requires?|targets?|runs?|on) python ?(?:version |>= ?)?(3\.\d{1,2})\b"
        r"|\bpython (3\.\d{1,2}) (?:is|as) (?:the )?(?:minimum|required)"
        r"|\bminimum python (?:version )?(?:is )?(3\.\d{1,2})\b"
    ),
    "Node version": lazy_pattern(
        r"(?i)\b(?:use|requires?|targets?|runs?|on) node(?:\.js)? ?(?:version |>= ?)?v?(\d{2})\b"
    ),
}
# "Standup is at 9:30", "Kim lives in Graz", "The timeout is 30 seconds"
_PREDICATES: Mapping[str, re.Pattern[str]] = {
    "place": lazy_pattern(
        r"(?i)^(.{1,60}?) (?:now )?(?:lives? in|resides? in|is based in|(?:has )?moved to|relocated to) ([\w .-]{2,40})"
    ),
    "employer": lazy_pattern(
        r"(?i)^(.{0,60}?) ?\b(?:now )?(?:(?<!used to )works? (?:at|for)|is employed (?:at|by)|(?:has )?joined"
        r"|is an? [a-z ]{3,30} at) ([\w.&-]{2,40})"
    ),
    "name": lazy_pattern(r"(?i)^(.{0,60}?)(?:name is|is named|is called|goes by) ([\w .-]{2,40})"),
    "time": lazy_pattern(
        r"(?i)^(.{1,60}?) (?:is|are|starts?|begins?|happens?|takes? place|runs?|leaves?|meets?)(?: now)? (?:at|by)"
        r" (\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)"
    ),
    "branch": lazy_pattern(
        r"(?i)^(.{0,40}?(?:default|main|base|integration) branch) (?:is|=)(?: called| named)? ([\w./-]{2,40})"
    ),
    "favorite": lazy_pattern(r"(?i)^(.{0,40}favou?rite .{1,30}?) (?:is|are) ([\w .-]{2,40})"),
    "number": lazy_pattern(
        r"(?i)^(.{3,60}?) (?:is|are|has|have|takes?|costs?|expires? (?:in|after)|listens on(?: port)?|is set to"
        r"|defaults? to|lasts?|runs on port|must be|should be)(?: now)?(?: at (?:least|most))?"
        r" (\d[\d.,:]*|no|two|three|four|five|six|seven|eight) ?([%\w]{0,12})"
    ),
}
_BOUND = lazy_pattern(r"(?i)\bat (?:least|most)\b")
_ITS_BRANCH = lazy_pattern(r"^(\S{2,40}) is (?:the|our) (default|main|base|integration) branch")
_OF_STYLE = lazy_pattern(r"(?i)(?:[ -](?:\w+ )?)(?:conventions?|compatib\w{2,6}|styled?|defaults?|profile)\b")
"""What follows a value that another one imitates: "Ruff with Black conventions"."""
_RULED = ("number", "branch", "time")
"""Predicates that a rule may state. The others are facts about people and things."""
_BINDS = lazy_pattern(
    r"(?i)\b(?:must|should|shall|always|never|only|prefer(?:red)?|avoid|require[sd]?|don[’']t|do not|not|no|we|uses?"
    r"|using|squash|rebase|instead of|rather than|over|no longer|switched|moved|is|are|minimum|maximum|at least"
    r"|at most|up to|may (?:be|have|take|contain)"
    r"|listens|expires?|happens?|runs on|formats?|managed|takes?|follows?|lives?|goes?|belongs?"
    r"|defaults?)\b|^\W*be\b|^\W*[^.:]{2,30}:\s\S"
)
_DESCRIPTION = cued_pattern(
    r"(?i)\b(?:such as|e\.g|for example|including|supports?|supported|compatible|can be|wrapper|expert|based on"
    r"|depends? on|exposes?|implements?)\b",
    "such e example including support supports supported compatible can "
    "wrapper expert based depend depends expose exposes implement implements",
)
_MAX_CHOICE_WORDS = 14
"""Maximum number of words of a sentence that chooses something. Longer ones describe."""

OF_LAST = lazy_pattern(r"(?i)(?:(?:the|its) )?(?:default|minimum|maximum|value|limit|allowed)\b")
"""Beginning of a sentence about what the sentence before it names: "The minimum is 1"."""
_QUANTITY = cued_pattern(r"(?i)(?:two|four|eight)[- ]space", "two four eight")
_DIGITS = frozenset("0123456789")
_PREDICATE_SIGNS = word_set(
    "live lives reside resides based moved relocated work works employed joined name named called goes branch favorite "
    "favourite at no two three four five six seven eight"
)
"""Words one of which each sentence without a number has that one of the patterns above may match. Most have none."""


def _by_quantity(sentence: str, area: str) -> Iterator[Statement]:
    for name, pattern in _QUANTITIES.items():
        if values := {value.lower() for match in pattern.finditer(sentence) for value in match.groups() if value}:
            chosen = frozenset(_NUMBERS.get(value, value) for value in values)
            last = max(match.end() for match in pattern.finditer(sentence))
            scope = (areas_in(sentence) - OF_TESTS - word_set(name.lower())) | _scope_of_words(sentence[last:], area)
            about = content_words(REASON.sub("", pattern.sub(" ", sentence))) - content_words(name) - _OF_QUANTITIES
            yield Statement(name, chosen, frozenset(), about, scope, sentence, is_exact=True)


def _by_predicate(sentence: str, subject: str, names: Iterable[str]) -> Iterator[Statement]:
    for name in names:
        match = _PREDICATES[name].match(_ITS_BRANCH.sub(r"The \2 branch is \1", sentence))
        if match is None:
            continue
        words = content_words(match[1].lower().replace("main", "default")) - {stem(word) for word in _PRONOUNS}
        value = " ".join(match[2].lower().split()[:3]).rstrip(" .-")
        unit = match[3].lower().replace("children", "kids") if name == "number" else ""
        value = _NUMBERS.get(value, value)
        about, has_moved = words or content_words(subject), bool(_MOVED.search(sentence))
        scope = areas_in(sentence) | _scope_of_words(sentence[match.end() :], "") or frozenset({name})
        limit = _BOUND.search(match[0]) if name == "number" else None
        attribute = f"{name} {unit} {limit[0].lower() if limit else ''}".strip()
        yield Statement(attribute, frozenset({value}), frozenset(), about, scope, sentence, has_moved, True)
