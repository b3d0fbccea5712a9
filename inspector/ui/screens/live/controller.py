"""The state of the Live screen and what changes it, without a widget: a session that is followed, or those that may be.

Each look at what is followed is a job of its own, so nothing runs between two looks, and nothing after the last.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.core.errors import InspectorError
from inspector.library import Entry, OpenError, Preview, age_of, list_entries
from inspector.library.diagnosis import Verdict, verdict
from inspector.library.tailing import Follower, FreshMessage, Moment, RecordedCompaction, source_of
from inspector.ui.workers.jobs import Host, Jobs

if TYPE_CHECKING:
    from inspector.store import Store

_MAX_ROWS = 1_000
"""Messages and compactions that are kept to be looked at, the newest."""
_MAX_OFFERS = 50
"""Sessions that are offered, those that changed last."""
_JUDGE_AFTER = 2.0
"""Seconds between two verdicts, at least, while no compaction comes: each costs the session."""

LiveEvent = FreshMessage | RecordedCompaction


@dataclass(frozen=True, slots=True)
class Offer:
    """A session that may be followed, and when it last changed, in Unix seconds."""

    entry: Entry
    changed: float


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at what is followed has brought."""

    moment: Moment | None
    preview: Preview | None
    verdict: Verdict | None
    problem: str
    is_busy: bool


@dataclass(frozen=True, eq=False)
class LiveState:
    """Everything that the screen draws, at one moment."""

    target: str = ""
    """What is followed; empty where nothing is."""
    moment: Moment | None = None
    preview: Preview | None = None
    """The window of the moment, as the bars draw it."""
    verdict: Verdict | None = None
    events: tuple[LiveEvent, ...] = ()
    """Messages and compactions, the newest last."""
    problem: str = ""
    paused: bool = False
    last: float = 0.0
    """When the newest message came, in Unix seconds; 0 where that is not known."""
    offers: tuple[Offer, ...] | None = None
    """What may be followed, what changed last first."""
    is_looking: bool = False
    """Whether nothing has been read yet."""


class LiveController:
    """Looks at what is followed whenever `tick` is called. `on_change` gets each new state."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[LiveState], None]) -> None:
        self.state = LiveState()
        self._host = host
        self._on_change = on_change
        self._looks = jobs.latest("live", self._on_result)
        self._lists = jobs.latest("live-offers", self._set_offers)
        self._follower: Follower | None = None
        self._judged = 0.0
        self._unjudged: Moment | None = None
        """The newest moment, where the verdict is on one before it."""
        self._entries: Sequence[Entry] | None = None
        """What the library lists; None before that is known."""
        self._looks_around = False

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # what may be followed

    def offer(self, entries: Sequence[Entry], look_around: bool) -> None:
        """Offer sessions of the library; with `look_around`, those that agents left on this machine too."""
        self._entries, self._looks_around = entries, look_around
        self.renew_offers()

    def renew_offers(self) -> None:
        """See again which sessions have changed."""
        entries, look_around = self._entries, self._looks_around
        if entries is None:
            return
        self._lists.ask(lambda: _offers_of(entries, look_around))

    def _set_offers(self, offers: tuple[Offer, ...]) -> None:
        self._set(offers=offers)

    # following

    def follow(self, target: str, store: Store | None = None, limit: int = 0) -> None:
        """Follow a file, a folder or a session of the store from now on."""
        try:
            source = source_of(target, store)
        except OpenError as problem:
            self._host.notify(str(problem), severity="error")
            return
        self._follower, self._judged, self._unjudged = Follower(source, limit), 0.0, None
        self._set(**_NOTHING | {"target": target, "is_looking": True})
        self.tick()

    def leave(self) -> None:
        """Follow nothing any more."""
        self.close()
        self._set(**_NOTHING)

    def close(self) -> None:
        """Follow nothing any more and say nothing: the screen is gone."""
        self._follower = None

    def pause(self) -> None:
        """Look no further, or go on: what has come meanwhile comes then."""
        if self._follower is not None:
            self._set(paused=not self.state.paused)
            self.tick()

    def tick(self) -> None:
        """Look at what is followed, unless a look is going on."""
        follower = self._follower
        if follower is None or self.state.paused or self._looks.is_running:
            return
        self._looks.ask(lambda: (follower, self._look(follower)))

    def _look(self, follower: Follower) -> _Look:
        """In a thread: what has come, with what the screen wants to know of it."""
        try:
            moment = follower.poll()
        except (OSError, InspectorError) as error:
            return _Look(None, None, None, str(error), is_busy=False)
        busy, problem = follower.is_busy, follower.source.problem
        if moment is None:
            return _Look(None, None, self._judge(self._unjudged), problem, busy)
        window = moment.window
        _ = window.breakdown, window.budget
        preview = Preview(moment.session, window, window, window, None, (), ())
        if moment.begins or moment.compactions:
            self._judged = 0.0
        return _Look(moment, preview, self._judge(moment), problem, busy)

    def _judge(self, moment: Moment | None) -> Verdict | None:
        """In a thread: the verdict on a moment; None where it is not time yet, and it is to be asked for again."""
        self._unjudged = moment
        if moment is None or time.monotonic() - self._judged < _JUDGE_AFTER:
            return None
        self._unjudged, self._judged = None, time.monotonic()
        return verdict(moment.bench, moment.agent).statement

    def _on_result(self, result: tuple[Follower, _Look]) -> None:
        follower, look = result
        if follower is not self._follower:
            return
        changes: dict[str, Any] = {}
        if look.problem != self.state.problem:
            changes["problem"] = look.problem
        if look.moment is not None:
            changes |= self._news(look.moment)
            changes |= {"moment": look.moment, "preview": look.preview, "is_looking": False}
        if look.verdict is not None:
            changes["verdict"] = look.verdict
        if changes:
            self._set(**changes)
        if look.is_busy:
            self.tick()

    def _news(self, moment: Moment) -> dict[str, Any]:
        """What the newest moment changes of what has come so far."""
        changes: dict[str, Any] = {"events": _events_with(() if moment.begins else self.state.events, moment)}
        if moment.begins:
            changes["last"] = _time_of_last(moment)
        elif moment.fresh or moment.is_cut:
            changes["last"] = time.time()
        if moment.is_cut:
            self._host.notify(moment.cut_words, severity="warning")
        return changes


_NOTHING: dict[str, Any] = {
    "target": "",
    "moment": None,
    "preview": None,
    "verdict": None,
    "events": (),
    "problem": "",
    "paused": False,
    "last": 0.0,
    "is_looking": False,
}
"""The state without anything that is followed."""


def _events_with(before: tuple[LiveEvent, ...], moment: Moment) -> tuple[LiveEvent, ...]:
    """What had come before a moment and still stands in the log, and behind it what came then, the newest of it."""
    same, others = before, [one for one in before if one.number > moment.same]
    if others:
        same = tuple(one for one in before if one.number <= moment.same)
    stay = [one for one in others if isinstance(one, RecordedCompaction) and _stands_in(moment, one)]
    compactions = {one.message: one for one in (*stay, *moment.compactions)}
    events: list[LiveEvent] = []
    for one in moment.fresh:
        if compaction := compactions.pop(one.message.id, None):
            events.append(compaction)
        events.append(one)
    return (*same, *events, *compactions.values())[-_MAX_ROWS:]


def _stands_in(moment: Moment, compaction: RecordedCompaction) -> bool:
    """Whether a compaction that came before is still one of those of the log."""
    return compaction.turn in moment.timeline.compactions and compaction.message in moment.session.by_id


def _time_of_last(moment: Moment) -> float:
    """When the newest message was recorded, or else when its file changed, in Unix seconds; 0 where nothing tells."""
    written = next((message.time for message in reversed(moment.session.messages) if message.time), "")
    age = age_of(written, datetime.now(UTC))
    if age is not None:
        return time.time() - age
    with suppress(OSError, ValueError):
        return Path(moment.session.path).stat().st_mtime if moment.session.path else 0.0
    return 0.0


def _offers_of(entries: Sequence[Entry], look_around: bool) -> tuple[Offer, ...]:
    """In a thread: the sessions that changed last, each file once, by the times of the files."""
    others = [entry for entry, _ in list_entries((), None, look_around)] if look_around else []
    offers: dict[str, Offer] = {}
    for entry in (*entries, *others):
        changed = 0.0 if entry.problem else _time_of_change(entry)
        if changed:
            offers.setdefault(entry.path or entry.target, Offer(entry, changed))
    return tuple(sorted(offers.values(), key=lambda offer: offer.changed, reverse=True)[:_MAX_OFFERS])


def _time_of_change(entry: Entry) -> float:
    """When the file of a session changed, in Unix seconds, or else the session in the store; 0 for none to follow."""
    if entry.path:
        with suppress(OSError, ValueError):
            return Path(entry.path).stat().st_mtime
        return 0.0
    age = age_of(entry.changed, datetime.now(UTC))
    return 0.0 if age is None else time.time() - age
