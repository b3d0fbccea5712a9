"""The messages of a window, one line each, with the fate that a plan gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import Message
from inspector.library import Preview, speaker
from inspector.text import GLYPHS, clipped, one_line
from inspector.tokens import mark
from inspector.ui.palette import FATE_COLOURS, Palette
from inspector.ui.widgets.detail import MessageDetail
from inspector.ui.widgets.lines import LineList, Span
from inspector.window import Fate, Score, Window, call_names

_FOLD = 6
"""Messages in a row that share one lossy fate and are folded into one line, from this many on."""
_NAME = 13
_NUMBER = 8
"""Cells for a message's number, a blank behind it."""
_BLOCKS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A line of the list: the messages from `start` up to `end`, which is more than one where they are folded."""

    start: int
    end: int

    @property
    def folded(self) -> bool:
        return self.end - self.start > 1


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
        self.preview: Preview | None = None
        self.rows: list[MessageRow] = []
        self.unfolded: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.largest = 1
        self.folding = True
        self.following = False
        self.in_hand = True
        """Whether the person moved this list last, and not a knob: what enter is then meant for."""
        self.wanted = ""
        """The id of a message to go to with the next preview."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def window(self) -> Window | None:
        return self.preview.before if self.preview else None

    def show(self, preview: Preview) -> None:
        """Take a new preview.

        The cursor stays on its message, or goes to the newest when it has none. While a plan is tried on and the
        person has not moved, it stands on the last message that leaves, so that the edge of what stays is in sight.
        """
        current = self.current
        target = self.wanted or (current.id if current else "")
        self.wanted = ""
        if preview.plan is None or self.preview is None or self.preview.plan is None:
            self.following = preview.plan is not None
        self.take_names(self.preview, preview)
        self.preview = preview
        self.empty = "  The window is empty at this turn."
        self.largest = max(preview.before.tokens, default=1) or 1
        self.rows = self.folded_rows()
        self.renew()
        ids = preview.before.ids
        place = ids.index(target) if target in ids else len(ids) - 1
        self.cursor = self.row_of(self.edge() if self.following else place)
        self.show_cursor()

    def take_names(self, old: Preview | None, new: Preview) -> None:
        """Numbers of a session's messages and names of a window's calls, where they are not those of before."""
        if old is None or old.session is not new.session:
            self.numbers = {message.id: place for place, message in enumerate(new.session.messages, 1)}
            self.unfolded.clear()
        if old is None or old.before.messages != new.before.messages:
            self.names = call_names(new.before.messages)

    def edge(self) -> int:
        """The last message that leaves, or the newest when none does."""
        assert self.preview is not None
        fates = self.preview.plan.fates if self.preview.plan else ()
        return next((i for i in range(len(fates) - 1, -1, -1) if fates[i].gone), len(self.preview.before.ids) - 1)

    def show_cursor(self) -> None:
        """While following, with some lines of what stays below the edge."""
        if self.following and self.count:
            ahead = min(self.count - 1, self.cursor + max(1, self.size.height // 2))
            for line in (ahead, self.cursor):
                self.show_line(line)
        else:
            super().show_cursor()

    def by_hand(self) -> None:
        self.following = False
        self.in_hand = True
        self.wanted = ""

    def fate(self, index: int) -> Fate:
        assert self.preview is not None
        plan = self.preview.plan
        if plan is not None:
            return plan.fates[index]
        before = self.preview.before
        if before.messages[index].id in before.pinned:
            return Fate("pinned", "pinned by hand")
        return Fate("kept", f"in the window, {before.sections[index].capitalize()}")

    def folded_rows(self) -> list[MessageRow]:
        if self.preview is None:
            return []
        count = len(self.preview.before.messages)
        if self.preview.plan is None or not self.folding:
            return [MessageRow(index, index + 1) for index in range(count)]
        rows: list[MessageRow] = []
        for start, end in _runs(self.preview.plan.fates):
            first = self.preview.before.ids[start]
            if self.preview.plan.fates[start].gone and end - start >= _FOLD and first not in self.unfolded:
                rows.append(MessageRow(start, end))
            else:
                rows += [MessageRow(index, index + 1) for index in range(start, end)]
        return rows

    def row_of(self, index: int) -> int:
        return next((number for number, row in enumerate(self.rows) if row.start <= index < row.end), 0)

    @property
    def current(self) -> Message | None:
        """The message under the cursor; of a folded run, its first."""
        if self.preview is None or not 0 <= self.cursor < len(self.rows):
            return None
        return self.preview.before.messages[self.rows[self.cursor].start]

    @property
    def current_index(self) -> int | None:
        return self.rows[self.cursor].start if self.preview and 0 <= self.cursor < len(self.rows) else None

    def unfold(self) -> bool:
        """Open the folded run under the cursor; False when there is none."""
        if not 0 <= self.cursor < len(self.rows) or not self.rows[self.cursor].folded or self.preview is None:
            return False
        self.unfolded.add(self.preview.before.ids[self.rows[self.cursor].start])
        self.refold()
        return True

    def toggle_folding(self) -> None:
        self.folding = not self.folding
        self.unfolded.clear()
        self.refold()

    def refold(self) -> None:
        index = self.current_index or 0
        self.rows = self.folded_rows()
        self.renew()
        self.cursor = self.row_of(index)
        self.show_cursor()

    def detail(self, index: int) -> MessageDetail:
        """What the pane beside the list shows of a message."""
        assert self.preview is not None
        window = self.preview.before
        message = window.messages[index]
        row = self.rows[self.cursor]
        tool = message.role == "tool" and not row.folded
        return MessageDetail(
            message,
            str(self.numbers.get(message.id, "Σ")),
            f"tool · {self.who(row)}" if tool else message.role,
            f"{mark(window.sizes.how)}{window.tokens[index]:,}",
            self.fate(index),
            score=self.score(row),
            problem=next((problem for problem in self.preview.problems if problem.message == message.id), None),
        )

    # drawing

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row = self.rows[line]
        assert self.preview is not None
        window = self.preview.before
        fate = self.fate(row.start)
        message = window.messages[row.start]
        tokens = sum(window.tokens[row.start : row.end])
        gone = fate.gone
        quiet = self.preview.plan is None and fate.kind == "kept"
        glyph = GLYPHS[fate.kind]
        glyph_style = self.palette.ink("line" if quiet else FATE_COLOURS[fate.kind])
        bar = _bar_width(self.size.width, self.scored)
        spans: list[Span] = [
            (f"{glyph} ", glyph_style),
            (f"{self.number(row):>6}  "[:_NUMBER], self.palette.faint),
            (set_cell_size(self.who(row), _NAME) + " ", self.who_style(message, gone)),
            (f"{mark(window.sizes.how)}{tokens:,}".rjust(9) + " ", self.palette.dim if gone else self.palette.ink()),
            *self.score_spans(row, gone),
            (self.bar(tokens, bar, gone), self.palette.ink(f"section-{window.sections[row.start]}")),
            ("  ", Style()),
        ]
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        return [*spans, *self.words(row, fate, room)]

    @property
    def scored(self) -> bool:
        """Whether the plan that is tried tells what each message is worth."""
        return bool(self.preview and self.preview.plan and self.preview.plan.scores)

    def score(self, row: MessageRow) -> Score | None:
        """What speaks for a message; of a folded run nothing is told."""
        if self.preview is None or self.preview.plan is None or row.folded:
            return None
        return self.preview.plan.scores.get(self.preview.before.ids[row.start])

    def score_spans(self, row: MessageRow, gone: bool) -> list[Span]:
        if not self.scored:
            return []
        score = self.score(row)
        text = f"{score.total:.2f}" if score else ""
        return [(f"{text:>5} ", self.palette.dim if gone else self.palette.ink())]

    def number(self, row: MessageRow) -> str:
        assert self.preview is not None
        message = self.preview.before.messages[row.start]
        if message.id not in self.numbers:
            return "Σ"
        first = self.numbers[message.id]
        if not row.folded:
            return str(first)
        last = self.numbers.get(self.preview.before.messages[row.end - 1].id, first)
        both = f"{first}–{last}"
        return both if len(both) < _NUMBER else f"{first}…"

    def who(self, row: MessageRow) -> str:
        assert self.preview is not None
        message = self.preview.before.messages[row.start]
        if row.folded:
            return f"{row.end - row.start} messages"
        return one_line(speaker(message, self.names))

    def who_style(self, message: Message, gone: bool) -> Style:
        return self.palette.faint if gone else self.palette.ink(speaker_colour(message))

    def bar(self, tokens: int, cells: int, gone: bool) -> str:
        eighths = round(8 * cells * tokens / self.largest)
        if gone:
            return ("░" * max(1, round(eighths / 8))).ljust(cells)[:cells]
        full, rest = divmod(max(eighths, 1 if tokens else 0), 8)
        return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(cells)[:cells]

    def words(self, row: MessageRow, fate: Fate, room: int) -> list[Span]:
        assert self.preview is not None
        message = self.preview.before.messages[row.start]
        lead = f"→ {fate.into}  " if fate.into else ""
        text = self.fold_words(row) if row.folded else one_line(message.preview)
        if message.is_error and not row.folded:
            lead += "error  "
        style = self.palette.faint if fate.gone else self.palette.ink()
        spans: list[Span] = []
        if lead:
            colour = FATE_COLOURS[fate.kind] if fate.into else "error"
            spans.append((set_cell_size(lead, min(cell_len(lead), max(0, room))), self.palette.ink(colour)))
            room -= cell_len(lead)
        if room > 0:
            spans.append((clipped(text, room), style))
        return spans

    def fold_words(self, row: MessageRow) -> str:
        """What a folded run consists of: how often which tool answered, and how many words were exchanged."""
        assert self.preview is not None
        messages = self.preview.before.messages[row.start : row.end]
        tools = Counter(self.names.get(m.id) or "result" for m in messages if m.role == "tool")
        others = sum(message.role != "tool" for message in messages)
        listed = [f"{one_line(name)} ×{times}" for name, times in tools.most_common(4)]
        return ", ".join([*listed, f"{others} said"] if others else listed) + "   enter unfolds"


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
    return f"  {'#':>6}  {'who':<{_NAME}} {'tokens':>9} {score}{'':<{_bar_width(width, scored)}}  what it says"


def _runs(fates: Sequence[Fate]) -> list[tuple[int, int]]:
    """Where one fate (the same kind, into the same place) reaches from and to."""
    cuts = [0] if fates else []
    now = fates[0] if fates else None
    for index, fate in enumerate(fates):
        if now is not None and fate is not now:  # most neighbours share one object, which is quicker to see
            if (fate.kind, fate.into) != (now.kind, now.into):
                cuts.append(index)
            now = fate
    return list(pairwise([*cuts, len(fates)])) if fates else []
