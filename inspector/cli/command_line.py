"""`inspector`: the table of commands, and the default command.

`inspector PATH…` opens the app on a terminal and prints the same as text elsewhere. A first word that is not a command
is a path: use `inspector ./show` to open a file called `show`.

A command's module is imported when the command runs; help and completion of the group read the table below instead.
Plugins add commands through the entry point `inspector.commands`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from inspector import __version__
from inspector.cli.command_errors import CommandError, did_you_mean, run_command
from inspector.cli.output import warn
from inspector.cli.standard_input import with_standard_input
from inspector.core.plugins import PluginError, Registry, load_target, plugin_problems

COMMANDS: Mapping[str, tuple[str, str]] = {
    "agent": ("run_agent:agent", "Run an agent on a task, and print its answer and the statistics of its memory."),
    "agents": ("agents:agents", "Show which agent wrote what, and whose prompt it went into."),
    "blame": ("blame:blame", "Show the messages that state the values and sentences of a reply."),
    "ask": ("ask:ask", "Put the context of a turn to a model, and compare its replies with the recorded one."),
    "bookmarks": ("bookmarks:bookmarks", "List, add and remove bookmarks of messages."),
    "check": ("check:check", "Check a context against a provider's rules."),
    "compare": ("compare:compare", "Compare two presets on one session, or two sessions, side by side."),
    "compress": ("compress:compress", "Show what a strategy would keep, lose and save."),
    "count": ("count:count", "Compare ways of counting tokens on a session."),
    "demo": ("demo:demo", "Open sample sessions with a tour, or run demos of agents with memory."),
    "diff": ("diff:diff", "Compare the recorded window with the compressed one, or with that of an earlier turn."),
    "discover": ("discover:discover", "Find the sessions that coding tools have recorded on this machine."),
    "doctor": ("setup:doctor", "Check the installations of Inspector in coding agents."),
    "drop": ("stack:drop", "Drop messages, a tool call together with its results."),
    "eval": ("eval:evaluate", "Test strategies on recordings with known answers."),
    "export": (
        "export:export",
        "Write a context as a request, a trace, Markdown, or a session of another coding agent.",
    ),
    "follow": ("follow:follow", "Follow a session that another program is writing."),
    "find": ("find:find_messages", "Find messages of a session that match all terms."),
    "formats": ("formats:formats", "List the supported formats, and what each records."),
    "hook": ("hook:hook", "Answer a hook event of Claude Code or Codex from standard input."),
    "import": ("import_sessions:import_", "Import sessions into the store."),
    "keep": ("keep_sessions:keep", "Import the sessions that their tool is about to delete."),
    "keys": ("keys:keys", "List the keys of the app, with your own from settings.toml."),
    "lost": ("lost:lost", "Show which facts a compaction dropped, and which later turns needed them."),
    "ls": ("library:ls", "List the sessions of files, of folders, or of this machine."),
    "mcp": ("mcp:mcp", "Serve recorded sessions to an agent as MCP tools."),
    "memory": (
        "memory_group:memory",
        "List, search, move and forget memory entries, and open the memory stores of other programs.",
    ),
    "open": ("open:open_", ""),
    "pin": ("stack:pin", "Pin messages: no strategy removes them."),
    "plugins": ("list_plugins:list_plugins", "List the installed plugins, and why one is not used."),
    "presets": ("presets:presets", "List presets; show, save and remove your own."),
    "push": ("team_push:push", "Push stored sessions to a team's store, without secrets."),
    "probe": ("probe:probe", "Plant known facts and see which strategies keep them."),
    "receive": (
        "receive:receive",
        "Receive OpenTelemetry traces and logs of programs on this machine, until ctrl+c.",
    ),
    "record": ("record:record", "Run a command and record its requests to models, exactly as they are sent."),
    "redact": ("redact:redact", "Write a recording without secrets, in its own format."),
    "replay": ("replay:replay", "Replay a session under a preset, turn by turn."),
    "report": ("report:report", "Report how a session, or source code, handles memory."),
    "rm": ("remove_sessions:rm", "Remove stored sessions for good."),
    "schema": ("print_schema:schema", "Print the JSON Schema of the commands' output with --json."),
    "restore": ("restore:restore", "Print what a compaction dropped as a short text to give back to the agent."),
    "search": (
        "search_sessions:search",
        "Find messages in stored sessions, and in the files and folders given after the words.",
    ),
    "serve": ("serve:serve", "Serve the app to a browser on this machine, until ctrl+c."),
    "setup": ("setup:setup", "Install Inspector in a coding agent: hooks, status line, MCP server and a skill."),
    "show": ("show:show", "Show what is in the context window."),
    "state": ("state:state", "Show the state of the work at a turn: folder, request, rules, tasks, plans, processes."),
    "stats": (
        "fleet_totals:stats",
        "Show totals over all stored sessions: cost, compactions, repeated reads, tools.",
    ),
    "statusline": ("statusline:statusline", "Print a status line for Claude Code."),
    "store": ("store:store", "Check, repair, back up and prune the store."),
    "strategies": ("strategies:strategies", "List the strategies; with NAME, the settings of one."),
    "team": ("team_push:team", "Set up a team's store on PostgreSQL, and let people read it or push to it."),
    "top": ("top:top", "Show what fills the window: by tool, file, kind or turn."),
    "tune": ("tune:tune", "Compare presets on a session: which one is best here?"),
    "uncompact": ("restore:uncompact", "Print what a compaction dropped: the former name of inspector restore."),
    "undo": ("stack:undo", "Remove the newest plan from a session's stack."),
    "why": ("why:why", "Diagnose a session's context in one sentence, and answer four questions."),
}
"""Commands with their objects, as `module:name` in `inspector.cli.commands`, and one line of help each.

Commands without help are hidden.
"""

_ABOUT = """Show the context window of recorded LLM agents, compress it, and compare what is kept, lost and paid.

Opens the app on a terminal, with or without paths: without, at the session, turn and screen shown last, or with
--fresh at the library. Elsewhere, prints the same as plain text. A path may be - for
standard input, which is read once, up to 1 GB.

Exits with 0 on success, 1 for unusable input, 2 for wrong usage, 3 for a failed gate, 130 after an interrupt. With
--json, failures are in `errors`, a list of sentences.
"""
_IN_LINES = "follow"
"""The command that prints one JSON value per line."""
_WITHOUT_WARNINGS = ("plugins", "hook")
"""Commands without warnings about plugins: one prints them itself, and the other must print nothing."""
_TAKES_VALUE = ("--db", "--limit")
_OWN_COMMANDS = "inspector.cli.commands"
"""The package that the targets in `COMMANDS` are relative to."""


class LazyGroup(click.Group):
    """Click group that imports a command when it runs and opens the app for words that are not commands.

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
        """Run the command line. Exits the process unless `standalone_mode` is false."""
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
        if not command or command[0] not in _WITHOUT_WARNINGS:
            for sentence in plugin_problems():
                warn(sentence)
        return code

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if ctx.resilient_parsing else self.with_command(args))

    def with_command(self, args: list[str]) -> list[str]:
        """Insert the default command if none is named, and move options before a command's name to after it."""
        first = 0
        while first < len(args) and args[first].startswith("-") and args[first] not in ("-", "--"):
            first += 2 if args[first] in _TAKES_VALUE else 1
        if first < len(args) and self.has_command(args[first]):
            return [args[first], *args[:first], *args[first + 1 :]]
        flags = [word for word in args if word in ("--help", "-h", "--version")]
        return flags[:1] or ["open", *args]

    def has_command(self, name: str) -> bool:
        """Return True if a word names a command. Plugins are matched by name and not loaded."""
        return name in self.table or name in self.commands or (self.registry is not None and self.registry.offers(name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.table, *self.commands, *(self.registry.added if self.registry else ())})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(error.message + did_you_mean(args[0], self.list_commands(ctx)), ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.table:
            self.add_command(load_target(f"{_OWN_COMMANDS}.{self.table[cmd_name][0]}"), cmd_name)
        elif cmd_name not in self.commands and self.registry is not None and self.registry.offers(cmd_name):
            self.add_command(_plugin_command(self.registry, cmd_name), cmd_name)
        return self.commands.get(cmd_name)

    def _help_lines(self) -> list[tuple[str, str]]:
        """Return the listed commands with their lines of help."""
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
        raise PluginError(f"it is not a click command but {type(value).__name__}")
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
