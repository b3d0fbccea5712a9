"""Captured calls, written to a log and read again."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import Session
from inspector.formats import load
from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall

_SECRET = "sk-ant-api03-" + "q7Zr9mK2xW4vB8nT1yL6" * 3
_TOOLS = [{"name": "light", "description": "Lights a lamp. " * 40, "input_schema": {"type": "object"}}]


def _call(messages: list[Any], reply: str = "", status: int = 200, **fields: Any) -> CapturedCall:
    request = {"model": "claude-opus-5", "system": "Keep the lamps.", "tools": _TOOLS, "messages": messages, **fields}
    usage = {"input_tokens": 40 * len(messages), "output_tokens": 9}
    content = [{"type": "text", "text": reply}]
    answer = {"id": f"m{len(messages)}", "type": "message", "role": "assistant", "model": "claude-opus-5"}
    body = json.dumps({**answer, "content": content, "usage": usage} if reply else {"error": {"message": "overloaded"}})
    time = "2026-01-02T03:04:05.000+00:00"
    sent = json.dumps(request).encode()
    return CapturedCall(
        "anthropic-messages", "/v1/messages", time, 0.5, status, sent, "", body.encode(), "", is_stream=False
    )


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _reply(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _texts(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def test_a_conversation_is_one_session_with_everything_that_was_sent(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "captures" / "one.jsonl")
    messages: list[Any] = []
    sizes = []
    for turn in range(12):
        messages.append(_user(f"Lamp {turn}, please. The key is {_SECRET}."))
        assert log.append(_call(messages, f"Lamp {turn} is lit."))
        messages.append(_reply(f"Lamp {turn} is lit."))
        sizes.append(log.path.stat().st_size)
    assert max(later - before for before, later in pairwise(sizes)) < sizes[0], "no repeats"
    assert _SECRET not in log.path.read_text()
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.path.parent.stat().st_mode) == 0o700
    (session,) = load(log.path)
    assert session.format == "capture" and session.problems == () and session.records_system
    assert _texts(session)[0] == "Keep the lamps." and len(session.messages) == 25
    assert _texts(session)[-1] == "Lamp 11 is lit."
    assert [tool["name"] for tool in session.tools] == ["light"]
    usages = [session.messages[place].usage for place in session.turns()]
    assert [usage.input for usage in usages if usage] == [40 * size for size in range(1, 24, 2)]
    again = CaptureLog(log.path)
    again.append(_call([_user("Another matter.")], "Yes."))
    assert len(load(log.path)) == 2, "a second run appends"


@contextmanager
def _no_larger_files(size: int) -> Iterator[None]:
    """Let the system refuse to write files beyond a size, as on a full disk."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_call_that_did_not_fit_on_the_disk_leaves_the_later_ones_whole(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "one.jsonl")
    messages = [_user("Lamp 0, please.")]
    log.append(_call(messages, "Lamp 0 is lit."))
    written = log.path.read_bytes()
    messages += [_reply("Lamp 0 is lit."), _user("Lamp 1, please.")]
    with _no_larger_files(len(written) + 50), pytest.raises(OSError):
        log.append(_call(messages, "Lamp 1 is lit."))
    assert log.path.read_bytes() == written and log.calls == 1, "no part of a line"
    messages += [_reply("Lamp 1 is lit."), _user("Lamp 2, please.")]
    assert log.append(_call(messages, "Lamp 2 is lit."))
    (session,) = load(log.path)
    assert session.problems == ()
    assert [text for text in _texts(session) if text.startswith("Lamp")] == [
        text for number in range(3) for text in (f"Lamp {number}, please.", f"Lamp {number} is lit.")
    ]


def test_conversations_are_told_apart_by_their_content(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "log.jsonl")
    main, helper = [_user("Light all lamps.")], [_user("Count the lamps in the cellar.")]
    log.append(_call(main, "I send a helper."))
    log.append(_call(helper, "I count.", system="You are a helper."))
    main += [_reply("I send a helper."), _user("Go on.")]
    helper += [_reply("I count."), _user("result: 3")]
    log.append(_call(helper, "There are three.", system="You are a helper."))
    log.append(_call(main, "All are lit."))
    first, second = load(log.path)
    assert _texts(first)[1:] == ["Light all lamps.", "I send a helper.", "Go on.", "All are lit."]
    assert _texts(second)[0] == "You are a helper." and _texts(second)[-1] == "There are three."


def test_a_history_that_the_program_summarized_is_a_compaction(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "log.jsonl")
    summary = "Summary of the work so far. " + " ".join(
        f"Lamp {number} hangs in room {number}." for number in range(20)
    )
    messages = [_user("Light all lamps.")]
    log.append(_call(messages, "The first is lit."))
    messages += [_reply("The first is lit."), _user("Summarize the conversation.")]
    log.append(_call(messages, summary))
    log.append(_call([_user(f"This session is continued. {summary}\nGo on.")], "The second is lit."))
    (session,) = load(log.path)
    assert len(session.compactions) == 1
    assert _texts(session)[-1] == "The second is lit."


def test_failed_calls_and_damaged_lines_are_problems_and_the_rest_is_read(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "log.jsonl")
    messages = [_user("Light the lamp.")]
    log.append(_call(messages, status=529))
    log.append(_call(messages, "It is lit."))
    log.append(_call([*messages, _reply("It is lit."), _user("Thanks.")], "You are welcome."))
    damaged = json.dumps({"capture": 1, "api": "x", "request": 5})
    log.path.write_text(log.path.read_text() + damaged + "\n")
    (session,) = load(log.path)
    assert _texts(session)[-1] == "You are welcome."
    problems = [str(problem) for problem in session.problems]
    assert problems[0].startswith("only 75% of the 4 records could be read")
    assert problems[1:] == [
        "line 1: the request failed: overloaded",
        "line 4: this line was left out: it is no captured call, or refers to a line that is missing",
    ]


def test_a_request_that_is_no_json_is_not_written(tmp_path: Path) -> None:
    log = CaptureLog(tmp_path / "log.jsonl")
    broken = CapturedCall("openai-chat", "/x", "", 0.1, 400, b"[1", "", b"{}", "", False)
    assert not log.append(broken) and log.path.read_bytes() == b"" and log.calls == 0
