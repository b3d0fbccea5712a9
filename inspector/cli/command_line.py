"""`inspector`: the commands, and what happens when none is named.

`inspector PATH…` opens the app on a terminal; elsewhere it prints the same as text. A first word that is no command is
a path, so `inspector ./show` opens a file that is called like one.

A command's module is imported when the command runs. Help and completion of the group read the table below instead.
Other distributions add commands at the entry point `inspector.commands`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from inspector import __version__
from inspector.cli.command_errors import CommandError, run_command
from inspector.cli.output import warn
from inspector.cli.standard_input import with_standard_input
from inspector.core.plugins import PluginError, Registry, load_target, plugin_problems

COMMANDS: Mapping[str, tuple[str, str]] = {
    "agents": ("agents:agents", "Show who wrote what, and whose prompt it went into."),
    "bookmarks": ("bookmarks:bookmarks", "List the bookmarks of messages; add and remove some."),
    "check": ("check:check", "Check a context against a provider's rules."),
    "compare": ("compare:compare", "Set two presets on one session side by side, or two sessions."),
    "compress": ("compress:compress", "Show what a strategy would keep, lose and save."),
    "count": ("count:count", "Compare ways of counting tokens on a session."),
    "demo": ("demo:demo", "Open sample sessions with a tour, or show what agents do with their memory."),
    "diff": ("diff:diff", "Compare the recorded window with the compressed one."),
    "discover": ("discover:discover", "Find what coding tools have recorded on this machine."),
    "drop": ("stack:drop", "Drop messages by hand, a tool call together with its results."),
    "eval": ("eval:evaluate", "Test strategies on recordings with known answers."),
    "export": ("export:export", "Write a context as a request, ATIF, OTLP, Markdown or a Claude Code transcript."),
    "follow": ("follow:follow", "Follow a session that another program is writing."),
    "find": ("find:find_messages", "Find messages of a session: all that is said must hold."),
    "formats": ("formats:formats", "List the formats that can be opened, and what each records."),
    "import": ("library:import_", "Put sessions into the store."),
    "keys": ("keys:keys", "List the keys of the app, with your own from settings.toml."),
    "lost": ("lost:lost", "Show which facts a compaction took out, and which later turns needed them."),
    "ls": ("library:ls", "List the sessions of files, of folders, or of this machine."),
    "memory": ("memory:memory", "See what is remembered, search it, move it between the tiers, and forget it."),
    "open": ("open:open_", ""),
    "pin": ("stack:pin", "Pin messages: no strategy takes them out."),
    "plugins": ("list_plugins:list_plugins", "List the installed plugins, and why one is not used."),
    "presets": ("presets:presets", "List the presets; show, save and remove your own."),
    "probe": ("probe:probe", "Plant known facts and see which strategies keep them."),
    "replay": ("replay:replay", "Replay a session under a preset, turn by turn."),
    "report": ("report:report", "Report on how a session, or a source, handles memory."),
    "schema": ("print_schema:schema", "Print the JSON Schema of what commands print with --json."),
    "search": (
        "library:search",
        "Find messages in everything stored, and in the files and folders that are named behind the words.",
    ),
    "serve": ("serve:serve", "Serve the app to a browser on this machine, until ctrl+c."),
    "show": ("show:show", "Show what is in the context window."),
    "store": ("store:store", "Check the store, repair a damaged one, and make a backup."),
    "strategies": ("strategies:strategies", "List the strategies; with NAME, the settings of one."),
    "top": ("top:top", "Show what fills the window: by tool, file, kind or turn."),
    "tune": ("tune:tune", "Compare presets on a session: which one is best here?"),
    "uncompact": ("lost:uncompact", "Print what a compaction lost as a short text to give back to the agent."),
    "undo": ("stack:undo", "Take the newest plan off a session's stack."),
    "why": ("why:why", "Say in one sentence what became of a context, and answer four questions."),
}
"""Each command with its object, as `module:name` in `inspector.cli.commands`, and its help in one line.

One without help is hidden.
"""

_ABOUT = """See what is in an agent's context window, change how it is compressed, and see what is kept, lost and paid.

With paths (or without), on a terminal: the app. Elsewhere: the same as plain text. A path may be -, for standard
input: it is read once, up to 1 GB, and recognised by its content.

Ends with 0 when all is well, 1 for bad input, 2 for wrong usage, 3 for a missed gate, 130 after an interrupt. With
--json, what went wrong stands in `errors`, a list of sentences.
"""
_IN_LINES = "follow"
"""The command whose --json prints a value on each line."""
_LISTS_PLUGINS = "plugins"
"""The command whose output includes the problems of plugins."""
_TAKES_VALUE = ("--db", "--limit")
_OWN_COMMANDS = "inspector.cli.commands"
"""The package that the targets in `COMMANDS` are relative to."""


class LazyGroup(click.Group):
    """A group that imports a command when it runs; words that name no command are paths for the app.

    Args:
        table: Commands in the form of `COMMANDS`.
        registry: The commands of plugins.
    """

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, tuple[str, str]] | None = None,
        registry: Registry[click.Command] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.table = table or {}
        self.registry = registry

    def main(self, args: Sequence[str] | None = None, *rest: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run the words as a command. Ends the program, unless `standalone_mode` is false."""
        words = list(sys.argv[1:] if args is None else args)
        run: Callable[[], Any] = partial(self._run_words, words, rest, extra)
        if not standalone_mode:
            return run()
        options = words[: words.index("--") if "--" in words else None]
        as_lines = self.with_command(words)[:1] == [_IN_LINES]
        sys.exit(run_command(run, as_json="--json" in options, as_lines=as_lines))

    def _run_words(self, words: Sequence[str], rest: Sequence[Any], extra: dict[str, Any]) -> Any:
        with with_standard_input(words) as command:
            code = click.Group.main(self, command, *rest, **extra | {"standalone_mode": False})
        if command[:1] != [_LISTS_PLUGINS]:
            for sentence in plugin_problems():
                warn(sentence)
        return code

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if ctx.resilient_parsing else self.with_command(args))

    def with_command(self, args: list[str]) -> list[str]:
        """The words with a command in front: options before the command's name go behind it."""
        first = 0
        while first < len(args) and args[first].startswith("-") and args[first] not in ("-", "--"):
            first += 2 if args[first] in _TAKES_VALUE else 1
        if first < len(args) and self.has_command(args[first]):
            return [args[first], *args[:first], *args[first + 1 :]]
        flags = [word for word in args if word in ("--help", "-h", "--version")]
        return flags[:1] or ["open", *args]

    def has_command(self, name: str) -> bool:
        """Return True if a word names a command. A plugin is asked for its names and not loaded."""
        return name in self.table or name in self.commands or (self.registry is not None and self.registry.offers(name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.table, *self.commands, *(self.registry.added if self.registry else ())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.table:
            self.add_command(load_target(f"{_OWN_COMMANDS}.{self.table[cmd_name][0]}"), cmd_name)
        elif cmd_name not in self.commands and self.registry is not None and self.registry.offers(cmd_name):
            self.add_command(_plugin_command(self.registry, cmd_name), cmd_name)
        return self.commands.get(cmd_name)

    def _help_lines(self) -> list[tuple[str, str]]:
        """The commands that help lists, each with its line."""
        added = self.registry.added if self.registry else {}
        lines = {name: text for name, (_, text) in self.table.items()}
        lines |= {name: "" if command.hidden else command.get_short_help_str(200) for name, command in added.items()}
        return sorted((name, text) for name, text in lines.items() if text)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self._help_lines())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        lines = [(name, text) for name, text in self._help_lines() if name.startswith(incomplete)]
        return [
            *(CompletionItem(name, help=text) for name, text in lines),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]


def _plugin_command(registry: Registry[click.Command], name: str) -> click.Command:
    """Return a plugin's command. Raises CommandError if it cannot be used."""
    if name in registry.added:
        return registry[name]
    raise CommandError(next(plugin.sentence for plugin in registry.plugins() if plugin.name == name))


def _checked_command(_name: str, value: Any) -> click.Command:
    if not isinstance(value, click.Command):
        raise PluginError(f"it is no click command, but {type(value).__name__}")
    return value


cli = LazyGroup(
    "inspector",
    table=COMMANDS,
    registry=Registry(
        "inspector.commands",
        {name: f"{_OWN_COMMANDS}.{target}" for name, (target, _) in COMMANDS.items()},
        _checked_command,
    ),
    help=_ABOUT,
    options_metavar="[PATH…] |",
    subcommand_metavar="COMMAND [ARGS]…",
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="inspector", message="%(prog)s %(version)s")(cli)
