"""Highlight search matches in drawn text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from inspector.analysis.message_search import Place


def marked_runs(
    text: str,
    places: Sequence[Place],
    style: Style,
    mark: Style,
    current_mark: Style | None = None,
    current: int | None = None,
) -> Iterator[tuple[str, Style]]:
    """Split a text into styled runs, with the matches highlighted.

    Args:
        text: Text to split.
        places: Start and end offsets of the matches, in order.
        style: Style of the text between matches.
        mark: Style added to `style` for a match.
        current_mark: Style added for the current match instead of `mark`.
        current: Index of the current match in `places`; None if there is no current match.
    """
    end = 0
    for number, (start, behind) in enumerate(places):
        if start > end:
            yield text[end:start], style
        yield text[start:behind], style + (current_mark if current_mark and number == current else mark)
        end = behind
    if end < len(text):
        yield text[end:], style
