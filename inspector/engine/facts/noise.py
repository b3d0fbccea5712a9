"""Facts too common to be remembered, whose loss is never a regret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from inspector.core.conversation import Message, ToolCall
from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.terms import ORDINARY, is_distinctive, is_telling, is_year, plain_value

_ROUND = lazy_pattern(r"-?(?:\d|[1-9]0+|1?[05]0|0\.\d|24|60|12|16|32|64|128|256|512|1024|2048|4096|8080|3600|1440|365)")
_USUAL_PATHS = word_set(
    """
    readme.md package.json pyproject.toml makefile dockerfile .gitignore .env index.js index.ts index.html
    main.py __init__.py __main__.py setup.py tsconfig.json requirements.txt claude.md agents.md /tmp /dev/null
    /usr/bin /usr/bin/env /bin /bin/bash /bin/sh / ~ . .. src tests test docs data lib app dist build bin node_modules
    tmp go.mod go.sum cargo.toml changelog.md contributing.md license .golangci.yml .editorconfig .dockerignore
    .gitattributes docker-compose.yml
    """
)
_USUAL_SYMBOLS = word_set("in_progress")
"""States of the items of a to-do list."""
_PRINTING = word_set("console.log console.error console.warn console.info console.debug")
"""Functions that look like files."""
_NO_PATHS = _USUAL_PATHS | _PRINTING
_NO_FILES = lazy_pattern(
    r"(?:origin|upstream)/(?:main|master|HEAD)|\S{1,80}\.\.\.?HEAD|HEAD\.\.\.?\S{1,80}|[a-z]\w{0,40}\.map"
)
"""Commits and calls that look like files: "origin/main...HEAD", "rows.map"."""
_EXAMPLE = lazy_pattern(r"(?i)(?:foo|bar|baz|test|example|file|sample|dummy|hello|a|b|x|y)\d?\.\w{1,5}")
"""File names used in examples."""
_PAGING = lazy_pattern(
    r'(?i)"(?:[a-z]{1,12}_)?(?:offset|limit|timeout|page|count|lines?|start|end|range|depth|results|wait|time|tokens'
    r'|context|-[abc])(?:_?(?:ms|line|number|size))?"\s?:\s?"?\[?(-?[\d.]{1,12})(?:,\s?(-?\d{1,9}))?'
)
"""Argument that limits how much of something is requested, and from where: `"start_line": 120`."""
_FOLDER = lazy_pattern(r'"(?:workdir|cwd|working_?[dD]irectory)"\s?:\s?"([^"\n]{1,300})"')
"""Argument that names the folder in which a command runs: `"workdir":"/srv/app"`."""
_STANDARD = lazy_pattern(r"\bRFC[ -]?\d{3,5}(?:,|\))? (?:section|Section|§) ?(\d[\d.]{0,12}\d|\d)")
"""Section of a public standard: "RFC 8693, Section 2.1"."""
_USUAL_TIMES = lazy_pattern(r"(?:00|12|23|24):(?:00|59)(?::\d\d)?")
_REFERENCE_TIMES = frozenset(("2006-01-02", "15:04", "15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"))
"""Reference times in Go's time format strings."""
_RANGE = lazy_pattern(r"\d{1,4}-\d{1,4}")
"""A range of numbers: "100-150 words"."""
_SHORT_QUOTE = 12

_CROWD = 20
"""Number of facts of a class in one message above which they are rows of a table or log."""
_TIME = lazy_pattern(r"\d\d:\d\d(?::\d\d)?")


def is_noise(cls: FactClass, text: str, crowd: int) -> bool:
    """Return True if a fact is too common to be missed.

    Args:
        cls: Class of the fact.
        text: Its normalised value.
        crowd: Number of facts of this class in the message that first stated it.
    """
    return cls == "tool" or (cls in _NOISE and _NOISE[cls](text, crowd))


def _is_usual_path(text: str, _: int) -> bool:
    return (
        text.lower() in _NO_PATHS
        or bool(_NO_FILES.fullmatch(text))
        or all(map(is_usual_name, text.strip("/").split("/")))
    )


def _is_usual_date(text: str, crowd: int) -> bool:
    return is_year(text) or text in _REFERENCE_TIMES or _is_usual_time(text, crowd)


def _is_code(text: str, _: int) -> bool:
    """Return True if a quoted string is too short to be a quotation, or not written language."""
    return len(text) < _SHORT_QUOTE or (" " not in text and '"' in text)


def is_usual_name(name: str) -> bool:
    """Return True if files or folders with this name are common everywhere."""
    return name.lower() in _USUAL_PATHS or bool(_EXAMPLE.fullmatch(name))


def paging_values(reply: Message) -> frozenset[str]:
    """Return the numbers in a reply's tool arguments that only limit or position what it requests."""
    arguments = [part.arguments for part in reply.parts if isinstance(part, ToolCall)] if reply.calls else []
    return frozenset(value for text in arguments for match in _PAGING.finditer(text) for value in _values(match))


def command_folders(reply: Message) -> frozenset[str]:
    """Return the folders in which a reply's commands run, which the agent's program states, and those around them."""
    arguments = [part.arguments for part in reply.parts if isinstance(part, ToolCall)] if reply.calls else []
    steps = [match[1].split("/") for text in arguments for match in _FOLDER.finditer(text)]
    return frozenset("/".join(folder[:count]) for folder in steps for count in range(1, len(folder) + 1))


def standard_sections(reply: Message) -> frozenset[str]:
    """Return the numbers of sections of public standards that a reply names, which every author can know."""
    return frozenset(match[1] for match in _STANDARD.finditer(reply.text)) if "RFC" in reply.text else frozenset()


def _values(match: re.Match[str]) -> Iterator[str]:
    return (plain_value(value) for value in match.groups() if value)


def _is_usual_time(text: str, crowd: int) -> bool:
    """Return True for midnight, noon, and times in a message with many of them, such as a log."""
    return bool(_USUAL_TIMES.fullmatch(text) or (crowd > _CROWD and _TIME.fullmatch(text)))


def _is_small(text: str, crowd: int) -> bool:
    """Return True if a number can occur by chance: round numbers, counts below 100, and short numbers of a table."""
    value = next((word for word in text.split() if any(map(str.isdecimal, word))), "0")
    if is_telling(value):
        return False
    if is_distinctive(value):
        return crowd > _CROWD
    return text.startswith(value) or crowd > _CROWD or bool(_ROUND.fullmatch(value)) or is_year(value)


_USUAL_ADDRESS = lazy_pattern(
    r"https?://(?:www\.)?(?:apple\.com/dtds/|w3\.org/|json-schema\.org/|schemas\.(?:microsoft|xmlsoap|android)\."
    r"|apache\.org/licenses|opensource\.org/licenses)",
    re.IGNORECASE,
)
"""Addresses of standard formats and licences, which every author knows: "http://www.w3.org/2000/svg"."""

_KNOWN_NAME = lazy_pattern(
    r"HEAD|__[a-z]\w{1,20}__(?:\(\))?|(?:os|exec|errors|fmt|strings|strconv|filepath|http|json|context|time|sync|bytes|bufio"
    r"|regexp|sort|slices|sys|pathlib|subprocess|asyncio|logging|datetime|collections|functools|itertools|typing|shutil"
    r"|tempfile|JSON|Math|Object|Array|Promise|console|process)\.[A-Za-z]\w{1,30}(?:\(\))?"
)
"""Names of a language and its standard library, which every author knows: "__init__", "errors.Is()"."""


def is_common_knowledge(cls: FactClass, text: str) -> bool:
    """Return True if every author knows a name, so that no window has to state it."""
    return cls == "symbol" and bool(_KNOWN_NAME.fullmatch(text))


_NOISE: Mapping[FactClass, Callable[[str, int], bool]] = {
    "number": _is_small,
    "amount": _is_small,
    "date": _is_usual_date,
    "path": _is_usual_path,
    "url": lambda text, _: bool(_USUAL_ADDRESS.match(text)),
    "symbol": lambda text, _: text in _USUAL_SYMBOLS or bool(ORDINARY.fullmatch(text.removesuffix("()"))),
    "quote": _is_code,
    "id": lambda text, _: bool(_RANGE.fullmatch(text)),
}
"""Test for each class, given the text of a fact and the number of facts of its class in the first message."""
