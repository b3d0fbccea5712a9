"""Every command with `--redact` writes no secret, and a command that gets the option has to be entered here."""

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


def redacting(group: click.Command, context: click.Context, words: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands of the command line that have `--redact`."""
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from redacting(command, click.Context(command, parent=context), (*words, name))
    elif any({"--redact", "--no-redact"} & {*option.opts, *option.secondary_opts} for option in group.params):
        yield " ".join(words)


def test_every_command_that_redacts_is_entered() -> None:
    assert set(redacting(cli, click.Context(cli))) == {*EXITS, *ELSEWHERE}
    assert all("redact" in (ROOT / path).read_text("utf-8") for path in ELSEWHERE.values())


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
    assert safe.code in (0, 1), safe.err
    assert safe.out or safe.err
    for text in (safe.out, safe.err):
        assert not [secret for secret in SECRETS if secret in text]
