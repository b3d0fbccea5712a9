"""Events of the Copilot command line: sub-agents, rewinds, what the person runs, models and sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, SizeFacts
from tests.formats.written import only, write_lines


def session_of(tmp_path: Path, *events: tuple[str, dict[str, Any]], start: str = "gpt-5.4") -> Session:
    head = {"sessionId": "s1", "selectedModel": start}
    records = [
        {
            "type": kind,
            "id": f"e{number}",
            "data": {key: value for key, value in data.items() if key != "agentId"},
            "timestamp": "2026-01-02T03:04:05Z",
        }
        | ({"agentId": data["agentId"]} if "agentId" in data else {})
        for number, (kind, data) in enumerate([("session.start", head), *events])
    ]
    return only(write_lines(tmp_path / "events.jsonl", records))


def asked(text: str, **data: Any) -> tuple[str, dict[str, Any]]:
    return "user.message", {"content": text, **data}


def said(text: str, *calls: str, **data: Any) -> tuple[str, dict[str, Any]]:
    requests = [{"toolCallId": call, "name": "task", "arguments": {"prompt": "Look."}} for call in calls]
    return "assistant.message", {"content": text, "toolRequests": requests, **data}


def answered(call: str, text: str, **data: Any) -> tuple[str, dict[str, Any]]:
    return "tool.execution_complete", {"toolCallId": call, "success": True, "result": {"content": text}, **data}


def started(call: str, **data: Any) -> tuple[str, dict[str, Any]]:
    return "subagent.started", {"toolCallId": call, "agentName": "explore", **data}


@pytest.mark.parametrize("way", ["by their call", "by their id"])
def test_sub_agents_have_contexts_of_their_own(tmp_path: Path, way: str) -> None:
    first, second = ({"parentToolCallId": "c1"}, {"parentToolCallId": "c2"})
    if way == "by their id":
        first, second = {"agentId": "a1"}, {"agentId": "a2"}
    session = session_of(
        tmp_path,
        asked("Which lamp?"),
        said("", "c1", "c2"),
        started("c1", **first),
        asked("Look in the cellar.", **first),
        started("c2", **second),
        asked("Look in the attic.", **second),
        said("Nothing.", **second),
        said("Three lamps.", model="gpt-5-mini", **first),
        answered("c1", "Three lamps."),
        answered("c2", "Nothing."),
        said("There are three."),
    )
    assert session.agents == ("main", "explore", "explore 2")
    texts = {agent: [one.text for one in session if one.agent == agent] for agent in session.agents}
    assert texts["explore"] == ["Look in the cellar.", "Three lamps."]
    assert texts["explore 2"] == ["Look in the attic.", "Nothing."]
    assert texts["main"][-3:] == ["Three lamps.", "Nothing.", "There are three."]
    last = session.messages[-1]
    assert [session.messages[at].agent for at in session.path_to(len(session.messages) - 1)] == ["main"] * 5
    assert (session.model, last.model) == ("gpt-5.4", "gpt-5.4"), "the sub-agent's model is not the session's"


@pytest.mark.parametrize(("target", "removed"), [("e2", 2), ("e3", 2)])
def test_what_was_rewound_is_out_of_the_context(tmp_path: Path, target: str, removed: int) -> None:
    session = session_of(
        tmp_path,
        asked("Which lamp?"),
        said("The third."),
        asked("And the oil?"),
        said("Gone."),
        ("session.snapshot_rewind", {"upToEventId": target, "eventsRemoved": removed}),
        asked("And the wick?"),
    )
    assert [message.text for message in session] == ["Which lamp?", "The third.", "And the wick?"]


def test_replies_have_the_model_that_was_chosen(tmp_path: Path) -> None:
    change = "session.model_change", {"newModel": "claude-sonnet-4.6"}
    session = session_of(tmp_path, asked("One?"), said("One."), change, asked("Two?"), said("Two."))
    assert [session.messages[turn].model for turn in session.turns()] == ["gpt-5.4", "claude-sonnet-4.6"]
    assert session.model == "claude-sonnet-4.6"


def test_skills_and_commands_of_the_person_are_injected(tmp_path: Path) -> None:
    session = session_of(
        tmp_path,
        ("skill.invoked", {"name": "lamps", "content": "Lamps burn oil."}),
        ("tool.user_requested", {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "pwd"}}),
        answered("u1", "/cellar"),
        said("I see."),
    )
    assert [(one.role, one.kind, one.text) for one in session][:2] == [
        ("user", "injected", "Lamps burn oil."),
        ("user", "injected", "/cellar"),
    ]


def test_the_tools_that_no_event_holds_are_known_by_their_size(tmp_path: Path) -> None:
    end = "session.shutdown", {"currentModel": "gpt-5.4", "toolDefinitionsTokens": 4_721, "systemTokens": 6_661}
    session = session_of(tmp_path, ("system.message", {"content": "Be brief."}), asked("One?"), said("One."), end)
    assert session.sizes == SizeFacts(unrecorded=4_721)
    assert session_of(tmp_path, asked("One?"), said("One."), end).sizes == SizeFacts(unrecorded=4_721 + 6_661)


def test_a_truncation_says_that_the_window_is_larger_than_it_was(tmp_path: Path) -> None:
    cut = "session.truncation", {"messagesRemovedDuringTruncation": 12}
    session = session_of(tmp_path, asked("One?"), said("One."), cut, asked("Two?"))
    assert [str(problem) for problem in session.problems] == [
        "12 messages were removed from the context here, and it is not recorded which"
    ]


def test_a_call_whose_reply_was_cut_away_is_read_where_it_is_carried_out(tmp_path: Path) -> None:
    carried_out = [
        (
            "tool.execution_start",
            {"toolCallId": call, "toolName": "view", "arguments": {"path": "a"}, "model": "gpt-5.4"},
        )
        for call in ("c1", "c2")
    ]
    events = [*carried_out, answered("c1", "One."), answered("c2", "Two."), said("So it is.")]
    records = [
        {"type": kind, "id": f"e{at}", "data": data, "timestamp": "2026-01-02T03:04:05Z", "parentId": f"e{at - 1}"}
        for at, (kind, data) in enumerate(events)
    ]
    for end in (-1, None):  # without the last, no event says by its type alone what the file is
        session = only(write_lines(tmp_path / "events.jsonl", records[:end]))
        assert session.format == "copilot-cli"
        assert [message.role for message in session][:4] == ["assistant", "tool", "assistant", "tool"]
        assert [message.calls[0].id for message in session if message.calls] == ["c1", "c2"]
        assert session.messages[0].model == "gpt-5.4"
        assert [str(problem) for problem in session.problems] == [
            "line 1: it does not begin with a session.start: earlier records may be missing, too"
        ]


def test_a_call_that_a_reply_asked_for_stands_there_once(tmp_path: Path) -> None:
    start = "tool.execution_start", {"toolCallId": "c1", "toolName": "task", "arguments": {"prompt": "Look."}}
    session = session_of(tmp_path, asked("Look."), said("", "c1"), start, answered("c1", "One."))
    assert [message.role for message in session] == ["user", "assistant", "tool"]
    assert not session.problems
