"""The lines of the text that gives lost facts back, each of which the user may leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import set_cell_size

from inspector.analysis.context_loss import LostStep, Restored, restored_costs, restored_with
from inspector.core.text import clipped, one_line, plural
from inspector.ui.palette import Palette
from inspector.ui.widgets.lines import Span

_KIND = 12


@dataclass(frozen=True, slots=True)
class GiveBackHeading:
    """The heading above the lines, with the size of the text."""

    tokens: int
    lines: int
    all_lines: int
    budget: int
    is_folded: bool

    def spans(self, palette: Palette, width: int) -> Sequence[Span]:
        mark = "▸" if self.is_folded else "▾"
        size = f"  {self.tokens:,} of {self.budget:,} tokens"
        ink = palette.ink("error" if self.tokens > self.budget else "success")
        lines = f" · {self.lines:,} of {plural(self.all_lines, 'line')}"
        return [
            (f" {mark} ", palette.faint),
            ("Give back", palette.ink("foreground", bold=True)),
            (size, ink),
            (clipped(lines, max(1, width - 14 - len(size))), palette.dim),
        ]


@dataclass(frozen=True, slots=True)
class GiveBackLine:
    """One line of the text, or one that is left out."""

    step: LostStep
    cost: int
    """Its tokens."""
    is_in: bool

    def spans(self, palette: Palette, width: int) -> Sequence[Span]:
        cost = f"{self.cost:>6,} "
        room = max(8, width - 5 - _KIND - len(cost))
        text = set_cell_size(clipped(one_line(self.step.text), room - 1), room)
        return [
            ("   ✓ " if self.is_in else "   ○ ", palette.ink("success") if self.is_in else palette.faint),
            (f"{self.step.kind:<{_KIND}}", palette.ink("warning") if self.is_in else palette.faint),
            (text, palette.ink() if self.is_in else palette.dim),
            (cost, palette.dim),
        ]


class GiveBack:
    """The text for the agent, and which lines are in it. It begins with those that fit the budget.

    Args:
        restored: The text with the lines that were chosen, and the others.
        model: Model, whose tokenizer counts.
        budget: Tokens that the text should not exceed.
    """

    def __init__(self, restored: Restored, model: str, budget: int) -> None:
        self.restored = restored
        self.is_folded = True
        self._model, self._budget = model, budget
        self._costs = restored_costs(restored, model)

    def toggle(self, step: LostStep) -> None:
        """Take a line out of the text, or into it."""
        used = self.restored.used
        chosen = [one for one in used if one != step] if step in used else [*used, step]
        self.restored = restored_with(self.restored, chosen, self._model)

    @property
    def rows(self) -> list[GiveBackHeading | GiveBackLine]:
        """The heading and, unless it is folded, the lines: those in the text first."""
        used = set(self.restored.used)
        heading = GiveBackHeading(
            self.restored.tokens, len(used), len(self._costs), self._budget, is_folded=self.is_folded
        )
        if self.is_folded or not self._costs:
            return [heading] if self._costs else []
        return [heading, *(GiveBackLine(step, cost, step in used) for step, cost in self._costs.items())]
