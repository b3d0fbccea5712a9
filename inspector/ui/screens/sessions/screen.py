"""Screen 1: the named, stored and discovered sessions, with a preview of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector import library
from inspector.core.text import one_line, plural
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.messages import CompareSessions, ImportFiles, OpenTarget
from inspector.ui.palette import Palette
from inspector.ui.room import list_lines, set_height, shared_room
from inspector.ui.screens.sessions.import_dialog import FEW, ImportDialog
from inspector.ui.screens.sessions.panels import PreviewPane
from inspector.ui.screens.sessions.search_screen import SearchScreen
from inspector.ui.screens.sessions.session_list import SessionList, heading_line
from inspector.ui.screens.sessions.session_preview import PreviewWatch, SessionPreview
from inspector.ui.screens.sessions.unsupported_dialog import UnsupportedDialog
from inspector.ui.terminal_app import TerminalApp
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine
from inspector.ui.workers.jobs import ScreenJobs

if TYPE_CHECKING:
    from inspector.library import Entry
    from inspector.ui.library_controller import LibraryController, LibraryState
    from inspector.ui.workers.jobs import Busy

_NEWEST = "when"
_Order = tuple[str, Callable[["Entry"], object], bool]
_ORDERS: tuple[_Order, ...] = (
    (_NEWEST, lambda entry: entry.changed, True),
    ("session", lambda entry: entry.title.lower(), False),
    ("project", lambda entry: entry.project.lower(), False),
    ("size", lambda entry: entry.tokens or 0, True),
    ("peak", lambda entry: entry.peak_share or 0, True),
    ("messages", lambda entry: entry.messages or 0, True),
    ("model", lambda entry: entry.model.lower(), False),
)
"""Column that the list is sorted by, its key function, and True if the largest value comes first."""
_MIN_PREVIEW = {"-low": 6, "-tall": 18, "-high": 22}
"""Minimum lines of the preview by the height of the terminal."""
_WIDE = 96
"""Width in cells from which the line about this machine uses full sentences."""


class Sessions(Screen[None]):
    """The library. Rows appear while files are still being read."""

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-low"), (30, "-tall"), (46, "-high")]  # noqa: RUF012  as in Textual
    AUTO_FOCUS = "#sessions"

    BINDINGS: ClassVar[list[BindingType]] = bindings("sessions")

    filtered: reactive[str] = reactive("", init=False, repaint=False)
    order: reactive[int] = reactive(0, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller: LibraryController | None = None
        """Controller of the listed sessions; None until the app sets it."""
        self.previews: PreviewWatch | None = None
        self.is_tour_due = False
        """True if the tour starts as soon as the sample sessions are listed."""

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        yield Static(id="in-force", markup=False)
        yield Static(id="columns", classes="heads", markup=False)
        yield SessionList(id="sessions")
        yield Static(id="empty", markup=False)
        yield Static(id="machine", markup=False)
        yield PreviewPane(id="preview")
        yield Input(placeholder="filter by title, project, model, format, path", id="filter")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.rearrange()

    def on_unmount(self) -> None:
        if self.previews:
            self.previews.close()

    def on_screen_suspend(self) -> None:
        self.query_one(SessionList).forget_keys()

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    @property
    def state(self) -> LibraryState | None:
        return self.controller.state if self.controller else None

    @property
    def entries(self) -> Sequence[Entry]:
        return tuple(self.state.entries.values()) if self.state else ()

    @property
    def busy(self) -> Busy | None:
        return self.state.busy if self.state else None

    def show_result(self, controller: LibraryController) -> None:
        """Show the sessions listed so far, and run actions that were waiting for the list."""
        if self.previews is None:
            self.previews = PreviewWatch(ScreenJobs(self), controller.opener, self.show_preview)
        self.controller = controller
        if not self.is_mounted:
            return
        if not controller.has_begun:  # a named session is opened first, but this screen needs the list
            controller.list_sessions()
            return
        self.query_one(TitleLine).busy = self.busy
        self.rearrange()
        if self.busy is not None:
            return
        self.query_one(SessionList).catch_up()
        if self.is_tour_due and isinstance(self.app, TerminalApp):
            self.is_tour_due = False
            self.query_one(SessionList).go_to(library.FIRST_SAMPLE)
            self.app.tour.start()

    @on(LineList.Moved, "#sessions")
    def follow_cursor(self) -> None:
        if self.previews is not None:
            self.previews.look_at(self.query_one(SessionList).current)
            self.query_one(PreviewPane).show(None if self.lone_problem else self.previews.latest)
        self.show_keys()

    def show_preview(self, seen: SessionPreview) -> None:
        """Show the preview of the session under the cursor, and update its row."""
        self.query_one(PreviewPane).show(None if self.lone_problem else seen)
        refined = seen.refined_entry()
        if self.controller and refined is not None and refined not in self.entries:
            self.controller.refine(refined)

    def show_keys(self) -> None:
        sessions = self.query_one(SessionList)
        current = None if self.lone_problem else sessions.current
        here = current is not None and current.target == sessions.mark
        has_more = bool(self.state and self.state.folders)
        self.query_one(KeyBar).keys = available(
            (current, Key("open", "open")),
            (not current and not self.busy, Key("try", "try sample sessions")),
            (self.entries and not self.lone_problem, Key("find", "filter")),
            (True, Key("find_everywhere", "search")),
            (has_more, Key("on_this_machine", "this machine")),
            (current and sessions.mark and not here, Key("compare", "compare with the marked")),
            (current, Key("mark", "unmark" if here else "mark to compare")),
            (current, Key("sort", "sort")),
            (current, Key("insert", "import")),
            (current, Key("try", "try samples")),
            (True, Key("close", "quit")),
            (True, Key("palette", "commands")),
        )

    def on_resize(self) -> None:
        self.rearrange()
        self.call_after_refresh(self.make_room)

    def watch_maximized(self) -> None:
        self.call_after_refresh(self.make_room)

    @on(LineList.Counted, "#sessions")
    def make_room(self) -> None:
        """Give the preview the lines that a short list leaves."""
        sessions, preview = self.query_one(SessionList), self.query_one(PreviewPane)
        if preview.display and not sessions.has_class("-flat"):
            least = next((lines for name, lines in _MIN_PREVIEW.items() if self.has_class(name)), 0)
            room = shared_room(sessions, preview, self.query_one(KeyBar).region.y)
            if set_height(sessions, list_lines(sessions.count, room, least)):
                self.call_after_refresh(self.make_room)  # the first layout can still change
        else:
            sessions.styles.height = None

    def watch_filtered(self) -> None:
        self.rearrange()

    def watch_order(self) -> None:
        self.rearrange()

    def rearrange(self) -> None:
        """Filter, sort and show the entries, or show how to start if there are no entries."""
        if not self.is_mounted:
            return
        entries, order = self.arranged(), _ORDERS[self.order][0]
        sessions = self.query_one(SessionList)
        sessions.show(entries)
        width = sessions.scrollable_content_region.width or self.size.width
        self.query_one("#columns", Static).update(heading_line(width, order))
        count, every = sum(not entry.problem for entry in entries), sum(not entry.problem for entry in self.entries)
        by = "" if order in (_NEWEST, "session") else f", by {order}"
        self.query_one(TitleLine).title = f"{plural(count, 'session')}{by}"
        in_force = self.query_one("#in-force", Static)
        in_force.set_class(bool(self.filtered), "-shown")
        scope = f" only “{one_line(self.filtered)}”: {count:,} of {plural(every, 'session')}"
        words = f"{scope} · {key_of('back')}: show all"
        in_force.update(Text(words, self.palette.ink("background", on="warning")))
        nothing, empty = self.nothing(entries), self.query_one("#empty", Static)
        empty.set_class(bool(nothing), "-shown")
        empty.update(nothing)
        sessions.set_class(bool(nothing), "-flat")
        self.query_one("#columns").set_class(not entries or bool(nothing), "-hidden")
        machine = self.machine_line() if entries else Text()
        self.query_one("#machine", Static).update(machine)
        self.query_one("#machine").set_class(bool(machine), "-shown")
        self.follow_cursor()

    def arranged(self) -> list[Entry]:
        """Return the filtered entries in order, grouped by origin, with unreadable ones last in each group."""
        if not self.entries:
            return []
        words = self.filtered.lower().split()
        entries = library.in_order(entry for entry in self.entries if all(word in _haystack(entry) for word in words))
        name, key, backwards = _ORDERS[self.order]
        if name != _NEWEST:
            entries.sort(key=key, reverse=backwards)  # type: ignore[arg-type]  # all keys of one order have the same type
            entries.sort(key=lambda entry: (library.ORIGINS.index(entry.origin), bool(entry.problem)))
        return entries

    @property
    def lone_problem(self) -> str:
        """Problem of the only named target, such as an empty folder; an empty string if there are other entries."""
        lone = self.entries[0] if len(self.entries) == 1 and self.busy is None else None
        return lone.problem if lone is not None and not lone.unsupported else ""

    def machine_line(self) -> Text:
        """Return a line about sessions that agents have saved on this machine, if they are not listed."""
        if self.state is None or not self.state.folders or self.state.has_found:
            return Text()
        names = " · ".join(f"{folder.agent} {folder.sessions:,}" for folder in self.state.folders)
        is_roomy = self.size.width >= _WIDE
        return Text.assemble(
            (" on this machine  ", self.palette.faint),
            (names, self.palette.ink()),
            (f"   {key_of('on_this_machine')}", self.palette.ink("primary", bold=True)),
            (f": list them{'; nothing is imported until you open one' * is_roomy}", self.palette.faint),
            no_wrap=True,
        )

    def nothing(self, rows: Sequence[Entry]) -> Text:
        """Return the text shown in place of an empty list, or the problem of the only named target."""
        lone = self.lone_problem
        if (rows and not lone) or self.state is None or self.busy is not None:
            return Text()
        if self.entries and not lone:
            return Text(f"No session matches “{one_line(self.filtered)}”.\n\n{key_of('back')}: clear the filter.")
        key = self.palette.ink("primary", bold=True)
        folders = self.state.folders
        lines = [Text(one_line(lone) or "No sessions yet.", self.palette.strong), Text()]
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
            Text("    inspector import PATH…    imports them into the store, to be listed here"),
        ]
        return Text("\n").join(lines)

    # keys

    def usable(self) -> Entry | None:
        """Return the session under the cursor, or None after reporting why it cannot be read."""
        current = self.query_one(SessionList).current
        if current is not None and current.unsupported:
            self.action_unsupported()
            return None
        if current is not None and current.problem:
            self.notify(current.problem, severity="error", markup=False)
            return None
        return current

    def action_open(self) -> None:
        if current := self.usable():
            self.post_message(OpenTarget(current.target))

    @on(LineList.Opened)
    def open_row(self) -> None:
        self.action_open()

    def action_unsupported(self) -> None:
        """Show why named files are not listed."""
        reasons = [reason for entry in self.entries for reason in entry.unsupported]
        others = [name for entry in self.entries for name in entry.passed_over]
        self.app.push_screen(UnsupportedDialog(reasons, others))

    def action_mark(self) -> None:
        """Mark a session to compare others with, or remove the mark from it."""
        sessions = self.query_one(SessionList)
        if (current := self.usable()) is None:
            return
        sessions.mark = "" if sessions.mark == current.target else current.target
        sessions.renew()
        self.show_keys()
        if sessions.mark:
            self.notify(with_keys("Marked. Choose another session and press {compare} to compare the two."))

    def action_compare(self) -> None:
        """Compare with the marked session, or mark one if none is marked yet."""
        sessions = self.query_one(SessionList)
        current = self.usable()
        if current is not None and sessions.mark not in ("", current.target):
            self.post_message(CompareSessions(sessions.mark, current.target))
        else:
            self.action_mark()

    def action_sort(self) -> None:
        self.order = (self.order + 1) % len(_ORDERS)

    def action_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.add_class("-open")
        box.focus()

    @on(Input.Changed, "#filter")
    def filter(self, event: Input.Changed) -> None:
        self.filtered = event.value

    @on(Input.Submitted, "#filter")
    def filter_done(self) -> None:
        self.query_one(SessionList).focus()
        self.query_one("#filter").remove_class("-open")

    def action_clear(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        box.remove_class("-open")
        self.query_one(SessionList).focus()

    def action_machine(self) -> None:
        if self.controller is not None and self.controller.state.folders:
            self.controller.toggle_found()
        else:
            self.notify("No sessions of known agents were found on this machine.")

    def action_demo(self) -> None:
        """List the sample sessions, and start the tour once they are listed."""
        if self.controller is None:
            return
        self.action_clear()
        if self.controller.add_samples():
            self.is_tour_due = True
            self.show_result(self.controller)
        else:
            self.notify("This installation has no sample sessions.")

    def action_import(self) -> None:
        """Import all listed files that are not stored yet, after a question if they are many."""
        if self.busy is not None:
            self.notify(with_keys("Sessions are still being listed. Press {insert} again in a moment."))
            return
        entries = [entry for entry in self.query_one(SessionList).entries if not entry.problem]
        new = [entry for entry in entries if entry.origin != "stored"]
        if len(new) > FEW:
            self.action_ask_import()
        elif new:
            self.import_files(tuple(dict.fromkeys(entry.path for entry in new)))
        elif entries:
            self.notify("Nothing to import: all listed sessions are already stored.")
        else:
            self.notify("Nothing to import: no session is listed.")

    def action_ask_import(self) -> None:
        """Ask whether to import all listed sessions, the one under the cursor, or none."""
        sessions = self.query_one(SessionList)
        new = [entry for entry in sessions.entries if not entry.problem and entry.origin != "stored"]
        self.app.push_screen(ImportDialog(new, sessions.current), self.import_files)

    def import_files(self, paths: Sequence[str] | None) -> None:
        if paths:
            self.post_message(ImportFiles(tuple(paths)))

    def action_search(self) -> None:
        self.app.push_screen(SearchScreen(self.arranged(), self.controller.store if self.controller else None))


def _haystack(entry: Entry) -> str:
    facts = (entry.title, entry.project, entry.folder, entry.model, entry.format, entry.target, entry.path)
    return " ".join(facts).lower()
