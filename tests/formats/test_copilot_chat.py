"""Chats with Copilot in an editor: whole, as a log of changes, and as an export of what was sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session, Usage
from inspector.formats import load
from inspector.library import found_entries
from tests.formats.written import Record, only, path_texts, texts, write_json, write_lines


def tree(*lines: str) -> Record:
    """A tool's result as the editor keeps it: a tree of pieces."""
    pieces = [{"text": line, "lineBreakBefore": bool(place)} for place, line in enumerate(lines)]
    return {"content": [{"value": {"node": {"type": 1, "children": [{"type": 1, "children": pieces}]}}}]}


def tool(id: str, name: str = "read_file", arguments: str = '{"path":"a.py"}') -> Record:
    return {"id": id, "name": name, "arguments": arguments}


ROUNDS: list[Record] = [
    {"id": "k1", "response": "I look.", "thinking": {"id": "t", "text": "Where?"}, "toolCalls": [tool("c1")]},
    {"id": "k2", "response": "Three.", "toolCalls": []},
]
METADATA = {
    "toolCallRounds": ROUNDS,
    "toolCallResults": {"c1": tree("a", "b")},
    "renderedUserMessage": [{"type": 1, "text": "<now/> Count."}, {"type": 3, "cacheType": "ephemeral"}],
    "renderedGlobalContext": [{"type": 1, "text": "On Linux."}],
    "promptTokens": 900,
    "outputTokens": 7,
    "resolvedModel": "gpt-5.3-codex",
}


def asked(id: str, text: str, metadata: Record | None = None, **fields: Any) -> Record:
    result = {"result": {"metadata": metadata}} if metadata else {}
    return {"requestId": id, "message": {"text": text}, "response": [], "timestamp": 1767323045000, **result, **fields}


def chat(*requests: Record, **fields: Any) -> Record:
    return {"version": 3, "sessionId": "s1", "responderUsername": "GitHub Copilot", "requests": list(requests)} | fields


def rows(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session]


EXPECTED = [
    ("user", "On Linux."),
    ("user", "<now/> Count."),
    ("assistant", 'Where?\n\nI look.\n\nread_file({"path":"a.py"})'),
    ("tool", "a\nb"),
    ("assistant", "Three."),
]


def test_the_rounds_of_a_request_are_replies_with_what_their_tools_gave(tmp_path: Path) -> None:
    failure = asked("r2", "On.", modelId="copilot/gpt-4o") | {"result": {"errorDetails": {"message": "No network."}}}
    session = only(write_json(tmp_path / "x", chat(asked("r1", "Count.", METADATA, modelId="copilot/auto"), failure)))
    assert rows(session) == [*EXPECTED, ("user", "On."), ("system", "No network.")]
    assert [session.messages[place].usage for place in session.turns()] == [None, Usage(900, 7, 0, 0)]
    assert session.messages[0].kind == "injected" and session.messages[-1].kind == "notice"
    assert (session.id, session.title, session.model) == ("s1", "Count.", "gpt-4o")
    assert session.messages[4].model == "gpt-5.3-codex" and session.messages[4].time.startswith("2026-01-02")


def test_a_log_of_changes_gives_the_session_as_it_stands(tmp_path: Path) -> None:
    lines: list[Record] = [
        {"kind": 0, "v": chat()},
        {"kind": 2, "k": ["requests"], "v": [asked("r1", "Count."), asked("r2", "A draft.")]},
        {"kind": 1, "k": ["customTitle"], "v": "Orders"},
        {"kind": 2, "k": ["requests"], "i": 1},
        {"kind": 1, "k": ["requests", 0, "result"], "v": {"metadata": METADATA}},
        {"kind": 1, "k": ["requests", 0, "shouldGo"], "v": 1},
        {"kind": 3, "k": ["requests", 0, "shouldGo"]},
        {"kind": 1, "k": ["requests", 9, "message"], "v": "nowhere"},
        {"kind": 2, "k": ["requests", 0, "result", "metadata", "none", 3], "v": ["nowhere"]},
    ]
    session = only(write_lines(tmp_path / "x", lines))
    assert rows(session) == EXPECTED
    assert (session.title, session.problems) == ("Orders", ())


def test_what_the_person_saw_stands_in_for_rounds_that_were_not_kept(tmp_path: Path) -> None:
    run = {"kind": "toolInvocationSerialized", "toolCallId": "c1", "toolId": "copilot_readFile"}
    response = [
        {"kind": "thinking", "value": ["Where?"]},
        {"value": "I look at "},
        {"kind": "inlineReference", "inlineReference": {"path": "/src/a.py"}},
        run | {"pastTenseMessage": {"value": "Read a.py"}},
        run | {"toolCallId": "c2", "resultDetails": {"input": '{"q":1}', "output": [{"value": "two"}, {"value": "b"}]}},
        {"kind": "textEditGroup", "edits": []},
        {"kind": "markdownContent", "content": {"value": "Three."}},
    ]
    request = asked("r1", "Count.", response=response, promptTokens=50, completionTokens=5)
    session = only(write_json(tmp_path / "x", chat(request)))
    assert rows(session) == [
        ("user", "Count."),
        ("assistant", 'Where?\n\nI look at a.py\n\ncopilot_readFile({})\n\ncopilot_readFile({"q":1})'),
        ("tool", "Read a.py"),
        ("tool", "two\nb"),
        ("assistant", "Three."),
    ]
    assert session.messages[-1].usage == Usage(50, 5, 0, 0)


def test_a_summary_begins_a_context_behind_the_round_that_it_reaches_to(tmp_path: Path) -> None:
    late = {
        "toolCallRounds": [{"id": "k3", "response": "Four."}],
        "summary": {"toolCallRoundId": "k1", "text": "So far."},
    }
    session = only(write_json(tmp_path / "x", chat(asked("r1", "Count.", METADATA), asked("r2", "On.", late))))
    assert path_texts(session, "Four.") == ["So far.", "Three.", "On.", "Four."]
    assert len(session.turns()) == 3, "a copy of a reply is no reply"
    own = [ROUNDS[0] | {"summary": "One round."}, ROUNDS[1]]
    session = only(write_json(tmp_path / "y", chat(asked("r1", "Count.", METADATA | {"toolCallRounds": own}))))
    assert path_texts(session, "Three.") == ["One round.", "Three."]
    assert len(session.compactions) == 1


def part(text: str) -> list[Record]:
    return [{"type": 1, "text": text}, {"type": 3, "cacheType": "ephemeral"}]


def sent(id: str, name: str, messages: list[Record], answer: str, tokens: int) -> Record:
    return {
        "id": id,
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": name,
        "metadata": {
            "model": "gpt-5-mini",
            "endTime": f"2026-01-02T03:04:{tokens % 60:02}Z",
            "usage": {"prompt_tokens": tokens, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
            "tools": [{"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}],
        },
        "requestMessages": {"messages": messages},
        "response": {"type": "success", "message": [answer]},
    }


@pytest.mark.parametrize("is_alone", [False, True])
def test_an_export_of_prompts_is_read_as_what_was_sent(is_alone: bool, tmp_path: Path) -> None:
    first = [{"role": 0, "content": part("Be brief.")}, {"role": 1, "content": part("Count.")}]
    thought = {"type": 2, "value": {"type": "thinking", "thinking": {"text": "Where?"}}}
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a.py"}'}}
    second = [
        *first,
        {"role": 2, "content": [thought, *part("I look.")], "toolCalls": [call]},
        {"role": 3, "content": part("a\nb"), "toolCallId": "c1"},
    ]
    prompt = {
        "prompt": "Count.",
        "promptId": "p1",
        "logs": [
            sent("l1", "title", [{"role": 1, "content": part("Name this.")}], "Orders", 5),
            sent("l2", "panel/editAgent", first, "I look.", 10),
            {"id": "c1", "kind": "toolCall", "tool": "read_file", "args": '{"path":"a.py"}', "response": ["a\nb"]},
            sent("l3", "panel/editAgent", second, "Three.", 20),
        ],
    }
    value = prompt if is_alone else {"exportedAt": "2026-01-02", "totalPrompts": 1, "prompts": [prompt]}
    main, title = load(write_json(tmp_path / "x", value))
    assert texts(main) == ["Be brief.", "Count.", 'Where?\n\nI look.\n\nread_file({"path":"a.py"})', "a\nb", "Three."]
    assert [main.messages[place].usage for place in main.turns()] == [Usage(10, 2, 1, 0), Usage(20, 2, 1, 0)]
    assert (main.format, main.model, main.tools[0]["function"]["name"]) == ("copilot-chat", "gpt-5-mini", "read_file")
    assert title.title.startswith("title") and texts(title) == ["Name this.", "Orders"]


@pytest.mark.parametrize("answer", ["seven", ["seven"]])
def test_what_the_last_tool_of_an_export_gave_is_read(answer: str | list[str], tmp_path: Path) -> None:
    first = [{"role": 0, "content": part("Be brief.")}, {"role": 1, "content": part("Count.")}]
    run = {"id": "c1", "kind": "toolCall", "tool": "read_file", "args": "{}", "response": answer}
    value = {"prompt": "Count.", "promptId": "p1", "logs": [sent("l1", "panel/editAgent", first, "I look.", 10), run]}
    session = only(write_json(tmp_path / "x", value))
    assert texts(session) == ["Be brief.", "Count.", "I look.\n\nread_file({})", "seven"]
    assert session.messages[3].answers == "c1"
    assert [session.messages[place].usage for place in session.turns()] == [Usage(10, 2, 1, 0)]
    assert (session.model, len(session.tools)) == ("gpt-5-mini", 1)


def test_chats_are_found_where_editors_keep_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    user = tmp_path / "config" / "Code" / "User"
    whole = user / "workspaceStorage" / "w1" / "chatSessions" / "s1.json"
    log = user / "globalStorage" / "emptyWindowChatSessions" / "s2.jsonl"
    for path in (whole, log):
        path.parent.mkdir(parents=True)
    write_json(whole, chat(asked("r1", "Count.", METADATA)))
    write_lines(log, [{"kind": 0, "v": chat()}, {"kind": 2, "k": ["requests"], "v": [asked("r1", "Count all.")]}])
    long = chat(asked("r1", "Count more."), asked("r2", "x" * 200_000))
    write_lines(log.with_name("s3.jsonl"), [{"kind": 0, "v": long}, {"kind": 1, "k": ["customTitle"], "v": "More"}])
    write_lines(log.with_name("s4.jsonl"), [{"kind": 0, "v": chat()}, {"kind": 1, "k": ["customTitle"], "v": "Gulls"}])
    entries = {entry.path: entry.title for entry in found_entries({"copilot chat"})}
    assert entries == {str(whole): "Count.", str(log): "Count all."} | {
        str(log.with_name("s3.jsonl")): "Count more.",
        str(log.with_name("s4.jsonl")): "Gulls",
    }
