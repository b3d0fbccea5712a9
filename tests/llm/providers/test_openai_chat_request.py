"""Requests to OpenAI: recorded messages go out untouched, everything else is made fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from inspector.core.conversation import Dialect, Message, Session
from inspector.llm.providers import PROVIDERS, message_from_raw, text_message, wire_of
from tests.provider_rules import check_openai

PIXEL = "iVBORw0KGgo="
ASK: dict[str, Any] = {"role": "user", "content": "Count."}


def call(id: Any = "c1", name: str = "count", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} | more


def calling(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **fields}


def result(id: Any = "c1", content: Any = "3", **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content, **fields}


def messages(raws: Sequence[dict[str, Any]], dialect: Dialect = "openai") -> list[Message]:
    pieces = [piece for raw in raws for piece in wire_of(dialect).split(raw)]
    return [message_from_raw(f"m{at}", raw, dialect) for at, raw in enumerate(pieces)]


def exported(raws: Sequence[dict[str, Any]], dialect: Dialect = "openai", **fields: Any) -> dict[str, Any]:
    """The request for these raw messages, checked against the provider's rules."""
    made = messages(raws, dialect)
    built = PROVIDERS["openai"].request(Session("s", "S", "test", tuple(made), dialect=dialect, **fields).context, made)
    assert check_openai(built) == []
    return built


def sent(raws: Sequence[dict[str, Any]], dialect: Dialect = "openai") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = exported(raws, dialect)["messages"]
    return items


def test_what_was_recorded_in_this_form_goes_out_untouched() -> None:
    recorded: list[dict[str, Any]] = [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief.", "unknown": 1}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        calling(call("a"), call("b", strict=True), refusal=None, annotations=[], reasoning_content="Hm."),
        result("a", [{"type": "text", "text": "3"}], name="count"),
        result("b", "", more={"x": 1}),
        {"role": "assistant", "content": "", "audio": {"id": "x"}},
        {"role": "user", "content": "Go on.", "name": "Ada"},
        calling({"id": "d", "type": "custom", "custom": {"name": "shell", "input": "ls"}}, content="Listing."),
        result("d"),
        {"role": "assistant", "tool_calls": [call("e")]},
        result("e"),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "old"},
    ]
    assert sent(recorded) == recorded


def test_model_tools_and_settings_are_kept_in_their_own_form() -> None:
    tools = ({"type": "function", "function": {"name": "f", "strict": True}},)
    settings = {"temperature": 0, "tool_choice": "auto", "seed": None}
    built = exported([ASK], model="gpt-4.1", tools=tools, settings=settings)
    assert built == {
        "model": "gpt-4.1",
        "messages": [ASK],
        "tools": list(tools),
        "temperature": 0,
        "tool_choice": "auto",
    }
    assert "tool_choice" not in exported([ASK], settings=settings)


def test_tools_cross_over() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = (
        {"name": "count", "description": "Counts.", "input_schema": schema, "cache_control": {"type": "ephemeral"}},
        {"type": "bash_20250124", "name": "bash"},
    )
    built = exported([ASK], "anthropic", tools=tools, settings={"max_tokens": 5, "top_k": 3})
    assert built["tools"] == [
        {"type": "function", "function": {"name": "count", "description": "Counts.", "parameters": schema}}
    ]
    assert set(built) == {"model", "messages", "tools"}


def test_results_stand_behind_their_call_in_its_order_wherever_they_came_from() -> None:
    raws: list[dict[str, Any]] = [
        result("b", "2"),
        ASK,
        calling(call("a"), call("b")),
        {"role": "user", "content": "Hurry."},
        result("a", "1"),
    ]
    assert sent(raws) == [ASK, raws[2], result("a", "1"), result("b", "2"), raws[3]]


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out() -> None:
    assert sent([result("x"), calling(call("a")), result("y")]) == [
        calling(call("a")),
        result("a", "[no result was recorded]"),
    ]


def test_a_second_result_for_one_call_is_left_out() -> None:
    assert sent([calling(call("a")), result("a", "1"), result("a", "2")]) == [calling(call("a")), result("a", "1")]


def test_ids_that_come_twice_are_made_unique_with_their_results() -> None:
    raws: list[dict[str, Any]] = [
        calling(call("a")),
        result("a", "1"),
        calling(call("a")),
        result("a", "2"),
        calling(call("a_2")),
        result("a_2", "3"),
    ]
    items = sent(raws)
    assert [item["tool_calls"][0]["id"] for item in items[::2]] == ["a", "a_3", "a_2"]
    assert [(item["tool_call_id"], item["content"]) for item in items[1::2]] == [("a", "1"), ("a_3", "2"), ("a_2", "3")]


def test_empty_and_missing_ids_are_given_by_order() -> None:
    items = sent([calling(call(""), call(None)), result("", "1"), result(None, "2")])
    assert [entry["id"] for entry in items[0]["tool_calls"]] == ["call", "call_2"]
    assert [(item["tool_call_id"], item["content"]) for item in items[1:]] == [("call", "1"), ("call_2", "2")]


def test_long_ids_are_cut_and_stay_apart() -> None:
    items = sent([calling(call("x" * 70 + "1"), call("x" * 70 + "2")), result("x" * 70 + "2", "two")])
    ids = [entry["id"] for entry in items[0]["tool_calls"]]
    assert ids == ["x" * 40, "x" * 38 + "_2"]
    assert [item["content"] for item in items[1:]] == ["[no result was recorded]", "two"]


def test_neighbours_of_one_side_are_joined_where_nothing_is_lost() -> None:
    picture = {"type": "image_url", "image_url": {"url": "u"}}
    said_twice: list[dict[str, Any]] = [
        {"role": "system", "content": "One."},
        {"role": "system", "content": "Two."},
        ASK,
        {"role": "user", "content": "Now."},
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": "Well."},
        calling(call("a"), content="Counting."),
        result("a"),
        {"role": "assistant", "content": "Three."},
        {"role": "assistant", "content": "Really."},
        {"role": "assistant", "content": "Yes.", "name": "Ada"},
    ]
    assert sent(said_twice) == [
        *said_twice[:2],
        {"role": "user", "content": [{"type": "text", "text": "Count."}, {"type": "text", "text": "Now."}, picture]},
        calling(call("a"), content="Well.\n\nCounting."),
        result("a"),
        {"role": "assistant", "content": "Three.\n\nReally."},
        said_twice[-1],
    ]


@pytest.mark.parametrize(
    ("recorded", "exported"),
    [
        ({"role": "assistant", "content": None}, {"role": "assistant", "content": ""}),
        ({"role": "user"}, {"role": "user", "content": ""}),
        ({"role": "user", "content": []}, {"role": "user", "content": ""}),
        ({"role": "nobody", "content": "Hi."}, {"role": "user", "content": "Hi."}),
        ({"role": "assistant", "content": "x", "tool_calls": []}, {"role": "assistant", "content": "x"}),
        (
            {"role": "assistant", "content": "x", "tool_calls": None, "function_call": None, "name": None},
            {"role": "assistant", "content": "x"},
        ),
        (
            {"role": "user", "content": ["a", 5]},
            {"role": "user", "content": [{"type": "text", "text": t} for t in "a5"]},
        ),
        ({"role": "user", "content": {"a": 1}}, {"role": "user", "content": [{"type": "text", "text": '{"a":1}'}]}),
        (
            {"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
            {"role": "assistant", "content": [{"type": "text", "text": "[image]"}]},
        ),
    ],
)
def test_what_would_be_refused_is_made_fit(recorded: dict[str, Any], exported: dict[str, Any]) -> None:
    assert sent([recorded]) == [exported]


def test_calls_in_other_forms_are_written_in_the_usual_one() -> None:
    flat = {"id": "a", "name": "my.tool", "arguments": {"x": 1}}
    [item, _] = sent([{"role": "assistant", "content": [], "tool_calls": [flat, "junk"]}])
    assert item == calling(call("a", "my_tool", '{"x":1}'))


def test_no_messages_at_all_still_make_a_request() -> None:
    assert sent([]) == [{"role": "user", "content": "[the conversation begins here]"}]


def test_notices_are_never_sent() -> None:
    made = [*messages([ASK]), text_message("n", "user", "Connection lost.", "openai", kind="notice")]
    assert PROVIDERS["openai"].request(Session("s", "S", "test", tuple(made)).context, made)["messages"] == [ASK]


def test_summaries_and_changed_results_go_out_like_any_message() -> None:
    made = messages([calling(call("a")), result("a", "long " * 99, extra=1)])
    changed = message_from_raw("m1", wire_of("openai").with_result_text(made[1].raw, "[cleared]"), "openai")
    window = [text_message("sum", "user", "Earlier: orders were counted.", "openai", kind="summary"), made[0], changed]
    assert PROVIDERS["openai"].request(Session("s", "S", "test", tuple(made)).context, window)["messages"] == [
        {"role": "user", "content": "Earlier: orders were counted."},
        calling(call("a")),
        result("a", "[cleared]", extra=1),
    ]


class TestFromAnthropic:
    def test_messages_cross_over(self) -> None:
        blocks = [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Counting."},
            {"type": "tool_use", "id": "t1", "name": "count", "input": {"of": "orders"}},
            {"type": "tool_use", "id": "t2", "name": "count", "input": {}},
        ]
        answers = [
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "content": [{"type": "text", "text": "none"}],
                "is_error": True,
            },
            {"type": "tool_result", "tool_use_id": "t1", "content": "3"},
            {"type": "text", "text": "Go on."},
        ]
        system = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
        raws: list[dict[str, Any]] = [
            system,
            ASK,
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": answers},
        ]
        assert sent(raws, "anthropic") == [
            {"role": "system", "content": "Be brief."},
            ASK,
            calling(call("t1", arguments='{"of":"orders"}'), call("t2"), content="Counting."),
            result("t1", "3"),
            result("t2", "Error: none"),
            {"role": "user", "content": "Go on."},
        ]

    def test_pictures_and_documents_cross_over(self) -> None:
        blocks = [
            {"type": "text", "text": "Look."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            {
                "type": "document",
                "title": "a.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            },
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain words"}},
        ]
        [item] = sent([{"role": "user", "content": blocks}], "anthropic")
        assert item["content"] == [
            {"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
            {"type": "text", "text": "plain words"},
        ]

    def test_pictures_in_results_are_shown_by_the_user(self) -> None:
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
        raws: list[dict[str, Any]] = [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [picture]}]},
        ]
        assert sent(raws, "anthropic")[1:] == [
            result("t1", "[image image/png]"),
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "[from look]"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
                ],
            },
        ]
