"""System prompts and tools that a transcript records: they go with every request, the newest of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.engine.window import at_turn
from inspector.formats.reading.content import SAMPLE_RECORDS
from inspector.library.tailing import FollowedFile
from inspector.llm.providers import PROVIDERS
from inspector.llm.tokens import count_message, count_sizes, counter_for
from tests.formats.written import Scribe, calls, only, path_texts, says, texts
from tests.library.tailing.growing import assert_same, read_whole, session_of

WIRE_TOOL = {"name": "Read", "description": "Reads a box.", "input_schema": {"type": "object", "properties": {}}}
SEAM = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__"


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


def snap(scribe: Scribe, uuid: str, *sections: Any, agent: str = "", **fields: Any) -> None:
    own = {"isSidechain": True, "agentId": agent} if agent else {}
    snapshot = {"type": "prompt_snapshot", "systemPrompt": list(sections)}
    scribe.add("attachment", uuid, attachment=snapshot | fields, **own)


def context(session: Session, agent: str = MAIN) -> list[str]:
    return [session.messages[place].text for place in session.path_to(session.last_position(agent))]


def test_the_prompt_leads_the_context_that_it_goes_with_and_the_tools_are_the_sessions(
    tmp_path: Path, scribe: Scribe
) -> None:
    scribe.ask("u1", "Count the scans.")
    snap(scribe, "p1", "You keep an archive.", SEAM, "Be brief.", cliPrefix="You are a clerk.")
    scribe.reply("a1", "msg_1", says("Three."), usage={"input_tokens": 90, "output_tokens": 2})
    snap(
        scribe,
        *("p2", "You keep an archive.", SEAM, "Be brief."),
        cliPrefix="You are a clerk.",
        tools=[
            {"name": "Read", "schema": WIRE_TOOL},
            {"name": "Move", "description": "Moves a box.", "schema": {"type": "object"}},
            WIRE_TOOL | {"name": "Open"},
            "odd",
        ],
    )
    session = only(scribe.write(tmp_path / "x"))
    assert context(session) == ["You are a clerk.\n\nYou keep an archive.\n\nBe brief.", "Count the scans.", "Three."]
    assert (session.messages[0].role, session.messages[0].kind, session.title) == ("system", "chat", "Count the scans.")
    assert session.tools == (
        WIRE_TOOL,
        {"name": "Move", "description": "Moves a box.", "input_schema": {"type": "object"}},
        WIRE_TOOL | {"name": "Open"},
    )
    request = PROVIDERS["anthropic"].request(session.context, session.messages)
    assert len(request["tools"]) == 3 and "You keep an archive." in str(request["system"])
    assert not session.problems


def test_what_is_recorded_is_not_said_to_be_unrecorded(tmp_path: Path, scribe: Scribe) -> None:
    tools = [{"name": f"tool{n}", "schema": WIRE_TOOL | {"name": f"tool{n}"}} for n in range(9)]
    snap(scribe, "p1", "You keep an archive. " * 20, tools=tools)
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", says("Three."), usage={"input_tokens": 450, "output_tokens": 2})
    session = only(scribe.write(tmp_path / "x"))
    counter = counter_for(session.model)
    counts = [count_message(message, counter) for message in session.messages]
    window = at_turn(session, count_sizes(session, counts, counter), 1)
    sizes = {section: (size.tokens > 50, size.certainty) for section, size in window.breakdown.items()}
    assert sizes["system"] == sizes["tools"] == (True, "estimated")


def test_the_newest_prompt_stands_and_keeps_the_tools_that_it_does_not_name(tmp_path: Path, scribe: Scribe) -> None:
    snap(scribe, "p1", "You keep an archive.", tools=[{"name": "Read", "schema": WIRE_TOOL}])
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", says("Three."))
    snap(scribe, "p2", {"type": "text", "text": "You keep a shop."})
    session = only(scribe.write(tmp_path / "x"))
    assert texts(session) == ["You keep a shop.", "Count the scans.", "Three."]
    assert session.tools == (WIRE_TOOL,)


def test_the_prompt_leads_the_context_behind_a_summary_too(tmp_path: Path, scribe: Scribe) -> None:
    snap(scribe, "p1", "You keep an archive.")
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", says("Three."))
    scribe.add("system", "b1", subtype="compact_boundary", parentUuid=None, logicalParentUuid="a1")
    scribe.ask("s1", "Three were counted.", isCompactSummary=True)
    scribe.ask("u2", "Go on.")
    session = only(scribe.write(tmp_path / "x"))
    assert context(session) == ["You keep an archive.", "Three were counted.", "Go on."]
    assert [session.messages[place].text for place in session.compactions] == ["Three were counted."]
    assert len(session.messages) == 5, "and it stands in the log once"


@pytest.mark.parametrize("is_same", [True, False])
def test_each_sub_agent_has_its_own_prompt_and_tools_are_common_to_all(
    tmp_path: Path, scribe: Scribe, is_same: bool
) -> None:
    tools = [{"name": "Read", "schema": WIRE_TOOL}]
    snap(scribe, "p1", "You keep an archive.", tools=tools)
    scribe.ask("u1", "Count the scans.")
    scribe.reply("a1", "msg_1", calls("t1", "Task", prompt="Look.", subagent_type="scout"))
    scribe.ask("u2", "Look.", isSidechain=True, agentId="f1", parentUuid=None)
    snap(scribe, "p2", "You look.", agent="f1", tools=tools * (1 if is_same else 2))
    scribe.reply("a2", "msg_2", says("Three."), isSidechain=True, agentId="f1")
    session = only(scribe.write(tmp_path / "x"))
    scout = next(agent for agent in session.agents if agent != MAIN)
    assert context(session, scout) == ["You look.", "Look.", "Three."]
    assert context(session)[0] == "You keep an archive."
    assert session.tools == ((WIRE_TOOL,) if is_same else ())


def test_a_prompt_that_comes_in_later_leads_a_session_that_is_followed(tmp_path: Path, scribe: Scribe) -> None:
    for number in range(SAMPLE_RECORDS):
        scribe.ask(f"b{number}", f"Count box {number}.")
    scribe.reply("a1", "msg_1", says("Three."))
    snap(scribe, "p1", "You keep an archive.")
    scribe.ask("u2", "And the maps?")
    snap(scribe, "p2", "You keep an archive.", tools=[{"name": "Read", "schema": WIRE_TOOL}])
    scribe.reply("a2", "msg_2", says("Two."))
    snap(scribe, "p3", "You keep a shop.")
    scribe.ask("u3", "Thanks.")
    lines = scribe.write(tmp_path / "whole").read_bytes().splitlines(keepends=True)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(lines[:SAMPLE_RECORDS]))
    source = FollowedFile(path)
    first = session_of(source)
    assert first is not None and first.context.tools == ()
    tools = []
    for line in lines[SAMPLE_RECORDS:]:
        with path.open("ab") as file:
            file.write(line)
        if growth := source.poll():
            assert_same(growth.session, read_whole(path))
            tools.append(growth.session.context.tools)
    assert tools[0] == () and tools[-1] == (WIRE_TOOL,)


def test_what_was_sent_of_an_attachment_of_any_kind_is_read(tmp_path: Path, scribe: Scribe) -> None:
    scribe.ask("u1", "Count the scans.")
    reminder = "<system-reminder>\nIt is Monday.\n</system-reminder>"
    sent = [{"content": reminder}, {"content": [says("It rains.")]}]
    scribe.add("attachment", "x1", attachment={"type": "weather", "day": 1}, rendered=sent)
    scribe.add("attachment", "x2", attachment={"type": "weather", "day": 2}, rendered=[])
    scribe.reply("a1", "msg_1", says("Three."))
    session = only(scribe.write(tmp_path / "x"))
    assert path_texts(session, "Three.") == ["Count the scans.", f"{reminder}\n\nIt rains.", "Three."]
    assert session.messages[1].kind == "injected"
