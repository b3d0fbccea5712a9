"""Transcripts that are joined with their captured requests."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from inspector.core.conversation import Session
from inspector.engine.window import at_turn
from inspector.formats import capture_folder, load
from inspector.library import (
    Opener,
    OpenError,
    exact_sizes,
    found_entries,
    import_targets,
    list_entries,
    resolve,
)
from inspector.library.capture.session_join import join_capture
from inspector.library.tailing import Follower, source_of
from inspector.llm.tokens import Sizes, mark
from inspector.store import Store
from tests.library.capture.joined_samples import REMINDER, SYSTEM, TOOLS, Program, work

_SUMMARY = "The lamps on the northern pier burn, and the oil lasts until the morning. " * 8


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "session.jsonl", tmp_path / "requests.jsonl")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of captures, in a home folder of its own."""
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = capture_folder()
    folder.mkdir(parents=True)
    return folder


def _joined(program: Program) -> Session:
    return resolve(f"{program.transcript}+{program.capture}").session


def _assert_exact(session: Session, sizes: Sizes, reported: list[int]) -> None:
    """Check that no size of a request is inferred, and that each is the one that the provider reported."""
    assert sizes.unrecorded == 0 and not sizes.levels
    for turn, size in enumerate(reported, 1):
        window = at_turn(session, sizes, turn)
        assert (window.total, mark(window.size.certainty)) == (size, ""), turn
        assert {one.certainty for one in window.breakdown.values()} <= {"estimated", "exact"}


def test_a_joined_session_has_the_prompt_the_tools_and_the_reported_sizes(program: Program) -> None:
    work(program, 4)
    (transcript,) = load(program.transcript)
    assert exact_sizes(transcript).unrecorded > 1_000, "half of the window is unrecorded"
    session = _joined(program)
    _assert_exact(session, exact_sizes(session), program.sizes)
    assert (session.id, session.format, session.capture) == (transcript.id, "claude-code", str(program.capture))
    assert session.tools == tuple(TOOLS) and session.messages[0].text == SYSTEM
    texts = [message.text for message in session.messages]
    assert texts.count(REMINDER) == 1 and texts.index(REMINDER) == 1
    kept = [one for one in session.messages if one.id in transcript.by_id]
    assert [one.id for one in kept] == [one.id for one in transcript.messages]
    assert [one.time for one in kept] == [one.time for one in transcript.messages]
    assert kept[1].usage is not None and kept[1].usage.output == 40, "the transcript has the size at the start"
    assert program.transcript.name in session.path


def test_the_window_of_each_turn_is_the_request_that_was_sent(program: Program) -> None:
    work(program, 3)
    program.compact(_SUMMARY)
    work(program, 3, first=3)
    session = _joined(program)
    sizes = exact_sizes(session)
    _assert_exact(session, sizes, program.sizes)
    requests = [one for one in load(program.capture) if one.records_system]
    for turn, request in ((6, requests[0]), (12, requests[1])):
        window = at_turn(session, sizes, turn)
        sent = at_turn(request, exact_sizes(request), len(request.turns()))
        ours, theirs = (
            [part for message in one.messages for part in message.text.split("\n\n")] for one in (window, sent)
        )
        assert ours == theirs
    assert len(session.compactions) == 1


def test_contexts_that_were_not_captured_share_the_prompt(program: Program) -> None:
    program.captures = False
    work(program, 2)
    program.compact(_SUMMARY)
    program.captures = True
    work(program, 3, first=2)
    session = _joined(program)
    sizes = exact_sizes(session)
    assert sizes.unrecorded == 0
    for turn in (1, 6):
        assert at_turn(session, sizes, turn).messages[0].text == SYSTEM
    assert sum(message.role == "system" for message in session.messages) == 1


def test_what_the_program_changed_before_it_was_sent_is_stated_once(program: Program) -> None:
    secret = "sk-ant-api03-" + "q7Zr9mK2xW4vB8nT1yL6" * 3
    program.user(f"Light the lamp of the pier with the key {secret}.")
    program.reply("I light the lamp of the pier with the key.")
    program.user(f"{REMINDER}\nAnd another lamp.\n{REMINDER}", shown="And another lamp.")
    program.reply("The other lamp of the pier burns as well.")
    session = _joined(program)
    users = [message.text for message in session.messages if message.role == "user"]
    assert users == [f"Light the lamp of the pier with the key {secret}.", REMINDER, "And another lamp.", REMINDER]


def test_a_capture_in_the_default_folder_is_found(tmp_path: Path, folder: Path) -> None:
    other = Program(tmp_path / "other.jsonl", folder / "other.jsonl")
    other.number = 500
    work(other, 2, first=70)
    program = Program(tmp_path / "session.jsonl", folder / "requests.jsonl")
    work(program, 4)
    for one in (program, other):
        os.utime(one.capture, (1_767_330_000, 1_767_330_000))
    found = resolve(str(program.transcript))
    assert found.session.capture == str(program.capture)
    assert found.notes == (f"Joined with the requests in {program.capture}.",)
    with Store(tmp_path / "store.db") as store:
        for _ in range(2):
            bench, _ = Opener(store).open(str(program.transcript))
            _assert_exact(bench.session, bench.sizes, program.sizes)
    assert not resolve(str(program.capture)).session.capture, "a capture has everything already"
    os.utime(program.capture, (1_767_000_000, 1_767_000_000))
    assert not resolve(str(program.transcript)).session.capture, "it ended before the session began"


def test_a_capture_of_another_session_is_refused(program: Program, tmp_path: Path) -> None:
    work(program, 2)
    other = Program(tmp_path / "other.jsonl", tmp_path / "else.jsonl")
    other.number = 500
    work(other, 2, first=70)
    with pytest.raises(OpenError, match=r"else\.jsonl contains no requests of .*session\.jsonl"):
        resolve(f"{program.transcript}+{other.capture}")
    with pytest.raises(OpenError, match=r"missing\.jsonl does not exist"):
        resolve(f"{program.transcript}+{tmp_path / 'missing.jsonl'}")
    with pytest.raises(OpenError, match="contains no requests"):
        resolve(f"{program.transcript}+{program.transcript}")


def test_both_files_are_followed_while_they_grow(program: Program) -> None:
    work(program, 1)
    follower = Follower(source_of(f"{program.transcript}+{program.capture}"))
    for turn in range(1, 4):
        work(program, 1, first=turn)
        moment = None
        for _ in range(1_000):
            moment = follower.poll() or moment
            if moment and moment.timeline.reported == tuple(program.sizes) and not moment.window.unrecorded:
                break
            time.sleep(0.01)
        assert moment and moment.timeline.reported == tuple(program.sizes) and not moment.window.unrecorded
        assert moment.session.capture and moment.window.messages[0].text == SYSTEM


def test_any_beginning_of_either_file_can_be_joined(program: Program) -> None:
    work(program, 2)
    program.compact(_SUMMARY)
    work(program, 2, first=2)
    lines, requests = (path.read_text().splitlines(True) for path in (program.transcript, program.capture))
    for count in range(1, len(lines)):
        program.transcript.write_text("".join(lines[:count]))
        for captured in (1, len(requests) // 2, len(requests)):
            program.capture.write_text("".join(requests[:captured]))
            (transcript,) = load(program.transcript)
            session = join_capture(transcript, load(program.capture), "requests.jsonl")
            assert all(one.parent < place for place, one in enumerate(session.messages))
            assert set(transcript.by_id) <= set(session.by_id)
            assert json.dumps([dict(one.raw) for one in session.messages])


def test_a_transcript_and_its_capture_are_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    home = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    project = home / "projects" / "-pier"
    project.mkdir(parents=True)
    program = Program(project / "session.jsonl", folder / "requests.jsonl")
    work(program, 4)
    alone = Program(tmp_path / "elsewhere.jsonl", folder / "alone.jsonl")
    alone.number = 500
    work(alone, 2, first=70)
    entries = {entry.path: entry for entry in found_entries()}
    assert set(entries) == {str(program.transcript), str(alone.capture)}
    assert entries[str(program.transcript)].capture == str(program.capture)
    assert not entries[str(alone.capture)].capture
    assert resolve(entries[str(program.transcript)].target).session.capture == str(program.capture)
    with program.capture.open("ab") as file:
        file.write(alone.capture.read_bytes())
    paths = {entry.path for entry in found_entries()}
    assert paths == {str(program.transcript), str(program.capture), str(alone.capture)}, "it has another session, too"
    with Store(tmp_path / "store.db") as store:
        list(import_targets(store, [str(program.transcript)]))
        beside = [entry for entry, _ in list_entries((), store)]
    assert [entry.origin for entry in beside].count("stored") == 1
    assert str(program.capture) in {entry.path for entry in beside}
