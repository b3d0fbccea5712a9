"""Transcripts and captured requests that are imported: in either order, they are one session."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.conversation import ADDITION, Session
from inspector.formats import capture_folder, load
from inspector.library import Library, Opener, exact_sizes, import_targets, join_capture, list_entries, resolve
from inspector.store import RollupPeriod, Store
from tests.library.capture.joined_samples import SYSTEM, TOOLS, Program, work

_SUMMARY = "The lamps on the northern pier burn, and the oil lasts until the morning. " * 8
_SESSION = "lamp-session"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for both files, beside a home folder without captures."""
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "both"
    folder.mkdir()
    return folder


@pytest.fixture
def program(folder: Path) -> Program:
    return Program(folder / "session.jsonl", folder / "requests.jsonl")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as store:
        yield store


def _import(store: Store, *paths: Path | str) -> list[tuple[str, int]]:
    """Import some paths, and return the id and the number of added messages of each session."""
    outcomes = list(import_targets(store, map(str, paths)))
    assert not [one.problem for one in outcomes if one.problem]
    return [(one.addition.id, one.addition.writes) for one in outcomes if one.addition]


def _assert_one_exact_session(store: Store, program: Program) -> Session:
    """Check that the store has the joined session of a program alone, as it is joined from its files."""
    (row,) = store.sessions()
    assert row.id == _SESSION and row.format == "claude-code"
    session = store.load(_SESSION)
    assert session.tools == tuple(TOOLS) and session.messages[0].text == SYSTEM and session.records_system
    assert exact_sizes(session).unrecorded == 0
    inputs = [one.usage.input for one in session.messages if one.is_reply and one.usage]
    assert inputs == program.sizes
    joined = resolve(f"{program.transcript}+{program.capture}").session
    for ours, expected in zip(session.messages, joined.messages, strict=True):
        assert (ours.id, ours.parent, ours.kind, ours.text) == (
            expected.id,
            expected.parent,
            expected.kind,
            expected.text,
        )
    assert store.rollups.total(RollupPeriod()).sessions == 1
    return session


@pytest.mark.parametrize("names", [("both",), ("session.jsonl", "requests.jsonl"), ("requests.jsonl", "session.jsonl")])
def test_a_transcript_and_its_capture_are_one_session(
    program: Program, store: Store, folder: Path, names: tuple[str, ...]
) -> None:
    work(program, 3)
    program.compact(_SUMMARY)
    work(program, 3, first=3)
    paths = [folder if name == "both" else folder / name for name in names]
    for path in paths:
        _import(store, path)
    _assert_one_exact_session(store, program)
    for path in reversed(paths):
        assert {writes for _, writes in _import(store, path)} == {0}
    _assert_one_exact_session(store, program)


def test_both_parts_can_be_named_as_one_target(program: Program, store: Store) -> None:
    work(program, 2)
    _import(store, f"{program.transcript}+{program.capture}")
    _assert_one_exact_session(store, program)


def test_a_joined_session_grows_with_either_file(program: Program, store: Store) -> None:
    work(program, 1)
    _import(store, program.transcript, program.capture)
    for turn in range(1, 4):
        work(program, 1, first=turn)
        _import(store, *[program.transcript, program.capture][:: 1 if turn % 2 else -1])
        _assert_one_exact_session(store, program)


def test_a_transcript_grows_after_its_capture_is_gone(program: Program, store: Store) -> None:
    work(program, 2)
    _import(store, program.transcript, program.capture)
    program.capture.unlink()
    program.captures = False
    work(program, 2, first=2)
    _import(store, program.transcript)
    (row,) = store.sessions()
    session = store.load(row.id)
    (transcript,) = load(program.transcript)
    assert [one.id for one in session.messages if not one.id.startswith(ADDITION)] == [
        one.id for one in transcript.messages
    ]
    assert session.messages[0].text == SYSTEM and session.tools == tuple(TOOLS)


def test_a_capture_in_the_private_folder_is_joined(program: Program, store: Store) -> None:
    work(program, 3)
    _import(store, program.transcript)
    assert not store.load(_SESSION).records_system
    capture_folder().mkdir(parents=True)
    program.capture = Path(shutil.move(program.capture, capture_folder() / "log.jsonl"))
    os.utime(program.capture, (1_767_330_000, 1_767_330_000))
    _import(store, program.transcript)
    _assert_one_exact_session(store, program)


def test_the_capture_of_a_stored_session_is_no_row(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    project = folder / "projects" / "-pier"
    for place in (project, capture_folder()):
        place.mkdir(parents=True)
    program = Program(project / "session.jsonl", capture_folder() / "log.jsonl")
    program.captures = False
    work(program, 2)
    _import(store, program.transcript)
    program.captures = True
    work(program, 2, first=2)
    assert [entry.origin for entry, _ in list_entries((), store)] == ["stored", "found"], "it is stored without them"
    _import(store, program.transcript)
    (entry,) = [entry for entry, _ in list_entries((), store)]
    assert (entry.origin, entry.capture) == ("stored", "the store")


def test_another_session_stays_apart(program: Program, store: Store, folder: Path, tmp_path: Path) -> None:
    work(program, 2)
    other = Program(tmp_path / "elsewhere.jsonl", folder / "other.jsonl")
    other.number = 500
    work(other, 2, first=70)
    _import(store, folder)
    assert sorted(row.format for row in store.sessions()) == ["capture", "claude-code"]
    with program.capture.open("ab") as file:
        file.write(b"".join(other.capture.read_bytes().splitlines(True)[:1]))
    _import(store, folder)
    assert sorted(row.format for row in store.sessions()) == ["capture", "claude-code"]


def test_bookmarks_and_plans_keep_their_messages(program: Program, store: Store) -> None:
    work(program, 4)
    _import(store, program.transcript)
    (transcript,) = load(program.transcript)
    marked = transcript.messages[5].id
    store.bookmarks.put(_SESSION, marked, "the second lamp")
    with Library(Path(store.path)) as library:
        opened = library.open(_SESSION)
        plan = opened.bench.preview(strategy="sliding_window").plan
        assert plan
        opened.push(plan)
        before = [one.id for one in opened.bench.window().messages]
    _import(store, program.capture)
    (bookmark,) = store.bookmarks.of(_SESSION)
    assert bookmark.message_id == marked
    bench, notes = Opener(store).open(_SESSION)
    after = [one.id for one in bench.window().messages]
    assert not [note for note in notes if "plan" in note] and len(bench.plans) == 1
    assert [one for one in after if not one.startswith(ADDITION)] == before
    _assert_one_exact_session(store, program)


def test_the_file_opens_joined_with_the_stored_requests(program: Program, store: Store) -> None:
    work(program, 3)
    _import(store, program.capture)
    program.capture.unlink()
    bench, _ = Opener(store, keeps=True).open(str(program.transcript))
    assert bench.session.messages[0].text == SYSTEM and bench.sizes.unrecorded == 0
    (row,) = store.sessions()
    assert row.id == _SESSION
    again, _ = Opener(store, keeps=True).open(str(program.transcript))
    assert again.session.messages[0].text == SYSTEM
    assert len(store.sessions()) == 1


def test_a_joined_session_is_joined_with_itself_without_a_change(program: Program) -> None:
    work(program, 2)
    program.compact(_SUMMARY)
    work(program, 2, first=2)
    (transcript,) = load(program.transcript)
    joined = join_capture(transcript, load(program.capture), "requests.jsonl")
    again = join_capture(transcript, [joined], "store.db")
    assert [(one.id, one.parent, one.kind, one.text, one.usage) for one in again.messages] == [
        (one.id, one.parent, one.kind, one.text, one.usage) for one in joined.messages
    ]
