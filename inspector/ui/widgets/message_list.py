"""The messages of a window, one line each, with the fate that a plan gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector import tokens
from inspector.text import GLYPHS, clipped
from inspector.ui.palette import FATE_COLOURS, Palette
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.message_rows import NUMBER, MessageRow, MessageRows

if TYPE_CHECKING:
    from inspector.conversation import Message
    from inspector.library import Preview
    from inspector.ui.widgets.detail import MessageDetail
    from inspector.window import Fate

_NAME = 13
_BLOCKS = " ▏▎▍▌▋▊▉█"


class MessageColumns(Widget):
    """The heads of the list's columns."""

    scored: reactive[bool] = reactive(False)

    def render(self) -> Text:
        return Text(_heading(self.size.width, self.scored), Palette(self.app.theme_variables).dim, no_wrap=True)


class MessageList(LineList):
    """The window's messages through the applied plans; with a plan tried on, each under its fate."""

    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content: MessageRows | None = None
        self.rows: list[MessageRow] = []
        self.open_rows: set[str] = set()
        self.folds = True
        self.follows = False
        """Whether the cursor stands at the edge of what leaves, wherever a knob moves it."""
        self.in_hand = True
        """Whether the person moved this list last, and not a knob: what enter is then meant for."""
        self.target = ""
        """The id of a message to go to with the next preview."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def scored(self) -> bool:
        return self.content is not None and self.content.scored

    def show(self, preview: Preview) -> None:
        """Take a new preview.

        The cursor stays on its message, or goes to the newest when it has none. While a plan is tried on and the
        person has not moved, it stands on the last message that leaves, so that the edge of what stays is in sight.
        """
        current, previous = self.current, self.content
        target = self.target or (current.id if current else "")
        self.target = ""
        if preview.plan is None or previous is None or previous.preview.plan is None:
            self.follows = preview.plan is not None
        content = self.content = MessageRows(preview, previous)
        if not content.same_session:
            self.open_rows.clear()
        self.empty = f"  {preview.before.emptiness}"
        ids = preview.before.ids
        place = ids.index(target) if target in ids else len(ids) - 1
        self.lay_out(content, content.edge() if self.follows else place)

    def lay_out(self, content: MessageRows, index: int) -> None:
        """Fold the messages into rows, with the cursor on the row of a message."""
        self.rows = content.rows(self.folds, self.open_rows)
        self.renew()
        self.cursor = next((number for number, row in enumerate(self.rows) if row.start <= index < row.end), 0)
        self.show_cursor()

    def show_cursor(self) -> None:
        """While following, with some lines of what stays below the edge."""
        if self.follows and self.count:
            ahead = min(self.count - 1, self.cursor + max(1, self.size.height // 2))
            for line in (ahead, self.cursor):
                self.show_line(line)
        else:
            super().show_cursor()

    def by_hand(self) -> None:
        self.follows = False
        self.in_hand = True
        self.target = ""

    @property
    def current_row(self) -> MessageRow | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    @property
    def current(self) -> Message | None:
        """The message under the cursor; of a folded run, its first."""
        row = self.current_row
        return self.content.message(row) if self.content is not None and row is not None else None

    @property
    def current_index(self) -> int | None:
        return self.current_row.start if self.current_row else None

    @property
    def current_number(self) -> str:
        """The number of the message under the cursor in the log."""
        row = self.current_row
        return self.content.number(row) if self.content is not None and row is not None else ""

    def unfold(self) -> bool:
        """Open the folded run under the cursor; False when there is none."""
        row = self.current_row
        if row is None or not row.is_folded or self.content is None:
            return False
        self.open_rows.add(self.content.message(row).id)
        self.lay_out(self.content, row.start)
        return True

    def toggle_folding(self) -> None:
        self.folds = not self.folds
        self.open_rows.clear()
        if self.content is not None:
            self.lay_out(self.content, self.current_index or 0)

    def detail(self, index: int) -> MessageDetail:
        """What the pane beside the list shows of a message."""
        assert self.content is not None
        return self.content.detail(index, self.rows[self.cursor])

    # drawing

    def spans(self, line: int, width: int) -> Sequence[Span]:
        content, row, palette = self.content, self.rows[line], self.palette
        assert content is not None
        fate, size = content.fate(row.start), content.tokens(row)
        quiet = content.preview.plan is None and fate.kind == "kept"
        ink = palette.faint if fate.leaves else palette.ink(speaker_colour(content.message(row)))
        numbers = palette.dim if fate.leaves else palette.ink()
        bar = self.bar(size, _bar_width(self.size.width, self.scored), fate.leaves, content.largest)
        spans: list[Span] = [
            (f"{GLYPHS[fate.kind]} ", palette.ink("line" if quiet else FATE_COLOURS[fate.kind])),
            (f"{content.number(row):>6}  "[:NUMBER], palette.faint),
            (set_cell_size(content.speaker(row), _NAME) + " ", ink),
            (f"{tokens.mark(content.window.sizes.certainty)}{size:,}".rjust(9) + " ", numbers),
        ]
        if self.scored:
            score = content.score(row)
            spans.append((f"{f'{score.total:.2f}' if score else '':>5} ", numbers))
        spans += [(bar, palette.ink(f"section-{content.window.sections[row.start]}")), ("  ", Style())]
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        return [*spans, *self.text(content, row, fate, room)]

    def bar(self, tokens: int, cells: int, hollow: bool, largest: int) -> str:
        """Tokens to the scale of the largest message; shaded where the message leaves."""
        eighths = round(8 * cells * tokens / largest)
        if hollow:
            return ("░" * max(1, round(eighths / 8))).ljust(cells)[:cells]
        full, rest = divmod(max(eighths, 1 if tokens else 0), 8)
        return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(cells)[:cells]

    def text(self, content: MessageRows, row: MessageRow, fate: Fate, room: int) -> list[Span]:
        """What a row says, after the summary that it goes into."""
        spans: list[Span] = []
        if fate.into:
            lead = clipped(f"→ {fate.into}  ", max(0, room))
            spans.append((lead, self.palette.ink(FATE_COLOURS[fate.kind])))
            room -= cell_len(lead)
        if room > 0:
            has_failed = content.message(row).is_error and not row.is_folded
            ink = self.palette.faint if fate.leaves else self.palette.ink("error" if has_failed else "foreground")
            spans.append((clipped(content.text(row), room), ink))
        return spans


def speaker_colour(message: Message) -> str:
    if message.kind in ("summary", "injected"):
        return "section-memory"
    colours = {"user": "section-input", "tool": "section-tools", "system": "section-system"}
    return colours.get(message.role, "foreground")


def _bar_width(width: int, scored: bool) -> int:
    """Cells for the bars of tokens: none where the scores take their place."""
    return 12 if width >= 90 else 0 if scored else 6


def _heading(width: int, scored: bool) -> str:
    """What the columns hold, over a list of that width."""
    score = "score " if scored else ""
    return f"  {'#':>6}  {'who':<{_NAME}} {'tokens':>9} {score}{'':<{_bar_width(width, scored)}}  what was done"
