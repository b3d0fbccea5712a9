"""The library of the app without an app: what is listed, and what an import does to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.library import Library
from inspector.store import StoreError
from inspector.ui.library_controller import LibraryController, LibraryState
from tests.driving import chat
from tests.manual_jobs import ManualJobs, RecordingHost

FIRST = '{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"Count the gull nests."}}'


class Listed:
    """A controller with its jobs and every state that it has been in."""

    def __init__(self, library: Library | None, *targets: str) -> None:
        self.jobs, self.host = ManualJobs(), RecordingHost()
        self.states: list[LibraryState] = []
        self.controller = LibraryController(self.jobs, self.host, self.keep, library, targets, look_around=False)

    def keep(self) -> None:
        self.states.append(self.controller.state)

    @property
    def origins(self) -> list[str]:
        return [entry.origin for entry in self.controller.state.entries.values()]

    @property
    def notices(self) -> list[str]:
        return [text for text, _ in self.host.notices]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "scans.json"
    path.write_text(json.dumps(chat()), encoding="utf-8")
    return str(path)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db", required=True) as library:
        yield library


def test_files_are_listed_and_the_work_is_seen_until_they_are(library: Library, file: str) -> None:
    listed = Listed(library, file)
    listed.controller.list_sessions()
    assert str(listed.controller.state.busy) == "looking"
    listed.jobs.finish()
    assert listed.origins == ["given"] and listed.controller.state.busy is None
    assert listed.states[-1] is listed.controller.state


def test_what_is_imported_is_listed_as_stored(library: Library, file: str) -> None:
    listed = Listed(library, file)
    listed.controller.list_sessions()
    listed.jobs.finish()
    listed.controller.import_files([file])
    listed.jobs.finish()
    assert listed.origins == ["stored"] and listed.notices == ["1 new session in the store."]


def test_a_removed_session_leaves_the_list_and_the_store(library: Library, file: str) -> None:
    listed = Listed(library)
    listed.controller.import_files([file])
    listed.jobs.finish()
    (entry,) = listed.controller.state.entries.values()
    listed.controller.remove(entry)
    listed.jobs.finish()
    assert listed.origins == [] and library.required_store.sessions() == []
    assert listed.notices[-1].startswith("Removed for good: Sort the scans")
    listed.controller.remove(entry)
    listed.jobs.finish()
    assert "no stored session has the id" in listed.notices[-1], "another program was faster"


def test_details_of_found_sessions_are_computed_after_the_others_except_large_ones(
    library: Library, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "claude" / "projects" / "-pier"
    folder.mkdir(parents=True)
    for name, size in (("small.jsonl", 0), ("large.jsonl", 5 << 20)):
        (folder / name).write_text(f"{FIRST}\n{FIRST.replace('gull', 'x' * size)}\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("HOME", str(tmp_path))
    listed = Listed(library, file)
    listed.controller.list_sessions()
    listed.jobs.finish()
    listed.controller.toggle_found()
    listed.controller.set_detailed(True)
    listed.jobs.finish()
    read = {Path(entry.path).name: entry.is_detailed for entry in listed.controller.state.entries.values()}
    assert read == {"scans.json": True, "small.jsonl": True, "large.jsonl": False}


def test_without_a_store_nothing_is_imported_and_that_is_said(file: str) -> None:
    listed = Listed(None)
    listed.controller.import_files([file])
    assert not listed.jobs.waiting and "no store" in listed.notices[-1]


def test_files_that_cannot_be_read_are_counted(library: Library, file: str, tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{ not json")
    listed = Listed(library)
    listed.controller.import_files([str(tmp_path / "notes.json"), file])
    listed.jobs.finish()
    assert listed.notices == ["1 new session in the store, 1 unreadable."]


def test_a_store_that_takes_no_more_is_named_and_what_it_took_is_counted(
    library: Library, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> Iterator[object]:
        raise StoreError("The store is full")
        yield

    monkeypatch.setattr(library, "import_targets", refuse)
    listed = Listed(library)
    listed.controller.import_files([file])
    listed.jobs.finish()
    assert listed.notices == ["The store is full. 0 new sessions in the store."]


def test_a_listing_that_is_no_longer_wanted_is_dropped(library: Library, file: str) -> None:
    listed = Listed(library, file)
    listed.controller.list_sessions()
    listed.jobs.run()
    listed.controller.list_sessions()
    listed.jobs.deliver()
    assert listed.origins == [] and str(listed.controller.state.busy) == "looking"
    listed.jobs.finish()
    assert listed.origins == ["given"] and listed.controller.state.busy is None


def test_nothing_is_listed_after_the_app_is_gone(library: Library, file: str) -> None:
    listed = Listed(library, file)
    listed.controller.list_sessions()
    listed.controller.close()
    listed.jobs.finish()
    assert listed.origins == []
