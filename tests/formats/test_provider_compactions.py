"""Compactions that providers do themselves are in the window as the next request has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.cache_loss import cache_losses
from inspector.core.conversation import Session
from inspector.engine.window import at_turn, compute_timeline, problems
from inspector.formats import load
from inspector.library import Workbench
from inspector.library.diagnosis import Overview, verdict
from inspector.llm.models import session_cost, session_price
from inspector.llm.tokens import estimate_sizes
from tests.cli.calling import inspect
from tests.places import ROOT

PLACE = ROOT / "tests" / "formats" / "recordings" / "provider-compactions"
BLOCK = PLACE / "a-compaction-block-drops-everything-before-it.json"
SIGNED = PLACE / "a-request-may-begin-with-a-signed-compaction.json"


def bench_of(path: Path) -> Workbench:
    session = load(path)[0]
    return Workbench(session, estimate_sizes(session))


@pytest.mark.parametrize("path", [BLOCK, SIGNED])
def test_a_window_begins_with_the_compaction_and_is_valid(path: Path) -> None:
    bench = bench_of(path)
    window = at_turn(bench.session, bench.sizes)
    assert next(message.kind for message in window.messages if message.role != "system") == "summary"
    assert "7741" not in " ".join(message.text for message in window.messages)
    assert compute_timeline(bench.session, bench.sizes).compactions == (1,)
    assert problems(window) == ()


def test_it_is_exported_as_the_block_that_it_was() -> None:
    recorded = json.loads(SIGNED.read_text(encoding="utf-8"))
    request = json.loads(inspect("export", str(SIGNED), "--to", "anthropic").out)
    assert request["messages"] == recorded["messages"]


def test_what_the_api_reports_on_the_window_is_stated() -> None:
    bench = bench_of(BLOCK)
    assert [problem.text.rpartition(" ")[2] for problem in bench.session.problems] == ["tools_changed"]
    assert any("removed 5,000 tokens" in words for words in Overview(bench).leavings)


def test_a_request_with_other_tools_explains_why_the_cache_was_missed(tmp_path: Path) -> None:
    path, asked, rows = tmp_path / "log.jsonl", [said("user", STORY)], list[Any]()
    for names, read, written in (("ls", 0, 3_000), ("ls mv", 0, 3_100), ("ls mv", 3_100, 100)):
        tools = [{"name": name, "description": "Acts.", "input_schema": {"type": "object"}} for name in names.split()]
        usage = {"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}
        reply = {**replied(text=f"It is {len(asked)}."), "usage": {**usage, "output_tokens": 9}}
        request = {"model": "claude-opus-4-6", "max_tokens": 9, "tools": tools, "messages": [*asked]}
        rows.append({"request": request, "response": reply})
        asked += [replied(text=f"It is {len(asked)}."), said("user", "And now?")]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (session,) = load(path)
    assert [(loss.turn, loss.cause) for loss in cache_losses(session, session_price(session))] == [(2, "tools")]


def test_a_failed_compaction_changes_nothing() -> None:
    bench = bench_of(PLACE / "a-compaction-without-content-has-no-effect.json")
    assert len(bench.window(None).messages) == 3 and not bench.session.compactions


def test_the_answer_of_responses_compact_is_a_window_that_begins_with_a_compaction() -> None:
    bench = bench_of(PLACE / "the-answer-of-responses-compact-is-a-window.json")
    assert "OpenAI Responses" in inspect("check", PLACE / "the-answer-of-responses-compact-is-a-window.json").out
    assert [message.kind for message in bench.session.messages] == ["chat", "summary"]
    assert "compacted before turn 1 from 139,000, the dropped messages are not in this file" in verdict(bench).text
    assert sum(line.calls for line in session_cost(bench.session).lines) == 1, "the compaction is a call itself"


def test_an_item_before_any_reply_is_a_compaction_that_kept_the_words_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gpt-5.5", "input": [said("user", "Shut the gate."), SEALED]}))
    bench = bench_of(path)
    assert [message.kind for message in bench.window(None).messages] == ["chat", "summary"]
    assert "compacted before turn 1, the dropped messages are not in this file" in verdict(bench).text


def test_what_a_compaction_replaced_is_known_from_its_own_call(tmp_path: Path) -> None:
    path = tmp_path / "exchange.json"
    request = {"model": "claude-opus-4-6", "max_tokens": 9, "system": "Keep it.", "messages": [said("user", "Go on.")]}
    response = {**replied(COMPACTION, text="It is."), "usage": BLOCK_USAGE}
    path.write_text(json.dumps({"request": request, "response": response}))
    bench = bench_of(path)
    assert "compacted before turn 1 from 3,100" in verdict(bench).text
    assert "unrecorded (tools) 9" in inspect("why", str(path)).out, "tools that were not logged are no framing"


def test_a_summarization_of_terminus_is_a_compaction_that_keeps_the_task() -> None:
    bench = bench_of(PLACE.parent / "atif" / "a-summarization-with-a-hand-off-is-a-compaction.json")
    timeline = compute_timeline(bench.session, bench.sizes)
    assert (timeline.compactions, timeline.falls) == ((3,), ())
    window = bench.window(3)
    assert [message.text[:8] for message in window.messages] == ["Drain th", "Here are"]


STORY = "The gate of the weir is shut at night. " * 300
BLOCK_USAGE = {
    "input_tokens": 400,
    "output_tokens": 9,
    "iterations": [
        {"type": "compaction", "input_tokens": 3_100, "output_tokens": 200},
        {"type": "message", "input_tokens": 400, "output_tokens": 9},
    ],
}
COMPACTION = {"type": "compaction", "content": "The gate is shut."}
SEALED = {"type": "compaction", "id": "c1", "encrypted_content": "QUJD"}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def replied(*blocks: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"role": "assistant", "content": [*blocks, *([{"type": "text", "text": text}] if text else [])]}


def messages_log(folder: Path, second: dict[str, Any], usage: dict[str, Any], *, cut: bool) -> Session:
    """Return the session of three calls, of which the second compacts; the third may leave out what was before."""
    asked = [said("user", STORY), said("assistant", "It is shut."), said("user", "Note the level.")]
    third = [*([] if cut else asked), second, said("user", "And now?")]
    calls = [(asked[:1], replied(text="It is shut."), {"input_tokens": 3_000, "output_tokens": 9})]
    calls += [(asked, second, usage), (third, replied(text="Open."), {"input_tokens": 420, "output_tokens": 9})]
    path = folder / "log.jsonl"
    rows = [
        {
            "request": {"model": "claude-opus-4-6", "max_tokens": 9, "messages": asked},
            "response": {**reply, "usage": used},
        }
        for asked, reply, used in calls
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (session,) = load(path)
    return session


def responses_log(folder: Path, *, cut: bool) -> Session:
    asked = [said("user", STORY), said("assistant", "It is shut."), said("user", "Note the level.")]
    third = [*([] if cut else asked), SEALED, said("assistant", "Noted."), said("user", "And now?")]
    calls = [
        (asked[:1], [said("assistant", "It is shut.")], 3_000),
        (asked, [SEALED, said("assistant", "Noted.")], 3_050),
    ]
    rows = [
        {
            "request": {"model": "gpt-5.5", "input": sent},
            "response": {
                "object": "response",
                "model": "gpt-5.5",
                "output": [item | {"type": item.get("type", "message")} for item in output],
                "usage": {"input_tokens": size, "output_tokens": 9},
            },
        }
        for sent, output, size in [*calls, (third, [said("assistant", "Open.")], 300)]
    ]
    path = folder / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (session,) = load(path)
    return session


def test_calls_before_and_after_a_compaction_are_one_session_and_each_is_paid_once(tmp_path: Path) -> None:
    block = replied(COMPACTION, text="Level noted.")
    signed = replied(COMPACTION | {"encrypted_content": "QUJD", "signature": "c2ln"})
    alone = {"input_tokens": 3_100, "output_tokens": 200}
    cases = [(messages_log(tmp_path, block, BLOCK_USAGE, cut=cut), 4, 6_920) for cut in (False, True)]
    cases += [(messages_log(tmp_path, signed, alone, cut=cut), 3, 6_520) for cut in (False, True)]
    cases += [(responses_log(tmp_path, cut=cut), 3, 6_350) for cut in (False, True)]
    for session, calls, sent in cases:
        timeline = compute_timeline(session, sizes := estimate_sizes(session))
        assert (timeline.compactions, timeline.falls) == ((2,), ())
        assert at_turn(session, sizes).messages[0].kind == "summary"
        cost = session_cost(session)
        assert (cost.calls, cost.unreported, cost.usage.input) == (calls, 0, sent)


def compact_call(sent: list[dict[str, Any]], *output: dict[str, Any]) -> dict[str, Any]:
    answer = {"object": "response.compaction", "output": [*output], "usage": {"input_tokens": 90, "output_tokens": 20}}
    return {"request": {"model": "gpt-5.5", "instructions": "Keep it.", "input": sent}, "response": answer}


def test_the_window_that_responses_compact_returns_is_one_in_a_log_too(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    kept = said("user", "Shut it.") | {"type": "message"}
    path.write_text(json.dumps(compact_call([said("user", STORY), said("assistant", "Yes.")], kept, SEALED)))
    bench = bench_of(path)
    assert [message.kind for message in bench.session.messages] == ["chat", "chat", "chat", "chat", "summary"]
    assert [message.text for message in bench.window(None).messages][:2] == ["Keep it.", "Shut it."]


def test_the_calls_around_one_that_only_compacts_are_one_session(tmp_path: Path) -> None:
    kept = said("user", STORY) | {"type": "message"}
    asked = [kept, said("assistant", "Noted."), said("user", "Is it shut?")]
    reply = [said("assistant", "It is shut.") | {"type": "message"}]
    first = {"model": "gpt-5.5", "instructions": "Keep it.", "input": asked}
    answer = {"object": "response", "model": "gpt-5.5", "output": reply, "usage": {"input_tokens": 80}}
    rows = [
        {"request": first, "response": answer},
        compact_call([*asked, *reply], kept, SEALED),
        {"request": first | {"input": [kept, SEALED, said("user", "And now?")]}, "response": answer},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (session,) = load(path)
    assert compute_timeline(session, estimate_sizes(session)).compactions == (3,)
    window = [message.text[:8] for message in at_turn(session, estimate_sizes(session)).messages[:4]]
    assert window == ["Keep it.", STORY[:8], "", "And now?"]
    (summary,) = [message for message in session.messages if message.kind == "summary"]
    assert summary.usage and summary.usage.input == 90
