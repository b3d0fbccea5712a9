"""Calling the real command in tests: in this process for speed, as a process of its own where that is what matters."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from inspector.cli.command_line import cli
from tests import warm
from tests.cli.json_schema import assert_valid
from tests.places import ROOT

HOSTILE = "\x1b]0;owned\x07 \x1b[2J\x9b31m \u202eevil\u2066 \ud800 \x00 \x7f \u200b end"
"""A title, a bell, a cleared screen, a C1 escape, reversed text, half of a pair, NUL, DEL, nothing to see."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def inspect(*words: object, **environment: str) -> Ended:
    """`inspector` with these words; the store is the one that INSPECTOR_DB names. JSON is held against the schema."""
    result = CliRunner(env=environment).invoke(cli, [str(word) for word in words], prog_name="inspector")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert_valid(words, result.exit_code, result.stdout)
    return Ended(result.exit_code, result.stdout, result.stderr)


def process(*words: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """`python -m inspector` with these words, as a process without a terminal. JSON is held against the schema."""
    environment = os.environ | options.pop("environment", {})
    ended = warm.run(["-m", "inspector", *words], cwd=ROOT, env=environment, **options)
    assert_valid(words, ended.returncode, (ended.stdout or b"").decode())
    return ended


@contextmanager
def interruptible() -> Iterator[None]:
    """Programs that are started here answer to an interrupt, even where this one was started with them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def call(number: int, name: str, **arguments: object) -> dict[str, Any]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def chat(steps: int = 12, words: int = 40) -> dict[str, Any]:
    """A chat request: a task, steps with a call and its result each, a note, and a second request at the end."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You look after the lighthouse log. Never change an old entry."},
        {"role": "user", "content": "Find the nights on which the lamp went out, please."},
    ]
    for step in range(1, steps + 1):
        asks = {
            "role": "assistant",
            "content": f"Reading month {step}.",
            "tool_calls": [call(step, "read_log", month=step)],
        }
        nights = " ".join(f"night-{step:02}-{night:02}=lit" for night in range(words))
        messages += [asks, {"role": "tool", "tool_call_id": f"call_{step}", "content": nights}]
    messages.append({"role": "assistant", "content": "The lamp was lit on every night that was written down."})
    messages.append({"role": "user", "content": "And what about night-03-07?"})
    tool = {"name": "read_log", "parameters": {"type": "object", "properties": {"month": {"type": "integer"}}}}
    return {
        "model": "gpt-4o",
        "messages": messages,
        "tools": [{"type": "function", "function": tool}],
        "temperature": 0.2,
    }


def written(path: Path, value: Any) -> Path:
    """A JSON file, or JSON lines where the name says so. Escapes everything, so half of a pair can be written."""
    lines = value if path.suffix == ".jsonl" else [value]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def transcript(id: str = "3f0c", turns: int = 3, prompt: str = "Mend the pier lights.") -> list[dict[str, Any]]:
    """A coding agent's transcript: neither system prompt nor tools, with reported usage."""
    records: list[dict[str, Any]] = []

    def add(kind: str, message: dict[str, Any]) -> None:
        parent = records[-1]["uuid"] if records else None
        place = {"uuid": f"{id}-{len(records)}", "parentUuid": parent, "sessionId": id, "isSidechain": False}
        time = f"2026-03-01T10:00:{len(records):02}Z"
        records.append(
            {"type": kind, **place, "timestamp": time, "version": "2.0.1", "cwd": "/pier", "message": message}
        )

    add("user", {"role": "user", "content": prompt})
    for turn in range(1, turns + 1):
        use = {
            "type": "tool_use",
            "id": f"toolu_{id}_{turn}",
            "name": "Read",
            "input": {"file_path": f"/pier/{turn}.txt"},
        }
        usage = {"input_tokens": 5, "cache_read_input_tokens": 15_000 + 60 * turn, "output_tokens": 30}
        reply = {"id": f"msg_{id}_{turn}", "role": "assistant", "model": "claude-sonnet-4-20250514", "usage": usage}
        add("assistant", {**reply, "content": [{"type": "text", "text": f"Lamp {turn} next."}, use]})
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{id}_{turn}", "content": f"lamp {turn} is dark " * 10}
        add("user", {"role": "user", "content": [answer]})
    return records


def hostile_chat() -> dict[str, Any]:
    """A chat in which everything that can carry text carries commands for a terminal."""
    name = "read\x1b[31m_\u202elog"
    calls = [
        {"id": f"c{HOSTILE}", "type": "function", "function": {"name": name, "arguments": json.dumps({"a": HOSTILE})}}
    ]
    return {
        "model": f"gpt-4o {HOSTILE}",
        "messages": [
            {"role": "system", "content": HOSTILE},
            {"role": "user", "content": f"{HOSTILE} please"},
            {"role": "assistant", "content": f"{HOSTILE} yes", "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{HOSTILE}", "content": f"{HOSTILE}\n{HOSTILE}"},
            {"role": "assistant", "content": f"done {HOSTILE}"},
            {"role": "user", "name": f"mallory{HOSTILE}", "content": f"more {HOSTILE}"},
        ],
    }


def fallen_transcript() -> list[dict[str, object]]:
    """A transcript whose reported size falls without a record of why."""
    records: list[dict[str, object]] = []
    for size in (40_000, 41_000, 12_000):
        for kind in ("user", "assistant"):
            message: dict[str, object] = {"role": kind, "content": [{"type": "text", "text": f"Lamp {size}."}]}
            if kind == "assistant":
                message |= {"model": "claude-opus-4-6", "id": f"m{size}"}
                message["usage"] = {"input_tokens": size, "output_tokens": 5}
            parent = records[-1]["uuid"] if records else None
            record = {"type": kind, "uuid": f"{kind}{size}", "parentUuid": parent, "sessionId": "f", "message": message}
            records.append(record)
    return records


def forked_folder(folder: Path) -> Path:
    """A session, a copy of it under another name, and one that begins with a compaction of the first."""
    records = transcript("3f0c0000-0000-4000-8000")
    for name in ("a", "b"):
        written(folder / f"{name}.jsonl", records)
    boundary = {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": records[0]["uuid"], "uuid": "x"}
    summary = {"type": "user", "uuid": "y", "parentUuid": "x", "isCompactSummary": True, "message": {"content": "So."}}
    reply = {"type": "assistant", "uuid": "z", "parentUuid": "y", "message": {"content": "I go on."}}
    written(folder / "c.jsonl", [boundary, summary, reply])
    return folder
