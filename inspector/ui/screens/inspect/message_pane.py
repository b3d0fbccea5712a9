"""The messages of Inspect with their tools: search, filter, order, jumps by number, bookmarks and copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual import on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from inspector.analysis.message_search import SYNTAX, Haystack
from inspector.analysis.tool_activity import Actions
from inspector.core.text import clipped, one_line
from inspector.engine.window import call_names
from inspector.ui import dialogs
from inspector.ui.copying import copy_action, copy_message, open_outside
from inspector.ui.key_remaps import with_keys
from inspector.ui.room import set_height
from inspector.ui.screens.inspect.destinations import Destination, parse_destination
from inspector.ui.screens.inspect.dropped import next_loss_screen, work_state_screen
from inspector.ui.screens.inspect.message_finder import FinderState, MessageFinder
from inspector.ui.screens.inspect.panels import END_SEARCH
from inspector.ui.widgets.key_bar import Key
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.message_list import MessageColumns, MessageList
from inspector.ui.widgets.message_rows import Arrangement
from inspector.ui.widgets.prompt_line import PromptLine
from inspector.ui.workers.jobs import Host, Jobs

if TYPE_CHECKING:
    from inspector.library import Preview, SessionBookmarks, Workbench
    from inspector.ui.screens.inspect.controller import InspectController
    from inspector.ui.screens.inspect.inspect_state import InspectState


class MessageHost(Host, Protocol):
    """The screen that a `MessagePane` belongs to."""

    controller: InspectController

    @property
    def app(self) -> App[object]: ...

    @property
    def state(self) -> InspectState: ...

    def go_to_message(self, id: str, turn: int = 0, words: str = "") -> None:
        """Go to a message of the session at a turn whose window contains it.

        Args:
            id: ID of the message.
            turn: Turn to show; 0 to choose one.
            words: Search terms to highlight; empty for none.
        """

    def follow_cursor(self) -> None:
        """Show the message under the cursor."""


class MessagePane(Vertical):
    """The list of messages under its headings and a line about the search. The prompt is elsewhere on the screen."""

    ALLOW_MAXIMIZE = True

    def __init__(self, owner: MessageHost, jobs: Jobs, messages: MessageList, id: str | None = None) -> None:
        """Create a pane.

        Args:
            owner: Screen of the pane.
            jobs: Runs searches in a thread.
            messages: List to show.
            id: ID of the widget.
        """
        super().__init__(id=id)
        self.owner = owner
        self.messages = messages
        self.prompt = PromptLine(self, id="prompt")
        self.columns = MessageColumns(id="columns")
        self.banner = Static(id="finding", markup=False)
        self.finder = MessageFinder(jobs, owner, self.show_findings)
        self.bookmarks: SessionBookmarks | None = None
        self.preview: Preview | None = None
        self.sizes: dialogs.SizesScreen | None = None
        self.origin = 0
        """Index of the cursor before a query was typed."""
        self.jumps = False
        """True if the cursor moves to the first match."""

    def compose(self) -> ComposeResult:
        yield self.banner
        yield self.columns
        yield self.messages

    def on_unmount(self) -> None:
        self.finder.close()

    def on_resize(self) -> None:
        self.show_banner(self.finder.state)
        self.call_after_refresh(self.make_room)

    @on(LineList.Counted)
    def make_room(self) -> None:
        """Put the message under the cursor below the list if the list is short, else next to it, if there is room."""
        heads = sum(part.display for part in (self.banner, self.columns))
        lines, room = self.messages.count + heads, self.screen.query_one("#middle").size.height
        is_short = self.messages.count > 0 and lines <= room // 2 and self.owner.state.trial is None
        if room:  # there is none while the pane is zoomed
            self.screen.set_class(is_short, "-stacked")
        if is_short or self.is_maximized:
            set_height(self, lines)
        elif self.styles.inline.has_rule("height"):  # clearing it would lay out the screen each time
            self.styles.height = None

    # content

    def open(self, bookmarks: SessionBookmarks, words: str = "") -> None:
        """Show another session, and search it for `words`."""
        self.bookmarks = bookmarks
        self.leave_prompt()
        self.finder.clear()
        self.finder.look_for(words)

    def show(self, preview: Preview) -> None:
        """Show a new preview and repeat the current search in it."""
        is_new = self.preview is None or preview.before is not self.preview.before
        self.preview = preview
        self.messages.show(preview)
        self.make_room()  # now, or the screen is laid out twice
        self.columns.scored = self.messages.scored
        if self.sizes is not None and self.sizes.is_attached:
            self.sizes.recount(preview)
        (self.look_again if is_new else self.owner.follow_cursor)()

    def look_again(self) -> None:
        if self.preview is not None:
            window = self.preview.before
            requests = self.messages.content.actions.request_of if self.messages.content else lambda _: ""
            haystack = Haystack(window.messages, window.tokens, window.tool_names, self.notes, requests)
            self.finder.look_in(haystack, partial(_beside, self.owner.state.bench, window.ids, self.notes))
        self.mark(self.finder.state)

    @property
    def notes(self) -> Mapping[str, str]:
        return self.bookmarks.notes if self.bookmarks else {}

    def mark(self, state: FinderState) -> None:
        self.messages.mark(state.query.words, state.hits if state.is_on else {}, self.notes)
        self.owner.follow_cursor()

    def show_findings(self, state: FinderState) -> None:
        """Show the results so far."""
        only = frozenset(state.hits) if state.is_on and state.only else None
        self.messages.rearrange(Arrangement(only, self.messages.arrangement.by_size))
        self.messages.empty = "  no match" if only is not None else self.messages.empty
        self.mark(state)
        if self.jumps and state.hits and self.messages.go_to_hit(1, from_here=True) is not None:
            self.jumps = False
        if self.prompt.purpose == "find":
            self.prompt.say(*_said(state))
        self.show_banner(state)

    def show_banner(self, state: FinderState) -> None:
        """Show the search above the list, with emphasis if only matches are shown."""
        is_shown = state.is_on and (state.only or not self.prompt.is_open)
        self.banner.set_class(is_shown, "-shown")
        self.banner.set_class(state.only, "-only")
        query = one_line(state.query.text)
        if state.only:
            end, text = with_keys("{back}: show all"), f" only {state.result} shown: {query}"
        else:
            moves = "go there" if state.elsewhere else "next, previous"
            end = with_keys("{next_hit} {previous_hit}: {moves}   {back}: end", moves=moves)
            text = f" {state.result} found: {query}"
        room = self.size.width - len(end) - 3
        words = f"{clipped(text, room):<{max(room, 0)}}  {end}" if room > 20 else clipped(text, room)
        self.banner.update(words, layout=False)

    def key_hints(self) -> tuple[Key, ...]:
        """Return the keys of a running search, or the key that starts one."""
        find = Key("find", "find")
        return (Key("next_hit", "next match"), Key("previous_hit"), find) if self.finder.state.is_on else (find,)

    @property
    def escape(self) -> str:
        """Effect of esc during a search; empty otherwise."""
        return END_SEARCH if self.finder.state.is_on else ""

    # the prompt

    def run(self, action: str) -> None:
        """Run an action on the list by its name."""
        action_texts: Mapping[str, Callable[[], object]] = {
            "find": self.find,
            "hit": partial(self.go_to_hit, 1),
            "hit_before": partial(self.go_to_hit, -1),
            "fold": self.messages.toggle_folding,
            "sort": self.sort,
            "place": self.ask_place,
            "copy": self.copy,
            "copy_all": partial(self.copy, whole=True),
            "outside": self.open_outside,
            "bookmark": self.bookmark,
            "bookmarks": self.list_bookmarks,
            "sizes": self.show_sizes,
            "state": lambda: self.show_other(work_state_screen(self.owner.state.preview)),
            "next_loss": lambda: self.show_other(next_loss_screen(self.owner.state)),
            "memories": lambda: self.show_other(dialogs.memories_screen(self.owner.state.preview)),
            "sources": lambda: self.show_other(dialogs.sources_screen(self.app, self.owner.state.bench, self.preview)),
            "ask": self.ask,
        }
        action_texts[action]()

    def show_sizes(self) -> None:
        """Open the sizes of the window. A strategy chosen there is tried."""
        state, controller = self.owner.state, self.owner.controller
        if state.preview is not None:
            self.sizes = dialogs.SizesScreen(state.bench, state.preview)
            self.owner.app.push_screen(self.sizes, controller.try_on)

    def show_other(self, screen: Screen[str] | None) -> None:
        """Open a screen that leads to a message, if there is one."""
        if screen is not None:
            self.owner.app.push_screen(screen, self.go_to_bookmark)

    def ask(self) -> None:
        bench, message = self.owner.state.bench, self.messages.current
        self.show_other(dialogs.ask_screen(self.app, bench, self.preview, message))

    def find(self) -> None:
        state = self.finder.state
        self.origin, self.jumps = self.messages.current_index or 0, False
        self.prompt.open("find", "/", state.query.text, SYNTAX)
        self.prompt.say(*_said(state))
        self.show_banner(state)

    def ask_place(self) -> None:
        self.prompt.open("place", ":", "", "107 a message by its number   t26 a turn")

    def bookmark(self) -> None:
        """Ask for the note of a bookmark on the message under the cursor."""
        message = self.messages.current
        if message is None or self.bookmarks is None:
            return
        if not self.bookmarks.can_take(message.id):
            self.notify("A plan created this message. Only messages of the log can be bookmarked.")
            return
        is_new = message.id not in self.bookmarks
        self.prompt.open("note", "• note", self.notes.get(message.id, ""), "note")
        keys = "{open}: save   {back}: cancel" if is_new else "{open}: save   {remove}: remove   {back}"
        self.prompt.say(with_keys(keys))

    def leave_prompt(self) -> None:
        if self.prompt.is_open:
            self.prompt.close()
            self.messages.focus()
            self.show_banner(self.finder.state)

    def set_text(self, text: str) -> None:
        if self.prompt.purpose == "find":
            self.jumps = True
            self.finder.look_for(text, self.origin)
            self.prompt.say(*_said(self.finder.state))

    def enter_text(self, text: str) -> None:
        purpose = self.prompt.purpose
        self.leave_prompt()
        if purpose == "note":
            self.keep_note(text)
        elif purpose == "place" and text.strip():
            self.go_to_place(text)

    def press(self, key: str) -> None:
        """Handle a key of the prompt that does not type text."""
        state, purpose = self.finder.state, self.prompt.purpose
        if key == "escape":
            self.leave_prompt()
            if purpose == "find":
                self.finder.clear()
        elif key == "remove" and purpose == "note" and self.messages.current is not None:
            self.leave_prompt()
            self.remove_bookmark(self.messages.current.id)
        elif purpose == "find" and key == "tab":
            self.finder.show_only(not state.only)
        elif purpose == "find" and key in ("up", "down"):
            self.go_to_hit(1 if key == "down" else -1)

    # search

    def go_to_hit(self, step: int) -> None:
        """Go to the next or previous match."""
        if not self.finder.state.is_on:
            self.notify(with_keys("No active search. {find}: search for words, or for messages by kind, tool or size."))
            return
        self.jumps = False
        if elsewhere := self.finder.state.elsewhere:
            self.owner.go_to_message(elsewhere[0 if step > 0 else -1])
            return
        is_round = self.messages.go_to_hit(step)
        if is_round is None:
            self.notify("No match in this window." if self.finder.state.is_complete else "No match yet.")
        elif is_round:
            self.notify("Search wrapped to the top." if step > 0 else "Search wrapped to the end.")

    def clear(self) -> bool:
        """End the search. Return False if there was none."""
        return self.finder.clear()

    def sort(self) -> None:
        arrangement = self.messages.arrangement
        self.columns.by_size = not arrangement.by_size
        self.messages.rearrange(Arrangement(arrangement.only, not arrangement.by_size))
        self.notify(
            with_keys("Largest first. {sort}: sort by time again.") if self.columns.by_size else "Sorted by time."
        )

    def go_to_place(self, text: str) -> None:
        """Go to a message or a turn by its number, as typed."""
        preview = self.preview
        place = parse_destination(text)
        if preview is None or place is None:
            self.notify("Type the number of a message (107) or of a turn (t26).")
        elif place.is_turn:
            self.go_to_turn(place)
        elif not 1 <= place.number <= len(preview.session.messages):
            count = len(preview.session.messages)
            self.notify(f"There is no message {place.number:,}. The last is {count:,}.")
        else:
            self.owner.go_to_message(preview.session.messages[place.number - 1].id)

    def go_to_turn(self, place: Destination) -> None:
        last = self.owner.controller.last_turn
        if 1 <= place.number <= last:
            self.owner.controller.go_to(place.number)
        else:
            self.notify(
                f"There is no turn {place.number:,}. The last is {last - 1:,}; {last:,} is the current context."
            )

    # copies

    def copy(self, whole: bool = False) -> None:
        message = self.messages.current
        if message is not None and self.preview is not None:
            window = self.preview.before.messages
            self.notify(copy_message(self.app, message) if whole else copy_action(self.app, message, window))

    def open_outside(self) -> None:
        if (message := self.messages.current) is not None:
            problem = open_outside(self.app, message)
            if problem:
                self.notify(problem)

    # bookmarks

    def keep_note(self, note: str) -> None:
        message = self.messages.current
        if message is not None and self.bookmarks is not None:
            self.bookmarks.put(message.id, note.strip())
            self.look_again()

    def remove_bookmark(self, message_id: str) -> None:
        if self.bookmarks is not None and message_id in self.bookmarks:
            self.bookmarks.remove(message_id)
            self.look_again()

    def list_bookmarks(self) -> None:
        if not self.notes or self.preview is None:
            self.notify(with_keys("There are no bookmarks in this session. {bookmark}: bookmark this message."))
        else:
            screen = dialogs.BookmarksScreen(self.preview.session, lambda: self.notes, self.remove_bookmark)
            self.app.push_screen(screen, self.go_to_bookmark)

    def go_to_bookmark(self, message_id: str | None) -> None:
        if message_id is not None:
            self.owner.go_to_message(message_id)


def _beside(bench: Workbench, ids: Sequence[str], notes: Mapping[str, str]) -> Haystack:
    """Return the messages of a session except those with the given IDs."""
    log, here = bench.session.messages, frozenset(ids)
    rest = [
        (message, tokens) for message, tokens in zip(log, bench.sizes.tokens, strict=True) if message.id not in here
    ]
    messages, sizes = [message for message, _ in rest], [tokens for _, tokens in rest]
    return Haystack(messages, sizes, call_names(log), notes, Actions(log).request_of)


def _said(state: FinderState) -> tuple[str, str]:
    """Return the text next to the prompt, and its style."""
    if state.problem:
        return state.problem, "wrong"
    if not state.is_on:
        return with_keys("{back}: end"), ""
    shows = "show all" if state.only else "show only these"
    return with_keys("{result}   {switch_view}: {shows}   ↓: next", result=state.result, shows=shows), ""
