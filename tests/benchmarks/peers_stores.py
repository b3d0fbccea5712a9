"""The store of a running agent next to the stores of other libraries, and reading a log next to another program.

usage: python -m tests.benchmarks.peers_stores [MESSAGES]

Each case appends the same generated messages one by one in a process of its own, in the environment of `peers`. Printed
are processor microseconds for each message, and bytes in files for each byte of text while the store is open. LangGraph
saves the whole list with each message, so it is given 2,000 messages at most.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from shutil import which
from typing import Any

from inspector.memory import MemoryConfig, MemoryManager
from inspector.store import Store
from tests.benchmarks.big_log import records
from tests.benchmarks.figures import seconds_and_memory
from tests.benchmarks.peers_environment import Environment
from tests.benchmarks.varied_text import VariedText
from tests.terminal import environment_in

MESSAGES = 20_000
CCUSAGE = "ccusage@16"
"""The newest version that is written in JavaScript."""
LARGEST_LIST = 2_000
"""Messages at most for a store that saves all of them each time: 2,000 are hundreds of megabytes."""
STEPS = 2_000
"""Steps of the log that is read."""
Appending = tuple[Callable[[Mapping[str, Any]], Awaitable[object]], Callable[[], object]]
"""What appends a message to an open store, and what closes the store."""


def ours(folder: Path, compresses: bool) -> Appending:
    store = Store(folder / "agent.db")
    settings = MemoryConfig(compression_threshold=40_000, enable_compression=compresses)
    memory = MemoryManager(settings, model="gpt-4o-mini", store=store, session_id="one")
    memory.save()
    return memory.add_message, store.close


def openai_session(folder: Path) -> Appending:
    session = import_module("agents").SQLiteSession("one", folder / "agent.db")
    return lambda message: session.add_items([message]), session.close


def langgraph_saver(folder: Path) -> Appending:
    opened = import_module("langgraph.checkpoint.sqlite").SqliteSaver.from_conn_string(str(folder / "agent.db"))
    saver, empty = opened.__enter__(), import_module("langgraph.checkpoint.base").empty_checkpoint()
    messages: list[Mapping[str, Any]] = []
    place = {"configurable": {"thread_id": "one", "checkpoint_ns": ""}}

    async def append(message: Mapping[str, Any]) -> None:
        nonlocal place
        messages.append(message)
        step = len(messages)
        values = {**empty, "id": f"{step:032d}", "channel_values": {"messages": list(messages)}}
        place = saver.put(place, values, {"step": step}, {})

    return append, lambda: opened.__exit__(None, None, None)


CASES: Mapping[str, Callable[[Path], Appending]] = {
    "inspector, with compression": lambda folder: ours(folder, True),
    "inspector, without": lambda folder: ours(folder, False),
    "OpenAI Agents SQLiteSession": openai_session,
    "LangGraph SqliteSaver": langgraph_saver,
}


def messages_of(count: int) -> Sequence[Mapping[str, Any]]:
    """Return generated messages of about 500 characters."""
    texts = VariedText(random.Random(5))
    return [{"role": ("user", "assistant")[number % 2], "content": texts.prose(60)} for number in range(count)]


async def appended(name: str, count: int) -> dict[str, float]:
    """Return what a case takes."""
    messages = messages_of(min(count, LARGEST_LIST) if name.startswith("LangGraph") else count)
    with tempfile.TemporaryDirectory() as folder:
        append, close = CASES[name](Path(folder))
        await append(messages[0])
        began = time.process_time()
        for message in messages:
            await append(message)
        seconds = time.process_time() - began
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        close()
    characters = sum(len(message["content"]) for message in messages)
    return {"messages": len(messages), "us": 1e6 * seconds / len(messages), "disk": size / characters}


def write_whole_log(path: Path) -> None:
    """Write a log whose records have the fields that stricter readers need."""
    fields = {"userType": "external", "cwd": "/work", "version": "2.1.300", "timestamp": "2026-11-20T10:00:00.000Z"}
    with path.open("w", encoding="utf-8") as file:
        for record in records(STEPS, random.Random(20)):
            if record["type"] == "assistant":
                record["message"] |= {"type": "message", "stop_reason": "tool_use"}
            file.write(json.dumps(record | fields) + "\n")


def ccusage(folder: Path) -> str | None:
    """Return the program, which is installed in a folder if npm is there; None if it cannot be."""
    npm, place = which("npm"), folder / "node"
    program = place / "node_modules" / ".bin" / "ccusage"
    if npm and not program.exists():
        subprocess.run([npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(place), CCUSAGE])
    return str(program) if program.exists() else None


def reading(environment: Environment) -> None:
    """Print the processor seconds of reading a log."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "log.jsonl"
        write_whole_log(log)
        commands = {
            "inspector show, cold": ["inspector", "show", str(log)],
            "inspector show, warm": ["inspector", "show", str(log)],
            "claude-code-log": ["claude-code-log", str(log), "--output", str(folder / "log.html")],
        }
        if program := ccusage(environment.folder):
            place = Path(environment_in(folder)["HOME"], ".claude", "projects", "-work", "log.jsonl")
            place.parent.mkdir(parents=True)
            place.write_bytes(log.read_bytes())
            commands["ccusage, usage totals only"] = [program, "daily", "--offline", "--json"]
        else:
            print(f"{'ccusage':<32} not measured: npm is missing, or cannot install it", flush=True)
        for case, words in commands.items():
            program = words[0] if Path(words[0]).is_absolute() else str(environment.python.with_name(words[0]))
            seconds, memory = seconds_and_memory([program, *words[1:]], folder)
            print(
                f"{case:<32}{seconds:8.2f} s   {memory:6.0f} MB   {log.stat().st_size / 1e6:.0f} MB of log", flush=True
            )


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["case"]:
        print(json.dumps(asyncio.run(appended(words[1], int(words[2])))))
        return
    environment = Environment()
    environment.ready()
    count = words[0] if words else str(MESSAGES)
    for case in CASES:
        for text in environment.run("tests.benchmarks.peers_stores", "case", case, count):
            row = json.loads(text)
            figures = f"{row['us']:10.0f} us   {row['disk']:8.2f} bytes on disk for each of text"
            print(f"{case:<32}{figures}   {row['messages']:,.0f} messages", flush=True)
    reading(environment)


if __name__ == "__main__":
    main()
