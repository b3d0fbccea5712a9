"""Measured values in replies, such as a coverage or a latency, and recorded results that state another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inspector.core.caches import text_of
from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import sentences_of
from inspector.engine.work_state.message_steps import steps_of

_UNITS = {
    "%": ("%", 1.0),
    "percent": ("%", 1.0),
    "ns": ("ns", 1.0),
    "us": ("ms", 0.001),
    "µs": ("ms", 0.001),
    "ms": ("ms", 1.0),
    "s": ("ms", 1000.0),
    "sec": ("ms", 1000.0),
    "seconds": ("ms", 1000.0),
    "kb": ("kb", 1.0),
    "mb": ("kb", 1000.0),
    "gb": ("kb", 1_000_000.0),
    "fps": ("fps", 1.0),
    "rps": ("rps", 1.0),
    "req/s": ("rps", 1.0),
}
_VALUE = lazy_pattern(
    r"(?i)(?<![\w.,/-])(\d{1,9}(?:[.,]\d{1,6})?)\s?(%|percent\b|ns\b|µs\b|us\b|ms\b|sec\b|seconds\b|s\b|kb\b|mb\b|gb\b|fps\b"
    r"|rps\b|req/s)"
)
"""A number with a unit."""
_SCORE = lazy_pattern(
    r"(?i)(?<![A-Za-z])((?:top-?\d[ _-])?(?:accuracy|acc|f1|auc|auroc|precision|recall|bleu|rouge[-\dl]{0,3}|rmse|mse"
    r"|mae|perplexity|iou|map|r2|wer|cer|dice|loss))\b[^\d\n|]{0,14}(\d?\.\d{2,6}|\d{1,3}\.\d{1,6}(?!\d*%))"
)
"""A score of a model: "accuracy: 0.713"."""
_STATES = lazy_pattern(
    r"(?i)\b(?:is|are|at|now|reached|reaches|hits?|stands at|(?:down|up|dropped|rose|fell|went) to"
    r"|comes? (?:out )?(?:to|at)|came (?:out )?(?:to|at)|takes?|took|needs|uses|weighs|runs (?:in|at)"
    r"|(?:finish|complet)es in|ist|liegt|beträgt|dauert|braucht|está|es de|tarda|est|à|prend|dure)\b[^.;:\n]{0,12}$"
    r"|\b(?:faster|slower|smaller|larger|better|worse|lower|higher): $"
)
"""Words before a value that say what it is now."""
_NO_CLAIM = lazy_pattern(
    r"(?i)\b(?:if|would|could|should|might|will|goal|target|expect\w*|want\w*|need\w*|about|roughly|approximately"
    r"|around|estimat\w*|limit|threshold|at least|at most|was|were|before|from|previously|not|yet)\b|\?\s*$"
)
_TOKEN = lazy_pattern(r"[^\s=:,;|]{2,60}")
_PLAIN = lazy_pattern(r"[^\w]")
_COMMON = frozenset(
    [
        "the",
        "this",
        "that",
        "and",
        "for",
        "now",
        "our",
        "its",
        "all",
        "are",
        "was",
        "were",
        "has",
        "have",
        "with",
        "from",
        "than",
        "below",
        "above",
        "under",
        "over",
        "still",
        "total",
        "time",
        "test",
        "tests",
        "run",
        "result",
        "results",
        "value",
        "number",
        "average",
        "mean",
        "max",
        "min",
        "after",
        "before",
        "page",
        "file",
        "code",
    ]
)
_PLAIN_UNITS = frozenset(unit for unit, _ in _UNITS.values())
_LEAST = 3
_MAX_ROWS = 400


class Measured(NamedTuple):
    """A value with a unit, and the words that it belongs to."""

    value: float
    unit: str
    decimals: int
    names: frozenset[str]
    text: str


def results_in(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    """Yield the commands of some messages with the texts of their results, which are read."""
    commands: dict[str, str] = {}
    for message in messages:
        commands.update((call.call, call.command) for call in steps_of(message).calls)
        if message.role == "tool":
            yield commands.get(message.answers or "", ""), text_of(message)


def measured_in(reply: str) -> Iterator[Measured]:
    """Yield the values that a reply states as those of now, each with the words before it in its sentence."""
    if not (_VALUE.search(reply) or _SCORE.search(reply)):
        return
    for sentence in sentences_of(reply):
        match = _VALUE.search(sentence)
        before = sentence[: match.start()] if match else ""
        if match and _STATES.search(before) and not _NO_CLAIM.search(before):
            yield _as_measured(match[1], match[2], _telling_names(before), one_line(sentence))
        if not _NO_CLAIM.search(sentence):
            yield from _scores_in(sentence)


def contradicted(claim: Measured, results: Iterable[tuple[str, str]], said: Iterable[str]) -> str:
    """Return the line of the newest result that states another value than a reply; "" if one states the same.

    Args:
        claim: The value that the reply states.
        results: Commands with the texts of their results, oldest first.
        said: Words of the user. A value that is in them is no claim about results.
    """
    if any(_agrees(one, claim) for text in said for one in _measured_rows(text, frozenset())):
        return ""
    other = ""
    for command, text in results:
        names = _telling_names(command)
        for one in _measured_rows(text, names):
            if _agrees(one, claim):
                return ""
            if one.unit == claim.unit and _belong_together(one.names, claim.names):
                other = one.text
    return other


def _measured_rows(text: str, names: frozenset[str]) -> Iterator[Measured]:
    """Yield the values in the lines of a text, each with the words before it and those of its command."""
    lines = [row[:400] for row in text[-20_000:].split("\n") if row]
    for row in [row for row in lines if _SCORE.search(row)][-_MAX_ROWS:]:
        yield from _scores_in(row)
    rows = [row for row in lines if _VALUE.search(row)]
    for row in rows[-_MAX_ROWS:]:
        for match in _VALUE.finditer(row):
            yield _as_measured(match[1], match[2], names | _telling_names(row), one_line(row))


def _as_measured(number: str, unit: str, names: frozenset[str], text: str) -> Measured:
    number = number.replace(",", ".")
    name, factor = _UNITS[unit.lower()]
    return Measured(float(number) * factor, name, len(number.partition(".")[2]), names, text)


def _scores_in(row: str) -> Iterator[Measured]:
    """Yield the scores in a line, with their names as their units."""
    for match in _SCORE.finditer(row):
        name = match[1].lower().replace("accuracy", "acc")
        decimals = len(match[2].partition(".")[2])
        yield Measured(float(match[2]), name, decimals, frozenset((name,)), one_line(row))


def _telling_names(text: str) -> frozenset[str]:
    words = (_PLAIN.sub("", word.lower()) for word in _TOKEN.findall(text[-300:]))
    return frozenset(word for word in words if _is_telling(word)) - _COMMON


def _is_telling(word: str) -> bool:
    return len(word) >= _LEAST and not word.isdigit() and not word[0].isdigit()


def _belong_together(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return True if two sets have a word in common, or one that begins another: "cov" and "coverage"."""
    return any(a.startswith(b) or b.startswith(a) for a in one for b in other)


def _agrees(one: Measured, other: Measured) -> bool:
    """Return True if two values are the same as far as they are rounded."""
    rounded = 0.51 * 10.0 ** -min(one.decimals, other.decimals)
    least = 0.6 if other.unit in _PLAIN_UNITS else rounded
    return one.unit == other.unit and abs(one.value - other.value) <= max(least, 0.03 * other.value * (least == 0.6))
