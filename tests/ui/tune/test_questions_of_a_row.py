"""The questions for going on of a row of Tune, driven by keys, and without an app."""

from __future__ import annotations

from collections.abc import Sequence

from textual.pilot import Pilot
from textual.widgets import Static

from inspector.analysis.replay import NONE, WorkQuestions
from inspector.engine.compression import Preset
from inspector.library import Workbench
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.screens.tune import Tune
from inspector.ui.screens.tune.panels import RowList
from inspector.ui.screens.tune.preset_rows import TuneContext
from inspector.ui.screens.tune.row_questions import RowQuestions
from tests.driving import Opening, Writer, chat, press, settled
from tests.generated import LONG, Ask, Step, recorded, sized, work
from tests.manual_jobs import ManualJobs

STEPS: list[Step] = [
    Ask(LONG),
    *(work(content=LONG, result=f"{n} " + LONG * 6) for n in range(10)),
    Ask("And now?"),
]
TIGHT = Preset("tight", 800, 0.2, 2, "deletion")


def heading(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen.query_one("#question-heading", Static).render())


async def choose(pilot: Pilot[None], name: str) -> None:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Tune)
    rows = screen.query_one(RowList)
    rows.in_hand = True
    rows.cursor = next(n for n, entry in enumerate(rows.table.rows) if entry.preset.name == name)
    await settled(pilot)


async def test_the_compressions_of_a_row_are_asked_from_the_worst_one_on(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat(steps=60, words=200))) as pilot:
        await press(pilot, "4")
        await choose(pilot, "aggressive")
        await press(pilot, "x")
        await settled(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, QuestionsScreen)
        shares = [sum(one.is_answered for one in asked.probes) / len(asked.probes) for asked in dialog.all_asked]
        assert len(shares) > 2 and shares[dialog.place] == min(shares)
        await press(pilot, *["C"] * len(shares))
        assert dialog.place == 0 and f"compression 1 of {len(shares)}" in heading(pilot)
        await press(pilot, "c")
        assert dialog.asked is dialog.all_asked[1] and f"turn {dialog.all_asked[1].turn}" in heading(pilot)
        assert dialog.query_one(LossList).count >= len(dialog.all_asked[1].probes)
        await press(pilot, "x")
        assert isinstance(pilot.app.screen, Tune)
        await choose(pilot, "none")
        await press(pilot, "x")
        await settled(pilot)
        empty_one = pilot.app.screen
        assert isinstance(empty_one, QuestionsScreen)
        rows = empty_one.query_one(LossList)
        assert not rows.count and "No questions" in rows.empty
        await press(pilot, "c", "escape")
        assert isinstance(pilot.app.screen, Tune)


class Asked:
    """A row's questions, with what was shown of them."""

    def __init__(self) -> None:
        session = recorded(STEPS)
        self.context = TuneContext(Workbench(session, sized(session)), "main")
        self.jobs = ManualJobs()
        self.questions = RowQuestions(self.jobs)
        self.shown: list[tuple[str, Sequence[WorkQuestions], str]] = []

    def start(self, preset: Preset) -> None:
        self.questions.start(self.context, preset, lambda asked, empty: self.shown.append((preset.name, asked, empty)))


def test_only_the_questions_of_the_row_that_was_asked_last_are_shown() -> None:
    asked = Asked()
    asked.start(NONE)
    asked.start(TIGHT)
    asked.jobs.finish()
    ((name, questions, _),) = asked.shown
    assert name == "tight" and questions


def test_a_closed_list_gets_no_questions() -> None:
    asked = Asked()
    asked.start(TIGHT)
    asked.questions.give_up()
    asked.jobs.finish()
    assert not asked.shown


def test_a_preset_with_impossible_settings_is_reported_in_the_list() -> None:
    asked = Asked()
    asked.start(Preset("wrong", 800, strategy="deletion", settings={"keep_recent": -3}))
    asked.jobs.finish()
    ((_, questions, empty),) = asked.shown
    assert not questions and empty
