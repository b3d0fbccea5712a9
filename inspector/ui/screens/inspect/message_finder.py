"""What is looked for among the messages of the window that is shown, without a screen."""

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
    elsewhere: tuple[str, ...] = ()
    """Where nothing in the window fits, the ids of the messages of the session that do, in its order."""

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
            others = f", {len(self.elsewhere):,} elsewhere in the session" if self.elsewhere else ""
            return f"{len(self.hits):,} of {plural(self.total, 'message')}{others}"
        return f"{len(self.hits):,} so far, {self.count / self.total:.0%} of {plural(self.total, 'message')} looked at"


@dataclass(frozen=True, slots=True)
class _HitsElsewhere:
    """What fits in the rest of the session, where nothing in the window does."""

    ids: tuple[str, ...]


class MessageFinder(CancellableJob[HitBatch | _HitsElsewhere]):
    """Looks for what was typed, anew with every letter; `on_change` hears of every state."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[FinderState], None]) -> None:
        super().__init__(jobs, host, "find", lambda: None)
        self.state = FinderState()
        self._on_change = on_change
        self._haystack = Haystack((), ())
        self._rest: Callable[[], Haystack] = partial(Haystack, (), ())
        self._first = 0
        self._hits: dict[str, MessageHit] = {}
        """Those of the search that is going on."""

    def _set(self, state: FinderState) -> None:
        self.state = state
        self._on_change(state)

    def look_in(self, haystack: Haystack, rest: Callable[[], Haystack]) -> None:
        """Look in another window, or among other bookmarks; what was found in the last one is shown until then.

        `rest` gives the other messages of the session, for where nothing in the window fits; a thread calls it.
        """
        self._haystack, self._rest = haystack, rest
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
        """Show only what fits, or everything with that marked."""
        self._set(replace(self.state, only=only))

    def clear(self) -> bool:
        """Look for nothing any more. False where nothing was looked for."""
        self.stop()
        was_on = self.state.is_on or bool(self.state.problem)
        if was_on:
            self._set(FinderState())
        return was_on
