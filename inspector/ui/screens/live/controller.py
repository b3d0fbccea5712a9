"""The state of the Live screen and its controller, independent of any widget: a followed session, or those on offer.

Each poll is a separate job, so nothing runs between two polls or after the last one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.analysis.context_loss import GivenBack, NextCompaction, given_back, next_compaction
from inspector.core.conversation import Session
from inspector.core.errors import InspectorError
from inspector.engine.work_state import WorkHistory
from inspector.library import (
    Entry,
    OpenError,
    PresetLog,
    PresetResult,
    PresetSwitch,
    Preview,
    age_of,
    save_followed,
)
from inspector.library.diagnosis import Verdict, verdict
from inspector.library.tailing import POLL, Follower, FreshMessage, Moment, RecordedCompaction, source_of
from inspector.ui.screens.live.offers import Offer, recent_offers
from inspector.ui.workers.jobs import Host, Jobs

if TYPE_CHECKING:
    from inspector.store import Store

_MAX_ROWS = 1_000
"""Maximum number of messages and compactions to keep; older ones are dropped."""
_JUDGE_AFTER = 2.0
"""Minimum seconds between two verdicts unless there is a compaction, because a verdict analyses the whole session."""
_PAUSE = 1.5
"""Seconds without news after which the verdict is about the newest message."""
_JUDGE_SHARE, _MAX_UNJUDGED = 200, 30.0
"""While news keeps coming, a verdict waits from the first of it for this many times the processor time of the last
verdict, or so many seconds if that is less."""
_LOOK_SHARE, _MAX_WAIT = 50, 2.0
"""After news, the next poll waits for this many times the processor time of the last, or so many seconds if less."""
_PACE_SHARE = 0.1
"""A glance waits for this share of the time without news."""

LiveEvent = FreshMessage | RecordedCompaction


@dataclass(frozen=True, slots=True)
class _Look:
    """Result of one poll."""

    moment: Moment | None
    preview: Preview | None
    verdict: Verdict | None
    following: NextCompaction | None
    problem: str
    is_busy: bool
    returns: tuple[GivenBack, ...] = ()
    presets: tuple[PresetResult, ...] = ()
    preset_on: bool | None = None


@dataclass(frozen=True, eq=False)
class LiveState:
    """Everything that the screen draws, at one moment."""

    target: str = ""
    """Target that is followed; empty for none."""
    moment: Moment | None = None
    preview: Preview | None = None
    """Window of the moment as a preview for the bars."""
    verdict: Verdict | None = None
    following: NextCompaction | None = None
    """Facts that a compaction by the recorded tool removes now."""
    returns: tuple[GivenBack, ...] = ()
    """Texts that hooks gave back to the agent, oldest first."""
    presets: tuple[PresetResult, ...] = ()
    """Requests that the preset of the recording compressed, or left for a reason, oldest first."""
    preset_on: bool | None = None
    """True or False while the session is recorded with a preset."""
    events: tuple[LiveEvent, ...] = ()
    """Messages and compactions, oldest first."""
    problem: str = ""
    paused: bool = False
    last: float = 0.0
    """Time of the newest message in Unix seconds; 0 if unknown."""
    offers: tuple[Offer, ...] | None = None
    """Sessions that can be followed, most recently changed first; None before they are known."""
    is_looking: bool = False
    """True while nothing has been read yet."""


class LiveController:
    """Polls the followed session whenever `tick` is called. `on_change` is called with each new state."""

    def __init__(self, jobs: Jobs, host: Host, on_change: Callable[[LiveState], None]) -> None:
        """Create a controller that follows no session yet.

        Args:
            jobs: Runs each poll in a thread.
            host: Shows notices.
            on_change: Called with each new state.
        """
        self.state = LiveState()
        self._jobs = jobs
        self._host = host
        self._on_change = on_change
        self._looks = jobs.latest("live", self._on_result)
        self._lists = jobs.latest("live-offers", self._set_offers)
        self._follower: Follower | None = None
        self._preset_log = PresetLog(Path())
        self._came = self._look_from = 0.0
        """Time of the last news, and of the next poll if there is more."""
        self._judged = 0.0
        self._judge_wait = self._judge_from = 0.0
        """Seconds that a verdict waits while news keeps coming, and the time of the next one."""
        self._unjudged: Moment | None = None
        """Newest moment while the verdict is about an earlier one; otherwise None."""
        self._history: WorkHistory | None = None
        """States of the work at the last verdict, from which the next one goes on."""
        self._entries: Sequence[Entry] | None = None
        """Entries of the library; None before they are known."""
        self._looks_around = False
        self._store: Store | None = None
        self._limit = 0
        self._known: set[str] | None = None
        """Targets that have been offered; None before the first list."""
        self._totals_store: Store | None = None
        """Store for the totals of the followed session."""
        self._follows_new = True
        """True until the user leaves a session: one that begins while none is followed is followed."""

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self._on_change(self.state)

    # sessions to follow

    def offer(self, entries: Sequence[Entry], look_around: bool, store: Store | None = None, limit: int = 0) -> None:
        """Offer sessions to follow. One that begins later is followed at once, unless the user has left one before.

        Args:
            entries: Sessions of the library.
            look_around: True to include sessions that agents have saved on this machine.
            store: Store whose sessions are included, also those that begin later.
            limit: As for `follow`.
        """
        self._entries, self._looks_around = entries, look_around
        self._store, self._limit = store, limit
        self.renew_offers()

    def renew_offers(self) -> None:
        """Update the list of recently changed sessions."""
        entries, store, look_around = self._entries, self._store, self._looks_around
        if entries is None:
            return
        self._lists.ask(lambda: recent_offers(entries, store, look_around))

    def _set_offers(self, offers: tuple[Offer, ...]) -> None:
        known, targets = self._known, {offer.target for offer in offers}
        self._known = targets | (known or set())
        self._set(offers=offers)
        new = [one.target for one in offers if known is not None and one.is_recent and one.target not in known]
        if new and self._follows_new and not self.state.target:
            self.follow(new[0], self._store, self._limit)

    # following

    def follow(self, target: str, store: Store | None = None, limit: int = 0) -> None:
        """Follow a session from now on. Shows a notice if it cannot be opened.

        Args:
            target: A file, a folder or the ID of a stored session.
            store: Store with the session; None to follow files only.
            limit: Context window in tokens that overrides the model's own; 0 keeps it.
        """
        try:
            source = source_of(target, store)
        except OpenError as problem:
            self._host.notify(str(problem), severity="error")
            return
        self._save_totals()
        self._follower, self._judged, self._unjudged = Follower(source, limit, store), 0.0, None
        self._look_from = self._judge_wait = 0.0
        self._totals_store = store
        self._preset_log = PresetLog(Path())
        self._set(**_NOTHING | {"target": target, "is_looking": True})
        self.tick()

    def leave(self) -> None:
        """Stop following and return to the list of sessions."""
        self._follows_new = False
        self._save_totals()
        self._follower = None
        self._set(**_NOTHING)

    def close(self) -> None:
        """Stop following because the screen has closed, without a state change. Saves the totals of the session."""
        self._follower = None
        if (moment := self.state.moment) is not None:
            save_followed(self._totals_store, moment.session, moment.sizes)

    def _save_totals(self) -> None:
        """Save the totals of the followed session in the background, for `inspector stats` and Overview."""
        if (moment := self.state.moment) is not None:
            save = partial(save_followed, self._totals_store, moment.session, moment.sizes)
            self._jobs.start("live-totals", lambda _: save(), lambda _: None, lambda _: None)

    def pause(self) -> None:
        """Pause or resume polling. Content that arrives during a pause is shown afterwards."""
        if self._follower is not None:
            self._set(paused=not self.state.paused)
            self.tick()

    @property
    def pace(self) -> float:
        """Seconds until the next glance."""
        return max(POLL, _PACE_SHARE * (time.monotonic() - self._came)) if self._follower else math.inf

    def glance(self) -> None:
        """Poll the followed session if it may have changed, not too often for a session that changes all the time."""
        now = time.monotonic()
        if (follower := self._follower) is None or self._looks.is_running or now < self._look_from:
            return
        is_recorded = self.state.moment is not None and _recording_of(self.state.moment.session) is not None
        if is_recorded or self._may_judge(self._unjudged, now) or follower.may_have_news():
            self.tick()

    def tick(self) -> None:
        """Poll the followed session, unless a poll is running."""
        follower = self._follower
        if follower is None or self.state.paused or self._looks.is_running:
            return

        def look() -> tuple[Follower, _Look]:
            one = self._look(follower)
            moment = one.moment or self.state.moment
            if moment is None or not (path := _recording_of(moment.session)):
                return follower, one
            if self._preset_log.path != path:
                self._preset_log = PresetLog(path)
            return follower, replace(one, presets=self._preset_log.poll(), preset_on=PresetSwitch(path).is_on)

        self._looks.ask(look)

    def turn_preset(self, is_on: bool) -> None:
        """Turn the preset of the recording on or off. Does nothing if the session is not recorded with one."""
        if self.state.preset_on is None:
            return
        try:
            PresetSwitch(self._preset_log.path).turn(is_on)
        except OSError as problem:
            self._host.notify(f"The switch of the preset cannot be written: {problem}", severity="error")
            return
        self._set(preset_on=is_on)

    def _look(self, follower: Follower) -> _Look:
        """Return the new content and the data to draw it. Runs in a thread."""
        start = time.thread_time()
        try:
            moment = follower.poll()
        except (OSError, InspectorError) as error:
            return _Look(None, None, None, None, str(error), is_busy=False)
        busy, problem = follower.is_busy, follower.source.problem
        if moment is None:
            return _Look(None, None, *self._judge(self._unjudged), problem, busy)
        window = moment.window
        _ = window.breakdown, window.budget
        self._came = time.monotonic()
        preview = Preview(moment.session, window, window, window, None, (), ())
        if moment.begins or moment.compactions:
            self._judged = 0.0
        returns = given_back(moment.session, moment.agent)
        self._look_from = self._came + min(_MAX_WAIT, _LOOK_SHARE * (time.thread_time() - start))
        return _Look(moment, preview, *self._judge(moment), problem, busy, returns)

    def _judge(self, moment: Moment | None) -> tuple[Verdict | None, NextCompaction | None]:
        """Return the verdict on a moment, and the facts that a compaction removes. Runs in a thread.

        Both are None if it is too early and they must be requested again.
        """
        if self._unjudged is None:
            self._judge_from = time.monotonic() + self._judge_wait
        self._unjudged = moment
        if moment is None or not self._may_judge(moment, time.monotonic()):
            return None, None
        start, self._judged, self._unjudged = time.thread_time(), time.monotonic(), None
        session, agent = moment.session, moment.agent
        self._history = self._history.continued(session, agent) if self._history else WorkHistory(session, agent)
        following = next_compaction(session, moment.sizes, agent, history=self._history)
        statement = verdict(moment.bench, moment.agent).statement
        self._judge_wait = min(_MAX_UNJUDGED, _JUDGE_SHARE * (time.thread_time() - start))
        return statement, following

    def _may_judge(self, moment: Moment | None, now: float) -> bool:
        """Return True if there is a moment without a verdict, and it is not too early for one."""
        if moment is None or not self._judged:
            return moment is not None
        return now >= self._judged + _JUDGE_AFTER and (now > self._came + _PAUSE or now >= self._judge_from)

    def _on_result(self, result: tuple[Follower, _Look]) -> None:
        follower, look = result
        if follower is not self._follower:
            return
        changes: dict[str, Any] = {}
        if look.problem != self.state.problem:
            changes["problem"] = look.problem
        if look.moment is not None:
            changes |= self._news(look.moment)
            changes |= {"moment": look.moment, "preview": look.preview, "returns": look.returns, "is_looking": False}
        if look.verdict is not None:
            changes |= {"verdict": look.verdict, "following": look.following}
        if (look.presets, look.preset_on) != (self.state.presets, self.state.preset_on):
            changes |= {"presets": look.presets, "preset_on": look.preset_on}
        if changes:
            self._set(**changes)
        if look.is_busy:
            self.tick()

    def _news(self, moment: Moment) -> dict[str, Any]:
        """Return the state changes that the newest moment causes."""
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
    "following": None,
    "returns": (),
    "presets": (),
    "preset_on": None,
    "events": (),
    "problem": "",
    "paused": False,
    "last": 0.0,
    "is_looking": False,
}
"""State while no session is followed."""


def _events_with(before: tuple[LiveEvent, ...], moment: Moment) -> tuple[LiveEvent, ...]:
    """Return the earlier events that are still in the log, followed by those of a moment; only the newest are kept."""
    same, others = before, [one for one in before if one.number > moment.same]
    if others:
        same = tuple(one for one in before if one.number <= moment.same)
    stay = [one for one in others if isinstance(one, RecordedCompaction) and _is_in_log(moment, one)]
    compactions = {one.message: one for one in (*stay, *(_first_compactions(moment) or moment.compactions))}
    events: list[LiveEvent] = []
    for one in moment.fresh:
        if compaction := compactions.pop(one.message.id, None):
            events.append(compaction)
        events.append(one)
    return (*same, *events, *compactions.values())[-_MAX_ROWS:]


def _first_compactions(moment: Moment) -> list[RecordedCompaction]:
    """Return the compactions among the messages of the first moment; [] at later ones."""
    summaries = {one.message.id for one in moment.fresh if moment.begins and one.message.kind == "summary"}
    return [one for one in moment.recorded_compactions() if one.message in summaries] if summaries else []


def _recording_of(session: Session) -> Path | None:
    """Return the log of `inspector record` with the requests of a session; None if it is not recorded."""
    path = session.capture or (session.path if session.format == "capture" else "")
    return Path(path) if path else None


def _is_in_log(moment: Moment, compaction: RecordedCompaction) -> bool:
    """Return True if an earlier compaction is still in the log."""
    return compaction.turn in moment.timeline.compactions and compaction.message in moment.session.by_id


def _time_of_last(moment: Moment) -> float:
    """Return when the newest message was recorded or its file changed, in Unix seconds; 0 if unknown."""
    written = next((message.time for message in reversed(moment.session.messages) if message.time), "")
    age = age_of(written, datetime.now(UTC))
    if age is not None:
        return time.time() - age
    with suppress(OSError, ValueError):
        return Path(moment.session.path).stat().st_mtime if moment.session.path else 0.0
    return 0.0
