"""The nouns: sessions, messages, and what a person reads of them."""

from __future__ import annotations

import pytest

from inspector.core.conversation import (
    MAIN,
    Document,
    Image,
    InMemoryBody,
    Message,
    Part,
    Problem,
    Session,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    readable,
)


def message(role: str, at: int, parent: int, **facts: object) -> Message:
    body = InMemoryBody({"role": role, "content": f"{role} {at}"})
    return Message(id=f"m{at}", role=role, body=body, parent=parent, **facts)  # type: ignore[arg-type]  # any facts


def session(*messages: Message) -> Session:
    return Session("s", "A session", "openai", messages)


def test_agents_are_told_apart_the_main_one_first() -> None:
    talk = session(
        message("user", 0, -1, agent="helper"), message("user", 1, -1), message("assistant", 2, 0, agent="helper")
    )
    assert talk.agents == (MAIN, "helper")
    assert session().agents == (MAIN,)


def test_turns_are_the_replies_of_one_agent() -> None:
    talk = session(
        message("user", 0, -1),
        message("assistant", 1, 0),
        message("assistant", 2, 1, kind="notice"),
        message("assistant", 3, -1, agent="helper"),
        message("assistant", 4, 1),
    )
    assert talk.turns() == (1, 4)
    assert talk.turns("helper") == (3,)
    assert talk.turns("nobody") == ()


def test_a_context_is_the_way_up_from_a_message() -> None:
    talk = session(message("user", 0, -1), message("assistant", 1, 0), message("user", 2, 1), message("user", 3, 0))
    assert talk.path_to(2) == [0, 1, 2]
    assert talk.path_to(3) == [0, 3]
    assert talk.path_to(-1) == []


def test_a_session_grows_into_another_and_stays_itself() -> None:
    talk = session(message("user", 0, -1))
    longer = talk.extend([message("assistant", 1, 0)])
    assert (len(talk.messages), len(longer.messages)) == (1, 2)
    assert [m.id for m in longer] == ["m0", "m1"]


def test_a_message_gives_its_text_and_its_record() -> None:
    raw = {
        "role": "assistant",
        "content": "Yes.",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
    }
    made = Message("m", "assistant", InMemoryBody(raw, {"folder": "/srv"}))
    assert made.text == "Yes.\n\nf({})"
    assert made.raw is raw
    assert made.record == {"folder": "/srv"}


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Text("Hi."), "Hi."),
        (Thinking("Hm.", "s"), "Hm."),
        (ToolCall("c", "f", '{"a":1}'), 'f({"a":1})'),
        (ToolResult("c", (Text("a"), Image("image/png"))), "a\n[image image/png]"),
        (Image(), "[image]"),
        (Image("image/png", 640, 480), "[image image/png 640x480]"),
        (Document("application/pdf", "a.pdf", 3), "[document a.pdf application/pdf, 3 pages]"),
        (Unknown("hologram", '{"depth":3}'), '{"depth":3}'),
    ],
)
def test_what_a_person_reads_of_a_part(part: Part, text: str) -> None:
    assert readable(part) == text


def test_the_text_of_a_result_is_its_words() -> None:
    assert ToolResult("c", (Text("a"), Image(), Text("b"))).text == "a\nb"


def test_problems_name_their_line() -> None:
    assert str(Problem("it breaks off", 3)) == "line 3: it breaks off"
    assert str(Problem("it breaks off")) == "it breaks off"


def test_a_path_ends_where_a_message_comes_before_itself() -> None:
    talk = session(message("user", 0, 2), message("user", 1, 0), message("user", 2, 1), message("user", 3, -1))
    assert len(talk.path_to(2)) == 4
    assert talk.path_to(3) == [3]
