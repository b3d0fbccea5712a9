"""The panel below the list, with a preview of the session under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from inspector import library
from inspector.core.text import LETTERS, cells, clipped, clipped_words, one_line, plural
from inspector.llm import tokens
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import Palette, ThemePalette
from inspector.ui.room import list_lines, set_height, shared_room
from inspector.ui.screens.sessions.session_list import SessionList, problem_fits
from inspector.ui.widgets.bars import WindowBars
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.scrubber import Scrubber
from inspector.ui.widgets.verdict_line import VerdictLine

if TYPE_CHECKING:
    from inspector.library import AgentFolder, Preview
    from inspector.ui.library_controller import LibraryState
    from inspector.ui.screens.sessions.session_preview import SessionPreview

_LABEL = 14
_MIN_LINES = {"-low": 6, "-tall": 18, "-high": 22}
"""Minimum lines of the preview by the height of the terminal."""
_WIDE = 96
"""Width in cells from which the line about this machine uses full sentences."""


class PreviewPane(Vertical):
    """Title, path and numbers; the verdict; the current window; its size over the turns; first and last words."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.seen: SessionPreview | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="preview-about", markup=False)
        yield VerdictLine(id="preview-verdict")
        yield Static(id="preview-remark", markup=False)
        yield WindowBars(id="preview-bar")
        yield Static(id="preview-sections", markup=False)
        yield Scrubber(id="preview-turns")
        yield Static(id="preview-words", markup=False)

    palette = ThemePalette()

    def on_resize(self) -> None:
        self.show(self.seen)

    def show(self, seen: SessionPreview | None) -> None:
        """Show the preview of a session, or nothing."""
        self.seen = seen
        self.set_class(seen is None, "-empty")
        self.call_after_refresh(self.make_room)
        if seen is None or not self.is_mounted:
            return
        width = max(20, self.size.width - 2)
        self.query_one("#preview-about", Static).update(self.about(seen, width))
        verdict = seen.verdict
        line, remark = self.query_one(VerdictLine), self.query_one("#preview-remark", Static)
        line.verdict, line.display, remark.display = verdict, verdict is not None, verdict is None
        remark.update(self.remark(seen, width))
        bars = self.query_one(WindowBars)
        bars.preview = seen.preview
        bars.visible = seen.preview is not None
        sections = self.sections(seen.preview, width) if seen.preview else Text()
        self.query_one("#preview-sections", Static).update(sections)
        turns = self.query_one(Scrubber)
        turns.turns = seen.strip
        turns.visible = seen.strip is not None
        self.query_one("#preview-words", Static).update(self.words(seen, width))

    def make_room(self) -> None:
        """Take the lines that a short list of sessions leaves."""
        sessions = self.screen.query_one(SessionList)
        if self.display and not sessions.has_class("-flat"):
            least = next((lines for name, lines in _MIN_LINES.items() if self.screen.has_class(name)), 0)
            room = shared_room(sessions, self, self.screen.query_one(KeyBar).region.y)
            if set_height(sessions, list_lines(sessions.count, room, least)):
                self.call_after_refresh(self.make_room)  # the first layout can still change
        else:
            sessions.styles.height = None

    def about(self, seen: SessionPreview, width: int) -> Text:
        """Return the title and the path, and below them the numbers."""
        entry = seen.entry
        place = one_line(f"{_short_path(entry.path)}{entry.number}" if entry.path else entry.target)
        title = clipped(one_line(entry.title) or "untitled", max(width - len(place) - 3, width // 2))
        line = Text.assemble((title, self.palette.strong), no_wrap=True)
        if (room := width - line.cell_len - 3) > 8 and place != title:
            line.append(f"   {_ending(place, room)}", self.palette.dim)
        facts = clipped(one_line(seen.facts), width)
        return Text("\n").join([line, Text(facts, self.palette.dim, no_wrap=True)])

    def remark(self, seen: SessionPreview, width: int) -> Text:
        """Return the reason for a missing verdict, or a note that it is still being computed."""
        facts = f"\n{clipped(one_line(seen.facts), width)}" if self.screen.has_class("-low") else ""
        if not seen.problem:
            return Text(f"counting …{facts}", self.palette.faint)
        if seen.problem == seen.entry.problem and problem_fits(seen.entry, width):  # its row shows the problem already
            key = self.palette.ink("primary", bold=True)
            return Text.assemble(
                (key_of("try"), key), ("   try sample sessions, with a tour of five steps", self.palette.dim)
            )
        ink = "error" if seen.entry.problem and not seen.entry.unsupported else "ink-muted"
        return Text(clipped_words(one_line(seen.problem), 2 * width), self.palette.ink(ink))

    def sections(self, preview: Preview, width: int) -> Text:
        """Return the sections of the window, largest first, as many as fit."""
        line = Text(no_wrap=True)
        sizes = sorted(preview.before.breakdown.items(), key=lambda item: -item[1].tokens)
        for section, size in sizes:
            unknown = " (unrecorded)" if size.certainty == "unrecorded" else ""
            sign = "≈" if unknown else tokens.mark(size.certainty)
            text = f" {preview.before.section_name(section)} {sign}{size.tokens:,}{unknown}   "
            if size.tokens and line.cell_len + len(text) + 3 <= width:
                line.append(f" {LETTERS[section]} ", self.palette.chip(section))
                line.append(text, self.palette.dim)
        return line

    def words(self, seen: SessionPreview, width: int) -> Text:
        rows = [
            ("first words", f"“{seen.first_words}”" if seen.first_words else ""),
            ("last words", f"“{seen.last_words}”" if seen.last_words else ""),
            ("most tokens", _fitting_items(seen.eaters, width - _LABEL)),
        ]
        lines = [
            Text.assemble(
                (f"{name:<{_LABEL}}", self.palette.faint),
                (clipped(text, width - _LABEL), self.palette.ink()),
                no_wrap=True,
            )
            for name, text in rows
            if text
        ]
        return Text("\n").join(lines)


def _fitting_items(items: Sequence[str], room: int) -> str:
    """Return the first items that fit into `room` cells, at least one."""
    line = ", ".join(items[:1])
    for item in items[1:]:
        if cells(longer := f"{line}, {item}") > room:
            break
        line = longer
    return line


def _short_path(path: str) -> str:
    """Return a sample's name, or a path relative to the working directory or the home directory if it is inside."""
    short = library.sample_place(path)
    for folder, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
        if not short and path.startswith(f"{folder}/"):
            short = sign + path[len(f"{folder}/") :]
    return short or path


def _ending(path: str, room: int) -> str:
    """Return a path, or the end of one that is too long, which contains the name."""
    return path if len(path) <= room else f"…{path[1 - room :]}"


def machine_text(state: LibraryState, width: int, palette: Palette) -> Text:
    """Return a line about sessions that agents have saved on this machine, if they are not listed.

    Args:
        state: State of the library.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    if not state.folders or state.has_found:
        return Text()
    names = " · ".join(f"{folder.agent} {folder.sessions:,}" for folder in state.folders)
    return Text.assemble(
        (" on this machine  ", palette.faint),
        (names, palette.ink()),
        (f"   {key_of('on_this_machine')}", palette.ink("primary", bold=True)),
        (f": list them{'; nothing is imported until you open one' * (width >= _WIDE)}", palette.faint),
        no_wrap=True,
    )


def start_text(folders: Sequence[AgentFolder], problem: str, palette: Palette) -> Text:
    """Return the text that explains how to start while no session is listed.

    Args:
        folders: Agents with sessions on this machine.
        problem: Problem of the only named target; "" for none.
        palette: Colours of the current theme.
    """
    key = palette.ink("primary", bold=True)
    lines = [Text(one_line(problem) or "No sessions yet.", palette.strong), Text()]
    if folders:
        names = " and ".join(f"{plural(folder.sessions, 'session')} of {folder.agent}" for folder in folders)
        lines.append(
            Text.assemble((key_of("on_this_machine"), key), f"   list sessions found on this machine: {names};")
        )
        lines.append(Text("    nothing is imported until you open one"))
    else:
        lines.append(Text("    No sessions of known agents were found on this machine."))
    lines += [
        Text.assemble((key_of("try"), key), "   try sample sessions, with a tour of five steps"),
        Text(),
        Text("    inspector PATH…           opens a recording, or a folder of them"),
        Text("    inspector import PATH…    imports them into the store"),
    ]
    return Text("\n").join(lines)
