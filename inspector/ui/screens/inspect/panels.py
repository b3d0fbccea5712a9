"""The side panel of Inspect, and the keys offered in its key bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector import library
from inspector.analysis.message_search import line_places
from inspector.engine import compression
from inspector.ui.message_lines import reading
from inspector.ui.room import set_height
from inspector.ui.screens.state_brief import StateBrief
from inspector.ui.summary_progress import name_of_model
from inspector.ui.widgets.detail import Detail, MessageDetail
from inspector.ui.widgets.key_bar import Key
from inspector.ui.widgets.knob_panel import KnobPanel
from inspector.ui.widgets.outcome import trouble
from inspector.ui.workers.latest import LatestOnly

if TYPE_CHECKING:
    from inspector.core.conversation import Message, Session
    from inspector.engine.window import Window
    from inspector.ui.screens.inspect.inspect_state import InspectState

END_SEARCH = "end the search"
"""Effect of esc during a search."""
_DETAIL_LINES = 200
"""Maximum lines of a message to wrap for the side panel; the reader shows all of them."""
_SHORT = 8_000
"""Maximum characters of a message whose text is read and wrapped at once, which takes less than starting a thread."""
_ABOVE = 4
"""Lines above the first search match."""
_MIN_DETAIL = 8
"""Minimum lines of the side panel for the message under the cursor."""
_WITH_STATE = {False: 20, True: 12}
"""Minimum lines of the side panel for the state of the work: next to the list, and below a short one."""


class SidePanel(Vertical):
    """The knobs of the current trial, the message under the cursor, and the state of the work."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knobs = KnobPanel(id="knobs")
        self.detail = Detail(id="detail")
        self.brief = StateBrief("on_list('state')", id="state-brief")
        self._detail: MessageDetail | None = None
        self._work: tuple[Window, Session] | None = None
        self.texts: LatestOnly[MessageDetail] = LatestOnly(self, "detail", self.set_text)

    def compose(self) -> ComposeResult:
        yield self.knobs
        yield self.detail
        yield self.brief

    def on_resize(self) -> None:
        self.make_room()
        self.call_after_refresh(self.read_text)

    def make_room(self) -> None:
        """Size the knobs to their content, while keeping some lines for the message below."""
        lines = min(self.knobs.lines_for(self.knobs.trial), max(6, self.size.height - _MIN_DETAIL))
        set_height(self.knobs, lines)
        is_below = self.screen.has_class("-stacked")
        has_room = self.screen.has_class("-wide") and self.size.height >= _WITH_STATE[is_below]
        was_shown, self.brief.display = self.brief.display, has_room and self.knobs.trial is None
        self.brief.styles.margin = (lines + 2, 0, 0, 2) if is_below else 0
        if not was_shown:
            self._read_work()

    def show_work(self, window: Window, session: Session) -> None:
        """Show the state of the work before the reply of a window's turn, while there is room for it."""
        self._work = window, session
        self._read_work()

    def _read_work(self) -> None:
        if self.brief.display and self._work is not None:
            window, session = self._work
            self.brief.show(session, window.agent, window.turn)

    def show_message(self, detail: MessageDetail | None) -> None:
        """Show a message at once, and its text as soon as it has been read."""
        if detail is not None and detail == self._detail:
            return
        self._detail = detail
        self.read_text()
        before = self.detail.detail
        if detail is None or before is None or before.message is not detail.message:
            self.detail.detail = detail

    def read_text(self) -> None:
        detail, width = self._detail, self.detail.size.width
        if detail is not None and width:  # before the first layout there is no width to wrap to
            is_short = detail.message.chars <= _SHORT
            self.texts.ask(partial(_with_text, detail, max(10, width)), at_once=is_short)

    def set_text(self, detail: MessageDetail) -> None:
        self.detail.detail = detail


def _with_text(detail: MessageDetail, width: int) -> MessageDetail:
    """Return the detail with its text wrapped around the first match. Reads the message from the file."""
    lines = reading(detail.message, width)
    places = line_places([line.text for line in lines], detail.words)
    top = max(0, min(places, default=0) - _ABOVE)
    if top <= _ABOVE:
        top = 0
    return replace(
        detail,
        lines=tuple(lines[: top + _DETAIL_LINES]),
        more=max(0, len(lines) - top - _DETAIL_LINES),
        places=places,
        first=top,
    )


def update_knobs(panels: Iterable[KnobPanel], before: InspectState, after: InspectState) -> None:
    """Update the knob panels. A model's summary appears together with the preview that contains it.

    Args:
        panels: Panels to update.
        before: Previous state of Inspect.
        after: New state of Inspect.
    """
    redrawn = after.preview is not before.preview
    for panel in panels:
        panel.trial, panel.money, panel.losses = after.trial, after.money, after.losses
        if redrawn:
            panel.is_idle = _is_idle(before, after)
            panel.preview = after.preview
        if redrawn or after.request != before.request:
            panel.writing, panel.summary, panel.writer = after.request, after.summary, name_of_model()


def _is_idle(before: InspectState, after: InspectState) -> bool:
    """Return True if a knob of the trial was turned without any effect on the plan."""
    old, new = (state.preview.plan if state.preview else None for state in (before, after))
    if old is None or new is None or old.strategy != new.strategy or old.settings == new.settings or not new.alters:
        return False
    assert before.preview is not None and after.preview is not None
    return old.ids == new.ids and old.fates == new.fates and before.preview.after.total == after.preview.after.total


def offered_keys(
    state: InspectState, message: Message | None, above: str, has_needs: bool, finding: Sequence[Key]
) -> tuple[Key, ...]:
    """Return the keys of Inspect that have an effect now, the most important first.

    Args:
        state: State of Inspect.
        message: Message under the cursor.
        above: Effect of esc while no strategy is tried.
        has_needs: True if a reply needed a fact that a compaction had dropped.
        finding: Keys of the search.
    """
    above = "stop trying" if state.trial and above != END_SEARCH else above
    strategy = _keys_of_strategy(state, has_needs)
    keys = (*strategy, *finding, *_keys_of_plans(state), *_keys_of_message(state, message, above))
    return tuple(key for key in keys if isinstance(key, Key))


def _keys_of_strategy(state: InspectState, has_needs: bool) -> Iterator[Key | object]:
    has_trial = state.trial is not None
    knob = state.trial.current_knob if state.trial else None
    words = knob is not None and compression.is_free_text(knob)
    yield Key("left right", "turn")
    yield from () if has_trial else _keys_of_compactions(state, has_needs)
    yield has_trial and not words and Key("less more", "setting")
    yield words and Key("type", "type")
    yield has_trial and Key("apply", "apply")
    yield Key("strategy", "strategy")


def _keys_of_compactions(state: InspectState, has_needs: bool) -> Iterator[Key | object]:
    if state.timeline and state.timeline.compactions:
        yield Key("next_compaction", "compaction")
        yield not state.stack and Key("lost", "lost facts")
    yield has_needs and Key("next_finding", "regret")


def _keys_of_plans(state: InspectState) -> Iterator[Key | object]:
    stoppable = state.request is not None
    plan = state.preview.plan if state.preview else None
    if plan and plan.summaries and not state.summary and not stoppable and name_of_model():
        yield Key("model", "by model")
    yield stoppable and Key("back", "stop the model")
    yield state.trial is None and Key("fill", "sizes")
    yield state.stack and Key("undo", "undo")
    yield state.stack and state.trial is None and Key("plans", "plans")


def _keys_of_message(state: InspectState, message: Message | None, above: str) -> Iterator[Key | object]:
    plans = state.preview.plans if state.preview else ()
    if message is not None and (message.kind == "summary" or library.summary_of(plans, message.id)):
        yield Key("origin", "summary")
    yield (state.trial or state.stack) and Key("lost", "lost facts")
    yield trouble(state.preview) and Key("problems", "problems")
    yield Key("open", "read")
    yield state.trial and Key("save", "save")
    yield Key("pin", "pin")
    yield Key("drop", "drop")
    yield Key("export", "export")
    yield Key("work_state", "state")
    yield Key("next_loss", "if it compacted")
    yield Key("sources", "sources")
    yield Key("ask", "ask a model")
    yield len(state.bench.session.agents) > 1 and Key("next_agent", "agent")
    yield state.request is None and Key("back", above)
