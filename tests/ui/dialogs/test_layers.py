"""Plans stacked over the recorded window: seen, looked into, and taken off one by one."""

from __future__ import annotations

from textual.pilot import Pilot

from inspector.library.bench.plan_stack import describe_fates, layers
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.layers import LayerList, LayersScreen
from inspector.ui.widgets.knob_panel import KnobPanel
from inspector.ui.widgets.message_list import MessageList
from inspector.ui.widgets.text_view import TextView
from tests.driving import Opening, Writer, chat, inspect_screen, press


async def apply(pilot: Pilot[None], strategy: str) -> None:
    await press(pilot, "s", *strategy, "enter", "a")


def shown(pilot: Pilot[None]) -> LayerList:
    assert isinstance(pilot.app.screen, LayersScreen)
    return pilot.app.screen.query_one(LayerList)


async def test_each_plan_starts_from_what_the_one_beneath_it_left(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await apply(pilot, "mask_obs")
        await apply(pilot, "deletion")
        await press(pilot, "l")
        newest, oldest = shown(pilot).stack
        assert (newest.plan.strategy, oldest.plan.strategy) == ("deletion", "mask_observations")
        preview = inspect_screen(pilot).state.preview
        assert preview is not None and oldest.before is preview.recorded and newest.before is oldest.after
        assert newest.after is not None and newest.after.ids == preview.before.ids
        assert "masked" in describe_fates(oldest.plan) and "dropped" in describe_fates(newest.plan)


async def test_u_takes_off_the_newest_and_the_last_one_closes_the_panel(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        screen = inspect_screen(pilot)
        assert screen.state.preview is not None
        recorded = screen.state.preview.recorded.total
        await apply(pilot, "mask_obs")
        await apply(pilot, "deletion")
        await press(pilot, "l", "u")
        assert [layer.plan.strategy for layer in shown(pilot).stack] == ["mask_observations"]
        assert [plan.strategy for plan in screen.state.stack] == ["mask_observations"]
        await press(pilot, "u")
        assert pilot.app.screen is screen and screen.state.stack == ()
        assert screen.state.preview.before.total == recorded


async def test_enter_shows_what_one_plan_did_and_nothing_of_the_others(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await apply(pilot, "mask_obs")
        await apply(pilot, "deletion")
        await press(pilot, "l", "down", "enter")
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen) and "plan 1, mask_observations" in diff.heading()
        text = "\n".join(map(str, diff.query_one(TextView).lines))
        assert "older than the newest" in text and "− " not in text
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, LayersScreen)


async def test_a_plan_of_a_later_turn_is_there_and_says_that_it_does_not_hold_yet(
    running: Opening, write: Writer
) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await apply(pilot, "deletion")
        await press(pilot, "home", "l")
        (layer,) = shown(pilot).stack
        assert not layer.holds
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, LayersScreen)
        assert any("valid from there on" in note.message for note in pilot.app._notifications)


async def test_without_a_plan_the_key_says_what_to_do(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        await press(pilot, "l")
        assert pilot.app.screen is inspect_screen(pilot)
        assert any("s: try a strategy" in note.message for note in pilot.app._notifications)


async def test_the_stack_is_told_in_inspect_itself_wide_and_narrow(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat()), size=(160, 50)) as pilot:
        await apply(pilot, "mask_obs")
        await apply(pilot, "deletion")
        wide = inspect_screen(pilot).query_one("#knobs", KnobPanel).render().plain
        assert wide.index("2 plans, stacked") < wide.index("2 deletion") < wide.index("1 mask_observations")
        await pilot.resize_terminal(80, 24)
        await press(pilot, "up")
        narrow = inspect_screen(pilot).query_one("#knob-line", KnobPanel).render().plain
        assert "2 plans: deletion t22 on mask_observations t22" in narrow


async def test_changes_by_hand_are_plans_too(running: Opening, write: Writer) -> None:
    async with running(write("scans.json", chat())) as pilot:
        inspect_screen(pilot).query_one(MessageList).cursor = 2
        await press(pilot, "p", "D")
        screen = inspect_screen(pilot)
        assert screen.state.preview is not None
        told = [layer.effect for layer in layers(screen.state.bench, screen.state.preview.recorded)]
        assert told == ["2 dropped", "2 pinned"]
        await press(pilot, "l", "down", "enter")
        assert isinstance(pilot.app.screen, LayersScreen) and shown(pilot).cursor == 1
        assert any("removes nothing" in note.message for note in pilot.app._notifications)
