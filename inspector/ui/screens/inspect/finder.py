"""What is looked for among the messages of the window that is shown, without a screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from inspector.finding import Haystack, HitBatch, MessageHit, MessageQuery, QueryError, parse_query, search_messages
from inspector.text import plural
from inspector.ui.workers.jobs import CancellableJob, CooperativeStop

if TYPE_CHECKING:
    from inspector.ui.workers.jobs import Host, Jobs

_NOTHING = MessageQuery()


@dataclass(frozen=True)
class FinderState:
    """What is looked for, and what is known of it by now."""

    query: MessageQuery = _NOTHING
    """Without any condition where nothing is looked for."""
    problem: str = ""
    """Why what was typed is no query, in a sentence; the query is the one before."""
    hits: Mapping[str, MessageHit] = field(default_factory=dict)
    """By the ids of the messages."""
    count: int = 0
    """Messages that have been looked at so far."""
    total: int = 0
    only: bool = False
    """Whether nothing else is shown."""

    @property
    def is_on(self) -> bool:
        """Whether something is looked for."""
        return bool(self.query.terms)

    @property
    def is_complete(self) -> bool:
        return self.count == self.total

    @property
    def result(self) -> str:
        """How many fit, in a few words."""
        if self.is_complete:
            return f"{len(self.hits):,} of {plural(self.total, 'message')}"
        return f"{len(self.hits):,} so far, {self.count / self.total:.0%} of {plural(self.total, 'message')} looked at"


class MessageFinder(CancellableJob[HitBatch]):
    """Looks for what was typed, anew with every letter; `on_change` hears of every state."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[FinderState], None]) -> None:
        super().__init__(jobs, host, "find", lambda: None)
        self.state = FinderState()
        self._on_change = on_change
        self._haystack = Haystack((), ())
        self._first = 0
        self._hits: dict[str, MessageHit] = {}
        """Those of the search that is going on."""

    def _set(self, state: FinderState) -> None:
        self.state = state
        self._on_change(state)

    def look_in(self, haystack: Haystack) -> None:
        """Look in another window, or among other bookmarks; what was found in the last one is shown until then."""
        self._haystack = haystack
        if self.state.is_on:
            self._search(self.state.query, None)

    def look_for(self, text: str, start: int = 0) -> None:
        """Look for what was typed, from a place on."""
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
        haystack, start, cancel = self._haystack, self._first, Event()
        self._hits = {}
        self._set(replace(self.state, query=query, problem=""))

        def search(report: Callable[[HitBatch], object]) -> None:
            stop = CooperativeStop(cancel)
            for batch in search_messages(query, haystack, start, only, stop.is_set):
                report(batch)

        self._start(cancel, search)

    def _take(self, result: HitBatch) -> None:
        self._hits |= {hit.id: hit for hit in result.hits}
        total = len(self._haystack.messages)
        count = total if result.is_last else result.count
        self._set(replace(self.state, hits=dict(self._hits), count=count, total=total))
        if result.is_last:
            self._end()

    def show_only(self, only: bool) -> None:
        """Show only what fits, or everything with that marked."""
        self._set(replace(self.state, only=only))

    def clear(self) -> bool:
        """Look for nothing any more. False where nothing was looked for."""
        self.stop()
        was_on = self.state.is_on or bool(self.state.problem)
        if was_on:
            self._set(FinderState())
        return was_on
