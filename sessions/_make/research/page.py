"""A page of the archive that the research session searches and opens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FIGURE = re.compile(r"([-+]?[\d,.]+( ?%| m| mg| °C)?|)")
ARCHIVE = "https://archive.halvern.example.org"
PAPERS = "https://papers.example.org"


@dataclass(frozen=True)
class Page:
    """`gist` is the one sentence that a reader takes away; the session quotes it when it goes on."""

    url: str
    title: str
    date: str
    text: str
    gist: str

    @property
    def shown(self) -> str:
        return f"# {self.title}\n{self.url} · {self.date}\n\n{self.text}"

    @property
    def snippet(self) -> str:
        plain = " ".join(line for line in self.text.split("\n") if line and line[0] not in "|#-")
        return plain[:260].rsplit(" ", 1)[0] + " …"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with bars, its columns lined up: figures to the right, words to the left."""
    lines = aligned([head, *rows])
    rule = "".join("|" if sign == "|" else "-" for sign in lines[0])
    return "\n".join([f"| {lines[0]} |", f"|-{rule}-|", *(f"| {line} |" for line in lines[1:])])


def aligned(rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows as lines whose columns stand below each other. The first row is the head."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(FIGURE.fullmatch(cell) for cell in column[1:]) for column in columns]
    return [
        " | ".join(
            cell.rjust(width) if figure else cell.ljust(width)
            for cell, width, figure in zip(row, widths, right, strict=True)
        )
        for row in cells
    ]


def sections(*parts: tuple[str, str]) -> str:
    return "\n\n".join(f"## {head}\n{text}" if head else text for head, text in parts if text)
