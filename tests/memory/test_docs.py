"""Every code block of docs/memory.md runs, in the order of the page, against a model's endpoint on loopback."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import inspector.memory
from tests.engine.summaries.endpoint import Asked, Endpoint, says, serving
from tests.memory import anthropic_client
from tests.places import ROOT

PAGE = ROOT / "docs" / "memory.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
SUMMARY = "Goal:\n- Count the orders of May."


def behave(asked: Asked) -> None:
    """Answer as OpenAI or Anthropic: with a call where a tool is offered and was not used yet, else with a text."""
    messages, tools = asked.body["messages"], asked.body.get("tools")
    briefed = "You condense recorded conversations" in json.dumps(messages)
    says(json.dumps(answer(asked.path, tools, messages, briefed)), "application/json")(asked)


def answer(path: str, tools: Any, messages: list[dict[str, Any]], briefed: bool) -> dict[str, Any]:
    text = SUMMARY if briefed else "There were twelve."
    if path.endswith("/v1/messages"):
        usage = {"input_tokens": 30, "output_tokens": 5}
        about = {"id": "m", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
        return {**about, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}
    calls = [{"id": "c1", "type": "function", "function": {"name": "count_orders", "arguments": '{"month": "May"}'}}]
    use = bool(tools) and messages[-1]["role"] != "tool"
    message = {"role": "assistant", "content": None if use else text} | ({"tool_calls": calls} if use else {})
    choice = {"index": 0, "finish_reason": "tool_calls" if use else "stop", "message": message}
    usage = {"prompt_tokens": 40, "completion_tokens": 6, "total_tokens": 46}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "a-key")
    if find_spec("anthropic") is None:
        monkeypatch.setitem(sys.modules, "anthropic", anthropic_client)
    with serving(behave) as serves:
        monkeypatch.setenv("OPENAI_BASE_URL", serves.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", serves.url.removesuffix("/v1"))
        yield serves


async def run(block: str, names: dict[str, Any]) -> None:
    done = eval(compile(block, PAGE.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.isawaitable(done):
        await done


async def test_every_block_runs_and_does_what_the_page_says(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    printed: list[str] = []
    names: dict[str, Any] = {"__name__": "page"}
    for block in BLOCKS:
        await run(block, names)
        printed.append(capsys.readouterr().out)
    await names["llm"].client.close()
    assert len(BLOCKS) > 10
    first, in_one_call, by_openai, by_anthropic, _, by_agent, compressions, *_ = printed
    assert [json.loads(line.replace("'", '"'))["role"] for line in first.splitlines()] == ["system", "user"]
    assert re.fullmatch(r"(\d+) \1\n", in_one_call)
    assert by_openai == by_anthropic == "There were twelve.\n"
    assert by_agent.startswith("--- Memory Statistics ---\n") and by_agent.endswith("\nThere were twelve.\n")
    assert re.match(r"(saved [\d,]+ tokens\n)+\d+ \[Summary of earlier conversation\]", compressions)
    assert {request.path for request in endpoint.requests} == {"/v1/chat/completions", "/v1/messages"}
    assert any("Remember: orders above 500 dollars" in text for text in printed)
    assert any(text.startswith("--- Memory Statistics ---") or "--- Memory Statistics ---" in text for text in printed)
    assert printed[-1] == "ok\n"


def test_every_name_that_the_page_imports_is_offered() -> None:
    names = {
        alias.name
        for block in BLOCKS
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and node.module == "inspector.memory"
        for alias in node.names
    }
    assert names <= set(dir(inspector.memory))
