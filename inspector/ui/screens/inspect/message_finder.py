"""Search among the messages of the current window, independent of any widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from inspector.analysis.message_search import (
    Haystack,
    HitBatch,
    MessageHit,
    MessageQuery,
    QueryError,
    parse_query,
    search_messages,
)
from inspector.core.text import plural
from inspector.ui.workers.jobs import CancellableJob, CooperativeStop

if TYPE_CHECKING:
    from inspector.ui.workers.jobs import Host, Jobs

_NOTHING = MessageQuery()


@dataclass(frozen=True)
class FinderState:
    """A query and its results so far."""

    query: MessageQuery = _NOTHING
    """Query with no terms if there is no search."""
    problem: str = ""
    """Reason why the typed text is not a valid query, as a sentence; `query` is then the previous one."""
    hits: Mapping[str, MessageHit] = field(default_factory=dict)
    """Hits by the IDs of their messages."""
    count: int = 0
    """Number of messages searched so far."""
    total: int = 0
    only: bool = False
    """True if only matching messages are shown."""
    elsewhere: tuple[str, ...] = ()
    """IDs of matching messages in the rest of the session, in order, if the window has no matches."""

    @property
    def is_on(self) -> bool:
        """True if there is a search."""
        return bool(self.query.terms)

    @property
    def is_complete(self) -> bool:
        return self.count == self.total

    @property
    def result(self) -> str:
        """Number of matches, in a few words."""
        if self.is_complete:
            others = f", {len(self.elsewhere):,} elsewhere in the session" if self.elsewhere else ""
            return f"{len(self.hits):,} of {plural(self.total, 'message')}{others}"
        return f"{len(self.hits):,} so far, {self.count / self.total:.0%} of {plural(self.total, 'message')} searched"


@dataclass(frozen=True, slots=True)
class _HitsElsewhere:
    """Matches in the rest of the session, for a window without matches."""

    ids: tuple[str, ...]


class MessageFinder(CancellableJob[HitBatch | _HitsElsewhere]):
    """Searches again with every letter typed. `on_change` is called with each new state."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[FinderState], None]) -> None:
        """Create a finder without a query.

        Args:
            jobs: Runs searches in a thread.
            host: Shows failures.
            on_change: Called with each new state.
        """
        super().__init__(jobs, host, "find", lambda: None)
        self.state = FinderState()
        self._on_change = on_change
        self._haystack = Haystack((), ())
        self._rest: Callable[[], Haystack] = partial(Haystack, (), ())
        self._first = 0
        self._hits: dict[str, MessageHit] = {}
        """Hits of the current search."""

    def _set(self, state: FinderState) -> None:
        self.state = state
        self._on_change(state)

    def look_in(self, haystack: Haystack, rest: Callable[[], Haystack]) -> None:
        """Search another window, or other bookmarks. The previous hits are shown until there are new ones.

        Args:
            haystack: Messages to search.
            rest: Returns the other messages of the session. Called in a thread if the window has no matches.
        """
        self._haystack, self._rest = haystack, rest
        if self.state.is_on:
            self._search(self.state.query, None)

    def look_for(self, text: str, start: int = 0) -> None:
        """Search for a query as typed, starting at the message with index `start`."""
        self._first = start
        try:
            query = parse_query(text)
        except QueryError as problem:
            self._set(replace(self.state, problem=str(problem)))
            return
        before = self.state
        if not query.terms:
            self.stop()
            self._set(FinderState(only=before.only))
        elif query.terms == before.query.terms:
            self._set(replace(before, query=query, problem=""))
        else:
            narrows = before.is_on and before.is_complete and not self.busy and query.narrows(before.query)
            self._search(query, sorted(hit.place for hit in before.hits.values()) if narrows else None)

    def _search(self, query: MessageQuery, only: Sequence[int] | None) -> None:
        self.close()
        haystack, rest, start, cancel = self._haystack, self._rest, self._first, Event()
        self._hits = {}
        self._set(replace(self.state, query=query, problem="", elsewhere=()))

        def search(report: Callable[[HitBatch | _HitsElsewhere], object]) -> None:
            stop, count = CooperativeStop(cancel).is_set, 0
            for batch in search_messages(query, haystack, start, only, stop):
                count += len(batch.hits)
                report(batch)
            if not count:
                batches = search_messages(query, rest(), stop=stop)
                report(_HitsElsewhere(tuple(hit.id for batch in batches for hit in batch.hits)))

        self._start(cancel, search)

    def _on_result(self, result: HitBatch | _HitsElsewhere) -> None:
        if isinstance(result, _HitsElsewhere):
            self._set(replace(self.state, elsewhere=result.ids))
            self._end()
            return
        self._hits |= {hit.id: hit for hit in result.hits}
        total = len(self._haystack.messages)
        count = total if result.is_last else result.count
        self._set(replace(self.state, hits=dict(self._hits), count=count, total=total))
        if result.is_last and self._hits:
            self._end()

    def show_only(self, only: bool) -> None:
        """Show only matching messages, or all messages with the matches marked."""
        self._set(replace(self.state, only=only))

    def clear(self) -> bool:
        """End the search. Return False if there was none."""
        self.stop()
        was_on = self.state.is_on or bool(self.state.problem)
        if was_on:
            self._set(FinderState())
        return was_on
