"""The memory stores of other programs on screen 5: findings, items, and a search over all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.ui.screens.memory.stores_screen import StoreItemList, StoreList, StoresScreen
from tests.driving import SAMPLES, Opening, press, settled
from tests.formats.memory_samples import mem0

TICKET = SAMPLES / "support-ticket.json"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty project in the home folder, which is the current folder."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(folder)
    return folder


async def test_stores_findings_and_items_are_listed_and_searched(running: Opening, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("- Use pnpm, never npm.\n- Use npm to install.\n- See `src/gone.py`.\n", "utf-8")
    mem0(shop)
    async with running(TICKET, size=(140, 40)) as pilot:
        await press(pilot, "5", "h")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, StoresScreen)
        groups = screen.query_one(StoreList).groups
        assert [group.title for group in groups] == ["findings", "all items", "shop/CLAUDE.md", "shop/history.db"]
        items = screen.query_one(StoreItemList)
        assert [row.name for row in items.rows] == ["dead reference", "contradiction"]
        await press(pilot, "right", "y")
        assert "-- See `src/gone.py`." in pilot.app.clipboard
        await press(pilot, "slash", *"lamp")
        await settled(pilot)
        assert [row.text for row in items.rows] == ["The lamp is green."]
        assert items.rows[0].facts[0].startswith("rank 1: bm25 #1") and items.rows[0].facts[1] == "words: lamp"
        await press(pilot, "escape")
        assert [row.name for row in items.rows] == ["dead reference", "contradiction"], "the search is closed"
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, StoresScreen)


async def test_the_sessions_that_loaded_an_item_are_listed(running: Opening, shop: Path) -> None:
    mem0(shop)
    chat = shop / "chat.json"
    chat.write_text('[{"role": "user", "content": "I recall:\\nThe lamp is green.\\nRight?"}]', encoding="utf-8")
    async with running(chat, size=(140, 40)) as pilot:
        await press(pilot, "5", "h")
        await settled(pilot)
        items = pilot.app.screen.query_one(StoreItemList)
        await press(pilot, "down", "right", "1")
        await settled(pilot)
        assert [(row.name, row.path) for row in items.rows] == [("chat.json", str(chat))]
        assert "I recall" in items.rows[0].text


async def test_without_findings_the_items_are_shown_first(running: Opening, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("- Use pnpm, never npm.\n", "utf-8")
    async with running(TICKET, size=(140, 40)) as pilot:
        await press(pilot, "5", "h")
        await settled(pilot)
        stores, items = pilot.app.screen.query_one(StoreList), pilot.app.screen.query_one(StoreItemList)
        assert stores.groups[stores.cursor].title == "all items"
        assert [row.text for row in items.rows] == ["Use pnpm, never npm."]


async def test_without_stores_the_screen_says_what_to_do(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    async with running(TICKET, size=(100, 30)) as pilot:
        monkeypatch.chdir(folder)
        await press(pilot, "5", "h")
        await settled(pilot)
        items = pilot.app.screen.query_one(StoreItemList)
        assert [row.name for row in items.rows] == ["open a folder", "open a file", "write rules", "try it"]
        assert str(folder) in items.rows[0].facts[0]


async def test_a_search_names_the_words_that_a_result_lacks(running: Opening, shop: Path) -> None:
    (shop / "CLAUDE.md").write_text("- Paint the office lamp.\n- Sell the lamp.\n- Be brief.\n", "utf-8")
    async with running(TICKET, size=(140, 40)) as pilot:
        await press(pilot, "5", "h")
        await settled(pilot)
        await press(pilot, "slash", *"lamp office")
        await settled(pilot)
        rows = pilot.app.screen.query_one(StoreItemList).rows
        assert [(row.text, row.is_partial) for row in rows[:2]] == [
            ("Paint the office lamp.", False),
            ("Sell the lamp.", True),
        ]
        assert "without: office" in rows[1].facts


async def test_a_damaged_database_is_shown_with_a_sentence(running: Opening, shop: Path) -> None:
    path = mem0(shop)
    path.write_bytes(path.read_bytes()[:60])
    async with running(TICKET, size=(140, 40)) as pilot:
        await press(pilot, "5", "h")
        await settled(pilot)
        group = pilot.app.screen.query_one(StoreList).groups[-1]
        assert (group.title, group.about.strip()) == ("shop/history.db", "damaged")
        await press(pilot, "end")
        await settled(pilot)
        (row,) = pilot.app.screen.query_one(StoreItemList).rows
        assert row.name == "not read" and row.text.endswith("its memories cannot be read.")
