"""Chats of Qwen Code: what was reported of replies, compressions, ways not taken, and what never was sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.core.conversation import Session, Usage
from tests.formats.written import only, texts, write_lines

REPORT = {"promptTokenCount": 900, "candidatesTokenCount": 30, "cachedContentTokenCount": 400, "totalTokenCount": 930}
CALL = {"functionCall": {"id": "c1", "name": "count", "args": {"pier": 3}}}
MODEL = "qwen3-coder-plus"


class Scribe:
    """Writes records, each behind the last one, or behind another."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def put(self, kind: str, *parts: dict[str, Any], after: str = "", **fields: Any) -> str:
        name = f"r{len(self.records) + 1}"
        last = self.records[-1]["uuid"] if self.records else None
        record = {"uuid": name, "parentUuid": after or last, "sessionId": "s1", "type": kind}
        role = "model" if kind == "assistant" else "user"
        message = {"message": {"role": role, "parts": list(parts)}} if parts else {}
        self.records.append({**record, "timestamp": f"2026-01-02T03:04:{len(self.records):02}Z", **message, **fields})
        return name

    def say(self, text: str, **fields: Any) -> str:
        return self.put("user", {"text": text}, provenance="real_user", **fields)

    def reply(self, *parts: dict[str, Any], **fields: Any) -> str:
        return self.put("assistant", *parts, model=MODEL, **{"usageMetadata": REPORT, **fields})

    def note(self, subtype: str, **payload: Any) -> str:
        return self.put("system", subtype=subtype, systemPayload=payload)

    def session(self, folder: Path) -> Session:
        return only(write_lines(folder / "chat.jsonl", self.records))


def now(session: Session) -> list[str]:
    """What the next request would have."""
    path = (session.messages[place] for place in session.path_to(session.last_position()))
    return [message.text for message in path if message.kind != "notice"]


def begin() -> Scribe:
    scribe = Scribe()
    scribe.say("Count the crates.")
    scribe.reply({"text": "I count.", "thought": True}, {"text": "Counting."}, CALL, contextWindowSize=131072)
    answer = {"functionResponse": {"id": "c1", "name": "count", "response": {"output": "40"}}}
    scribe.put("tool_result", answer, toolCallResult={"status": "success"})
    scribe.reply({"text": "Forty."})
    return scribe


def test_usage_model_time_and_window_stand_on_the_record(tmp_path: Path) -> None:
    scribe = begin()
    scribe.note("custom_title", customTitle="Crates")
    session = scribe.session(tmp_path)
    assert (session.format, session.id, session.title, session.model) == ("qwen-code", "s1", "Crates", MODEL)
    ask, reply, answer, last = session.messages
    assert (reply.model, reply.usage, reply.time) == (MODEL, Usage(900, 30, 400), "2026-01-02T03:04:01Z")
    assert answer.answers == reply.calls[0].id and answer.text == "40" and not answer.is_error and reply.thinks
    assert session.sizes and session.sizes.limit == 131072
    assert session.problems == () and ask.kind == "chat" and last.usage


def test_thoughts_among_the_tokens_of_a_reply_are_counted_once(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.say("Count.")
    scribe.reply({"text": "1"}, usageMetadata=REPORT | {"thoughtsTokenCount": 20})
    scribe.reply({"text": "2"}, usageMetadata=REPORT | {"thoughtsTokenCount": 20, "totalTokenCount": 950})
    first, second = (message.usage for message in scribe.session(tmp_path).messages[1:])
    assert first and second and (first.output, second.output) == (30, 50)


def test_a_failed_answer_is_an_error(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.say("Count.")
    scribe.reply(CALL)
    answer = {"functionResponse": {"id": "c1", "name": "count", "response": {"output": "no such pier"}}}
    scribe.put("tool_result", answer, toolCallResult={"status": "error"})
    assert scribe.session(tmp_path).messages[-1].is_error


def test_a_compression_takes_the_place_of_what_was_said(tmp_path: Path) -> None:
    scribe = begin()
    history = [
        {"role": "user", "parts": [{"text": "<state_snapshot>Forty crates.</state_snapshot>"}]},
        {"role": "model", "parts": [{"text": "Got it."}]},
    ]
    scribe.note("chat_compression", info={"originalTokenCount": 900}, compressedHistory=history)
    scribe.say("And the barrels?")
    scribe.reply({"text": "Nine."})
    session = scribe.session(tmp_path)
    assert now(session) == [history[0]["parts"][0]["text"], "Got it.", "And the barrels?", "Nine."]  # type: ignore[index]
    [place] = session.compactions
    assert session.messages[place].kind == "summary" and session.messages[place + 1].kind == "copy"
    assert len(session.turns()) == 3 and session.problems == ()


def test_a_record_behind_an_earlier_one_leaves_what_came_since(tmp_path: Path) -> None:
    scribe = begin()
    scribe.put("system", subtype="rewind", systemPayload={"truncatedCount": 2}, after="r1")
    scribe.say("Count the barrels.")
    session = scribe.session(tmp_path)
    assert now(session) == ["Count the crates.", "Count the barrels."]
    assert "Forty." in texts(session)


def test_what_a_program_put_into_the_users_name_is_not_said_by_him(tmp_path: Path) -> None:
    scribe = begin()
    scribe.put("user", {"text": "A task ended."}, subtype="notification", provenance="system")
    scribe.say("Wait.", subtype="mid_turn_user_message")
    kinds = {message.text: message.kind for message in scribe.session(tmp_path)}
    assert kinds["A task ended."] == "injected" and kinds["Wait."] == "chat"


def test_what_was_not_sent_is_not_in_the_window(tmp_path: Path) -> None:
    scribe = begin()
    scribe.put("user", {"text": "Spoken."}, subtype="realtime_message")
    scribe.put("tool_result", {"functionResponse": {"name": "x", "response": {}}}, subtype="code_mode_tool_result")
    scribe.say("/docs")
    outputs = [{"type": "assistant", "text": "See there."}]
    scribe.note("slash_command", phase="result", rawCommand="/docs", outputHistoryItems=outputs)
    scribe.say("/plan")
    scribe.note("slash_command", phase="result", rawCommand="/plan", outputHistoryItems=outputs, sentToModel=True)
    session = scribe.session(tmp_path)
    assert now(session)[-2:] == ["Forty.", "/plan"] and "/docs" in texts(session)


def test_the_history_that_an_agent_began_with_comes_first(tmp_path: Path) -> None:
    scribe = Scribe()
    scribe.note("agent_bootstrap", kind="fork", history=[{"role": "user", "parts": [{"text": "Look."}]}])
    scribe.reply({"text": "Seen."})
    assert texts(scribe.session(tmp_path)) == ["Look.", "Seen."]


def test_records_of_other_kinds_are_told(tmp_path: Path) -> None:
    scribe = begin()
    scribe.records += [{"uuid": "x", "sessionId": "s1", "type": "odd"}]
    assert "not a record of a Qwen Code chat" in str(scribe.session(tmp_path).problems[-1])
