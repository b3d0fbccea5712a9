"""The parts of an unrecorded prompt, as the transcript's own output of `/context` states them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from inspector.analysis.usage_breakdown import Node, break_down_usage
from inspector.engine.window import at_turn
from inspector.formats import load
from inspector.llm.tokens import Sizes, estimate_sizes

COLORED = (
    "\x1b[38;2;1;1;1m⛁ ⛁ \x1b[39m \x1b[1mContext Usage\x1b[22m\n"
    "⛶ \x1b[2m⛁\x1b[22m System prompt: \x1b[2m2.1k tokens (1.0%)\x1b[22m\n"
    "⛶ ⛁ System tools: \x1b[2m9k tokens (4.5%)\x1b[22m\n⛶ ⛁ MCP tools: 1.5k tokens (0.7%)\n"
    "⛶ ⛁ Messages: 400 tokens (0.2%)\n⛶ Free space: 187k (93.5%)\n\n"
    "\x1b[1mMCP tools\x1b[2m · /mcp\x1b[22m\n└ mcp__tide__level (tide): \x1b[2m900 tokens\x1b[22m\n"
    "└ mcp__tide__chart (tide): 500 tokens\n"
)
MARKDOWN = (
    "## Context Usage\n\n**Model:** claude-sonnet-4-5\n\n### Estimated usage by category\n\n"
    "| Category | Tokens | Percentage |\n|---|---|---|\n| System tools | 30k | 15.0% |\n"
    "| Memory files | 10k | 5.0% |\n| Messages | 40 | 0.0% |\n\n"
    "### Memory Files\n\n| Type | Path | Tokens |\n|---|---|---|\n| Project | /pier/CLAUDE.md | 10k |\n"
)


def parts_of_prompt(path: Path, *outputs: str) -> Node:
    usage = {"input_tokens": 20_000, "output_tokens": 9}
    reply: dict[str, object] = {
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Low at six."}],
    }
    printed = [f"<local-command-stdout>{text}</local-command-stdout>" for text in outputs]
    messages: list[dict[str, object]] = [{"role": "user", "content": text} for text in ("When is low tide?", *printed)]
    rows = [*messages[:1], reply | {"id": "m1", "usage": usage}, *messages[1:]]
    with path.open("w") as file:
        for number, row in enumerate(rows):
            links = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "tides"}
            time = f"2026-03-01T06:00:{number:02}Z"
            file.write(json.dumps({"type": row["role"], **links, "timestamp": time, "message": row}) + "\n")
    session = load(path)[0]
    root = break_down_usage(at_turn(session, estimate_sizes(session)), session)
    return next(node for node in root.children if node.name == "prompt and tools, unrecorded")


def test_output_of_context_divides_the_unrecorded_prompt(tmp_path: Path) -> None:
    assert parts_of_prompt(tmp_path / "none.jsonl").children == ()

    prompt = parts_of_prompt(tmp_path / "colored.jsonl", COLORED)
    sizes = {node.name: node.tokens for node in prompt.children}
    assert (sizes["system prompt"], sizes["system tools"], sizes["MCP tools"]) == (2_100, 9_000, 1_500)
    assert sum(sizes.values()) == prompt.tokens and sizes.keys() >= {"not listed"}
    tools = next(node for node in prompt.children if node.name == "MCP tools")
    rows = [("mcp__tide__level", 900), ("mcp__tide__chart", 500), ("not listed", 100)]
    assert [(node.name, node.tokens) for node in tools.children] == rows

    scaled = parts_of_prompt(tmp_path / "later.jsonl", COLORED, MARKDOWN)
    assert [node.name for node in scaled.children] == ["system tools", "memory files"]
    assert sum(node.tokens for node in scaled.children) == scaled.tokens < 40_000
    assert [node.name for node in scaled.children[1].children] == ["/pier/CLAUDE.md"]


def test_rows_that_a_narrow_terminal_wrapped_are_joined(tmp_path: Path) -> None:
    wrapped = (
        "Context Usage\n⛁ Memory files: 1,900 tokens (0.1%)\n⛁ MCP tools: 1.5k tokens (0.7%)\n\n"
        "Memory files · /memory\n└ Project (/home/ada/pier1.2k\nnotes/CLAUDE.md):     tokens\n"
        "└ User (/home/ada/a-long-fold\ner/CLAUDE.md): 700\ntokens\n"
        "└ nothing that is a row\nMCP tools · /mcp\n└ mcp__tide__level (tide):\n900 tokens\n"
        "└ mcp__tide__a-rather-long-name\n(tide): 600 tokens\n"
    )
    prompt = parts_of_prompt(tmp_path / "wrapped.jsonl", wrapped)
    rows = {node.name: [(row.name, row.tokens) for row in node.children] for node in prompt.children}
    assert rows["memory files"] == [
        ("/home/ada/piernotes/CLAUDE.md", 1_200),
        ("/home/ada/a-long-folder/CLAUDE.md", 700),
    ]
    assert rows["MCP tools"] == [("mcp__tide__level", 900), ("mcp__tide__a-rather-long-name", 600)]


def test_a_later_output_of_context_applies_to_earlier_turns_only_while_the_prompt_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    parts_of_prompt(path, COLORED)
    session = load(path)[0]
    sizes = estimate_sizes(session)

    def names(counts: Sizes) -> list[str]:
        tree = break_down_usage(at_turn(session, counts, turn=1), session)
        node = next(node for node in tree.children if node.name == "prompt and tools, unrecorded")
        return [part.name for part in node.children]

    assert "system tools" in names(sizes)
    (printed,) = [place for place, message in enumerate(session.messages) if message.kind == "notice"]
    levels = list(sizes.levels)
    levels[printed] //= 2
    assert names(replace(sizes, levels=levels)) == [], "another prompt was sent then"


def test_copilot_states_its_system_prompt_and_its_tools(tmp_path: Path) -> None:
    events: list[dict[str, object]] = [
        {"type": "session.start", "data": {"sessionId": "c1"}},
        {"type": "user.message", "data": {"content": "Count the gulls."}},
        {"type": "assistant.message", "data": {"content": "Nine.", "model": "gpt-5"}},
        {"type": "session.shutdown", "data": {"systemTokens": 4_000, "toolDefinitionsTokens": 2_500}},
    ]
    path = tmp_path / "events.jsonl"
    path.write_text(
        "".join(json.dumps(event | {"id": f"e{n}", "parentId": None}) + "\n" for n, event in enumerate(events))
    )
    session = load(path)[0]
    root = break_down_usage(at_turn(session, estimate_sizes(session)), session)
    node = next(node for node in root.children if node.name == "prompt and tools, unrecorded")
    assert [(part.name, part.tokens) for part in node.children] == [("system prompt", 4_000), ("system tools", 2_500)]
