"""A dialog to pick a preset or strategy, grouped by information loss, with its effect on the current window."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.core.text import clipped, clipped_words, one_line
from inspector.engine.compression import (
    BUILT_IN,
    Preset,
    PresetError,
    StrategyChoice,
    all_presets,
    describe_threshold,
    value_text,
)
from inspector.engine.strategies import STRATEGIES
from inspector.library import Preview
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.choice_dialog import ChoiceDialog
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import mark_of
from inspector.ui.widgets.grouped import Group, GroupChoice
from inspector.ui.widgets.lines import LineList
from inspector.ui.workers.latest import LatestOnly

_DEFAULT = "balanced"
"""Initial choice before anything has been tried: the documented default."""
_GROUPS: Mapping[str, tuple[str, str, str]] = {
    "free": ("free", "removes duplicates, old reasoning or retrievable content", "success"),
    "lossy": ("lossy", "removes content", "warning"),
    "needs a model": ("with a summary", "summarises", "section-memory"),
}
"""Title, description and colour of the strategies of each cost."""
_NAME = 17
_AROUND = 8
"""Lines of the dialog that belong neither to the list nor to the description of the choice."""
_TALL = 48
"""Terminal height in lines from which each setting has its own line."""
_SETTINGS = 6
Pick = Preset | str
"""A preset, or the name of a strategy."""
_Begin = Callable[[Pick], StrategyChoice]
Effect = Callable[[StrategyChoice], Preview]


class Picker(ChoiceDialog[Pick]):
    """Dismissed with the picked preset or strategy, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("strategy_choice")

    def __init__(
        self,
        begin: _Begin,
        effect: Effect,
        current: str = "",
        writer: str = "",
        stages: bool = False,
        unfit: Callable[[], str] = str,
        show_lost: Callable[[Preview], None] | None = None,
    ) -> None:
        """Create a picker.

        Args:
            begin: Returns the settings with which a pick would start here.
            effect: Returns the preview of a pick with its settings. Called in a thread.
            current: Name of the preset or strategy being tried; empty for none.
            writer: Name of the model that can write summaries; empty for none.
            stages: True to offer only strategies that can be stages of a pipeline.
            unfit: Returns a sentence about presets that do not fit the session. Called in a thread.
            show_lost: Opens the facts that the previewed pick would lose; None to offer no such key.
        """
        super().__init__()
        self.begin = begin
        self.effect = effect
        self.current = current
        self.writer = writer
        self.stages = stages
        self.unfit = unfit
        self.show_lost = show_lost
        self.heading = "Add which stage?" if stages else "Which strategy?"
        what = "add" if stages else "preview"
        lost = "   {switch_view}: lost facts" if show_lost else ""
        self.hint = f"{{open}}: {what}{lost}   ↑↓: choose   {{back}}: close"
        self.candidates: tuple[Preset, ...] = () if stages else tuple(BUILT_IN.values())
        self.trial: StrategyChoice | None = None
        self.preview: Preview | None = None
        """Effect of the choice under the cursor; None until it is known."""
        self.presets: LatestOnly[tuple[list[Preset], str]] = LatestOnly(self, "presets", self.set_presets)
        self.notices: LatestOnly[str] = LatestOnly(self, "unfit", self.show_unfit)
        self.effects: LatestOnly[tuple[StrategyChoice, Preview]] = LatestOnly(self, "effect", self.show_effect)

    def below(self) -> Sequence[Widget]:
        return Static(id="about", markup=False), Static(id="effect", markup=False), Static(id="unfit", markup=False)

    def start(self) -> str:
        return self.current or _DEFAULT

    def on_mount(self) -> None:
        if not self.stages:
            self.presets.ask(list_presets)
            self.notices.ask(self.unfit)

    def show_unfit(self, notice: str) -> None:
        """Show which presets do not fit the session, if any."""
        self.query_one("#unfit", Static).update(notice)
        self.query_one("#unfit").set_class(bool(notice), "-shown")
        self.fit()

    def fit(self) -> None:
        self.query_one("#about").styles.height = self.about_lines
        super().fit()

    @property
    def about_lines(self) -> int:
        return _SETTINGS + 1 if self.app.size.height >= _TALL else 3

    def around(self) -> int:
        return _AROUND + self.about_lines + 3 * self.query_one("#unfit").has_class("-shown")

    def set_presets(self, outcome: tuple[list[Preset], str]) -> None:
        """Show the user's own presets once they have been read."""
        presets, problem = outcome
        if problem:
            self.notify(problem, severity="warning")
        self.candidates = tuple(presets)
        here = self.choices.current.name if self.choices.current else ""
        self.choices.show(self.groups(), self.current or here or _DEFAULT)
        self.fit()
        if text := self.query_one(Input).value:
            self.choices.filter(text)

    def groups(self) -> list[Group[Pick]]:
        """Return the presets, then the strategies grouped by information loss."""
        presets = [preset for preset in self.candidates if preset.strategy in STRATEGIES]
        first = Group("presets", "a strategy with its settings", "primary", tuple(map(_choice_of, presets)))
        return [first, *map(self.group, _GROUPS)]

    def group(self, cost: str) -> Group[Pick]:
        title, about, colour = _GROUPS[cost]
        if cost == "needs a model":
            keys = key_of("model")
            by = f"by {self.writer} when you press {keys}" if self.writer else "extractive when no model is set up"
            about = f"{about}, {by}"
        unfit: Collection[str] = ("pipeline", "auto") if self.stages else ()
        return Group(
            title,
            about,
            colour,
            tuple(
                GroupChoice[Pick](name, strategy.about, name)
                for name, strategy in STRATEGIES.items()
                if strategy.cost == cost and name not in unfit
            ),
        )

    @on(LineList.Moved)
    def show_about(self) -> None:
        """Describe the choice under the cursor, and start computing its effect."""
        choice = self.choices.current
        self.query_one("#effect", Static).update("")
        self.preview = None
        self.trial = self.begin(choice.value) if choice else None
        self.query_one("#about", Static).update(self.about(self.trial) if self.trial else "")
        if self.trial:
            self.effects.ask(partial(self.look, self.trial))

    def look(self, trial: StrategyChoice) -> tuple[StrategyChoice, Preview]:
        return trial, self.effect(trial)

    def show_effect(self, outcome: tuple[StrategyChoice, Preview]) -> None:
        trial, preview = outcome
        if trial is self.trial:
            self.preview = preview
            self.query_one("#effect", Static).update(_effect_words(preview))

    def action_lost(self) -> None:
        """Open the facts that the choice under the cursor would lose."""
        preview = self.preview
        if self.show_lost is None or self.trial is None:
            return
        if preview is None:
            self.notify("Still computing the plan …")
        elif preview.plan is None or not preview.plan.alters:
            self.notify("This choice removes nothing here.")
        else:
            self.show_lost(preview)

    def about(self, trial: StrategyChoice) -> Text:
        """Return the description and settings of a strategy, with the meaning of each setting if there is room."""
        palette = self.palette
        text = Text(f"{STRATEGIES[trial.strategy].about}\n")
        if self.app.size.height >= _TALL:
            for knob in trial.knobs[:_SETTINGS]:
                value = clipped(one_line(value_text(trial.settings[knob.name])), 9)
                text.append(f"{knob.name:<15}{value:>9}  ", palette.ink())
                text.append(f"{clipped_words(knob.doc, self.query_one('#about').size.width - 26)}\n", palette.dim)
        else:
            values = (f"{knob.name} {one_line(value_text(trial.settings[knob.name]))}" for knob in trial.knobs)
            text.append("   ".join(values) or "no settings", palette.dim)
        return text


def list_presets() -> tuple[list[Preset], str]:
    """Return all presets, or the built-in ones and the problem with the user's own."""
    try:
        return all_presets(), ""
    except PresetError as problem:
        return list(BUILT_IN.values()), str(problem)


def _choice_of(preset: Preset) -> GroupChoice[Pick]:
    threshold = describe_threshold(preset.threshold).removesuffix(" tokens").removesuffix(" of the window")
    how = f"{preset.strategy} above {threshold}"
    return GroupChoice(one_line(preset.name), f"{one_line(preset.about)} · {how}" if preset.about else how, preset)


def _effect_words(preview: Preview) -> str:
    """Return the effect of a plan on this window in one line."""
    plan = preview.plan
    if plan is None or not plan.alters:
        note = one_line(plan.note) if plan else ""
        return f"here: changes nothing{f', {note}' if note else ''}"
    share = preview.savings / preview.before.total if preview.before.total else 0
    sign = mark_of(preview.after)
    return f"here: {sign}{preview.before.total:,} → {sign}{preview.after.total:,} tokens, saves {share:.0%}"
