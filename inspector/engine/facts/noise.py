"""What nobody needs a memory for: facts whose loss is never regretted, because anybody says them any time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from inspector.core.conversation import Message, ToolCall
from inspector.core.text import word_set
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.terms import ORDINARY, is_distinctive, is_telling, is_year, plain_value

_ROUND = re.compile(r"-?(?:\d|[1-9]0+|1?[05]0|0\.\d|24|60|12|16|32|64|128|256|512|1024|2048|4096|8080|3600|1440|365)")
_USUAL_PATHS = word_set(
    """
    readme.md package.json pyproject.toml makefile dockerfile .gitignore .env index.js index.ts index.html
    main.py __init__.py __main__.py setup.py tsconfig.json requirements.txt claude.md agents.md /tmp /dev/null
    /usr/bin /bin / ~ . .. src tests test docs data lib app dist build bin node_modules tmp
    go.mod go.sum cargo.toml changelog.md contributing.md license .golangci.yml .editorconfig .dockerignore
    .gitattributes docker-compose.yml
    """
)
_EXAMPLE = re.compile(r"(?i)(?:foo|bar|baz|test|example|file|sample|dummy|hello|a|b|x|y)\d?\.\w{1,5}")
"""What files are called in examples."""
_PAGING = re.compile(
    r'(?i)"(?:[a-z]{1,12}_)?(?:offset|limit|timeout|page|count|lines?|start|end|range|depth|results|wait|time|tokens'
    r'|context|-[abc])(?:_?(?:ms|line|number|size))?"\s?:\s?"?\[?(-?[\d.]{1,12})(?:,\s?(-?\d{1,9}))?'
)
"""An argument that says how much of something is wanted and from where, which nobody has to remember."""
_USUAL_TIMES = re.compile(r"(?:00|12|23|24):(?:00|59)(?::\d\d)?")
_REFERENCE_TIMES = frozenset(("2006-01-02", "15:04", "15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"))
"""By which Go writes down how a time is written."""
_RANGE = re.compile(r"\d{1,4}-\d{1,4}")
"""From one number to another: "100-150 words"."""
_SHORT_QUOTE = 12

_CROWD = 20
"""Facts of a class in one message from which on they are rows of a table or a log."""
_TIME = re.compile(r"\d\d:\d\d(?::\d\d)?")


def is_noise(cls: FactClass, text: str, crowd: int) -> bool:
    """Whether a fact is too common to be missed.

    `crowd`: how many facts of its class the message held that told it first.
    """
    return cls == "tool" or (cls in _NOISE and _NOISE[cls](text, crowd))


def _is_usual_path(text: str, _: int) -> bool:
    return text.lower() in _USUAL_PATHS or all(map(is_usual_name, text.strip("/").split("/")))


def _is_usual_date(text: str, crowd: int) -> bool:
    return is_year(text) or text in _REFERENCE_TIMES or _is_usual_time(text, crowd)


def _is_code(text: str, _: int) -> bool:
    """Whether what stands in quotation marks is too short to be a quotation, or no words of anybody."""
    return len(text) < _SHORT_QUOTE or (" " not in text and '"' in text)


def is_usual_name(name: str) -> bool:
    """Whether anybody would expect a file or a folder of this name, wherever it is."""
    return name.lower() in _USUAL_PATHS or bool(_EXAMPLE.fullmatch(name))


def paging_values(reply: Message) -> frozenset[str]:
    """The numbers that a reply gives to tools only to say how much it wants, from where, or for how long."""
    arguments = [part.arguments for part in reply.parts if isinstance(part, ToolCall)] if reply.calls else []
    return frozenset(value for text in arguments for match in _PAGING.finditer(text) for value in _values(match))


def _values(match: re.Match[str]) -> Iterator[str]:
    return (plain_value(value) for value in match.groups() if value)


def _is_usual_time(text: str, crowd: int) -> bool:
    """Whether a time is midnight or noon, or one of the many of a log."""
    return bool(_USUAL_TIMES.fullmatch(text) or (crowd > _CROWD and _TIME.fullmatch(text)))


def _is_small(text: str, crowd: int) -> bool:
    """Whether a number may be said by chance: a round one, a count below 100, or any short one of a table's."""
    value = next((word for word in text.split() if any(map(str.isdecimal, word))), "0")
    if is_telling(value):
        return False
    if is_distinctive(value):
        return crowd > _CROWD
    return text.startswith(value) or crowd > _CROWD or bool(_ROUND.fullmatch(value)) or is_year(value)


_NOISE: Mapping[FactClass, Callable[[str, int], bool]] = {
    "number": _is_small,
    "money": _is_small,
    "date": _is_usual_date,
    "path": _is_usual_path,
    "symbol": lambda text, _: bool(ORDINARY.fullmatch(text.removesuffix("()"))),
    "quoted": _is_code,
    "hash": lambda text, _: bool(_RANGE.fullmatch(text)),
}
"""What is too common of a class: the text of a fact, and how many the message held that told it first."""
