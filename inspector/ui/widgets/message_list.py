"""The messages of a window, one line each, with the fate that a plan gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector import library
from inspector.analysis.message_search import word_places
from inspector.core.text import GLYPHS, clipped, one_line
from inspector.ui.marking import marked_runs
from inspector.ui.palette import FATE_COLOURS, Palette
from inspector.ui.widgets.lines import LineList, Span
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
"""At the end of a bar that would be longer than there is room for."""


class MessageColumns(Widget):
    """The heads of the list's columns."""

    scored: reactive[bool] = reactive(False)

    by_size: reactive[bool] = reactive(False)

    def render(self) -> Text:
        heading = _heading(self.size.width, self.scored, self.by_size)
        return Text(heading, Palette(self.app.theme_variables).dim, no_wrap=True)


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
        self.arrangement = Arrangement()
        self.words: tuple[str, ...] = ()
        """What is looked for, folded."""
        self.hits: Mapping[str, MessageHit] = {}
        """What was found, by the ids of messages."""
        self.notes: Mapping[str, str] = {}
        """The notes of bookmarks, by the ids of messages."""

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
        if previous is not None and len(preview.applied) != len(previous.preview.applied):
            self.follows = False
        content = self.content = MessageRows(preview, previous)
        if not content.same_session:
            self.open_rows.clear()
        self.empty = f"  {preview.before.emptiness}"
        ids = preview.before.ids
        place = ids.index(target) if target in ids else self.place_near(target, previous)
        self.lay_out(content, content.edge() if self.follows else place)

    def place_near(self, target: str, previous: MessageRows | None) -> int:
        """Where the cursor goes from a message that has left: to its summary, else to what came next, or the newest."""
        assert self.content is not None
        window = self.content.window
        last = len(window.ids) - 1
        if previous is None or not self.content.same_session or target not in previous.window.ids:
            return last
        places = {name: place for place, name in enumerate(window.ids)}
        summary = library.summary_of(self.content.preview.applied, target)
        behind = previous.window.ids[previous.window.ids.index(target) :]
        return next((places[name] for name in (summary.id if summary else "", *behind) if name in places), last)

    def lay_out(self, content: MessageRows, index: int) -> None:
        """Fold the messages into rows, with the cursor on the row of a message, or of the next that is shown."""
        arrangement = self.arrangement
        self.rows = arrangement.arranged(content, content.rows(self.folds and arrangement.folds, self.open_rows))
        self.renew()
        numbers = enumerate(self.rows)
        exact = next((number for number, row in numbers if row.start <= index < row.end), None)
        later = (number for number, row in enumerate(self.rows) if row.start > index)
        self.cursor = next(later, max(0, self.count - 1)) if exact is None else exact
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

    def rearrange(self, arrangement: Arrangement) -> None:
        """Show other rows, or in another order; the cursor stays on its message where that is among them."""
        if arrangement != self.arrangement:
            index, self.arrangement = self.current_index or 0, arrangement
            self.follows = False
            if self.content is not None:
                self.lay_out(self.content, index)

    def mark(self, words: tuple[str, ...], hits: Mapping[str, MessageHit], notes: Mapping[str, str]) -> None:
        """Set words apart, with the messages that were found, and those that have a bookmark."""
        self.words, self.hits, self.notes = words, hits, notes
        self.strips.clear()
        self.refresh()

    def go_to_hit(self, step: int, from_here: bool = False) -> bool | None:
        """To the next message that was found, or the one before, round the end.

        True where it went round, None where there is none. `from_here`: the message under the cursor may be it.
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
        """What the pane beside the list shows of a message."""
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
        """What a row says, after the summary that it goes into."""
        spans: list[Span] = []
        if fate.into:
            lead = clipped(f"→ {fate.into}  ", max(0, room))
            spans.append((lead, self.palette.ink(FATE_COLOURS[fate.kind])))
            room -= cell_len(lead)
        if room > 0:
            has_failed = content.message(row).is_error and not row.is_folded
            ink = self.palette.faint if fate.leaves else self.palette.ink("error" if has_failed else "foreground")
            if has_failed and self.app.no_color and not fate.leaves:  # in greys, red is dimmer than what went well
                ink = self.palette.strong
            spans += self.words_in(content, row, room, ink)
        return spans

    def number(self, content: MessageRows, row: MessageRow) -> list[Span]:
        """A message's number, after the sign of a bookmark and before that of what was found."""
        ids = content.window.ids[row.start : row.end]
        mark = self.palette.ink("warning", bold=True)
        flag = BOOKMARK if self.notes and any(name in self.notes for name in ids) else " "
        text = f"{content.number(row):>6}"
        if self.hits and any(name in self.hits for name in ids):
            return [(flag, mark), (f"{text[: NUMBER - 2]}{_HIT} ", mark)]
        return [(flag, mark), (f"{text}  "[:NUMBER], self.palette.faint)]

    def words_in(self, content: MessageRows, row: MessageRow, room: int, ink: Style) -> Iterator[Span]:
        """What a row says, with what is looked for set apart; the place in the message where it does not say that."""
        line = content.text(row, room)
        hit = None if row.is_folded else self.hits.get(content.message(row).id)
        if hit is None:
            return marked_runs(line, (), ink, self.palette.mark)
        excerpt = clipped(one_line(hit.excerpt), room)
        if _words_in(excerpt, self.words) > _words_in(line, self.words):
            line = excerpt
        return marked_runs(line, word_places(line, self.words), ink, self.palette.mark)


def size_bar(tokens: int, cells: int, hollow: bool, largest: int) -> str:
    """Tokens to the scale of the largest message; shaded where the message leaves."""
    eighths = round(8 * cells * tokens / largest)
    if tokens > largest and cells > 1:  # a folded run, which no bar to this scale would hold
        return ("░" if hollow else "█") * (cells - 1) + _BEYOND
    if hollow:
        return ("░" * round(eighths / 8) or _BLOCKS[1] * bool(tokens)).ljust(cells)[:cells]
    full, rest = divmod(max(eighths, 1 if tokens else 0), 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(cells)[:cells]


def _words_in(line: str, words: Sequence[str]) -> int:
    """How many of the words stand in a line."""
    return sum(bool(word_places(line, [word])) for word in words)


def speaker_colour(message: Message) -> str:
    if message.kind in ("summary", "injected"):
        return "section-memory"
    colours = {"user": "section-input", "tool": "section-tools", "system": "section-system"}
    return colours.get(message.role, "foreground")


def _bar_width(width: int, scored: bool) -> int:
    """Cells for the bars of tokens: none where the scores take their place."""
    return 12 if width >= 130 else 8 if width >= 90 else 0 if scored else 6


def _heading(width: int, scored: bool, by_size: bool) -> str:
    """What the columns hold, over a list of that width."""
    score = "score " if scored else ""
    size = "tokens ▾" if by_size else "tokens"
    return f"  {'#':>6}  {'who':<{_NAME}} {size:>9} {score}{'':<{_bar_width(width, scored)}}  what was done"
