"""Text of the correlations between what windows keep and what they can answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.experiments import Evaluation
from inspector.cli.output import paint, width
from inspector.core.text import clip, clipped, pad, percent, plural

_NAME, _WIDE, _NARROW = 17, 21, 9


def budget_text(budget: float) -> str:
    return percent(budget) if budget <= 1 else f"{budget:,.0f}"


def tracking_lines(result: Evaluation) -> Iterator[str]:
    """Yield the rank correlations, overall and per budget, with their intervals if there is room."""
    yield paint(clip("rank correlation (Spearman) with the answers", width()), "strong")
    room = _WIDE if width() >= _NAME + 3 * _WIDE else _NARROW
    yield paint(
        clipped(f"{'':<{_NAME}}" + "".join(f"{name:>{room}}" for name in ("retained", "related", "left")), width()),
        "dim",
    )
    count = sum(not cell.recalls for cell in result.cells)
    rows = [(f"all {plural(count, 'row')}", result.tracking)]
    rows += [(f"at {budget_text(budget)}", result.tracking_at(budget)) for budget in result.budgets]
    for name, tracking in rows:
        pairs = (
            (tracking.retained, tracking.retained_interval),
            (tracking.related, tracking.related_interval),
            (tracking.tokens, tracking.tokens_interval),
        )
        yield clipped(pad(name, _NAME) + "".join(_ranked(value, ends, room) for value, ends in pairs), width())


def _ranked(value: float | None, ends: Sequence[float] | None, room: int) -> str:
    """Return a correlation with its interval: "0.86 (0.71-0.94)"."""
    text = "–" if value is None else f"{value:.2f}"
    if ends and value is not None and room == _WIDE:
        text += f" ({ends[0]:.2f}–{ends[1]:.2f})"
    return text.rjust(room)
