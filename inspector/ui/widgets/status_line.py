"""The line under the bars: usage of the window, its validity for the provider, and the cost of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive

from inspector.core.conversation import ProviderName
from inspector.core.text import clipped, clipped_words, one_line, plural
from inspector.llm.providers import PROVIDERS
from inspector.ui.palette import ThemePalette, mark_of
from inspector.ui.widgets.bars import COUNTING
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.widgets.title import MIN_NAME, WIDE, agent_name

if TYPE_CHECKING:
    from inspector.engine.window import Window
    from inspector.library import Money, Preview

_GAP = 3
_SHORTEST, _LONGEST, _BESIDE_AGENT = 8, 20, 26
"""Minimum and maximum cells of an agent's name, and cells for the rest of the line next to it."""
_AGENT, _SHARE, _BADGE, _PROBLEMS = 0, 1, 3, 4
"""Positions in the line."""
_QUOTED = 40
"""Minimum cells for the text of a problem; with fewer, only the number of problems is shown."""


class StatusLine(Drawing):
    """Facts about the window as a whole; while a plan is tried, about the window after it."""

    preview: reactive[Preview | None] = reactive(None)
    provider: reactive[ProviderName | None] = reactive(None)
    """Provider whose rules the badge reports; None for the session's own."""
    money: reactive[Money | None] = reactive(None)

    palette = ThemePalette()

    def render(self) -> Text:
        preview = self.preview
        if preview is None:
            return Text()
        pieces = self.first_pieces(preview)
        room = self.size.width - sum(piece.cell_len + _GAP for piece in pieces.values())
        title = MIN_NAME + _GAP if self.size.width < WIDE else 0
        for place, piece in () if preview.recorded.sizes.is_partial else self.wanted(preview):
            if piece.plain and piece.cell_len <= room - (0 if place == _PROBLEMS else title):
                pieces[place] = piece
                room -= piece.cell_len + _GAP
        if room > title and _BADGE in pieces:
            pieces[_BADGE] = self.badge(preview, pieces[_BADGE].cell_len + room - title)
        line = Text(" " * _GAP, no_wrap=True).join(pieces[place] for place in sorted(pieces))
        self.add_title(line, preview)
        line.truncate(self.size.width, overflow="ellipsis")
        return line

    def first_pieces(self, preview: Preview) -> dict[int, Text]:
        """Return the parts that are always shown, by position: the agent, the usage, and the validity.

        Numbers that can still change are omitted while messages are being counted.
        """
        pieces: dict[int, Text] = {}
        if (agent := agent_name(preview.session, preview.recorded.agent)) and self.size.width < WIDE:
            room = self.size.width - _BESIDE_AGENT
            pieces[_AGENT] = Text(clipped(agent, max(_SHORTEST, min(room, _LONGEST))), self.palette.ink())
        if preview.recorded.sizes.is_partial:
            return pieces | {_SHARE: Text(f"{COUNTING} …", self.palette.dim)}
        return pieces | {_SHARE: self.share(preview.after), _BADGE: self.badge(preview, _QUOTED)}

    def wanted(self, preview: Preview) -> Iterator[tuple[int, Text]]:
        """Yield the parts that are shown if there is room, with their positions, the most important first."""
        palette, window = self.palette, preview.after
        if preview.session.problems:
            yield _PROBLEMS, Text(f"file: {plural(len(preview.session.problems), 'problem')}", palette.ink("warning"))
        yield 2, self.free(window)
        yield 5, self.cost()
        if window.reported:
            yield 6, Text(f"reported {window.reported:,}", palette.faint)
        if self.size.width >= WIDE:
            yield 7, Text(f"reserve {window.reserve:,}", palette.faint)

    def add_title(self, line: Text, preview: Preview) -> None:
        """Append the session's title on the right, if the title line has no room for it next to the tabs."""
        room = self.size.width - line.cell_len - _GAP
        if self.size.width < WIDE and room >= MIN_NAME:
            title = clipped(one_line(preview.session.title) or "untitled", room)
            line.append(" " * (room - cell_len(title) + _GAP))
            line.append(title, self.palette.ink())

    def share(self, window: Window) -> Text:
        """Return the usage of the window in per cent of its limit."""
        share = window.total / window.limit if window.limit else 0
        return Text(f"{share:.0%} of {window.limit:,}", self.palette.dim)

    def free(self, window: Window) -> Text:
        if window.excess:
            return Text(f"over by {mark_of(window)}{window.excess:,}", self.palette.ink("error", bold=True))
        if window.free < 0:
            return Text(f"{mark_of(window)}{-window.free:,} of the reserve used", self.palette.ink("warning"))
        return Text(f"free {mark_of(window)}{window.free:,}", self.palette.dim)

    def badge(self, preview: Preview, room: int) -> Text:
        """Return the badge for the validity of the window, with the provider's error if it would be rejected."""
        name = PROVIDERS[self.provider].title if self.provider else ""
        if preview.valid:
            return Text(f"✓ valid for {name}" if name else "✓ valid", self.palette.ink("success"))
        count = len(preview.problems)
        if preview.recorded_so:
            words = "as recorded" if self.size.width < _QUOTED + 20 else f"as recorded, {plural(count, 'problem')}"
            return Text(f"! {words}", self.palette.ink("warning"))
        text = preview.worst.text if preview.worst else ""
        problem = f"{name}: {text}" if name else text
        others = f" +{count - 1}" if count > 1 else ""
        if self.size.width < _QUOTED + 20:
            return Text(f"✗ invalid ({count})", self.palette.ink("error", bold=True))
        words = clipped_words(one_line(problem), room - 2 - len(others))
        return Text(f"✗ {words}{others}", self.palette.ink("error", bold=True))

    def cost(self) -> Text:
        """Return the cost of sending the window once. The previous cost is shown until the next is known."""
        money = self.money
        if money is None or self.preview is None or not money.now:
            return Text()
        line = Text(money.now, self.palette.dim, no_wrap=True)
        if money.then and self.preview.plan is not None:
            line = Text.assemble((f"{money.now} → ", self.palette.dim), (money.then, self.palette.strong))
        return line.append(" a call", self.palette.dim)
