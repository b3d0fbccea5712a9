"""A screen that asks a model under presets: how often it takes the same step as with the uncompressed context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.asking import SameSteps
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.text import clipped, first_lines, one_line
from inspector.engine.compression import Preset
from inspector.library import Workbench
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.consent_words import consent_words
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.steps_controller import StepsController, StepsState, StepsSubject
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import PlainList, Span
from inspector.ui.workers.jobs import ScreenJobs

_NAME, _SHARE, _INTERVAL = 22, 11, 14
_CONSENT_LINES = 5


class StepsList(PlainList[SameSteps]):
    """The share of same steps of each preset, with its interval as a bar."""

    empty = "  press y to ask"

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        share = f"{row.same} of {row.asked}" if row.asked else "–"
        interval = f"{row.low:.2f}–{row.high:.2f}" if row.asked else ""
        room = max(0, width - _NAME - _SHARE - _INTERVAL - 6)
        spans: list[Span] = [
            (
                "  " + set_cell_size(clipped(one_line(row.name), _NAME), _NAME),
                palette.strong if not line else palette.ink(),
            ),
            (f"{share:>{_SHARE}}", palette.ink()),
            (f"{interval:>{_INTERVAL}}  ", palette.dim),
        ]
        if row.asked and room >= 10:
            low, high = int(row.low * room), max(int(row.low * room) + 1, round(row.high * room))
            spans += [(" " * low, palette.dim), ("━" * (high - low), palette.ink("primary" if line else "success"))]
        return spans


class StepsScreen(Overlay[Sequence[SameSteps]]):
    """The presets with their shares. Dismissed with the shares, which are empty if nothing was asked."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("same_steps")
    AUTO_FOCUS = "#steps"

    def __init__(self, subject: StepsSubject) -> None:
        super().__init__()
        self.controller = StepsController(ScreenJobs(self), self, subject, self.show_state)

    def compose(self) -> ComposeResult:
        yield Static(
            "Ask a model under each preset: the same step as without compression?", classes="bar", markup=False
        )
        yield Static(id="consent", markup=False)
        yield StepsList(id="steps")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.controller.start()

    def on_unmount(self) -> None:
        self.controller.close()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_state(self.controller.state)

    def show_state(self, state: StepsState) -> None:
        """Draw a state."""
        if not self.is_mounted:
            return
        self.query_one("#consent", Static).update(self._consent(state))
        self.query_one(StepsList).show_rows(state.rows, "")
        plan, asks = state.plan, state.is_asking
        self.query_one(KeyBar).keys = available(
            (asks, Key("back", "stop")),
            (not asks and plan and plan.can_send, Key("yes", "send")),
            (not asks, Key("less more", f"{state.turns} turns")),
            (not asks, Key("much_less much_more", "limit")),
            (not asks, Key("back", "back")),
        )

    def _consent(self, state: StepsState) -> Text:
        palette, width = self.palette, max(20, self.size.width - 4)
        plan = state.plan
        sentence = consent_words(plan.sentence if plan else "", is_wanted=state.is_wanted)
        if state.is_asking and plan and plan.questions:
            sentence = f"{state.count} of {len(plan.questions.calls)} replies. {sentence}"
        is_ready = (plan is None or plan.asker is not None) and not state.is_wanted
        text = Text("\n".join(first_lines(sentence, width, _CONSENT_LINES)), "" if is_ready else palette.ink("warning"))
        if state.said:
            text.append("\n" + "\n".join(first_lines(state.said, width, 2)), palette.dim)
        if state.rows:
            text.append(
                f"\n{clipped('No preset can agree more often than the model with itself.', width)}", palette.dim
            )
        return text

    def action_send(self) -> None:
        self.controller.send()

    def action_turns(self, step: int) -> None:
        self.controller.add_turns(step)

    def action_limit(self, step: int) -> None:
        self.controller.raise_limit(step)

    def action_back(self) -> None:
        if not self.controller.stop():
            self.dismiss(self.controller.state.rows)


def steps_screen(app: App[object], bench: Workbench, agent: str, presets: Sequence[Preset]) -> StepsScreen:
    """Return the screen for some presets; those that never compress are left out.

    Args:
        app: The app, whose store keeps the replies.
        bench: Open session.
        agent: Agent whose turns are asked.
        presets: The presets.
    """
    compared = [preset for preset in presets if preset not in (NONE, RECORDED)]
    return StepsScreen(StepsSubject(bench, agent, compared, getattr(app, "store", None)))
