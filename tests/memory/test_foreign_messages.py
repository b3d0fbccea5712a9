"""Messages and replies of other APIs and libraries, as objects and as dictionaries."""

from __future__ import annotations

from types import SimpleNamespace as Object
from typing import Any

import pytest
from openai.types.responses import Response

from inspector.core.conversation import Usage
from inspector.memory import LLMMessage, MemoryManager, ReActAgent, format_history, parse_response
from tests.memory.test_llm import as_objects

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":7}'}}
ITEMS: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Looking.", "annotations": []}],
    },
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"at":7}'},
]
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5",
    "output": ITEMS,
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
        "output_tokens": 8,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 128,
    },
}
GEMINI: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {"text": "Looking."},
                    {"functionCall": {"id": "c1", "name": "look", "args": {"at": 7}}},
                ],
            },
            "finishReason": "STOP",
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 120,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 3,
        "cachedContentTokenCount": 100,
    },
}
LANGCHAIN: dict[str, Any] = {
    "type": "ai",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 7}},
    ],
    "tool_calls": [{"name": "look", "args": {"at": 7}, "id": "c1", "type": "tool_call"}],
    "invalid_tool_calls": [],
    "usage_metadata": {"input_tokens": 120, "output_tokens": 8, "input_token_details": {"cache_read": 100}},
}
PYDANTIC: dict[str, Any] = {
    "kind": "response",
    "parts": [
        {"part_kind": "thinking", "content": "Hm."},
        {"part_kind": "text", "content": "Looking."},
        {"part_kind": "tool-call", "tool_name": "look", "args": {"at": 7}, "tool_call_id": "c1"},
    ],
    "usage": {"input_tokens": 120, "output_tokens": 8, "cache_read_tokens": 100, "cache_write_tokens": 0},
}
REPLIES: dict[str, Any] = {
    "responses": RESPONSE,
    "responses object": Response.model_validate(RESPONSE),
    "gemini": GEMINI,
    "gemini object": as_objects(GEMINI),
    "langchain": LANGCHAIN,
    "langchain object": Object(**LANGCHAIN),
    "langchain chunk": LANGCHAIN | {"type": "AIMessageChunk"},
    "pydantic": PYDANTIC,
    "pydantic object": as_objects(PYDANTIC),
}
REPLIES["gemini object"].candidates[0].content.parts[2].functionCall.args = {"at": 7}
REPLIES["pydantic object"].parts[2].args = {"at": 7}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_of_all_apis_have_the_same_text_calls_and_usage(name: str) -> None:
    reply = parse_response(REPLIES[name])
    assert reply.text == "Looking."
    assert [(call.id, call.name, call.arguments) for call in reply.calls] == [("c1", "look", '{"at":7}')]
    assert reply.usage == Usage(120, 8, 100)
    assert reply.message.role == "assistant"


@pytest.mark.parametrize("name", REPLIES)
async def test_an_agent_makes_the_calls_of_all_apis(name: str) -> None:
    looked: list[int] = []

    def look(at: int) -> str:
        looked.append(at)
        return f"Order {at}"

    class Model:
        model, replies = "gpt-5", [REPLIES[name], {"role": "assistant", "content": "Seven."}]

        async def call_async(self, messages: Any, tools: Any = None) -> Any:
            return self.replies.pop(0)

    agent = ReActAgent(Model(), [look], show_statistics=False)
    assert await agent.run("Look.") == "Seven."
    assert looked == [7]
    assert [message.role for message in agent.memory.get_context_for_llm()] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def test_a_reply_in_several_parts_is_one_message() -> None:
    reply = parse_response({"object": "response", "output": [*ITEMS, *ITEMS[:2], ITEMS[2] | {"call_id": "c2"}]})
    assert reply.text == "Looking.\n\nLooking."
    assert [call.id for call in reply.calls] == ["c1", "c2"]


async def context_of(*messages: Any) -> list[dict[str, Any]]:
    memory = MemoryManager()
    for message in messages:
        await memory.add_message(message)
    return [message.to_dict() for message in memory.get_context_for_llm()]


OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "Order 7"}


def as_client_object(item: dict[str, Any]) -> Any:
    return Object(**item, model_dump=lambda **_: dict(item))


@pytest.mark.parametrize("convert", [dict, as_client_object])
async def test_items_of_the_responses_api_form_a_valid_chat(convert: Any) -> None:
    second = ITEMS[2] | {"call_id": "c2"}
    late = OUTPUT | {"call_id": "c2"}
    user = {"role": "user", "content": [{"type": "input_text", "text": "Look."}]}
    assert await context_of(*map(convert, [user, ITEMS[0], ITEMS[2], second, OUTPUT, late])) == [
        {"role": "user", "content": "Look."} | {"content": [{"type": "text", "text": "Look."}]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "Order 7"},
        {"role": "assistant", "content": None, "tool_calls": [CALL | {"id": "c2"}]},
        {"role": "tool", "tool_call_id": "c2", "content": "Order 7"},
    ]


def gemini_result(**fields: Any) -> dict[str, Any]:
    return {
        "role": "user",
        "parts": [{"functionResponse": {"name": "look", "response": {"output": "Order 7"}} | fields}],
    }


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": "Looking.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Order 7", "name": "look"},
    {"role": "assistant", "content": "Seven."},
]
HISTORIES: dict[str, list[Any]] = {
    "gemini": [
        {"role": "system", "parts": [{"text": "Be short."}]},
        {"parts": [{"text": "Look."}]},
        {"role": "model", "parts": GEMINI["candidates"][0]["content"]["parts"][1:]},
        gemini_result(id="c1"),
        {"role": "model", "parts": [{"text": "Seven."}]},
    ],
    "gemini without ids": [
        {"role": "system", "parts": [{"text": "Be short."}]},
        Object(role="user", parts=[Object(text="Look.")]),
        {"role": "model", "parts": [{"text": "Looking."}, {"function_call": {"name": "look", "args": {"at": 7}}}]},
        gemini_result(),
        {"role": "model", "parts": [{"text": "Seven."}]},
    ],
    "langchain": [
        {"type": "system", "content": "Be short."},
        Object(type="human", content="Look.", name=None),
        {"type": "ai", "data": LANGCHAIN | {"content": "Looking."}},
        {
            "lc": 1,
            "type": "constructor",
            "kwargs": {"type": "tool", "tool_call_id": "c1", "name": "look", "content": "Order 7"},
        },
        {"type": "AIMessageChunk", "content": "Seven."},
    ],
    "pydantic": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "instruction", "content": "Be brief."},
                {"part_kind": "system-prompt", "content": "Be short."},
                {"part_kind": "user-prompt", "content": "Look."},
            ],
        },
        {"kind": "response", "parts": PYDANTIC["parts"][1:]},
        Object(
            kind="request",
            parts=[Object(part_kind="tool-return", tool_name="look", content="Order 7", tool_call_id="c1")],
        ),
        {"kind": "response", "parts": [{"part_kind": "text", "content": "Seven."}]},
    ],
}


@pytest.mark.parametrize("name", HISTORIES)
async def test_messages_of_all_libraries_become_the_same_chat(name: str) -> None:
    context = await context_of(*HISTORIES[name])
    made = context[2]["tool_calls"][0]["id"]
    assert made == "c1" or (name == "gemini without ids" and made.startswith("call_"))
    context[2]["tool_calls"][0]["id"] = "c1"
    assert context[3]["tool_call_id"] == made
    context[3]["tool_call_id"] = "c1"
    assert context == CHAT


@pytest.mark.parametrize("name", ["gemini", "langchain", "pydantic"])
def test_a_history_is_written_in_the_same_way_from_all_forms(name: str) -> None:
    assert (
        format_history(HISTORIES[name]) == format_history(CHAT) == format_history([LLMMessage(**row) for row in CHAT])
    )
    assert format_history(["Look."]) == "user: Look."


async def test_usage_belongs_to_the_last_of_several_messages() -> None:
    memory = MemoryManager()
    await memory.add_message(HISTORIES["pydantic"][0])
    await memory.add_message(HISTORIES["pydantic"][1], actual_tokens=parse_response(PYDANTIC).usage)
    assert memory.get_stats()["used_tokens"] == 128


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
WITH_PICTURES: list[Any] = [
    {"role": "user", "parts": [{"text": "See."}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
    {"role": "user", "parts": [{"text": "See."}, Object(inline_data=Object(mime_type="image/png", data=b"hi"))]},
    {"type": "human", "content": ["See.", {"type": "image", "base64": "aGk=", "mime_type": "image/png"}]},
    {
        "kind": "request",
        "parts": [
            {
                "part_kind": "user-prompt",
                "content": ["See.", {"kind": "binary", "data": "aGk=", "media_type": "image/png"}],
            }
        ],
    },
]


@pytest.mark.parametrize("message", WITH_PICTURES)
async def test_pictures_are_kept(message: Any) -> None:
    assert await context_of(message) == [{"role": "user", "content": [{"type": "text", "text": "See."}, PICTURE]}]


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        {},
        [{"role": "user", "content": "a"}],
        ("human", "Look."),
        {"type": "item_reference", "id": "x"},
        {"type": "remove", "content": "", "id": "x"},
        {"role": "user", "parts": []},
        {"kind": "request", "parts": [{"part_kind": "unknown"}]},
        object(),
    ],
)
async def test_anything_else_is_refused(message: Any) -> None:
    memory = MemoryManager()
    with pytest.raises(ValueError, match=r"\.$"):
        await memory.add_message(message)
    assert memory.get_stats()["total_messages"] == 0


USE = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
THINKING = {"type": "thinking", "thinking": "hmm", "signature": "s"}


@pytest.mark.parametrize(
    ("reply", "name", "value"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [USE], "reasoning_content": "hmm"}, "", "hmm"),
        ({"role": "assistant", "content": None, "tool_calls": [USE], "reasoning": "hmm"}, "reasoning", "hmm"),
        ({"role": "assistant", "content": [THINKING], "tool_calls": [USE]}, "thinking_blocks", [THINKING]),
        (
            {
                "type": "ai",
                "data": {
                    "content": "",
                    "additional_kwargs": {"reasoning_content": "hmm"},
                    "tool_calls": [{"id": "c", "name": "f", "args": {}}],
                    "type": "ai",
                },
            },
            "",
            "hmm",
        ),
        (
            {
                "type": "ai",
                "data": {
                    "content": [{"type": "reasoning", "reasoning": "hmm"}],
                    "tool_calls": [{"id": "c", "name": "f", "args": {}}],
                    "type": "ai",
                },
            },
            "",
            "hmm",
        ),
    ],
)
async def test_a_reply_with_calls_keeps_its_reasoning(reply: dict[str, Any], name: str, value: Any) -> None:
    memory = MemoryManager(model="gpt-4o")
    await memory.add_message("Go")
    await memory.add_message(parse_response(reply).message)
    await memory.add_message({"role": "tool", "tool_call_id": "c", "content": "found"})
    sent = memory.get_context_for_llm()[1].to_dict()
    assert sent[name or "reasoning_content"] == value and sent["tool_calls"][0]["id"] == "c" and not sent["content"]


@pytest.mark.parametrize("values", [{"type": "remove", "content": "", "id": "x"}], ids=["remove"])
def test_an_instruction_to_remove_a_message_is_no_reply(values: dict[str, Any]) -> None:
    for message in (values, Object(**values), {"type": "constructor", "lc": 1, "kwargs": values}):
        with pytest.raises(ValueError, match=r"no reply|not a reply"):
            parse_response(message)
