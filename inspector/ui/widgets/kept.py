"""What became of the facts of each class: in the window, to be found again, or lost, as bars with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.style import Style
from rich.text import Text

from inspector.replay import Kept
from inspector.text import clipped, one_line
from inspector.ui.palette import Palette

_NAME, _COUNT = 11, 12
_RETAINED, _RECOVERABLE, _LOST = "━", "╌", "·"


def kept_lines(retention: Mapping[str, Kept], width: int, palette: Palette, room: int) -> Iterator[Text]:
    """A line for each class that has facts: its name, how many of them are in the window, and a bar.

    Where there are more classes than room, those that lost the largest share come first.
    """
    found = [(name, kept) for name, kept in retention.items() if kept.total]
    if len(found) > room:
        found.sort(key=lambda each: -each[1].lost / each[1].total)
    shown = found if len(found) <= room else found[: max(0, room - 1)]
    for name, kept in shown:
        line = Text(f"{clipped(one_line(name), _NAME):<{_NAME}}", palette.ink(), no_wrap=True)
        line.append(f"{kept.retained:,}/{kept.total:,} ".rjust(_COUNT), palette.dim)
        line.append_text(_share_bar(kept, max(4, width - _NAME - _COUNT), palette))
        yield line
    if len(shown) < len(found) and room > 0:
        yield Text(
            f"… {len(found) - len(shown)} more {'class' if len(found) - len(shown) == 1 else 'classes'}", palette.faint
        )


def _share_bar(kept: Kept, room: int, palette: Palette) -> Text:
    """Thick for what is in the window, dashed for what can be found again, dots for what is lost."""
    return Text.assemble(*share_spans(kept, room, palette), no_wrap=True)


def share_spans(kept: Kept, room: int, palette: Palette) -> list[tuple[str, Style]]:
    """The bar as runs of text, together as long as there is room."""
    total = max(1, kept.total)
    lost = max(round(room * kept.lost / total), 1 if kept.lost else 0)
    there = min(round(room * kept.retained / total), room - lost)
    if not kept.recoverable:
        there = room - lost
    return [
        (_RETAINED * there, palette.ink("success")),
        (_RECOVERABLE * (room - there - lost), palette.ink("primary")),
        (_LOST * lost, palette.ink("error")),
    ]
