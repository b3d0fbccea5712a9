"""`inspector` itself: with paths, without, with a word that is no command, and what it loads."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import click
import pytest

from inspector import __version__
from inspector.cli.command_line import COMMANDS, LazyGroup, cli
from tests.cli.calling import chat, inspect, process, transcript, written
from tests.places import ROOT
from tests.warm import Program


def test_without_a_terminal_it_prints_the_library_and_the_first_window(log: Path, tmp_path: Path) -> None:
    written(tmp_path / "logs" / "agent.jsonl", transcript())
    ended = process(log, tmp_path / "logs")
    text = ended.stdout.decode()
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert str(log) in text
    assert "agent.jsonl" in text
    assert "of 128,000 tokens" in text
    assert text.count("tokens   content") == 1


def test_without_paths_it_prints_what_is_stored(log: Path) -> None:
    assert "No sessions." in inspect().out
    inspect("import", log)

    bare = inspect("--json").json
    assert [entry["origin"] for entry in bare["sessions"]] == ["stored"]
    assert bare["first"]["window"] == inspect("show", log, "--json").json["window"]


def test_options_may_stand_before_the_command(log: Path, tmp_path: Path) -> None:
    assert inspect("--json", "--db", tmp_path / "other.db", "show", log).json["session"]["messages"] == 28
    assert (tmp_path / "other.db").exists()


def test_a_file_may_be_called_like_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "show", chat(1))
    monkeypatch.chdir(tmp_path)
    assert "of 128,000 tokens" in inspect("./show").out


def test_a_misspelt_command_is_told(tmp_path: Path) -> None:
    ended = inspect("compres", tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith("Did you mean compress?\n")


def test_wrong_options_are_wrong_usage_in_one_sentence(log: Path) -> None:
    for words in (
        ["show"],
        ["show", log, "--trun", 3],
        ["show", log, "--turn", "x"],
        ["export", log, "--to", "cohere"],
    ):
        ended = inspect(*words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.count("\n") == 1
        assert "--help" in ended.err


def test_help_and_version_are_there_and_quick() -> None:
    assert inspect("--version").out == f"inspector {__version__}\n"
    text = inspect("--help").out
    assert all(f"  {name} " in text for name in COMMANDS if name != "open")
    assert max(map(len, text.splitlines())) <= 80
    assert inspect("show", "--help").code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_has_each_commands_own_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    assert ("" if command.hidden else command.get_short_help_str(limit=200)) == COMMANDS[name][1]


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--help"], {}),
        (["--version"], {}),
        ([], {"_INSPECTOR_COMPLETE": "bash_complete", "COMP_WORDS": "inspector ", "COMP_CWORD": "1"}),
    ],
    ids=["help", "version", "completion"],
)
def test_help_and_completion_load_no_command_and_nothing_of_the_core(
    words: list[str], environment: dict[str, str]
) -> None:
    program = (
        "import sys; from inspector.cli.command_line import cli\n"
        f"try: cli.main({words!r}, prog_name='inspector')\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    loaded = set(ended.stderr.split())
    ours = {name for name in loaded if name.startswith("inspector.")}
    assert {name for name in ours if name.startswith("inspector.cli.commands.")} == set()
    assert {name.split(".")[1] for name in ours} <= {"cli", "core"}
    core = {name.split(".")[2] for name in ours if name.startswith("inspector.core.")}
    assert core <= {"text", "errors", "gc_tuning", "json_objects", "lazy", "plugins"}
    assert loaded.isdisjoint({"textual", "tiktoken", "sqlite_utils", "openai", "numpy", "orjson", "sqlite3"})
    assert environment == {} or "compress" in ended.stdout


def test_help_of_a_command_loads_no_other_command_that_it_does_not_use() -> None:
    program = (
        "import sys; from inspector.cli.command_line import cli\n"
        "try: cli.main(['ls', '--help'], prog_name='inspector')\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('inspector.cli.commands.')], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert ended.stderr == "['inspector.cli.commands.library']\n"


SEPARATE = (
    "inspector.ui",
    "inspector.engine.facts.",
    "inspector.engine.summaries.",
    "inspector.analysis.replay",
    "inspector.analysis.experiments",
)
"""What a window is shown without, by how its modules begin."""


def loaded_by(*words: object) -> list[str]:
    """The modules that a command has loaded when it ends well."""
    program = (
        "import sys; from inspector.cli.command_line import cli\n"
        f"try: cli.main({list(map(str, words))!r}, prog_name='inspector')\n"
        "except SystemExit as end:\n"
        "    print(end.code, *sys.modules, file=sys.stderr)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    code, *names = ended.stderr.split()
    assert code == "0"
    return names


def test_showing_a_window_loads_only_what_it_takes() -> None:
    """Once its messages and tools are counted: no tokenizer, no strategy, no facts."""
    ticket = ROOT / "sessions" / "support-ticket.json"
    inspect("show", ticket)
    loaded = loaded_by("show", ticket, "--json")
    assert {"textual", "rich.console", "rich.text", "tiktoken", "numpy", "sqlite_utils"}.isdisjoint(loaded)
    assert [name for name in loaded if name.startswith((*SEPARATE, "inspector.library.opening.imports"))] == [
        "inspector.engine.facts.cache"
    ]
    assert [name for name in loaded if name.startswith("inspector.engine.strategies.")] == [
        "inspector.engine.strategies.services"
    ]


def test_listing_sessions_reads_no_facts_and_builds_no_window(log: Path) -> None:
    """Of files, the store and this machine: without analyses, token tables, plans, and the metadata of packages."""
    inspect("import", log)
    loaded = loaded_by("ls", "--json")
    others = ("inspector.engine.strategies.", "inspector.engine.compression.", "inspector.engine.work_state.")
    late = (*SEPARATE, *others, "inspector.library.bench", "inspector.library.opening.loading", "inspector.analysis.")
    own = ("inspector.analysis.redaction", "inspector.analysis.message_search", "inspector.analysis.usage_breakdown")
    names = [name for name in loaded if name.startswith(late) and name not in own]
    assert [name for name in names if not name.startswith("inspector.analysis.message_search.")] == []
    assert {"importlib.metadata", "toktok", "tiktoken", "numpy", "sqlite_utils", "textual"}.isdisjoint(loaded)


def test_top_and_why_load_only_the_rules_that_they_use() -> None:
    ticket = ROOT / "sessions" / "support-ticket.json"
    inspect("top", ticket)
    inspect("why", ticket)
    rules = ("inspector.engine.facts.extraction", "inspector.engine.facts.fact_index", "inspector.engine.work_state.")
    loaded = loaded_by("top", ticket, "--json")
    assert [name for name in loaded if name.startswith((*rules, "inspector.analysis.experiments"))] == []
    assert {"genai_prices", "textual", "numpy"}.isdisjoint(loaded)
    loaded = loaded_by("why", ticket, "--json")
    steps = ("call_effects", "code_effects", "state_fold", "message_steps", "fates", "consequences", "rule_checks")
    assert {f"inspector.engine.work_state.{name}" for name in steps}.isdisjoint(loaded)
    assert {"genai_prices", "textual", "numpy"}.isdisjoint(loaded)


def test_help_of_a_command_opens_nothing() -> None:
    loaded = loaded_by("show", "--help")
    beginnings = (
        *SEPARATE,
        "inspector.library.",
        "inspector.store.",
        "inspector.formats.",
        "inspector.engine.strategies.",
    )
    assert [name for name in loaded if name.startswith(beginnings)] == []


def test_without_a_usable_store_it_warns_once_and_goes_on(log: Path, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")
    ended = inspect("show", log, "--db", tmp_path / "blocked" / "inspector.db", "--json")
    assert (ended.code, ended.json["valid"]) == (0, True)
    assert ended.err.count("\n") == 1
    assert "blocked/inspector.db cannot be written" in ended.err


def on_a_terminal(*words: object, **environment: str) -> str:
    """What a command prints to a terminal on standard output; standard input stays without one."""
    main, side = pty.openpty()
    command = ["-m", "inspector", *words]
    child = Program(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=side, env=os.environ | environment)
    os.close(side)
    text = b""
    with suppress(OSError):  # how a terminal says that its other side is gone
        while piece := os.read(main, 65_536):
            text += piece
    os.close(main)
    assert child.wait(30) == 0
    return text.decode()


def test_a_terminal_gets_colours_unless_it_does_not_want_them(log: Path) -> None:
    assert "\x1b[" in on_a_terminal("show", log, TERM="xterm-256color")
    assert "\x1b[" not in on_a_terminal("show", log, TERM="xterm-256color", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("show", log, TERM="dumb")
    assert "\x1b[" not in inspect("show", log).out


def test_on_a_terminal_paths_open_in_the_app(log: Path) -> None:
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color", "LINES": "24"}
    child = Program(["-m", "inspector", log], cwd=ROOT, stdin=side, stdout=side, stderr=side, env=environment)
    os.close(side)
    text = b""
    while b"Reading month" not in text:
        text += os.read(main, 65_536)
    assert b"\x1b[?1049h" in text
    os.write(main, b"\x11")
    with suppress(OSError):  # how a terminal says that its other side is gone
        while os.read(main, 65_536):
            pass
    assert child.wait(30) == 0
    os.close(main)


def test_an_interruption_ends_with_130_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def wait() -> None:
        raise KeyboardInterrupt

    group = LazyGroup(commands={"wait": wait})
    with pytest.raises(SystemExit) as end:
        group.main(["wait"], prog_name="inspector")
    assert end.value.code == 130
    assert capsys.readouterr().err.strip() == ""


def test_a_mistake_of_our_own_is_a_sentence_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def stumble() -> None:
        raise ZeroDivisionError("by nought")

    group = LazyGroup(commands={"stumble": stumble})
    with pytest.raises(SystemExit) as end:
        group.main(["stumble"], prog_name="inspector")
    assert end.value.code == 1
    sentence = capsys.readouterr().err
    assert "(ZeroDivisionError); a report without conversation text is in " in sentence and "nought" not in sentence
    assert "ZeroDivisionError" in Path(sentence.rpartition(" ")[2].rstrip(".\n")).read_text(encoding="utf-8")
    monkeypatch.setenv("INSPECTOR_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        group.main(["stumble"], prog_name="inspector")
