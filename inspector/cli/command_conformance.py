"""Conformance checks for commands of plugins: see `inspector.testing`."""

from __future__ import annotations

import click


def check_command(command: click.Command) -> None:
    """Check a command: its help, and the options that all commands share.

    Args:
        command: The object at the entry point.

    Raises:
        AssertionError: The command breaks a rule, which the message names.
    """
    assert isinstance(command, click.Command), "the object is not a click command: create it with click.command()"
    context = click.Context(command, info_name=command.name)
    first_line = command.get_short_help_str(200)
    assert first_line.endswith((".", "?", "!")), f"the first line of the help is not a sentence: {first_line!r}"
    names = {name for option in command.params for name in option.opts}
    assert isinstance(command, click.Group) or "--json" in names, "the command has no option --json"
    for option in command.params:
        documented = not isinstance(option, click.Option) or bool(option.help)
        assert documented, f"the option {option.name} has no help"
    assert command.get_help(context), "--help does not print the help"
