"""Text that a user pasted or quoted: not the user's own words, and often too long to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from inspector.core.text import lazy_pattern

_MAX_LINES = 80
_MAX_ALIKE = 3
"""Maximum number of rules that differ only in their numbers. More are rows of data."""
_NUMBER = lazy_pattern(r"\d+")
_FENCES = ("```", "~~~")
_QUOTED = lazy_pattern(r"(?m)^[ \t]{0,9}>[^\n]*$")
"""A line that is quoted as in Markdown and e-mails."""
_SPOKEN = lazy_pattern(
    r"(?m)^[ \t]{0,9}(?:[\[(]?(?:\d{4}-\d\d-\d\d[T ,]{1,2})?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?[\])]?"
    r" ?[-–—,|]? ?[@<]?[\w.-]{1,30}(?: [\w.-]{1,30}){0,2}>?: |<@?[A-Za-z][\w.-]{0,30}> )[^\n]*$"
)
"""A line of a chat with a time or a name in brackets: "[10:02] Anna: never touch billing", "<ben> ok"."""


def both_ends(text: str, most: int) -> str:
    """Return a text, or the beginning and the end of one that is too long, each half as long as allowed."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-most // 2 :]}"


def without_code(text: str) -> str:
    """Return a text without its blocks of code between fences. A block without an end is kept."""
    if not any(fence in text for fence in _FENCES):
        return text
    lines = text.split("\n")
    kept, start, fence = list[str](), 0, ""
    for place, line in enumerate(lines):
        mark = line.strip()
        if fence and mark.startswith(fence) and not mark.strip(fence[0]):
            fence, start = "", place + 1
        elif not fence and mark.startswith(_FENCES):
            kept += lines[start:place]
            fence, start = mark[: len(mark) - len(mark.lstrip(mark[0]))], place
    return "\n".join((*kept, *lines[start:]))


def own_lines(text: str) -> str:
    """Return the lines of a message without code, quoted lines and lines of chats, and without the middle of many."""
    text = _SPOKEN.sub("", _QUOTED.sub("", without_code(text)))
    lines = text.split("\n")
    return text if len(lines) <= _MAX_LINES else "\n".join(lines[: _MAX_LINES // 2] + lines[-_MAX_LINES // 2 :])


def without_rows(rules: Collection[str]) -> Iterator[str]:
    """Yield rules except those of which many others differ only in a number, which are rows of pasted data."""
    if len(rules) <= _MAX_ALIKE:
        yield from rules
        return
    alike = Counter(_NUMBER.sub("0", rule) for rule in rules)
    yield from (rule for rule in rules if alike[_NUMBER.sub("0", rule)] <= _MAX_ALIKE)
