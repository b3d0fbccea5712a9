"""The panels of the Live screen: the sessions to follow, the events of a followed session, and its pulse."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.geometry import Region

from inspector.analysis.context_loss import GivenBack, NextCompaction, next_words
from inspector.core.text import GLYPHS, clipped, one_line, plural
from inspector.library import PresetResult, speaker
from inspector.library.tailing import FreshMessage, Moment, RecordedCompaction, ago, clock
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import key_of, with_keys
from inspector.ui.palette import Palette
from inspector.ui.screens.live.controller import LiveEvent, LiveState
from inspector.ui.screens.live.offers import RECENT, Offer
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.verdict_line import accented

_WHO = 12
_SWITCHED = {True: "on", False: "off"}


class OfferList(LineList):
    """The most recently changed sessions."""

    BINDINGS = bindings("list_ends")
    empty = "  searching for changed sessions …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.offers: Sequence[Offer] = ()
        self._ages: Sequence[tuple[str, bool]] = ()
        """Age of each session as it was last shown."""

    @property
    def count(self) -> int:
        return len(self.offers)

    @property
    def current(self) -> Offer | None:
        return self.offers[self.cursor] if self.cursor < len(self.offers) else None

    def show(self, offers: Sequence[Offer]) -> None:
        """Show other sessions, keeping the cursor on the current one."""
        current = self.current
        self.offers, self.empty = offers, ""
        self.renew()
        places = [place for place, offer in enumerate(offers) if current and offer.entry.target == current.entry.target]
        if places:
            self.cursor = places[0]

    def refresh_ages(self) -> None:
        """Redraw the sessions whose ages are shown differently now."""
        ages = [self._age_text(offer) for offer in self.offers]
        changed = [line for line, age in enumerate(ages) if self._ages[line : line + 1] != [age]]
        self._ages = ages
        for line in changed:
            for selected in (False, True):
                self.strips.discard((line, self.scrollable_content_region.width, selected))
            self.refresh(Region(0, line - self.scroll_offset.y, self.size.width, 1))

    def _age_text(self, offer: Offer) -> tuple[str, bool]:
        return ago(time.time() - offer.changed), offer.is_recent

    def spans(self, line: int, width: int) -> Sequence[Span]:
        offer, palette = self.offers[line], self.palette
        age, is_recent = self._age_text(offer)
        when = f"{age:<12}"
        project = _project_cell(one_line(offer.entry.project), width)
        title = one_line(offer.entry.title) or PurePath(offer.entry.path or offer.entry.target).name
        head = 3 + cell_len(when) + cell_len(project)
        return [
            (" ● " if is_recent else "   ", palette.ink("success")),
            (when, palette.ink("success") if is_recent else palette.dim),
            (project, palette.dim),
            (clipped(title, max(8, width - head - 1)), palette.ink()),
        ]


def _project_cell(text: str, width: int) -> str:
    return set_cell_size(clipped(text, 18), 20) if width >= 70 else ""


def offer_heading(state: LiveState, width: int, palette: Palette) -> Text:
    """Return the column names of an `OfferList`; empty if there are no sessions."""
    heads = f"   {'changed':<12}{_project_cell('project', width)}session" if state.offers else ""
    return Text(heads, palette.faint, no_wrap=True)


def invitation(state: LiveState, palette: Palette) -> Text:
    """Return the effect of this screen and what to do, in two lines of less than 80 cells."""
    first = Text(" Choose a session that an agent is writing. The file is only read.", palette.strong)
    second = "Its window is shown as it grows, with each compaction as it happens."
    if state.offers is not None and not state.offers:
        second = "None has changed here yet. Start one, or run: inspector follow FILE-OR-FOLDER"
    lines = [accented(first, palette.ink("primary")), Text(f" {second}", palette.dim)]
    return Text("\n", no_wrap=True).join(lines)


def live_help(palette: Palette) -> Text:
    """Return what is shown while a session is followed, with the keys, and the command that does the same."""
    rows = (
        (key_of("open"), "follow the session: each new message, each compaction, the size of the window by turn"),
        (key_of("toggle"), "pause it, and resume"),
        (key_of("work_state"), "the folder, request, rules and tasks of the agent now"),
        (key_of("back"), "follow another session"),
    )
    text = Text(no_wrap=True)
    for key, effect in rows:
        text.append(f"   {key:<7}", palette.ink("primary", bold=True))
        text.append(f"{effect}\n", palette.dim)
    return text.append("   In a terminal: inspector follow FILE-OR-FOLDER", palette.faint)


class EventList(LineList):
    """Events of a session, the newest at the end, where the cursor stays until the user moves it."""

    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.events: Sequence[LiveEvent | PresetResult] = ()
        self.agent = self.sign = ""
        self.returns: Mapping[str, GivenBack] = {}
        """Texts of hooks by the message that contains them."""
        self.stays = True
        """True if the cursor follows the newest event."""

    @property
    def count(self) -> int:
        return len(self.events)

    @property
    def current(self) -> LiveEvent | PresetResult | None:
        return self.events[self.cursor] if self.cursor < len(self.events) else None

    def show(
        self,
        events: Sequence[LiveEvent],
        agent: str,
        sign: str = "",
        returns: Sequence[GivenBack] = (),
        presets: Sequence[PresetResult] = (),
    ) -> None:
        """Show other events.

        Args:
            events: Events, oldest first.
            agent: Agent whose messages are highlighted.
            sign: Symbol in front of token counts, such as ≈ for estimates.
            returns: Texts that hooks gave back.
            presets: Changes of a preset to requests. Each is shown before the reply to its request.
        """
        self.returns = {one.message: one for one in returns}
        current = self.current
        self.events, self.agent, self.sign = _with_presets(events, presets), agent, sign
        self.renew()
        if self.stays:
            self.cursor = max(0, len(self.events) - 1)
            self.show_cursor()
        elif current is not None:
            ids = [_name_of_event(event) for event in self.events]
            self.cursor = ids.index(_name_of_event(current)) if _name_of_event(current) in ids else self.cursor

    def by_hand(self) -> None:
        self.call_later(self.note_place)

    def note_place(self) -> None:
        """Follow the newest event while the cursor is on the last line."""
        self.stays = self.cursor >= self.count - 1

    def spans(self, line: int, width: int) -> Sequence[Span]:
        event = self.events[line]
        if isinstance(event, RecordedCompaction):
            return self.compaction(event, width)
        if isinstance(event, PresetResult):
            return self.preset(event, width)
        text = self.returns.get(event.message.id)
        return self.hook_text(event, text, width) if text else self.message(event, width)

    def hook_text(self, event: FreshMessage, text: GivenBack, width: int) -> Sequence[Span]:
        """Return the line of a text that a hook gave back, with the number of its names that the agent has used."""
        words = f"a hook gave back {plural(text.lines, 'line')}, {self.sign}{event.tokens:,} tokens"
        if text.names:
            words += f"; used since: {len(text.used):,} of {plural(len(text.names), 'name')}"
        start = f"{GLYPHS['retrieved']:>6}  {clock(event.message.time):<10}"
        return [(clipped(start + words, width), self.palette.ink("success", bold=True))]

    def compaction(self, event: RecordedCompaction, width: int) -> Sequence[Span]:
        when = clock(event.time)
        text = f"compacted before turn {event.turn:,}: {event.sizes}"
        start = f"{GLYPHS['summarised']:>6}  {when:<10}"
        return [(clipped(start + text, width), self.palette.ink("warning", bold=True))]

    def preset(self, event: PresetResult, width: int) -> Sequence[Span]:
        """Return the line of a plan, or of the reason why a request was sent as it came."""
        text = f"{event.name}: {preset_words(event, self.sign)}"
        start = f"{GLYPHS['summarised']:>6}  {clock(event.time):<10}"
        colour = "warning" if event.state == "original" else "success"
        return [(clipped(start + text, width), self.palette.ink(colour, bold=True))]

    def message(self, event: FreshMessage, width: int) -> Sequence[Span]:
        message, palette = event.message, self.palette
        who = one_line(speaker(message, {}))
        if message.agent != self.agent:
            who = f"{one_line(message.agent)} {who}"
        roomy = width >= 90
        spans: list[Span] = [
            (f"{event.number:>6}  ", palette.faint),
            (f"{clock(message.time):<10}" if roomy else "", palette.faint),
            (set_cell_size(clipped(who, _WHO), _WHO + 1), palette.ink("primary") if message.is_reply else palette.dim),
            (f"{f'{self.sign}{event.tokens:,}':>8} ", palette.dim),
            (f"{f'{self.sign}{event.total:,}':>9}  ", palette.ink() if message.agent == self.agent else palette.faint),
        ]
        room = width - sum(cell_len(text) for text, _ in spans) - 1
        says = event.says or "…"
        ink = palette.ink("error") if message.is_error else palette.ink() if message.speaks else palette.dim
        return [*spans, (clipped(f"error  {says}" if message.is_error else says, max(0, room)), ink)]


def _with_presets(events: Sequence[LiveEvent], presets: Sequence[PresetResult]) -> Sequence[LiveEvent | PresetResult]:
    """Return events with each result of a preset before the reply to its request, which has the same time.

    If the request begins with a new summary, the result is below the line of that compaction.
    """
    if not presets:
        return events
    results: dict[str, list[PresetResult]] = {}
    for one in presets:
        results.setdefault(one.time, []).append(one)
    rows: list[LiveEvent | PresetResult] = []
    place = 0
    for event in events:
        if isinstance(event, FreshMessage) and event.message.is_reply:
            own = results.pop(event.message.time, ())
            place = place or len(rows)
            rows[place:place] = own
            place = 0
        rows.append(event)
        if isinstance(event, RecordedCompaction):
            place = len(rows)
    return rows


def preset_words(result: PresetResult, sign: str = "") -> str:
    """Return what a preset did to a request: the tokens before and after, or why it was sent as it came.

    Args:
        result: The result.
        sign: Symbol in front of token counts.
    """
    if result.state == "original":
        return f"request sent unchanged: {result.reason}"
    verb = "would compress" if result.state == "planned" else "compressed"
    words = f"{verb} {sign}{result.before:,} → {sign}{result.after:,} tokens"
    return f"{words}; {result.reason}" if result.reason else words


def _name_of_event(event: LiveEvent | PresetResult) -> tuple[str, str]:
    if isinstance(event, PresetResult):
        return "preset", event.time
    if isinstance(event, RecordedCompaction):
        return "compaction", str(event.turn)
    return "message", event.message.id


def event_heading(width: int, palette: Palette) -> Text:
    """Return the column names of an `EventList`."""
    when = f"{'when':<10}" if width >= 90 else ""
    return Text(f"{'#':>6}  {when}{'who':<{_WHO + 1}}{'tokens':>8} {'window':>9}  content", palette.faint)


def next_line(following: NextCompaction | None, width: int, palette: Palette) -> Text:
    """Return one line about the facts at risk if the tool compacted now; empty before they are known.

    Args:
        following: Facts that the compaction removes.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    line = Text(no_wrap=True)
    if following is not None:
        line.append(" If it compacted now: ", palette.strong)
        words = next_words(following)
        at_risk = f"at risk {words}" if words else "no fact is at risk"
        line.append(
            clipped(at_risk, max(0, width - line.cell_len - 1)), palette.ink("warning") if words else palette.dim
        )
    return line


def pulse(state: LiveState, width: int, palette: Palette) -> Text:
    """Return one line about the session: live, quiet or paused, and its latest events.

    Args:
        state: State of the screen.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    line = Text(no_wrap=True)
    if state.problem:
        return Text(f" ✗ {clipped(one_line(state.problem), width - 4)}", palette.ink("error"))
    if state.is_looking:
        return Text(" reading …", palette.dim)
    age, is_recent = age_of_newest(state)
    if state.paused:
        line.append(with_keys(" ‖ paused · {toggle}: resume"), palette.ink("warning", bold=True))
    elif is_recent:
        line.append(" ● live", palette.ink("success", bold=True))
    else:
        line.append(" ○ quiet", palette.dim)
    for text, style in _pulse_words(state, age, palette):
        if line.cell_len + 3 + cell_len(text) <= width:
            line.append(" · ", palette.faint)
            line.append(text, style)
    return line


def age_of_newest(state: LiveState) -> tuple[str, bool]:
    """Return the age of the newest message as it is shown, and whether it counts as live; "" if it is unknown."""
    age = time.time() - state.last
    return (ago(age), age < RECENT) if state.last else ("", False)


def _sent_words(moment: Moment) -> str:
    """Return the reported size of the newest request, if the file contains the request wholly; otherwise ""."""
    reported = moment.timeline.reported[-1:]
    is_whole = moment.session.records_system and not moment.window.unrecorded
    return f", {reported[0]:,} tokens sent" if is_whole and any(reported) else ""


def _pulse_words(state: LiveState, age: str, palette: Palette) -> list[Span]:
    """Return the parts of the pulse, the most important first."""
    moment = state.moment
    pieces: list[Span] = []
    if age:
        pieces.append((f"newest message {age}", palette.ink()))
    if state.preset_on is not None:
        pieces.append((f"preset {_SWITCHED[state.preset_on]}", palette.ink()))
    if moment is not None and (latest := moment.latest_compaction()):
        when = clock(latest.time)
        text = f"compacted at turn {latest.turn:,}{f', {when}' if when else ''}"
        pieces.append((f"{text}: {latest.sizes}", palette.ink("warning")))
    if moment is not None:
        share = f", {moment.window.total / moment.window.limit:.0%} full" if moment.window.limit else ""
        share = ", counting …" if moment.sizes.is_partial else share
        pieces.append((f"turn {moment.turns:,}{_sent_words(moment)}{share}", palette.dim))
        if moment.session.path:
            pieces.append((PurePath(one_line(moment.session.path)).name, palette.faint))
    return pieces
