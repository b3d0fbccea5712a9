"""Conversations of OpenHands' agent SDK for tests to read: a state and a folder of events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.written import write_json

Record = dict[str, Any]


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def event(kind: str, number: int, source: str = "agent", **fields: Any) -> Record:
    return {"kind": kind, "id": f"e{number}", "timestamp": f"2026-01-02T03:04:{number:02}", "source": source, **fields}


def action(number: int, response: str, *thought: str, **fields: Any) -> Record:
    call = {"id": f"c{number}", "name": "terminal", "arguments": '{"command": "ls"}', "origin": "completion"}
    own: Record = {
        "thought": list(map(text, thought)),
        "tool_name": "terminal",
        "tool_call_id": call["id"],
        "tool_call": call,
    }
    return event("ActionEvent", number, **own, llm_response_id=response, action={"kind": "TerminalAction"}, **fields)


def answer(number: int, to: int, words: str, **fields: Any) -> Record:
    observation = {"kind": "TerminalObservation", "content": [text(words)], **fields}
    own: Record = {"tool_name": "terminal", "tool_call_id": f"c{to}", "action_id": f"e{to}", "observation": observation}
    return event("ObservationEvent", number, "environment", **own)


PROMPT = event(
    "SystemPromptEvent",
    0,
    system_prompt=text("You count scans."),
    dynamic_context=text("The archive is in /home/archive."),
    tools=[{"kind": "TerminalTool", "title": "terminal", "description": "Runs a command."}],
)
ASK = event("MessageEvent", 1, "user", llm_message={"role": "user", "content": [text("Count box 3.")]})
STATE = {
    "id": "5e55-1011",
    "agent": {"kind": "Agent", "llm": {"model": "litellm_proxy/anthropic/claude-opus-4-5"}},
    "workspace": {"working_dir": "/home/archive"},
    "stats": {
        "usage_to_metrics": {
            "agent": {
                "token_usages": [
                    {
                        "model": "anthropic/claude-opus-4-5",
                        "prompt_tokens": 900,
                        "completion_tokens": 30,
                        "cache_read_tokens": 500,
                        "cache_write_tokens": 100,
                        "context_window": 200_000,
                        "response_id": "r1",
                    }
                ]
            }
        }
    },
}


def conversation(folder: Path, *events: Record, state: Record = STATE) -> Path:
    (folder / "events").mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(events):
        write_json(folder / "events" / f"event-{number:05}-{one['id']}.json", one)
    return write_json(folder / "base_state.json", state)
