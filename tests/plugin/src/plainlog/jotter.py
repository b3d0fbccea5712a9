"""A memory store: lines such as `2026-01-02 shop: Invoices are sent on Mondays.`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from inspector.formats import Content, MemoryItem, MemoryReader, Sample

_NOTE = re.compile(r"(\d{4}-\d\d-\d\d) ([\w-]{1,40}): (.+)")


class Jotter(MemoryReader):
    """Dated notes, each about one subject."""

    name = "jotter"
    title = "the notes of Jotter"
    files: ClassVar[tuple[str, ...]] = ("*.jot",)
    places: ClassVar[tuple[str, ...]] = ("~/.jotter/*.jot",)

    def recognize(self, sample: Sample) -> bool:
        return _NOTE.match(sample.head.lstrip()) is not None

    def read(self, content: Content) -> Iterator[MemoryItem]:
        for number, line in content.text_lines():
            if match := _NOTE.match(line):
                day, subject, text = match.groups()
                created = f"{day}T00:00:00+00:00"
                yield MemoryItem(
                    f"note{number}", text, kind="note", name=subject, created=created, line=number, end=number
                )
            elif line.strip():
                content.problems.add("this line was skipped: it has no date and no subject", number)
