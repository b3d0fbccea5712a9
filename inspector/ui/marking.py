"""Words that are looked for, set apart wherever they are drawn."""

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
    """A text as runs: what stands at the places in the style of a mark, all else in its own.

    The place with the number `current` is in a style of its own.
    """
    end = 0
    for number, (start, behind) in enumerate(places):
        if start > end:
            yield text[end:start], style
        yield text[start:behind], style + (current_mark if current_mark and number == current else mark)
        end = behind
    if end < len(text):
        yield text[end:], style
