"""Screen 1: every session there is, given, stored or found on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.text import clipped, one_line, plural
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.messages import CompareSessions, ImportFiles, OpenTarget
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import TO_ENDS, LineList, Span
from inspector.ui.widgets.scrubber import compact
from inspector.ui.widgets.title import TitleLine
from inspector.ui.workers.latest import LatestOnly

if TYPE_CHECKING:
    from inspector.library import Entry
    from inspector.store import Hit
    from inspector.ui.workers.jobs import Busy

_Order = tuple[str, Callable[["Entry"], object], bool]
_ORDERS: tuple[_Order, ...] = (
    ("last change", lambda entry: entry.changed, True),
    ("title", lambda entry: entry.title.lower(), False),
    ("tokens", lambda entry: entry.tokens or 0, True),
    ("peak", lambda entry: entry.peak_share or 0, True),
    ("messages", lambda entry: entry.messages or 0, True),
    ("format", lambda entry: entry.format, False),
)


_MARKED = "▸"


class SessionList(LineList):
    """One session a line."""

    BINDINGS: ClassVar[list[BindingType]] = [*TO_ENDS]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: Sequence[Entry] = ()
        self.is_moved = False
        self.mark = ""
        """The target of the session that others are compared with."""

    @property
    def count(self) -> int:
        return len(self.entries)

    def show(self, entries: Sequence[Entry]) -> None:
        """New entries; the cursor stays on its session once it was moved, and on the first until then."""
        target = self.current.target if self.current and self.is_moved else None
        self.entries = entries
        self.renew()
        place = next(
            (n for n, entry in enumerate(entries) if entry.target == target), self.cursor if self.is_moved else 0
        )
        self.cursor = min(place, max(0, len(entries) - 1))

    def by_hand(self) -> None:
        self.is_moved = True

    @property
    def current(self) -> Entry | None:
        return self.entries[self.cursor] if 0 <= self.cursor < len(self.entries) else None

    def spans(self, line: int, width: int) -> Sequence[Span]:
        entry, palette = self.entries[line], self.palette
        _, *rest = _entry_spans(entry, width, palette.strong, palette.dim, palette.ink("error"))
        return [(_MARKED if entry.target == self.mark else " ", palette.ink("primary", bold=True)), *rest]


def _entry_spans(entry: Entry, width: int, strong: Style, dim: Style, error: Style) -> list[Span]:
    columns = _numbers(entry, width)
    room = width - sum(cell_len(text) for text in columns) - 2
    title = clipped(one_line(entry.title) or "untitled", room)
    ink = error if entry.problem else strong if entry.origin != "found" else dim
    return [(" ", dim), (set_cell_size(title, room), ink), *((text, dim) for text in columns)]


def _numbers(entry: Entry, width: int) -> list[str]:
    """The columns right of the title, as many as there is room for."""
    if entry.problem:
        return [f"  {clipped(one_line(entry.problem), max(0, width // 2))}"]
    cells = [f"  {entry.format:<12}"]
    if width >= 130:
        cells.append(f"{clipped(one_line(entry.model), 20):<21}")
    if width >= 100:
        cells.append(f"{_number(entry.agents):>7}")
    cells.append(f"{_number(entry.messages):>9}")
    cells.append(f"{'' if entry.tokens is None else ('≈' if entry.estimated else '') + compact(entry.tokens):>8}")
    cells.append(f"{'' if entry.peak_share is None else f'{entry.peak_share:.0%}':>7}")
    if width >= 100:
        cells.append(f"{_number(entry.compactions):>13}")
    if width >= 90:
        cells.append(f"  {clipped(one_line(entry.changed[:16].replace('T', ' ')), 16):<16}")
    return cells


def _heading(width: int, order: str) -> str:
    cells = [f"  {'format':<12}"]
    if width >= 130:
        cells.append(f"{'model':<21}")
    if width >= 100:
        cells.append(f"{'agents':>7}")
    cells += [f"{'messages':>9}", f"{'tokens':>8}", f"{'peak':>7}"]
    if width >= 100:
        cells.append(f"{'compactions':>13}")
    if width >= 90:
        cells.append(f"  {'last change':<16}")
    right = "".join(cells)
    return " " + set_cell_size("session", max(8, width - len(right) - 2)) + right.replace(order, order, 1)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


class Sessions(Screen[None]):
    """The library. Rows arrive while files are still being read."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#sessions"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter by title, model or format"),
        Binding("s", "sort", "Sort by the next column"),
        Binding("m", "mark", "Mark the session to compare another one with"),
        Binding("c", "compare", "Compare the session with the marked one"),
        Binding("f", "search", "Search the words of everything stored"),
        Binding("i", "import", "Import all that is listed into the store"),
        Binding("escape", "clear", "Clear the filter"),
    ]

    entries: reactive[tuple[Entry, ...]] = reactive((), init=False, repaint=False)
    filtered: reactive[str] = reactive("", init=False, repaint=False)
    order: reactive[int] = reactive(0, init=False, repaint=False)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        yield Static(id="columns", markup=False)
        yield SessionList(id="sessions")
        yield Static(id="empty", markup=False)
        yield Input(placeholder="filter by title, model, format", id="filter")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()
        self.rearrange()

    @on(LineList.Moved, "#sessions")
    def show_keys(self) -> None:
        sessions = self.query_one(SessionList)
        here = sessions.current is not None and sessions.current.target == sessions.mark
        keys = [
            Key("enter", "open", "screen.open"),
            bool(sessions.mark) and not here and Key("c", "compare with the marked", "screen.compare"),
            Key("/", "filter", "screen.filter"),
            Key("s", "sort", "screen.sort"),
            Key("m", "unmark" if here else "mark to compare", "screen.mark"),
            Key("f", "search words", "screen.search"),
            Key("i", "import", "screen.import"),
            Key("ctrl+p", "commands", "app.command_palette"),
            Key("q", "quit", "app.leave"),
        ]
        self.query_one(KeyBar).keys = tuple(key for key in keys if isinstance(key, Key))

    def on_resize(self) -> None:
        self.rearrange()

    def watch_entries(self) -> None:
        self.rearrange()

    def watch_filtered(self) -> None:
        self.rearrange()

    def watch_order(self) -> None:
        self.rearrange()

    def watch_busy(self, busy: Busy | None) -> None:
        if self.is_mounted:
            self.query_one(TitleLine).busy = busy
            self.rearrange()

    def rearrange(self) -> None:
        """Filter, sort and show the entries; say what to do when there are none."""
        if not self.is_mounted:
            return
        name, key, backwards = _ORDERS[self.order]
        words = self.filtered.lower().split()
        entries = [entry for entry in self.entries if all(word in _haystack(entry) for word in words)]
        entries.sort(key=key, reverse=backwards)  # type: ignore[arg-type]  # each order's keys are of one kind
        width = self.query_one(SessionList).size.width or self.size.width
        self.query_one("#columns", Static).update(_heading(width, name))
        self.query_one(SessionList).show(entries)
        empty = self.query_one("#empty", Static)
        empty.set_class(not entries and self.busy is None, "-shown")
        empty.update(self.nothing())
        count = sum(not entry.problem for entry in entries)
        self.query_one(TitleLine).title = f"{plural(count, 'session')}, by {name}"

    def nothing(self) -> str:
        if self.entries:
            return f"No session matches “{one_line(self.filtered)}”.\n\nesc clears the filter."
        return (
            "There are no sessions yet.\n\n"
            "Start Inspector with a recording:   inspector PATH…\n"
            "or put one into the store:          inspector import PATH…\n\n"
            "It reads OpenAI and Anthropic requests, message lists, ShareGPT chats\n"
            "and Claude Code transcripts."
        )

    def usable(self) -> Entry | None:
        """The session under the cursor; None, and told, where it cannot be read."""
        current = self.query_one(SessionList).current
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

    def action_mark(self) -> None:
        sessions = self.query_one(SessionList)
        if current := self.usable():
            sessions.mark = "" if sessions.mark == current.target else current.target
            sessions.renew()
            self.show_keys()

    def action_compare(self) -> None:
        sessions = self.query_one(SessionList)
        current = self.usable()
        if current is None:
            return
        if not sessions.mark:
            self.notify("Mark a session with m first, choose another one and press c.")
        elif sessions.mark == current.target:
            self.notify("This session is marked: choose another one and press c.")
        else:
            self.post_message(CompareSessions(sessions.mark, current.target))

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
        if not self.filtered:
            self.query_one("#filter").remove_class("-open")

    def action_clear(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        box.remove_class("-open")
        self.query_one(SessionList).focus()

    def action_import(self) -> None:
        """All files in sight that are not stored yet: the filter chooses."""
        entries = self.query_one(SessionList).entries
        paths = dict.fromkeys(entry.path for entry in entries if entry.origin != "stored" and not entry.problem)
        if paths:
            self.post_message(ImportFiles(tuple(paths)))
        else:
            self.notify("There is nothing to import: all that is listed is stored already.")

    def action_search(self) -> None:
        self.app.push_screen(SearchScreen())


def _haystack(entry: Entry) -> str:
    return f"{entry.title} {entry.model} {entry.format} {entry.target}".lower()


class HitList(LineList):
    """What a search found: the session, and the words around the match."""

    BINDINGS: ClassVar[list[BindingType]] = [*TO_ENDS]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.hits: Sequence[Hit] = ()

    @property
    def count(self) -> int:
        return len(self.hits)

    @property
    def current(self) -> Hit | None:
        return self.hits[self.cursor] if 0 <= self.cursor < len(self.hits) else None

    def show(self, hits: Sequence[Hit]) -> None:
        self.hits = hits
        self.renew()
        self.cursor = 0

    def spans(self, line: int, width: int) -> Sequence[Span]:
        hit = self.hits[line]
        name = clipped(one_line(hit.session), 28)
        return [
            (f" {set_cell_size(name, 28)} ", self.palette.strong),
            (f"{hit.position + 1:>6}  ", self.palette.faint),
            (clipped(one_line(hit.snippet), max(0, width - 40)), self.palette.dim),
        ]


class SearchScreen(Overlay[None]):
    """Full-text search over everything in the store, as one types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back"),
        Binding("down", "to_hits", "To the hits", show=False),
    ]
    AUTO_FOCUS = "#words"

    def __init__(self) -> None:
        super().__init__()
        self.searches: LatestOnly[list[Hit]] = LatestOnly(self, "search", self.take)

    def compose(self) -> ComposeResult:
        yield Static("Search everything stored", classes="bar")
        yield Input(placeholder="words", id="words")
        yield HitList(id="hits")
        yield Static(id="found", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = (
            Key("↓", "to the hits", "screen.to_hits"),
            Key("enter", "open the session", "screen.to_hits"),
            Key("esc", "back", "screen.dismiss"),
        )

    @on(Input.Changed, "#words")
    def search(self, event: Input.Changed) -> None:
        store = self.app.store  # type: ignore[attr-defined]  # the app of this program has one, or None
        if store is not None and event.value.strip():
            self.searches.ask(partial(store.search, event.value, 200))
        else:
            self.take([])

    def take(self, hits: list[Hit]) -> None:
        self.query_one(HitList).show(hits)
        words = self.query_one("#words", Input).value.strip()
        text = f"{len(hits)} messages" if words else "Type words; only stored sessions are searched."
        self.query_one("#found", Static).update(text)

    @on(Input.Submitted, "#words")
    def action_to_hits(self) -> None:
        self.query_one(HitList).focus()

    @on(LineList.Opened, "#hits")
    def open_hit(self) -> None:
        if hit := self.query_one(HitList).current:
            self.dismiss()
            self.app.post_message(OpenTarget(hit.session_id, hit.message_id))
