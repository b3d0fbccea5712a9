"""`inspector check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.llm.providers import PROVIDERS
from tests.cli.calling import HOSTILE, call, chat, inspect, transcript, written

UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    " The following tool_call_ids did not have response messages: call_2"
)


def broken() -> dict[str, Any]:
    """A chat whose second call was never answered, and that went on for two more turns."""
    log = chat(steps=4)
    del log["messages"][5]
    return log


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    return written(tmp_path / "lost.json", broken())


def test_a_context_that_the_provider_would_take_ends_with_0(log: Path) -> None:
    ended = inspect("check", log)
    assert ended.code == 0
    assert "now · OpenAI chat · ✓ valid" in ended.out
    found = inspect("check", log, "--json").json
    assert (found["provider"], found["valid"], found["problems"]) == ("openai", True, [])


def test_what_would_be_refused_is_quoted_with_its_message_and_ends_with_3(lost: Path) -> None:
    ended = inspect("check", lost)
    assert ended.code == 3
    assert "✗ invalid, 1 problem" in ended.out
    assert UNANSWERED in " ".join(ended.out.split())
    assert "  #5 (m5) · Reading month 2." in ended.out
    found = inspect("check", lost, "--json")
    assert found.code == 3
    assert found.json["problems"] == [
        {"text": UNANSWERED, "message": "m5", "number": 5, "turns": [[6, 6]], "recorded_so": False}
    ]


def test_no_quotation_has_a_hole_and_places_say_what_was_done(tmp_path: Path) -> None:
    assert all("…" not in provider.size_fault(8_192) for provider in PROVIDERS.values())
    log = broken()
    log["messages"][4]["content"] = None
    text = inspect("check", written(tmp_path / "silent.json", log)).out
    place = next(line for line in text.splitlines() if line.startswith("  #5 (m5)"))
    assert "{" not in place and place != "  #5 (m5)"


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ("openai-responses", "No tool output found for function call call_2."),
        ("anthropic", "`tool_use` ids were found without `tool_result` blocks immediately after: call_2."),
    ],
)
def test_every_provider_refuses_in_its_own_words(lost: Path, provider: str, words: str) -> None:
    ended = inspect("check", lost, "--provider", provider, "--json")
    assert ended.code == 3
    assert [problem["text"].startswith(words) for problem in ended.json["problems"]] == [True]


def test_a_turn_is_checked_as_it_was_then_while_a_call_could_still_be_answered(lost: Path) -> None:
    assert [inspect("check", lost, "--turn", turn).code for turn in (1, 2, 3, 4, 5, 6)] == [0, 0, 0, 3, 3, 3]


def test_all_turns_tells_at_which_of_them(lost: Path) -> None:
    ended = inspect("check", lost, "--all-turns", "--json")
    assert (ended.code, ended.json["turns"]) == (3, [1, 6])
    assert [problem["turns"] for problem in ended.json["problems"]] == [[[4, 6]]]
    text = inspect("check", lost, "--all-turns").out
    assert "turns 1–6 · OpenAI chat · ✗ invalid, 1 problem" in text
    assert "#5 (m5) · turns 4–6 · Reading month 2." in text


def test_show_says_the_same(tmp_path: Path) -> None:
    path = written(tmp_path / "owl.json", {"model": "m", "messages": [{"role": "owl", "content": "Hoo."}]})
    assert inspect("show", path, "--json").json["valid"] is False
    ended = inspect("check", path)
    assert ended.code == 3
    assert "Invalid value: 'owl'. Supported values are:" in ended.out


def test_it_looks_through_the_applied_plans_unless_the_recording_is_meant(lost: Path) -> None:
    assert inspect("compress", lost, "--strategy", "deletion", "--set", "keep_recent=2", "--apply").code == 0
    assert inspect("check", lost).code == 0
    assert inspect("check", lost, "--recorded").code == 3


def test_each_agent_has_a_context_of_its_own(tmp_path: Path) -> None:
    records = transcript(turns=2)
    helper = [{**record, "isSidechain": True, "uuid": f"h{record['uuid']}"} for record in transcript(id="77aa")[:2]]
    helper[0]["parentUuid"], helper[1]["parentUuid"] = None, helper[0]["uuid"]
    again = {**helper[1], "uuid": "again", "parentUuid": helper[1]["uuid"], "message": {"role": "user", "content": "?"}}
    path = written(tmp_path / "two.jsonl", [*records, *helper, {**again, "type": "user"}])
    main, other = inspect("show", path, "--json").json["agent"], "helper"
    assert inspect("check", path).code == 0
    ended = inspect("check", path, "--agent", other)
    assert (main, ended.code) == ("main", 2)
    named = ended.err.split("Agents: ")[1].split(".")[0].split(", ")
    ended = inspect("check", path, "--agent", named[1], "--json")
    assert (ended.code, ended.json["agent"]) == (3, named[1])


def test_what_cannot_be_asked_for_is_wrong_usage(log: Path) -> None:
    for words in (["--turn", 99], ["--turn", 1, "--all-turns"], ["--provider", "gemini"], ["--agent", "nobody"]):
        ended = inspect("check", log, *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.count("\n") == 1


def test_what_cannot_be_read_ends_with_1(tmp_path: Path) -> None:
    assert inspect("check", tmp_path / "nothing.json").code == 1
    assert inspect("check", written(tmp_path / "no.json", {"a": 1})).code == 1


def test_ids_and_words_of_a_transcript_cannot_command_the_terminal(tmp_path: Path) -> None:
    asks = {"role": "assistant", "content": HOSTILE, "tool_calls": [{**call(1, "f"), "id": HOSTILE}]}
    messages = [{"role": "user", "content": "Hi."}, asks, {"role": "user", "content": HOSTILE}]
    path = written(tmp_path / "bad.json", {"model": HOSTILE, "messages": messages})
    ended = inspect("check", path)
    assert ended.code == 3
    assert not set(ended.out) & set("\x1b\x07\x9b\u202e\x00\u200b")
    assert max(map(len, ended.out.splitlines())) <= 80


def partly_answered(kind: str) -> dict[str, Any]:
    """A request whose last messages are the results of one of two parallel calls."""
    if kind == "anthropic":
        calls: list[Any] = [{"type": "tool_use", "id": name, "name": "look", "input": {}} for name in ("c1", "c2")]
        result = {"type": "tool_result", "tool_use_id": "c1", "content": "Nine."}
        rows: list[dict[str, Any]] = [
            {"role": "assistant", "content": calls},
            {"role": "user", "content": [result]},
        ]
    else:
        function = {"name": "look", "arguments": "{}"}
        asked = [{"id": name, "type": "function", "function": function} for name in ("c1", "c2")]
        rows = [
            {"role": "assistant", "content": None, "tool_calls": asked},
            {"role": "tool", "tool_call_id": "c1", "content": "Nine."},
        ]
    model = {"anthropic": "claude-opus-4-5", "openai": "gpt-5"}[kind]
    return {"model": model, "messages": [{"role": "user", "content": "Count."}, *rows]}


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_a_request_that_answers_some_of_its_parallel_calls_is_refused(tmp_path: Path, kind: str) -> None:
    request = partly_answered(kind)
    result = inspect("check", written(tmp_path / "request.json", request), "--json")
    assert (result.code, len(result.json["problems"])) == (3, 1)
    assert "c2" in result.json["problems"][0]["text"] and "c1" not in result.json["problems"][0]["text"]
    del request["messages"][2]
    assert inspect("check", written(tmp_path / "open.json", request)).code == 0, "no result of the reply is there yet"


@pytest.mark.parametrize("setting", ["contents", "generationConfig"])
def test_a_request_to_gemini_that_answers_some_of_its_parallel_calls_is_refused(tmp_path: Path, setting: str) -> None:
    calls: list[Any] = [{"functionCall": {"name": name, "args": {}}} for name in ("look", "listen")]
    answer = {"functionResponse": {"name": "look", "response": {"output": "Nine."}}}
    rows = [
        {"role": "user", "parts": [{"text": "Count."}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": [answer]},
    ]
    request = {"contents": rows} if setting == "contents" else {"messages": rows, setting: {}}
    result = inspect("check", written(tmp_path / "request.json", request), "--json")
    assert (result.code, len(result.json["problems"])) == (3, 1)
    del rows[2]
    assert inspect("check", written(tmp_path / "open.json", request)).code == 0, "no result of the reply is there yet"


def test_a_running_session_may_wait_for_the_other_results(tmp_path: Path) -> None:
    rows = []
    for number, message in enumerate(partly_answered("anthropic")["messages"]):
        links = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s"}
        rows.append({"type": message["role"], "timestamp": f"2026-03-01T06:00:0{number}Z", "message": message, **links})
    assert inspect("check", written(tmp_path / "agent.jsonl", rows)).code == 0
