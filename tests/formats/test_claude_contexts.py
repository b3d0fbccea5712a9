"""Results that Claude Code cleared out of its window without a summary: what is sent behind that is without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.window import at_turn
from inspector.formats import load
from inspector.formats.readers.claude_code.kept_runs import _CLEARED
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import Scribe, only, texts
from tests.growth import calls_made
from tests.library.tailing.growing import assert_same, read_whole, session_of


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def looks(scribe: Scribe, start: int, count: int) -> None:
    """Replies that each call a tool, with what it answered."""
    for number in range(start, start + count):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"file_path": f"box-{number}"}}
        scribe.reply(f"a{number}", f"msg_{number}", call)
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"the scans of box {number}"}
        scribe.add("user", f"r{number}", message={"role": "user", "content": [answer]})


def clear(scribe: Scribe, name: str, *calls: str) -> None:
    facts = {"trigger": "auto", "preTokens": 900, "tokensSaved": 300, "compactedToolIds": [*calls]}
    scribe.add("system", name, subtype="microcompact_boundary", content="cleared", microcompactMetadata=facts)


def window(path: Path, position: int = -1) -> list[str]:
    session = only(path)
    return [session.messages[at].text for at in session.path_to(position % len(session.messages))]


def test_what_follows_a_clearing_has_the_words_in_the_place_of_the_results(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 1, 3)
    clear(scribe, "n1", "c1", "c2")
    scribe.ask("u2", "Go on.")
    looks(scribe, 4, 1)
    path = scribe.write(tmp_path / "x")
    said = window(path)
    assert said.count(_CLEARED) == 2 and "the scans of box 3" in said and "the scans of box 1" not in said
    assert said[0] == "Count the scans." and said[-1] == "the scans of box 4"
    session = only(path)
    assert [message.text for message in session if message.answers == "c1"] == ["the scans of box 1", _CLEARED]
    before = session.turns()[2]
    assert "the scans of box 1" in [session.messages[at].text for at in session.path_to(before)]
    assert len(session.turns()) == 4, "a copy of a reply is no reply"
    copied = [message for message in session if message.kind == "copy"]
    assert copied and all(message.role == "assistant" for message in copied)
    sections = at_turn(session, estimate_sizes(session)).sections
    assert "memory" not in sections and sections[-1] == "scratchpad", "what the agent said is no memory"
    assert len({message.id for message in session}) == len(session.messages)
    copies = [message.text for message in session if session.original_of(message) is not message]
    assert len(copies) == session.repeats and "the scans of box 3" in copies and _CLEARED not in copies


def test_a_second_clearing_goes_on_from_the_first(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 1, 3)
    clear(scribe, "n1", "c1")
    looks(scribe, 4, 2)
    clear(scribe, "n2", "c3", "c4")
    looks(scribe, 6, 1)
    said = window(scribe.write(tmp_path / "x"))
    assert said.count(_CLEARED) == 3
    assert [text for text in said if text.startswith("the scans")] == [f"the scans of box {n}" for n in (2, 5, 6)]


def test_a_clearing_of_nothing_that_is_there_changes_nothing(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 1, 2)
    clear(scribe, "n1", "c9")
    scribe.ask("u2", "Go on.")
    path = scribe.write(tmp_path / "x")
    assert _CLEARED not in texts(only(path)) and len(only(path).messages) == 7


def replace_results(scribe: Scribe, *calls: str) -> None:
    facts = [{"kind": "tool-result", "toolUseId": call, "replacement": f"stub of {call}"} for call in calls]
    scribe.records.append({"type": "content-replacement", "sessionId": scribe.session, "replacements": facts})


def test_a_result_that_the_model_saw_as_a_stub_is_the_stub_from_the_beginning(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 1, 2)
    replace_results(scribe, "c1", "c9", "c2")
    looks(scribe, 3, 1)
    replace_results(scribe, "c1")
    scribe.records.append(
        {"type": "content-replacement", "replacements": [7, {"toolUseId": "c3", "replacement": None}]}
    )
    session = only(scribe.write(tmp_path / "x"))
    assert [message.text for message in session if message.answers] == [
        "stub of c1",
        "stub of c2",
        "the scans of box 3",
    ]
    stub = session.messages[2]
    assert (stub.id, stub.name, stub.chars) == ("r1", "Read", len("stub of c1")) and not session.problems


def test_a_file_that_goes_on_comes_to_the_same_at_any_moment(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 1, SAMPLE_RECORDS // 2)
    clear(scribe, "n1", "c3", "c4")
    looks(scribe, 100, 3)
    clear(scribe, "n2", "c5", "c100")
    replace_results(scribe, "c2", "c101")
    looks(scribe, 200, 3)
    replace_results(scribe, "c201", "c202", "c999")
    scribe.ask("u2", "Go on.")
    lines = scribe.write(tmp_path / "x").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:SAMPLE_RECORDS]))
    source = FollowedFile(path)
    session_of(source)
    for line in lines[SAMPLE_RECORDS:]:
        with path.open("ab") as file:
            file.write(line)
        growth = source.poll()
        if growth is not None:
            assert_same(growth.session, read_whole(path))


def test_many_clearings_take_time_in_proportion_to_what_they_clear(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        scribe = Scribe()
        scribe.ask("u1", "Count the scans.")
        for number in range(count):
            looks(scribe, 10 * number, 10)
            clear(scribe, f"n{number}", f"c{10 * number + 8}")
        path = scribe.write(tmp_path / f"{count}")
        return calls_made(lambda: load(path))

    assert cost(80) < 2.3 * cost(40)


def test_clearings_of_what_is_far_back_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.formats.readers.claude_code.kept_runs.MAX_COPIES", 50)
    scribe = Scribe()
    scribe.ask("u1", "Count the scans.")
    looks(scribe, 0, 10)
    for number in range(10):
        clear(scribe, f"n{number}", "c0", "c9")
    assert len(only(scribe.write(tmp_path / "x")).messages) <= 31 + 50
