"""Requests to Anthropic: recorded messages go out untouched, everything else is made fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from inspector.core.conversation import Dialect, Message, Session
from inspector.llm.providers import PROVIDERS, message_from_raw, text_message, wire_of
from tests.provider_rules import check_anthropic

PIXEL = "iVBORw0KGgo="
BEGIN = {"role": "user", "content": "[the conversation begins here]"}
ASK: dict[str, Any] = {"role": "user", "content": "Count."}
CACHED = {"cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


def use(id: Any = "t1", name: Any = "count", input: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}}


def answer(id: Any = "t1", content: Any = "3", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def reply(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def messages(raws: Sequence[dict[str, Any]], dialect: Dialect = "anthropic") -> list[Message]:
    pieces = [piece for raw in raws for piece in wire_of(dialect).split(raw)]
    return [message_from_raw(f"m{at}", raw, dialect) for at, raw in enumerate(pieces)]


def exported(raws: Sequence[dict[str, Any]], dialect: Dialect = "anthropic", **fields: Any) -> dict[str, Any]:
    """The request for these raw messages, checked against the provider's rules."""
    result = messages(raws, dialect)
    built = PROVIDERS["anthropic"].request(
        Session("s", "S", "test", tuple(result), dialect=dialect, **fields).context, result
    )
    assert check_anthropic(built) == []
    return built


def sent(raws: Sequence[dict[str, Any]], dialect: Dialect = "anthropic") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = exported(raws, dialect)["messages"]
    return items


def test_what_was_recorded_in_this_form_goes_out_untouched() -> None:
    recorded = [
        {"role": "user", "content": "Look."},
        reply(THOUGHT, text("Looking.", citations=[{"a": 1}]), use("t1"), use("t2") | CACHED),
        user(answer("t1", [text("3", **CACHED)]), answer("t2", "", is_error=False), text("Go on.", **CACHED)),
        reply(
            {"type": "redacted_thinking", "data": "x"}, {"type": "server_tool_use", "id": "s", "name": "w", "input": {}}
        ),
        user({"type": "image", "source": {"type": "file", "file_id": "f"}}, {"type": "search_result", "title": "t"}),
    ]
    assert sent(recorded) == recorded


def test_model_tools_and_settings_are_kept_in_their_own_form() -> None:
    tools = ({"name": "count", "input_schema": {"type": "object"}} | CACHED, {"type": "bash_20250124", "name": "bash"})
    settings = {"max_tokens": 50, "temperature": 0, "tool_choice": {"type": "auto"}, "top_k": None}
    built = exported([ASK], model="claude-y", tools=tools, settings=settings)
    assert built == {
        "model": "claude-y",
        "max_tokens": 50,
        "tools": list(tools),
        "messages": [ASK],
        "temperature": 0,
        "tool_choice": {"type": "auto"},
    }
    assert "tool_choice" not in exported([ASK], settings=settings)


def test_tools_cross_over_and_the_length_of_the_reply_with_them() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = (
        {
            "type": "function",
            "function": {"name": "count", "description": "Counts.", "parameters": schema, "strict": True},
        },
        {"type": "function", "function": {"name": "my.tool"}},
        {"type": "web_search_preview"},
    )
    built = exported([ASK], "openai", tools=tools, settings={"max_completion_tokens": 77, "seed": 1})
    assert built["tools"] == [
        {"name": "count", "description": "Counts.", "input_schema": schema},
        {"name": "my_tool", "input_schema": {"type": "object"}},
    ]
    assert built["max_tokens"] == 77
    assert "seed" not in built


def test_tools_that_were_called_but_not_recorded_are_defined_in_outline() -> None:
    built = exported([ASK, reply(use("t1", "Read"), use("t2", "Read"))])
    assert [tool["name"] for tool in built["tools"]] == ["Read"]
    assert "not recorded" in built["tools"][0]["description"]


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        (["Be brief."], "Be brief."),
        ([[text("Be brief.", **CACHED)]], [text("Be brief.", **CACHED)]),
        (["One.", [text("Two."), text(" ")]], [text("One."), text("Two.")]),
        ([""], None),
        ([[]], None),
    ],
)
def test_system_messages_go_to_the_top_as_they_are(systems: list[Any], expected: Any) -> None:
    raws = [{"role": "system", "content": content} for content in systems]
    assert exported([raws[0], ASK, *raws[1:]]).get("system") == expected
    assert sent([raws[0], ASK, *raws[1:]]) == [ASK]


def test_results_stand_behind_their_calls_first_and_in_order_in_one_message() -> None:
    raws = [
        ASK,
        reply(use("t1"), use("t2")),
        user(text("Hurry.")),
        user(answer("t2", "2")),
        user(text("Now."), answer("t1", "1")),
    ]
    assert sent(raws) == [
        ASK,
        reply(use("t1"), use("t2")),
        user(answer("t1", "1"), answer("t2", "2"), text("Hurry."), text("Now.")),
    ]


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out() -> None:
    assert sent([ASK, user(answer("x")), reply(use("t1"))]) == [
        ASK,
        reply(use("t1")),
        user(answer("t1", "[no result was recorded]")),
    ]


def test_ids_are_made_fit_and_unique_with_their_results() -> None:
    calls = [("functions.Read:0", "1"), ("functions.Read:0", "2"), ("", "3"), ("x" * 80, "4"), ("a", "5"), ("ä", "6")]
    raws = [raw for own, words in calls for raw in (reply(use(own)), user(answer(own, words)))]
    items = sent([ASK, *raws])
    ids = [item["content"][0]["id"] for item in items[1::2]]
    assert ids == ["functions_Read_0", "functions_Read_0_2", "call", "x" * 40, "a", "_"]
    assert [(item["content"][0]["tool_use_id"], item["content"][0]["content"]) for item in items[2::2]] == list(
        zip(ids, "123456", strict=True)
    )


def test_neighbours_of_one_side_become_one_message() -> None:
    assert sent([ASK, user(text("Now.")), reply(text("One.")), {"role": "assistant", "content": "Two."}, ASK]) == [
        user(text("Count."), text("Now.")),
        reply(text("One."), text("Two.")),
        ASK,
    ]


def test_empty_texts_are_dropped_and_empty_messages_filled() -> None:
    raws = [user(text(""), text(" \n")), reply(text("\n\n"), THOUGHT, text("Yes.")), {"role": "user", "content": ""}]
    assert sent(raws) == [
        {"role": "user", "content": "[empty]"},
        reply(THOUGHT, text("Yes.")),
        {"role": "user", "content": "[empty]"},
    ]


def test_empty_replies_are_left_out() -> None:
    assert sent(
        [ASK, {"role": "assistant", "content": None}, reply(text("")), {"role": "user", "content": "Well?"}]
    ) == [user(text("Count."), text("Well?"))]


def test_an_error_is_never_empty() -> None:
    raws = [
        ASK,
        reply(use("t1"), use("t2")),
        user(answer("t1", "", is_error=True), answer("t2", [text("")], is_error=True)),
    ]
    assert [block["content"] for block in sent(raws)[2]["content"]] == ["[empty]", "[empty]"]


def test_a_conversation_begins_with_the_user() -> None:
    assert sent([reply(text("Hello."))]) == [BEGIN, reply(text("Hello."))]
    assert sent([]) == [BEGIN]


def test_a_last_reply_ends_without_space() -> None:
    assert sent([ASK, {"role": "assistant", "content": "The answer is: \n"}])[-1]["content"] == "The answer is:"
    assert sent([ASK, reply(text("It is"), text(" \t"))])[-1] == reply(text("It is"))


ASKED = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}


class TestThinking:
    def test_it_stays_as_it_was_before_the_last_message(self) -> None:
        raws = [ASK, reply(THOUGHT, use("t1")), user(answer("t1"))]
        assert exported(raws, settings=ASKED)["messages"] == raws
        assert exported(raws, settings=ASKED)["thinking"] == ASKED["thinking"]
        assert sent(raws) == raws

    def test_without_a_signature_it_is_dropped(self) -> None:
        unsigned = {"type": "thinking", "thinking": "Hm.", "signature": ""}
        assert sent([ASK, reply(unsigned, {"type": "redacted_thinking"}, text("Yes.")), ASK])[1] == reply(text("Yes."))

    def test_a_reply_of_nothing_else_is_dropped(self) -> None:
        assert sent([ASK, reply(THOUGHT), {"role": "user", "content": "Well?"}]) == [
            user(text("Count."), text("Well?"))
        ]

    def test_it_stays_where_it_was_between_words_and_calls(self) -> None:
        raws = [ASK, reply(text("One."), THOUGHT, use("t1")), user(answer("t1"))]
        adaptive = exported(raws, settings={"thinking": {"type": "adaptive"}, "max_tokens": 99})
        assert adaptive["messages"] == exported(raws, settings=ASKED)["messages"] == sent(raws) == raws
        assert "thinking" not in exported(raws, settings=ASKED), "a budget of it asks for thinking at the beginning"

    def test_of_two_joined_replies_it_stays_in_its_own(self) -> None:
        assert sent([ASK, reply(text("One.")), reply(THOUGHT, text("Two.")), ASK])[1] == reply(
            text("One."), THOUGHT, text("Two.")
        )

    def test_a_last_reply_holds_none_unless_it_is_asked_for(self) -> None:
        raws = [ASK, reply(THOUGHT, text("The answer"))]
        assert sent(raws)[-1] == reply(text("The answer"))
        assert exported(raws, settings={"thinking": ASKED["thinking"]})["messages"][:-1] == raws

    def test_no_more_is_asked_for_when_the_last_reply_has_lost_its_own(self) -> None:
        raws = [ASK, reply(use("t1")), user(answer("t1"))]
        assert "thinking" not in exported(raws, settings=ASKED)
        assert "thinking" in exported([ASK, reply(text("Three.")), ASK], settings=ASKED)

    def test_it_crosses_over_with_its_signature_only(self) -> None:
        signed = {"role": "assistant", "content": "Yes.", "thinking_blocks": [THOUGHT, {"data": "x"}]}
        bare = {"role": "assistant", "content": "No.", "reasoning_content": "Hm."}
        items = sent([ASK, signed, ASK, bare, ASK], "openai")
        assert items[1] == reply(THOUGHT, {"type": "redacted_thinking", "data": "x"}, text("Yes."))
        assert items[3] == {"role": "assistant", "content": "No."}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": PIXEL}},
        {"type": "image", "source": None},
        {"type": "document", "source": {"type": "base64", "media_type": "text/csv", "data": "YQ=="}},
        {"type": "text", "text": None},
        {"no": "type"},
        "bare words",
        7,
    ],
)
def test_blocks_that_would_be_refused_are_put_into_words(block: Any) -> None:
    [item] = sent([user(block)])
    assert [inner["type"] for inner in item["content"]] == ["text"]


def test_blocks_on_the_wrong_side_are_put_into_words() -> None:
    picture = {"type": "image", "source": {"type": "url", "url": "u"}}
    items = sent([user(use("t9")), reply(picture, text("There."))])
    assert items == [user(text("count({})")), reply(text("[image]"), text("There."))]


def test_arguments_and_names_are_made_fit() -> None:
    block = sent([ASK, reply({"type": "tool_use", "id": "t1", "name": "my tool", "input": "{broken"})])[1]["content"][0]
    assert (block["name"], block["input"]) == ("my_tool", {"arguments": "{broken"})


def test_summaries_and_changed_results_go_out_like_any_message() -> None:
    result = messages([ASK, reply(use("t1")), user(answer("t1", "long " * 99) | CACHED)])
    changed = message_from_raw("m2", wire_of("anthropic").with_result_text(result[2].raw, "[cleared]"), "anthropic")
    summary = text_message("sum", "user", "Earlier: nothing.", "anthropic", kind="summary")
    built = PROVIDERS["anthropic"].request(
        Session("s", "S", "test", tuple(result), dialect="anthropic").context, [summary, result[1], changed]
    )
    assert built["messages"] == [
        {"role": "user", "content": "Earlier: nothing."},
        reply(use("t1")),
        user(answer("t1", "[cleared]") | CACHED),
    ]


class TestFromOpenAI:
    def test_messages_cross_over(self) -> None:
        calls = [
            {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"of": "orders"}'}},
            {"id": "c2", "type": "function", "function": {"name": "count", "arguments": "oops"}},
        ]
        raws: list[dict[str, Any]] = [
            {"role": "system", "content": "Be brief."},
            ASK,
            {"role": "assistant", "content": "Counting.", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c2", "content": "none"},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "3"}]},
            {"role": "user", "content": "Go on."},
        ]
        assert exported(raws, "openai")["system"] == "Be brief."
        assert sent(raws, "openai") == [
            ASK,
            reply(text("Counting."), use("c1", input={"of": "orders"}), use("c2", input={"arguments": "oops"})),
            user(answer("c1", "3"), answer("c2", "none"), text("Go on.")),
        ]

    def test_pictures_and_documents_cross_over(self) -> None:
        blocks = [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
        ]
        [item] = sent([{"role": "user", "content": blocks}], "openai")
        assert item["content"] == [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
                "title": "a.pdf",
            },
        ]
