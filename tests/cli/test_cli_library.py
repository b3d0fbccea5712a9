"""`inspector import`, `ls` and `search`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inspector.store import Store, default_path
from tests.cli.calling import chat, inspect, transcript, written
from tests.growth import calls_made


def test_importing_says_what_was_added(log: Path) -> None:
    (session,) = inspect("import", log, "--json").json["sessions"]
    assert (session["format"], session["messages"], session["added"], session["new"]) == ("openai", 28, 28, True)
    assert "new, 28 messages" in inspect("import", log, "--db", log.parent / "other.db").out


def test_importing_again_adds_only_what_is_new(tmp_path: Path) -> None:
    file = written(tmp_path / "agent.jsonl", transcript(turns=2))
    assert inspect("import", file).code == 0
    assert "known, 5 messages" in inspect("import", file).out
    written(file, transcript(turns=3))
    (session,) = inspect("import", file, "--json").json["sessions"]
    assert (session["added"], session["messages"], session["new"]) == (2, 7, False)


def test_a_folder_is_imported_and_strangers_in_it_are_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    written(folder / "one.json", chat(1))
    written(folder / "deep" / "two.jsonl", transcript())
    written(folder / "package.json", {"name": "lamp"})
    written(folder / "rows.json", [1, 2, 3])
    ended = inspect("import", folder, "--json")
    assert ended.code == 0
    assert {session["format"] for session in ended.json["sessions"]} == {"openai", "claude-code"}
    assert ended.json["errors"] == [f"2 files in {folder} contain no conversation. inspector ls FILE shows why."]


def test_a_file_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    """Whether it is is seen in its rows: they are those of the first reading, and no part of the file's."""
    file = written(tmp_path / "one.json", [chat(2), chat(3)])
    first = inspect("import", file, "--json").json["sessions"]
    again = inspect("import", file, "--json").json["sessions"]
    assert again == [session | {"added": 0, "new": False} for session in first]
    work = [calls_made(lambda: inspect("import", file)) for _ in range(2)]
    longer = written(tmp_path / "longer.json", [chat(200), chat(300)])
    inspect("import", longer)
    assert calls_made(lambda: inspect("import", longer)) < 1.1 * work[1]


def test_a_file_is_read_again_when_it_its_sub_agents_or_the_store_have_changed(tmp_path: Path) -> None:
    log = written(tmp_path / "s1.jsonl", transcript("s1"))
    inspect("import", log)
    records = [record | {"isSidechain": True, "agentId": "a1"} for record in transcript("s1", prompt="Look there.")]
    agent = written(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", records)
    assert inspect("import", log, "--json").json["sessions"][0]["added"] > 0
    agent.unlink()
    assert inspect("import", log, "--json").json["sessions"][0]["added"] == 0
    with Store(default_path()) as store:
        store.remove("s1")
    assert inspect("import", log, "--json").json["sessions"][0]["new"]


def test_an_empty_folder_is_told(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    says = f"The folder {folder} contains no conversation. Name a file."
    ended = inspect("import", folder, "--json")
    assert (ended.code, ended.json, ended.err) == (1, {"version": 1, "sessions": [], "errors": [says]}, f"{says}\n")
    assert inspect("ls", folder, "--json").json["errors"] == [says]
    beside = inspect("import", folder, log)
    assert (beside.code, beside.err) == (0, f"{says}\n")


def test_what_was_named_and_cannot_be_imported_ends_with_1_and_the_rest_is_imported(log: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    ended = inspect("import", broken, log, tmp_path / "missing.json", "--json")
    assert ended.code == 1
    assert len(ended.json["sessions"]) == 1
    assert [str(broken) in ended.json["errors"][0], "missing.json" in ended.json["errors"][1]] == [True, True]
    assert ended.err.count("\n") == 2


def test_a_source_is_never_touched(log: Path) -> None:
    before = (log.read_bytes(), log.stat().st_mtime_ns)
    for words in (
        ["import", log],
        ["show", log],
        ["drop", log, 3],
        ["compress", log, "-s", "fifo", "--apply"],
        ["undo", log],
    ):
        assert inspect(*words).code == 0
    assert (log.read_bytes(), log.stat().st_mtime_ns) == before


def test_what_is_stored_is_listed_with_exact_tokens(log: Path) -> None:
    (imported,) = inspect("import", log, "--json").json["sessions"]
    (listed,) = inspect("ls", "--json").json["sessions"]
    assert (listed["target"], listed["origin"], listed["messages"]) == (imported["id"], "stored", 28)
    assert listed["estimated"] is False
    assert listed["tokens"] > 0
    assert 0 < listed["peak_share"] < 1
    text = inspect("ls").out
    assert imported["id"] in text
    assert f"{listed['tokens']:,}" in text


def test_paths_are_listed_without_being_imported(log: Path, tmp_path: Path) -> None:
    many = written(tmp_path / "many.jsonl", [chat(1), chat(2)])
    listed = inspect("ls", log, many, "--json").json["sessions"]
    assert [entry["target"] for entry in listed] == [str(log), f"{many}#1", f"{many}#2"]
    assert all(entry["estimated"] for entry in listed)
    assert inspect("ls", "--json").json["sessions"] == []
    assert "#2 Find the nights" in inspect("ls", many).out


def test_a_list_fits_the_terminal(log: Path, tmp_path: Path) -> None:
    wide = written(
        tmp_path / "wide.json", {"messages": [{"role": "user", "content": "灯台の記録を調べてください。" * 9}]}
    )
    for line in inspect("ls", log, wide).out.splitlines():
        if line.startswith("  "):  # what opens a session is never cut
            continue
        assert sum(2 if "\u3000" <= char <= "\uffef" else 1 for char in line) <= 80


def test_a_list_with_something_unreadable_shows_the_rest_and_ends_with_1(log: Path, tmp_path: Path) -> None:
    ended = inspect("ls", log, tmp_path / "missing.json", "--json")
    assert ended.code == 1
    assert [bool(entry["problem"]) for entry in ended.json["sessions"]] == [False, True]
    assert "missing.json" in ended.err


def test_agents_own_folders_are_offered_without_being_imported(tmp_path: Path) -> None:
    written(tmp_path / "claude" / "projects" / "-pier" / "aa.jsonl", transcript("aa", prompt="Count the gulls."))
    (found,) = inspect("ls", "--json").json["sessions"]
    assert (found["origin"], found["title"], found["messages"]) == ("found", "Count the gulls.", None)
    assert "on this machine, not imported" in inspect("ls").out
    inspect("import", found["target"])
    assert [entry["origin"] for entry in inspect("ls", "--json").json["sessions"]] == ["stored"]


def test_what_tools_have_left_is_discovered_and_imported_on_request(tmp_path: Path) -> None:
    written(tmp_path / "claude" / "projects" / "-pier" / "aa.jsonl", transcript("aa", prompt="Count the gulls."))
    found = inspect("discover", "--json").json
    assert found["tools"] == [{"tool": "Claude Code", "format": "claude-code", "sessions": 1}]
    assert [session["title"] for session in found["sessions"]] == ["Count the gulls."]
    assert inspect("discover").out.startswith("Claude Code   1 session\n")
    ended = inspect("discover", "codex", "--json")
    assert ended.code == 1
    assert ended.json["errors"] == ["There are no sessions of codex on this machine."]
    for words in (("claude",), ("Claude Code",), ("claude", "code"), ("claude-code",)):
        assert len(inspect("discover", *words, "--json").json["sessions"]) == 1
    ended = inspect("discover", "clod", "--json")
    assert (ended.code, len(ended.json["errors"])) == (1, 1)
    assert ended.json["errors"][0].startswith("Unknown tool: clod. Tools: aider, Amp, Claude Code, Cline, ")
    assert inspect("ls", "--json").json["sessions"][0]["origin"] == "found"
    assert inspect("discover", "claude code", "--import", "--json").json["sessions"][0]["title"] == "Count the gulls."
    assert [entry["origin"] for entry in inspect("ls", "--json").json["sessions"]] == ["stored"]


@contextmanager
def somebody() -> Iterator[None]:
    """A person who may not read everything: root may."""
    if is_root := os.geteuid() == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_folder_that_may_not_be_read_is_said_to_be() -> None:
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        db, folder = Path(name, "store", "inspector.db"), Path(name, "talks")
        for path in (db.parent, folder, folder / "open", folder / "locked"):
            path.mkdir()
            path.chmod(0o777)
        for path in (folder / "open" / "a.json", folder / "locked" / "b.json"):
            written(path, chat(1))
        (folder / "locked").chmod(0)
        locked = folder / "locked"
        try:
            with somebody():
                for command in ("show", "ls", "import"):
                    ended = inspect(command, locked, "--db", db)
                    assert ended.code == 1
                    assert f"You may not read the folder {locked}. Change its permissions." in ended.err
                    ended = inspect(command, folder, "--db", db)
                    assert ended.code == 0
                    assert f"You may not read {locked}. It is skipped." in ended.err
                    assert "the nights" in ended.out, "the rest is read"
        finally:
            locked.chmod(0o700)


def test_of_what_is_wrong_only_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"a": 1}')
    ended = inspect("ls", tmp_path / "bad.json")
    assert (ended.code, ended.out) == (1, "")
    assert "bad.json holds a JSON object" in ended.err


@pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")
def test_a_link_that_leads_nowhere_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    assert f"one is a link to {tmp_path / 'two'}, which does not exist" in inspect("show", tmp_path / "one").err
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for command in ("show", "ls", "import"):
        assert "one could not be read (too many levels of symbolic links)" in inspect(command, tmp_path / "one").err


def test_an_empty_library_says_what_to_do() -> None:
    ended = inspect("ls")
    assert ended.code == 0
    assert "inspector import PATH" in ended.out


def test_search_finds_words_in_everything_stored(log: Path, tmp_path: Path) -> None:
    inspect("import", log, written(tmp_path / "agent.jsonl", transcript("bb")))
    hits = inspect("search", "lamp", "dark", "--json").json["hits"]
    assert {hit["session"] for hit in hits} == {"bb"}
    assert {hit["role"] for hit in hits} == {"tool"}
    numbers = {message["number"] for message in inspect("show", "bb", "--json").json["messages"]}
    assert all(hit["number"] in numbers for hit in hits)
    assert "dark" in inspect("search", "lamp dark").out
    assert max(map(len, inspect("search", "night").out.splitlines())) <= 80


def test_search_takes_anything_as_words(log: Path) -> None:
    inspect("import", log)
    for words in ('"', "AND OR NOT", "night*", "(", "role:", "--", "\x00"):
        ended = inspect("search", "--json", "--", words)
        assert (ended.code, ended.err) == (0, "")
    assert inspect("search", "zeppelin").out == "No matches. Searched: 1 stored, 0 listed.\n"


def test_files_behind_the_words_are_searched_without_being_stored(log: Path, tmp_path: Path) -> None:
    agent = written(tmp_path / "agent.jsonl", transcript("bb"))
    ended = inspect("search", "lamp", "dark", agent, log, "--json")
    assert {hit["session"] for hit in ended.json["hits"]} == {str(agent)}
    assert (ended.json["stored"], ended.json["listed"], ended.json["errors"]) == (0, 2, [])
    assert "Searched: 0 stored, 1 listed." in inspect("search", "lamp dark", agent).err
    assert inspect("ls", "--json").json["sessions"] == []
    missing = inspect("search", "lamp", written(tmp_path / "broken.json", "not a conversation"))
    assert missing.code == 1 and "broken.json" in missing.err


def test_a_store_that_cannot_be_used_stands_among_the_errors_of_every_listing(tmp_path: Path) -> None:
    log = written(tmp_path / "log.json", chat())
    (tmp_path / "blocked").write_text("")
    db = tmp_path / "blocked" / "inspector.db"
    overview, listed = inspect(log, "--json", "--db", db), inspect("ls", log, "--json", "--db", db)
    assert "cannot be written" in listed.json["errors"][0]
    assert overview.json["errors"] == listed.json["errors"]
    assert (overview.code, overview.json["first"]["session"]["title"]) == (0, listed.json["sessions"][0]["title"])
    nothing = written(tmp_path / "nothing.json", {})
    assert len(inspect(nothing, "--json", "--db", db).json["errors"]) == 2
