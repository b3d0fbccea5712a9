"""What an export changes is said, or it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, SizeFacts
from inspector.formats import load
from inspector.library import EXPORT_FORMS, Export, Workbench, exact_sizes
from tests.formats.written import write_json, write_lines

ORDER = "Results of parallel calls were sorted by the order of the calls, after 1 reply."


def session_of(messages: list[dict[str, Any]], folder: Path) -> Session:
    (session,) = load(write_json(folder / "chat.json", {"model": "gpt-4o", "messages": messages}))
    return session


def export_of(session: Session, to: str) -> Export:
    return Export(Workbench(session, exact_sizes(session)).preview(), to)


def opened(export: Export, folder: Path) -> Session:
    path = folder / "again" / export.suggestion
    path.parent.mkdir(exist_ok=True)
    for file, text in export.files(path).items():
        file.write_text(text, encoding="utf-8")
    (session,) = load(path)
    return session


def call(id: str, name: str = "look") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": '{"lamp": 1}'}}


def answer(id: str, words: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": words}


def talk(*between: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Look."}, *between, {"role": "user", "content": "Thanks."}]


@pytest.mark.parametrize("to", [form for form in EXPORT_FORMS if form != "markdown"])
def test_results_in_another_order_are_said(to: str, tmp_path: Path) -> None:
    calls = {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]}
    late = session_of(talk(calls, answer("b", "two"), answer("a", "one")), tmp_path)
    assert ORDER in export_of(late, to).notes()
    in_order = session_of(talk(calls, answer("a", "one"), answer("b", "two")), tmp_path)
    assert not any("order" in note for note in export_of(in_order, to).notes())


def claude_code(tmp_path: Path) -> Session:
    """A reply of two calls, one of which failed, and one that says nothing."""

    def line(number: int, kind: str, content: list[dict[str, Any]] | str) -> dict[str, Any]:
        ids = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number > 1 else None, "sessionId": "s"}
        message = {"role": kind, "content": content} | ({"id": f"m{number}"} if kind == "assistant" else {})
        return ids | {"type": kind, "timestamp": f"2026-01-01T10:00:0{number}.000Z", "message": message}

    lines = [
        line(1, "user", "Look."),
        line(2, "assistant", [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]),
        line(3, "user", [{"type": "tool_result", "tool_use_id": "a", "content": "the lamp is out", "is_error": True}]),
        line(4, "assistant", [{"type": "text", "text": ""}]),
        line(5, "user", "And now?"),
        line(6, "assistant", [{"type": "text", "text": "It is lit."}]),
        line(7, "user", "Thanks."),
    ]
    (session,) = load(write_lines(tmp_path / "session.jsonl", lines))
    return session


@pytest.mark.parametrize("to", ["openai", "openai-responses"])
def test_the_word_that_says_that_a_call_failed_is_said(to: str, tmp_path: Path) -> None:
    export = export_of(claude_code(tmp_path), to)
    assert "Error: the lamp is out" in export.text
    assert any("no field for failed calls: “Error:” was added before 1 result." in note for note in export.notes())
    assert not any("mark" in note for note in export_of(claude_code(tmp_path), "anthropic").notes())


def test_replies_that_say_nothing_are_kept_or_said(tmp_path: Path) -> None:
    session = claude_code(tmp_path)
    for to in ("anthropic", "claude-code"):
        assert "Omitted: 1 reply without content." in export_of(session, to).notes()
    for to in ("open-telemetry", "atif", "markdown"):
        assert len(opened(export_of(session, to), tmp_path).messages) == len(session.messages)


def test_arguments_that_are_put_into_an_object_are_said(tmp_path: Path) -> None:
    patch = {"id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    session = session_of(
        talk({"role": "assistant", "content": None, "tool_calls": [patch]}, answer("a", "done")), tmp_path
    )
    for to in ("anthropic", "claude-code"):
        assert "Arguments that are not a JSON object were wrapped in one, in 1 call." in export_of(session, to).notes()
    assert not any("Arguments" in note for note in export_of(session, "openai").notes())


@pytest.mark.parametrize("to", ["atif", "open-telemetry", "markdown"])
def test_a_form_keeps_what_is_known_of_sizes(to: str, tmp_path: Path) -> None:
    sizes = SizeFacts(1.25, 6_000, 258_400)
    before = session_of([{"role": "system", "content": "Keep the log."}, *talk()], tmp_path)
    before = Session(
        **{name: getattr(before, name) for name in ("id", "title", "format", "messages", "model", "dialect")},
        sizes=sizes,
        records_system=False,
    )
    export = export_of(before, to)
    after = opened(export, tmp_path)
    assert after.sizes == sizes
    window = Workbench(after, exact_sizes(after)).preview().after
    assert (window.total, window.limit) == (export.window.total, 258_400)
    broken = (tmp_path / "again" / export.suggestion).read_text().replace("258400", "-1")
    (tmp_path / "broken").write_text(broken)
    assert load(tmp_path / "broken")[0].sizes is None


def test_a_transcript_says_which_sizes_it_loses(tmp_path: Path) -> None:
    before = session_of(talk(), tmp_path)
    before = Session(
        **{name: getattr(before, name) for name in ("id", "title", "format", "messages", "model", "dialect")},
        sizes=SizeFacts(1.25, 6_000, 0),
        records_system=False,
    )
    notes = export_of(before, "claude-code").notes()
    assert any("the transcript 6,000 tokens smaller" in note for note in notes)
    assert "Inspector counts the transcript without this session's calibration (×1.25)." in notes


def test_tools_that_were_defined_for_anthropic_open_again_from_a_trace(tmp_path: Path) -> None:
    tool = {"name": "look", "description": "Looks at a lamp.", "input_schema": {"type": "object", "properties": {}}}
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "tools": [tool],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Look."}]}],
    }
    (session,) = load(write_json(tmp_path / "request.json", request))
    after = opened(export_of(session, "open-telemetry"), tmp_path)
    assert after.tools[0]["function"]["name"] == "look"
    assert Workbench(after, exact_sizes(after)).preview().problems == ()


def test_reasoning_without_words_stays_with_its_reply(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "Look."},
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "xyz"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "dark"},
        {"role": "user", "content": "Thanks."},
    ]
    (session,) = load(write_json(tmp_path / "request.json", {"model": "gpt-5", "input": items}))
    after = opened(export_of(session, "openai-responses"), tmp_path)
    assert [(m.role, m.text) for m in after.messages] == [(m.role, m.text) for m in session.messages]
    assert json.loads(export_of(after, "openai-responses").text)["input"][1]["type"] == "reasoning"
