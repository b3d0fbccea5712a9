"""Composing a pipeline: every change is seen at once, and nothing is applied."""

from __future__ import annotations

from textual.pilot import Pilot
from textual.widgets import Input

from inspector.engine.compression.strategy_choice import Composition, composition, outcomes
from inspector.engine.strategies.pipeline import Stage, parse_stages
from inspector.ui.dialogs.picker import Picker
from inspector.ui.dialogs.stages import StageList, StagesScreen
from tests.driving import Opening, Word, Writer, chat, inspect_screen, press, settled

THREE = Composition(parse_stages("dedupe; trim_outputs longest=500; deletion"), 100)


def names(made: Composition) -> list[str]:
    return [stage.name for stage in made.stages]


def test_stages_are_added_behind_taken_out_and_moved() -> None:
    assert names(THREE.with_new_stage(0, "fifo")) == ["dedupe", "fifo", "trim_outputs", "deletion"]
    assert names(THREE.without_stage(1)) == ["dedupe", "deletion"]
    assert names(THREE.with_stage_moved(0, 1)) == ["trim_outputs", "dedupe", "deletion"]
    assert THREE.with_stage_moved(0, -1) is THREE and THREE.with_stage_moved(2, 1) is THREE
    assert THREE.with_stage_moved(1, 1).with_stage_moved(2, -1) == THREE
    assert names(THREE) == ["dedupe", "trim_outputs", "deletion"]


def test_only_settings_that_were_touched_are_written() -> None:
    made = THREE.with_settings(1, THREE.values(1) | {"head": 0.5})
    assert made.stages[1] == Stage("trim_outputs", {"longest": 500, "head": 0.5})
    assert made.text == "dedupe; trim_outputs longest=500 head=0.5; deletion"
    assert composition({"stages": made.text, "target": 7}) == Composition(made.stages, 7)
    assert THREE.with_settings(2, THREE.values(2)) == THREE


def test_a_stage_without_a_target_of_its_own_works_towards_that_of_the_pipeline() -> None:
    made = Composition(parse_stages("token_window"), 1234)
    assert made.values(0)["max_tokens"] == 1234


async def compose(pilot: Pilot[None]) -> StageList:
    await press(pilot, "s", Word("pipeline"), "enter", "t")
    assert isinstance(pilot.app.screen, StagesScreen)
    return pilot.app.screen.query_one(StageList)


def tried(pilot: Pilot[None]) -> list[str]:
    """The stages that Inspect tries on."""
    trial = inspect_screen(pilot).state.trial
    assert trial is not None
    return names(composition(trial.settings))


async def test_moving_and_taking_out_change_what_is_tried_on_at_once(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        stages = await compose(pilot)
        before = tried(pilot)
        await press(pilot, "J")
        assert tried(pilot) == [before[1], before[0], *before[2:]] and stages.cursor == 1
        await press(pilot, "shift+up")
        assert tried(pilot) == before and stages.cursor == 0
        await press(pilot, "K", "D")
        assert tried(pilot) == before[1:]
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and preview.plan is not None
        assert preview.plan.settings["stages"] == stages.pipeline.text
        assert inspect_screen(pilot).state.stack == ()


async def test_a_stage_is_added_from_the_picker_behind_the_one_under_the_cursor(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        stages = await compose(pilot)
        before = tried(pilot)
        await press(pilot, "i")
        picker = pilot.app.screen
        assert isinstance(picker, Picker)
        await press(pilot, Word("fifo"), "enter")
        assert tried(pilot) == [before[0], "fifo", *before[1:]] and stages.cursor == 1
        await press(pilot, "i", Word("pipeline"), "enter", "escape")
        assert tried(pilot) == [before[0], "fifo", *before[1:]]


async def test_knobs_of_a_stage_turn_and_what_is_left_behind_each_stage_follows(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        stages = await compose(pilot)
        place = tried(pilot).index("mask_observations")
        await press(pilot, *["down"] * place, "<", "+")
        assert stages.pipeline.stages[place].settings == {"keep": 1}
        assert stages.outcomes is not None
        assert [after.total for _, after in stages.outcomes] == [
            after.total for _, after in outcomes(stages.window, stages.pipeline)
        ]
        await press(pilot, "t")
        pilot.app.screen.query_one(Input).value = "5"
        await press(pilot, "enter")
        assert stages.pipeline.stages[place].settings == {"keep": 5}


async def test_stages_that_are_not_needed_say_so_and_the_target_is_the_last_line(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        stages = await compose(pilot)
        await press(pilot, "G", "t")
        pilot.app.screen.query_one(Input).value = "2,000,000"
        await press(pilot, "enter")
        assert stages.pipeline.target == 2_000_000 and stages.outcomes == []
        assert "not needed" in stages.render_line(0).text
        await press(pilot, "-")
        assert stages.pipeline.target == 1_999_500


async def test_the_last_stage_cannot_be_taken_out(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await compose(pilot)
        await press(pilot, *["D"] * 7)
        assert len(tried(pilot)) == 1
        assert any("needs stages" in note.message for note in pilot.app._notifications)
        await press(pilot, "J", "K", "escape")
        assert pilot.app.screen is inspect_screen(pilot)


async def test_the_composer_works_on_any_terminal(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat()), size=(40, 12)) as pilot:
        stages = await compose(pilot)
        for size in ((40, 12), (80, 24), (200, 60), (60, 15)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert stages.size.height >= 3 and pilot.app.is_running
            await press(pilot, "G", "g", "down", "tab", "+", "J")
