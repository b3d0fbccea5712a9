"""Short conversations with one compaction, written as Claude Code and as Codex record them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.conversation import Session
from inspector.engine.work_state import Consequence, Transition, WorkHistory, consequences_of
from inspector.formats import load

ROOT = "/home/u/shop"


class User(NamedTuple):
    text: str


class Say(NamedTuple):
    text: str


class Run(NamedTuple):
    command: str
    result: str = ""
    code: int = 0
    background: str = ""
    """Id of the process that goes on."""


class Edit(NamedTuple):
    path: str
    new: str = "b = 2"


class Write(NamedTuple):
    path: str
    text: str = "a = 1"


class Tasks(NamedTuple):
    states: tuple[tuple[str, str], ...]


class Stop(NamedTuple):
    process: str


class Agent(NamedTuple):
    description: str
    id: str = "a1f02"


class Plan(NamedTuple):
    text: str
    accepted: bool


class Skill(NamedTuple):
    name: str
    text: str


class Tool(NamedTuple):
    name: str
    arguments: dict[str, Any]
    result: str
    error: bool = False


class Ended(NamedTuple):
    process: str


class Where(NamedTuple):
    folder: str
    branch: str


class Compact(NamedTuple):
    summary: str


Step = User | Say | Run | Edit | Write | Tasks | Stop | Agent | Plan | Skill | Tool | Ended | Where | Compact


class _Claude:
    """Writes the lines of a Claude Code transcript."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.where = Where(ROOT, "main")
        self.parent: str | None = None

    def record(self, kind: str, **fields: Any) -> None:
        uuid = f"u{len(self.lines)}"
        own = {"cwd": self.where.folder, "gitBranch": self.where.branch, "sessionId": "s", "uuid": uuid}
        time = f"2026-10-01T10:{len(self.lines) // 60:02}:{len(self.lines) % 60:02}.000Z"
        self.lines.append({"parentUuid": self.parent, **own, "type": kind, "timestamp": time, **fields})
        self.parent = uuid

    def reply(self, *blocks: dict[str, Any]) -> None:
        number = len(self.lines)
        message = {"id": f"msg_{number}", "role": "assistant", "model": "claude-sonnet-4-5", "content": list(blocks)}
        self.record("assistant", message=message)

    def call(self, name: str, arguments: dict[str, Any], result: str, error: bool = False) -> None:
        call = f"toolu_{len(self.lines)}"
        self.reply({"type": "tool_use", "id": call, "name": name, "input": arguments})
        block = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": error}
        self.record("user", message={"role": "user", "content": [block]})

    def write(self, step: Step) -> None:
        match step:
            case User(text):
                self.record("user", message={"role": "user", "content": text})
            case Say(text):
                self.reply({"type": "text", "text": text})
            case Run(command, result, code, background):
                arguments = {"command": command} | ({"run_in_background": True} if background else {})
                started = f"Command running in background with ID: {background}"
                shown = f"{result}\nExit code {code}" if code else result
                self.call("Bash", arguments, started if background else shown, bool(code))
            case Edit(path, new):
                self.call(
                    "Edit",
                    {"file_path": path, "old_string": "a = 1", "new_string": new},
                    f"The file {path} has been updated.",
                )
            case Write(path, text):
                self.call("Write", {"file_path": path, "content": text}, f"File created successfully at: {path}")
            case Tasks(states):
                todos = [{"content": text, "status": state, "activeForm": text} for text, state in states]
                self.call("TodoWrite", {"todos": todos}, "Todos have been modified successfully.")
            case Stop(process):
                self.call("KillShell", {"shell_id": process}, "Successfully killed shell")
            case Agent(description, id):
                arguments = {"description": description, "prompt": description, "subagent_type": "general-purpose"}
                self.call(
                    "Task",
                    arguments | {"run_in_background": True},
                    f"Async agent launched successfully.\nagentId: {id}",
                )
            case Plan(text, accepted):
                refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
                self.call(
                    "ExitPlanMode",
                    {"plan": text},
                    "User has approved your plan." if accepted else refused,
                    not accepted,
                )
            case Skill(name, text):
                self.record("user", message={"role": "user", "content": f"<command-name>/{name}</command-name>"})
                base = f"Base directory for this skill: {ROOT}/.claude/skills/{name}\n\n{text}"
                self.record("user", message={"role": "user", "content": [{"type": "text", "text": base}]}, isMeta=True)
            case Tool(name, arguments, result, error):
                self.call(name, arguments, result, error)
            case Ended(process):
                words = f"<task-id>{process}</task-id>\n<status>completed</status>"
                note = f"<task-notification>\n{words}\n</task-notification>"
                self.record("user", message={"role": "user", "content": note})
            case Where():
                self.where = step
            case Compact(summary):
                self.record(
                    "system",
                    subtype="compact_boundary",
                    content="Conversation compacted",
                    logicalParentUuid=self.parent,
                )
                self.lines[-1]["parentUuid"] = None
                self.record("user", message={"role": "user", "content": summary}, isCompactSummary=True)


class _Codex:
    """Writes the lines of a Codex rollout."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.users: list[dict[str, Any]] = []
        self.record("session_meta", {"id": "s", "cwd": ROOT, "git": {"branch": "main"}})
        self.turn(Where(ROOT, "main"))

    def record(self, kind: str, payload: dict[str, Any]) -> None:
        time = f"2026-10-01T10:{len(self.lines) // 60:02}:{len(self.lines) % 60:02}.000Z"
        self.lines.append({"timestamp": time, "type": kind, "payload": payload})

    def turn(self, where: Where) -> None:
        self.record(
            "turn_context",
            {
                "cwd": where.folder,
                "approval_policy": "never",
                "model": "gpt-5.5",
                "sandbox_policy": {"type": "danger-full-access"},
            },
        )

    def say(self, role: str, text: str) -> dict[str, Any]:
        item = {
            "type": "message",
            "role": role,
            "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": text}],
        }
        self.record("response_item", item)
        return item

    def call(self, name: str, arguments: dict[str, Any], result: str) -> None:
        call = f"call_{len(self.lines)}"
        self.record(
            "response_item",
            {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call},
        )
        self.record("response_item", {"type": "function_call_output", "call_id": call, "output": result})

    def patch(self, text: str) -> None:
        call = f"call_{len(self.lines)}"
        patch = f"*** Begin Patch\n{text}\n*** End Patch"
        self.record(
            "response_item", {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": call}
        )
        self.record(
            "response_item",
            {"type": "custom_tool_call_output", "call_id": call, "output": "Exit code: 0\nOutput:\nSuccess."},
        )

    def write(self, step: Step) -> None:
        match step:
            case User(text):
                self.users.append(self.say("user", text))
            case Say(text):
                self.say("assistant", text)
            case Run(command, result, code, background):
                state = (
                    f"Process running with session ID {background}"
                    if background
                    else f"Process exited with code {code}"
                )
                self.call(
                    "exec_command",
                    {"cmd": command, "workdir": None},
                    f"Chunk ID: 1\nWall time: 0.1 seconds\n{state}\nOutput:\n{result}",
                )
            case Edit(path, new):
                self.patch(f"*** Update File: {path}\n@@\n-a = 1\n+{new}")
            case Write(path, text):
                self.patch(f"*** Add File: {path}\n+{text}")
            case Tasks(states):
                self.call(
                    "update_plan", {"plan": [{"step": text, "status": state} for text, state in states]}, "Plan updated"
                )
            case Stop(process):
                self.call(
                    "write_stdin", {"session_id": process, "chars": "\x03"}, "Process exited with code 130\nOutput:\n"
                )
            case Agent(description, id):
                self.call(
                    "spawn_agent", {"task_name": description, "message": description}, json.dumps({"agent_id": id})
                )
            case Plan(text, accepted):
                self.say("assistant", f"<proposed_plan>\n{text}\n</proposed_plan>")
                self.users.append(self.say("user", "Implement the plan." if accepted else "No, do not do that."))
            case Skill(name, text):
                self.say(
                    "user", f"<skill>\n<name>{name}</name>\n<path>{ROOT}/.codex/skills/{name}</path>\n{text}\n</skill>"
                )
            case Tool(name, arguments, result):
                self.call(name, arguments, result)
            case Ended(process):
                self.call("write_stdin", {"session_id": process, "chars": ""}, "Process exited with code 0\nOutput:\n")
            case Where():
                self.turn(step)
            case Compact(summary):
                around = f"<environment_context>\n  <date>{len(self.lines)}</date>\n</environment_context>"
                history = [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
                    for text in (around, summary)
                ]
                self.record("compacted", {"message": summary, "replacement_history": history})


BROKEN_RULE: tuple[Step, ...] = (
    User("Fix the totals. Never push, I do that myself."),
    Run("pytest -q", "9 passed"),
    Compact("Summary: fix the totals."),
    Run("git push origin main", "ok"),
)
"""A session with one consequence."""


INVENTING: tuple[Step, ...] = (
    User("Add taxes to the shop. Never push to main."),
    Plan("# Move the rates to a database\n\n1. Create the table of rates", accepted=False),
    Say("The exports of March are old and large. " + " ".join(f"Country {number} pays taxes." for number in range(99))),
    Compact(
        "Pending: move the rates to a database, create the table of rates.\nThe user asked to drop the old exports."
    ),
    Say("Creating the table."),
)
"""A session whose summary invents a request and revives a plan that was refused."""


def session_of(script: tuple[Step, ...], form: str, folder: Path) -> Session:
    """The session of a script, as one of the two programs would have recorded it."""
    writer: _Claude | _Codex = _Claude() if form == "claude-code" else _Codex()
    for step in script:
        writer.write(step)
    path = folder / f"{form}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in writer.lines))
    (session,) = load(path)
    assert session.format == form
    return session


def transition_of(session: Session) -> Transition:
    (transition,) = WorkHistory(session).transitions()
    return transition


def followed(session: Session) -> list[Consequence]:
    """What followed the only compaction of a session."""
    return list(consequences_of(transition_of(session)))
