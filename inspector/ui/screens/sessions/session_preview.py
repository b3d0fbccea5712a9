"""The preview of the session under the cursor before it is opened, computed without delaying keys."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from inspector import formats, library
from inspector.analysis import tool_activity
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.errors import InspectorError
from inspector.core.text import dollars, plural
from inspector.library import diagnosis
from inspector.llm import models
from inspector.llm.tokens import mark
from inspector.ui.key_remaps import with_keys
from inspector.ui.widgets.scrubber import TurnStrip
from inspector.ui.workers.jobs import CooperativeStop, Jobs

if TYPE_CHECKING:
    from inspector.library import Entry, Opener, Preview, SessionDetails, Workbench
    from inspector.library.diagnosis import Findings, Overview, Verdict

_PAUSE = 0.15
"""Seconds that the cursor must rest before a session is read."""
_MAX_MESSAGES = 5_000
"""Maximum messages of a stored session that is read in full."""
_KEPT = 12
"""Number of previews to keep in memory."""
_EATERS = 3


@dataclass(frozen=True)
class SessionPreview:
    """Details of a session so far. None or empty fields are unknown or absent."""

    entry: Entry
    stamp: tuple[int, int] = (0, 0)
    """Modification time in nanoseconds and bytes of its file when it was read; zeros without a file."""
    preview: Preview | None = None
    """Preview with the recorded window after the last turn."""
    overview: Overview | None = None
    findings: Findings | None = None
    cost: str = ""
    details: SessionDetails | None = None
    """Cost and repeated reads for the row in the list, if a column shows them."""
    first_words: str = ""
    """First words of the user, unless they are the title."""
    last_words: str = ""
    eaters: tuple[str, ...] = ()
    """Largest messages of the window, in words, largest first."""
    problem: str = ""
    """Reason why no more is known, as a sentence."""

    @property
    def verdict(self) -> Verdict | None:
        """Verdict on the session, without the clauses about keys of other screens."""
        if self.overview is None:
            return None
        sentence = diagnosis.judge(self.overview, self.findings)
        clauses = tuple(clause for clause in sentence.clauses if all(role != "key" for _, role in clause.spans))
        return replace(sentence, clauses=clauses, key="")

    @property
    def strip(self) -> TurnStrip | None:
        """Strip of turns; None if there are no turns."""
        if self.overview is None or not self.overview.timeline.totals:
            return None
        needs = self.findings.turns if self.findings else ()
        return TurnStrip(self.overview.timeline, len(self.overview.timeline.totals), needs=needs)

    @property
    def facts(self) -> str:
        """Format and numbers of the session, in one line."""
        entry = self.entry
        numbers = ((entry.messages, "message"), (entry.turns, "turn"))
        counts = [plural(count, noun) for count, noun in numbers if count is not None]
        agents = [plural(entry.agents, "agent")] if entry.agents and entry.agents > 1 else []
        shared = library.shared_text(entry) if entry.shared else ""
        return " · ".join(filter(None, [entry.format, entry.model, *counts, *agents, self.cost, shared]))

    def is_current(self, stamp: tuple[int, int], is_detailed: bool) -> bool:
        """Return True if the preview shows the file with this stamp, with details if they are needed."""
        return self.stamp == stamp and not self.problem and (self.details is not None or not is_detailed)

    def refined_entry(self) -> Entry | None:
        """Return the entry with better numbers, or None if there are no better ones yet."""
        if self.overview is None or not self.overview.is_counted:
            return None
        bench, limit = self.overview.bench, self.overview.limit
        return replace(
            self.entry,
            model=bench.session.model,
            agents=len(bench.session.agents),
            messages=len(bench.session.messages),
            turns=bench.turns(self.overview.agent),
            tokens=sum(bench.sizes.tokens),
            estimated=bool(mark(bench.sizes.certainty)),
            peak_estimated=bool(mark(bench.sizes.certainty) or mark(bench.sizes.tools_certainty)),
            peak_share=self.overview.timeline.peak / limit if limit else None,
            compactions=len(bench.session.compactions),
            damage=len(bench.session.problems),
            cost=self.details.cost if self.details else self.entry.cost,
            rereads=self.details.rereads if self.details else self.entry.rereads,
            is_detailed=self.details is not None or self.entry.is_detailed,
        )


class PreviewWatch:
    """Analyses one session at a time: the one under the cursor, after a pause.

    `on_change` is called with the preview at once and whenever more is known. `opener` is called in a thread.
    """

    def __init__(self, jobs: Jobs, opener: Callable[[], Opener], on_change: Callable[[SessionPreview], None]) -> None:
        """Create a watch without a session.

        Args:
            jobs: Runs the analysis in threads.
            opener: Returns an opener for sessions. Called in a thread.
            on_change: Called with each new preview.
        """
        self.latest: SessionPreview | None = None
        self.is_detailed = False
        """True if the list shows details of the sessions."""
        self._opener = opener
        self._on_change = on_change
        self._cancel = Event()
        self._cache: OrderedDict[str, SessionPreview] = OrderedDict()
        self._looks = jobs.latest("preview", self._on_result)

    def look_at(self, entry: Entry | None) -> None:
        """Show the preview of another session, or of none."""
        if entry is not None and self.latest is not None and self.latest.entry.target == entry.target:
            self.latest = replace(self.latest, entry=entry)
            return
        self.close()
        self._cancel = Event()
        if entry is None:
            self.latest = None
            return
        known = self._cache.get(entry.target)
        self.latest = replace(known, entry=entry) if known else SessionPreview(entry, problem=entry.problem)
        self._on_change(self.latest)
        if not entry.problem:
            self._looks.ask(partial(self._look, self._cancel, entry, known))

    def close(self) -> None:
        """Cancel the analysis."""
        self._cancel.set()

    def _on_result(self, result: SessionPreview | None) -> None:
        if result is None:
            return
        target = result.entry.target
        self._cache[target] = result
        self._cache.move_to_end(target)
        while len(self._cache) > _KEPT:
            self._cache.popitem(last=False)
        if self.latest is None or self.latest.entry.target != target or self._cancel.is_set():
            return
        self.latest = result
        self._on_change(result)
        overview = result.overview
        if overview is not None and result.findings is None and overview.timeline.compactions:
            self._looks.ask(partial(_with_findings, result, overview, self._cancel))

    def _look(self, cancel: Event, entry: Entry, known: SessionPreview | None) -> SessionPreview | None:
        """Return the preview of a session, or None if cancelled. Runs in a thread."""
        if cancel.wait(_PAUSE):
            return None
        stamp = _stamp_of(entry)
        if known is not None and known.is_current(stamp, self.is_detailed):
            return replace(known, entry=entry)
        seen = SessionPreview(entry, stamp)
        if _is_long(entry, stamp):
            return _with_ends(seen)
        try:
            bench = None
            for step in self._opener().steps(entry.target, is_cancelled=CooperativeStop(cancel).is_set):
                bench = step.bench or bench
            if bench is None or cancel.is_set():
                return None
            details = library.session_details(bench.session) if self.is_detailed else None
            return replace(_with_bench(seen, replace(bench, plans={})), details=details)
        except (InspectorError, OSError) as error:
            return replace(seen, problem=str(error))


def _with_bench(seen: SessionPreview, bench: Workbench) -> SessionPreview:
    """Return a preview with all details that do not require a search for facts."""
    session = bench.session
    overview = diagnosis.survey(bench, MAIN if MAIN in session.agents else session.agents[0])
    first = formats.first_words(session)
    return replace(
        seen,
        preview=bench.preview(agent=overview.agent),
        overview=overview,
        cost=_cost_of(session),
        first_words="" if first == session.title else first,
        last_words=_last_words(session.messages),
        eaters=_eaters(overview),
    )


def _with_findings(seen: SessionPreview, overview: Overview, cancel: Event) -> SessionPreview | None:
    """Return a preview with the facts that were needed again after a compaction. Runs in a thread."""
    try:
        findings = diagnosis.look_back(overview.bench, overview.agent, CooperativeStop(cancel).is_set)
    except (InspectorError, OSError) as error:
        return replace(seen, problem=str(error), findings=diagnosis.Findings())
    return None if findings is None else replace(seen, findings=findings)


def _with_ends(seen: SessionPreview) -> SessionPreview:
    """Return the preview of a long session from its list entry and the end of its file."""
    tail = formats.tail(seen.entry.path) if seen.stamp[1] else None
    says = with_keys("Too long to preview. {open}: open it.")
    return replace(
        seen,
        last_words=_last_words(tail.messages if tail else ()),
        problem=says,
    )


def _is_long(entry: Entry, stamp: tuple[int, int]) -> bool:
    if entry.origin == "stored":
        return (entry.messages or 0) > _MAX_MESSAGES
    return stamp[1] > library.LARGE_SESSION_BYTES


def _stamp_of(entry: Entry) -> tuple[int, int]:
    if entry.origin == "stored" or not entry.path:
        return 0, 0
    try:
        status = Path(entry.path).stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _cost_of(session: Session) -> str:
    """Return the recorded cost of all calls, as in the list; empty if the usage of calls is missing."""
    try:
        bill = models.session_cost(session)
    except ValueError:  # an invalid price set by the user
        return ""
    if not bill.calls or bill.gap:
        return ""
    by_default = any(line.price.source == "default" for line in bill.lines)
    return "price unknown" if by_default else dollars(bill.cost.total)


def _last_words(messages: Sequence[Message]) -> str:
    """Return the text of the last message with text, or the action of a reply that only calls tools."""
    last = next((message for message in reversed(messages) if message.speaks and message.preview), None)
    return tool_activity.row_words(last, tool_activity.Actions(())) if last is not None else ""


def _eaters(overview: Overview) -> tuple[str, ...]:
    """Return the largest messages of a window in words, with their tokens."""
    shares = diagnosis.largest_messages(overview.window, _EATERS, {})
    return tuple(f"{share.name} {overview.tokens(share.tokens)}" for share in shares if share.tokens)
