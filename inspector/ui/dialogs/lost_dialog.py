"""The facts that a compaction or a plan removed from the window, by class, with their sources and later uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.analysis.context_loss import (
    SENTENCES,
    Loss,
    Losses,
    LossGroup,
    NeedEvent,
    class_words,
    describe_kept,
    describe_probes,
    describe_reread,
    describe_seal,
    fact_within,
    group_losses,
    need_words,
    uncompact,
)
from inspector.core.text import clipped, one_line, plural, wrapped
from inspector.engine.facts import FactClass
from inspector.engine.window import SizeChange
from inspector.engine.work_state import Fate
from inspector.library import Preview
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_losses
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.state_rows import StateHeading, StateRow, change_rows, question_rows
from inspector.ui.key_remaps import key_of
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.workers.latest import LatestOnly

Stop = Callable[[], bool]
_WIDE = 100
"""Width in cells from which the key bar uses full words."""
_MIN_FACT, _MAX_FACT = 40, 96
"""Cells for the facts, from the shortest lists to those with sentences, so that their columns are near them."""
_COUNTS = 3
"""Maximum lines above the list for the counts of messages and kept facts."""
_DETAIL = 5
"""Maximum lines below the list for the quoted sentences."""


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

    Facts that were needed later come first, then the others by class. Groups that say little are folded, so that only
    their headings are lines.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("loss_list")
    empty = "  searching for dropped facts …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.groups: Sequence[LossGroup] = ()
        self.folded: set[FactClass | None] = set()
        self.changes: Sequence[StateHeading | StateRow] = ()
        self.questions: Sequence[StateHeading | StateRow] = ()
        self.lines: list[LossGroup | Loss | StateHeading | StateRow] = []
        self.has_needs = False
        """True if any fact was needed later, which adds a column."""
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
            questions: Unanswered questions, below the facts that were needed later.
        """
        self.groups, self.empty, self.changes, self.questions = groups, empty, changes, questions
        self.has_needs = any(group.cls is None for group in groups)
        lengths = (cell_len(_class_cell(loss) + one_line(loss.fact)) for group in groups for loss in group.losses)
        self.longest = max(lengths, default=0)
        self.folded = {group.cls for group in groups if group.is_noise and len(groups) > 1}
        self._set_lines()
        first = [number for number, line in enumerate(self.lines) if _is_first(line)]
        self.cursor = next(iter(first), min(1, self.count - 1) if changes else 0)
        self.renew()

    def action_fold(self) -> None:
        """Fold the group under the cursor, or unfold it."""
        heading = next((at for at in range(self.cursor, -1, -1) if isinstance(self.lines[at], LossGroup)), -1)
        if heading < 0 or self.count <= heading:
            return
        group = self.lines[heading]
        assert isinstance(group, LossGroup)
        self.folded ^= {group.cls}
        self._set_lines()
        self.cursor = heading
        self.renew()
        self.post_message(self.Moved(self, self.cursor))

    def _set_lines(self) -> None:
        needed = [group for group in self.groups if group.cls is None]
        others = [group for group in self.groups if group.cls is not None]
        self.lines = [*self.changes, *self._lines_of(needed), *self.questions, *self._lines_of(others)]

    def _lines_of(self, groups: Sequence[LossGroup]) -> Iterator[LossGroup | Loss]:
        for group in groups:
            yield group
            if group.cls not in self.folded:
                yield from group.losses

    def spans(self, line: int, width: int) -> Sequence[Span]:
        reach = 9 if self.has_needs else 0
        near = min(width, 17 + reach + max(_MIN_FACT, min(self.longest, _MAX_FACT)))
        match self.lines[line]:
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
                return self._columns(label, row.text, row.after, row.end, self.palette.dim, ink, width)

    def _columns(
        self, label: str, before: str, after: str, end: str, ink: Style, end_ink: Style, width: int
    ) -> Sequence[Span]:
        """Return a line with four columns."""
        first = 29 if width >= _WIDE else 20
        room = max(6, (width - first - 15) // 2)
        texts = (set_cell_size(clipped(text, room - 1), room) for text in (before, after))
        before, after = texts
        head = set_cell_size(f" {clipped(label, first - 2)}", first)
        return [(head, ink), (before, self.palette.ink()), (after, self.palette.dim), (clipped(end, 14), end_ink)]

    def _heading_spans(self, group: LossGroup, width: int) -> Sequence[Span]:
        mark = "▸" if group.cls in self.folded else "▾"
        is_first = group.cls is None
        columns = " stated in  needed in" if is_first else ""
        heading = set_cell_size(group.heading, max(8, width - 3 - cell_len(columns)))
        ink = self.palette.ink("warning" if is_first else "foreground", bold=True)
        return [(f" {mark} ", self.palette.faint), (heading, ink), (columns, self.palette.faint)]

    def _loss_spans(self, loss: Loss, width: int) -> Sequence[Span]:
        palette = self.palette
        cls = _class_cell(loss)
        needed = f"turn {loss.needed[0].turn:,}" if loss.needed else ""
        number = f"#{loss.position:,}" if loss.position else ""
        reach = max(9, len(needed)) if self.has_needs else 0
        room = max(8, width - 17 - len(cls) - reach)
        alarm = palette.ink("error")
        return [
            ("   ! " if loss.needed else "   · ", alarm if loss.needed else palette.faint),
            (cls, palette.ink("warning")),
            (set_cell_size(fact_within(loss, room - 1), room), palette.ink()),
            (f"{number:>10}  ", palette.faint),
            (f"{needed:<{reach}}", alarm),
        ]


def _class_cell(loss: Loss) -> str:
    return f"{class_words(loss.cls):<12}" if loss.needed else ""


class LostScreen(Overlay[NeedEvent]):
    """The lost facts by class. Dismissed with the event whose turn is to be shown, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("lost")
    AUTO_FOCUS = "#losses"

    cls: reactive[FactClass | None] = reactive[FactClass | None](None, init=False, repaint=False)

    def __init__(self, preview: Preview, sizes: SizeChange, find: Callable[[Stop], Losses | None], what: str) -> None:
        """Create the list of facts lost in a change of the window.

        Args:
            preview: Windows before and after the change.
            sizes: Token counts of both windows.
            find: Finds the losses. Called in a thread with a function that returns True to stop; returns None if
                stopped.
            what: Heading.
        """
        super().__init__()
        self.sizes = sizes
        self.preview = preview
        self.find = find
        self.what = what
        self.losses: Losses | None = None
        self.jobs: LatestOnly[Losses | None] = LatestOnly(self, "losses", self.show_result)

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="bar", markup=False)
        yield Static(id="loss-counts", markup=False)
        yield LossList(id="losses")
        yield Static(id="loss-detail", markup=False)
        yield KeyBar(id="keys")

    def heading(self) -> str:
        return f"{self.what}   {self.sizes} tokens{', more than before' if self.sizes.grew else ''}"

    def on_mount(self) -> None:
        self.show_keys()
        find = self.find
        self.jobs.ask(lambda: find(lambda: self._is_dismissed))

    def show_keys(self) -> None:
        rows = self.query_one(LossList)
        loss, is_roomy = rows.current, self.size.width >= _WIDE
        keys = _keys_of_line(loss, rows.state_row, is_roomy)
        if self.losses and self.losses.losses and not loss and not rows.state_row:
            keys.append(Key("toggle", "fold"))
        if self.losses and self.losses.losses:
            keys.append(Key("copy", "copy for the agent" if is_roomy else "copy"))
            keys.append(Key("filter", "class"))
        keys += [Key("diff", "by message"), Key("back", "back")]
        self.query_one(KeyBar).keys = tuple(keys)

    def show_result(self, losses: Losses | None) -> None:
        self.losses = losses
        if losses is not None:
            self.show_losses()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_keys()
        if self.is_mounted and self.losses is not None:
            self.show_detail()
            self.show_counts(self.losses)

    def watch_cls(self) -> None:
        self.show_losses()

    def show_losses(self) -> None:
        losses = self.losses
        if losses is None:
            return
        rows = [loss for loss in losses.losses if self.cls in (None, loss.cls)]
        self.show_counts(losses)
        changes = change_rows(losses.consequences, losses.state) if self.cls is None else ()
        questions = question_rows(losses.probes) if self.cls is None else ()
        empty = "  Nothing was lost: every fact is still in the context."
        self.query_one(LossList).show(group_losses(rows), empty, changes, questions)
        self.show_detail()

    def show_counts(self, losses: Losses) -> None:
        words = f"{plural(losses.covered, 'message')} removed or shortened"
        if kept := describe_kept(losses):
            words = f"{words}; {kept}"
        if reread := describe_reread(losses):
            words = f"{words}; {reread}"
        if going_on := describe_probes(losses):
            words = f"{words}; {going_on}"
        if seal := describe_seal(losses):
            words = f"{seal}; {words}"
        if self.cls:
            words = f"only {class_words(self.cls, 2)} · {key_of('filter')}: next class · {words}"
        rows = list(wrapped(words, max(20, self.size.width - 4)))
        if len(rows) > _COUNTS:
            rows[_COUNTS - 1 :] = [clipped(f"{rows[_COUNTS - 1]} …", self.size.width - 4)]
        self.query_one("#loss-counts", Static).update("\n".join(rows))

    @on(LossList.Moved)
    def show_detail(self) -> None:
        self.show_keys()
        loss = self.query_one(LossList).current
        width = max(20, self.size.width - 4)
        row = self.query_one(LossList).state_row
        lines = list(_detail_lines(loss, width))[:_DETAIL] if loss else []
        if row is not None:
            lines = _two_lines(row.text, width)
            lines += _two_lines(f"{row.end}: {row.after}", width) if row.end else []
        self.query_one("#loss-detail", Static).update(Text("\n".join(lines)))

    def action_filter(self) -> None:
        """Show the next class that lost facts, or all classes after the last one."""
        if self.losses is not None:
            classes: list[FactClass | None] = [None, *self.losses.counts]
            self.cls = classes[(classes.index(self.cls) + 1) % len(classes)]

    @on(LossList.Opened)
    def action_read(self) -> None:
        """Open the message that stated the fact under the cursor; on a heading, fold or unfold its group."""
        rows = self.query_one(LossList)
        loss, row = rows.current, rows.state_row
        if row is not None:
            self.read_message(row)
            return
        if loss is None:
            rows.action_fold()
        message = self.preview.session.by_id.get(loss.source) if loss else None
        if loss is not None and message is not None:
            words = facts_in(message, [loss.fact]) or facts_in(message, [loss.quote])
            self.app.push_screen(Reader(message, f"{loss.position:,}", words))

    def read_message(self, row: StateRow) -> None:
        """Open the message that a line about the state names."""
        session = self.preview.session
        if (message := session.by_id.get(row.message)) is not None:
            number = next(place for place, one in enumerate(session.messages, 1) if one is message)
            self.app.push_screen(Reader(message, f"{number:,}", facts_in(message, [row.text])))

    def action_need(self) -> None:
        loss = self.query_one(LossList).current
        if loss is not None and loss.needed:
            self.dismiss(loss.needed[0])
        elif loss is not None:
            self.notify("No later reply needed this fact.")

    def action_copy(self) -> None:
        if self.losses is not None:
            self.notify(copy_losses(self.app, uncompact(self.losses)))

    def action_diff(self) -> None:
        self.app.push_screen(self.diff())

    def diff(self) -> DiffScreen:
        """Return the same change, message by message."""
        return DiffScreen(self.preview, self.what, self.sizes)


def _keys_of_line(loss: Loss | None, row: StateRow | None, is_roomy: bool) -> list[Key]:
    """Return the keys of the line under the cursor."""
    keys = [Key("open", "where it was stated" if is_roomy else "source")] if loss else []
    if row is not None and row.message:
        keys.append(Key("open", "message"))
    if loss and loss.needed:
        keys.append(Key("next_finding", "where it was needed" if is_roomy else "needed"))
    return keys


def _is_first(line: object) -> bool:
    return isinstance(line, Loss) or (isinstance(line, StateRow) and line.is_consequence)


def _detail_lines(loss: Loss, width: int) -> Iterator[str]:
    """Yield the sentence that stated a fact, and up to two that needed it later."""
    place = f"#{loss.position:,}, turn {loss.turn:,}" if loss.position else "a message that is not in the log"
    yield from _two_lines(f"stated in {place}: “{one_line(loss.quote)}”", width)
    for need_event in loss.needed[:2]:
        said = f": “{one_line(need_event.quote)}”" if need_event.quote else ""
        yield from _two_lines(f"{need_words(need_event.how)} at turn {need_event.turn:,}{said}", width)
    if loss.cls in SENTENCES and not loss.needed:
        yield "A reworded fact may be counted as lost."


def _two_lines(words: str, width: int) -> list[str]:
    """Return a sentence in at most two lines, clipped if it is longer."""
    first, *rest = wrapped(words, width) or [""]
    return [first, clipped(" ".join(rest), width)] if rest else [first]
