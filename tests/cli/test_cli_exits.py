"""Every command with `--redact` writes no secret, and every command has to be entered here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from inspector.cli.command_line import cli
from tests.cli.calling import inspect
from tests.cli.test_cli_redact import SECRETS, TOKEN, secretive
from tests.dialogues import beam_folder, dialogue
from tests.formats.written import write_json
from tests.places import ROOT

__all__ = ["secretive"]

EXITS = {
    **{
        name: f"{name} FILE"
        for name in ("agents", "check", "lost", "ls", "report", "show", "state", "top", "uncompact")
    },
    **{name: f"{name} FILE" for name in ("import", "undo", "why", "memory ls", "blame", "restore", "memory window")},
    "bookmarks ls": "bookmarks ls",
    "compare": "compare FILE --preset balanced",
    "compress": "compress FILE -s fifo",
    "diff": "diff FILE -s fifo --full",
    "drop": "drop FILE 2",
    "eval beam": "eval beam BEAM",
    "eval locomo": "eval locomo LOCOMO -s deletion",
    "export": "export FILE",
    "find": "find FILE Push",
    "follow": "follow FILE --until-idle 0",
    "keep": "keep --all",
    "memory recall": "memory recall push",
    "memory search": "memory search push",
    "memory show": "memory show 1",
    "pin": "pin FILE 1",
    "probe": "probe FILE -s fifo",
    "replay": "replay FILE -s fifo --all",
    "search": "search annalena FILE",
    "tune": "tune FILE --preset balanced --jobs 1",
}
ELSEWHERE = {
    "ask": "tests/cli/test_cli_ask.py",
    "push": "tests/cli/test_cli_team.py",
    "receive": "tests/library/capture/test_receiver.py",
}
"""Commands that need a server, each with the file of tests in which they redact."""
CODES = {"why": 1}
"""Exit codes other than 0: the session has no compaction."""
QUIET = {
    "bookmarks rm": "bookmarks rm FILE 1",
    "doctor": "doctor",
    "formats": "formats",
    "keys": "keys",
    "plugins": "plugins",
    "presets show": "presets show balanced",
    "schema": "schema",
    "stats": "stats",
    "store check": "store check",
    "strategies": "strategies",
}
"""Commands without `--redact` that print no text of a conversation."""
VERBATIM = {
    "texts that an agent or its user reads on this machine": "agent, hook, mcp, open, serve, statusline",
    "memories as they are, for their owner": "memory audit, memory demote, memory diff, memory forget, memory history, "
    "memory inject, memory open, memory pin, memory promote, memory stores",
    "sessions by their titles": "count, discover, rm, store prune",
    "what the user types, or files that are written": "bookmarks add, presets remove, presets save, record, "
    "redact, setup",
    "copies, databases and examples": "store backup, store repair, team add, team init, demo shared-memory, "
    "demo working-memory",
}
"""Why the other commands have no `--redact`."""


def commands(group: click.Command, context: click.Context, words: tuple[str, ...] = ()) -> Iterator[tuple[str, bool]]:
    """The commands of the command line, and whether they have `--redact`."""
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, click.Context(command, parent=context), (*words, name))
    else:
        options = {option for each in group.params for option in (*each.opts, *each.secondary_opts)}
        yield " ".join(words), not options.isdisjoint(("--redact", "--no-redact"))


def test_every_command_is_entered() -> None:
    found = dict(commands(cli, click.Context(cli)))
    assert {name for name, redacts in found.items() if redacts} == {*EXITS, *ELSEWHERE}
    assert all("redact" in (ROOT / path).read_text("utf-8") for path in ELSEWHERE.values())
    verbatim = {name for names in VERBATIM.values() for name in names.split(", ")}
    assert {name for name, redacts in found.items() if not redacts} == {*QUIET, *verbatim}


@pytest.mark.parametrize("name", QUIET)
def test_a_command_without_the_option_prints_no_text(name: str, secretive: Path, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "own.db")
    inspect("import", secretive, *db)
    inspect("bookmarks", "add", secretive, 1, "of annalena:", "/home/annalena/src", *db)
    words = [secretive if word == "FILE" else word for word in QUIET[name].split()]
    ended = inspect(*words, **({"INSPECTOR_DB": str(tmp_path / "own.db")}))
    assert ended.code == 0, ended.err
    for text in (ended.out, ended.err):
        assert not [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("name", EXITS)
def test_no_secret_leaves_through_a_command(name: str, secretive: Path, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "own.db")
    inspect("import", secretive, *db)
    inspect("bookmarks", "add", secretive, 1, "of annalena:", "/home/annalena/src", *db)
    inspect("memory", "promote", secretive, 1, *db)
    files: dict[str, Path] = {
        "FILE": secretive,
        "LOCOMO": write_json(tmp_path / "dialogues.json", [dialogue(name=f"Push with {TOKEN}")]),
        "BEAM": beam_folder(tmp_path / "beam"),
    }
    words = [files.get(word, word) for word in EXITS[name].split()]
    safe = inspect(*words, "--redact", *db)
    assert safe.code == CODES.get(name, 0), safe.err
    assert safe.out or safe.err
    for text in (safe.out, safe.err):
        assert not [secret for secret in SECRETS if secret in text]
