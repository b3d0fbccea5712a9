"""Hostile input: raw messages and records as no honest program writes them, for hypothesis to draw."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from inspector.core.conversation import Dialect, Message
from inspector.llm.providers import message_from_raw, wire_of

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
IDS = st.sampled_from(["a", "b", "", "call.1:x/ü", "x" * 90, "a_2"]) | SCALARS
NAMES = st.sampled_from(["Read", "query", "", "mcp.server/tool name", "n" * 200]) | SCALARS
WORDS = st.sampled_from(["", " ", "\n\n", "Count them. ", "größer 漢字", "<|endoftext|>"]) | SCALARS
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
SOURCES = st.sampled_from(
    [
        {"type": "base64", "media_type": "image/png", "data": PIXEL},
        {"type": "base64", "media_type": "image/bmp", "data": PIXEL},
        {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
        {"type": "base64", "media_type": None, "data": ""},
        {"type": "url", "url": "https://example.org/a.png"},
        {"type": "text", "media_type": "text/plain", "data": "a plain document"},
        {"type": "file", "file_id": "file_1"},
        {},
    ]
)


def fields(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with any of these fields."""
    return st.fixed_dictionaries({}, optional=strategies)


def block(kind: str, **strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=strategies)


INNER = st.one_of(
    block("text", text=WORDS, cache_control=st.just({"type": "ephemeral"})),
    block("image", source=SOURCES),
    block("document", source=SOURCES, title=SCALARS),
    block("hologram", depth=SCALARS),
    JSON,
)
ANTHROPIC_BLOCKS = st.one_of(
    INNER,
    block("tool_use", id=IDS, name=NAMES, input=JSON),
    block("tool_result", tool_use_id=IDS, content=WORDS | st.lists(INNER, max_size=3), is_error=SCALARS),
    block("thinking", thinking=WORDS, signature=st.sampled_from(["", "c2ln"]) | SCALARS),
    block("redacted_thinking", data=WORDS),
)
OPENAI_BLOCKS = st.one_of(
    block("text", text=WORDS),
    block(
        "image_url",
        image_url=st.sampled_from([{"url": f"data:image/png;base64,{PIXEL}"}, "https://example.org/a.png", {}]),
    ),
    block("file", file=st.just({"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="})),
    block("image", source=SOURCES),
    JSON,
)
CALLS = fields(
    id=IDS,
    type=st.sampled_from(["function", "custom"]) | SCALARS,
    function=fields(name=NAMES, arguments=JSON | st.just('{"a": 1}')) | SCALARS,
    custom=fields(name=NAMES, input=WORDS),
    name=NAMES,
    arguments=JSON,
)
ROLES = (
    st.sampled_from(["system", "developer", "user", "assistant", "assistant", "tool", "function", "nobody"]) | SCALARS
)
OPENAI_MESSAGES = fields(
    role=ROLES,
    content=WORDS | st.lists(OPENAI_BLOCKS, max_size=3),
    name=NAMES,
    tool_calls=st.lists(CALLS | JSON, max_size=3) | SCALARS,
    tool_call_id=IDS,
    function_call=fields(name=NAMES, arguments=WORDS) | SCALARS,
    reasoning_content=WORDS,
    thinking_blocks=st.lists(fields(thinking=WORDS, signature=WORDS, data=WORDS) | SCALARS, max_size=2),
    refusal=WORDS,
)
ANTHROPIC_MESSAGES = fields(
    role=st.sampled_from(["user", "assistant", "assistant", "system"]) | SCALARS,
    content=WORDS | st.lists(ANTHROPIC_BLOCKS, max_size=4) | JSON,
)
RAWS: dict[Dialect, st.SearchStrategy[dict[str, Any]]] = {"openai": OPENAI_MESSAGES, "anthropic": ANTHROPIC_MESSAGES}


@st.composite
def raw_messages(draw: st.DrawFn, most: int = 8) -> list[Message]:
    """Messages made of anything, now and then of both dialects."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(0, most))):
        dialect: Dialect = draw(st.sampled_from(["openai", "anthropic"]))
        kind = draw(st.sampled_from(["chat", "chat", "summary", "injected", "notice"]))
        for raw in wire_of(dialect).split(draw(RAWS[dialect])):
            messages.append(message_from_raw(f"m{len(messages)}", raw, dialect, kind=kind))
    return messages


UUIDS = st.sampled_from(["u1", "u2", "u3", "u4", "u5"]) | SCALARS
RECORDS = st.one_of(
    fields(
        type=st.sampled_from(["user", "assistant", "assistant", "system", "summary", "progress"]) | SCALARS,
        subtype=st.sampled_from(["api_error", "compact_boundary", "informational"]),
        uuid=UUIDS,
        parentUuid=UUIDS,
        logicalParentUuid=UUIDS,
        sessionId=st.sampled_from(["s1", "s2"]) | SCALARS,
        timestamp=SCALARS,
        isSidechain=SCALARS,
        agentId=st.sampled_from(["a1", "main"]) | SCALARS,
        isMeta=SCALARS,
        isCompactSummary=st.sampled_from([False, False, False, True]),
        compactMetadata=fields(preservedSegment=fields(headUuid=UUIDS, tailUuid=UUIDS, uuids=st.lists(UUIDS)))
        | SCALARS,
        message=st.fixed_dictionaries(
            {},
            optional={
                "id": st.sampled_from(["msg_1", "msg_2"]) | SCALARS,
                "role": ROLES,
                "model": st.sampled_from(["claude-x", "<synthetic>"]) | SCALARS,
                "content": WORDS | st.lists(ANTHROPIC_BLOCKS, max_size=3) | JSON,
                "usage": fields(input_tokens=SCALARS, output_tokens=SCALARS) | SCALARS,
            },
        )
        | SCALARS,
        summary=WORDS,
        leafUuid=UUIDS,
        customTitle=WORDS,
        error=JSON,
        content=JSON,
    ),
    JSON,
)
