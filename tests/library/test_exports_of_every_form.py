"""Every form that a window is exported in opens again with the same messages."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from inspector.core.conversation import Message, Session, Thinking, ToolCall, ToolResult, readable
from inspector.formats import WRITERS, load
from inspector.library import EXPORT_FORMS, Export, Workbench, exact_sizes
from inspector.llm.providers import NO_RESULT, hidden_kinds, message_from_raw
from tests.cli.calling import transcript
from tests.formats.written import write_lines
from tests.generated import conversations
from tests.places import SESSIONS

_PICTURE = re.compile(r"\[image[^\]]*\] ?")
"""A picture in words: where a form has no place for its kind, another is taken, or none."""
FILES = tuple(WRITERS)
_RESUMED = ("claude-code", "codex", "opencode", "pi")
"""Forms of programs that add their own system prompt."""


def bench_of(session: Session) -> Workbench:
    return Workbench(session, exact_sizes(session))


def written(export: Export, path: Path) -> Path:
    for file, text in export.files(path).items():
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
    return path


def opened(export: Export, folder: str | Path) -> Session:
    (session,) = load(written(export, Path(folder, export.suggestion)))
    return session


def sayings(message: Message) -> Iterator[tuple[str, ...]]:
    """What a message says for its role: its words, calls by name and arguments, results by their words."""
    words = []
    for part in message.parts:
        match part:
            case Thinking():
                continue
            case ToolCall(_, name, arguments):
                yield "call", name, _canonical(arguments)
            case ToolResult():
                words += [*map(readable, part.parts), f"is error: {message.is_error}"]
            case _:
                words.append(readable(part))
    if text := " ".join(" ".join(words).split()):
        yield message.role, _PICTURE.sub("", text)


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments


def said(messages: Iterator[Message] | tuple[Message, ...], to: str = "") -> Counter[tuple[str, ...]]:
    """What messages say. Codex has no mark for a failed call."""
    sayings_of = (saying for message in messages if message.kind != "notice" for saying in sayings(message))
    marks = (" is error: True", " is error: False") if to == "codex" else ()
    return Counter(tuple(_without(word, marks) for word in saying) for saying in sayings_of)


def _without(word: str, ends: tuple[str, ...]) -> str:
    return next((word.removesuffix(end) for end in ends if word.endswith(end)), word)


def kinds(messages: tuple[Message, ...]) -> Counter[str]:
    return Counter(message.kind for message in messages if message.kind != "notice" and message.text.strip())


def sendable(messages: tuple[Message, ...], to: str) -> tuple[Message, ...]:
    """The messages that a form has a place for."""
    return tuple(message for message in messages if to not in _RESUMED or message.role != "system")


def test_every_form_has_a_name_for_people() -> None:
    assert list(EXPORT_FORMS)[-len(FILES) :] == list(FILES)
    assert all(EXPORT_FORMS.values())


@pytest.mark.parametrize("to", FILES)
@pytest.mark.parametrize("strategy", [None, "sliding_window"])
@pytest.mark.parametrize("file", ["coding-agent.jsonl", "research.json", "support-ticket.json", "three-agents.jsonl"])
def test_a_sample_session_opens_again_with_the_same_messages(
    file: str, strategy: str | None, to: str, tmp_path: Path
) -> None:
    preview = bench_of(load(SESSIONS / file)[0]).preview(strategy=strategy)
    before = sendable(preview.after.messages, to)
    after = opened(Export(preview, to), tmp_path)
    assert after.problems == () and after.format == to
    assert said(after.messages, to) == said(before, to)
    if to != "codex" and sum(message.kind == "summary" for message in before) < 2:
        assert kinds(after.messages) == kinds(before)
    assert after.title == preview.session.title
    assert after.model == preview.session.model or not any(m.model for m in before)
    again = Export(bench_of(after).preview(), to)
    assert said(opened(again, tmp_path).messages, to) == said(after.messages, to)


@pytest.mark.parametrize("to", ["atif", "markdown", "open-telemetry"])
@given(session=conversations())
def test_a_generated_session_opens_again_with_what_was_said(to: str, session: Session) -> None:
    preview = bench_of(session).preview()
    export = Export(preview, to)
    answers = [turn for caller in export.conversation.turns for turn in caller.results if turn is not None]
    others = [message for message in preview.after.messages if message.role != "tool"]
    whole = preview.after.messages if to == "markdown" else (*others, *(turn.message for turn in answers))
    if not said(tuple(others)):
        return
    with tempfile.TemporaryDirectory() as folder:
        after = opened(export, folder)
    assert said(after.messages) == said(whole)


@given(session=conversations())
def test_any_transcript_for_claude_code_has_the_form_of_its_own(session: Session) -> None:
    text = Export(bench_of(session).preview(), "claude-code").text
    check_transcript([json.loads(line) for line in text.splitlines()])


@pytest.mark.parametrize("strategy", [None, "sliding_window", "summarize_half"])
def test_a_transcript_resumes_with_its_calls_and_its_surroundings(strategy: str | None, tmp_path: Path) -> None:
    log = write_lines(tmp_path / "agent.jsonl", transcript(turns=8))
    preview = bench_of(load(log)[0]).preview(strategy=strategy)
    export = Export(preview, "claude-code")
    records = [json.loads(line) for line in export.text.splitlines()]
    check_transcript(records)
    name = export.suggestion.removesuffix(".jsonl")
    assert {record["sessionId"] for record in records if "sessionId" in record} == {name}
    assert name in export.notes()[0]
    first = next(record for record in records if record["type"] == "system" or record["type"] == "user")
    has_summary = any(message.kind == "summary" for message in preview.after.messages)
    assert (first.get("subtype") == "compact_boundary") == has_summary
    usages = [record["message"]["usage"]["output_tokens"] for record in records if record["type"] == "assistant"]
    assert any(usages) == (strategy is None), "a window that was changed reports no sizes of the one before"


def check_transcript(records: list[dict[str, Any]]) -> None:
    """What holds of every transcript that Claude Code wrote itself."""
    chain = [record for record in records if record["type"] != "summary"]
    assert [record["parentUuid"] for record in chain] == [None, *(record["uuid"] for record in chain)][: len(chain)]
    assert len({record["uuid"] for record in chain}) == len(chain)
    assert [record["timestamp"] for record in chain] == sorted(record["timestamp"] for record in chain)
    assert all(record["leafUuid"] == chain[-1]["uuid"] for record in records if record["type"] == "summary")
    waiting: dict[str, str] = {}
    for place, record in enumerate(chain):
        assert record.keys() >= {"sessionId", "cwd", "version", "userType", "isSidechain", "timestamp"}
        assert len(record["timestamp"]) == 24
        if record["type"] == "system":
            assert place == 0 and record["subtype"] == "compact_boundary"
            assert chain[1]["isCompactSummary"] and isinstance(chain[1]["message"]["content"], str)
            continue
        message = record["message"]
        assert message["role"] == record["type"]
        blocks = message["content"] if isinstance(message["content"], list) else []
        if record["type"] == "assistant":
            assert len(blocks) == 1 and message["id"] and message["type"] == "message"
            waiting |= {block["id"]: record["uuid"] for block in blocks if block["type"] == "tool_use"}
            continue
        results = [block for block in blocks if block["type"] == "tool_result"]
        for block in results:
            assert len(blocks) == 1 and block["tool_use_id"] in waiting
            assert record["sourceToolAssistantUUID"] == waiting.pop(block["tool_use_id"])
        assert results or not waiting, "every call is answered before anybody says more"
    assert not waiting


def test_hostile_words_leave_markdown_whole(tmp_path: Path) -> None:
    words = [
        "<!-- inspector conversation 1 00000000 {} -->\n# x",
        "```\n````\n``` --> <!-- -->",
        "\x1b]0;owned\x07 \ud800 \r\n \u202e &#x1b; &#x26;#x1b;",
        "\n\nends with lines\n\n",
    ]
    raws: list[dict[str, Any]] = [{"role": "user", "content": text} for text in words]
    raws += [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"t{n}", "name": "`-->`", "input": {"a": text[:9]}}],
        }
        for n, text in enumerate(words)
    ]
    raws += [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]}
        for n, text in enumerate(words)
    ]
    messages = tuple(
        message_from_raw(f"m{n}", raw, "anthropic", name="--> `x`" if n == 1 else "", parent=n - 1)
        for n, raw in enumerate(raws)
    )
    session = Session("--> <!--", "A --> title\nwith lines", "test", messages, dialect="anthropic")
    export = Export(bench_of(session).preview(), "markdown")
    assert "\x1b" not in export.text and "\u202e" not in export.text
    after = opened(export, tmp_path)
    assert [m.parts for m in after.messages] == [m.parts for m in messages]
    assert after.messages[1].name == "--> `x`"


def test_a_call_without_a_result_is_answered_for_claude_code_and_said(tmp_path: Path) -> None:
    log = write_lines(tmp_path / "agent.jsonl", transcript(turns=2)[:-1])
    export = Export(bench_of(load(log)[0]).preview(), "claude-code")
    assert NO_RESULT in export.text and any(NO_RESULT in note for note in export.notes())


def _call(call_id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "`-->`", "input": {"a": text}}


def _rollout(folder: Path) -> Workbench:
    """A recording of the Responses interface with an item that is its own, a call, and no definition of a tool."""
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count the boats."}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}},
        {"type": "function_call", "name": "count", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "three"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Again."}]},
    ]
    records = [{"type": "session_meta", "payload": {"id": "s1"}}]
    records += [{"type": "response_item", "payload": item} for item in items]
    (session,) = load(write_lines(folder / "rollout.jsonl", records))
    return bench_of(session)


@pytest.mark.parametrize("to", [name for name in EXPORT_FORMS if name not in ("openai-responses", "markdown")])
def test_items_that_only_another_interface_knows_are_said_to_be_left_out(to: str, tmp_path: Path) -> None:
    notes = Export(_rollout(tmp_path).preview(), to).notes()
    assert sum("web_search_call" in note for note in notes) == 1


def test_a_form_that_keeps_such_items_opens_with_them(tmp_path: Path) -> None:
    bench = _rollout(tmp_path)
    items = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Boats float."}]},
        {"type": "text", "text": "I look."},
        {"type": "item", "item": {"type": "image_generation_call", "id": "ig_1", "result": "eA=="}},
    ]
    raw = {"role": "assistant", "content": items}
    reply = message_from_raw("r9", raw, "openai", parent=len(bench.session.messages) - 1)
    session = opened(Export(bench_of(bench.session.extend([reply])).preview(), "markdown"), tmp_path)
    assert session.messages[-1].raw == raw
    assert list(hidden_kinds(session.messages)) == ["web_search_call", "reasoning", "image_generation_call"]


def test_tools_that_a_request_has_to_define_anew_are_said(tmp_path: Path) -> None:
    bench = _rollout(tmp_path)
    notes = Export(bench.preview(), "anthropic").notes()
    assert sum("No tools were recorded" in note and "1 definition without" in note for note in notes) == 1
    assert not any("No tools were recorded" in note for note in Export(bench.preview(), "openai").notes())


@pytest.mark.parametrize("to", EXPORT_FORMS)
def test_a_summary_that_only_openai_can_read_goes_along_or_words_say_so(to: str, tmp_path: Path) -> None:
    summary = {"type": "compaction", "encrypted_content": "gAAAx"}
    said = [{"role": role, "content": text} for role, text in (("user", "Go on."), ("assistant", "I do."))]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gpt-5", "input": [summary, *said]}), encoding="utf-8")
    [session] = load(path)
    assert session.messages[0].kind == "summary"
    export, keeps = Export(bench_of(session).preview(), to), to in ("openai-responses", "markdown")
    assert any("Only OpenAI can read its summary" in note for note in export.notes()) is not keeps
    out = written(export, tmp_path / "out.json")
    assert ("gAAAx" in out.read_text(encoding="utf-8")) is keeps
    [first] = [message for message in load(out)[0] if message.kind == "summary"]
    assert first.role == "user" and (keeps or "encrypted" in first.text)
