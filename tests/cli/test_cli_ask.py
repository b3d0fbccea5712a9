"""`inspector ask` against models on loopback."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Ended, call, chat, inspect, written
from tests.cli.loopback_models import calls, environment, last_line_with, model, text_in
from tests.engine.summaries.endpoint import Asked, Behaviour, Endpoint, drops, fails, nobody, says, serving
from tests.terminal import Terminal

KEY = "sk-loop-123456789"


def village() -> dict[str, Any]:
    """A conversation in which two messages name a key; the newer one counts."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You keep the keys of the village."},
        {"role": "user", "content": "The key of the mill is KEY-4711."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "The key of the mill is KEY-9922 now."},
        {"role": "assistant", "content": "Noted as well."},
        {"role": "user", "content": "Which key opens the mill?"},
        {"role": "assistant", "content": "The key of the mill is KEY-9922 now."},
    ]
    return {"model": "gpt-4o", "messages": messages, "temperature": 0.2}


def ask(path: Path, endpoint: Endpoint, *words: object, **more: str) -> Ended:
    return inspect("ask", path, *words, **environment(endpoint.url, **more))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path / "s.json", village())


def replies(ended: Ended) -> dict[str, Any]:
    return {row["context"]: row for row in ended.json["replies"]}


def test_the_recorded_context_and_a_changed_one_are_asked_and_compared(session: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        ended = ask(session, endpoint, "--drop", 4, "--yes", "--json")
    rows = replies(ended)
    assert rows["as recorded"]["same_as_recorded"] is True
    assert (rows["without 4"]["text"].strip(), rows["without 4"]["same_as_recorded"]) == (
        "The key of the mill is KEY-4711.",
        False,
    )
    assert rows["as recorded"]["usage"] == {"input": 100, "output": 10, "cache_read": 0, "cache_write": 0}
    assert ended.json["calls"] == 2 and ended.json["cost"] == pytest.approx(2 * (100 * 2.5 + 10 * 10) / 1e6)
    body = max((request.body for request in endpoint.requests), key=lambda body: len(body["messages"]))
    assert (body["temperature"], body["model"]) == (0.2, "gpt-4o")
    assert [message["content"] for message in body["messages"]] == [
        message["content"] for message in village()["messages"][:-1]
    ]


def test_messages_are_edited_from_words_and_from_files(session: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("The key of the mill is KEY-1234 now.")
    with serving(model(last_line_with("KEY"))) as endpoint:
        from_words = ask(session, endpoint, "--edit", "4=The key of the mill is KEY-5555.", "--yes", "--json")
        from_file = ask(session, endpoint, "--edit", f"4={tmp_path / 'new.txt'}", "--yes", "--json")
    assert "KEY-5555" in replies(from_words)["edited 4"]["text"]
    assert "KEY-1234" in replies(from_file)["edited 4"]["text"]


def test_the_same_request_is_never_paid_twice(session: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        first = ask(session, endpoint, "--yes", "--json")
        again = ask(session, endpoint, "--json")
        more = ask(session, endpoint, "-n", 3, "--yes", "--json")
        text = ask(session, endpoint)
        unchanged = ask(session, endpoint, "--turn", 2, "--preset", "balanced", "--yes", "--json")
    assert (first.json["calls"], again.json["calls"], more.json["calls"]) == (1, 0, 2)
    assert again.json["replies"][0]["kept"] and again.json["cost"] == 0
    assert [bool(row["kept"]) for row in more.json["replies"]] == [True, False, False]
    assert "not paid again" in text.out
    assert unchanged.json["calls"] == 1, "a preset that changes nothing is the same request"
    assert len(endpoint.requests) == 4


def test_nothing_is_sent_without_consent(session: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        ended = ask(session, endpoint)
    assert ended.code == 2 and endpoint.requests == []
    for words in ("--yes is missing", "1 call to gpt-4o at 127.0.0.1", "tokens", "$", "not redacted"):
        assert words in ended.err
    assert KEY not in ended.err + ended.out


def test_money_is_never_exceeded(session: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        none = ask(session, endpoint, "--yes", "--max-cost", 0, "--json")
        some = ask(session, endpoint, "--yes", "-n", 9, "--max-cost", 0.05, "--json")
    assert none.code == 1 and none.json["calls"] == 0 and "--max-cost" in none.json["errors"][0]
    assert some.json["cost"] <= 0.05 and 0 < some.json["calls"] < 9
    assert any("--max-cost" in row["problem"] for row in some.json["replies"])


def test_secrets_are_not_sent_with_redact(tmp_path: Path) -> None:
    log = village()
    log["messages"][1]["content"] += " My password: Tr0ub4dor&3xyz9 and mail anna@example.org."
    with serving(model(last_line_with("KEY"))) as endpoint:
        ended = ask(written(tmp_path / "s.json", log), endpoint, "--redact", "--yes")
    assert ended.code == 0 and "is redacted" in ended.err
    assert "anna@" not in text_in(endpoint.requests[0].body["messages"])


def test_one_question_is_asked_of_several_contexts(session: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        ended = ask(session, endpoint, "--question", "What is the newest key?", "--drop", "4", "--yes", "--json")
    rows = replies(ended)
    assert ["KEY-9922" in rows["as recorded"]["text"], "KEY-4711" in rows["without 4"]["text"]] == [True, True]
    assert rows["as recorded"]["same_as_recorded"] is None
    assert all(
        request.body["messages"][-1]["content"].endswith("What is the newest key?") for request in endpoint.requests
    )


def test_calls_are_compared_by_tool_and_object_and_not_executed(tmp_path: Path) -> None:
    log = village()
    log["messages"][-1] = {"role": "assistant", "content": "", "tool_calls": [call(1, "read_file", path="/srv/a.txt")]}
    log["tools"] = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]
    path = written(tmp_path / "s.json", log)
    same = model(lambda _: calls("read_file", path="srv/./a.txt", limit=5))
    other = model(lambda _: calls("read_file", path="/srv/b.txt"))
    with serving(same) as endpoint:
        first = ask(path, endpoint, "--yes", "--json")
    with serving(other) as endpoint:
        second = ask(path, endpoint, "--yes", "--json")
    assert first.json["replies"][0]["same_as_recorded"] is True
    assert first.json["replies"][0]["calls"][0]["object"] == "srv/a.txt"
    assert second.json["replies"][0]["same_as_recorded"] is False


FAILURES: dict[str, tuple[Behaviour, str]] = {
    "rate limit": (fails(429, retry_after="99"), "rate limiting requests (429) and asks to wait for 99 seconds"),
    "quota": (fails(429, {"message": "x", "code": "insufficient_quota"}), "used up its quota (429)"),
    "key": (fails(401, {"message": f"Incorrect API key {KEY}"}), "did not accept the API key (401)"),
    "huge error": (fails(400, "x" * 3_000_000), "rejected the request (400"),
    "too long": (fails(400, {"message": "x", "code": "context_length_exceeded"}), "too long for the model"),
    "cut stream": (drops("The key"), "was lost during the answer"),
    "wrong json": (says('{"a": [', "application/json"), "did not return a chat completion"),
    "web page": (says("<html>Welcome</html>", "text/html"), ""),
    "redirect": (fails(307, "", location="http://127.0.0.1:1/v1/chat/completions"), "redirects to another address"),
    "empty": (model(lambda _: ""), "returned an empty answer"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_is_one_sentence_without_the_key(session: Path, name: str) -> None:
    behaviour, sentence = FAILURES[name]
    with serving(behaviour) as endpoint:
        ended = ask(session, endpoint, "--yes", "--json", INSPECTOR_MODEL_TIMEOUT="60")
    (row,) = ended.json["replies"]
    assert ended.code == 1 and sentence in row["problem"] and row["problem"].endswith((".", "…"))
    assert "\n" not in row["problem"] and len(row["problem"]) < 500
    assert KEY not in ended.out + ended.err


def test_a_server_error_is_tried_again_and_an_address_without_a_server_is_named(session: Path) -> None:
    with serving(fails(500), model(last_line_with("KEY"))) as endpoint:
        ended = ask(session, endpoint, "--yes", "--json")
    assert ended.code == 0 and len(endpoint.requests) == 2
    gone = inspect("ask", session, "--yes", "--turn", 1, **environment(nobody(), INSPECTOR_MODEL_TIMEOUT="1"))
    assert gone.code == 1 and "nothing is listening there" in gone.out


def test_a_reply_that_is_cut_off_counts_as_none(session: Path) -> None:
    def cut(asked: Any) -> None:
        asked.head()
        asked.piece("The key of the mill")
        asked.piece(None, "length")

    with serving(cut) as endpoint:
        ended = ask(session, endpoint, "--yes", "--max-output", 7, "--json")
    (row,) = ended.json["replies"]
    assert "cut off at its maximum length (7 tokens)" in row["problem"] and row["text"] == ""
    assert endpoint.requests[0].body["max_tokens"] == 7


def test_kept_replies_are_listed_exported_and_removed_with_the_session(session: Path, tmp_path: Path) -> None:
    with serving(model(last_line_with("KEY"))) as endpoint:
        ask(session, endpoint, "--drop", 4, "--yes")
    rows = inspect("ask", session, "--list", "--json").json["experiments"]
    assert sorted(row["context"] for row in rows) == ["as recorded", "without 4"]  # kept as they come
    for form in ("json", "promptfoo", "inspect-ai", "pytest"):
        out = tmp_path / f"cases-{form}"
        assert inspect("ask", session, "--list", "--to", form, "--out", out).code == 0
        assert "KEY-9922" in out.read_text()
        again = inspect("ask", session, "--list", "--to", form, "--out", out)
        assert again.code == 1 and "already exists" in again.err
    assert len(json.loads((tmp_path / "cases-json").read_text())["cases"]) == 2
    compile((tmp_path / "cases-pytest").read_text(), "cases", "exec")
    compile((tmp_path / "cases-inspect-ai").read_text(), "cases", "exec")


def test_a_context_that_the_provider_would_reject_is_not_sent(tmp_path: Path) -> None:
    log = chat(2)
    log["messages"].append({"role": "assistant", "content": "It was lit."})
    with serving(model(last_line_with("lit"))) as endpoint:
        ended = ask(written(tmp_path / "s.json", log), endpoint, "--yes", "--json", INSPECTOR_MODEL_WINDOW="50")
    assert endpoint.requests == [] and ended.code == 1
    assert ended.json["replies"][0]["problem"].startswith("Not asked: ")


def test_without_a_model_the_variables_are_named(session: Path) -> None:
    ended = inspect("ask", session, INSPECTOR_MODEL="", OPENAI_MODEL="")
    assert ended.code == 2 and "INSPECTOR_MODEL" in ended.err


def test_same_steps_are_counted_against_the_uncompressed_context(tmp_path: Path) -> None:
    """The model knows the newest key only while the message that states it is in the context."""
    log = village()
    log["messages"][1:1] = [
        {"role": role, "content": f"{text} {number} " + "and so on " * 60}
        for number in range(12)
        for role, text in (("user", "Row"), ("assistant", "Noted row"))
    ]
    log["messages"].insert(1, {"role": "user", "content": "The key of the mill is KEY-1111."})
    path = written(tmp_path / "s.json", log)
    words = ("tune", path, "--preset", "none", "--preset", "aggressive", "--jobs", 1, "--ask", 3, "--max-cost", 9)
    with serving(model(lambda messages: calls("open", path=f"/{len(messages)}"))) as endpoint:
        refused = inspect(*words, "--json", **environment(endpoint.url))
        ended = inspect(*words, "--yes", "--json", **environment(endpoint.url))
        text = inspect(*words, **environment(endpoint.url))
    assert refused.code == 2 and "--yes is missing" in refused.err
    rows = {row["name"]: row for row in ended.json["asked"]}
    assert (rows["the model itself"]["same"], rows["the model itself"]["asked"]) == (3, 3)
    assert rows["aggressive"]["asked"] == 3 and 0 <= rows["aggressive"]["low"] <= rows["aggressive"]["high"] <= 1
    assert "Same step as with the uncompressed context" in text.out


def test_a_terminal_shows_the_text_while_it_is_written_and_other_outputs_do_not(session: Path) -> None:
    lines = "The mill opens\nwith KEY-9922,\nand"

    def slow(asked: Asked) -> None:
        asked.head()
        while not asked.server.endpoint.closing.wait(0.02):
            asked.piece(f"{lines} ")

    words = [sys.executable, "-m", "inspector", "ask", str(session), "--yes"]
    with serving(slow) as endpoint, closing(Terminal(words, 80, 24, environment(endpoint.url))) as terminal:
        terminal.wait_for("as recorded:", "\n  with KEY-9922,\r\n  and The mill opens")
        os.write(terminal.fd, b"\x03")
        assert terminal.wait() == 130
        assert terminal.text.count("\x1b[A\x1b[K") > 3 and "Cancelled" in terminal.text
    with serving(model(lambda _: lines)) as endpoint:
        ended = ask(session, endpoint, "--yes")
    assert ended.code == 0 and "\x1b" not in ended.out + ended.err and "0 of 1" not in ended.err
