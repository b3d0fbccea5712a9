"""Fitting text to terminal columns: clipping, padding and wrapping.

Widths are measured with Rich, which also renders the app. `clip`, `pad`, `ends` and `lines_of` accept any text and
sanitise it. The other functions expect sanitised lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.core.text.sanitize import one_line, visible

_SEPARATORS = ",."
_BEFORE_NUMBERS = " ≈$+−(→"
"""Characters that a number can follow; after others, digits belong to a name."""


def cells(line: str) -> int:
    """Return the number of terminal columns that a line occupies."""
    return len(line) if line.isascii() and line.isprintable() else cell_len(line)


def head(line: str, room: int) -> str:
    """Return the longest prefix of a line that fits into `room` columns."""
    if line[:room].isascii():
        return line[: max(room, 0)]
    used = 0
    for index, char in enumerate(line):
        used += cells(char)
        if used > room:
            return line[:index]
    return line


def clipped(line: str, room: int) -> str:
    """Return a line clipped to at most `room` columns, with an ellipsis if it was shortened.

    A number is omitted rather than cut, because `12,3…` reads like another number.
    """
    if cells(line) <= room:
        return line
    return f"{_without_part_of_number(line, len(head(line, room - 1)))}…" if room > 0 else ""


def _without_part_of_number(line: str, end: int) -> str:
    """Return the first `end` characters of a line, without a number that would be cut there.

    Digits after a letter or a hyphen, as in names and ids, are no number.
    """
    short, rest = line[:end], line[end : end + 2]
    if not rest[:1].isdigit() and not (rest[:1] in _SEPARATORS and rest[1:].isdigit()):
        return short
    start = short.rstrip(f"0123456789{_SEPARATORS}")
    if start == short or (start and start[-1] not in _BEFORE_NUMBERS):
        return short
    return start.rstrip("≈$+−")


def clipped_words(line: str, room: int) -> str:
    """Return a line clipped to at most `room` columns, at the end of a word if one is in its second half."""
    short = clipped(line, room)
    if short is line or not short:
        return short
    words, _, _ = short[:-1].rpartition(" ")
    return f"{words}…" if cells(words) >= room // 2 else short


def filled(line: str, room: int) -> str:
    """Return a line clipped or padded to exactly `room` columns."""
    line = clipped(line, room)
    return line + " " * (room - cells(line))


def fold(line: str, room: int) -> Iterator[str]:
    """Yield pieces of a line of at most `room` columns, broken at a space if there is one in the second half.

    The space at a break is dropped. An empty line yields nothing.
    """
    start = 0
    while start < len(line):
        piece = head(line[start : start + room], room) or line[start]
        end = start + len(piece)
        if end < len(line) and line[end] != " " and (space := piece.rfind(" ")) > room // 2:
            piece, end = piece[:space], start + space
        yield piece
        start = end + (line[end : end + 1] == " ")


def wrapped(text: str, room: int) -> list[str]:
    """Return words wrapped into lines of at most `room` columns. A longer word is on a separate line."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cells(lines[-1]) + 1 + cells(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def clip(text: str, room: int) -> str:
    """Return any text on one line of at most `room` columns, with an ellipsis if it was shortened."""
    return clipped(one_line(text), room)


def pad(text: str, room: int) -> str:
    """Return any text on one line of exactly `room` columns."""
    return filled(one_line(text), room)


def ends(text: str, room: int) -> str:
    """Return any text on one line of at most `room` columns, shortened in the middle.

    Use it for addresses and paths, which mostly differ at their ends.
    """
    line = one_line(text)
    if cells(line) <= room or room < 2:
        return clipped(line, room)
    tail = line[-(room // 2) :]
    while cells(tail) > room // 2:
        tail = tail[1:]
    return clipped(line, room - cells(tail)) + tail


def lines_of(text: str, room: int) -> Iterator[str]:
    """Yield lines of at most `room` columns for any text, broken at spaces where possible."""
    for line in visible(text).split("\n"):
        yield from fold(line, room) if line else ("",)


def first_lines(text: str, width: int, count: int) -> list[str]:
    """Return a text in at most some lines, clipped if it is longer."""
    lines = list(wrapped(one_line(text), width))
    return lines if len(lines) <= count else [*lines[: count - 1], clipped(" ".join(lines[count - 1 :]), width)]
