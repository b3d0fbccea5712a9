"""Screen 1: the named, stored and discovered sessions, with a preview of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector import library
from inspector.core.settings import save_setting
from inspector.core.text import one_line, plural
from inspector.ui import dialogs, screens
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.messages import CompareSessions, ImportFiles, OpenTarget
from inspector.ui.palette import ThemePalette
from inspector.ui.screens.sessions.columns_dialog import ColumnsDialog
from inspector.ui.screens.sessions.import_dialog import FEW, ImportDialog
from inspector.ui.screens.sessions.list_columns import SETTING, ColumnHeads, chosen_columns, list_columns
from inspector.ui.screens.sessions.panels import PreviewPane, machine_text, start_text
from inspector.ui.screens.sessions.search_screen import SearchScreen
from inspector.ui.screens.sessions.session_list import SessionList
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

_NEWEST = "when"


class Sessions(Screen[None]):
    """The library. Rows appear while files are still being read."""

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (20, "-low"), (30, "-tall"), (46, "-high")]  # noqa: RUF012  as in Textual
    AUTO_FOCUS = "#sessions"

    BINDINGS: ClassVar[list[BindingType]] = bindings("sessions")

    filtered: reactive[str] = reactive("", init=False, repaint=False)
    order: reactive[tuple[str, bool]] = reactive((_NEWEST, False), init=False, repaint=False)
    """Column that the list is sorted by, and True if its order is reversed."""

    def __init__(self) -> None:
        super().__init__()
        self.controller: LibraryController | None = None
        """Controller of the listed sessions; None until the app sets it."""
        self.previews: PreviewWatch | None = None
        self.is_tour_due = False
        """True if the tour starts as soon as the sample sessions are listed."""
        self.is_comparison_due = False
        """True if the presets are compared as soon as all sessions are listed."""

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        yield Static(id="in-force", markup=False)
        yield ColumnHeads(id="columns", classes="heads")
        yield SessionList(id="sessions")
        yield Static(id="empty", markup=False)
        yield Static(id="machine", markup=False)
        yield PreviewPane(id="preview")
        yield Input(placeholder="filter by title, project, model, format, path", id="filter")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        for name in ("filtered", "order"):
            self.watch(self, name, self.rearrange, init=False)
        self.query_one(SessionList).chosen, problem = chosen_columns()
        if problem:
            self.notify(problem, severity="warning")
        self.rearrange()

    def on_unmount(self) -> None:
        if self.previews:
            self.previews.close()

    def on_screen_suspend(self) -> None:
        self.query_one(SessionList).forget_keys()
        self.is_comparison_due = False

    palette = ThemePalette()

    @property
    def state(self) -> LibraryState | None:
        return self.controller.state if self.controller else None

    @property
    def entries(self) -> Sequence[Entry]:
        return tuple(self.state.entries.values()) if self.state else ()

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
        self.query_one(TitleLine).busy = controller.state.busy
        self.rearrange()
        if controller.state.busy is not None:
            return
        self.query_one(SessionList).catch_up()
        if self.is_tour_due and isinstance(self.app, TerminalApp):
            self.is_tour_due = False
            self.query_one(SessionList).go_to(library.FIRST_SAMPLE)
            self.app.tour.start()
        if self.is_comparison_due:
            self.action_over_sessions()

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
            (current and sessions.mark and not here, Key("compare", "compare with the marked")),
            (not current and self.state and not self.state.busy, Key("try", "try sample sessions")),
            (self.entries and not self.lone_problem, Key("find", "filter")),
            (True, Key("find_everywhere", "search")),
            (has_more, Key("on_this_machine", "this machine")),
            (current, Key("mark", "unmark" if here else "mark to compare")),
            (current, Key("sort", "sort")),
            (current, Key("columns", "columns")),
            (current, Key("insert", "import")),
            (current and current.origin == "stored", Key("drop", "remove")),
            (current, Key("over_sessions", "presets over these")),
            (current, Key("try", "try samples")),
            (True, Key("palette", "commands")),
        )

    def on_resize(self) -> None:
        self.rearrange()

    def rearrange(self) -> None:
        """Filter, sort and show the entries, or show how to start if there are no entries."""
        if not self.is_mounted:
            return
        entries, (order, _) = self.arranged(), self.order
        sessions, heads = self.query_one(SessionList), self.query_one(ColumnHeads)
        if self.entries and self.previews is not None and self.controller is not None:
            is_detailed = library.needs_details(sessions.chosen)
            self.previews.is_detailed = is_detailed
            self.controller.set_detailed(is_detailed)
        sessions.show(entries)
        self.align_heads()
        heads.order = self.order
        count, every = sum(not entry.problem for entry in entries), sum(not entry.problem for entry in self.entries)
        by = "" if order in (_NEWEST, "session") else f", by {order}"
        self.query_one(TitleLine).title = f"{plural(count, 'session')}{by}"
        in_force = self.query_one("#in-force", Static)
        in_force.set_class(bool(self.filtered), "-shown")
        scope = f" only “{one_line(self.filtered)}”: {count:,} of {plural(every, 'session')}"
        words = f"{scope} · {key_of('back')}: show all"
        in_force.update(Text(words, self.palette.ink("background", on="warning")))
        nothing, empty = self.empty_text(entries), self.query_one("#empty", Static)
        empty.set_class(bool(nothing), "-shown")
        empty.update(nothing)
        sessions.set_class(bool(nothing), "-flat")
        self.query_one("#columns").set_class(not entries or bool(nothing), "-hidden")
        machine = machine_text(self.state, self.size.width, self.palette) if entries and self.state else Text()
        self.query_one("#machine", Static).update(machine)
        self.query_one("#machine").set_class(bool(machine), "-shown")
        self.follow_cursor()

    @on(LineList.Widened, "#sessions")
    def align_heads(self) -> None:
        """Put the heads of the columns above their cells."""
        sessions = self.query_one(SessionList)
        width = sessions.scrollable_content_region.width or self.size.width
        self.query_one(ColumnHeads).columns = list_columns(width, sessions.chosen)

    def arranged(self) -> list[Entry]:
        """Return the filtered entries in order, grouped by origin, with unreadable ones last in each group."""
        if not self.entries:
            return []
        words = self.filtered.lower().split()
        matching = (entry for entry in self.entries if all(word in _haystack(entry) for word in words))
        return library.sort_entries(matching, *self.order)

    @property
    def lone_problem(self) -> str:
        """Problem of the only named target, such as an empty folder; an empty string if there are other entries."""
        is_busy = self.state is not None and self.state.busy is not None
        lone = self.entries[0] if len(self.entries) == 1 and not is_busy else None
        return lone.problem if lone is not None and not lone.unsupported else ""

    def empty_text(self, rows: Sequence[Entry]) -> Text:
        """Return the text shown in place of an empty list, or the problem of the only named target."""
        lone = self.lone_problem
        if (rows and not lone) or self.state is None or self.state.busy is not None:
            return Text()
        if self.entries and not lone:
            return Text(f"No session matches “{one_line(self.filtered)}”.\n\n{key_of('back')}: clear the filter.")
        return start_text(self.state.folders, lone, self.palette)

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

    @on(LineList.Opened)
    def action_open(self) -> None:
        if current := self.usable():
            self.post_message(OpenTarget(current.target))

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
        before, sessions.mark = sessions.mark, "" if sessions.mark == current.target else current.target
        sessions.renew()
        self.show_keys()
        if sessions.mark:
            lead = "This session is marked in place of the other." if before else "Marked."
            self.notify(with_keys(f"{lead} Choose another session and press {{compare}} to compare the two."))

    def action_compare(self) -> None:
        """Compare with the marked session, or mark one if none is marked yet."""
        sessions = self.query_one(SessionList)
        current = self.usable()
        if current is not None and sessions.mark not in ("", current.target):
            self.post_message(CompareSessions(sessions.mark, current.target))
        else:
            self.action_mark()

    def action_over_sessions(self) -> None:
        """Compare the presets over the listed sessions, once all of them are listed."""
        self.is_comparison_due = self.controller is None or self.controller.is_listing
        entries = [entry for entry in self.arranged() if not entry.problem]
        if self.is_comparison_due:
            self.notify("The sessions are being read. The comparison opens when all of them are listed.")
        elif entries and self.controller is not None:
            self.app.push_screen(screens.CorpusScreen(entries, self.controller))
        else:
            self.notify("No session is listed to compare the presets on.")

    def action_sort(self, is_inverted: bool = False) -> None:
        """Sort by the next column, or by the same one in reverse."""
        name, is_reversed = self.order
        self.order = (name, not is_reversed) if is_inverted else (self.query_one(ColumnHeads).next_name, False)

    @on(ColumnHeads.Clicked)
    def sort_by(self, event: ColumnHeads.Clicked) -> None:
        """Sort by the clicked column, or reverse the order if the list is sorted by it."""
        name, is_reversed = self.order
        self.order = (event.name, event.name == name and not is_reversed)

    def action_columns(self) -> None:
        sessions = self.query_one(SessionList)
        names = sessions.chosen or [column.name for column in self.query_one(ColumnHeads).columns]
        self.app.push_screen(ColumnsDialog(names), self.set_columns)

    def set_columns(self, names: Sequence[str] | None) -> None:
        """Show other columns and save the choice. An empty one restores the usual columns."""
        if names is None:
            return
        self.query_one(SessionList).chosen = names
        try:
            save_setting(SETTING, " ".join(names))
        except (OSError, ValueError) as error:
            self.notify(f"Cannot save the columns: {error}. They apply until you quit.", severity="warning")
        self.rearrange()

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
        if self.state is not None and self.state.busy is not None:
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

    def action_remove_stored(self) -> None:
        """Remove the stored session under the cursor for good, after a question."""
        entry = self.query_one(SessionList).current
        if entry is None or self.controller is None:
            return
        if entry.origin != "stored":
            self.notify("Only stored sessions can be removed. The files of agents are never changed.")
            return
        stays = f" The file stays: {entry.path}" if entry.path else ""
        text = f"Its log, plans, bookmarks and memories are deleted from the store and its automatic backups.{stays}"
        question = dialogs.Confirmation("Remove this session for good?", entry.title, text, "remove")
        self.app.push_screen(question, partial(_remove_if, self.controller, entry))

    def action_search(self) -> None:
        self.app.push_screen(SearchScreen(self.arranged(), self.controller.readable if self.controller else None))


def _remove_if(controller: LibraryController, entry: Entry, agreed: bool | None) -> None:
    if agreed:
        controller.remove(entry)


def _haystack(entry: Entry) -> str:
    facts = (entry.title, entry.project, entry.folder, entry.model, entry.format, entry.target, entry.path)
    return " ".join(facts).lower()
