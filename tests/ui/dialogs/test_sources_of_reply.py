"""The sources of a reply: its values and sentences, the messages that state them, and those that none states."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from inspector.ui.dialogs.sources_dialog import SourceLine, SourceList, SourcesScreen
from inspector.ui.widgets.key_bar import KeyBar
from tests.driving import SAMPLES, Opening, Writer, inspect_screen, press, settled

CHAT = [
    {"role": "user", "content": "The deploy key is in /srv/keys/deploy.pem. The port is 8443."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "Where is the key?"},
    {"role": "assistant", "content": "The key is in /srv/keys/deploy.pem. The password is in /srv/keys/secret.txt."},
]


def _texts(screen: SourcesScreen) -> str:
    return "\n".join(str(part.render()) for part in screen.query(Static))


def sources_of(screen: SourcesScreen) -> list[SourceLine]:
    return [row for row in screen.query_one(SourceList).rows if isinstance(row, SourceLine)]


async def test_a_source_leads_to_the_message_that_states_it(running: Opening, write: Writer) -> None:
    async with running(write("chat.json", CHAT)) as pilot:
        await press(pilot, "A")
        screen = pilot.app.screen
        assert isinstance(screen, SourcesScreen) and screen.sources is not None
        assert "reply #4 at turn 2" in screen.heading, "the current context has no reply; the last one is shown"
        rows = sources_of(screen)
        first = rows[0]
        assert first.source.text == "/srv/keys/deploy.pem" and first.place is None
        assert [row.place.message for row in rows if row.source is first.source and row.place] == [1]
        assert "#1 user, turn 1" in str(screen.query_one(SourceList).render_line(1).text)
        await press(pilot, "enter")
        inspect = inspect_screen(pilot)
        assert inspect.messages.current is not None and inspect.messages.current.id == first.target


async def test_what_no_message_states_is_last_and_leads_nowhere(running: Opening, write: Writer) -> None:
    async with running(write("chat.json", CHAT)) as pilot:
        await press(pilot, "A")
        screen = pilot.app.screen
        assert isinstance(screen, SourcesScreen)
        sources = screen.query_one(SourceList)
        secret = next(n for n, row in enumerate(sources_of(screen)) if row.source.text == "/srv/keys/secret.txt")
        assert not any(row.source.stated for row in sources_of(screen)[secret:])
        assert all(row.source.stated for row in sources_of(screen)[:secret])
        sources.cursor = secret
        await settled(pilot)
        assert "stated nowhere" in sources.render_line(secret).text
        assert "No earlier message and no definition of a tool states it." in _texts(screen)
        assert "go to the message" not in str(screen.query_one(KeyBar).render())
        await press(pilot, "enter")
        assert pilot.app.screen is screen
        await press(pilot, "A")
        assert inspect_screen(pilot).state.preview is not None


async def test_the_reply_is_that_of_the_turn_and_its_gone_messages_are_marked(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "left", "left", "left", "A")
        screen = pilot.app.screen
        assert isinstance(screen, SourcesScreen) and screen.sources is not None
        turn = 34
        reply = inspect_screen(pilot).state.bench.session.turns()[turn - 1] + 1
        assert f"reply #{reply:,} at turn {turn}" in screen.heading
        sources = screen.query_one(SourceList)
        gone = next(row for row in sources_of(screen) if row.source.text == "main" and row.place)
        assert gone.place is not None and not gone.place.in_window
        sources.cursor = sources_of(screen).index(gone)
        await settled(pilot)
        assert "the request no longer contained this message" in " ".join(_texts(screen).split())
        await press(pilot, "enter")
        inspect = inspect_screen(pilot)
        assert inspect.messages.current is not None and inspect.messages.current.id == gone.place.id


async def test_messages_that_only_have_values_of_a_sentence_are_named_as_such(running: Opening) -> None:
    async with running(SAMPLES / "coding-agent.jsonl") as pilot:
        await press(pilot, "A")
        screen = pilot.app.screen
        assert isinstance(screen, SourcesScreen)
        rows, sources = sources_of(screen), screen.query_one(SourceList)
        shown = ["".join(text for text, _ in sources.spans(number, 120)) for number in range(len(rows))]
        places = {
            (row.source.stated, "values from #" in text) for row, text in zip(rows, shown, strict=True) if row.place
        }
        assert places == {(True, False), (False, True)}


async def test_a_session_without_a_reply_says_so(running: Opening, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_text('[{"role": "user", "content": "Hello."}]')
    async with running(path) as pilot:
        await press(pilot, "A")
        assert isinstance(pilot.app.screen, SourcesScreen)
        assert "This agent has no reply." in _texts(pilot.app.screen)
