"""`setup` and `doctor`: coding agents get hooks and tools by consent, and lose them without a trace."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.commands import setup as commands
from inspector.library.agent_setup.tool_plans import SETUP_TOOLS
from tests.cli.calling import Ended, inspect, process
from tests.cli.test_cli_restore import compacted
from tests.places import ROOT

CLAUDE = (
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "make"}]}]\n  }\n}\n'
)
CODEX = 'model = "gpt-5"  # the good one\n\n[features]\nweb = true\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    for name, text in ((".claude/settings.json", CLAUDE), (".codex/config.toml", CODEX)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    (folder / "pier").mkdir()
    monkeypatch.chdir(folder / "pier")
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


def setup(*words: str) -> Ended:
    ended = inspect("setup", *words)
    assert ended.code == 0, ended.err
    return ended


def test_options_of_hooks_are_installed_checked_and_removed(home: Path) -> None:
    before = tree(home)
    setup("claude-code", "--yes")
    setup("claude-code", "--yes", "--guard", "late", "--trim", "5000")
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    assert hooks["PostToolUse"][0]["hooks"][0]["command"].endswith("hook claude-code --guard late --trim 5000")
    assert hooks["PreCompact"] == hooks["PostToolUse"] and len(hooks["PreCompact"]) == 1
    assert "Files are missing" not in inspect("doctor").out
    setup("claude-code", "--yes", "--remove")
    assert tree(home) == before
    assert "no preset" in inspect("setup", "claude-code", "--guard", "unknown").err.lower()
    assert inspect("setup", "codex", "--trim", "5000").code == 2


@pytest.mark.parametrize("where", [[], ["--project"]])
@pytest.mark.parametrize("tool", SETUP_TOOLS)
def test_what_is_installed_is_removed_byte_for_byte(tool: str, where: list[str], home: Path) -> None:
    before = tree(home)
    dry = setup(tool, *where, "--dry-run", "--json").json
    assert tree(home) == before and not dry["applied"]
    done = setup(tool, *where, "--yes", "--json").json
    assert done["applied"] and done["files"] == dry["files"]
    assert {file["action"] for file in done["files"]} <= {"create", "change"}
    assert all(file["diff"] for file in done["files"])
    assert [Path(backup).stat().st_mode & 0o777 for backup in done["backups"]] == [0o600] * len(done["backups"])
    installed = tree(home)
    assert {file["action"] for file in setup(tool, *where, "--yes", "--json").json["files"]} == {"keep"}
    assert "nothing to change" in setup(tool, *where).out
    assert tree(home) == installed
    gone = setup(tool, *where, "--remove", "--yes", "--json").json
    assert gone["removed"] and gone["applied"]
    assert tree(home) == before


def test_claude_code_gets_hooks_that_run_after_its_own(home: Path) -> None:
    setup("claude-code", "--yes")
    path = home / ".claude" / "settings.json"
    settings = json.loads(path.read_text())
    assert list(settings) == ["model", "hooks", "statusLine"]
    assert settings["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "make"}]}
    assert list(settings["hooks"]) == ["Stop", "SessionStart", "PreCompact", "PostCompact", "SessionEnd"]
    assert settings["hooks"]["SessionStart"][0]["matcher"] == "compact"
    for groups in settings["hooks"].values():
        [handler] = groups[-1]["hooks"]
        assert handler["type"] == "command" and handler["command"].endswith("inspector hook claude-code")
        assert handler["timeout"] > 8
    plugin = home / ".claude" / "skills" / "inspector"
    assert json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())["name"] == "inspector"
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["inspector"]
    assert server["args"][-1] == "mcp" and Path(server["command"]).is_absolute()
    assert (plugin / "SKILL.md").read_text().startswith("---\nname: inspector\ndescription: ")


def test_an_installed_hook_gives_back_what_was_dropped(home: Path) -> None:
    setup("claude-code", "--yes")
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    event = {"hook_event_name": "SessionStart", "source": "compact", "transcript_path": str(compacted(home / "pier"))}
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(shlex.split(command), input=json.dumps(event).encode(), env=environment, capture_output=True)
    assert "count.py" in json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"]
    [row] = [row for row in inspect("doctor", "--json").json["installations"] if row["tool"] == "claude-code"]
    [run] = row["hooks"]
    assert (run["event"], run["outcome"]) == ("SessionStart", "answered") and 0 < run["seconds"] < 60


def test_codex_gets_hooks_a_server_and_keeps_its_comments(home: Path) -> None:
    setup("codex", "--yes")
    text = (home / ".codex" / "config.toml").read_text()
    assert text.startswith(CODEX)
    assert tomllib.loads(text)["mcp_servers"]["inspector"]["args"][-1] == "mcp"
    hooks = json.loads((home / ".codex" / "hooks.json").read_text())
    assert list(hooks) == ["hooks"]
    assert list(hooks["hooks"]) == ["SessionStart", "PreCompact", "PostCompact", "Stop"]


def test_codex_with_hooks_in_its_toml_file_gets_them_there(home: Path) -> None:
    config = home / ".codex" / "config.toml"
    own = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "make"\n'
    config.write_text(CODEX + own)
    setup("codex", "--yes")
    assert not (home / ".codex" / "hooks.json").exists()
    hooks = tomllib.loads(config.read_text())["hooks"]
    assert [group["hooks"][0]["command"].split()[-1] for group in hooks["Stop"]] == ["make", "codex"]
    assert hooks["SessionStart"][0]["matcher"] == "compact"
    setup("codex", "--remove", "--yes")
    assert config.read_text() == CODEX + own


def test_edits_of_the_user_survive_the_removal(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    setup("claude-code", "--yes")
    path.write_text(path.read_text().replace('"opus"', '"sonnet"'))
    setup("claude-code", "--remove", "--yes")
    assert path.read_text() == CLAUDE.replace('"opus"', '"sonnet"')


def test_links_and_permissions_are_kept(home: Path) -> None:
    path, real = home / ".claude" / "settings.json", home / "dotfiles.json"
    path.rename(real)
    real.chmod(0o640)
    path.symlink_to(real)
    setup("claude-code", "--yes")
    assert path.is_symlink() and real.stat().st_mode & 0o777 == 0o640 and "inspector" in real.read_text()
    setup("claude-code", "--remove", "--yes")
    assert path.is_symlink() and real.read_text() == CLAUDE


@pytest.mark.parametrize(
    ("name", "text"),
    [("settings.json", b'{"hooks": [}'), ("settings.json", b"\xff\xfe"), ("skills/inspector/SKILL.md", b"mine\n")],
)
def test_a_file_that_is_not_understood_stops_everything(name: str, text: bytes, home: Path) -> None:
    path = home / ".claude" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    before = tree(home)
    ended = inspect("setup", "claude-code", "--yes")
    assert ended.code == 1 and ended.err.startswith(f"{path}, line 1: ") and ended.err.count("\n") == 1
    assert tree(home) == before


def test_nothing_is_changed_without_consent(home: Path) -> None:
    before = tree(home)
    ended = inspect("setup", "claude-code")
    assert ended.code == 2 and "Confirm with --yes" in ended.err
    assert '+            "command": ' in ended.out
    assert inspect("setup", "claude-code", "--json").code == 2
    assert tree(home) == before


KILLED = """
import os, sys
from inspector.cli.command_line import cli
left = int(sys.argv.pop(1))
def stop(name, args):
    global left
    if name in ("os.rename", "os.remove", "os.mkdir", "os.chmod", "os.rmdir") or (
        name == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
    ):
        left -= 1
        if left < 0:
            os._exit(9)
sys.addaudithook(stop)
cli.main(prog_name="inspector")
"""


@pytest.mark.parametrize("words", [["claude-code", "--yes"], ["claude-code", "--yes", "--remove"]])
def test_a_power_cut_at_any_moment_leaves_settings_whole(words: list[str], home: Path) -> None:
    path = home / ".claude" / "settings.json"
    setup("claude-code", "--yes")
    whole = {CLAUDE, path.read_text()}
    seen = set()
    for steps in range(1, 60, 3):
        setup("claude-code", "--yes", *words[2:])
        setup("claude-code", "--yes", *([] if words[2:] else ["--remove"]))
        command = [sys.executable, "-c", KILLED, str(steps), "setup", *words]
        code = subprocess.run(command, cwd=home / "pier", env=os.environ | {"PYTHONPATH": str(ROOT)}).returncode
        seen.add(path.read_text())
        assert seen <= whole
        setup("claude-code", "--yes")
        setup("claude-code", "--remove", "--yes")
        assert path.read_text() == CLAUDE
        assert not [name for name in tree(home) if name.endswith("SKILL.md")]
        if code == 0:
            break
    assert code == 0 and seen == whole


def test_doctor_names_problems_and_remedies(home: Path) -> None:
    clean = inspect("doctor", "--json")
    assert clean.code == 0 and clean.json["problems"] == []
    assert "No problems." in inspect("doctor").out
    setup("claude-code", "--yes")
    path = home / ".claude" / "settings.json"
    path.write_text(path.read_text().replace('"model"', '"disableAllHooks": true, "model"'))
    (home / ".claude" / "skills" / "inspector" / "SKILL.md").unlink()
    found: Any = inspect("doctor", "--json")
    assert found.code == 3
    [missing, disabled] = found.json["problems"]
    assert "run inspector setup claude-code" in missing and "remove disableAllHooks" in disabled
    path.write_text("{")
    assert "line 1" in inspect("doctor").out


def test_the_command_knows_the_tools_of_the_library() -> None:
    assert tuple(SETUP_TOOLS) == commands._TOOLS


def _run_plugin(home: Path, program: Sequence[str], script: str) -> Any:
    """Return what a script prints that imports the installed plugin of opencode, with another program."""
    source = (home / ".config" / "opencode" / "plugins" / "inspector.ts").read_text()
    start = source.index("const PROGRAM = ")
    program_line = f"const PROGRAM = {json.dumps(list(program))}"
    (home / "plugin.mjs").write_text(source.replace(source[start : source.index("\n", start)], program_line))
    try:
        ended = subprocess.run(["node", "--input-type=module", "-e", script], cwd=home, capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("node is not installed")
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def test_the_plugin_of_opencode_adds_the_facts_to_the_summary(home: Path) -> None:
    setup("opencode", "--yes")
    answer = json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Facts."}})
    program = home / "inspector"
    program.write_text(f"#!/bin/sh\ncat >> {home}/events\necho '{answer}'\n")
    program.chmod(0o755)
    parts = _run_plugin(home, [str(program)], NODE)
    assert [part["text"] for part in parts] == ["Summary.", "Facts."] and parts[1]["messageID"] == "m2"
    event = json.loads((home / "events").read_text())
    assert event["hook_event_name"] == "SessionStart" and event["source"] == "compact"
    assert not Path(event["transcript_path"]).parent.exists()


def test_the_plugin_of_opencode_compacts_by_a_preset(home: Path) -> None:
    setup("opencode", "--preset", "aggressive", "--yes")
    assert inspect("doctor").code == 0 and "nothing to change" in setup("opencode", "--preset", "aggressive").out
    program = [sys.executable, "-m", "inspector"]
    messages: list[Any] = []
    for number in range(1, 31):
        role = "user" if number % 2 else "assistant"
        info: Any = {"id": f"m{number:02}", "sessionID": "s1", "role": role, "time": {"created": 1_767_000_000_000}}
        info |= {"modelID": "claude-opus-5", "providerID": "anthropic"} if role == "assistant" else {}
        text = f"Never let lamp {number} go out; the key of the tower is at 10.0.{number}.7. " * 6
        messages.append({"info": info, "parts": [{"id": f"p{number}", "type": "text", "text": text}]})
    info = {"id": "s1", "title": "Lamps", "directory": "/pier", "time": {"created": 1, "updated": 2}}
    (home / "session.json").write_text(json.dumps({"info": info, "messages": messages}))
    prompt, text = _run_plugin(home, program, COMPACTING)
    assert prompt == f"Reply with exactly this text, unchanged:\n\n{text}"
    assert "10.0.1.7" in text and "10.0.9.7" in text and "Summary." not in text, "the first request is kept"
    assert _run_plugin(home, ["false"], COMPACTING) == [None, "Summary."], "it compacts as usual without the preset"


@pytest.mark.usefixtures("home")
def test_a_preset_is_for_opencode_and_has_to_exist() -> None:
    assert "--preset is for opencode only" in inspect("setup", "codex", "--preset", "late").err
    assert "nosuch" in inspect("setup", "opencode", "--preset", "nosuch").err


COMPACTING = """
import { readFileSync } from "node:fs"
import { Inspector } from "./plugin.mjs"
const { info, messages } = JSON.parse(readFileSync("session.json", "utf8"))
const client = { session: { get: async () => ({ data: info }), messages: async () => ({ data: messages }) } }
const hooks = await Inspector({ client, directory: "/pier" })
const output = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, output)
const parts = [{ type: "text", text: "Summary." }]
const summary = { info: { id: "m99", role: "assistant", summary: true, sessionID: "s1" }, parts }
await hooks["experimental.chat.messages.transform"]({}, { messages: [summary] })
console.log(JSON.stringify([output.prompt ?? null, summary.parts[0].text]))
"""
NODE = """
import { Inspector } from "./plugin.mjs"
const info = { id: "s1" }
const messages = [{ info: { id: "m1", role: "user" }, parts: [] }]
const client = { session: { get: async () => ({ data: info }), messages: async () => ({ data: messages }) } }
const hooks = await Inspector({ client, directory: "/pier" })
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
const summary = { info: { id: "m2", role: "assistant", summary: true, sessionID: "s1" }, parts: [{ text: "Summary." }] }
await hooks["experimental.chat.messages.transform"]({}, { messages: [summary] })
console.log(JSON.stringify(summary.parts))
"""


def test_setup_runs_as_a_program_without_a_terminal() -> None:
    ended = process("setup", "codex", "--dry-run", "--json")
    assert ended.returncode == 0 and json.loads(ended.stdout)["files"][0]["action"] == "create"
