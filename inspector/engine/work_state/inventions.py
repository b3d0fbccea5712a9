"""Statements of a summary that nothing before it states: words of the user, results, decisions and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inspector.core.conversation import Message
from inspector.core.text import one_line
from inspector.engine.work_state.claims import claims_in, is_contradicted
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.relation import content_words, is_negated, sentences_of
from inspector.engine.work_state.state_items import WorkState
from inspector.engine.work_state.summary_points import points_in
from inspector.engine.work_state.work_history import Transition

_ASKED = re.compile(
    r"(?i)\b(?:the )?user(?:[’']s)? (?:also |then |explicitly |specifically |clearly |has |had |repeatedly )*"
    r"(?:ask(?:ed|s)?|want(?:ed|s)?|request(?:ed|s)?|said|says|insist(?:ed|s)?|instruct(?:ed|s)?|require[ds]?|told|decided|chose|chosen"
    r"|prefer(?:red|s)?|approved|agreed|confirmed|forbade|stated)\b(?: me| us| that| to| for| not)*([^.;\n]{8,400})"
)
"""What a summary says that the user said: "The user asked not to commit"."""
_OPTION = re.compile(r"(?i)\b([\w/-]+(?: [\w/-]+){0,4}) or ((?:[\w/-]+ ?){1,5})")
_VALUE = re.compile(
    r"https?://[^\s)\"'<>`]+|(?<![\w/])(?:~?/|\./)?(?:[\w.-]+/){1,12}[\w-]+\.[A-Za-z]\w{0,5}\b|\b[0-9a-f]{7,40}\b(?=[^\w]|$)|\b\d+\.\d+\.\d+\b"
)
"""A URL, a path with a file name, a hash or a version."""
_MAX_FOUND = 12
_LEAST_SUPPORT = 0.5
_LEAST_RATIO = 2
"""Size of the replaced context relative to its summary, below which most of it is not in the recording."""


def inventions_in(transition: Transition, summary: str) -> Iterator[str]:
    """Yield the statements of a summary that nothing in the replaced context states, at most 12.

    Args:
        transition: The compaction. Nothing is invented where most of the replaced context is not in the recording.
        summary: Text of the summary.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if sum(message.chars for message in transition.replaced) < _LEAST_RATIO * len(summary):
        return
    found: dict[str, None] = {}
    for statements in (
        _words_of_user(transition.replaced, summary),
        _results(transition.before, summary),
        _decisions(transition.before, summary),
        _values(transition.replaced, summary),
    ):
        found.update(dict.fromkeys(statements))
    yield from list(found)[:_MAX_FOUND]


def _spoken(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the texts that a summary can take the user's words from."""
    for message in messages:
        if message.kind == "summary":
            yield message.text
        elif message.role == "user":
            words = steps_of(message).words
            yield words.text if words else message.text
        elif message.answers is not None and message.chars < 3_000:
            yield message.text


def _words_of_user(messages: Sequence[Message], summary: str) -> Iterator[str]:
    claims = [match for match in _ASKED.finditer(summary)]
    if not claims:
        return
    texts = list(_spoken(messages))
    everything = frozenset[str]().union(*map(content_words, texts))
    sentences = [sentence for text in texts for sentence in sentences_of(text[:20_000])]
    for match in claims:
        phrase = match[0]
        words = content_words(match[1])
        if len(words) < 2:
            continue
        negated = is_negated(phrase)
        support = len(words & everything) / len(words)
        close = [one for one in sentences if 2 * len(words & content_words(one)) >= len(words)]
        shared = [one for one in sentences if words & content_words(one)]
        contradicts = negated and bool(shared) and not any(is_negated(one) for one in shared)
        if (support < _LEAST_SUPPORT and not close) or contradicts:
            yield one_line(_whole_sentence(summary, match.start(), match.end()))


def _whole_sentence(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", 0, start), text.rfind(". ", 0, start) + 1) + 1
    last = min((place for place in (text.find("\n", end), text.find(". ", end)) if place >= 0), default=len(text))
    return text[first:last].strip()[:400]


def _results(before: WorkState, summary: str) -> Iterator[str]:
    for claim in claims_in(summary):
        if is_contradicted(claim, before):
            yield one_line(claim.text)[:400]


def _decisions(before: WorkState, summary: str) -> Iterator[str]:
    """Yield the options of a question that the user has not answered, where the summary states one as work to do."""
    asked = before.get("question", "open")
    if asked is None or before.actor != "user":
        return
    for match in _OPTION.finditer(asked.text):
        options = [content_words(text) for text in match.groups()]
        common = options[0] & options[1]
        for point in points_in(summary):
            words = content_words(point.text)
            chosen = [option - common for option in options if option - common and option - common <= words]
            if len(chosen) == 1 and point.is_open and not point.text.endswith("?") and " or " not in point.text:
                yield one_line(point.text)[:400]


def _values(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the sentences with a URL, path, hash or version that no replaced message contains, not even its name."""
    values = {match[0]: match for match in _VALUE.finditer(summary)}
    missing = {value: value.rstrip("/").rsplit("/", 1)[-1] for value in values}
    for message in messages:
        if not missing:
            return
        text = message.text
        missing = {value: name for value, name in missing.items() if name not in text and value not in text}
    for value in list(missing)[:_MAX_FOUND]:
        match = values[value]
        yield one_line(_whole_sentence(summary, match.start(), match.end()))
