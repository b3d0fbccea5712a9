"""Screen 5: the window, the rest of the session, and the memories that outlive it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Input, Static

from inspector.core.conversation import MAIN
from inspector.core.text import clipped
from inspector.library import TIERS, TierName
from inspector.llm.providers import DEFAULT_DIALECT, text_message
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.question import Confirmation
from inspector.ui.key_remaps import with_keys
from inspector.ui.messages import ChangePlans
from inspector.ui.palette import Palette
from inspector.ui.room import list_lines, set_height, shared_room
from inspector.ui.screens.memory.controller import MemoryController, MemoryState
from inspector.ui.screens.memory.inject_screen import InjectScreen
from inspector.ui.screens.memory.notes_screen import NotesScreen
from inspector.ui.screens.memory.panels import ItemPane, TierHead, TierList, advice, emptiness, offered_keys, verdict
from inspector.ui.screens.memory.store_lines import StoresReading, read_stores
from inspector.ui.screens.memory.stores_screen import StoresScreen
from inspector.ui.screens.memory.tier_tables import TierItem
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine, turn_text
from inspector.ui.widgets.verdict_line import accented
from inspector.ui.workers.jobs import ScreenJobs
from inspector.ui.workers.latest import LatestOnly

if TYPE_CHECKING:
    from inspector.library import InjectionDraft
    from inspector.store import Store
    from inspector.ui.screens.inspect.inspect_state import InspectState

_WIDE = 100
"""Width in cells from which the full sentence fits."""
_MIN_LINES, _MIN_ITEM = 3, {False: 5, True: 12}
"""Minimum lines of the lists, and of the item below them in a low and in a tall terminal."""
_STORES = "Press {on_this_machine} for the memories of other programs: rule files, notes and databases."
_QUOTED = 160
"""Maximum cells of the quoted entry in a question."""


class MemoryScreen(StateScreen[MemoryState]):
    """Draws the state of a `MemoryController` and forwards keys and clicks to it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("memory")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-middling"), (150, "-wide")]  # noqa: RUF012  as declared in Textual
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-tall")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#working"

    controller: MemoryController
    state: reactive[MemoryState] = reactive(MemoryState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = MemoryController(ScreenJobs(self), self, self.store, self.set_state)
        self.lists = {name: TierList(name, id=name) for name in TIERS}
        self.found: StoresReading | None = None
        self.readings: LatestOnly[StoresReading] = LatestOnly(self, "memory stores", self.show_found)

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield Static(id="remembered", markup=False)
        with Horizontal(id="tier-heads"):
            for name in TIERS:
                yield TierHead(name, id=f"head-{name}")
        yield Input(placeholder="search the persistent tier", id="memory-words")
        with Horizontal(id="tiers"):
            yield from self.lists.values()
        yield ItemPane(id="item")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_focus(self.state)
        self.show_keys()

    def store(self) -> Store | None:
        """Return the app's store, or None."""
        store: Store | None = self.app.store  # type: ignore[attr-defined]  # `InspectorApp` has one, or None
        return store

    def open_in(self, inspected: InspectState | None) -> None:
        """Show the tiers of Inspect's session at its turn; without one, only the persistent tier."""
        if inspected is None or inspected.opened is None:
            self.controller.open(None, MAIN, 0)
            self.readings.ask(partial(read_stores, _folder(self.app)))
        else:
            self.controller.open(inspected.opened, inspected.agent, inspected.turn)

    @property
    def current_list(self) -> TierList:
        return self.lists[self.state.focus]

    @property
    def current(self) -> TierItem | None:
        return self.current_list.current

    # drawing

    def watch_state(self, before: MemoryState, after: MemoryState) -> None:
        head = self.head
        head.busy = after.busy
        if after.bench is not before.bench or after.turn != before.turn or after.agent != before.agent:
            head.session, head.agent = after.bench.session if after.bench else None, after.agent
            head.status = (_place(after, self.palette),)
        if after.tiers is not before.tiers:
            for tier_head in self.query(TierHead):
                tier_head.tiers = after.tiers
            self.show_room(after)
        self.query_one("#remembered", Static).update(self.sentence(after))
        if after.tiers is not None:
            for name, rows in self.lists.items():
                rows.show(*_tier_rows(after, name))
        if after.focus != before.focus or (after.search is None) is not (before.search is None):
            self.show_focus(after)
        self.show_item()

    def show_found(self, reading: StoresReading) -> None:
        """Name the stores of other programs while there is nothing else to show."""
        self.found = reading
        self.query_one("#remembered", Static).update(self.sentence(self.state))
        self.show_item()

    def sentence(self, state: MemoryState) -> Text:
        is_bare = state.tiers is not None and state.tiers.preview is None and not state.tiers["persistent"].count
        text = self.found.invitation if is_bare and self.found else verdict(state, self.size.width < _WIDE)
        line = Text(f" {clipped(text, max(10, self.size.width - 2))}", self.palette.strong)
        return accented(line, self.palette.ink("primary"))

    def show_room(self, state: MemoryState) -> None:
        """Set the CSS classes of the focused tier, and of empty tiers, whose room the others get."""
        for part in (*self.query(TierHead), *self.lists.values()):
            part.set_class(part.tier == state.focus, "-focused")
            bare = state.tiers is not None and not state.tiers[part.tier].count
            part.set_class(bare and part.tier != state.focus, "-bare")

    def show_focus(self, state: MemoryState) -> None:
        for head in self.query(TierHead):
            head.is_focused = head.tier == state.focus
        self.show_room(state)
        words = self.query_one("#memory-words", Input)
        words.set_class(state.search is not None, "-open")
        if state.search is None:
            words.value = ""
            self.lists[state.focus].focus()

    @on(LineList.Moved)
    def follow_cursor(self, event: LineList.Moved) -> None:
        self.show_item()
        if event.list is self.lists["persistent"]:
            self.controller.read_more(event.list.cursor)

    def show_item(self) -> None:
        pane = self.query_one(ItemPane)
        pane.item = self.current
        if self.state.tiers is not None:
            pane.now = self.state.tiers.now
        stores = (self.found.overview if self.found else "") or with_keys(_STORES)
        hints = (stores if self.state.focus == "persistent" else "", advice(self.state, self.state.focus))
        pane.hint = "\n\n".join(filter(None, hints))
        self.show_keys()

    def show_keys(self) -> None:
        self.query_one(KeyBar).keys = offered_keys(self.state, self.current)

    def on_resize(self) -> None:
        self.query_one("#remembered", Static).update(self.sentence(self.state))
        self.call_after_refresh(self.make_room)

    @on(LineList.Counted)
    @on(ItemPane.Resized)
    def make_room(self) -> None:
        """Give the item under the cursor the lines that short lists leave."""
        tiers, item = self.query_one("#tiers"), self.query_one(ItemPane)
        longest = max(rows.count for rows in self.lists.values())
        room = shared_room(tiers, item, self.query_one(KeyBar).region.y)
        lines = list_lines(max(longest, _MIN_LINES), room, _MIN_ITEM[self.has_class("-tall")])
        if self.maximized is None and set_height(tiers, lines):
            self.call_after_refresh(self.make_room)  # the first layout can still change

    # moving items

    def action_next_tier(self, step: int) -> None:
        self.controller.focus_next(step)
        self.current_list.focus()

    def action_tier(self, name: TierName) -> None:
        self.controller.focus_on(name)

    def action_promote(self) -> None:
        self.controller.promote(self.current)

    def action_demote(self) -> None:
        self.controller.demote(self.current)

    def action_pin(self) -> None:
        self.controller.pin(self.current)

    def action_forget(self) -> None:
        item = self.current
        if self.controller.can_forget(item) and item is not None and item.memory is not None:
            text = "Its text is deleted from the store permanently. The log of its session is not changed."
            question = Confirmation(f"Forget memory {item.memory.id}?", item.line(_QUOTED), text, "delete")
            self.app.push_screen(question, partial(self.forget, item))

    def forget(self, item: TierItem, agreed: bool | None) -> None:
        if agreed:
            self.controller.forget(item)

    def action_undo(self, is_redo: bool = False) -> None:
        if self.state.bench is not None:
            self.post_message(ChangePlans(self.state.agent, is_redo=is_redo))

    # search

    def action_search(self) -> None:
        self.controller.search("")
        self.query_one("#memory-words", Input).focus()

    @on(Input.Changed, "#memory-words")
    def search_words(self, event: Input.Changed) -> None:
        if self.state.search is not None and event.value != self.state.search.words:
            self.controller.search(event.value)

    @on(Input.Submitted, "#memory-words")
    def action_to_hits(self) -> None:
        self.current_list.focus()

    # details

    @on(LineList.Opened)
    def open_row(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        if not self.controller.open_item(self.current):
            self.action_view()

    def action_view(self) -> None:
        item = self.current
        if item is None:
            self.notify("Nothing to read here.")
        elif item.message is not None:
            self.app.push_screen(Reader(item.message, item.number))
        elif item.memory is not None:
            message = text_message(f"memory {item.memory.id}", "user", item.memory.text, DEFAULT_DIALECT)
            self.app.push_screen(Reader(message, f"memory {item.memory.id}"))

    def action_inject(self) -> None:
        finder, state = self.controller.finder(), self.state
        if finder is None:
            self.notify("Nothing is saved: there is no store.")
        elif state.bench is None:
            self.notify(with_keys("No session is open yet. Choose one in Sessions ({sessions}) and press {open}."))
        else:
            words = state.search.words if state.search else ""
            self.app.push_screen(InjectScreen(state.bench, finder, state.agent, state.turn, words), self.set_draft)

    def set_draft(self, draft: InjectionDraft | None) -> None:
        """Put a draft into the window. None, from a dismissed screen, changes nothing."""
        if draft is not None:
            self.controller.put(draft)

    def action_overlay(self, name: str) -> None:
        """Open the memory stores of other programs ("stores"), or the notes of working-memory agents ("notes")."""
        store = self.store()
        if name == "stores":
            self.app.push_screen(_stores_screen(self.app))
        elif store is None:
            self.notify("Nothing is saved: there is no store.")
        else:
            self.app.push_screen(NotesScreen(store.path))

    async def action_back(self) -> None:
        if not self.controller.stop_search():
            await self.run_action("app.mode('inspect')" if self.state.bench is not None else "app.mode('sessions')")


def _tier_rows(state: MemoryState, name: TierName) -> tuple[Sequence[TierItem], datetime, int | None, str]:
    assert state.tiers is not None, "still loading"
    hits = None
    if name == "persistent" and state.search is not None and state.search.words.strip():
        hits = len(state.search.hits.retrieval.results) if state.search.hits else 0
    return state.items(name), state.tiers.now, hits, emptiness(state, name)


def _place(state: MemoryState, palette: Palette) -> Text:
    if state.bench is None:
        return Text("no session is open", palette.dim)
    return turn_text(state.turn, state.bench.turns(state.agent), palette)


def _folder(app: Any) -> Path:
    """Return the folder that the app shows, or else the current one."""
    return next((folder for folder in map(Path, app.targets) if folder.is_dir()), Path.cwd())


def _stores_screen(app: Any) -> StoresScreen:
    """Return the screen of the memory stores in the folder that the app shows."""
    paths = [entry.path for entry in app.sessions.state.entries.values() if entry.path]
    return StoresScreen(_folder(app), paths)
