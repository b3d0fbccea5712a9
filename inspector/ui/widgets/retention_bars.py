"""The state of each fact class at the end, as bars: in the window, named, recoverable or lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.style import Style
from rich.text import Text

from inspector.analysis.replay import RetainedFact
from inspector.core.text import clipped, one_line
from inspector.ui.palette import Palette

_NAME, _COUNT = 11, 12
_RETAINED, _NAMED, _RECOVERABLE, _LOST = "━", "─", "╌", "·"


def retention_lines(retention: Mapping[str, RetainedFact], width: int, palette: Palette, room: int) -> Iterator[Text]:
    """Yield a line for each class with facts: its name, the number of facts in the window, and a bar.

    If there are more classes than `room`, those with the largest share of lost facts come first.

    Args:
        retention: Retention of each class.
        width: Cells of a line.
        palette: Colours of the current theme.
        room: Maximum number of lines.
    """
    classes = [(name, counts) for name, counts in retention.items() if counts.total]
    fit = len(classes) <= room
    if not fit:
        classes.sort(key=lambda entry: -entry[1].lost / entry[1].total)
    shown_classes = classes if fit else classes[: max(0, room - 1)]
    for name, counts in shown_classes:
        line = Text(f"{clipped(one_line(name), _NAME):<{_NAME}}", palette.ink(), no_wrap=True)
        line.append(f"{counts.retained:,}/{counts.total:,} ".rjust(_COUNT), palette.dim)
        for text, style in retention_bar(counts, max(4, width - _NAME - _COUNT), palette):
            line.append(text, style)
        yield line
    rest = len(classes) - len(shown_classes)
    if rest and room > 0:
        yield Text(f"… {rest} more {'class' if rest == 1 else 'classes'}", palette.faint)


def retention_bar(counts: RetainedFact, room: int, palette: Palette) -> list[tuple[str, Style]]:
    """Return a bar as runs of text: thick for retained, thin for named, dashed for recoverable, dots for lost.

    Args:
        counts: Numbers of facts in each state.
        room: Cells of the bar.
        palette: Colours of the current theme.
    """
    total = max(1, counts.total)
    lost = max(round(room * counts.lost / total), 1 if counts.lost else 0)
    retained = min(round(room * counts.retained / total), room - lost)
    between = counts.named + counts.recoverable
    if not between:
        retained = room - lost
    named = round((room - retained - lost) * counts.named / max(1, between))
    return [
        (_RETAINED * retained, palette.ink("success")),
        (_NAMED * named, palette.ink("warning")),
        (_RECOVERABLE * (room - retained - named - lost), palette.ink("primary")),
        (_LOST * lost, palette.ink("error")),
    ]
