"""Sub-agents of a Claude Code session: between the lines of old files, in files of their own beside newer ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN
from inspector.formats import find
from inspector.library.tailing import FollowedFile
from tests.formats.written import Scribe, by_text, calls, only, says
from tests.library.tailing.growing import session_of


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def test_old_files_hold_them_between_the_lines(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Do both.")
    scribe.reply("a1", "msg_1", calls("t1", "Task", prompt="Dig.", subagent_type="Explore"))
    scribe.reply("a2", "msg_1", calls("t2", "Task", prompt="Paint.", subagent_type="Explore"))
    main = scribe.last
    scribe.last, scribe.common = None, {"isSidechain": True}
    scribe.ask("d1", "Dig.")
    scribe.reply("d2", "msg_d", says("Dug."))
    scribe.last = None
    scribe.ask("e1", "Sing.")
    scribe.reply("d3", "msg_e", says("Deeper."), parentUuid="d2")
    scribe.last, scribe.common = main, {}
    scribe.answer("r1", "t1", "dug", parentUuid="a1")
    scribe.answer("r2", "t2", "painted")
    session = only(scribe.write(tmp_path / "x"))
    assert session.agents == (MAIN, "Explore-1", "agent-1")
    assert {m.text: m.agent for m in session if m.agent != MAIN} == {
        "Dig.": "Explore-1",
        "Dug.": "Explore-1",
        "Deeper.": "Explore-1",
        "Sing.": "agent-1",
    }
    place = {m.text: at for at, m in enumerate(session)}
    assert by_text(session, "Sing.").parent == by_text(session, "Dig.").parent == -1
    assert by_text(session, "Deeper.").parent == place["Dug."]
    assert by_text(session, "painted").parent == place["dug"]


def test_new_files_lie_in_a_folder_beside_the_session(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Dig.")
    scribe.reply("a1", "msg_1", calls("t1", "Task", prompt="Dig deep.", subagent_type="Bash"))
    scribe.answer("r1", "t1", "dug")
    folder = tmp_path / "one" / "subagents"
    digger = Scribe(common={"isSidechain": True, "agentId": "a77"})
    digger.ask("d1", "Dig deep.")
    digger.reply("d2", "msg_d", says("Dug."))
    digger.write(folder / "agent-a77.jsonl")
    other = Scribe(common={"isSidechain": True, "agentId": "b88"})
    other.ask("e1", "Rest.")
    other.write(folder / "agent-b88.jsonl")
    (folder / "agent-c99.jsonl").write_text("")
    session = only(scribe.write(tmp_path / "one.jsonl"))
    assert [(m.agent, m.text) for m in session.messages[3:]] == [
        ("Bash-1", "Dig deep."),
        ("Bash-1", "Dug."),
        ("b88", "Rest."),
    ]
    assert [m.parent for m in session.messages] == [-1, 0, 1, -1, 3, -1]
    assert ["agent-c99" in str(problem) for problem in session.problems] == [True]


def test_2_0_put_them_beside_all_sessions(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Dig.")
    scribe.reply("a1", "msg_1", calls("t1", "Task", prompt="Dig deep.", subagent_type="Bash"))
    one, two = (scribe.write(tmp_path / f"{name}.jsonl") for name in (scribe.session, "2222"))
    for agent, session in (("a77", scribe.session), ("b88", "2222"), ("c99", "gone")):
        own = Scribe(session=session, common={"isSidechain": True, "agentId": agent})
        own.ask("d1", f"Work of {agent}.")
        own.write(tmp_path / f"agent-{agent}.jsonl")
    talk = Scribe(session=scribe.session)
    talk.ask("v1", "No agent.")
    talk.write(tmp_path / "agent-talk.jsonl")
    (tmp_path / "agent-empty.jsonl").write_text("")
    (tmp_path / "agent-folder.jsonl").mkdir()
    assert [(m.agent, m.text) for m in only(one).messages[2:]] == [("a77", "Work of a77.")]
    assert find(tmp_path) == [tmp_path / name for name in _NAMES] and two.name in _NAMES


_NAMES = ["2222.jsonl", "5e551011-0000.jsonl", "agent-c99.jsonl", "agent-empty.jsonl", "agent-talk.jsonl"]


def test_one_that_comes_while_the_session_goes_on_is_read_too(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Dig.")
    source = FollowedFile(scribe.write(tmp_path / f"{scribe.session}.jsonl"))
    session_of(source)
    path = tmp_path / "agent-a77.jsonl"
    path.write_text("")
    source.poll()
    own = Scribe(session=scribe.session, common={"isSidechain": True, "agentId": "a77"})
    own.ask("d1", "Dig deep.")
    own.reply("d2", "msg_d", says("Dug."))
    own.write(path)
    session = session_of(source)
    assert session is not None
    assert [(m.agent, m.text) for m in session] == [(MAIN, "Dig."), ("a77", "Dig deep."), ("a77", "Dug.")]


def test_a_sub_agents_own_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    digger = Scribe(common={"isSidechain": True, "agentId": "a77"})
    digger.ask("d1", "Dig deep.")
    session = only(digger.write(tmp_path / "agent-a77.jsonl"))
    assert session.id == "5e551011-0000/a77"
    assert session.agents == (MAIN,)
    assert session.title == "Dig deep."


def test_names_never_clash(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Go.")
    for place, agent in enumerate((MAIN, "agent-1", None)):
        scribe.ask(f"s{place}", "Work.", isSidechain=True, agentId=agent, parentUuid=None)
    session = only(scribe.write(tmp_path / "x"))
    assert len(set(session.agents)) == 4


def progress(agent: str, kind: str, uuid: str, **message: Any) -> dict[str, Any]:
    inner = {"type": kind, "uuid": uuid, "timestamp": "2026-03-01T10:30:00Z", "message": message}
    return {"data": {"type": "agent_progress", "agentId": agent, "prompt": "Dig deep.", "message": inner}}


def written_with_progress(scribe: Scribe, path: Path) -> Path:
    """A session whose sub-agent speaks in its records of progress; one of its replies comes in two of them."""
    scribe.ask("u1", "Dig.")
    scribe.reply("a1", "msg_1", calls("t1", "Task", prompt="Dig deep.", subagent_type="Bash"))
    result = {"type": "tool_result", "tool_use_id": "t2", "content": "a stone"}
    scribe.add("progress", "p1", **progress("a77", "user", "d1", role="user", content="Dig deep."))
    scribe.add("progress", "p2", **progress("a77", "assistant", "d2", id="msg_d", content=[says("Digging.")]))
    scribe.add("progress", "p3", **progress("a77", "assistant", "d3", id="msg_d", content=[calls("t2", "Bash")]))
    scribe.add("progress", "p4", **progress("a77", "user", "d4", role="user", content=[result]))
    scribe.add("progress", "p5", **progress("../a77", "elsewhere", "d5"))
    scribe.answer("r1", "t1", "dug")
    return scribe.write(path)


def test_some_files_hold_them_in_records_of_progress(tmp_path: Path, scribe: Scribe) -> None:
    session = only(written_with_progress(scribe, tmp_path / "one.jsonl"))
    assert session.agents == (MAIN, "Bash-1")
    assert [(m.text, len(m.calls)) for m in session if m.agent == "Bash-1"] == [
        ("Dig deep.", 0),
        ("Digging.\n\nBash({})", 1),
        ("a stone", 0),
    ]
    assert [m.parent for m in session] == [-1, 0, -1, 2, 3, 1]
    assert session.problems == ()


def test_what_stands_in_a_file_of_its_own_is_not_read_from_progress(tmp_path: Path, scribe: Scribe) -> None:
    digger = Scribe(common={"isSidechain": True, "agentId": "a77"})
    digger.ask("x1", "Dig deep.")
    digger.write(tmp_path / "one" / "subagents" / "agent-a77.jsonl")
    session = only(written_with_progress(scribe, tmp_path / "one.jsonl"))
    assert [m.id for m in session if m.agent == "Bash-1"] == ["x1"]


def test_what_is_told_as_progress_stays_out_of_the_main_conversation(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Dig.")
    record = progress("a-7_7", "user", "d1", role="user", content="Dig deep.")
    record["data"]["message"] |= {"isSidechain": False, "agentId": ["none"]}
    scribe.add("progress", "p1", **record)
    session = only(scribe.write(tmp_path / "one.jsonl"))
    assert [(m.agent, m.text) for m in session] == [(MAIN, "Dig."), ("a-7_7", "Dig deep.")]
