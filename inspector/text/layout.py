"""Text that fits into cells: clipped to a line, wrapped by words, folded without losing any."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells, set_cell_size


def clipped(text: str, cells: int) -> str:
    """Text of at most so many cells, with an ellipsis where something is missing."""
    return text if cell_len(text) <= cells else set_cell_size(text, max(0, cells - 1)) + "…"


def clipped_words(text: str, cells: int) -> str:
    """Text of at most so many cells, cut behind a word where one ends in its second half."""
    short = clipped(text, cells)
    if short is text:
        return text
    head, _, _ = short[:-1].rpartition(" ")
    return f"{head}…" if cell_len(head) >= cells // 2 else short


def wrapped(text: str, width: int) -> list[str]:
    """Words in lines of at most `width` cells."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def fold(line: str, width: int) -> Iterator[str]:
    """A line in pieces of at most `width` cells, broken at a space where there is one in the second half."""
    while line:
        if len(line) <= width * 2 and cell_len(line) <= width:
            yield line
            return
        head = line[:width] if line[:width].isascii() else chop_cells(line[: width * 2], width)[0]
        rest = line[len(head) :]
        if rest[:1] == " ":
            rest = rest[1:]
        elif (space := head.rfind(" ")) > width // 2:
            head, rest = head[:space], head[space + 1 :] + rest
        yield head
        line = rest
