"""The state of the work in the lost facts, in Inspect and in Live: rows first, then the screens."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from inspector.analysis.replay import WorkProbe
from inspector.engine.work_state import Consequence, StateFate, StateItem, WorkState
from inspector.ui.dialogs import LostScreen, Reader, WorkStateScreen
from inspector.ui.dialogs.loss_list import LossList
from inspector.ui.dialogs.state_dialog import WorkStateList
from inspector.ui.dialogs.state_rows import StateHeading, StateRow, change_rows, item_rows, question_rows
from tests.driving import Opening, inspect_screen, press, settled
from tests.engine.work_state.scripts import INVENTING, Compact, Run, Say, User, session_of


def test_each_part_is_named_once_and_its_newest_item_comes_first() -> None:
    rules = [StateItem("rule", text, text, message=text, turn=turn) for turn, text in enumerate(("one", "two"), 1)]
    rows = item_rows(WorkState().put(*rules, StateItem("task", "a", "Sort\nthem", "pending", message="m", turn=3)))
    assert [(row.label, row.text, row.end, row.message) for row in rows] == [
        ("rule", "two", "turn 2", "two"),
        ("", "one", "turn 1", "one"),
        ("task", "pending: Sort them", "turn 3", "m"),
    ]


def test_a_part_shows_its_worst_item_and_how_many_share_its_fate() -> None:
    fates = [
        StateFate("rule", "Never push.", "dropped", "", "", "m1"),
        StateFate("rule", "Sort.", "kept", "", "sort", "m2"),
        StateFate("rule", "Ask.", "dropped", "", "", "m3"),
        StateFate("summary", "All pass.", "invented", "", "All pass.", "m9"),
    ]
    followed = [Consequence("rule_broken", "m7", 4, 3, "Never push.", "git push", "m1")]
    heading, consequence, columns, rule, summary = change_rows(followed, fates)
    assert isinstance(heading, StateHeading) and heading.title == "What followed (1)"
    assert isinstance(consequence, StateRow) and consequence.message == "m7" and consequence.after == "“Never push.”"
    assert isinstance(columns, StateHeading) and isinstance(rule, StateRow) and isinstance(summary, StateRow)
    assert (rule.text, rule.after, rule.end) == ("Never push.", "—", "2 dropped")
    assert (summary.text, summary.after, summary.end) == ("—", "All pass.", "invented")
    assert change_rows((), ()) == ()
    more = StateFate("summary", "Ask Ben.", "invented", "", "Ask Ben.", "m9")
    assert [row.after for row in change_rows((), [*fates, more])[-2:] if isinstance(row, StateRow)] == [
        *("All pass.", "Ask Ben.")
    ]


def test_only_unanswered_questions_are_rows_and_name_their_message() -> None:
    probes = [
        WorkProbe("file", "/w/tide.py", "m4", True, "We changed /w/tide.py."),
        WorkProbe("value", "limit = 6", "m2", False, ""),
    ]
    heading, missing = question_rows(probes)
    assert isinstance(heading, StateHeading) and heading.title == "Unanswered (1 of 2)"
    assert isinstance(missing, StateRow)
    assert (missing.label, missing.text, missing.message) == ("value", "limit = 6", "m2")
    assert question_rows(probes[:1]) == question_rows(()) == ()


async def test_the_lost_facts_begin_with_what_followed(running: Opening, tmp_path: Path) -> None:
    steps = (User("Fix the tax. Never push, I do that myself."), Run("ls"), Say("Fixed."), User("Go on."), Run("ls"))
    session = session_of(
        (*steps, Compact("The tax is fixed."), Run("git push"), Say("Pushed.")), "claude-code", tmp_path
    )
    async with running(Path(session.path)) as pilot:
        brief = inspect_screen(pilot).side.brief
        assert str(brief.render()).splitlines()[0] == "state   the user acts next   V: all"
        assert "rule        Never push" in str(brief.render())
        await pilot.click(brief)
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, WorkStateScreen)
        title = str(screen.query_one("#work-state-title", Static).render())
        assert title.startswith("State of the work now   the user acts next")
        rows = screen.query_one(WorkStateList)
        rows.cursor = [row.label for row in rows.rows].index("rule")
        await press(pilot, "enter")
        current = inspect_screen(pilot).messages.current
        assert current is not None and "Never push" in current.text
        await press(pilot, "x")
        lost = pilot.app.screen
        assert isinstance(lost, LostScreen)
        row = lost.query_one(LossList).state_row
        assert row is not None and row.label == "rule broken" and row.text == "git push"
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Reader)


async def test_each_invented_statement_is_a_row_of_the_lost_facts_and_is_marked_in_its_summary(
    running: Opening, tmp_path: Path
) -> None:
    path = Path(session_of(INVENTING, "claude-code", tmp_path).path)
    async with running(path) as pilot:
        await press(pilot, "left", "x")
        lost = pilot.app.screen
        assert isinstance(lost, LostScreen)
        rows = lost.query_one(LossList)
        rows.cursor = next(n for n, row in enumerate(rows.lines) if getattr(row, "fate", "") == "invented")
        await press(pilot, "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader) and reader.message.kind == "summary" and len(reader.hits) == 1
        assert reader.words == ("the user asked to drop the old exports.",)
