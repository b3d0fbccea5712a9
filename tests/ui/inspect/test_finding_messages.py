"""Finding in Inspect and in the reader: searching as one types, filtering, sorting, going to a number."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from inspector.library import Library
from inspector.ui.dialogs.bookmarks_dialog import BookmarksScreen
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.sessions import Sessions
from inspector.ui.widgets.detail import Detail
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, Opening, Word, Writer, chat, inspect_screen, press, settled

DEEP = "nothing to see here. " * 40 + "A heron stands\nin the reeds. " + "and so on. " * 600


def herons() -> dict[str, Any]:
    """A chat with three messages that speak of a heron, one of them far down."""
    request = chat()
    request["messages"] += [
        {"role": "user", "content": "Did you see the Heron?"},
        {"role": "assistant", "content": DEEP},
        {"role": "user", "content": "What else?"},
    ]
    request["messages"][4]["content"] = "The heron comes first."
    return request


def numbers(screen: Inspect) -> list[str]:
    content = screen.messages.content
    assert content is not None
    return [content.number(row) for row in screen.messages.rows]


def line(screen: Inspect) -> str:
    """The row under the cursor, as it is drawn."""
    return "".join(text for text, _ in screen.messages.spans(screen.messages.cursor, 100))


async def typed(pilot: Pilot[None], words: str) -> None:
    await press(pilot, "slash", Word(words))
    await settled(pilot)


async def test_what_is_typed_is_found_counted_and_gone_through(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        finder, messages = screen.pane.finder, screen.messages
        await typed(pilot, "heron")
        assert finder.state.result == "3 of 47 messages"
        assert "3 of 47 messages" in str(screen.pane.prompt.said.content)
        assert messages.current_number == "5", "from the end on, round to the first"
        assert len(messages.rows) == 47
        await press(pilot, "down", "enter")
        assert messages.current_number == "45" and "▸" in line(screen)
        assert screen.focused is messages
        await press(pilot, "n")
        assert messages.current_number == "46"
        assert "A heron stands" in line(screen), "the row shows the place, which is not at the beginning"
        detail = screen.query_one(Detail).detail
        assert detail is not None and detail.lines is not None and detail.first > 0
        assert "heron" in detail.lines[min(detail.places)].text
        await press(pilot, "n", "N")
        assert messages.current_number == "46"
        await press(pilot, "escape")
        assert not finder.state.is_on and pilot.app.screen is screen
        assert "▸" not in line(screen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Sessions)


async def test_a_filter_shows_what_fits_says_so_and_ends(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await typed(pilot, "heron role:user")
        await press(pilot, "tab")
        assert numbers(screen) == ["45"]
        banner = screen.pane.banner
        assert banner.has_class("-only") and "only 1 of 47 messages shown: heron role:user" in str(banner.content)
        await press(pilot, "enter", "left")
        assert numbers(screen) == ["45"], "the filter holds at another turn too"
        await press(pilot, "slash", "tab")
        assert len(numbers(screen)) == len(screen.state.bench.session.messages) - 2
        await press(pilot, "tab", "escape")
        assert not screen.pane.finder.state.is_on and len(numbers(screen)) > 1
        assert not banner.has_class("-shown")


async def test_nothing_that_fits_is_said_and_wrong_words_are_told(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await typed(pilot, "kind:poem")
        assert "There is no kind “poem”" in str(screen.pane.prompt.said.content)
        assert screen.pane.prompt.said.has_class("-wrong")
        await press(pilot, "escape")
        await typed(pilot, "unicorn")
        await press(pilot, "tab")
        assert screen.messages.rows == [] and "no match" in screen.messages.empty
        await press(pilot, "enter", "enter", "n", "p", "y", "O", "b")
        assert pilot.app.screen is screen
        await press(pilot, "escape")
        assert len(screen.messages.rows) == 47


async def test_only_what_was_found_is_lit_and_where_its_words_stand_together(running: Opening, write: Writer) -> None:
    request = herons()
    request["messages"][-1]["content"] = f"{'The reeds are high. ' * 30}I saw a heron in the reeds."
    async with running(write("herons.json", request)) as pilot:
        screen = inspect_screen(pilot)
        await typed(pilot, "heron reeds")
        mark = screen.messages.palette.mark
        lit = {
            row
            for row in range(screen.messages.count)
            for text, style in screen.messages.spans(row, 100)
            if style.underline and style.bgcolor == mark.bgcolor and text.strip()
        }
        assert [numbers(screen)[row] for row in sorted(lit)] == ["46", "47"], "one word alone is no hit"
        screen.messages.cursor = 46
        assert "a heron in the reeds" in line(screen)


async def test_a_folded_run_opens_where_something_in_it_is_found(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter")
        assert any(row.is_folded for row in screen.messages.rows)
        await typed(pilot, "heron")
        await press(pilot, "enter", "n", "n", "n")
        assert screen.messages.current_number in ("5", "45", "46")
        await press(pilot, "G", "n")
        assert screen.messages.current_number == "5"
        assert not screen.messages.rows[screen.messages.cursor].is_folded


async def test_the_list_is_sorted_by_size_and_by_time(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        here = screen.messages.current
        await press(pilot, "S")
        content = screen.messages.content
        assert content is not None
        sizes = [content.tokens(row) for row in screen.messages.rows]
        assert sizes == sorted(sizes, reverse=True) and len(sizes) == 47
        assert screen.messages.current is here
        assert "tokens ▾" in screen.pane.columns.render().plain
        await press(pilot, "s", "enter")
        assert not any(row.is_folded for row in screen.messages.rows)
        await press(pilot, "escape", "S")
        assert numbers(screen) == [str(number) for number in range(1, 48)]


async def test_a_number_leads_to_a_message_or_a_turn(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "colon", Word("12"), "enter")
        assert screen.messages.current_number == "12"
        await press(pilot, "colon", Word("t3"), "enter")
        assert screen.controller.turn == 3
        await press(pilot, "colon", Word("47"), "enter")
        assert screen.messages.current_number == "47", "which is in no window before the last"
        for words in ("48", "t99", "soon", "0"):
            await press(pilot, "colon", Word(words), "enter")
            assert screen.messages.current_number == "47"
        assert [note.message for note in pilot.app._notifications][-1].startswith("There is no message 0")
        await press(pilot, "colon", "escape")
        assert screen.focused is screen.messages


async def test_after_applying_the_cursor_stays_where_it_was(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter", "a")
        current = screen.messages.current
        assert current is not None and current.kind == "summary"
        await press(pilot, "u")
        assert screen.messages.current_number != "47"


async def test_a_message_that_was_found_opens_with_the_words_set_apart(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await typed(pilot, '"heron stands in the"')
        await press(pilot, "enter", "enter")
        reader = pilot.app.screen
        assert isinstance(reader, Reader)
        view = reader.query_one(TextView)
        assert view.places and view.scroll_offset.y <= min(view.places) < view.scroll_offset.y + view.size.height
        marked = [str(view.lines[number]) for number in view.places]
        assert "heron" in marked[0]
        await press(pilot, "escape")
        assert pilot.app.screen is screen


async def test_the_reader_finds_words_of_its_own(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        await press(pilot, "colon", Word("46"), "enter", "enter", "slash", Word('"And so'))
        reader = pilot.app.screen
        assert isinstance(reader, Reader)
        view = reader.query_one(TextView)
        assert "600 places" in str(reader.prompt.said.content)
        await press(pilot, "enter")
        about, first = reader.query_one("#about-text", Static), reader.hit
        assert f"match {first + 1} of 600" in str(about.render())
        await press(pilot, "n")
        assert (reader.hit, view.current) == (first + 1, reader.hits[first + 1])
        await press(pilot, *["N"] * (first + 2))
        assert reader.hit == 599 and "match 600 of 600" in str(about.render()), "round the beginning"
        await press(pilot, "escape")
        assert pilot.app.screen is reader and not view.places
        await press(pilot, "n", "tab", "escape")
        assert isinstance(pilot.app.screen, Inspect)


async def test_a_bookmark_is_set_noted_listed_found_and_taken_away(
    running: Opening, write: Writer, library: Library
) -> None:
    path = write("herons.json", herons())
    async with running(path) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "colon", Word("12"), "enter", "b", Word("the best scan"), "enter")
        assert "•" in line(screen)
        detail = screen.query_one(Detail).detail
        assert detail is not None and detail.note == "the best scan"
        await press(pilot, "colon", Word("20"), "enter", "b", "escape")
        await press(pilot, "b", "enter")
        assert library.store is not None
        stored = library.store.bookmarks.of(screen.state.bench.store_id)
        assert [(mark.position, mark.note) for mark in stored] == [(11, "the best scan"), (19, "")]
        await typed(pilot, "bookmarked")
        assert screen.pane.finder.state.result == "2 of 47 messages"
        await press(pilot, "escape")
    async with running(path) as pilot:
        screen = inspect_screen(pilot)
        assert dict(screen.pane.notes) == {mark.message_id: mark.note for mark in stored}
        await press(pilot, "B")
        listing = pilot.app.screen
        assert isinstance(listing, BookmarksScreen)
        await press(pilot, "down", "D", "up", "enter")
        assert screen.messages.current_number == "12"
        await press(pilot, "b", "ctrl+d", "B")
        assert not screen.pane.notes and pilot.app.screen is screen
        assert library.store.bookmarks.of(screen.state.bench.store_id) == []


async def test_what_a_plan_has_made_takes_no_bookmark(running: Opening, write: Writer) -> None:
    async with running(write("herons.json", herons())) as pilot:
        screen = inspect_screen(pilot)
        await press(pilot, "s", "enter", "a", "b")
        assert not screen.pane.prompt.is_open
        assert any("A plan created this message" in note.message for note in pilot.app._notifications)


async def test_what_only_earlier_windows_hold_is_counted_and_gone_to(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = inspect_screen(pilot)
        await typed(pilot, "OutOfOrderError")
        state = screen.pane.finder.state
        assert not state.hits and len(state.elsewhere) == 6
        assert state.result == "0 of 38 messages, 6 elsewhere in the session"
        await press(pilot, "enter", "n")
        assert screen.messages.current is not None and screen.messages.current.id == state.elsewhere[0]
        assert screen.pane.finder.state.hits and not screen.pane.finder.state.elsewhere
