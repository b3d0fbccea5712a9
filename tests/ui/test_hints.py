"""Hints: each sign is told once, one at a time, and not again at the next start."""

from __future__ import annotations

from rich.cells import cell_len

from inspector.core.settings import load_settings
from inspector.ui.app import InspectorApp
from inspector.ui.dialogs.help import help_lines
from inspector.ui.hints import HINTS, HintBook, show_hint
from inspector.ui.key_remaps import with_keys
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled


def all_hints(book: HintBook, *signs: str, looks: int = 200) -> list[str]:
    return [hint for hint in (book.next_hint(signs) for _ in range(looks)) if hint]


def test_each_sign_is_told_once_and_never_again() -> None:
    first = HintBook()
    assert first.next_hint(["needed", "compacted"]) == with_keys(HINTS["compacted"])
    assert first.next_hint(["needed"]) == "", "one at a time, with a pause"
    assert all_hints(first, "needed", "compacted") == [with_keys(HINTS["needed"])]
    assert all_hints(HintBook(), "needed", "compacted", "estimate") == [HINTS["estimate"]]
    assert all_hints(HintBook(), "no sign of ours") == []


def test_hints_can_be_turned_off_and_on_again() -> None:
    book = HintBook()
    assert "No more hints" in book.switch() and load_settings()["hints"] == "off"
    assert all_hints(book, *HINTS) == [] == all_hints(HintBook(), *HINTS)
    assert "Each symbol" in book.switch() and all_hints(book, *HINTS) == list(map(with_keys, HINTS.values()))


def test_hints_are_short() -> None:
    assert all(len(with_keys(hint)) <= 80 for hint in HINTS.values())


async def test_a_screen_names_the_signs_that_it_shows(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        screen = inspect_screen(pilot)
        assert {"compacted", "estimate", "unrecorded", "reserve"} <= set(screen.signs)
        assert not {"summarised", "trigger"} & set(screen.signs)
        await press(pilot, "s", "enter")
        assert {"summarised", "trigger"} <= set(screen.signs) <= set(HINTS)


async def test_nothing_is_hinted_at_over_a_dialog_or_another_notice() -> None:
    app = InspectorApp([str(SAMPLES / "coding-agent.jsonl")], look_around=False)
    async with app.run_test(notifications=True, size=(120, 40)) as pilot:
        await settled(pilot)
        book = HintBook()
        await press(pilot, "?")
        show_hint(app, book)
        await press(pilot, "escape", "a")
        await pilot.pause(0.2)
        show_hint(app, book)
        assert not any(note.message in HINTS.values() for note in app._notifications)
        app.clear_notifications()
        await app.screen.query("ToastHolder").remove()
        show_hint(app, book)
        await pilot.pause(0.2)
        bar = app.screen.query_one(KeyBar)
        assert bar.render().plain.strip().endswith("◆ compaction: c"), "no row of the list is covered"
        assert bar.render().cell_len <= bar.size.width and "? help" in bar.render().plain
        assert not app._notifications
        await press(pilot, "?")
        await press(pilot, "escape", "left")
        bar.end("◆ compaction: c")
        assert "◆" not in bar.render().plain
        width = bar.size.width
        assert not bar.show_hint("x" * width, "y" * width, 1), "a sentence is never cut"
        assert bar.show_hint("x" * (width // 2), "short", 1) and bar.hint != "short"


def test_the_help_explains_every_hint_and_is_as_wide_as_it_may_be() -> None:
    for width in (40, 60, 90):
        rows = [
            "".join(run for run, _ in line) if isinstance(line, tuple) else line.text
            for line in help_lines("", (), width)
        ]
        text = " ".join(" ".join(rows).split())
        assert all(with_keys(hint) in text for hint in HINTS.values())
        signs = rows[rows.index("Signs and words") :]
        assert all(cell_len(row) <= width for row in signs)
