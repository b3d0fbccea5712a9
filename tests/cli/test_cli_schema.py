"""What the commands print as JSON is what the schema says, and `docs/json.md` tells it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from jsonschema import Draft202012Validator

from inspector.cli.command_line import COMMANDS, cli
from inspector.cli.schema import OUTPUTS, VERSION
from inspector.cli.schema.json_reference import json_reference
from tests.cli.calling import chat, fallen_transcript, forked_folder, inspect, transcript, written
from tests.cli.commands import LINES, SESSION
from tests.cli.json_schema import Key, command_of, keys_of, output_faults
from tests.cli.loopback_models import environment
from tests.cli.test_cli_ask import village
from tests.dialogues import beam_folder, dialogue
from tests.engine.summaries.endpoint import says, serving
from tests.engine.work_state.scripts import BROKEN_RULE, INVENTING, session_of
from tests.formats.memory_samples import rule_folder, rules
from tests.formats.written import write_json
from tests.places import ROOT
from tests.report.sources import AGENT, write_source

OTHER_LINES = [
    "",
    f"import {SESSION}",
    "discover",
    "discover codex --import",
    "search lamp",
    f"report {SESSION} --output REPORT --force",
    "report --source SOURCE --all",
    "report --source SOURCE --compare SOURCE --output REPORT --force",
    "formats",
    "keys",
    "plugins",
    "setup codex --dry-run",
    "setup claude-code --yes",
    "doctor",
    "setup claude-code --yes --remove",
    f"compare {SESSION} {SESSION}",
    "strategies",
    "strategies pipeline",
    "show NOTE --redact",
    "export NOTE --redact",
    "redact NOTE --out COPY --force",
    "presets",
    "presets save mine -s fifo --threshold 500 --about mine",
    "presets show mine",
    "presets show balanced --to toml",
    "presets remove mine",
    "store check",
    f"rm {SESSION} --dry-run",
    "store prune --older 1y --dry-run",
    "stats",
    "stats --by week --since 30d",
    "stats --backfill",
    "keep --all",
    "keep --schedule --dry-run",
    "store backup COPY",
    "store repair",
    f"pin {SESSION} 2",
    f"pin {SESSION} 2 --undo",
    f"compress {SESSION} --preset aggressive --force",
    f"compress {SESSION} -s importance",
    f"replay {SESSION} --preset balanced --preset none",
    f"replay {SESSION} -s deletion --threshold 100 --frames --facts",
    f"tune {SESSION} --jobs 1 --fail-over 1",
    "tune FOLDER --preset aggressive --grid threshold=3000 --grid keep_recent=4 --jobs 1",
    f"probe {SESSION} --passes 1 -s deletion",
    f"diff {SESSION} -s trim_outputs --set longest=200",
    "probe --passes 1 -s deletion",
    "memory show 1",
    "memory audit RULES",
    "memory audit RULES --fail-on dead --max-tokens 1",
    "memory diff RULES RULEFILE",
    "memory history RULES",
    "memory history RULEFILE",
    "memory open RULES --limit 1",
    "memory stores RULES",
    "memory recall lamp --in RULES --item CLAUDE.md:5",
    "memory recall pnpm --in RULES --k 1",
    f"memory window {SESSION} --in RULES",
    "memory pin 2",
    "memory search log lamp read line --k 1 --budget 0",
    f"memory inject {SESSION} --query lamp",
    f"memory inject {SESSION} --query lamp --k 1 --apply",
    "memory demote 2",
    "memory forget 2",
    "memory forget --kind state --yes",
    "memory forget --expired",
    f"follow {SESSION} --until-idle 0",
    "demo shared-memory",
    "demo working-memory",
    "eval locomo DIALOGUES --budget 30% -s deletion -s dedupe --fail-untracked",
    "eval beam BEAM --budget 30% -s deletion",
]
LONG_LINES = [
    f"export {SESSION} --to markdown",
    f"top {SESSION} --by file",
    f"lost {SESSION}",
    f"lost {SESSION} --next",
    f"restore {SESSION} --for hook",
    f"why {SESSION}",
    f"probe {SESSION} --judge",
    f"lost {SESSION} -s deletion",
    f"report {SESSION}",
    f"compare {SESSION} --preset aggressive --preset none",
    f"replay {SESSION} --preset aggressive",
    f"replay {SESSION} --preset recorded",
    f"compress {SESSION} --strategy vector_swap --set keep_last=6 --set k=1",
]
"""Lines for a session that is long enough to lose something."""
FAILING = [
    "setup nothing",
    "setup codex",
    "NOTHING",
    "ls NOTHING",
    "discover NOTHING",
    "show NOTHING",
    "check NOTHING",
    "count NOTHING",
    "diff NOTHING",
    "follow NOTHING",
    f"diff {SESSION} -s nothing",
    "export NOTHING",
    f"export {SESSION} --turn 99",
    f"compress {SESSION}",
    "compress NOTHING -s fifo",
    "agents NOTHING",
    f"agents {SESSION} --agent nobody",
    "replay NOTHING",
    f"replay {SESSION} --preset nothing",
    "report NOTHING",
    "report --source NOTHING",
    "tune NOTHING",
    f"tune {SESSION} --sort nothing",
    f"compare {SESSION}",
    "compare NOTHING NOTHING",
    "probe NOTHING",
    f"probe {SESSION} --depths x",
    "eval locomo NOTHING",
    "eval locomo DIALOGUES --budget x",
    "import NOTHING",
    f"pin {SESSION} 9999",
    f"drop {SESSION} 9999",
    "undo NOTHING",
    "memory ls NOTHING",
    "memory show 9999",
    "memory audit NOTHING",
    "memory audit RULES --kind nothing",
    "memory diff RULES NOTHING",
    "memory history NOTHING",
    "memory open NOTHING",
    "memory stores NOTHING",
    "memory promote 9999",
    f"memory promote {SESSION} 9999",
    "memory demote 9999",
    "memory pin 9999",
    "memory forget 9999",
    "memory forget",
    "memory search",
    "search",
    "strategies nothing",
    "presets show nothing",
    "presets remove nothing",
    "presets save",
    "store check --db NOTHING",
    "store repair --db NOTHING",
    "store backup COPY --db NOTHING",
]


def run(line: str, places: dict[str, Path], seen: set[Key] | None = None) -> tuple[int, list[str]]:
    """How a command ends, and what of its JSON is not as the schema says."""
    words = [str(places.get(word, word)) for word in line.split()]
    ended = inspect(*words, "--json")
    outputs = map(json.loads, ended.out.splitlines()) if words[:1] == ["follow"] and not ended.code else [ended.json]
    command = command_of(line.split())
    return ended.code, [fault for output in outputs for fault in output_faults(output, command, ended.code, seen)]


def committed(folder: Path) -> Path:
    """A rule file in a repository of git."""
    folder.mkdir()
    path = rules(folder)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init",), ("add", "."), (*who, "commit", "-m", "Add rules")):
        subprocess.run(("git", *words), cwd=folder, check=True, capture_output=True)
    return path


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    rollout = [
        {"type": "session_meta", "payload": {"id": "c1"}},
        {"payload": {"type": "user_message", "message": "Go."}},
    ]
    written(tmp_path / "home" / ".codex" / "sessions" / "rollout-c1.jsonl", rollout)
    (tmp_path / "folder").mkdir()
    for name in ("one.json", "two.json"):
        written(tmp_path / "folder" / name, chat(steps=12, words=120))
    return {
        SESSION: written(tmp_path / "log.jsonl", transcript(turns=12)),
        "COPY": tmp_path / "copy.db",
        "DIALOGUES": write_json(tmp_path / "dialogues.json", [dialogue()]),
        "BEAM": beam_folder(tmp_path / "beam"),
        "FOLDER": tmp_path / "folder",
        "RULES": rule_folder(tmp_path / "rules"),
        "RULEFILE": committed(tmp_path / "repository"),
        "NOTE": written(tmp_path / "note.json", {"messages": [{"role": "user", "content": "Ask ann@example.org."}]}),
        "NOTHING": tmp_path / "nothing",
        "REPORT": tmp_path / "report.md",
        "SOURCE": write_source(tmp_path / "source", {**AGENT, "torn.py": "def (:\n"}),
    }


def run_an_agent(places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, seen: set[Key]) -> None:
    """Run the command that needs a model, with one on loopback."""
    message = {"role": "assistant", "content": "Done."}
    completion = {"id": "c", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    with serving(says(json.dumps(completion), "application/json")) as endpoint:
        monkeypatch.setenv("OPENROUTER_BASE_URL", endpoint.url)
        assert run("agent Go --model gpt-4o", places, seen) == (0, [])
        monkeypatch.delenv("OPENROUTER_BASE_URL")
        for name, value in environment(endpoint.url).items():
            monkeypatch.setenv(name, value)
        for line in (f"ask {SESSION} --yes", f"ask {SESSION} --list", f"blame {SESSION} --model --yes --max-cost 9"):
            assert run(line, places, seen) == (0, []), line
        assert run("memory audit RULES --model gpt-4o --yes", places, seen) == (0, [])
        page = "\n\n".join(f"Row {number} of the mill is empty." for number in range(20))
        pages = [{"role": "user", "content": page}, {"role": "assistant", "content": "Done."}]
        folder = places["COPY"].parent
        keys = {"KEYS": written(folder / "keys.json", village()), "PAGE": written(folder / "page.json", pages)}
        for line in (
            "blame KEYS",
            "blame PAGE --model --yes",
            "tune KEYS --preset aggressive --jobs 1 --ask 2 --yes --max-cost 9",
        ):
            assert run(line, keys, seen) == (0, []), line
        for name in environment(endpoint.url):
            monkeypatch.delenv(name)


def run_a_recording(folder: Path, seen: set[Key]) -> None:
    """Run the command whose last words are those of another program."""
    ended = inspect("record", "--out", str(folder / "calls.jsonl"), "--json", "--", sys.executable, "-c", "pass")
    assert (ended.code, list(output_faults(ended.json, "record", ended.code, seen))) == (0, [])
    received = {"version": ended.json["version"], "folder": "in", "spans": 2, "log_records": 0}
    assert list(output_faults(received, "receive", 0, seen)) == [], "test_receiver.py runs the command"


def test_every_output_is_as_the_schema_says_and_every_key_of_the_schema_is_met(
    places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[Key] = set()
    run_an_agent(places, monkeypatch, seen)
    run_a_recording(tmp_path, seen)
    chats = {**places, SESSION: written(tmp_path / "chat.json", chat(steps=30, words=120))}
    samples = {**places, SESSION: ROOT / "sessions" / "coding-agent.jsonl"}
    helpers = {SESSION: ROOT / "sessions" / "three-agents.jsonl"}
    said = [{"role": "assistant", "content": "Yes.", "agent_id": name, "groups": ["red"]} for name in ("ann", "ben")]
    shared = {SESSION: written(tmp_path / "shared.json", {"messages": [*said, *said, said[1]]})}
    torn = {SESSION: written(tmp_path / "torn.json", {"messages": [*chat(1)["messages"][:3], chat(1)["messages"][-1]]})}
    broken = {SESSION: Path(session_of(BROKEN_RULE, "claude-code", tmp_path).path)}
    (tmp_path / "inventing").mkdir()
    inventing = {SESSION: Path(session_of(INVENTING, "claude-code", tmp_path / "inventing").path)}
    fallen = {SESSION: written(tmp_path / "fallen.jsonl", fallen_transcript())}
    forked = {SESSION: forked_folder(tmp_path / "forked")}
    begun = {SESSION: forked[SESSION] / "c.jsonl"}
    wrong = [
        (line, found)
        for where, lines in (
            (forked, [f"ls {SESSION}"]),
            (begun, [f"why {SESSION}", f"lost {SESSION}"]),
            (inventing, [f"replay {SESSION} --preset recorded"]),
            (broken, [f"why {SESSION}", f"lost {SESSION}"]),
            (places, [*LINES, *OTHER_LINES]),
            (chats, [*LINES, *OTHER_LINES]),
            (samples, LONG_LINES),
            ({SESSION: ROOT / "sessions" / "research.json"}, [f"why {SESSION}", f"top {SESSION}"]),
            ({"FOLDER": ROOT / "sessions"}, ["tune FOLDER --preset aggressive --preset early --jobs 1"]),
            (torn, [f"check {SESSION}"]),
            (fallen, [f"why {SESSION}"]),
            (helpers, [f"agents {SESSION}", f"agents {SESSION} --agent main --turn 3"]),
            (shared, [f"agents {SESSION}"]),
        )
        for line in lines
        for _, found in [run(line, {**where, "COPY": tmp_path / f"{len(seen)}.db"}, seen)]
        if found
    ]
    assert wrong == []
    never = set().union(*map(keys_of, OUTPUTS)) - seen
    assert never - WRITTEN_ONLY - PLUGIN_KEYS - HOOK_KEYS - TEAM_KEYS - PARQUET_KEYS == DAMAGED_ONLY


DAMAGED_ONLY = {
    ("Store repair", key)
    for key in ("damaged", "memories", "lost_memories", "complete", "problems", "gone", "sessions")
}
"""Keys that a store which is whole does not have."""
PARQUET_KEYS = {pair for pair in keys_of("export") if pair[0] == "Parquet"}
"""Keys that are met where pyarrow is installed: see `test_cli_parquet`."""
TEAM_KEYS = keys_of("push") | keys_of("team init")
"""Keys that are met where there is a server: see `test_cli_team`."""
WRITTEN_ONLY = keys_of("follow") - keys_of("follow", ["Follow session", "Follow message"])
"""Keys that are met where another program writes: see `test_cli_follow`."""
PLUGIN_KEYS = {key for key in keys_of("plugins") if key[0] == "Plugin"}
"""Keys of an installed plugin: see `tests/testing/test_plugins.py`."""
HOOK_KEYS = {key for key in keys_of("doctor") if key[0] == "Hook run"}
"""Keys of a hook that ran: see `test_cli_setup`."""


def test_the_repair_of_a_damaged_store_is_as_the_schema_says(places: dict[str, Path]) -> None:
    inspect("import", places[SESSION])
    store = Path(os.environ["INSPECTOR_DB"])
    pages = bytearray(store.read_bytes())
    pages[-4096:] = bytes(4096)
    store.write_bytes(pages)
    seen: set[Key] = set()
    assert [run(line, places, seen)[1] for line in ("store check", "store repair")] == [[], []]
    assert seen >= DAMAGED_ONLY


@pytest.mark.parametrize("line", FAILING)
def test_a_command_that_fails_prints_the_schemas_errors(line: str, places: dict[str, Path]) -> None:
    code, found = run(line, places)
    assert code in (1, 2)
    assert found == []


def test_every_command_has_an_output() -> None:
    """All but the app, `mcp`, `schema`, `hook` and `statusline`: agents define the form of the last two."""
    context = click.Context(cli)
    without = ("hook", "mcp", "open", "schema", "serve", "statusline")
    commands = {name: cli.get_command(context, name) for name in COMMANDS if name not in without}
    groups = {name: command for name, command in commands.items() if isinstance(command, click.Group)}
    names = {f"{name} {inner}" for name, group in groups.items() for inner in group.list_commands(context)}
    assert names | commands.keys() - groups.keys() <= OUTPUTS.keys()
    assert OUTPUTS.keys() <= {"", *names, *commands}


def test_the_request_that_is_exported_is_no_output_of_the_schema(places: dict[str, Path]) -> None:
    assert "version" not in json.loads(inspect("export", places[SESSION]).out)


def test_the_schema_is_strict() -> None:
    right = {"version": VERSION, "path": "a", "backup": "b", "bytes": 1, "whole": True}
    assert output_faults(right, "store backup", 0) == []
    for wrong in ({"bytes": True}, {"bytes": 1.0}, {"whole": 1}, {"path": None}, {"more": 1}, {"version": VERSION + 1}):
        assert len(output_faults(right | wrong, "store backup", 0)) == 1
    for key in right:
        assert len(output_faults({name: right[name] for name in right if name != key}, "store backup", 0)) == 1
    failure = {"version": VERSION, "errors": ["It does not exist."]}
    assert output_faults(failure, "store backup", 1) == []
    assert output_faults(failure, "store backup", 0) != []


def test_the_schema_of_all_commands_describes_an_object_with_a_key_for_each(places: dict[str, Path]) -> None:
    document = inspect("schema").json
    Draft202012Validator.check_schema(document)
    assert [command if command != "open" else "" for command in document["properties"]] == list(OUTPUTS)
    outputs = {"ls": inspect("ls", places[SESSION], "--json").json, "open": inspect(places[SESSION], "--json").json}
    validator = Draft202012Validator(document)
    assert list(validator.iter_errors(outputs)) == []
    assert len(list(validator.iter_errors({**outputs, "nothing": {}}))) == 1
    assert len(list(validator.iter_errors({**outputs, "ls": {**outputs["ls"], "more": 1}}))) == 1


@pytest.mark.parametrize("command", OUTPUTS)
def test_the_schema_of_a_command_is_closed_and_complete(command: str) -> None:
    document = inspect("schema", *(command or "open").split()).json
    Draft202012Validator.check_schema(document)
    assert {"version": VERSION, **document} == inspect("schema", *(command or "open").split(), "--json").json
    forms = [*document["$defs"].values(), *document["anyOf"][:-1]]
    assert [form["title"] for form in forms if form["additionalProperties"] is not False] == []
    references = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(document)))
    assert references == document["$defs"].keys()


def test_a_command_without_a_schema_is_named_in_one_sentence_with_the_nearest() -> None:
    ended = inspect("schema", "memory", "list")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "There is no command 'memory list' with JSON output. Did you mean memory ls?\n"
    assert inspect("schema", "serve", "--json").json["errors"]


def test_the_reference_is_current() -> None:
    page = ROOT / "docs" / "json.md"
    assert page.read_text(encoding="utf-8") == json_reference(), "make docs"
