"""The command `plugins`, which lists the plugins of other distributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from inspector.cli.command_errors import GATE
from inspector.cli.command_line import cli
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import json_output
from inspector.core.plugins import Plugin
from inspector.core.text import lines_of, one_line, pad
from inspector.engine.strategies import STRATEGIES
from inspector.formats import FORMATS, MEMORY_READERS, WRITERS
from inspector.llm.providers import PROVIDERS

_NAME = 18


@json_output()
class PluginsOutput:
    """The installed plugins."""

    plugins: Sequence[Plugin]


@click.command("plugins")
@json_option
def list_plugins(as_json: bool) -> int:
    """List the installed plugins, and why one is not used.

    Exits with 3 if a plugin is not used.
    """
    plugins = _all_plugins()
    if as_json:
        echo_json(PluginsOutput(plugins=plugins))
    else:
        echo("\n".join(_plugins_text(plugins)))
    return GATE if any(plugin.problem for plugin in plugins) else 0


def _all_plugins() -> list[Plugin]:
    registries = [cli.registry, WRITERS, FORMATS, MEMORY_READERS, PROVIDERS, STRATEGIES]
    return [plugin for registry in registries if registry is not None for plugin in registry.plugins()]


def _plugins_text(plugins: Sequence[Plugin]) -> Iterator[str]:
    if not plugins:
        yield "No plugins are installed. docs/plugins.md describes how to write one."
    for group, members in groupby(plugins, key=lambda plugin: plugin.group):
        yield paint(group, "strong")
        for plugin in members:
            origin = one_line(f"{plugin.distribution} {plugin.version}")
            yield f"  {pad(one_line(plugin.name), _NAME)} {origin}  {paint(one_line(plugin.target), 'dim')}"
            reason = f"not used: {one_line(plugin.problem)}" if plugin.problem else ""
            for line in lines_of(reason, width() - _NAME - 3):
                yield " " * (_NAME + 3) + paint(line, "warn")
