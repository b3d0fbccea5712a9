"""Fakes of Claude Code and Codex: they write transcripts, compact them, and call the hooks of their settings.

    python -m tests.library.agent_hooks.fake_agents 200 [LOG]

runs so many sessions with Inspector and without, and prints what differs besides the additional context, and the CPU
time of each hook. With LOG, the sessions of Claude Code begin with that transcript, no hook is killed, and one session
runs at a time.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from tests.formats.written import Scribe, calls, says
from tests.places import ROOT
from tests.terminal import percentile

SHAPES: Mapping[str, frozenset[str]] = {
    "PreCompact": frozenset({"decision", "reason"}),
    "PostCompact": frozenset(),
    "SessionStart": frozenset({"hookSpecificOutput"}),
    "Stop": frozenset(),
    "SessionEnd": frozenset(),
}
"""Keys of the output that each event of both agents accepts."""
MAX_CHARS = 10_000


@dataclass
class FakeAgent:
    """One session of an agent. `tool` is `claude-code` or `codex`."""

    tool: str
    seed: int
    folder: Path
    hooks: Mapping[str, list[Mapping[str, Any]]]
    kills: bool = False
    """Kill hooks at random moments."""
    beginning: Path | None = None
    """A transcript that the session of Claude Code goes on with."""
    context: list[str] = field(default_factory=list)
    """Additional context from hooks."""
    problems: list[str] = field(default_factory=list)
    """Outputs that the agent does not accept, and what a hook blocked or changed."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """CPU time of each hook that was not killed, by event."""

    def __post_init__(self) -> None:
        self.random, self.killer = random.Random(self.seed), random.Random(self.seed)
        self.name = f"0000{self.seed:04}-1111-4222-8333-444455556666"
        self.path = self.folder / (f"{self.name}.jsonl" if self.tool == "claude-code" else f"rollout-{self.name}.jsonl")
        self.scribe = Scribe(common={"cwd": "/pier", "sessionId": self.name})
        if self.beginning is not None:
            shutil.copyfile(self.beginning, self.path)
            self.scribe.last = json.loads(self.beginning.read_bytes().splitlines()[-1])["uuid"]
        self.lines: list[str] = []
        self.number = 0
        if self.tool == "codex":
            self._codex("session_meta", id=self.name, cwd="/pier")

    def run(self) -> str:
        """Run the session, and return its transcript."""
        self._turns(self.random.randint(3, 6))
        self._call("Stop", stop_hook_active=False)
        for _ in range(self.random.randint(1, 2)):
            self._compact()
            self._turns(self.random.randint(1, 3))
        self._call("Stop", stop_hook_active=False)
        if self.tool == "claude-code":
            self._call("SessionEnd", reason="other")
        return self.path.read_text(encoding="utf-8")

    def _turns(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            number = self.number
            prompt = f"Count the lamps of pier {number}, and never touch fuse {number * 7}."
            command, result = f"python count.py --pier {number}", f"{self.random.randint(10, 99)} lamps"
            if self.tool == "claude-code":
                self.scribe.ask(f"u{number}", prompt)
                self.scribe.reply(f"a{number}", f"msg_{number}", calls(f"c{number}", "Bash", command=command))
                self.scribe.answer(f"r{number}", f"c{number}", result)
                self.scribe.reply(f"b{number}", f"msg_b{number}", says("Counted."))
                self._append([json.dumps(record) for record in self.scribe.records[len(self.lines) :]])
            else:
                self._message("user", prompt)
                self._codex(
                    "response_item",
                    type="function_call",
                    name="shell",
                    arguments=json.dumps({"command": ["bash", "-lc", command]}),
                    call_id=f"c{number}",
                )
                self._codex("response_item", type="function_call_output", call_id=f"c{number}", output=result)
                self._message("assistant", "Counted.")

    def _message(self, role: str, text: str) -> None:
        kind = "input_text" if role == "user" else "output_text"
        self._codex("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    def _codex(self, kind: str, **payload: Any) -> None:
        self._append([json.dumps({"timestamp": "2026-01-02T03:04:05Z", "type": kind, "payload": payload})])

    def _append(self, lines: list[str]) -> None:
        self.lines += lines
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _compact(self) -> None:
        summary = f"The lamps of pier {self.number} were counted."
        blocked = self._call("PreCompact", trigger="auto", custom_instructions=None)
        if blocked:
            self.problems.append("A hook blocked a compaction.")
            return
        if self.tool == "claude-code":
            before = self.scribe.records[-1]["uuid"]
            self.number += 1
            self.scribe.add(
                "system",
                f"s{self.number}",
                parentUuid=None,
                logicalParentUuid=before,
                subtype="compact_boundary",
                compactMetadata={"trigger": "auto"},
            )
            self.scribe.ask(f"k{self.number}", summary, isCompactSummary=True)
            self._append([json.dumps(record) for record in self.scribe.records[len(self.lines) :]])
        else:
            history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}]
            self._codex("compacted", message=summary, replacement_history=history)
        self._call("PostCompact", trigger="auto", compact_summary=summary)
        self._call("SessionStart", source="compact", model="a-model")

    def _call(self, event: str, **fields: Any) -> bool:
        """Call the hooks of an event, and return True if one blocks it."""
        common = {"session_id": self.name, "transcript_path": str(self.path), "cwd": "/pier", "hook_event_name": event}
        if self.tool == "codex":
            fields = {**fields, "turn_id": f"t{self.number}", "permission_mode": "default"}
        data = json.dumps({**common, **fields}).encode()
        blocked = False
        for group in self.hooks.get(event, []):
            if group.get("matcher", fields.get("source")) not in (fields.get("source"), "*", ""):
                continue
            for handler in group["hooks"]:
                blocked |= self._run_hook(event, handler, data)
        return blocked

    def _run_hook(self, event: str, handler: Mapping[str, Any], data: bytes) -> bool:
        process = subprocess.Popen(
            [*shlex.split(handler["command"]), "--timeout", "150"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin and process.stdout and process.stderr
        limit = self.killer.random() * 0.4 if self.kills and self.killer.random() < 0.5 else handler["timeout"] * 20
        killing = Timer(limit, _kill, (process.pid,))
        killing.start()
        with process:
            with suppress(BrokenPipeError):
                process.stdin.write(data)
                process.stdin.close()
            out, err = process.stdout.read(), process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        killing.cancel()
        if process.returncode == -signal.SIGKILL:
            if limit > 1:
                self.problems.append(f"{event}: time out")
            return False
        self.seconds[event].append(usage.ru_utime + usage.ru_stime)
        if process.returncode or err:
            self.problems.append(f"{event}: exit {process.returncode}, {err[-500:].decode()}")
        self._take_output(event, out.decode())
        return process.returncode == 2

    def _take_output(self, event: str, text: str) -> None:
        if not text.strip():
            return
        output = json.loads(text)
        if set(output) - SHAPES[event]:
            self.problems.append(f"{event}: {sorted(output)} is not accepted")
        if event == "SessionStart":
            inner = output["hookSpecificOutput"]
            if inner.keys() != {"hookEventName", "additionalContext"} or inner["hookEventName"] != event:
                self.problems.append(f"{event}: {sorted(inner)} is not accepted")
            if len(inner["additionalContext"]) > MAX_CHARS:
                self.problems.append(f"{event}: the context is too long")
            self.context.append(inner["additionalContext"])


def _kill(pid: int) -> None:
    """Kill a process that is not waited for yet. `Popen.kill` would take its status away."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def installed_hooks(home: Path) -> dict[str, dict[str, list[Mapping[str, Any]]]]:
    """Install Inspector in both agents of a home folder, and return the hooks of their settings."""
    hooks = {}
    for tool, name in (("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")):
        command = [sys.executable, "-m", "inspector", "setup", tool, "--yes"]
        subprocess.run(command, env=os.environ | {"HOME": str(home)}, cwd=ROOT, check=True, capture_output=True)
        hooks[tool] = json.loads((home / name).read_text())["hooks"]
    return hooks


def run_sessions(
    count: int, folder: Path, kills: bool = False, beginning: Path | None = None
) -> Iterator[tuple[FakeAgent, bool]]:
    """Yield sessions that ran with Inspector, three at a time, and whether all but the added context is as without.

    Those that go on with a transcript are Claude Code's, and run one by one.
    """
    hooks = installed_hooks(folder)
    names = ("claude-code", "codex")

    def run(seed: int) -> tuple[FakeAgent, bool]:
        sides = []
        for side in ("with", "without"):
            place = folder / side / str(seed)
            place.mkdir(parents=True)
            tool = names[0 if beginning else seed % 2]
            agent = FakeAgent(
                tool, seed, place, hooks[tool] if side == "with" else {}, kills and seed % 4 > 1, beginning
            )
            sides.append((agent, agent.run()))
            if beginning:
                agent.path.unlink()
        (agent, transcript), (_, other) = sides
        return agent, transcript == other

    with ThreadPoolExecutor(1 if beginning else 3) as pool:
        yield from pool.map(run, range(count))


def main(count: int, beginning: Path | None = None) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:  # a detached hook may still write
        folder = Path(name)
        os.environ |= {"HOME": name, "INSPECTOR_DB": str(folder / "store.db"), "PYTHONPATH": str(ROOT)}
        os.environ |= {"XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_HOME": str(folder / "data")}
        same = added = 0
        problems: list[str] = []
        seconds: dict[str, list[float]] = defaultdict(list)
        for agent, is_same in run_sessions(count, folder, beginning is None, beginning):
            same += is_same
            added += bool(agent.context)
            problems += agent.problems
            for event, values in agent.seconds.items():
                seconds[event] += values
        print(f"{count} sessions: {same} are the same without Inspector, {added} got context, {len(problems)} problems")
        for event, values in seconds.items():
            middle, high = percentile(values, 0.5), percentile(values, 0.95)
            print(f"{event}: {len(values)} runs, {middle:.2f} s of CPU in the median, {high:.2f} s at 95 %")
        print("\n".join(problems[:20]))


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(Path, sys.argv[2:]))
