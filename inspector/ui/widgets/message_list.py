"""The messages of a window, one per line, with their fates under a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive

from inspector.analysis.message_search import word_places
from inspector.core.text import GLYPHS, clipped, one_line
from inspector.ui.marking import marked_runs
from inspector.ui.palette import FATE_COLOURS, Palette
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.lines import LineList, Span, show_changed_lines
from inspector.ui.widgets.message_rows import NUMBER, Arrangement, MessageRow, MessageRows

if TYPE_CHECKING:
    from inspector.analysis.message_search import MessageHit
    from inspector.core.conversation import Message
    from inspector.engine.window import Fate
    from inspector.library import Preview
    from inspector.ui.widgets.detail import MessageDetail

_NAME = 13
_BLOCKS = " ▏▎▍▌▋▊▉█"
BOOKMARK = "•"
_HIT = "▸"
_BEYOND = "»"
"""Symbol at the end of a bar that is too long for the available cells."""


class MessageColumns(Drawing):
    """The headings of the list's columns."""

    scored: reactive[bool] = reactive(False)

    by_size: reactive[bool] = reactive(False)

    def render(self) -> Text:
        heading = _heading(self.size.width, self.scored, self.by_size)
        return Text(heading, Palette(self.app.theme_variables).dim, no_wrap=True)


class MessageList(LineList):
    """The window's messages after the applied plans, each with its fate under a plan being tried."""

    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content: MessageRows | None = None
        self._drawn: MessageRows | None = None
        """Content that the lines were drawn from."""
        self.rows: list[MessageRow] = []
        self.open_rows: set[str] = set()
        self.folds = True
        self.follows = False
        """True if the cursor follows the last message that the plan removes while a knob is turned."""
        self.in_hand = True
        """True if the user moved this list last rather than turning a knob, which decides what enter applies to."""
        self.target = ""
        """ID of a message to go to with the next preview."""
        self.arrangement = Arrangement()
        self.words: tuple[str, ...] = ()
        """Search terms, case-folded."""
        self.hits: Mapping[str, MessageHit] = {}
        """Search hits by message ID."""
        self.notes: Mapping[str, str] = {}
        """Notes of bookmarks by message ID."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def scored(self) -> bool:
        return self.content is not None and self.content.scored

    def show(self, preview: Preview) -> None:
        """Show a new preview.

        The cursor stays on its message, or goes to the newest one if it has none. While a plan is tried and the user
        has not moved the cursor, it is on the last message that the plan removes, so that the edge of the kept part is
        visible.
        """
        current, previous = self.current, self.content
        target = self.target or (current.id if current else "")
        self.target = ""
        if preview.plan is None or previous is None or previous.preview.plan is None:
            self.follows = preview.plan is not None
        if previous is not None and len(preview.applied) != len(previous.preview.applied):
            self.follows = False
        content = self.content = MessageRows(preview, previous)
        if not content.same_session:
            self.open_rows.clear()
        self.empty = f"  {preview.before.emptiness}"
        self.lay_out(content, content.edge() if self.follows else content.place_of(target, previous))

    def lay_out(self, content: MessageRows, index: int) -> None:
        """Fold the messages into rows, with the cursor on the row of a message, or on the next visible one."""
        arrangement, rows, before = self.arrangement, self.rows, self._drawn
        self.rows = arrangement.arranged(content, content.rows(self.folds and arrangement.folds, self.open_rows))
        self._drawn = content
        there = min(len(rows), len(self.rows)) if before is not None else 0
        for key in list(self.strips.keys()):
            row = self.rows[key[0]] if key[0] < there else None
            if row is None or before is None or rows[key[0]] != row or not content.looks_same(row, before):
                self.strips.discard(key)
        show_changed_lines(self)
        self.cursor = _row_of(index, self.rows)
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor; while following, with some kept messages below the edge visible."""
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
        """Message under the cursor; for a folded run, its first one."""
        row = self.current_row
        return self.content.message(row) if self.content is not None and row is not None else None

    @property
    def current_index(self) -> int | None:
        return self.current_row.start if self.current_row else None

    @property
    def current_number(self) -> str:
        """Number in the log of the message under the cursor."""
        row = self.current_row
        return self.content.number(row) if self.content is not None and row is not None else ""

    def unfold(self) -> bool:
        """Unfold the run under the cursor. Return False if the row is not folded."""
        row = self.current_row
        if row is None or not row.is_folded or self.content is None:
            return False
        self.open_rows.add(self.content.message(row).id)
        self.lay_out(self.content, row.start)
        return True

    def rearrange(self, arrangement: Arrangement) -> None:
        """Show other rows or another order. The cursor stays on its message if it is still listed."""
        if arrangement != self.arrangement:
            index, self.arrangement = self.current_index or 0, arrangement
            self.follows = False
            if self.content is not None:
                self.lay_out(self.content, index)

    def mark(self, words: tuple[str, ...], hits: Mapping[str, MessageHit], notes: Mapping[str, str]) -> None:
        """Highlight search terms and mark messages.

        Args:
            words: Search terms, case-folded.
            hits: Search hits by message ID.
            notes: Notes of bookmarks by message ID.
        """
        if (words, hits, notes) == (self.words, self.hits, self.notes):
            return
        self.words, self.hits, self.notes = words, dict(hits), dict(notes)
        self.strips.clear()
        self.refresh()

    def go_to_hit(self, step: int, from_here: bool = False) -> bool | None:
        """Go to the next or previous hit, wrapping around at the ends.

        Args:
            step: 1 for the next hit, -1 for the previous one.
            from_here: True to accept the message under the cursor.

        Returns:
            True if the search wrapped around, or None without a hit.
        """
        content, rows = self.content, self.rows
        if content is None or not rows:
            return None
        ids = content.window.ids
        for distance in range(0 if from_here else 1, len(rows) + 1):
            number = (self.cursor + step * distance) % len(rows)
            row = rows[number]
            place = next((at for at in range(row.start, row.end) if ids[at] in self.hits), -1)
            if place >= 0:
                break
        else:
            return None
        is_round = (number - self.cursor) * step < 0
        self.by_hand()
        if row.is_folded:
            self.open_rows.add(ids[row.start])
            self.lay_out(content, place)
        else:
            self.cursor = number
        return is_round

    def toggle_folding(self) -> None:
        self.folds = not self.folds
        self.open_rows.clear()
        if self.content is not None:
            self.lay_out(self.content, self.current_index or 0)

    def detail(self, index: int) -> MessageDetail:
        """Return the details of a message for the pane next to the list."""
        assert self.content is not None
        detail = self.content.detail(index, self.rows[self.cursor])
        words = self.words if detail.message.id in self.hits else ()
        return replace(detail, words=words, note=self.notes.get(detail.message.id))

    # drawing

    def spans(self, line: int, width: int) -> Sequence[Span]:
        content, row, palette = self.content, self.rows[line], self.palette
        assert content is not None
        fate, size = content.fate(row.start), content.tokens(row)
        quiet = content.preview.plan is None and fate.kind == "kept"
        ink = palette.faint if fate.leaves else palette.ink(speaker_colour(content.message(row)))
        numbers = palette.dim if fate.leaves else palette.ink()
        cells = _bar_width(self.size.width, self.scored)
        is_partial = content.window.sizes.is_partial
        bar = " " * cells if is_partial else size_bar(size, cells, fate.leaves, content.largest)
        spans: list[Span] = [
            (GLYPHS[fate.kind], palette.ink("line" if quiet else FATE_COLOURS[fate.kind])),
            *self.number(content, row),
            (set_cell_size(clipped(content.speaker(row), _NAME), _NAME) + " ", ink),
            (content.size_text(size).rjust(9) + " ", numbers),
        ]
        if self.scored:
            score = content.score(row)
            spans.append((f"{f'{score.total:.2f}' if score else '':>5} ", numbers))
        spans += [(bar, palette.ink(f"section-{content.window.sections[row.start]}")), ("  ", Style())]
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        return [*spans, *self.text(content, row, fate, room)]

    def text(self, content: MessageRows, row: MessageRow, fate: Fate, room: int) -> list[Span]:
        """Return the text of a row, after the name of the summary that replaces it.

        Args:
            content: Messages of the preview.
            row: Row to draw.
            fate: Fate of its messages.
            room: Cells for the text.
        """
        spans: list[Span] = []
        if fate.into:
            lead = clipped(f"→ {fate.into}  ", max(0, room))
            spans.append((lead, self.palette.ink(FATE_COLOURS[fate.kind])))
            room -= cell_len(lead)
        if room > 0:
            has_failed = content.message(row).is_error and not row.is_folded
            ink = self.palette.faint if fate.leaves else self.palette.ink("error" if has_failed else "foreground")
            if has_failed and self.app.no_color and not fate.leaves:  # in greys, red is dimmer than the normal text
                ink = self.palette.strong
            spans += self.words_in(content, row, room, ink)
        return spans

    def number(self, content: MessageRows, row: MessageRow) -> list[Span]:
        """Return a message's number between the symbols for a bookmark and for a search hit."""
        ids = content.window.ids[row.start : row.end]
        mark = self.palette.ink("warning", bold=True)
        flag = BOOKMARK if self.notes and any(name in self.notes for name in ids) else " "
        text = f"{content.number(row):>6}"
        if self.hits and any(name in self.hits for name in ids):
            return [(flag, mark), (f"{text[: NUMBER - 2]}{_HIT} ", mark)]
        return [(flag, mark), (f"{text}  "[:NUMBER], self.palette.faint)]

    def words_in(self, content: MessageRows, row: MessageRow, room: int, ink: Style) -> Iterator[Span]:
        """Return the text of a row with matches highlighted, or the excerpt of the hit if that has more of them.

        Args:
            content: Messages of the preview.
            row: Row to draw.
            room: Cells for the text.
            ink: Style of the text.
        """
        line = content.text(row, room)
        hit = None if row.is_folded else self.hits.get(content.message(row).id)
        if hit is None:
            return marked_runs(line, (), ink, self.palette.mark)
        excerpt = clipped(one_line(hit.excerpt), room)
        if _words_in(excerpt, self.words) > _words_in(line, self.words):
            line = excerpt
        return marked_runs(line, word_places(line, self.words), ink, self.palette.mark)


def _row_of(index: int, rows: Sequence[MessageRow]) -> int:
    """Return the row of a message, or else the next one, or the last."""
    if 0 <= index < len(rows) and rows[index] == MessageRow(index, index + 1):  # without folded rows
        return index
    exact = (number for number, row in enumerate(rows) if row.start <= index < row.end)
    later = (number for number, row in enumerate(rows) if row.start > index)
    return next(chain(exact, later), max(0, len(rows) - 1))


def size_bar(tokens: int, cells: int, hollow: bool, largest: int) -> str:
    """Return a token count as a bar on the scale of the largest message.

    Args:
        tokens: Tokens of the row.
        cells: Cells of the bar.
        hollow: True to shade the bar, for removed messages.
        largest: Tokens of the largest message.
    """
    eighths = round(8 * cells * tokens / largest)
    if tokens > largest and cells > 1:  # a folded run can exceed the scale
        return ("░" if hollow else "█") * (cells - 1) + _BEYOND
    if hollow:
        return ("░" * round(eighths / 8) or _BLOCKS[1] * bool(tokens)).ljust(cells)[:cells]
    full, rest = divmod(max(eighths, 1 if tokens else 0), 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(cells)[:cells]


def _words_in(line: str, words: Sequence[str]) -> int:
    """Return how many of the search terms are in a line."""
    return sum(bool(word_places(line, [word])) for word in words)


def speaker_colour(message: Message) -> str:
    if message.kind in ("summary", "injected"):
        return "section-memory"
    colours = {"user": "section-input", "tool": "section-tools", "system": "section-system"}
    return colours.get(message.role, "foreground")


def _bar_width(width: int, scored: bool) -> int:
    """Return the cells for token bars; 0 if the scores take their place."""
    return 12 if width >= 130 else 8 if width >= 90 else 0 if scored else 6


def _heading(width: int, scored: bool, by_size: bool) -> str:
    """Return the column headings for a list of `width` cells."""
    score = "score " if scored else ""
    size = "tokens ▾" if by_size else "tokens"
    return f"  {'#':>6}  {'who':<{_NAME}} {size:>9} {score}{'':<{_bar_width(width, scored)}}  content"
