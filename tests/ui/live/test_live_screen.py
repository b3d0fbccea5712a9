"""LiveScreen, driven by keys, while a program writes: what is seen is asserted on the state behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.analysis.context_loss import restore
from inspector.formats import load
from inspector.library import Library
from inspector.library.tailing import FreshMessage, RecordedCompaction
from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import RollupPeriod
from inspector.ui.dialogs import WorkStateScreen
from inspector.ui.dialogs.state_dialog import WorkStateList
from inspector.ui.screens.live.panels import EventList, OfferList, next_line, pulse
from inspector.ui.screens.live.screen import LiveScreen
from inspector.ui.screens.state_brief import StateBrief
from inspector.ui.widgets.bars import WindowBars
from inspector.ui.widgets.scrubber import Scrubber
from inspector.ui.widgets.verdict_line import VerdictLine
from tests import warm
from tests.cli.calling import transcript, written
from tests.cli.test_cli_restore import compacted
from tests.driving import SAMPLES, Opening, inspect_screen, press, settled, until
from tests.formats.written import Scribe, calls

WRITER = """
import sys, time
source, path, start = sys.argv[1:]
with open(source, "rb") as lines, open(path, "ab", buffering=0) as file:
    for line in lines.readlines()[int(start):]:
        file.write(line[: len(line) // 2])
        file.write(line[len(line) // 2 :])
"""


def live_screen(pilot: Pilot[None]) -> LiveScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, LiveScreen)
    return screen


async def arrived(pilot: Pilot[None], holds: Callable[[], object]) -> None:
    await until(pilot, holds)
    await settled(pilot)


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Path, int]:
    """The beginning of a long recording, and how many lines it has."""
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    count = next(place for place, line in enumerate(lines) if b"isCompactSummary" in line) - 3
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:count]))
    return path, count


async def follow(pilot: Pilot[None]) -> LiveScreen:
    """Follow the session that changed last."""
    await press(pilot, "7")
    screen = live_screen(pilot)
    await arrived(pilot, lambda: bool(screen.state.offers))
    await press(pilot, "enter")
    await arrived(pilot, lambda: screen.state.verdict is not None)
    return screen


async def test_what_a_program_writes_is_seen_as_it_comes(running: Opening, begun: tuple[Path, int]) -> None:
    path, count = begun
    async with running(path.parent) as pilot:
        screen = await follow(pilot)
        assert screen.state.target == str(path)
        first = screen.state
        assert first.moment is not None
        assert first.verdict is not None and "never compacted" in first.verdict.text
        assert warm.run(["-c", WRITER, SAMPLES / "coding-agent.jsonl", path, count]).returncode == 0
        await arrived(
            pilot, lambda: screen.state.moment is not None and len(screen.state.moment.session.messages) == 144
        )
        await arrived(pilot, lambda: screen.state.verdict is not None and screen.state.verdict.kind == "compacted")
        state = screen.state
        assert state.moment is not None
        (compaction,) = [event for event in state.events if isinstance(event, RecordedCompaction)]
        assert compaction.turn == 26
        assert str(compaction.sizes) == "153,703 → 15,956", "as the provider reported them"
        place = state.events.index(compaction)
        after = state.events[place + 1]
        assert isinstance(after, FreshMessage) and after.message.kind == "summary"
        numbers = [event.number for event in state.events if isinstance(event, FreshMessage)]
        assert numbers == list(range(1, 145)), "each once, in order"
        assert screen.query_one(WindowBars).preview is state.preview
        assert state.preview is not None and state.preview.before.total == state.moment.window.total
        strip = screen.query_one(Scrubber).turns
        assert strip is not None and strip.timeline.compactions == (26,)
        assert screen.query_one(VerdictLine).verdict is state.verdict
        assert state.following is not None and state.following.turn == len(state.moment.session.turns("main")) + 1
        assert screen.query_one(EventList).cursor == len(state.events) - 1, "the newest is in sight"


async def test_the_note_that_keeps_facts_is_copied(running: Opening, begun: tuple[Path, int]) -> None:
    async with running(begun[0].parent) as pilot:
        screen = await follow(pilot)
        following = screen.state.following
        assert following is not None and "rule" in following.counts
        assert "rules" in next_line(following, 120, screen.palette).plain
        await press(pilot, "y")
        assert pilot.app.clipboard == following.note and following.note.startswith("/compact Keep verbatim")


async def test_a_message_opens_in_inspect(running: Opening, begun: tuple[Path, int]) -> None:
    async with running(begun[0].parent) as pilot:
        screen = await follow(pilot)
        await press(pilot, "up", "up", "enter")
        await arrived(pilot, lambda: not isinstance(pilot.app.screen, LiveScreen))
        await settled(pilot)
        event = screen.query_one(EventList).current
        assert isinstance(event, FreshMessage)
        current = inspect_screen(pilot).messages.current
        assert current is not None and current.id == event.message.id


@pytest.mark.parametrize(("size", "is_line"), [((80, 24), True), ((160, 50), False)])
async def test_the_state_takes_one_line_where_there_is_little_room(
    running: Opening, begun: tuple[Path, int], size: tuple[int, int], is_line: bool
) -> None:
    async with running(begun[0].parent, size=size) as pilot:
        screen = await follow(pilot)
        brief = screen.query_one(StateBrief)
        await arrived(pilot, lambda: brief.work is not None)
        lines = str(brief.render()).split("\n")
        assert "acts next" in lines[0] and brief.region.bottom <= size[1]
        assert (len(lines) == 1, brief.size.height == 1) == (is_line, is_line)


async def test_an_item_of_the_state_opens_its_message_in_inspect(running: Opening, begun: tuple[Path, int]) -> None:
    async with running(begun[0].parent) as pilot:
        screen = await follow(pilot)
        assert str(screen.query_one(StateBrief).render()).startswith("state   ")
        await press(pilot, "V")
        assert isinstance(pilot.app.screen, WorkStateScreen)
        row = pilot.app.screen.query_one(WorkStateList).current
        assert row is not None
        await press(pilot, "enter")
        await arrived(pilot, lambda: not isinstance(pilot.app.screen, LiveScreen | WorkStateScreen))
        current = inspect_screen(pilot).messages.current
        assert current is not None and current.id == row.message


async def test_a_pause_holds_what_comes_until_it_ends(running: Opening, tmp_path: Path) -> None:
    records = transcript(turns=30)
    path = written(tmp_path / "log.jsonl", records[:-2])
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        await press(pilot, "space")
        assert "paused" in pulse(screen.state, 80, screen.palette).plain
        written(path, records)
        await pilot.pause(0.6)
        assert len(screen.state.events) == 59
        await press(pilot, "space")
        await arrived(pilot, lambda: len(screen.state.events) == 61)
        assert "● live" in pulse(screen.state, 80, screen.palette).plain


async def test_the_cursor_stays_where_the_person_put_it(running: Opening, tmp_path: Path) -> None:
    records = transcript(turns=30)
    path = written(tmp_path / "log.jsonl", records[:-2])
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        rows = screen.query_one(EventList)
        await press(pilot, "up", "up")
        current = rows.current
        written(path, records)
        await arrived(pilot, lambda: rows.count == 61)
        assert rows.current == current and rows.cursor == 56
        await press(pilot, "G")
        assert rows.cursor == 60 and rows.stays


async def test_what_is_cut_off_is_gone(running: Opening, tmp_path: Path) -> None:
    lines = (SAMPLES / "coding-agent.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines))
    place = next(place for place, line in enumerate(lines) if b"isCompactSummary" in line) - 3
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        path.write_bytes(b"".join(lines[:place]))
        await arrived(pilot, lambda: bool(screen.state.moment and screen.state.moment.is_cut))
        numbers = [event.number for event in screen.state.events]
        assert screen.state.moment is not None
        assert numbers == list(range(1, len(screen.state.moment.session.messages) + 1))
        assert screen.query_one(EventList).cursor == numbers[-1] - 1
        path.write_bytes(b"".join(lines))
        await arrived(pilot, lambda: len(screen.state.events) > len(numbers))
        assert len([event for event in screen.state.events if isinstance(event, RecordedCompaction)]) == 1
        path.write_bytes(b"".join(lines[:place]))
        await arrived(pilot, lambda: len(screen.state.events) == len(numbers))
        assert not [event for event in screen.state.events if isinstance(event, RecordedCompaction)]


async def test_what_is_wrong_with_the_file_is_said(running: Opening, tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", transcript(turns=30))
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        path.rename(tmp_path / "away")
        await arrived(pilot, lambda: bool(screen.state.problem))
        assert "does not exist" in pulse(screen.state, 200, screen.palette).plain
        assert len(screen.state.events) == 61, "what came before stays in sight"
        (tmp_path / "away").rename(path)
        await arrived(pilot, lambda: not screen.state.problem)


async def test_esc_leads_to_other_sessions_and_then_to_the_library(running: Opening, tmp_path: Path) -> None:
    written(tmp_path / "log.jsonl", transcript(turns=3))
    async with running(tmp_path) as pilot:
        screen = await follow(pilot)
        assert isinstance(pilot.app.focused, EventList)
        await press(pilot, "escape")
        assert not screen.state.target and screen.state.moment is None
        assert isinstance(pilot.app.focused, OfferList)
        await press(pilot, "escape")
        assert pilot.app.current_mode == "sessions"


async def test_the_totals_of_a_session_are_saved_when_following_ends(
    running: Opening, library: Library, tmp_path: Path
) -> None:
    written(tmp_path / "a.jsonl", transcript("a"))
    written(tmp_path / "b.jsonl", transcript("b", prompt="Count the lamps."))
    rollups = library.required_store.rollups
    async with running(tmp_path / "a.jsonl", tmp_path / "b.jsonl") as pilot:
        live = await follow(pilot)
        await arrived(pilot, lambda: live.state.moment is not None)
        assert rollups.total(RollupPeriod()).sessions == 0
        await press(pilot, "escape")
        await arrived(pilot, lambda: rollups.total(RollupPeriod()).sessions == 1)
        await press(pilot, "down", "enter")
        await arrived(pilot, lambda: live.state.moment is not None)
    assert rollups.total(RollupPeriod()).sessions == 2, "also when the app ends"


async def test_nothing_is_offered_where_nothing_is_known(running: Opening) -> None:
    async with running() as pilot:
        await press(pilot, "7")
        screen = live_screen(pilot)
        assert screen.state.offers == ()
        await press(pilot, "enter", "space", "G")
        assert not screen.state.target


async def test_an_agent_whose_memory_is_kept_in_the_store_is_offered(running: Opening, library: Library) -> None:
    memory = MemoryManager(MemoryConfig())
    await memory.add_message({"role": "user", "content": "Mend the pier lights."})
    memory.save(store=library.store)
    async with running() as pilot:
        screen = await follow(pilot)
        await memory.add_message({"role": "assistant", "content": "Lamp 1 is lit."})
        await arrived(pilot, lambda: len(screen.state.events) == 2)
        last = screen.state.events[-1]
        assert isinstance(last, FreshMessage) and last.says == "Lamp 1 is lit."


async def test_a_session_that_begins_is_followed_without_a_key(running: Opening, library: Library) -> None:
    async with running() as pilot:
        await press(pilot, "7")
        screen = live_screen(pilot)
        await arrived(pilot, lambda: screen.state.offers == ())
        memory = MemoryManager(MemoryConfig())
        memory.save("new", store=library.store)
        for number in range(3):
            await memory.add_message({"role": "user", "content": f"Lamp {number} is out."})
            screen.look_around()
            await arrived(pilot, lambda count=number: len(screen.state.events) == count + 1)  # type: ignore[misc]
        assert screen.state.target == "new"
        await press(pilot, "escape")
        other = MemoryManager(MemoryConfig())
        other.save("other", store=library.store)
        await other.add_message({"role": "user", "content": "Paint the pier."})
        screen.look_around()
        await arrived(pilot, lambda: len(screen.state.offers or ()) == 2)
        assert not screen.state.target, "who has left a session chooses the next one"


async def test_a_compaction_and_what_a_hook_gave_back_are_followed_without_a_key(
    running: Opening, tmp_path: Path
) -> None:
    whole = compacted(tmp_path)
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    boundary = next(place for place, line in enumerate(lines) if "compact_boundary" in line)
    restored = restore(load(whole)[0])
    assert restored is not None
    scribe = Scribe(common={"cwd": "/pier"})
    context = {"type": "hook_additional_context", "content": [restored.text], "hookEvent": "SessionStart"}
    scribe.add("attachment", "h1", parentUuid="a8", attachment=context)
    scribe.reply("a9", "m9", calls("c9", "Bash", command="python count.py --pier 4"))
    added = [json.dumps(record) + "\n" for record in scribe.records]
    path = tmp_path / "live" / "log.jsonl"
    path.parent.mkdir()
    path.write_text("".join(lines[:boundary]), "utf-8")
    async with running(path.parent) as pilot:
        screen = await follow(pilot)
        with path.open("a", encoding="utf-8") as file:
            file.writelines([*lines[boundary:], added[0]])
        await arrived(pilot, lambda: bool(screen.state.returns))
        assert any(isinstance(event, RecordedCompaction) for event in screen.state.events)
        assert not screen.state.returns[0].used and "python count.py --pier 4" in screen.state.returns[0].names
        with path.open("a", encoding="utf-8") as file:
            file.write(added[1])
        await arrived(pilot, lambda: bool(screen.state.returns[0].used))
        assert screen.state.returns[0].used == ("python count.py --pier 4",)
        rows = ["".join(text for text, _ in screen.events.spans(line, 120)) for line in range(screen.events.count)]
        (row,) = [row for row in rows if "a hook gave back" in row]
        assert f"{restored.text.count('- ')} lines" in row and "used since: 1 of" in row
