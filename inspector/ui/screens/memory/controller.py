"""The controller of the Memory screen: its state and the effect of its keys, independent of any widget."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from inspector import library
from inspector.core.conversation import MAIN
from inspector.core.crash import error_message
from inspector.engine.retrieval import EmbeddingError
from inspector.library import TIERS, InjectionDraft, RefusedError, TierName
from inspector.store import Memory, MemoryRetrieval, StoreError
from inspector.ui.key_remaps import with_keys
from inspector.ui.messages import ChangePlans, OpenTarget
from inspector.ui.screens.memory.memory_finder import Finder
from inspector.ui.screens.memory.tier_changes import (
    demote_entry,
    forget_entry,
    keep_text,
    promote_entry,
    toggle_pin,
    touch_entries,
)
from inspector.ui.screens.memory.tier_tables import PAGE, TierItem, TierTables, memory_item, read_tiers
from inspector.ui.workers.jobs import Busy, CooperativeStop, Host, Jobs

if TYPE_CHECKING:
    from inspector.library import Workbench
    from inspector.store import Store

_Change = Callable[["Store"], str]
"""A change of the store, which returns a sentence for the user."""


@dataclass(frozen=True, eq=False)
class Search:
    """A query and its results in the persistent tier."""

    words: str = ""
    hits: MemoryRetrieval | None = None
    """None until the first results are ready."""

    @property
    def items(self) -> tuple[TierItem, ...]:
        """Retrieved memories, followed by near misses."""
        if self.hits is None:
            return ()
        memories = self.hits.entries
        found_items = [memory_item(memories[result.key], result) for result in self.hits.retrieval.results]
        misses = self.hits.retrieval.near_misses
        return (*found_items, *(memory_item(memories[miss.result.key], miss.result, miss.reason) for miss in misses))


@dataclass(frozen=True, eq=False)
class MemoryState:
    """Everything that the Memory screen draws, at one moment."""

    bench: Workbench | None = None
    agent: str = MAIN
    turn: int = 0
    tiers: TierTables | None = None
    """None until the tiers have been read."""
    focus: TierName = "working"
    search: Search | None = None
    """Current search; None for no search."""
    busy: Busy | None = None

    def items(self, name: TierName) -> Sequence[TierItem]:
        """Return the rows of a tier; during a search, the persistent tier has its results instead."""
        if name == "persistent" and self.search is not None and self.search.words.strip():
            return self.search.items
        return self.tiers[name].rows if self.tiers else ()


class MemoryController:
    """Controls the three tiers of one agent's session at a turn, and moves items between them.

    `on_change` is called with the new state after every change.
    """

    def __init__(
        self, jobs: Jobs, host: Host, store: Callable[[], Store | None], on_change: Callable[[MemoryState], None]
    ) -> None:
        """Create a controller without a session.

        Args:
            jobs: Runs reads and changes in threads.
            host: Shows notices and receives messages.
            store: Returns the store, or None without one.
            on_change: Called with each new state.
        """
        self.state = MemoryState()
        self._jobs = jobs
        self._host = host
        self._store = store
        self._on_change = on_change
        self._entries = PAGE
        """Number of entries to read from the persistent tier."""
        self._tiers = jobs.latest("tiers", self._set_tiers)
        self._searches = jobs.latest("memory search", self._set_hits)
        self._vectors = jobs.latest("memory vectors", self._set_vectors)
        self._stop = Event()
        self._changes: deque[_Change] = deque()
        self._is_changing = False
        self._finder: Finder | None = None

    def finder(self) -> Finder | None:
        """Return the search of the store, or None without a store."""
        store = self._store()
        if store is not None and (self._finder is None or self._finder.store is not store):
            self._finder = Finder(store)
        return self._finder if store is not None else None

    def _set(self, state: MemoryState) -> None:
        self.state = state
        self._on_change(state)

    # display

    def open(self, bench: Workbench | None, agent: str, turn: int) -> None:
        """Show the tiers of an agent's session.

        Args:
            bench: Workbench of the session; None shows the persistent tier only.
            agent: Agent of the session.
            turn: Turn of the window.
        """
        old = self.state
        other = old.bench is None or bench is None or old.bench.session is not bench.session
        focus = old.focus if bench is not None and not other else "working" if bench else "persistent"
        self._set(replace(old, bench=bench, agent=agent, turn=turn, focus=focus, busy=Busy("reading")))
        self.read()

    def read(self) -> None:
        """Read the tiers again."""
        state = self.state
        source = (state.bench, state.agent, state.turn, self._store(), self._entries)
        self._tiers.ask(partial(_tiers_of, *source, state.tiers))

    def read_more(self, place: int) -> None:
        """Read more entries of the persistent tier if the cursor is close to the last one read."""
        tiers = self.state.tiers
        if tiers is None or self.state.search is not None:
            return
        table = tiers["persistent"]
        if len(table.rows) < table.count and place >= len(table.rows) - PAGE // 5 and not self._tiers.is_running:
            self._entries = min(table.count, max(self._entries * 2, len(table.rows) + PAGE))
            self.read()

    def _set_tiers(self, tiers: TierTables | str) -> None:
        if isinstance(tiers, str):
            self._host.notify(tiers, severity="error")
            self._set(replace(self.state, busy=None))
        else:
            self._set(replace(self.state, tiers=tiers, busy=None))
            if (finder := self.finder()) is not None and not self._vectors.is_running:
                self._vectors.ask(partial(_fill, finder, self._stop))

    def _set_vectors(self, warning: str) -> None:
        if warning:
            self._host.notify(warning, severity="warning")

    def close(self) -> None:
        """Stop the work because the screen has closed."""
        self._stop.set()

    def focus_on(self, tier: TierName) -> None:
        if tier != self.state.focus:
            self._set(replace(self.state, focus=tier))

    def focus_next(self, step: int) -> None:
        """Focus the next or previous tier, wrapping around."""
        self.focus_on(TIERS[(TIERS.index(self.state.focus) + step) % len(TIERS)])

    # search

    def search(self, words: str) -> None:
        """Search the persistent tier."""
        old = self.state.search or Search()
        self._set(replace(self.state, focus="persistent", search=replace(old, words=words)))
        if (finder := self.finder()) is not None and words.strip():
            self._searches.ask(partial(_hits_of, finder, words))
        elif words.strip():
            self._host.notify("Nothing to search: there is no store.")

    def stop_search(self) -> bool:
        """Show the whole tier again. Return False if there was no search."""
        if self.state.search is None:
            return False
        self._set(replace(self.state, search=None))
        return True

    def _set_hits(self, outcome: tuple[str, MemoryRetrieval | str]) -> None:
        words, hits = outcome
        if isinstance(hits, str):
            self._host.notify(hits, severity="error")
        elif self.state.search is not None and self.state.search.words == words:
            self._set(replace(self.state, search=Search(words, hits)))
            self._set_vectors(finder.first_time(hits.warning) if (finder := self.finder()) else "")

    # changes

    def promote(self, item: TierItem | None) -> None:
        """Move an item one tier towards the persistent one."""
        if item is None:
            self._host.notify("Nothing to move here.")
        elif self._came_back(item):
            self._host.notify("Retrieved for this request only; it is already in the archive.")
        elif item.memory is None:
            self._keep(item)
        elif item.tier == "session":
            self._change(partial(promote_entry, item.memory))
        else:
            self._host.notify(with_keys("Already in the persistent tier. {demote}: demote"))

    def demote(self, item: TierItem | None) -> None:
        """Move an item one tier towards the prompt."""
        bench = self.state.bench
        if item is None:
            self._host.notify("Nothing to move here.")
        elif item.tier == "working":
            self._host.notify(with_keys("Already in the window. {promote}: promote"))
        elif bench is None:
            self._host.notify("Open a session first.")
        elif item.tier == "persistent" and item.memory is not None:
            if bench.store_id:
                self._change(partial(demote_entry, item.memory, bench.store_id))
            else:
                self._host.notify(
                    with_keys("This session is not stored. {insert} in Sessions ({sessions}) imports it.")
                )
        elif item.is_here:
            self._host.notify("Already in the window.")
        else:
            self._put_in(item)

    def _keep(self, item: TierItem) -> None:
        """Keep a message beyond its session."""
        bench, message = self.state.bench, item.message
        if bench is None or message is None or not message.text.strip():
            self._host.notify("This message is empty.")
        else:
            session = bench.store_id or None
            self._change(partial(keep_text, message.text, session, message.id, self.state.agent, item.tokens))

    def _put_in(self, item: TierItem) -> None:
        """Put a memory into the window."""
        bench, state = self.state.bench, self.state
        assert bench is not None, "it is added to a session's window"
        memory = item.memory or Memory(0, "archived", item.text, None, None, item.tokens, item.time)
        self.put(library.draft_memories(bench, [memory], state.turn, state.agent))

    def put(self, draft: InjectionDraft) -> None:
        """Put the results of a query into the window."""
        plan = draft.preview.plan
        if plan is None:
            self._host.notify(draft.why_not)
            return
        self._host.post_message(ChangePlans(self.state.agent, plan))
        ids = [number for number in plan.settings["memories"] if number]
        if ids and self._store() is not None:
            self._change(partial(touch_entries, ids))

    def pin(self, item: TierItem | None) -> None:
        """Pin or unpin an item."""
        bench, tiers = self.state.bench, self.state.tiers
        if item is None:
            self._host.notify("Nothing to pin here.")
        elif item.memory is not None:
            self._change(partial(toggle_pin, item.memory.id))
        elif item.tier != "working" or item.message is None or bench is None or tiers is None or tiers.preview is None:
            self._host.notify(with_keys("Not in the window. {promote}: promote, {demote}: demote into the window"))
        elif self._came_back(item):
            self._host.notify("Retrieved for this request only; removed automatically.")
        else:
            kind = "kept" if item.is_pinned else "pinned"
            try:
                plan = library.draft_manual_plan(tiers.preview.base, (item.message.id,), kind)  # type: ignore[arg-type]
            except RefusedError as problem:
                self._host.notify(str(problem), severity="warning")
            else:
                self._host.post_message(ChangePlans(self.state.agent, plan))

    def _came_back(self, item: TierItem) -> bool:
        """Return True if an item is the message with archived content retrieved for this request."""
        preview = self.state.tiers.preview if self.state.tiers else None
        back = preview.recall.message if preview and preview.recall else None
        return back is not None and item.message is not None and item.message.id == back.id

    def can_forget(self, item: TierItem | None) -> bool:
        """Return True if an item can be forgotten; otherwise show the reason."""
        if item is None:
            self._host.notify("Nothing to forget here.")
        elif item.memory is None:
            self._host.notify(with_keys("The log never changes. {drop} in Inspect ({inspect}) drops a message."))
        else:
            return True
        return False

    def forget(self, item: TierItem) -> None:
        """Delete an entry permanently."""
        if item.memory is not None:
            self._change(partial(forget_entry, item.memory.id))

    def _change(self, change: _Change) -> None:
        """Change the store after all changes requested before."""
        if self._store() is None:
            self._host.notify("Nothing is saved: there is no store.", severity="warning")
            return
        self._changes.append(change)
        if not self._is_changing:
            self._begin_change()

    def _begin_change(self) -> None:
        store = self._store()
        if store is None or not self._changes:
            return
        change = self._changes.popleft()
        self._is_changing = True
        self._jobs.start("memory change", partial(_run, change, store), self._end_change, self._fail_change)

    def _end_change(self, sentence: str) -> None:
        self._is_changing = False
        if sentence:
            self._host.notify(sentence)
        if self._changes:
            self._begin_change()
            return
        self.read()
        if self.state.search is not None:
            self.search(self.state.search.words)

    def _fail_change(self, error: Exception) -> None:
        text = f"{error}." if isinstance(error, StoreError) else error_message(error)
        self._host.notify(text[:1].upper() + text[1:], severity="error")
        self._end_change("")

    # origins

    def open_item(self, item: TierItem | None) -> bool:
        """Go to the origin of an item. Return False if it can only be read here."""
        bench = self.state.bench
        if item is None:
            return True
        if item.message is not None:
            if bench is None or not any(message.id == item.message.id for message in bench.session.messages):
                return False
            self._host.post_message(OpenTarget("", item.message.id))
            return True
        memory = item.memory
        if memory is None or memory.session_id is None or not memory.message_ids:
            return False
        if bench is None or memory.session_id != bench.store_id:
            self._host.post_message(OpenTarget(memory.session_id, memory.message_ids[0]))
        elif bench.place_of(memory.message_ids[0]) is None:
            return False
        else:
            self._host.post_message(OpenTarget("", memory.message_ids[0]))
        return True


def _tiers_of(
    bench: Workbench | None, agent: str, turn: int, store: Store | None, entries: int, old: TierTables | None
) -> TierTables | str:
    """Return the tiers, or the error as a sentence."""
    try:
        return read_tiers(bench, agent, turn, store, entries, old)
    except StoreError as error:
        return f"The memory cannot be read: {error}."


def _hits_of(finder: Finder, words: str) -> tuple[str, MemoryRetrieval | str]:
    """Return the query with its results, or with the error as a sentence."""
    try:
        return words, finder.find(words)
    except StoreError as error:
        return words, f"The memory cannot be searched: {error}."


def _fill(finder: Finder, stop: Event) -> str:
    """Compute missing vectors without delaying keys, and return an error that has not been shown before."""
    try:
        finder.fill(CooperativeStop(stop))
    except (EmbeddingError, StoreError) as error:
        return finder.first_time(f"{error}")
    return ""


def _run(change: _Change, store: Store, report: Callable[[str], object]) -> None:
    report(change(store))
