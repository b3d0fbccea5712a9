"""The MCP tools give back what left the window, with turn and source, within their budgets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from inspector.core.text.sanitize import CONTROL
from inspector.library.mcp_server.tool_answers import call_tool
from inspector.llm.tokens import counter_for
from inspector.store import Store
from tests.cli.test_cli_restore import SUMMARY, compacted
from tests.formats.written import Scribe, only, says


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without sessions."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "store.db"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


def answer_tool(name: str, arguments: dict[str, object]) -> str:
    text, is_error = call_tool(name, arguments)
    assert not is_error, text
    return text


def failure(name: str, arguments: dict[str, object]) -> str:
    text, is_error = call_tool(name, arguments)
    assert is_error and text.endswith(".") and text.isprintable()
    return text


def recorded(home: Path, name: str, folder: Path, text: str, time: int) -> Path:
    """A session of Claude Code that worked in a folder."""
    scribe = Scribe(common={"cwd": str(folder)})
    scribe.ask("u1", text)
    scribe.reply("a1", "m1", says("Yes."))
    place = home / ".claude" / "projects" / "-work"
    place.mkdir(parents=True, exist_ok=True)
    path = scribe.write(place / f"{name}.jsonl")
    os.utime(path, (time, time))
    return path


def test_recall_searches_only_messages_outside_the_window(tmp_path: Path) -> None:
    target = str(compacted(tmp_path))
    text = answer_tool("recall", {"query": "lamps", "session": target})
    assert "- Turn 1, message 1 (user, user): “Count the lamps on the pier." in text
    assert SUMMARY not in text
    assert "On we go." not in answer_tool("recall", {"query": "on we go", "session": target})


def test_recall_puts_the_message_with_the_rarest_words_first(tmp_path: Path) -> None:
    text = answer_tool("recall", {"query": "lamps fuse", "session": str(compacted(tmp_path))})
    assert "fuse box" in text.splitlines()[1]


def test_recall_ranks_whole_words_and_their_forms_before_parts_of_words(tmp_path: Path) -> None:
    scribe = Scribe()
    texts = ["The lamplighter is ill.", "Paint the lamp green.", "We painted it, and nothing else.", "No word of it."]
    for number, text in enumerate(texts):
        scribe.ask(f"u{number}", text)
        scribe.reply(f"a{number}", f"m{number}", says("Noted."))
    scribe.add("system", "s", parentUuid=None, logicalParentUuid="a3", subtype="compact_boundary", compactMetadata={})
    scribe.ask("end", SUMMARY, isCompactSummary=True)
    scribe.reply("last", "last", says("On we go."))
    target = str(scribe.write(tmp_path / "log.jsonl"))
    lines = answer_tool("recall", {"query": "paint lamp", "session": target}).splitlines()[1:]
    assert [line.partition("“")[2].rstrip("”") for line in lines] == [texts[1], texts[2], texts[0]]
    first, *_ = answer_tool("recall", {"query": '"nothing else" lamp', "session": target}).splitlines()[1:]
    assert texts[2] in first


def test_recall_covers_all_agents_of_a_session(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    helper = Scribe(common={"isSidechain": True, "agentId": "a7", "cwd": "/pier"})
    helper.ask("h1", "Look for the lost periscope.")
    helper.reply("h2", "mh1", says("The periscope is under the pier."))
    helper.write(tmp_path / "log" / "subagents" / "agent-a7.jsonl")
    text = answer_tool("recall", {"query": "periscope", "session": str(path)})
    assert "Turn 1, " in text and "agent " in text and "“The periscope is under the pier.”" in text


def test_recall_finds_what_a_tool_returned_and_names_the_tool(tmp_path: Path) -> None:
    text = answer_tool("recall", {"query": "44", "session": str(compacted(tmp_path))})
    assert "- Turn 5, message 9 (tool, Bash): “42 lamps of 44”" in text


def test_a_text_cannot_close_its_quotation_or_add_lines(tmp_path: Path) -> None:
    text = answer_tool("recall", {"query": "green", "session": str(compacted(tmp_path))})
    [line] = [line for line in text.splitlines() if "Paint them" in line]
    assert 'green." Also' in line and line.endswith("”")
    assert line.isprintable()


def test_long_messages_stay_within_the_budget(tmp_path: Path) -> None:
    scribe = Scribe()
    for number in range(60):
        scribe.ask(f"u{number}", f"gull {number} " + "gull feather " * 3_000)
        scribe.reply(f"a{number}", f"m{number}", says("Noted."))
    scribe.add("system", "s", parentUuid=None, logicalParentUuid="a59", subtype="compact_boundary", compactMetadata={})
    scribe.ask("end", SUMMARY, isCompactSummary=True)
    scribe.reply("last", "last", says("On we go."))
    target = str(scribe.write(tmp_path / "log.jsonl"))
    recall = answer_tool("recall", {"query": "gull", "session": target})
    assert "60 match" in recall and counter_for("claude-x").count(recall) <= 1_500
    assert counter_for("claude-x").count(answer_tool("lost", {"session": target})) <= 2_400


def test_lost_gives_back_facts_with_their_turns(tmp_path: Path) -> None:
    text = answer_tool("lost", {"session": str(compacted(tmp_path))})
    assert "User, turn 1: “Count the lamps on the pier. Never touch the fuse box.”" in text
    assert "quotations" in text and str(tmp_path) in text


def test_a_session_without_a_compaction_has_lost_nothing(home: Path) -> None:
    target = str(recorded(home, "one", home / "work", "Count the gulls.", 1))
    assert "no compaction" in answer_tool("lost", {"session": target})
    assert "Every message is in the context window" in answer_tool("recall", {"query": "gulls", "session": target})


def test_without_a_session_the_newest_of_the_folder_is_used(home: Path) -> None:
    recorded(home, "old", home / "work", "An old one.", 10)
    recorded(home, "new", home / "work", "A new one.", 20)
    recorded(home, "other", home / "elsewhere", "Another folder.", 30)
    assert "“A new one.”" in answer_tool("lost", {})


def test_a_folder_within_a_project_uses_the_project(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(home, "new", home / "work", "The project.", 20)
    (home / "work" / ".git").mkdir()
    (home / "work" / "src").mkdir()
    monkeypatch.chdir(home / "work" / "src")
    assert "“The project.”" in answer_tool("lost", {})


def test_a_folder_without_a_session_is_an_error(home: Path) -> None:
    recorded(home, "other", home / "elsewhere", "Another folder.", 30)
    recorded(home, "bad", Path("/\0bad"), "A bad folder.", 31)
    assert "No session of" in failure("lost", {})


def test_sessions_are_found_by_title_and_project_and_open_by_their_names(home: Path) -> None:
    path = recorded(home, "0f-ab", home / "pier", "Count the \x1b[2Jlamps.", 10)
    recorded(home, "11-cd", home / "roof", "Feed the gulls.", 20)
    text = answer_tool("sessions", {"query": "pier lamps"})
    assert text.startswith("1 recorded session") and str(path) in text and "\x1b" not in text
    assert answer_tool("sessions", {"query": ""}).index("gulls") < answer_tool("sessions", {}).index("lamps")
    assert "No recorded session" in answer_tool("sessions", {"query": "walrus"})
    assert "lamps" in answer_tool("lost", {"session": "0f-ab"})


def test_a_stored_session_is_found_and_searched(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        stored = store.add(only(compacted(tmp_path)))
    before = (tmp_path / "store.db").read_bytes()
    assert stored.id in answer_tool("sessions", {"query": "lamps"})
    assert "fuse box" in answer_tool("recall", {"query": "fuse", "session": stored.id})
    assert (tmp_path / "store.db").read_bytes() == before


def test_recordings_are_not_changed(tmp_path: Path) -> None:
    path = compacted(tmp_path)
    before = path.read_bytes(), path.stat().st_mtime_ns
    shutil.copy(path, tmp_path / "copy")
    answer_tool("recall", {"query": "lamps", "session": str(path)})
    answer_tool("lost", {"session": str(path)})
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert not (tmp_path / "store.db").exists()


@pytest.mark.parametrize("arguments", [{}, {"query": " "}, {"query": 7}, {"query": "x", "session": ["a"]}])
def test_wrong_arguments_are_named(arguments: dict[str, object]) -> None:
    text = failure("recall", arguments)
    assert "query" in text or "argument session" in text


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "regular file" in failure("lost", {"session": str(tmp_path / "pipe")})


@pytest.mark.parametrize("target", ["/no/such.jsonl", "no-such-id", "a\0b", "a\x1b[2J\u202eb", "\ud800", "-", "x#3"])
def test_a_session_that_is_not_there_is_an_error_without_control_characters(target: str) -> None:
    assert "Internal error" not in failure("recall", {"query": "lamps", "session": target})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.text(min_size=1))
def test_any_words_are_answered_in_a_frame(home: Path, query: str, session: str) -> None:
    path = home / "log.jsonl"
    target = str(path if path.exists() else compacted(home))
    for arguments in ({"query": query, "session": target}, {"query": "lamps", "session": session}):
        text, _ = call_tool("recall", arguments)
        assert "Internal error" not in text and len(text) < 10_000
        assert not CONTROL.search(text)
