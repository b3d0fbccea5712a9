"""The rows of the lost facts: what followed, the state of the work, and the facts by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual.binding import BindingType

from inspector.analysis.context_loss import Loss, LossGroup, class_words, fact_within
from inspector.core.text import clipped, ends, one_line
from inspector.engine.work_state import Fate
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.give_back import GiveBack, GiveBackHeading, GiveBackLine
from inspector.ui.dialogs.state_rows import StateHeading, StateRow
from inspector.ui.widgets.lines import LineList, Span

WIDE = 100
"""Width in cells from which there is room for full words."""
_MIN_FACT, _MAX_FACT = 40, 96
"""Cells for the facts, from the shortest lists to those with sentences, so that their columns are near them."""

FATE_INKS: Mapping[Fate, str] = {
    "invented": "error",
    "revived": "error",
    "stale": "warning",
    "moved": "warning",
    "dropped": "warning",
    "paraphrased": "warning",
    "kept": "success",
}


class LossList(LineList):
    """Lists the consequences, the state of the work before and after, and the lost facts, each under its heading.

    Facts in later replies come first, then the others by class. Groups that say little are folded, so that only
    their headings are lines.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("loss_list")
    empty = "  searching for dropped facts …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.groups: Sequence[LossGroup] = ()
        self.folded: set[str] = set()
        """Titles of the folded groups."""
        self.changes: Sequence[StateHeading | StateRow] = ()
        self.questions: Sequence[StateHeading | StateRow] = ()
        self.back: GiveBack | None = None
        """The text that gives facts back; None before it is known, and for a single class."""
        self.lines: list[LossGroup | Loss | StateHeading | StateRow | GiveBackHeading | GiveBackLine] = []
        self.has_needs = False
        """True if a later reply needed or states a fact, which adds a column."""
        self.longest = 0
        """Cells of the longest fact with its class."""

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def current(self) -> Loss | None:
        """The fact under the cursor; None on a heading."""
        line = self.lines[self.cursor] if self.cursor < self.count else None
        return line if isinstance(line, Loss) else None

    @property
    def state_row(self) -> StateRow | None:
        """The line about the state of the work under the cursor."""
        line = self.lines[self.cursor] if self.cursor < self.count else None
        return line if isinstance(line, StateRow) else None

    @property
    def back_line(self) -> GiveBackLine | None:
        """The line of the text that gives facts back under the cursor."""
        line = self.lines[self.cursor] if self.cursor < self.count else None
        return line if isinstance(line, GiveBackLine) else None

    def show_back(self, back: GiveBack | None) -> None:
        """Show the lines of a text that gives facts back, or none. The cursor stays on its line."""
        line = self.lines[self.cursor] if self.cursor < self.count else None
        self.back = back
        self._set_lines()
        if line in self.lines:
            self.cursor = self.lines.index(line)
        self.renew()

    def show(
        self,
        groups: Sequence[LossGroup],
        empty: str,
        changes: Sequence[StateHeading | StateRow] = (),
        questions: Sequence[StateHeading | StateRow] = (),
    ) -> None:
        """Show the state and groups of facts, from the first consequence or else the first fact on.

        Args:
            groups: The groups. A single one is unfolded.
            empty: Text to show without any line.
            changes: What followed, and the state before and after, above the facts.
            questions: Unanswered questions, below the facts in later replies.
        """
        self.groups, self.empty, self.changes, self.questions = groups, empty, changes, questions
        self.has_needs = any(group.cls is None for group in groups)
        lengths = (cell_len(_class_cell(loss) + one_line(loss.fact)) for group in groups for loss in group.losses)
        self.longest = max(lengths, default=0)
        self.folded = {group.title for group in groups if group.is_noise and len(groups) > 1}
        self._set_lines()
        first = [number for number, line in enumerate(self.lines) if _is_first(line)]
        self.cursor = next(iter(first), min(1, self.count - 1) if changes else 0)
        self.renew()

    def action_fold(self) -> None:
        """Fold the group under the cursor, or unfold it. Take a line out of the text for the agent, or into it."""
        line = self.lines[self.cursor] if self.cursor < self.count else None
        if self.back is not None and isinstance(line, GiveBackHeading | GiveBackLine):
            if isinstance(line, GiveBackLine):
                self.back.toggle(line.step)
            else:
                self.back.is_folded ^= True
            self._set_lines()
            self.renew()
            self.post_message(self.Moved(self))
            return
        heading = next((at for at in range(self.cursor, -1, -1) if isinstance(self.lines[at], LossGroup)), -1)
        if heading < 0 or self.count <= heading:
            return
        group = self.lines[heading]
        assert isinstance(group, LossGroup)
        self.folded ^= {group.title}
        self._set_lines()
        self.cursor = heading
        self.renew()
        self.post_message(self.Moved(self))

    def _set_lines(self) -> None:
        needed = [group for group in self.groups if group.cls is None]
        others = [group for group in self.groups if group.cls is not None]
        back = self.back.rows if self.back else ()
        self.lines = [*self.changes, *self._lines_of(needed), *self.questions, *back, *self._lines_of(others)]

    def _lines_of(self, groups: Sequence[LossGroup]) -> Iterator[LossGroup | Loss]:
        for group in groups:
            yield group
            if group.title not in self.folded:
                yield from group.losses

    def spans(self, line: int, width: int) -> Sequence[Span]:
        reach = 9 if self.has_needs else 0
        near = min(width, 17 + reach + max(_MIN_FACT, min(self.longest, _MAX_FACT)))
        match self.lines[line]:
            case GiveBackHeading() | GiveBackLine() as part:
                return part.spans(self.palette, width)
            case LossGroup() as group:
                return self._heading_spans(group, near)
            case Loss() as loss:
                return self._loss_spans(loss, near)
            case StateHeading() as heading:
                before, after, end = heading.columns
                return self._columns(heading.title, before, after, end, self.palette.strong, self.palette.faint, width)
            case StateRow() as row:
                ink = self.palette.ink("error" if row.is_consequence else FATE_INKS[row.fate])
                label = f"{'! ' if row.is_consequence else '  '}{row.label}"
                if not row.after:
                    return self._question(label, row.text, width)
                return self._columns(label, row.text, row.after, row.end, self.palette.dim, ink, width)

    def _question(self, label: str, answer: str, width: int) -> Sequence[Span]:
        """Return a line with a question and its answer, clipped in the middle."""
        first = _first_column(width)
        head = set_cell_size(f" {clipped(label, first - 2)}", first)
        return [(head, self.palette.dim), (ends(answer, max(6, width - first - 1)), self.palette.ink())]

    def _columns(
        self, label: str, before: str, after: str, end: str, ink: Style, end_ink: Style, width: int
    ) -> Sequence[Span]:
        """Return a line with four columns."""
        first = _first_column(width)
        room = max(6, (width - first - 15) // 2)
        texts = (set_cell_size(clipped(text, room - 1), room) for text in (before, after))
        before, after = texts
        head = set_cell_size(f" {clipped(label, first - 2)}", first)
        return [(head, ink), (before, self.palette.ink()), (after, self.palette.dim), (clipped(end, 14), end_ink)]

    def _heading_spans(self, group: LossGroup, width: int) -> Sequence[Span]:
        mark = "▸" if group.title in self.folded else "▾"
        is_later = group.cls is None
        columns = " stated in  reply in" if is_later else ""
        heading = set_cell_size(group.heading, max(8, width - 3 - cell_len(columns)))
        ink = self.palette.ink("warning" if is_later else "foreground", bold=True)
        return [(f" {mark} ", self.palette.faint), (heading, ink), (columns, self.palette.faint)]

    def _loss_spans(self, loss: Loss, width: int) -> Sequence[Span]:
        palette = self.palette
        cls = _class_cell(loss)
        needed = f"turn {loss.needed[0].turn:,}" if loss.needed else ""
        number = f"#{loss.position:,}" if loss.position else ""
        reach = max(9, len(needed)) if self.has_needs else 0
        room = max(8, width - 17 - len(cls) - reach)
        ink = {"!": palette.ink("error"), "?": palette.ink("warning"), "·": palette.faint}[loss.mark]
        return [
            (f"   {loss.mark} ", ink),
            (cls, palette.ink("warning")),
            (set_cell_size(fact_within(loss, room - 1), room), palette.ink()),
            (f"{number:>10}  ", palette.faint),
            (f"{needed:<{reach}}", ink),
        ]


def _first_column(width: int) -> int:
    """Return the cells of the first column of a row about the state."""
    return 29 if width >= WIDE else 20


def _class_cell(loss: Loss) -> str:
    return f"{class_words(loss.cls):<12}" if loss.needed else ""


def _is_first(line: object) -> bool:
    return isinstance(line, Loss) or (isinstance(line, StateRow) and line.is_consequence)
