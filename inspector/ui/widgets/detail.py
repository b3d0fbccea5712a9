"""The message under the cursor next to the list: its author, size and fate, and the beginning of its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive

from inspector.core.text import GLYPHS, clipped, one_line, wrapped
from inspector.ui.key_remaps import with_keys
from inspector.ui.marking import marked_runs
from inspector.ui.palette import FATE_COLOURS, Palette, ThemePalette
from inspector.ui.widgets.drawing import Drawing

if TYPE_CHECKING:
    from inspector.analysis.message_search import Place
    from inspector.core.conversation import Message, Problem
    from inspector.engine.window import Fate, Score
    from inspector.ui.message_lines import Line

_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class MessageDetail:
    """Details of one message to show. `lines` is None until a worker has read the text."""

    message: Message
    number: str
    who: str
    tokens: str
    fate: Fate
    lines: tuple[Line, ...] | None = None
    more: int = 0
    """Number of lines of the message that are not in `lines`."""
    problem: Problem | None = None
    score: Score | None = None
    """Score of the message, if the plan scores messages."""
    note: str | None = None
    """Note of its bookmark; None without a bookmark."""
    words: tuple[str, ...] = ()
    """Search terms, case-folded."""
    places: Mapping[int, Sequence[Place]] = field(default_factory=dict)
    """Matches of the search terms, by line."""
    first: int = 0
    """First line to show, slightly above the first match if that is far down."""


class Detail(Drawing):
    """Draws text without child widgets, so that a message of a thousand lines costs no more than one of one line."""

    detail: reactive[MessageDetail | None] = reactive(None)

    palette = ThemePalette()

    def render(self) -> Text:
        detail = self.detail
        if detail is None:
            return Text()
        width, height = self.size
        text = self.head(detail, width)
        room = height - text.plain.count("\n") - 1
        if detail.lines is None:
            text.append("reading …", self.palette.faint)
            return text
        if detail.first:
            text.append(f"… {detail.first:,} lines above\n", self.palette.faint)
            room -= 1
        lines = detail.lines[detail.first :]
        fits = lines[:room] if not detail.more and len(lines) <= room else lines[: max(0, room - 1)]
        for number, line in enumerate(fits, detail.first):
            style = style_of(self.palette, line)
            for run, ink in marked_runs(line.text, detail.places.get(number, ()), style, self.palette.mark):
                text.append(run, ink)
            text.append("\n")
        rest = detail.more + len(lines) - len(fits)
        if rest:
            text.append(f"… {rest:,} more lines", self.palette.faint)
            text.append(with_keys("   {open}: read all"), self.palette.ink("primary"))
        return text

    def head(self, detail: MessageDetail, width: int) -> Text:
        text = Text(no_wrap=True)
        text.append(detail.number, self.palette.strong)
        who, score = detail.who, ""
        if detail.score:
            who, score = who.removeprefix("tool · "), f" · score {detail.score.total:.2f}"
        facts = clipped(f" {who} · {detail.tokens} tokens{score}", width - len(detail.number))
        text.append(f"{facts}\n", self.palette.dim)
        colour = FATE_COLOURS[detail.fate.kind]
        for number, row in enumerate(wrapped(f"{detail.fate.kind}: {one_line(detail.fate.reason)}", width - 2)[:2]):
            text.append(f"{GLYPHS[detail.fate.kind] if number == 0 else ' '} {row}\n", self.palette.ink(colour))
        if detail.note is not None:
            for row in wrapped(f"bookmarked  {one_line(detail.note)}", width - 2)[:3]:
                text.append(f"• {row}\n", self.palette.ink("warning"))
        if detail.problem:
            for row in wrapped(one_line(detail.problem.text), width - 2)[:3]:
                text.append(f"✗ {row}\n", self.palette.ink("error"))
        if detail.score:
            text.append_text(_score_lines(detail.score, width, self.palette))
        text.append("\n")
        return text


def _score_lines(score: Score, width: int, palette: Palette) -> Text:
    """Return the score of a message, with its parts as bars in two columns."""
    text = Text(no_wrap=True)
    largest = max(score.parts.values(), default=0) or 1
    half = max(18, (width - 1) // 2)
    for number, (name, value) in enumerate(score.parts.items()):
        room = half - 17
        text.append(f"{clipped(one_line(name), 9):<10}", palette.dim)
        text.append(_bar(value / largest, room), palette.ink("primary"))
        text.append(f"{value:>5.2f}  ", palette.ink() if value else palette.faint)
        if number % 2 or number == len(score.parts) - 1:
            text.append("\n")
    return text


def _bar(share: float, cells: int) -> str:
    """Return a bar for a share, precise to an eighth of a cell."""
    full, rest = divmod(max(0, round(8 * cells * share)), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)[:cells]


def style_of(palette: Palette, line: Line) -> Style:
    """Return the style of a line."""
    match line.kind:
        case "heading":
            return palette.ink("section-tools")
        case "dim":
            return palette.dim
        case "error" | "removed":
            return palette.ink("error")
        case "added":
            return palette.ink("success")
        case _:
            return palette.ink()
