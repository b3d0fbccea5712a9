"""The verdict on the displayed session or turn, as a sentence. A click has the same effect as the key it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive

from inspector.ui.key_remaps import key_of, keymap
from inspector.ui.keymap import VERBS
from inspector.ui.palette import Palette
from inspector.ui.widgets.drawing import Drawing

if TYPE_CHECKING:
    from inspector.library.diagnosis import Clause, Piece, Role, Verdict


_VERBS = {
    verb.keys[0].replace("exclamation_mark", "!"): name
    for name, verb in VERBS.items()
    if name in ("next_compaction", "next_finding", "lost", "fill", "problems", "strategy")
}
"""Verbs by the keys that a verdict names, which are the default ones."""


_GAP = 3
_COLOURS: Mapping[Role, str] = {"bad": "error", "warn": "warning", "good": "success"}


class VerdictLine(Drawing):
    """One sentence in the available lines, the boldest of the screen, with the key to its evidence on the right.

    Whole clauses are omitted before words are cut.
    """

    verdict: reactive[Verdict | None] = reactive(None)

    def render(self) -> Text:
        if self.verdict is None:
            return Text()
        width, rows = max(1, self.size.width - 1), max(1, self.size.height)
        palette = Palette(self.app.theme_variables)
        statement = self.verdict.statement.within(width, rows)
        lines = [_painted(line, palette) for line in _lines(statement.spans, width)]
        keys = _painted([piece for clause in _key_clauses(self.verdict) for piece in clause.spans], palette)
        if rows > len(lines) and lines[-1].cell_len + keys.cell_len + _GAP > width:
            lines.append(Text(no_wrap=True))
        room = width - lines[-1].cell_len - keys.cell_len
        if keys.plain and room >= _GAP:
            lines[-1].append(" " * room).append_text(keys)
        text = Text("\n", no_wrap=True).join([Text(" ").append_text(line) for line in lines])
        return accented(text, self.ink(palette))

    def ink(self, palette: Palette) -> Style:
        """Return the colour of the bar on the left: that of the most serious word."""
        roles = {role for _, role in self.verdict.spans} if self.verdict else set()
        colour = next((colour for role, colour in _COLOURS.items() if role in roles), "primary")
        return palette.ink(colour)

    def on_click(self) -> None:
        if self.verdict is not None and self.verdict.key:
            self.app.simulate_key(keymap().keys(_VERBS[self.verdict.key])[0])


def accented(text: Text, ink: Style) -> Text:
    """Return a verdict with a bar at the left of each line, in place of the space that it begins with."""
    lines = text.split("\n", allow_blank=True)
    return Text("\n", no_wrap=True).join([Text("▌", ink, no_wrap=True).append_text(line[1:]) for line in lines])


def _key_clauses(verdict: Verdict) -> Iterator[Clause]:
    return (clause for clause in verdict.clauses if any(role == "key" for _, role in clause.spans))


def _painted(line: Sequence[Piece], palette: Palette) -> Text:
    text = Text(no_wrap=True)
    for words, role in line:
        text.append(key_of(_VERBS[words]) if role == "key" and words in _VERBS else words, _style(role, palette))
    return text


def _style(role: Role, palette: Palette) -> Style:
    match role:
        case "good":
            return palette.ink("success", bold=True)
        case "warn":
            return palette.ink("warning", bold=True)
        case "bad":
            return palette.ink("error", bold=True)
        case "key":
            return palette.ink("primary", bold=True)
        case "strong" | "plain":
            return palette.strong


def _lines(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Return the pieces in lines of at most `width` cells, broken at spaces."""
    lines: list[list[Piece]] = [[]]
    reach = 0
    for word in _split_words(pieces):
        size = sum(cell_len(text) for text, _ in word)
        if reach and reach + 1 + size > width:
            lines.append([])
            reach = 0
        elif reach:
            lines[-1].append((" ", word[0][1]))
            reach += 1
        lines[-1] += word
        reach += size
    return lines


def _split_words(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield the words of a sentence, each as the adjacent pieces without spaces between them."""
    word: list[Piece] = []
    for text, role in pieces:
        for number, part in enumerate(text.split(" ")):
            if number and word:
                yield word
                word = []
            if part:
                word = [*word, (part, role)]
    if word:
        yield word
