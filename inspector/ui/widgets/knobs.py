"""The strategy that is being tried: its knobs, what it saves, and how to go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import Problem
from inspector.strategies import STRATEGIES
from inspector.strategies.settings import Knob
from inspector.ui.fitting import clipped, wrapped
from inspector.ui.palette import Palette
from inspector.ui.widgets.bars import mark_of
from inspector.visible import one_line
from inspector.workbench import Preview

NAME, VALUE = 14, 9


@dataclass(frozen=True)
class Trial:
    """A strategy being tried on, with the values of its knobs and the one that `+` and `-` move."""

    strategy: str
    values: Mapping[str, Any]
    knob: int = 0

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return STRATEGIES[self.strategy].knobs

    def moved(self, steps: int) -> Trial:
        """With the chosen knob turned."""
        if not self.knobs:
            return self
        knob = self.knobs[self.knob]
        value = knob.moved(self.values[knob.name], steps)
        return Trial(self.strategy, {**self.values, knob.name: value}, self.knob)

    def chosen(self, step: int) -> Trial:
        """With another knob chosen."""
        return Trial(self.strategy, self.values, (self.knob + step) % max(1, len(self.knobs)))


class KnobPanel(Widget):
    """Wide: a column with a line per knob and what comes of it. Narrow: one line."""

    trial: reactive[Trial | None] = reactive(None)
    preview: reactive[Preview | None] = reactive(None)

    @dataclass
    class Turned(Message):
        """An arrow beside a knob was clicked."""

        knob: int
        steps: int

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        if self.size.height <= 2:
            return self.narrow()
        return self.wide() if self.trial else self.idle()

    def idle(self) -> Text:
        """What there is to do, while nothing is tried."""
        preview = self.preview
        line = Text(no_wrap=True)
        if preview is None:
            return line
        line.append("no strategy\n", self.palette.strong)
        line.append("\n\n" if preview.applied else "this is what the model saw\n\n", self.palette.dim)
        if preview.applied:
            for number, plan in enumerate(preview.applied, 1):
                line.append(f"{number} ", self.palette.faint)
                line.append(f"{plan.strategy}", self.palette.ink())
                line.append(f" at turn {plan.turn}\n", self.palette.dim)
        else:
            line.append("s", self.palette.ink("primary", bold=True))
            line.append(" picks a strategy and shows at once\n", self.palette.dim)
            line.append("  what it would keep, lose and save\n", self.palette.dim)
        for problem in trouble(preview)[:1]:
            line.append("\n")
            sign, colour = ("✗", "error") if preview.problems else ("damaged,", "warning")
            for row in wrapped(f"{sign} {one_line(str(problem))}", self.size.width - 2)[:4]:
                line.append(f"{row}\n", self.palette.ink(colour))
        if len(trouble(preview)) > 1:
            line.append("!", self.palette.ink("primary", bold=True))
            line.append(f" lists all {len(trouble(preview))} problems\n", self.palette.dim)
        return line

    def wide(self) -> Text:
        assert self.trial is not None
        strategy = STRATEGIES[self.trial.strategy]
        lines = Text(no_wrap=True)
        lines.append(f"{self.trial.strategy}\n", self.palette.strong)
        for row in wrapped(strategy.about, self.size.width - 2):
            lines.append(f"{row}\n", self.palette.dim)
        lines.append("\n")
        for number, knob in enumerate(self.trial.knobs):
            lines.append_text(self.knob_line(number, knob))
            lines.append("\n")
        lines.append("\n")
        lines.append_text(self.outcome())
        return lines

    def knob_line(self, number: int, knob: Knob) -> Text:
        assert self.trial is not None
        chosen = number == self.trial.knob
        ink = self.palette.strong if chosen else self.palette.ink()
        arrow = self.palette.ink("primary", bold=True) if chosen else self.palette.faint
        line = Text(no_wrap=True)
        line.append(f"{knob.name:<{NAME}}", ink)
        line.append("◂", arrow)
        line.append(shown(self.trial.values[knob.name]).center(VALUE), ink)
        line.append("▸ ", arrow)
        room = self.size.width - NAME - VALUE - 6
        if room > 4 and knob.high > knob.low and not knob.choices:
            line.append_text(self.slider(knob, self.trial.values[knob.name], room, chosen))
        return line

    def slider(self, knob: Knob, value: float, room: int, chosen: bool) -> Text:
        """Where the value stands between its bounds; wide ranges are drawn up to what matters for this window."""
        high = self.reach(knob, value)
        at = min(room - 1, max(0, round((room - 1) * (value - knob.low) / max(high - knob.low, 1e-9))))
        line = Text(no_wrap=True)
        line.append("━" * at, self.palette.ink("primary" if chosen else "ink-faint"))
        line.append("●", self.palette.strong if chosen else self.palette.dim)
        line.append("─" * (room - 1 - at), self.palette.ink("line"))
        return line

    def reach(self, knob: Knob, value: float) -> float:
        if self.preview is None:
            return knob.high
        before = self.preview.before
        scale = before.total if "tokens" in knob.name else len(before.messages)
        return max(value, scale) if knob.high > 1 else knob.high

    def outcome(self) -> Text:
        """What the plan saves, loses, and why it could not do more."""
        lines = Text(no_wrap=True)
        preview = self.preview
        if preview is None or preview.plan is None:
            return Text("working …", self.palette.faint)
        share = preview.saved / preview.before.total if preview.before.total else 0
        lines.append("saves ", self.palette.dim)
        lines.append(f"{mark_of(preview.before)}{preview.saved:,}", self.palette.strong)
        lines.append(f" tokens, {share:.0%}\n", self.palette.dim)
        gone = sum(fate.gone for fate in preview.plan.fates)
        left = len(preview.after.messages)
        leave = "1 message leaves" if gone == 1 else f"{gone:,} messages leave"
        lines.append(f"{leave}, {left:,} stay\n", self.palette.dim)
        if preview.plan.note:
            for row in wrapped(one_line(preview.plan.note), self.size.width - 2):
                lines.append(f"{row}\n", self.palette.ink("warning"))
        for problem in preview.problems[:1]:
            for row in wrapped(one_line(str(problem)), self.size.width - 2)[:4]:
                lines.append(f"{row}\n", self.palette.ink("error"))
        return lines

    def narrow(self) -> Text:
        line = Text(no_wrap=True)
        if self.preview is None:
            return line
        if self.trial is None:
            line.append(" s", self.palette.ink("primary", bold=True))
            stack = len(self.preview.applied)
            line.append(" picks a strategy" if not stack else f" picks a strategy · {stack} applied", self.palette.dim)
            for problem in trouble(self.preview)[:1]:
                sign, colour = ("✗ ", "error") if self.preview.problems else ("damaged, ", "warning")
                room = max(0, self.size.width - line.cell_len - len(sign) - 3)
                line.append(f"   {sign}{clipped(one_line(str(problem)), room)}", self.palette.ink(colour))
            return line
        line.append(f" {self.trial.strategy} ", self.palette.strong)
        for number, knob in enumerate(self.trial.knobs):
            chosen = number == self.trial.knob
            line.append(f" {knob.name} ", self.palette.ink() if chosen else self.palette.dim)
            line.append("◂", self.palette.ink("primary", bold=True) if chosen else self.palette.faint)
            line.append(
                f" {shown(self.trial.values[knob.name])} ", self.palette.strong if chosen else self.palette.ink()
            )
            line.append("▸ ", self.palette.ink("primary", bold=True) if chosen else self.palette.faint)
        plan = self.preview.plan
        if plan is not None and plan.note:
            note = clipped(one_line(plan.note), max(0, self.size.width - line.cell_len - 3))
            line.append(f"  {note}", self.palette.ink("warning"))
        elif plan is not None:
            share = self.preview.saved / self.preview.before.total if self.preview.before.total else 0
            line.append("  saves ", self.palette.dim)
            line.append(f"{mark_of(self.preview.before)}{self.preview.saved:,}", self.palette.strong)
            line.append(f" {share:.0%}", self.palette.dim)
        return line

    def on_click(self, event: events.Click) -> None:
        if self.trial is None or self.size.height <= 2:
            return
        knob = event.y - 2 - len(wrapped(STRATEGIES[self.trial.strategy].about, self.size.width - 2))
        if 0 <= knob < len(self.trial.knobs):
            steps = -1 if event.x <= NAME + 1 else 1 if NAME + VALUE <= event.x <= NAME + VALUE + 2 else 0
            self.post_message(self.Turned(knob, steps))


def trouble(preview: Preview | None) -> tuple[Problem, ...]:
    """What a provider would refuse, and what of the file could not be read."""
    return (*preview.problems, *preview.recorded.session.problems) if preview else ()


def shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
