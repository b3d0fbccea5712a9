"""The Memory screen, driven by keys: the tiers, moving things, searching, what a query would put in, and the notes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.library import Library
from inspector.memory import OfflineClient, SQLiteMemoryManager, play_scenarios
from inspector.store import Store
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.question import Confirmation
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.memory.inject_screen import InjectScreen
from inspector.ui.screens.memory.notes_screen import NotesScreen
from inspector.ui.screens.memory.panels import ItemPane, TierHead
from inspector.ui.screens.memory.screen import MemoryScreen
from inspector.ui.screens.sessions import Sessions
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, Word, burst, press, settled

Kind = TypeVar("Kind", bound=Screen[Any])
TICKET = SAMPLES / "support-ticket.json"
SIZES = [(80, 24), (120, 36), (160, 50)]
HOSTILE = "\x1b]0;owned\x07 \x1b[2J\x9b31m \u202eevil\u2066 [bold]markup[/] \x00 \x7f \u200b漢字 end"
FACTS = (
    "The customer prefers a refund to a new lamp.",
    "Lamps of the series Halo were recalled in spring: their cable breaks.",
    "A refund of a lamp takes five working days.",
)


def front(pilot: Pilot[None], kind: type[Kind]) -> Kind:
    screen = pilot.app.screen
    assert isinstance(screen, kind), screen
    return screen


def memory_screen(pilot: Pilot[None]) -> MemoryScreen:
    return front(pilot, MemoryScreen)


def counts(pilot: Pilot[None]) -> tuple[int, ...]:
    tiers = memory_screen(pilot).state.tiers
    assert tiers is not None
    return tuple(table.count for table in tiers)


def told(pilot: Pilot[None]) -> str:
    return [note.message for note in pilot.app._notifications][-1]


def store_of(pilot: Pilot[None]) -> Store:
    assert isinstance(pilot.app, InspectorApp) and pilot.app.store is not None
    return pilot.app.store


def remember(library: Library, *texts: str) -> None:
    assert library.store is not None
    for text in texts:
        library.store.entries.remember("fact", text, origin="user", reason="told by hand")


def text_of(view: TextView) -> str:
    lines = ("".join(run for run, _ in line) if isinstance(line, tuple) else line.text for line in view.lines)
    return "\n".join(lines)


async def test_an_empty_tier_leaves_its_room_to_the_others_and_messages_say_what_was_done(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl", size=(160, 50)) as pilot:
        await press(pilot, "5")
        screen = memory_screen(pilot)
        assert screen.lists["persistent"].size.width <= 32 < screen.lists["session"].size.width - 20
        lists = (screen.lists["working"], screen.lists["session"])
        assert all(any("CHANGELOG.md · +8 −0" in row.line(80) for row in tier.rows) for tier in lists)
        await press(pilot, "right", "right")
        assert screen.lists["persistent"].size.width > 40, "it has its room actual depth in hand"


async def test_items_move_between_the_tiers_and_the_counts_follow(running: Opening) -> None:
    async with running(TICKET) as pilot:
        await press(pilot, "5")
        screen = memory_screen(pilot)
        working, session, persistent = counts(pilot)
        assert working and session and persistent == 0
        assert screen.current is not None and screen.current.number == str(session), "the newest is under the cursor"
        assert "no persistent memories yet" in str(screen.query_one("#remembered", Static).render())
        await press(pilot, "]")
        assert counts(pilot) == (working, session, 1) and "in the persistent tier" in told(pilot)
        await press(pilot, "left")
        assert screen.state.focus == "persistent" and screen.lists["persistent"].has_focus
        await press(pilot, "p")
        assert screen.current is not None and screen.current.is_pinned
        await press(pilot, "[")
        assert counts(pilot) == (working, session + 1, 0) and screen.query_one(ItemPane).item is None
        await press(pilot, "left", "home", "]")
        assert counts(pilot) == (working, session, 1)
        await press(pilot, "right", "D")
        assert "Forget memory" in str(front(pilot, Confirmation).query_one(".heading", Static).render())
        await press(pilot, "escape")
        assert counts(pilot) == (working, session, 1)
        await press(pilot, "D", "y")
        assert counts(pilot) == (working, session, 0) and told(pilot) == "Forgotten."
        await press(pilot, "D", "p", "[", "]", "enter", "space")
        assert memory_screen(pilot) is screen, "on an empty tier they say so, and do nothing"


async def test_keys_in_a_burst_and_while_it_reads(running: Opening) -> None:
    async with running(TICKET) as pilot:
        await burst(pilot, "5", "]", "up", "[", "right", "right", "p", "D", "tab", "shift+tab", "enter", "i", "escape")
        working, session, persistent = counts(pilot)
        assert working and session and persistent <= 1, "it depends on what was read by then"
        memory_screen(pilot).action_tier("working")
        await press(pilot, "home")
        await burst(pilot, "]", "down", "]", "right", "right", "p")
        assert counts(pilot) == (working, session, persistent + 2)
        await burst(pilot, "/", "x", "escape", "i", "escape", "H", "escape", "escape", "5", "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_what_is_found_explains_itself(running: Opening, library: Library) -> None:
    remember(library, *FACTS, *(f"lamp {number} " * 900 for number in range(3)))
    async with running(TICKET, size=(80, 24)) as pilot:
        await press(pilot, "5", "/")
        screen = memory_screen(pilot)
        words = screen.query_one("#memory-words", Input)
        assert words.has_focus and screen.state.focus == "persistent"
        await press(pilot, Word("lamp refund"))
        rows = screen.lists["persistent"].rows
        assert {row.text for row in rows[:3]} == set(FACTS)
        assert screen.lists["persistent"].hits == sum(not row.reason for row in rows) == 3
        pane = str(screen.query_one(ItemPane).render())
        assert "bm25 #1 (" in pane and "tokens" in pane
        await press(pilot, "enter", "end")
        assert screen.current is not None and "it has" in screen.current.reason
        assert f"✗ {screen.current.reason}" in " ".join(str(screen.query_one(ItemPane).render()).split())
        await press(pilot, "/")
        await press(pilot, *["backspace"] * 11, Word("zzz"))
        assert screen.lists["persistent"].count == 0 and "no match" in screen.lists["persistent"].empty
        await press(pilot, "escape")
        assert screen.state.search is None and len(screen.lists["persistent"].rows) == 6
        assert words.value == "" and screen.lists["persistent"].has_focus
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_what_a_query_would_put_in_is_shown_and_put_in(running: Opening, library: Library) -> None:
    remember(library, *FACTS)
    async with running(TICKET) as pilot:
        await press(pilot, "5", "i")
        dialog = front(pilot, InjectScreen)
        assert dialog.draft is not None, "without words, the current request is looked for"
        await press(pilot, Word("refund"))
        draft = dialog.draft
        assert draft is not None and draft.retrieval.query == "refund" and len(draft.retrieval.results) == 2
        shown = text_of(dialog.query_one(TextView))
        for line in draft.text.split("\n"):
            assert line[:60] in shown
        assert "bm25 #1" in shown
        before, after = draft.preview.before.total, draft.preview.after.total
        assert draft.tokens == after - before > 0
        assert f"+{draft.tokens:,} tokens" in str(dialog.query_one("#inject-verdict", Static).render())
        await press(pilot, "enter")
        screen = memory_screen(pilot)
        assert screen.state.tiers is not None and screen.state.tiers.preview is not None
        assert screen.state.tiers["working"].tokens == after
        new = next(row for row in screen.lists["working"].rows if row.message and row.message.kind == "injected")
        assert new.text == draft.text and new.section == "memory"
        assert all(entry.used_at for entry in store_of(pilot).entries.page() if "refund" in entry.text)
        await press(pilot, "u")
        assert screen.state.tiers["working"].tokens == before and "Undone" in told(pilot)
        await press(pilot, "U")
        assert screen.state.tiers["working"].tokens == after and "Redone" in told(pilot)


async def test_the_budget_and_the_number_are_turned_while_one_looks(running: Opening, library: Library) -> None:
    remember(library, *FACTS)
    async with running(TICKET) as pilot:
        await press(pilot, "5", "i", Word("lamp refund"), "down")
        dialog = front(pilot, InjectScreen)
        assert dialog.draft is not None and len(dialog.draft.retrieval.results) == 3
        await press(pilot, "<", "<", "<")
        assert (dialog.limit, len(dialog.draft.retrieval.results)) == (2, 2)
        assert "the limit is 2 results" in text_of(dialog.query_one(TextView))
        await burst(pilot, *"----+")
        assert dialog.budget == 500 and dialog.draft.retrieval.budget == 500
        await press(pilot, "a")
        assert any(row.message and row.message.kind == "injected" for row in memory_screen(pilot).lists["working"].rows)


async def test_nothing_goes_in_where_nothing_fits(running: Opening) -> None:
    async with running(TICKET) as pilot:
        await press(pilot, "5", "/", Word("refund"))
        assert memory_screen(pilot).lists["persistent"].empty == "  no match"
        await press(pilot, "escape", "i", Word("refund"), "enter")
        dialog = front(pilot, InjectScreen)
        assert told(pilot) == "No memory matches."
        await press(pilot, "escape", "escape")
        assert dialog.draft is not None and isinstance(pilot.app.screen, Inspect)


async def test_an_item_leads_to_where_it_comes_from(running: Opening, library: Library) -> None:
    remember(library, "From nowhere.")
    async with running(TICKET) as pilot:
        await press(pilot, "5", "up", "up")
        message = memory_screen(pilot).current
        await press(pilot, "enter")
        inspect = front(pilot, Inspect)
        assert message is not None and message.message is not None and inspect.messages.current is not None
        assert inspect.messages.current.id == message.message.id
        await press(pilot, "5", "left", "enter")
        assert "From nowhere." in text_of(front(pilot, Reader).query_one(TextView))
        await press(pilot, "escape")
        assert memory_screen(pilot).state.focus == "persistent"


async def test_without_a_session_there_are_the_memories_of_all(library: Library) -> None:
    remember(library, *FACTS)
    app = InspectorApp([], library, look_around=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        assert counts(pilot) == (0, 0, 3) and memory_screen(pilot).state.focus == "persistent"
        await press(pilot, "i")
        assert "No session is open yet" in told(pilot)
        await press(pilot, "u", "[", "left", "left", "p", "D", "]", "H", "escape", "escape")
        assert isinstance(pilot.app.screen, Sessions)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_with_nothing_saved_the_stores_of_other_programs_are_named_with_their_key(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    app = InspectorApp([], library, look_around=False)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        assert "Press h for the first steps" in str(memory_screen(pilot).query_one("#remembered", Static).render())
        Path("CLAUDE.md").write_text("# Shop\n\n- Use tabs.\n- Never push to main.\n", encoding="utf-8")
        await press(pilot, "1", "5")
        screen = memory_screen(pilot)
        said = str(screen.query_one("#remembered", Static).render())
        assert said.strip(" ▌") == "Press h to read 2 items in 1 memory store of other programs."
        assert "CLAUDE.md" in str(screen.query_one(ItemPane).render())


async def test_the_notes_of_a_conversation_version_by_version(running: Opening, library: Library) -> None:
    assert library.store is not None
    async with running(TICKET) as pilot:
        await press(pilot, "5", "H")
        notes = front(pilot, NotesScreen)
        assert "No agent has saved notes here yet" in str(notes.query_one("#empty", Static).render())
        await asyncio.to_thread(write_notes, Path(library.store.path).with_name("working-memory.db"))
        await press(pilot, "f5")
        ids = [each.conversation_id for each in notes.conversations.notes]
        assert ids == ["support_ticket_12345", "user_bob_session_002", "user_alice_session_001"]
        view = notes.query_one(TextView)
        assert text_of(view).startswith("+1 line, −0 lines") and "+ - Customer Jane Smith is back" in text_of(view)
        await press(pilot, "left", "left", "left", "left", "left", "left")
        assert text_of(view).splitlines()[0] == "the first version, 1 line"
        await press(pilot, "right")
        assert "+ - Issue: Charged twice" in text_of(view) and "  - Customer Jane Smith" in text_of(view)
        await press(pilot, "down", "down")
        assert "+ - I prefer practical examples" in text_of(view)
        await press(pilot, "escape")
        memory_screen(pilot)


def write_notes(path: Path) -> None:
    asyncio.run(play_scenarios(OfflineClient(), SQLiteMemoryManager(path)))


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_text_is_shown_harmlessly(running: Opening, library: Library, size: tuple[int, int]) -> None:
    assert library.store is not None
    library.store.entries.remember("preference", HOSTILE, key=HOSTILE, reason=HOSTILE, origin=HOSTILE)
    async with running(TICKET, size=size) as pilot:
        await press(
            pilot, "5", "left", "/", Word("markup end"), "enter", "space", "escape", "i", "down", "a", "right", "D"
        )
        picture = pilot.app.export_screenshot()
        assert "\x1b" not in picture and "\u202e" not in picture and "\x9b" not in picture
        assert "[bold]markup[/]" in store_of(pilot).entries.page(1)[0].text
        for other in SIZES:
            await pilot.resize_terminal(*other)
            await settled(pilot)
            assert all(head.size.height == 3 for head in pilot.app.screen_stack[0].query(TierHead))


@pytest.mark.parametrize("size", SIZES)
async def test_the_focused_tier_has_the_room(running: Opening, library: Library, size: tuple[int, int]) -> None:
    remember(library, *FACTS)
    async with running(TICKET, size=size) as pilot:
        await press(pilot, "5")
        screen = memory_screen(pilot)
        for name in ("working", "session", "persistent"):
            widths = {other: rows.size.width if rows.display else 0 for other, rows in screen.lists.items()}
            assert screen.state.focus == name and widths[name] >= max(widths.values()) - 1
            visible = [other for other, width in widths.items() if width]
            assert len(visible) == (1 if size[0] < 108 else 3)
            if size[0] >= 150:
                assert max(widths.values()) - min(widths.values()) <= 2
            await press(pilot, "right")
        keys = screen.query_one(KeyBar)
        assert {"/", "i"} <= {key.key for key in keys.fitting()}


Look = Callable[[Pilot[None]], Awaitable[None]]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36", "160x50"])
def test_pictures(snap_compare: Callable[..., bool], library: Library, size: tuple[int, int]) -> None:
    """The tiers at the widest, a search in the middle, and what a query would put in at the narrowest."""

    assert library.store is not None
    library.store.entries._clock = lambda: "2026-05-01T12:00:00Z"

    async def act(pilot: Pilot[None]) -> None:
        await settled(pilot)
        remember(library, *FACTS, "lamp " * 1_200)
        await press(pilot, "5", "]", "up", "up", "]")
        if size[0] == 120:
            await press(pilot, "/", Word("lamp refund"))
        elif size[0] == 80:
            await press(pilot, "i", Word("refund"))
        pilot.app.clear_notifications()

    app = InspectorApp([str(TICKET)], library, look_around=False)
    assert snap_compare(app, terminal_size=size, run_before=act)
