"""What goes out is what a provider takes, whatever a model or a tool gave."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.engine.window import problems
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from tests.memory.scripted_llm import Reply, ScriptedLLM, call

TASK = LLMMessage("user", "Look at all orders.")
NOTHING: list[Any] = [
    None,
    "",
    " \n",
    [],
    [{"type": "text", "text": ""}],
    [{"type": "text", "text": " "}],
    [None],
    ["", " "],
]
TOOL_USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
PROVIDERS = ("openai", "anthropic")


async def context(*messages: LLMMessage, provider: str = "openai") -> list[LLMMessage]:
    memory = MemoryManager(MemoryConfig(), provider=provider)
    for message in messages:
        await memory.add_message(message)
    assert problems(memory.engine.context()) == ()
    return memory.get_context_for_llm()


def is_blank(content: Any) -> bool:
    """Whether a provider would refuse some content for there being nothing in it, or something blank."""
    if not isinstance(content, list):
        return not isinstance(content, str) or not content.strip()
    return not content or any(
        not isinstance(block, dict)
        or (block.get("type") == "text" and not str(block.get("text") or "").strip())
        or (block.get("type") == "tool_result" and "content" in block and is_blank(block["content"]))
        for block in content
    )


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("content", NOTHING)
async def test_what_says_nothing_is_left_out_or_says_so(content: Any, provider: str) -> None:
    reply, words = LLMMessage("assistant", content), LLMMessage("user", content)
    system = LLMMessage("system", content)
    sent = await context(system, TASK, reply, words, provider=provider)
    assert sent == [TASK, LLMMessage("user", "[empty]")]
    assert sent[0] is TASK


@pytest.mark.parametrize("content", NOTHING)
async def test_a_call_needs_no_words_and_a_result_without_any_says_so(content: Any) -> None:
    asks, answers = LLMMessage("assistant", content, [call("c1")]), LLMMessage("tool", content, tool_call_id="c1")
    _, asked, answered = await context(TASK, asks, answers)
    assert (asked is asks) == (content in (None, ""))
    assert asked.content in (None, "")
    assert (answered.content, answered.tool_call_id) == ("[empty]", "c1")


@pytest.mark.parametrize("content", NOTHING)
async def test_a_result_in_anthropics_form_that_is_empty_says_so(content: Any) -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": content}
    asks = LLMMessage("assistant", [{"type": "text", "text": ""}, TOOL_USE])
    answers = LLMMessage("user", [result, {"type": "text", "text": " "}])
    _, asked, answered = await context(TASK, asks, answers, provider="anthropic")
    assert asked.content == [TOOL_USE]
    assert answered.content == [{**result, "content": "[empty]"}]


async def test_a_reply_of_nothing_but_thinking_is_left_out() -> None:
    assert await context(TASK, LLMMessage("assistant", [THOUGHT]), provider="anthropic") == [TASK]
    reply = LLMMessage("assistant", [THOUGHT, {"type": "text", "text": "Done."}])
    assert (await context(TASK, reply, provider="anthropic"))[1] is reply


@pytest.mark.parametrize(
    ("role", "provider", "sent"),
    [
        ("narrator", "openai", "user"),
        ("", "anthropic", "user"),
        ("developer", "openai", "developer"),
        ("developer", "anthropic", "system"),
    ],
)
async def test_a_role_that_the_provider_does_not_know_is_not_sent(role: str, provider: str, sent: str) -> None:
    messages = await context(TASK, LLMMessage(role, "Be brief."), provider=provider)
    assert {(message.role, message.content) for message in messages} == {("user", TASK.content), (sent, "Be brief.")}


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        (7, "7"),
        (b"hello", "hello"),
        ({"type": "text", "text": "hi"}, [{"type": "text", "text": "hi"}]),
        (["a", None, {"type": "text", "text": "b"}], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ],
)
async def test_content_of_another_kind_goes_out_as_text_or_blocks(content: Any, sent: Any) -> None:
    assert await context(LLMMessage("user", content)) == [LLMMessage("user", sent)]


async def test_a_loop_that_hands_on_replies_without_words_sends_none_of_them() -> None:
    llm = ScriptedLLM([Reply(None), "Done."])
    memory = MemoryManager(MemoryConfig(), llm)
    await memory.add_message(TASK)
    for _ in range(2):
        response = await llm.call_async(memory.get_context_for_llm())
        await memory.add_message(LLMMessage(role="assistant", content=response.content))
    assert llm.asked == [[TASK], [TASK]]
    assert memory.get_stats()["total_messages"] == 3
    assert memory.get_stats()["message_count"] == 2


ODD = st.sampled_from([*NOTHING, "hello", 7, [{"type": "text", "text": "hi"}, {"type": "text", "text": ""}], [THOUGHT]])
ROLES = st.sampled_from(["system", "developer", "user", "assistant", "tool", "narrator"])


@given(st.lists(st.tuples(ROLES, ODD, st.booleans()), max_size=12), st.sampled_from(PROVIDERS))
async def test_any_messages_give_what_the_provider_takes(rows: list[tuple[str, Any, bool]], provider: str) -> None:
    memory = MemoryManager(MemoryConfig(compression_threshold=60, short_term_size=2), provider=provider)
    await memory.add_message(TASK)
    for number, (role, content, calls) in enumerate(rows):
        calls_of = [call(f"c{number}")] if calls and role == "assistant" else None
        await memory.add_message(LLMMessage(role, content, calls_of))
        for message in memory.get_context_for_llm():
            assert message.role in ("system", "user", "assistant", "tool", "developer")
            assert provider == "openai" or message.role != "developer"
            assert message.tool_calls or not is_blank(message.content)
            assert message.content != []
        assert memory.current_tokens == memory.engine.context().total


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_else_a_message_has_goes_out_with_it(provider: str) -> None:
    memory = MemoryManager(MemoryConfig(), provider=provider)
    call_ = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    thought = {"role": "assistant", "content": "x", "reasoning_content": "hm", "thinking_blocks": [THOUGHT]}
    answer = {"role": "function", "name": "f", "content": "12"}
    refusal = {"role": "assistant", "content": None, "refusal": "I cannot."}
    for message in ("hi", call_, answer, thought, refusal, "why?"):
        await memory.add_message(message)
    sent = [message.to_dict() for message in memory.get_context_for_llm()]
    assert sent[1:4] == [call_, answer, thought]
    assert sent[4] == {"role": "assistant", "content": "I cannot."}
