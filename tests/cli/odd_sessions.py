"""Sessions that are hardly any, and such as no honest program records: a file of each is written when it is needed.

A list is written as JSON lines, anything else as one JSON value.
"""

from __future__ import annotations

from typing import Any

from tests.cli.calling import call

LONG = "x" * 300_000
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def asks(*calls: dict[str, Any]) -> dict[str, Any]:
    return said("assistant", None, tool_calls=list(calls))


def answers(number: int, content: Any = "lit") -> dict[str, Any]:
    return said("tool", content, tool_call_id=f"call_{number}")


def chat_of(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": list(messages), **more}


def record(kind: str, uuid: str, parent: str | None, message: Any = None, **more: Any) -> dict[str, Any]:
    """A record of a coding agent's transcript."""
    place = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "timestamp": "2026-03-01T10:00:00Z"}
    return place | ({} if message is None else {"message": message}) | more


def block(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


RESULT = block("tool_result", tool_use_id="toolu_1", content="lit")
USE = block("tool_use", id="toolu_1", name="Read", input={"path": "/pier"})
DEAD = block("tool_use", id="toolu_2", name="Read", input={"path": "/pier" * 9})

ODD: dict[str, Any] = {
    "empty": chat_of(),
    "no model": {"messages": [said("user", "hello"), said("assistant", "yes")]},
    "a model that is no name": {"model": 5, "messages": [said("user", "hello"), said("assistant", "yes")]},
    "only system messages": chat_of(said("system", "Be brief."), said("system", "Be kind.")),
    "only a request": chat_of(said("user", "hello")),
    "only replies": chat_of(said("assistant", "one"), said("assistant", "two")),
    "no user": chat_of(said("system", "Be brief."), asks(call(1, "look")), answers(1), said("assistant", "done")),
    "only results": chat_of(answers(1), answers(2)),
    "only a call": chat_of(asks(call(1, "look"))),
    "calls that nothing answered": [
        record("assistant", "a1", None, said("assistant", [USE, DEAD], id="msg_1")),
        record("user", "r1", "a1", said("user", [RESULT])),
        record("user", "u1", "r1", said("user", "And now?")),
        record("assistant", "a2", "u1", said("assistant", [block("text", text="done")], id="msg_2")),
    ],
    "one message of nothing": chat_of(said("user", "")),
    "messages of nothing": chat_of(said("system", ""), said("user", ""), said("assistant", ""), said("user", "")),
    "no content": chat_of(said("user", None), said("assistant", None)),
    "whitespace": chat_of(said("user", " \n\t "), said("assistant", " \n"), said("user", "\u2003")),
    "one long word": chat_of(said("user", LONG), said("assistant", "yes"), said("user", "and?")),
    "one long result": chat_of(said("user", "look"), asks(call(1, "look")), answers(1, LONG), said("assistant", "so")),
    "odd tools": chat_of(
        said("user", "hello"), said("assistant", "yes"), tools=[None, 3, {"x": 1}, {"type": "function"}]
    ),
    "only a picture": chat_of(said("user", [PICTURE])),
    "another provider's, empty": {"model": "claude-sonnet-4-20250514", "max_tokens": 9, "system": "Hi", "messages": []},
    "empty contents": {"model": "claude-x", "max_tokens": 9, "messages": [said("user", []), said("assistant", [])]},
    "only a result in a request": {"model": "claude-x", "max_tokens": 9, "messages": [said("user", [RESULT])]},
    "a plain chat of nothing": [{"id": "a", "conversations": []}],
    "a plain chat of one": [{"id": "a", "conversations": [{"from": "human", "value": ""}]}],
    "a transcript without messages": [{"type": "file-history-snapshot", "isSnapshotUpdate": False}],
    "a transcript of a title": [{"type": "summary", "summary": "What was done", "leafUuid": "x"}],
    "only a summary": [record("user", "u1", None, said("user", "[Summary]"), isCompactSummary=True)],
    "only a result in a transcript": [record("user", "u1", None, said("user", [RESULT]))],
    "a circle of parents": [
        record("user", "u1", "u2", said("user", "hello")),
        record("assistant", "u2", "u1", said("assistant", [block("text", text="yes")])),
    ],
    "its own parent": [record("user", "u1", "u1", said("user", "hello"))],
    "only a helper": [
        record("user", "u1", None, said("user", "hello"), isSidechain=True, agentId="x"),
        record("assistant", "u2", "u1", said("assistant", [block("text", text="yes")]), isSidechain=True, agentId="x"),
    ],
    "strange usage": [
        record("user", "u1", None, said("user", "hello")),
        record(
            "assistant",
            "u2",
            "u1",
            said("assistant", [], model="", usage={"input_tokens": 10**15, "output_tokens": -5}),
        ),
    ],
    "no conversation": {"name": "lamp"},
    "no records": [],
}
