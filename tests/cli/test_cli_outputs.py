"""What `--out` may replace: what Inspector wrote, other files when it is said, and never a store or a recording."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.store import Store
from tests.cli.calling import chat, inspect, process, transcript, written
from tests.places import ROOT

WRITERS = (["export"], ["compress", "--strategy", "deletion"])


def out_of(command: list[str], log: Path, *more: object) -> list[object]:
    return [command[0], log, *command[1:], *more]


@pytest.mark.parametrize("command", WRITERS, ids=lambda command: command[0])
@pytest.mark.parametrize("content", ["my notes", '{"model": "gpt-4o", "messages": [{"role": "user", "content": "x"}]}'])
def test_a_file_that_inspector_did_not_write_is_replaced_only_when_that_is_said(
    log: Path, tmp_path: Path, command: list[str], content: str
) -> None:
    theirs = tmp_path / "theirs.json"
    theirs.write_text(content)
    ended = inspect(*out_of(command, log, "--out", theirs))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"{theirs} exists: name another file with --out, or replace it with --force.\n"
    assert theirs.read_text() == content
    assert inspect(*out_of(command, log, "--out", theirs, "--force")).code == 0
    assert len(json.loads(theirs.read_text())["messages"]) > 1


def test_what_inspector_wrote_is_written_again_without_a_word(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    for to in ("openai", "anthropic", "openai"):
        assert inspect("export", log, "--to", to, "--out", out).code == 0
    assert inspect("compress", log, "--strategy", "deletion", "--out", tmp_path / "." / "request.json").code == 0


def test_what_inspector_wrote_and_somebody_changed_is_theirs(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    inspect("export", log, "--out", out)
    out.write_text(out.read_text() + "\n")
    assert inspect("export", log, "--out", out).code == 2
    other = tmp_path / "copy.json"
    other.write_bytes(out.read_bytes())
    assert inspect("export", log, "--out", other).code == 2


def test_an_empty_file_holds_nothing_to_lose(log: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    assert inspect("export", log, "--out", tmp_path / "empty.json").code == 0


@pytest.mark.parametrize("way", ["name", "spelling", "link", "hard link", "wal", "shm"])
@pytest.mark.parametrize("more", [[], ["--force"]], ids=["plain", "forced"])
def test_the_store_is_never_written_over(log: Path, tmp_path: Path, way: str, more: list[str]) -> None:
    db = Path(os.environ["INSPECTOR_DB"])
    inspect("import", log)
    out = tmp_path / "out.json"
    match way:
        case "name":
            out = db
        case "spelling":
            out = db.parent / ".." / db.parent.name / db.name
        case "link":
            out.symlink_to(db)
        case "hard link":
            os.link(db, out)
        case _:
            out = db.with_name(f"{db.name}-{way}")
    for command in WRITERS:
        ended = inspect(*out_of(command, log, "--out", out, *more))
        assert (ended.code, ended.out) == (2, "")
        assert f"{out} belongs to the store in use, which is never overwritten: name another" in ended.err
    with Store(db) as store:
        assert len(store.sessions()) == 1


@pytest.mark.parametrize("more", [[], ["--force"]], ids=["plain", "forced"])
def test_no_database_is_written_over(log: Path, tmp_path: Path, more: list[str]) -> None:
    other, theirs = tmp_path / "other.db", tmp_path / "theirs.sqlite"
    inspect("import", log, "--db", other)
    connection = sqlite3.connect(theirs)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    for database in (other, theirs):
        before = database.read_bytes()
        ended = inspect("export", log, "--out", database, *more)
        assert (ended.code, ended.out) == (2, "")
        assert f"{database} is a database, which is never overwritten" in ended.err
        assert database.read_bytes() == before


@pytest.mark.parametrize("more", [[], ["--force"]], ids=["plain", "forced"])
def test_a_store_that_could_not_be_opened_is_not_written_over_either(
    log: Path, tmp_path: Path, more: list[str]
) -> None:
    db = tmp_path / "broken.db"
    db.write_bytes(b"no header, but once a store")
    ended = inspect("export", log, "--db", db, "--out", db, *more)
    assert ended.code == 2
    assert "belongs to the store in use" in ended.err
    assert db.read_bytes() == b"no header, but once a store"


@pytest.mark.parametrize("more", [[], ["--force"]], ids=["plain", "forced"])
@pytest.mark.parametrize("shape", ["records", "list"])
def test_a_recorded_log_is_never_written_over(log: Path, tmp_path: Path, more: list[str], shape: str) -> None:
    recorded = tmp_path / "recorded.json"
    chats = [[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]] * 2
    text = "".join(json.dumps(record) + "\n" for record in transcript()) if shape == "records" else json.dumps(chats[0])
    recorded.write_text(text)
    link = tmp_path / "link.json"
    link.symlink_to(recorded)
    for out in (recorded, link):
        ended = inspect("export", log, "--out", out, *more)
        assert (ended.code, ended.out) == (2, "")
        assert "is a recorded log, which is never overwritten" in ended.err
    assert recorded.read_text() == text


@pytest.mark.parametrize("more", [[], ["--force"]], ids=["plain", "forced"])
def test_a_file_that_was_imported_is_never_written_over(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    imported = written(tmp_path / "imported.json", chat(2))
    before = imported.read_bytes()
    monkeypatch.chdir(tmp_path)
    inspect("import", "imported.json")
    monkeypatch.chdir(log.parent)
    ended = inspect("export", log, "--out", imported, *more)
    assert (ended.code, ended.out) == (2, "")
    assert "is a recorded log, which is never overwritten" in ended.err
    assert imported.read_bytes() == before


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_what_belongs_to_another_database_is_never_written_over(log: Path, tmp_path: Path, ending: str) -> None:
    other = tmp_path / "other.db"
    inspect("import", log, "--db", other)
    beside = other.with_name(f"other.db{ending}")
    beside.write_text("what was written last")
    ended = inspect("export", log, "--out", beside, "--force")
    assert ended.code == 2 and "belongs to a database, which is never overwritten" in ended.err
    assert beside.read_text() == "what was written last"


def test_a_session_is_not_written_over_even_when_it_is_said(log: Path) -> None:
    before = log.read_bytes()
    ended = inspect("export", log, "--out", log, "--force")
    assert ended.code == 2
    assert "is the session itself, which is never overwritten" in ended.err
    assert log.read_bytes() == before


def test_a_file_that_is_in_the_way_is_told_before_a_model_is_asked(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_MODEL", "nobody")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "theirs.json").write_text("mine")
    out = tmp_path / "theirs.json"
    ended = inspect("compress", log, "--strategy", "sliding_window", "--model", "--out", out)
    assert ended.code == 2
    assert f"{out} exists" in ended.err


def test_force_without_anything_to_overrule_is_wrong_usage(log: Path) -> None:
    ended = inspect("compress", log, "--strategy", "fifo", "--force")
    assert ended.code == 2
    assert "--force requires --preset or --out" in ended.err


@pytest.mark.skipif(os.name == "nt", reason="devices work differently there")
def test_devices_and_pipes_are_written_to(log: Path) -> None:
    request = inspect("export", log).out
    assert process("export", log, "--out", "/dev/null").returncode == 0
    assert process("export", log, "--out", "/dev/stdout").stdout.decode() == request
    shell = f'"{sys.executable}" -m inspector export "{log}" --out >(cat)'
    ended = subprocess.run(["bash", "-c", f"{shell} | cat"], cwd=ROOT, capture_output=True, check=False)
    assert ended.stdout.decode() == request


def test_what_is_exported_is_private(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "request.json"
    inspect("export", log, "--out", out)
    assert out.stat().st_mode & 0o077 == 0


def test_only_files_of_presets_are_changed(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "theirs"\n')
    for words in (["save", "mine"], ["remove", "project"]):
        ended = inspect("presets", *words, "--presets-file", project)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == f"{project} is not a file of presets. Choose another file.\n"
    assert project.read_text() == '[project]\nname = "theirs"\n'


def test_another_request_can_be_named(log: Path, tmp_path: Path) -> None:
    """A recording that is one request has the form of an export, so it takes a word to replace it."""
    other = written(tmp_path / "other.json", chat(2))
    before = other.read_bytes()
    assert inspect("export", log, "--out", other).code == 2
    assert other.read_bytes() == before
