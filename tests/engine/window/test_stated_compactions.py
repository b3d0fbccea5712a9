"""Sizes that the record of a compaction states, in the notations of several programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.engine.window import compute_timeline
from inspector.library.opening.loading import exact_sizes
from tests.formats.written import only, write_json, write_lines


def attribute(key: str, value: str | int) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}


def event(number: int, name: str, **fields: str | int) -> dict[str, Any]:
    facts = {"event.name": name, "session.id": "s1", "event.sequence": number, **fields}
    return {
        "timeUnixNano": str(1_780_000_000_000_000_000 + number),
        "body": {"stringValue": f"claude_code.{name}"},
        "attributes": [attribute(key, value) for key, value in facts.items()],
    }


def logged(folder: Path, *later: dict[str, Any]) -> Session:
    """Events of Claude Code, whose compaction states other sizes than the calls around it."""
    call: dict[str, Any] = {"model": "claude-opus-5", "input_tokens": 11, "output_tokens": 7, "query_source": "main"}
    rows = [
        event(1, "user_prompt", prompt="Sort the shells"),
        event(2, "api_request", cache_read_tokens=61_000, **call),
        event(3, "compaction", success="true", pre_tokens=95_000, post_tokens=17_000),
        *later,
    ]
    return only(write_json(folder / "logs.json", {"resourceLogs": [{"scopeLogs": [{"logRecords": rows}]}]}))


def changes(session: Session) -> list[str]:
    timeline = compute_timeline(session, exact_sizes(session))
    return [str(timeline.change(turn)) for turn in timeline.compactions]


def test_the_stated_sizes_are_those_of_a_compaction_after_the_last_call(tmp_path: Path) -> None:
    session = logged(tmp_path)
    assert changes(session) == ["95,000 → 17,000"]
    sizes = exact_sizes(session)
    assert compute_timeline(session, sizes).totals[-1] == 17_000, "the window now has the size that was stated"


def test_the_size_after_a_compaction_is_that_of_the_next_call(tmp_path: Path) -> None:
    call: dict[str, Any] = {"model": "claude-opus-5", "input_tokens": 11, "output_tokens": 7, "query_source": "main"}
    more = event(4, "user_prompt", prompt="Go on"), event(5, "api_request", cache_read_tokens=18_500, **call)
    assert changes(logged(tmp_path, *more)) == ["95,000 → 18,511"]


@pytest.mark.parametrize("stated", [61_900, 95_000])
def test_a_stated_size_near_that_of_the_last_call_changes_nothing(tmp_path: Path, stated: int) -> None:
    rows = [
        {"type": "session", "version": 3, "id": "p1", "timestamp": "2026-05-05T13:00:00Z", "cwd": "/bay"},
        pi("m1", "user", "Sort the shells"),
        pi("m2", "assistant", "Sorting.", usage={"input": 61_000, "output": 5}),
        {"type": "compaction", "id": "c1", "parentId": "m2", "summary": "Shells.", "tokensBefore": stated},
        pi("m3", "user", "Go on", parent="c1"),
        pi("m4", "assistant", "Done.", usage={"input": 4_000, "output": 5}),
    ]
    before = "61,000" if stated < 70_000 else "95,000"
    assert changes(only(write_lines(tmp_path / "pi.jsonl", rows))) == [f"{before} → 4,000"]


def pi(name: str, role: str, text: str, parent: str = "", **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": text}], **fields}
    number = int(name[1:])
    after = parent or (f"m{number - 1}" if number > 1 else None)
    return {
        "type": "message",
        "id": name,
        "parentId": after,
        "timestamp": f"2026-05-05T13:00:0{number}Z",
        "message": message,
    }


def test_a_reply_between_the_events_of_a_compaction_is_its_summary(tmp_path: Path) -> None:
    rows = [
        {"type": "session", "version": 3, "id": "p1", "timestamp": "2026-05-05T13:00:00Z", "cwd": "/bay"},
        pi("m1", "user", "Sort the shells"),
        pi("m2", "assistant", "Sorting.", usage={"input": 3_000, "output": 5}),
        {"type": "compaction_start", "id": "c1", "parentId": "m2"},
        pi("m3", "assistant", "Shells are to be sorted.", parent="c1", usage={"input": 3_100, "output": 9}),
        {"type": "compaction_end", "id": "c2", "parentId": "m3"},
        pi("m4", "user", "Go on", parent="c2"),
        pi("m5", "assistant", "Done.", usage={"input": 700, "output": 5}),
    ]
    session = only(write_lines(tmp_path / "pi.jsonl", rows))
    assert changes(session) == ["3,000 → 700"]
    assert len(session.turns()) == 2 and not session.problems


def test_a_step_that_manages_the_context_is_a_compaction(tmp_path: Path) -> None:
    """The summary is the observation of the step, unless the user's next step has it."""
    managed = {"context_management": {"type": "compaction", "boundary": "replace"}}
    steps = [
        {"step_id": 1, "source": "user", "message": "Sort the shells."},
        {"step_id": 2, "source": "agent", "message": "Sorting.", "metrics": {"prompt_tokens": 9_000}},
        {
            "step_id": 3,
            "source": "system",
            "message": "The context was compacted.",
            "observation": {"results": [{"content": "Shells are to be sorted."}]},
            "extra": managed,
        },
        {"step_id": 4, "source": "agent", "message": "Done.", "metrics": {"prompt_tokens": 900}},
    ]
    agent = {"name": "walker", "version": "1", "model_name": "gpt-4o"}
    record = {"schema_version": "ATIF-v1.7", "session_id": "a1", "agent": agent, "steps": steps}
    session = only(write_json(tmp_path / "atif.json", record))
    assert [session.messages[place].text for place in session.compactions] == ["Shells are to be sorted."]
    assert changes(session) == ["9,000 → 900"]
    cut = {**record, "steps": [*steps[:2], {**steps[2], "observation": None}]}
    unsaid = only(write_json(tmp_path / "cut.json", cut))
    assert [unsaid.messages[place].text for place in unsaid.compactions] == ["[A summary, not recorded]"]


def test_a_condensation_of_roo_code_states_its_sizes(tmp_path: Path) -> None:
    folder = tmp_path / "1767323045000"
    folder.mkdir()
    history = [
        {"role": "user", "content": "<task>\nSort.\n</task>", "ts": 10},
        {"role": "assistant", "content": "Sorting.", "ts": 20, "condenseParent": "k"},
        {"role": "assistant", "content": "Shells.", "ts": 30, "isSummary": True, "condenseId": "k"},
        {"role": "user", "content": "Go on.", "ts": 40},
        {"role": "assistant", "content": "Done.", "ts": 50},
    ]
    shown = [
        {
            "ts": 30,
            "type": "say",
            "say": "condense_context",
            "contextCondense": {"summary": "Shells.", "prevContextTokens": 52_000, "newContextTokens": 6_000},
        }
    ]
    write_json(folder / "ui_messages.json", shown)
    session = only(write_json(folder / "api_conversation_history.json", history))
    assert changes(session) == ["52,000 → 6,000"]


def test_the_stated_size_of_the_last_window_is_used(tmp_path: Path) -> None:
    """Cursor and Grok Build report no usage of their calls, but the size of the window as it is at the end."""
    rows = [
        {"type": "user", "content": [{"type": "text", "text": "Sort the shells."}], "prompt_index": 0},
        {"type": "assistant", "content": "Sorting.", "model_id": "grok-4.5"},
    ]
    write_json(tmp_path / "signals.json", {"contextTokensUsed": 23_456, "contextWindowTokens": 200_000})
    session = only(write_lines(tmp_path / "chat_history.jsonl", rows))
    assert session.format == "grok-build"
    timeline = compute_timeline(session, exact_sizes(session))
    assert abs(timeline.totals[-1] - 23_456) < 5

    bubbles = [{"type": 1, "bubbleId": "b1", "text": "Sort."}, {"type": 2, "bubbleId": "b2", "text": "Sorting."}]
    chat = {"composerId": "c1", "conversation": bubbles, "contextTokensUsed": 34_567, "contextTokenLimit": 176_000}
    value = json.dumps({"allComposers": [chat]})
    rows_of_state = {"rows": [[1, "composer.composerData", value]], "columns": ["rowid", "key", "value"]}
    session = only(write_json(tmp_path / "state.json", rows_of_state))
    timeline = compute_timeline(session, exact_sizes(session))
    assert abs(timeline.totals[-1] - 34_567) < 5
