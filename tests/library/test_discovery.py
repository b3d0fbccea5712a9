"""What tools have left on this machine: found where each keeps it, told by first and last lines, never changed."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import (
    FORMATS,
    UNLIKE,
    Content,
    Format,
    FormatEntry,
    FormatMatch,
    Progress,
    Sample,
    SessionPlace,
    load,
)
from inspector.library import agent_folders, found_entries, list_entries
from inspector.library.listing.discovery import agent_session_files
from inspector.store import Store
from tests.cli.calling import transcript, written
from tests.formats.samples import write_sample

ASK = "Count the gulls."
CODEX: list[Any] = [
    {"type": "session_meta", "payload": {"id": "c1", "cwd": "/pier", "base_instructions": {"text": "x" * 40_000}}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "<environment>"}]}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": ASK}},
]
COPILOT: list[Any] = [
    {"type": "session.start", "data": {"sessionId": "p1", "context": {"cwd": "/pier"}}},
    {"type": "user.message", "data": {"content": ASK}},
]
PI: list[Any] = [
    {"type": "session", "id": "i1", "cwd": "/pier"},
    {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": ASK}]}},
]
GEMINI = {
    "sessionId": "g1",
    "projectHash": "h",
    "messages": [{"type": "user", "content": ASK}, {"type": "gemini", "content": "x" * 300_000}],
}
DROID: list[Any] = [
    {"type": "session_start", "id": "d1", "cwd": "/pier"},
    {"type": "message", "id": "a", "message": {"role": "user", "content": [{"type": "text", "text": ASK}]}},
]
CURSOR: list[Any] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{ASK}\n</user_query>"}]}}
]
KIMI: list[Any] = [
    {"type": "metadata", "protocol_version": "1.4"},
    {"type": "config.update", "cwd": "/pier", "systemPrompt": "x" * 40_000},
    {
        "type": "context.append_message",
        "message": {"role": "user", "content": [{"type": "text", "text": ASK}], "origin": {"kind": "user"}},
    },
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "home"


OPENHANDS_STATE = {"id": "5e55", "agent": {"llm": {}}, "workspace": {"working_dir": "/pier"}}
OPENHANDS = [
    {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"text": "You count."}, "tools": []},
    {
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": ASK}]},
    },
]


def opencode_database(path: Path) -> Path:
    """Three sessions, one of them a sub-agent's; what was written last is still in the log beside the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE session (id, parent_id, title, directory, time_updated)")
    connection.execute("CREATE TABLE message (id, session_id, data)")
    connection.execute("CREATE TABLE part (id, message_id, data)")
    rows = [
        ("s1", "s2", "Helper", "/pier", 1),
        ("s2", None, "Lamps", "/pier", 2_000),
        ("s3", None, "Gulls", "/quay", 9_000),
        ("s4", None, "Nothing was said", "/quay", 1),
    ]
    connection.executemany("INSERT INTO session VALUES (?, ?, ?, ?, ?)", rows)
    for name, *_ in rows[:3]:
        connection.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{name}", name, json.dumps({"role": "user"})))
        part = json.dumps({"type": "text", "text": ASK})
        connection.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{name}", f"m{name}", part))
    connection.commit()
    KEPT_OPEN.append(connection)
    return path


KEPT_OPEN: list[sqlite3.Connection] = []
"""Connections of another program: while one is open, the log beside its database stays."""


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fill(home: Path) -> None:
    written(home / ".claude" / "projects" / "-pier" / "a1.jsonl", transcript("a1", prompt=ASK))
    written(home / ".codex" / "sessions" / "2026" / "01" / "02" / "rollout-c1.jsonl", CODEX)
    written(home / ".copilot" / "session-state" / "p1" / "events.jsonl", COPILOT)
    written(home / ".pi" / "agent" / "sessions" / "--pier--" / "i1.jsonl", PI)
    written(home / ".gemini" / "tmp" / "h" / "chats" / "session-1.json", GEMINI)
    opencode_database(home / ".local" / "share" / "opencode" / "opencode.db")
    written(home / ".factory" / "sessions" / "-pier" / "d1.jsonl", DROID)
    written(home / ".cursor" / "projects" / "pier" / "agent-transcripts" / "u1" / "u1.jsonl", CURSOR)
    openhands = home / ".openhands" / "conversations" / "5e55"
    written(openhands / "base_state.json", OPENHANDS_STATE)
    for number, event in enumerate(OPENHANDS):
        written(openhands / "events" / f"event-{number:05}-e.json", event)
    written(home / ".kimi-code" / "sessions" / "wd_pier_h" / "s1" / "agents" / "main" / "wire.jsonl", KIMI)


def test_the_sessions_of_every_tool_are_found_and_nothing_is_changed(home: Path) -> None:
    fill(home)
    before = contents(home)
    entries = list(found_entries())
    assert {(entry.format, entry.title, entry.folder) for entry in entries} == {
        ("claude-code", ASK, "/pier"),
        ("codex", ASK, "/pier"),
        ("copilot-cli", ASK, "/pier"),
        ("pi", ASK, "/pier"),
        ("gemini-cli", ASK, ""),
        ("opencode", "Lamps", "/pier"),
        ("opencode", "Gulls", "/quay"),
        ("droid", ASK, "/pier"),
        ("cursor", ASK, ""),
        ("kimi", ASK, "/pier"),
        ("openhands-sdk", ASK, "/pier"),
    }
    assert contents(home) == before
    counts = {folder.agent: folder.sessions for folder in agent_folders()}
    assert counts == {
        "Claude Code": 1,
        "Codex": 1,
        "Gemini CLI": 1,
        "Copilot CLI": 1,
        "opencode": 2,
        "pi": 1,
        "Droid": 1,
        "Cursor": 1,
        "Kimi Code": 1,
        "OpenHands": 1,
    }
    assert {entry.format for entry in found_entries({"copilot cli", "pi"})} == {"copilot-cli", "pi"}
    assert len(list(found_entries(most=2))) == 2


def test_tools_whose_sessions_are_read_by_a_guess_are_found_too(home: Path) -> None:
    chat = [{"role": "user", "content": ASK}, {"role": "assistant", "content": "Three."}]
    data = home / ".local" / "share"
    written(home / ".qwen" / "projects" / "pier" / "chats" / "q1.jsonl", chat)
    written(data / "goose" / "sessions" / "g1.jsonl", chat)
    written(data / "amp" / "threads" / "T-1.json", [{"messages": chat}])
    written(home / ".continue" / "sessions" / "n1.json", [{"history": chat}])
    written(home / ".copilot" / "history-session-state" / "session_1_2.json", [{"chatMessages": chat}])
    with sqlite3.connect(data / "goose" / "sessions" / "sessions.db") as connection:
        connection.execute("CREATE TABLE sessions (id, name, working_dir, updated_at)")
        connection.execute("CREATE TABLE messages (session_id, role, content_json, created_timestamp)")
        connection.execute("INSERT INTO sessions VALUES ('s1', 'Crates', '/pier', '2026-01-02 03:04:05')")
        connection.execute("INSERT INTO messages VALUES ('s1', 'user', '[]', 1)")
    written(home / ".letta" / "transcripts" / "a1" / "c1" / "transcript.jsonl", chat)
    openclaw = home / ".openclaw" / "agents" / "main"
    written(openclaw / "sessions" / "o1.jsonl", chat)
    (openclaw / "agent").mkdir(parents=True)
    write_sample("openclaw", openclaw / "agent").rename(openclaw / "agent" / "openclaw-agent.sqlite")
    counts = sorted((folder.agent, folder.sessions) for folder in agent_folders())
    assert counts == [
        *(("Amp", 1), ("Continue", 1), ("Copilot CLI", 1), ("Goose", 2), ("Letta Code", 1)),
        *(("OpenClaw", 1), ("OpenClaw", 1), ("Qwen Code", 1)),
    ]
    assert ("Crates", "/pier") in {(entry.title, entry.folder) for entry in found_entries({"goose"})}


QWEN = [
    {
        "uuid": "1",
        "sessionId": "q",
        "type": "user",
        "cwd": "/pier",
        "message": {"role": "user", "parts": [{"text": ASK}]},
    },
    {"uuid": "2", "sessionId": "q", "type": "assistant", "message": {"role": "model", "parts": [{"text": "Three."}]}},
]


def continued(title: str, words: str = "Three.") -> dict[str, Any]:
    """A session of Continue."""
    said = [{"role": "user", "content": ASK}, {"role": "assistant", "content": words}]
    history = [{"message": message, "contextItems": []} for message in said]
    return {"sessionId": "n1", "title": title, "workspaceDirectory": "/pier", "history": history}


def test_sessions_that_are_read_by_a_guess_have_titles_and_an_index_is_none(home: Path) -> None:
    written(home / ".qwen" / "tmp" / "h" / "chats" / "q1.jsonl", QWEN)
    folder = home / ".continue" / "sessions"
    written(folder / "n1.json", continued("Gulls of the pier"))
    written(folder / "n2.json", continued("New Session"))
    written(folder / "n3.json", continued("A long talk", "gull " * 60_000))
    written(folder / "sessions.json", [{"sessionId": "n1", "title": "Gulls of the pier", "dateCreated": "1"}])
    entries = sorted((Path(entry.path).name, entry.title, entry.folder) for entry in found_entries())
    assert entries == [
        ("n1.json", "Gulls of the pier", "/pier"),
        ("n2.json", ASK, "/pier"),
        ("n3.json", "A long talk", ""),
        ("q1.jsonl", ASK, "/pier"),
    ]
    assert {folder.agent: folder.sessions for folder in agent_folders()} == {"Qwen Code": 1, "Continue": 3}


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_database_that_opencode_was_told_is_found(
    is_whole: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = home / ".local" / "share" / "opencode"
    path = opencode_database(tmp_path / "else where" / "mine.sqlite" if is_whole else own / "mine.sqlite")
    monkeypatch.setenv("OPENCODE_DB", str(path) if is_whole else "mine.sqlite")
    assert {(entry.title, entry.path) for entry in found_entries()} == {("Lamps", str(path)), ("Gulls", str(path))}
    path = opencode_database(own / "opencode.db")
    monkeypatch.setenv("OPENCODE_DB", "opencode.db")
    assert {entry.path for entry in found_entries()} == {str(path)}
    assert len(list(found_entries())) == 2, "each once"
    monkeypatch.setenv("OPENCODE_DB", ":memory:")
    assert len(list(found_entries())) == 2


@pytest.mark.parametrize("name", ["notes/talks.md", "~/talks.md"])
def test_the_history_that_aider_was_told_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIDER_CHAT_HISTORY_FILE", name)
    path = Path(name).expanduser() if name.startswith("~") else tmp_path / "work" / name
    path.parent.mkdir(parents=True)
    path.write_text(f"# aider chat started at 2026-01-02\n\n#### {ASK}\n\nSeven.\n")
    assert [(entry.title, entry.path) for entry in found_entries({"aider"})] == [(ASK, str(path))]


@pytest.mark.parametrize("variable", ["", "else where"])
def test_logs_of_inspect_are_found(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if variable:
        monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / variable))
    folder = tmp_path / variable if variable else tmp_path / "work" / "logs"
    for name in ("2026-01-02T03-04-05+00-00_gulls_abc.eval", "2026-01-02T03-04-06+00-00_gulls_abd.json", "app.json"):
        written(folder / name, {"eval": {}})
    assert [Path(entry.path).suffix for entry in found_entries({"inspect"})].count(".eval") == 1
    assert {folder.agent: folder.sessions for folder in agent_folders()} == {"Inspect": 2}


def test_a_session_of_a_database_is_listed_by_the_number_that_opens_it(home: Path) -> None:
    path = opencode_database(home / ".local" / "share" / "opencode" / "opencode.db")
    entries = {entry.title: entry for entry in found_entries()}
    titles = [session.title for session in load(path)]
    assert {entry.target: title for title, entry in entries.items()} == {
        f"{path}#{number}": title for number, title in enumerate(titles, 1)
    }
    assert entries["Gulls"].changed == "1970-01-01T00:00:09+00:00"


def test_a_stored_session_of_a_database_hides_no_other(home: Path, tmp_path: Path) -> None:
    path = opencode_database(home / ".local" / "share" / "opencode" / "opencode.db")
    written(home / ".codex" / "sessions" / "2026" / "01" / "02" / "rollout-c1.jsonl", CODEX)
    with Store(tmp_path / "store.db") as store:
        for session in load(path):
            if session.title == "Lamps":
                store.add(session)
        listed = [entry for entry, _ in list_entries((), store)]
    assert {(entry.origin, entry.title) for entry in listed} == {
        ("stored", "Lamps"),
        ("found", "Gulls"),
        ("found", ASK),
    }


def test_of_two_sessions_with_one_title_the_other_stays_where_one_is_stored(home: Path, tmp_path: Path) -> None:
    path = opencode_database(home / ".local" / "share" / "opencode" / "opencode.db")
    KEPT_OPEN[-1].execute("UPDATE session SET title = 'Lamps' WHERE id = 's3'")
    KEPT_OPEN[-1].commit()
    with Store(tmp_path / "store.db") as store:
        store.add(next(session for session in load(path) if session.title == "Lamps"))
        listed = [(entry.origin, entry.title) for entry, _ in list_entries((), store)]
    assert listed == [("stored", "Lamps"), ("found", "Lamps")]


def test_conversations_of_llm_are_listed_in_the_order_in_which_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    (tmp_path / "llm").mkdir()
    path = tmp_path / "llm" / "logs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE conversations (id, name, model)")
        connection.execute("INSERT INTO conversations VALUES ('k2', 'Lamps', 'm'), ('k1', 'Gulls', 'm')")
        connection.execute(
            "CREATE TABLE responses (id, model, prompt, system, response, conversation_id, datetime_utc,"
            " input_tokens, output_tokens, token_details)"
        )
        for name, conversation in (("r1", "k2"), ("r2", "k1"), ("r3", "k2"), ("r4", None)):
            row = (name, "gpt-4o", ASK, None, "7", conversation, "2026-01-02T03:04:05", 1, 1, None)
            connection.execute("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    found = sorted(found_entries(), key=lambda entry: entry.target)
    assert [entry.title for entry in found] == ["Lamps", "Gulls", ASK]
    assert [entry.target for entry in found] == [f"{path}#{number}" for number in (1, 2, 3)]
    assert [session.title for session in load(path)][:2] == ["Lamps", "Gulls"]


@pytest.mark.parametrize(
    ("variable", "below", "name", "records"),
    [
        ("CLAUDE_CONFIG_DIR", "projects/-pier", "a1.jsonl", transcript(prompt=ASK)),
        ("CODEX_HOME", "archived_sessions", "rollout-c1.jsonl", CODEX),
        ("COPILOT_HOME", "session-state/p1", "events.jsonl", COPILOT),
        ("PI_CODING_AGENT_DIR", "sessions/--pier--", "i1.jsonl", PI),
        ("PI_CODING_AGENT_SESSION_DIR", "--pier--", "i1.jsonl", PI),
        ("KIMI_CODE_HOME", "sessions/wd_pier_h/s1/agents/main", "wire.jsonl", KIMI),
        ("GEMINI_CLI_HOME", ".gemini/tmp/h/chats", "session-1.json", GEMINI),
    ],
)
def test_a_tools_own_environment_variable_says_where_it_keeps_its_sessions(
    variable: str, below: str, name: str, records: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(home)
    tool_format = {entry.format for entry in found_entries()}
    monkeypatch.setenv(variable, str(tmp_path / "else where"))
    path = written(tmp_path / "else where" / below / name, records)
    moved = [entry for entry in found_entries() if entry.path == str(path)]
    assert [entry.title for entry in moved] == [ASK]
    assert [entry.path for entry in found_entries({moved[0].format})] == [str(path)]
    assert moved[0].format in tool_format


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({}, "home/.openhands/conversations"),
        ({"OPENHANDS_PERSISTENCE_DIR": "kept"}, "kept/conversations"),
        ({"OPENHANDS_CONVERSATIONS_DIR": "talks"}, "talks"),
        ({"OPENHANDS_CONVERSATIONS_DIR": "talks", "OPENHANDS_PERSISTENCE_DIR": "kept"}, "talks"),
    ],
)
def test_conversations_of_openhands_are_where_its_variables_say(
    variables: dict[str, str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENHANDS_CONVERSATIONS_DIR", "OPENHANDS_PERSISTENCE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    for folder in ("home/.openhands/conversations", "kept/conversations", "talks"):
        path = written(tmp_path / folder / "5e55" / "base_state.json", OPENHANDS_STATE)
        for number, event in enumerate(OPENHANDS):
            written(path.parent / "events" / f"event-{number:05}-e.json", event)
    [entry] = found_entries({"openhands"})
    assert (entry.path, entry.title) == (str(tmp_path / place / "5e55" / "base_state.json"), ASK)


def test_sessions_of_openhands_earlier_versions_are_found_once_each(home: Path) -> None:
    events = home / ".openhands" / "sessions" / "s1" / "events"
    for number in range(3):
        own = {"id": number, "timestamp": "2026-01-02T03:04:05", "source": "user", "action": "message"}
        written(events / f"{number}.json", {**own, "args": {"content": ASK if number else "Hello."}})
    [entry] = found_entries({"openhands"})
    assert (entry.format, entry.path) == ("openhands", str(events / "0.json"))
    assert load(entry.path)[0].id == "s1"


def test_histories_in_projects_are_found_here_and_where_other_tools_worked(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pier, work = tmp_path / "pier", tmp_path / "work"
    (work / "deep").mkdir()
    monkeypatch.chdir(work / "deep")
    written(home / ".codex" / "sessions" / "rollout-c1.jsonl", [{"payload": {"cwd": str(pier)}}, *CODEX])
    pier.mkdir()
    for folder in (pier, work):  # the second is above the folder in which Inspector was started
        (folder / ".aider.chat.history.md").write_text(
            f"# aider chat started at 2026-01-02\n\n#### /add clock.py\n\n#### {ASK}\n\nSeven.\n"
        )
    history = pier / ".specstory" / "history" / "2026-01-02.md"
    history.parent.mkdir(parents=True)
    history.write_text(f"<!-- Generated by SpecStory -->\n\n# Gulls\n\n_**User**_\n\n{ASK}\n\n---\n")
    alone = {(entry.format, entry.title, entry.folder) for entry in found_entries({"aider", "specstory"})}
    assert alone == {("aider", ASK, str(work))}  # without the others nothing tells of the second project
    together = [(entry.format, entry.title) for entry in found_entries()]
    assert sorted(together) == [("aider", ASK), ("aider", ASK), ("codex", ASK), ("specstory", ASK)]


def test_a_title_that_was_given_later_stands_at_the_end(home: Path) -> None:
    path = home / ".claude" / "projects" / "-pier" / "a1.jsonl"
    filler = {"type": "assistant", "message": {"content": "x" * 200_000}}
    late = [{"type": "custom-title", "customTitle": "Gulls of the pier"}, {"type": "summary", "summary": "Another's"}]
    written(path, [*transcript("a1"), filler, *late])
    assert [file.title for file in agent_session_files(9)] == ["Gulls of the pier"]


def test_what_cannot_be_looked_at_is_left_out(home: Path) -> None:
    folder = home / ".codex" / "sessions"
    folder.mkdir(parents=True)
    (folder / "loop").symlink_to(folder)
    (folder / "rollout-gone.jsonl").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "rollout-pipe.jsonl")
    (folder / "rollout-nothing.jsonl").write_bytes(b"")
    (folder / "rollout-deep.jsonl").write_bytes(b"[" * 200_000)
    database = home / ".local" / "share" / "opencode" / "opencode.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    gemini = home / ".gemini" / "tmp" / "h" / "chats" / "session-1.json"
    gemini.parent.mkdir(parents=True)
    gemini.write_bytes(b'{"messages": [' + b'{"a":' * 100_000)
    assert sorted(entry.title for entry in found_entries()) == ["rollout-deep", "session-1"]


def _no_home() -> list[Path]:
    raise OSError("no home")


class Logs(Format):
    """A format whose tool keeps its files in a folder of its own, and in the folders of projects."""

    name = "logs"
    entry = FormatEntry(
        "logs",
        places=(
            SessionPlace("Lamp", lambda: [Path("~/.lamp")], ("day/*.json",), skips=frozenset({"old"})),
            SessionPlace("Lamp", lambda: [Path(".lamp")], ("*.json",), in_projects=True),
        ),
    )

    def recognize(self, sample: Sample) -> FormatMatch:
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return []


@pytest.fixture
def _added() -> Iterator[None]:
    FORMATS.add("logs", Logs)
    yield
    if "logs" in FORMATS.added:
        FORMATS.remove("logs")


@pytest.mark.usefixtures("_added")
def test_the_places_of_a_plugin_are_searched(home: Path) -> None:
    for path in (home / ".lamp/day/one.json", home / ".lamp/old/day/two.json", Path(".lamp/three.json").absolute()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([{"role": "user", "content": ASK}]), encoding="utf-8")
    names = {Path(entry.path).name: (entry.title, entry.format) for entry in found_entries(["lamp"])}
    assert names == {"one.json": (ASK, "logs"), "three.json": (ASK, "logs")}
    assert [(folder.agent, folder.sessions) for folder in agent_folders(["lamp"])] == [("Lamp", 2)]


@pytest.mark.usefixtures("_added")
def test_a_plugin_whose_place_fails_is_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(Logs.entry, places=(SessionPlace("Lamp", _no_home, ("*.json",)),))
    monkeypatch.setattr(Logs, "entry", entry)
    assert agent_folders(["lamp"]) == () and "logs" not in FORMATS.added
