"""Every command and code block of README and docs/ runs; `tests/memory/test_docs.py` has those of docs/memory.md."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from shutil import copytree, rmtree
from textwrap import dedent
from types import ModuleType
from typing import Any

import click
import pytest

from inspector.analysis.multi_agent import collaboration_record
from inspector.cli.command_line import cli
from inspector.engine.strategies import Strategy
from inspector.memory import MemoryConfig
from inspector.memory.shared.conversation_memory import ConversationMemory
from inspector.memory.shared.orchestrator import Orchestrator
from inspector.testing import check_format, check_memory_store
from tests.cli.calling import inspect
from tests.dialogues import beam_folder, dialogue
from tests.engine.summaries.endpoint import serving
from tests.formats.memory_samples import mem0, rules
from tests.formats.written import write_json
from tests.library.capture.joined_samples import Program
from tests.memory.shared.scripted import agents_of
from tests.memory.test_docs import behave, run
from tests.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^    (inspector .*?)(?:  +#.*)?$", re.MULTILINE)
INLINE = re.compile(r"`inspector ([^`]*)`")
GIVEN = {
    "TOOL": "claude-code",
    "PATH": "log.jsonl",
    "transcript.jsonl": "log.jsonl",
    "X": "log.jsonl",
    "WORDS": "gate",
    "NAME": "fifo",
    "COMMAND": "show",
    "FOLDER": "code",
    "A": "code",
    "B": "code",
    "C": "code",
    "N": "26",
    "SESSION": "log.jsonl",
    "MESSAGE": "1",
    "ID": "1",
    "TOKENS": "500",
    "ADDRESS": "postgresql://owner@db.example.org/agents",
    "FILE": "copy.db",
    "P": "balanced",
    "tool|file|kind|turn": "tool",
}
"""What stands for the placeholders of the pages; brackets and dots around what may be left out are dropped."""
HELP = ["--help"]
SERVERS = {
    "ask": HELP,
    "serve": HELP,
    "receive": HELP,
    "mcp": HELP,
    "statusline": HELP,
    "hook": HELP,
    "follow": ["--until-idle", "0"],
}
"""What ends a command that runs until it is interrupted. The tests of `serve` start it for good."""
COMMANDS = sorted({line for page in PAGES for line in BLOCK.findall(page.read_text(encoding="utf-8"))})
WANTED = sorted({line for page in PAGES for line in INLINE.findall(page.read_text(encoding="utf-8"))})


def words_of(line: str) -> list[str]:
    """A documented command, with something for each placeholder."""
    quoted = [word for word in shlex.split(line, comments=True) if word not in ("…", "…]")]
    given = [GIVEN.get(word.strip("[]…"), word.strip("[]…")) for word in quoted[1:]]
    if given[:1] == ["eval"]:
        given[2] = {"locomo": "locomo.json", "beam": "beam"}[given[1]]
    if given[:1] == ["record"] or any(word.startswith(("postgresql://", "tcp://")) for word in given):
        return [*given[:1], *HELP]  # the agents and servers in the examples are not here
    return [*given, *SERVERS.get(given[0] if given else "", [])]


def settle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder, with a store and presets of its own."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("INSPECTOR_DB", str(folder / "store.db"))
    monkeypatch.setenv("INSPECTOR_PRESETS", str(folder / "presets.toml"))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with copies of what the commands name, and a copy of it that no command changes."""
    folder = tmp_path_factory.mktemp("documented") / "folder"
    copytree(ROOT / "sessions", folder / "sessions", ignore=lambda *_: ["_make", "three-agents"])
    (folder / "log.jsonl").write_bytes((ROOT / "sessions" / "coding-agent.jsonl").read_bytes())
    captured = Program(folder / "session.jsonl", folder / "requests.jsonl")
    captured.user("Light the lamp.")
    captured.reply("It is lit.")
    (folder / "code").mkdir()
    (folder / "code" / "agent.py").write_text("messages = []\ndef ask(text):\n    messages.append(text)\n")
    write_json(folder / "locomo.json", [dialogue()])
    beam_folder(folder / "beam")
    (folder / "before.md").write_text(rules(folder).read_text(encoding="utf-8"), encoding="utf-8")
    mem0(folder)
    project = folder / ".claude" / "projects" / "-pier"
    project.mkdir(parents=True)
    (project / "log.jsonl").write_bytes((folder / "log.jsonl").read_bytes())
    with pytest.MonkeyPatch.context() as monkeypatch:
        settle(folder, monkeypatch)
        assert inspect("import", "log.jsonl").code == 0
        assert inspect("memory", "promote", "log.jsonl", "1", "--to", "persistent").code == 0
    return folder, copytree(folder, folder.with_name("kept"))


@pytest.fixture
def folder(prepared: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The prepared folder as it was before any command."""
    folder, kept = prepared
    rmtree(folder)
    copytree(kept, folder)
    settle(folder, monkeypatch)
    return folder


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", COMMANDS)
def test_a_documented_command_does_what_it_says(line: str) -> None:
    with serving(behave) as model:
        settings = {"INSPECTOR_MODEL": "gpt-4o-mini", "OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": model.url}
        ended = inspect(*words_of(line), **settings)
    assert ended.code == 0, ended.err
    assert ended.out or ended.err


def test_there_are_commands_on_the_pages() -> None:
    assert len(COMMANDS) > 40 and len(WANTED) > 40


@pytest.mark.parametrize("line", WANTED)
def test_a_command_that_is_named_is_there_with_its_options(line: str) -> None:
    words = shlex.split(line)
    group: click.Command | None = cli
    while isinstance(group, click.Group) and words and (found := group.get_command(click.Context(group), words[0])):
        group, words = found, words[1:]
    assert group is not None
    options = {name for parameter in group.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= options | {"--json", "--help"}
    assert group is not cli or not words or not words[0].islower() or "." in words[0]


def indented(page: str, first: str) -> str:
    """The indented block of a page that begins with these words."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return dedent(text[text.index(f"    {first}") :].partition("\n\n" if "import" not in first else "\n\n`")[0])


class Model:
    """A model that always answers the same."""

    async def call_async(self, messages: list[Any]) -> str:
        return f"{len(messages)} messages"


async def test_the_memory_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"llm": Model(), "task": "Count the orders of May."}
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    await run(code, names)
    *messages, saved = capsys.readouterr().out.splitlines()
    assert len(messages) == 2 and "Count the orders of May." in messages[1]
    assert saved.lstrip("-").isdigit()


async def test_the_agents_of_docs_are_written_down(folder: Path) -> None:
    orchestrator = Orchestrator(agents_of(), ConversationMemory())
    names = {"orchestrator": orchestrator, "Path": Path, "json": json, "collaboration_record": collaboration_record}
    await run(indented("docs/agents.md", "log = orchestrator"), names)
    assert isinstance(json.loads((folder / "run.json").read_text(encoding="utf-8")), dict)


def test_the_variables_of_docs_are_the_defaults() -> None:
    lines = indented("docs/memory.md", "MEMORY_ENABLED").splitlines()
    assert MemoryConfig.from_env(dict(line.split("=") for line in lines), Path()) == MemoryConfig()


def test_the_plugins_of_docs_pass_their_own_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    strategy, plain_log, jotter, test = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    module = ModuleType("every_other")
    monkeypatch.setitem(sys.modules, "every_other", module)
    exec(strategy, vars(module))
    names: dict[str, Any] = {}
    exec(test, names)
    names["test_every_other"]()
    (project,) = re.findall(r"^```toml\n(.*?)^```", text, re.S | re.M)
    ((name, place),) = tomllib.loads(project)["project"]["entry-points"]["inspector.strategies"].items()
    assert name == "every_other" and isinstance(getattr(module, place.partition(":")[2]), Strategy)
    names = {"__name__": "plainlog"}
    exec(plain_log, names)
    log = tmp_path / "chat.log"
    log.write_text("2026-01-02 10:00:00 ann: Hello.\n2026-01-02 10:00:01 bot: Hello, Ann.\n", encoding="utf-8")
    check_format(names["PlainLog"](), [log])
    exec(jotter, names)
    notes = tmp_path / "may.jot"
    notes.write_text("2026-01-02 shop: Invoices are sent on Mondays.\n", encoding="utf-8")
    check_memory_store(names["Jotter"](), [notes])
