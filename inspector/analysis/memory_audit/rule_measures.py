"""Numbers of rules by what they measure: "lines up to 100 characters" and "wrap at 88 columns" are line lengths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.core.text import NUMBER_WORDS, lazy_pattern, said_in, word_set

_WORDS = {word: number for number, word in enumerate(NUMBER_WORDS)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "eighty": 80,
}
_ANY = lazy_pattern(
    r"(?i)\b(?:whatever (?:its|the|their) (?:size|length)|(?:of )?any (?:size|length)|no (?:\w+ )?limit"
    r"|(?:however|as) (?:long|large|big) as)\b"
)
_MEASURES: Sequence[tuple[str, frozenset[str], bool, re.Pattern[str]]] = (
    (
        "line length",
        word_set("line lines wrap wide width column columns"),
        False,
        lazy_pattern(
            r"(?i)\b(\d{2,3})[ -]?(?:characters?|chars?|columns?|cols?)\b"
            r"|\b(?:line[- ](?:length|width)|wrap(?:ped)? (?:at|to|after))\D{0,20}(\d{2,3})\b"
        ),
    ),
    (
        "pull request size",
        word_set("pr prs pull diff diffs"),
        False,
        lazy_pattern(r"(?i)\b(\d{2,4}) (?:changed |added |modified )?(?:lines|loc)\b"),
    ),
    (
        "function length",
        word_set("function functions method methods procedure"),
        False,
        lazy_pattern(r"(?i)\b(\d{2,4}|twenty|thirty|forty|fifty|sixty|eighty) (?:lines|loc)\b"),
    ),
    (
        "file length",
        word_set("file files module modules component components"),
        False,
        lazy_pattern(r"(?i)\b(\d{2,4}) (?:lines|loc)\b"),
    ),
    ("coverage", word_set("coverage covered"), False, lazy_pattern(r"\b(\d{2,3}) ?(?:%|percent\b)")),
    ("port", frozenset(), False, lazy_pattern(r"(?i)(?:\bports? |localhost:|(?<![\w.]):)(\d{4,5})\b")),
    (
        "approvals",
        word_set("approval approvals approve approves reviewer reviewers approving reviews review"),
        False,
        lazy_pattern(
            r"(?i)\b(\d|one|two|three|four)\b (?:\w+ )?(?:approvals?|reviewers?|approving reviews?|reviews?"
            r"|(?:people|persons?|colleagues|maintainers|engineers)(?= .{0,20}approve))\b"
        ),
    ),
    (
        "Rust version",
        word_set("msrv rust rustc cargo toolchain"),
        False,
        lazy_pattern(r"(?i)(?:\b(?:msrv|rust|rustc|toolchain)\b[^\d.]{0,20}|\+)(1\.\d\d)\b"),
    ),
    (
        "commit subject",
        word_set("subject subjects title titles"),
        False,
        lazy_pattern(r"(?i)\b(\d{2,3}) (?:characters?|chars?)\b"),
    ),
    (
        "arguments",
        word_set("argument arguments parameter parameters args"),
        False,
        lazy_pattern(r"(?i)\b(\d|one|two|three|four|five|six|seven)\b (?:\w+ )?(?:arguments?|parameters?|args)\b"),
    ),
    (
        "indentation",
        word_set("indent indentation spaces indented"),
        False,
        lazy_pattern(r"(?i)\b(\d|two|four|eight)[ -]spaces?\b"),
    ),
    (
        "retries",
        word_set("retry retries retried attempts attempt tries times"),
        True,
        lazy_pattern(
            r"(?i)\b(\d|one|two|three|four|five|six|seven|ten)\b (?:\w+ )?(?:times|attempts?|retries|tries)\b"
        ),
    ),
    (
        "time limit",
        word_set("timeout timeouts deadline time watchdog"),
        True,
        lazy_pattern(
            r"(?i)\b(\d+ ?(?:ms|s|sec|seconds?|min|minutes?)|(?:one|two|three|five|ten|thirty) (?:seconds?|minutes?))\b"
        ),
    ),
    (
        "time to keep",
        word_set(
            "keep kept keeps retain retained retention stored delete deleted expire expires purge purged ttl remain"
        ),
        True,
        lazy_pattern(
            r"(?i)\b(\d+[ -](?:hours?|days?|weeks?|months?|years?)"
            r"|(?:one|two|three|six|seven) (?:days?|weeks?|months?|years?))\b"
        ),
    ),
    (
        "page size",
        word_set("page pages"),
        False,
        lazy_pattern(r"(?i)\b(\d{2,4}) (?:items|rows|results|entries|records|per page)\b"),
    ),
)
"""Names of measures, words of which its sentence has one, whether two sentences must have a common thing, and its
form."""
_VERSIONS = lazy_pattern(
    r"(?i)(?<!-)\b(python|node(?:\.js)?|go|java|jdk|ruby|php|terraform|kotlin|swift|postgres(?:ql)?|react|django|rails|elixir"
    r"|typescript|angular|next\.js|spring boot|gradle|xcode|ios|android)[ -]?(?:versions? |is |>= ?|v|at least )?"
    r"(\d{1,3}(?:\.\d{1,3}){0,2})(?!\d| ?%)"
)


_MAX_WORDS, _MAX_SHORT = 30, 8
"""Maximum number of spaces of a sentence that states a number, and of one that only names a version."""
_OF_VERSION = lazy_pattern(
    r"(?i)\b(?:requires?|required|minimum|at least|or newer|or later|or above|supports?|targets?|oldest|pinned"
    r"|versions?|upgraded?|we use|must)\b|\d\+"
)
_DIGIT = lazy_pattern(r"\d")
_CUES = word_set(
    "one two three four five six seven eight ten twenty thirty forty fifty sixty eighty any whatever limit as"
)


class Measure(NamedTuple):
    """A number of a sentence."""

    what: str
    value: str
    needs_topic: bool


def measures_in(text: str) -> Iterator[Measure]:
    """Yield what the numbers of a sentence measure. "any" is no limit."""
    said = said_in(text)
    if text.count(" ") > _MAX_WORDS or not (_DIGIT.search(text) or said & _CUES):
        return
    for what, cues, needs_topic, form in _MEASURES:
        if (not cues or said & cues) and (value := _only_value(what, form, text)):
            yield Measure(what, value, needs_topic)
    if text.count(" ") <= _MAX_SHORT or _OF_VERSION.search(text):
        yield from _versions_in(text)


def _only_value(what: str, form: re.Pattern[str], text: str) -> str:
    """Return the only number of a form in a text, "any" for no limit; "" without one."""
    values = {next(filter(None, match.groups())).lower() for match in form.finditer(text)}
    if not values and what.endswith(("size", "length")) and _ANY.search(text):
        return "any"
    return _number_with_unit(values.pop()) if len(values) == 1 else ""


def _versions_in(text: str) -> Iterator[Measure]:
    values: dict[str, set[str]] = defaultdict(set)
    for match in _VERSIONS.finditer(text):
        values[match[1].lower().removesuffix(".js").removesuffix("ql")].add(match[2])
    yield from (Measure(f"version of {name}", own.pop(), False) for name, own in values.items() if len(own) == 1)


def _number_with_unit(value: str) -> str:
    number, *unit = value.replace("-", " ").split()
    number = str(_WORDS.get(number, number.replace(",", "").replace("_", "")))
    return " ".join([number, *(word.rstrip("s")[:3] for word in unit)])


def differ(one: Measure, other: Measure) -> bool:
    """Return True if two values of one thing exclude each other. "3" and "3.11" do not."""
    values = [f"{measure.value}." for measure in (one, other)]
    is_part = one.what.startswith("version") and (values[0].startswith(values[1]) or values[1].startswith(values[0]))
    return one.value != other.value and not is_part
