"""Sub-agents of a Claude Code session: between the lines of old files, in files of their own beside newer ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.conversation import MAIN
from tests.formats.written import Scribe, by_text, calls, only, says


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
