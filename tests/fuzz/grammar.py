"""Sessions of Claude Code, Codex and OpenAI with a valid structure and odd meaning, as no recorder writes them.

Every record is complete and of a kind that the tool writes. Its relations are not: results before their calls or
without one, two results of a call, parents in circles, compactions of nothing, times that run backwards, counts that
cannot be. Nothing may come of it but an answer or one sentence.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.cli.commands import faults
from tests.fuzz import FOLDER, Search
from tests.fuzz.files import SLOW, called, kind_of, surroundings

FOUND = FOLDER / "grammar"
IDS = ("a", "b", "c", "", "A", "\x00", "é", "x" * 300)
COUNTS = (0, 1, -1, 7, 200_000, 2**63, 1e300, None, "12", 3.5, True)
TEXTS = (
    *(
        "",
        " ",
        "Do not use redis.",
        "1. Fix the bug\n2. Run the tests",
        "\u202egnp",
        "\x1b[2J",
        "漢" * 50,
        "x " * 3_000,
    ),
    *("/compact", "<command-name>/compact</command-name>", "Error: exit code 1", "[Request interrupted by user]"),
    *("This session is being continued from a previous conversation", "- [x] done\n- [ ] open", '{"a": [1, 2'),
)
TIMES = ("2026-01-01T00:00:00Z", "2025-01-01T00:00:00.5Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "", None, 5)
TOOLS = ("Bash", "Read", "Task", "TodoWrite", "shell", "apply_patch", "", "mcp__x__y", "Edit")
MODELS = ("claude-sonnet-4-20250514", "gpt-4o", "gpt-5-codex", "", "?", "<synthetic>")
COMMANDS = ("show", "why", "lost", "state", "top", "restore", "check", "ls", "agents", "replay")


def arguments(rng: Random) -> dict[str, Any]:
    values: tuple[Any, ...] = (
        rng.choice(TEXTS),
        rng.choice(COUNTS),
        [],
        {},
        ["ls", "-l"],
        [{"content": "x", "status": "?"}],
    )
    keys = ("command", "file_path", "todos", "prompt", "old_string", "new_string", "limit", "")
    return {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(4))}


def usage(rng: Random) -> dict[str, Any]:
    keys = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "total_tokens")
    return {key: rng.choice(COUNTS) for key in rng.sample(keys, rng.randrange(len(keys) + 1))}


def claude_block(rng: Random) -> dict[str, Any]:
    return rng.choice(
        (
            {"type": "text", "text": rng.choice(TEXTS)},
            {"type": "thinking", "thinking": rng.choice(TEXTS), "signature": rng.choice(TEXTS)},
            {"type": "tool_use", "id": rng.choice(IDS), "name": rng.choice(TOOLS), "input": arguments(rng)},
            {"type": "tool_result", "tool_use_id": rng.choice(IDS), "content": rng.choice(TEXTS), "is_error": True},
            {"type": "tool_result", "tool_use_id": rng.choice(IDS), "content": [{"type": "text", "text": "ok"}]},
        )
    )


def claude_record(rng: Random) -> dict[str, Any]:
    kind = rng.choice(("user", "user", "assistant", "assistant", "assistant", "system", "summary"))
    around = {
        "uuid": rng.choice(IDS),
        "parentUuid": rng.choice((*IDS, None)),
        "sessionId": rng.choice(IDS[:3]),
        "timestamp": rng.choice(TIMES),
        "isSidechain": rng.random() < 0.2,
        "cwd": "/w",
        "version": "2.0.1",
    }
    if kind == "summary":
        return {"type": kind, "summary": rng.choice(TEXTS), "leafUuid": rng.choice(IDS)}
    if kind == "system":
        trigger = {"trigger": rng.choice(("auto", "manual", "")), "preTokens": rng.choice(COUNTS)}
        return {**around, "type": kind, "subtype": "compact_boundary", "content": "x", "compactMetadata": trigger}
    content: Any = [claude_block(rng) for _ in range(rng.randrange(4))]
    message = {"role": kind, "content": rng.choice((content, content, rng.choice(TEXTS)))}
    if kind == "assistant":
        message |= {"id": rng.choice(IDS), "model": rng.choice(MODELS), "type": "message", "usage": usage(rng)}
    return {**around, "type": kind, "message": message, "isCompactSummary": rng.random() < 0.1}


def codex_payload(rng: Random) -> tuple[str, dict[str, Any]]:
    call, text = rng.choice(IDS), rng.choice(TEXTS)
    part = {"type": rng.choice(("input_text", "output_text")), "text": text}
    words = json.dumps(arguments(rng))
    info = {"total_token_usage": usage(rng), "last_token_usage": usage(rng), "model_context_window": rng.choice(COUNTS)}
    return rng.choice(
        (
            (
                "response_item",
                {"type": "message", "role": rng.choice(("user", "assistant", "developer")), "content": [part]},
            ),
            (
                "response_item",
                {"type": "function_call", "name": rng.choice(TOOLS), "arguments": words, "call_id": call},
            ),
            ("response_item", {"type": "function_call_output", "call_id": call, "output": text}),
            ("response_item", {"type": "reasoning", "summary": [part], "encrypted_content": text}),
            ("event_msg", {"type": "token_count", "info": rng.choice((info, None))}),
            ("event_msg", {"type": "user_message", "message": text}),
            ("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
            ("turn_context", {"cwd": "/w", "model": rng.choice(MODELS), "approval_policy": "never"}),
            ("compacted", {"message": text, "replacement_history": rng.choice(([], None))}),
        )
    )


def openai_message(rng: Random) -> dict[str, Any]:
    role = rng.choice(("system", "user", "assistant", "assistant", "tool", "developer"))
    message: dict[str, Any] = {"role": role, "content": rng.choice((*TEXTS, [{"type": "text", "text": "x"}]))}
    if role == "tool":
        message["tool_call_id"] = rng.choice(IDS)
    if role == "assistant" and rng.random() < 0.6:
        named = {"name": rng.choice(TOOLS), "arguments": rng.choice((json.dumps(arguments(rng)), "{", ""))}
        message["tool_calls"] = [
            {"id": rng.choice(IDS), "type": "function", "function": named} for _ in range(rng.randrange(4))
        ]
        message["content"] = rng.choice((None, message["content"]))
    return message


def session(rng: Random) -> tuple[str, str]:
    """A file name and its text."""
    size = rng.choice((1, 2, 5, 12, 30))
    match rng.randrange(3):
        case 0:
            return "claude.jsonl", lines(claude_record(rng) for _ in range(size))
        case 1:
            meta = {"id": rng.choice(IDS), "timestamp": rng.choice(TIMES), "cwd": "/w", "originator": "codex_cli_rs"}
            made = [("session_meta", meta), *(codex_payload(rng) for _ in range(size))]
            return "rollout.jsonl", lines({"timestamp": rng.choice(TIMES), "type": t, "payload": p} for t, p in made)
        case _:
            messages = [openai_message(rng) for _ in range(size)]
            return "chat.json", json.dumps({"model": rng.choice(MODELS), "messages": messages, "usage": usage(rng)})


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def faults_of(rng: Random, folder: Path) -> list[tuple[str, str]]:
    """The kinds and texts of the faults of one session under two commands. Its files stay in the folder."""
    name, text = session(rng)
    (folder / name).write_text(text, encoding="utf-8")
    wrong = []
    for command in rng.sample(COMMANDS, 2):
        words = [command, name, *rng.choice(([], ["--json"]))]
        began = time.process_time()
        ended = called(words)
        wrong += [(kind_of(fault, words), f"{words}: {fault}") for fault in faults(ended, "--json" in words)]
        if time.process_time() - began > SLOW:
            wrong.append((f"slow {command}", f"{words}"))
    return wrong


def play(seed: int, number: int) -> list[tuple[str, str, str]]:
    """The faults of one case: kind, text, and the session."""
    folder, before, place = Path(tempfile.mkdtemp(prefix="case ")), dict(os.environ), Path.cwd()
    os.environ |= surroundings(folder, folder)
    os.chdir(folder)
    try:
        wrong = faults_of(Random(f"{seed}-{number}"), folder)
        files = [path for path in folder.iterdir() if path.suffix in (".json", ".jsonl")]
        return [(kind, text, files[0].read_text(encoding="utf-8")) for kind, text in wrong]
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(folder)


def run(seed: int, seconds: float, folder: Path = FOUND) -> Search:
    """Look for so many seconds; a line for each kind of finding, whose session goes into the folder."""
    end, number, kinds = time.monotonic() + seconds, 0, Counter[str]()
    while time.monotonic() < end:
        for kind, text, content in play(seed, number):
            kinds[kind] += 1
            if kinds[kind] == 1:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{seed}-{number}.txt").write_text(f"{kind}\n{text}\n{content}", encoding="utf-8")
                yield f"grammar {seed}/{number} {kind}"
        number += 1
    yield f"grammar {seed}: {number:,} cases, {len(kinds)} kinds of failures"
    return len(kinds)
