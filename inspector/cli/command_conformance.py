"""Checks that every command passes, for the authors of commands: see `inspector.testing`."""

from __future__ import annotations

import click


def check_command(command: click.Command) -> None:
    """Check a command: its help, and the options that every command of Inspector has.

    Args:
        command: The object at the entry point.

    Raises:
        AssertionError: A rule is broken; its text says which.
    """
    assert isinstance(command, click.Command), "a command is made with click.command()"
    context = click.Context(command, info_name=command.name)
    first_line = command.get_short_help_str(200)
    assert first_line.endswith((".", "?", "!")), f"the first line of the help is a sentence: {first_line!r}"
    names = {name for option in command.params for name in option.opts}
    assert isinstance(command, click.Group) or "--json" in names, "a command prints JSON with --json"
    for option in command.params:
        documented = not isinstance(option, click.Option) or bool(option.help)
        assert documented, f"the option {option.name} says what it does"
    assert command.get_help(context), "--help prints the help"
