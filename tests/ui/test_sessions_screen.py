"""The library: listing, filtering, sorting, opening, importing and searching."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Input, Static

from inspector.core.settings import save_setting
from inspector.library import Entry, Library
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.help import Help
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.palette import Palette
from inspector.ui.screens.sessions import HitList, SearchScreen, SessionList, Sessions
from inspector.ui.screens.sessions.columns_dialog import ColumnChoice
from inspector.ui.screens.sessions.import_dialog import FEW, ImportDialog
from inspector.ui.screens.sessions.list_columns import (
    OFFERED,
    SETTING,
    ColumnHeads,
    cell_style,
    cell_text,
    chosen_columns,
    list_columns,
)
from inspector.ui.screens.sessions.panels import PreviewPane
from inspector.ui.screens.sessions.session_list import Heading
from inspector.ui.screens.sessions.unsupported_dialog import UnsupportedDialog
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Opening, Word, chat, inspect_screen, press, settled, until


def fill(place: Path) -> Path:
    """A folder with three sessions and a file that cannot be read."""
    folder = place / "logs"
    folder.mkdir()
    for number, title in enumerate(("Sort the scans", "Water the plants", "Find the tax letter")):
        request = chat(2 + number)
        request["messages"][1]["content"] = title
        (folder / f"{number}.json").write_text(json.dumps(request))
    (folder / "broken.json").write_text("{ no")
    return folder


def titles(pilot) -> list[str]:  # type: ignore[no-untyped-def]
    return [entry.title for entry in pilot.app.screen.query_one(SessionList).entries]


async def test_a_folder_is_listed_with_what_cannot_be_read(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        assert isinstance(pilot.app.screen, Sessions)
        assert {"Sort the scans", "Water the plants", "Find the tax letter"} < set(titles(pilot))
        broken = [entry for entry in pilot.app.screen.query_one(SessionList).entries if entry.problem]
        assert len(broken) == 1 and "broken.json" in broken[0].problem


async def test_a_stored_session_is_removed_after_a_question(running: Opening, library: Library, tmp_path: Path) -> None:
    (outcome,) = library.import_targets([str(fill(tmp_path) / "0.json")])
    assert outcome.addition is not None
    async with running() as pilot:
        assert titles(pilot) == ["Sort the scans"]
        await press(pilot, "D", "escape")
        assert titles(pilot) == ["Sort the scans"], "nothing is removed without consent"
        await press(pilot, "D", "enter")
        assert isinstance(pilot.app.screen, Sessions) and titles(pilot) == ["Sort the scans"], "enter does not agree"
        await press(pilot, "D", "y")
        await settled(pilot)
        assert library.required_store.sessions() == [] and titles(pilot) == []


async def test_a_file_is_not_removed(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "D")
        assert isinstance(pilot.app.screen, Sessions) and len(list(folder.iterdir())) == 4


async def test_enter_opens_the_session_under_the_cursor(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        sessions.cursor = titles(pilot).index("Water the plants")
        await press(pilot, "enter")
        assert inspect_screen(pilot).state.bench.session.title == "Water the plants"


async def test_the_filter_leaves_what_matches_and_escape_brings_all_back(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "/", Word("TAX"))
        assert titles(pilot) == ["Find the tax letter"]
        await press(pilot, "x", "y")
        assert titles(pilot) == []
        assert "No session matches" in str(pilot.app.screen.query_one("#empty", Static).content)
        await press(pilot, "escape")
        assert len(titles(pilot)) == 4


async def test_heads_stay_above_their_columns_when_the_scroll_bar_comes_and_goes(
    running: Opening, tmp_path: Path
) -> None:
    for number in range(60):
        words = f"Sort shelf {number}" if number else "Water the plants"
        (tmp_path / f"{number}.json").write_text(json.dumps([{"role": "user", "content": words}]))
    async with running(tmp_path) as pilot:
        sessions, heads = pilot.app.screen.query_one(SessionList), pilot.app.screen.query_one(ColumnHeads)

        def are_aligned() -> bool:
            return heads.columns == list_columns(sessions.scrollable_content_region.width)

        await press(pilot, "/", Word("plants"))
        await until(pilot, lambda: not sessions.show_vertical_scrollbar)
        await until(pilot, are_aligned)
        await press(pilot, "escape")
        await until(pilot, lambda: sessions.show_vertical_scrollbar)
        await until(pilot, are_aligned)


async def test_s_sorts_by_the_next_column(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "S")
        assert titles(pilot) == ["Find the tax letter", "Sort the scans", "Water the plants", "broken.json"]
        await press(pilot, "S", "S", "S")
        tokens = [entry.tokens or 0 for entry in pilot.app.screen.query_one(SessionList).entries]
        assert tokens == sorted(tokens, reverse=True)


async def test_without_sessions_it_says_how_to_begin(running: Opening) -> None:
    async with running() as pilot:
        shown = pilot.app.screen.query_one("#empty", Static)
        assert shown.has_class("-shown") and "inspector PATH" in str(shown.content)
        await press(pilot, "enter", "s", "i", "2", "1")
        assert pilot.app.is_running


async def test_importing_makes_words_findable(running: Opening, tmp_path: Path, library: Library) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "i")
        assert library.store is not None and len(library.store.sessions()) == 3
        await press(pilot, "F")
        assert isinstance(pilot.app.screen, SearchScreen)
        pilot.app.screen.query_one(Input).value = "plants"
        await settled(pilot)
        hits = pilot.app.screen.query_one(HitList).hits
        assert len(hits) == 1 and hits[0].title == "Water the plants"
        await press(pilot, "down", "enter")
        await settled(pilot)
        assert inspect_screen(pilot).state.bench.session.title == "Water the plants"


async def test_what_is_only_listed_is_searched_too_and_it_is_said_where(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "F", Word("PLANTS"))
        screen = pilot.app.screen
        (hit,) = screen.query_one(HitList).hits
        assert (hit.title, [hit.text[a:b] for a, b in hit.spans]) == ("Water the plants", ["plants"])
        assert str(screen.query_one("#found", Static).content) == "1 message · searched: 0 stored, 3 listed"
        await press(pilot, "down", "enter")
        await settled(pilot)
        inspect = inspect_screen(pilot)
        current = inspect.messages.current
        assert current is not None and set(inspect.pane.finder.state.hits) == {current.id}, "they are looked for there"
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Reader) and pilot.app.screen.words == ("plants",)


async def test_what_is_not_there_is_said_to_be_nowhere(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "F", Word("PLANTS"))
        screen = pilot.app.screen
        await press(pilot, Word(" zeppelin"))
        assert screen.query_one(HitList).hits == ()
        assert "0 messages · searched: 0 stored, 3 listed" in str(screen.query_one("#found", Static).content)


async def test_the_session_under_the_cursor_is_looked_at_and_its_row_gets_counted_numbers(running: Opening) -> None:
    async with running(SAMPLES) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, Sessions) and screen.previews is not None
        seen = screen.previews.latest
        assert seen is not None and seen.verdict is not None and seen.strip is not None
        current = screen.query_one(SessionList).current
        assert current is not None and (current.project, current.estimated) == ("tidegate", True)
        assert seen.verdict.text.startswith("compacted at turn 26") and " goes there" not in seen.verdict.text
        assert "later replies" in seen.verdict.text
        rows = screen.query_one(SessionList)
        lines = ["".join(text for text, _ in rows.spans(line, 140)) for line in range(rows.count)]
        assert "≈150k" in lines[0] and "≈77%" in lines[0], "no tokenizer counts as this model's does"
        rough = next(line for line in lines if line.lstrip().startswith("By Friday"))
        assert "≈190k" in rough and "≈150%" in rough, "what is guessed from lengths has two digits"
        await press(pilot, "down")
        seen = screen.previews.latest
        assert seen is not None and seen.entry.project == "photos" and seen.verdict is not None


async def test_the_first_of_the_samples_is_neither_damaged_nor_too_large(running: Opening) -> None:
    async with running(SAMPLES) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        assert sessions.cursor == 0
        assert not sessions.entries[0].is_over and not sessions.entries[0].damage
        assert sessions.entries[1].damage, "a damaged session has its place by time"


async def test_a_filter_in_force_is_said_over_the_list(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        line = pilot.app.screen.query_one("#in-force", Static)
        assert not line.display
        await press(pilot, "/", Word("tax"), "enter")
        assert line.display and "only “tax”: 1 of 3 sessions · esc: show all" in str(line.content)
        await press(pilot, "escape")
        assert not line.display


async def test_files_without_a_conversation_are_counted_in_one_line_that_says_why(
    running: Opening, tmp_path: Path
) -> None:
    folder = fill(tmp_path)
    (folder / "package.json").write_text('{"name": "lamp"}')
    async with running(folder) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        await press(pilot, "end")
        assert sessions.current is not None and len(sessions.current.unsupported) == 2
        assert "2 files here hold no conversation" in "".join(text for text, _ in sessions.spans(sessions.cursor, 100))
        assert sessions.is_selectable(sessions.cursor)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, UnsupportedDialog)
        assert any("package.json" in reason for reason in pilot.app.screen.reasons)


async def test_keys_that_come_before_the_list_are_done_once_it_is_there(library: Library, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    app = InspectorApp([str(folder)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        app.screen.query_one(SessionList).action_move(1)
        app.screen.query_one(SessionList).action_open()
        await settled(pilot)
        assert inspect_screen(pilot).state.bench.session.title == "Water the plants"


async def test_an_import_that_is_asked_for_too_early_is_put_off(library: Library, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    app = InspectorApp([str(folder)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, Sessions)
        app.sessions.list_sessions()
        screen.action_import()
        await settled(pilot)
        assert any("still being listed" in notice.message for notice in app._notifications)
        assert library.store is not None and not library.store.sessions()


async def test_what_lies_on_the_machine_is_counted_and_listed_when_it_is_asked_for(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    folder = tmp_path / "claude" / "projects" / "-pier"
    folder.mkdir(parents=True)
    (folder / "gate.jsonl").write_bytes((SAMPLES / "damaged.jsonl").read_bytes())
    app = InspectorApp([], library)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        screen = app.screen
        text = str(screen.query_one("#empty", Static).content)
        assert "1 session of Claude Code" in text
        assert text.index("h   list") < text.index("T   try") < text.index("inspector PATH")
        await press(pilot, "h")
        assert [entry.origin for entry in screen.query_one(SessionList).entries] == ["found"]
        assert library.store is not None and not library.store.sessions()
        await press(pilot, "h")
        assert titles(pilot) == []


async def test_stored_sessions_from_elsewhere_stand_under_a_heading_of_their_own(
    running: Opening, tmp_path: Path, library: Library
) -> None:
    list(library.import_targets([str(SAMPLES / "support-ticket.json")]))
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        sessions = pilot.app.screen.query_one(SessionList)
        assert [entry.origin for entry in sessions.entries] == ["given"] * 4 + ["stored"]
        headings = [row.text for row in sessions.rows if isinstance(row, Heading)]
        assert headings == ["in the store · 1 session"]
        await press(pilot, "end")
        assert sessions.current is not None and sessions.current.origin == "stored"


async def test_help_opens_over_every_screen_and_closes_again(running: Opening, tmp_path: Path) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "?")
        assert isinstance(pilot.app.screen, Help)
        await press(pilot, "escape", "enter", "?")
        assert isinstance(pilot.app.screen, Help)


async def test_quitting_in_the_middle_of_work_leaves_nothing_half_done(
    running: Opening, tmp_path: Path, library: Library
) -> None:
    folder = fill(tmp_path)
    async with running(folder) as pilot:
        await pilot.press("i")
        await pilot.press("ctrl+q")
    assert library.store is not None
    for row in library.store.sessions():
        assert len(library.store.load(row.id).messages) == row.messages


async def test_a_file_of_several_sessions_opens_its_first_and_lists_them_all(running: Opening, tmp_path: Path) -> None:
    turns = [{"from": "human", "value": "Who are you?"}, {"from": "gpt", "value": "A lamp."}]
    path = tmp_path / "chats.json"
    path.write_text(json.dumps([{"id": f"c{number}", "conversations": turns} for number in range(3)]))
    async with running(path) as pilot:
        assert inspect_screen(pilot).state.bench.session.messages
        await press(pilot, "1")
        await settled(pilot)
        assert [entry.number for entry in pilot.app.screen.query_one(SessionList).entries] == ["#1", "#2", "#3"]


async def test_many_sessions_are_imported_only_when_that_was_asked_for(running: Opening, tmp_path: Path) -> None:
    for number in range(FEW + 1):
        (tmp_path / f"{number:02}.json").write_text(json.dumps(chat(1, 2 + number)))
    async with running(tmp_path) as pilot:
        app, screen = pilot.app, pilot.app.screen
        assert isinstance(app, InspectorApp) and app.store is not None and isinstance(screen, Sessions)
        await press(pilot, "down", "i")
        assert isinstance(app.screen, ImportDialog)
        assert f"Import {FEW + 1} sessions" in str(app.screen.query_one(".heading", Static).content)
        await press(pilot, "escape")
        assert not app.store.sessions()
        await press(pilot, "i", "enter")
        assert len(app.store.sessions()) == 1, "the one under the cursor"


async def test_a_folder_without_sessions_is_told_once_with_what_can_be_done(running: Opening, tmp_path: Path) -> None:
    empty = tmp_path / "logs"
    empty.mkdir()
    async with running(empty) as pilot:
        screen = pilot.app.screen
        text = str(screen.query_one("#empty", Static).content)
        assert "contains no conversation" in text and "try sample sessions" in text
        assert not screen.query_one(PreviewPane).display
        keys = [key.key for key in screen.query_one(KeyBar).keys]
        assert "T" in keys and "enter" not in keys
        await press(pilot, "2")
        assert [note.message for note in pilot.app._notifications] == [
            "No session is open yet: T in Sessions opens samples."
        ]


def test_a_small_share_is_no_share_of_nothing() -> None:
    (peak,) = list_columns(40, ["peak"])
    for share, text in ((0.002, "<1%"), (0.0, "0%"), (0.021, "2%")):
        assert (
            cell_text(Entry("a.json", "Lamp", "stored", tokens=9, peak_share=share, peak_estimated=False), peak) == text
        )


def test_a_window_that_is_too_large_is_red_and_named_before_it_is_counted() -> None:
    over = Entry("a.json", "Lamp", "given", tokens=190_000, estimated=True, peak_share=1.52)
    state = {column.name: column for column in list_columns(160)}["state"]
    short = {column.name: column for column in list_columns(80)}["state"]
    assert over.is_over and (cell_text(over, state), cell_text(over, short)) == ("≈over", "!")
    palette = Palette({"error": "#ff0000", "warning": "#ffff00", "ink-muted": "#888888"})
    assert cell_style(over, "peak", palette) == palette.ink("error", bold=True)
    damaged = Entry("b.json", "Lamp", "given", damage=2)
    assert (cell_text(damaged, state), cell_text(damaged, short)) == ("damaged", "!")


def test_a_value_that_is_not_counted_differs_from_one_that_is_not_recorded() -> None:
    columns = {column.name: column for column in list_columns(200, OFFERED)}
    found = Entry("a.json", "Lamp", "found", changed="2026-01-02T03:04:05")
    assert [cell_text(found, columns[name]) for name in ("messages", "size", "peak", "cost")] == ["?"] * 4
    assert cell_text(found, columns["when"]) == "2026-01-02 03:04"
    read = Entry("a.json", "Lamp", "given", messages=2, tokens=9, is_detailed=True, rereads=0)
    assert [cell_text(read, columns[name]) for name in ("peak", "cost", "re-reads", "when")] == ["–", "–", "", "–"]


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
@pytest.mark.parametrize("chosen", [(), OFFERED, ("cost", "when")])
def test_columns_fill_the_line_and_leave_room_for_the_title(width: int, chosen: tuple[str, ...]) -> None:
    columns = list_columns(width, chosen)
    ends = [column.start + column.cells for column in columns]
    assert ends == [*(column.start for column in columns[1:]), width]
    assert columns[0].start > 0 and (columns[0].start > 16 or len(columns) == 1)
    assert all(cell_len(column.fit(column.head, clips=False)) == column.cells for column in columns)


async def test_a_click_on_a_head_sorts_and_a_second_one_reverses(running: Opening, tmp_path: Path) -> None:
    async with running(fill(tmp_path)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, Sessions)
        heads = screen.query_one(ColumnHeads)
        size = next(column for column in heads.columns if column.name == "size")
        for arrow, is_reversed in (("size▾", False), ("size▴", True)):
            await pilot.click(ColumnHeads, offset=(size.start + 2, 0))
            await settled(pilot)
            tokens = [entry.tokens or 0 for entry in screen.query_one(SessionList).entries if not entry.problem]
            assert tokens == sorted(tokens, reverse=not is_reversed) and arrow in str(heads.render())
        await press(pilot, "I")
        assert screen.order == ("size", False)


async def test_chosen_columns_are_shown_counted_and_kept(running: Opening) -> None:
    async with running(SAMPLES) as pilot:
        await press(pilot, "L", "0", "L")
        choice = pilot.app.screen.query_one(ColumnChoice)
        choice.cursor = choice.names.index("cost")
        await press(pilot, "space", *["K"] * len(choice.names), "escape")
        sessions = pilot.app.screen.query_one(SessionList)
        assert sessions.chosen[0] == "cost" and chosen_columns() == (tuple(sessions.chosen), "")
        await settled(pilot)
        costs = {Path(entry.path).name: entry.cost for entry in sessions.entries}
        assert round(costs["coding-agent.jsonl"] or 0, 2) == 3.25 and costs["research.json"] is None
        assert all(entry.is_detailed for entry in sessions.entries)


def test_an_unknown_column_in_the_settings_is_ignored_in_one_sentence() -> None:
    save_setting(SETTING, "cost colour")
    assert chosen_columns() == (("cost",), "settings.toml, library_columns: there is no column colour.")
