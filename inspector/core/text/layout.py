"""Text that fits into the cells of a terminal: clipped to a line, padded, folded at spaces.

Widths are those of Rich, which the app is drawn with. `clip`, `pad`, `ends` and `lines_of` take any text and make it
harmless; the others take lines that are harmless already.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.core.text.sanitize import one_line, visible

cells = cell_len
"""How many columns a terminal gives to a line."""


def head(line: str, room: int) -> str:
    """As much of the beginning of a line as fits into `room` columns."""
    if line[:room].isascii():
        return line[: max(room, 0)]
    used = 0
    for index, char in enumerate(line):
        used += cells(char)
        if used > room:
            return line[:index]
    return line


def clipped(line: str, room: int) -> str:
    """A line of at most `room` columns, with an ellipsis where something is missing."""
    if cells(line) <= room:
        return line
    return f"{head(line, room - 1)}…" if room > 0 else ""


def clipped_words(line: str, room: int) -> str:
    """A line of at most `room` columns, cut behind a word where one ends in its second half."""
    short = clipped(line, room)
    if short is line or not short:
        return short
    words, _, _ = short[:-1].rpartition(" ")
    return f"{words}…" if cells(words) >= room // 2 else short


def filled(line: str, room: int) -> str:
    """A line in exactly `room` columns."""
    line = clipped(line, room)
    return line + " " * (room - cells(line))


def fold(line: str, room: int) -> Iterator[str]:
    """A line in pieces of at most `room` columns, broken at a space where there is one in the second half.

    The space at a break is left out. An empty line has no pieces.
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
    """Words in lines of at most `room` columns; a longer word has a line of its own."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cells(lines[-1]) + 1 + cells(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def clip(text: str, room: int) -> str:
    """Any text on one line of at most `room` columns, with an ellipsis where something is missing."""
    return clipped(one_line(text), room)


def pad(text: str, room: int) -> str:
    """Any text on one line of exactly `room` columns."""
    return filled(one_line(text), room)


def ends(text: str, room: int) -> str:
    """Like `clip`, but what is missing is the middle: addresses and paths are told apart by how they end."""
    line = one_line(text)
    if cells(line) <= room or room < 2:
        return clipped(line, room)
    tail = line[-(room // 2) :]
    while cells(tail) > room // 2:
        tail = tail[1:]
    return clipped(line, room - cells(tail)) + tail


def lines_of(text: str, room: int) -> Iterator[str]:
    """Any text in lines of at most `room` columns, broken at spaces where there are any."""
    for line in visible(text).split("\n"):
        yield from fold(line, room) if line else ("",)
