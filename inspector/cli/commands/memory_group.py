"""`memory`: the group of its commands. A first word that is a file or folder opens the memory stores in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspector.cli.command_line import LazyGroup

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "audit": ("memory_audit:audit", "Find what is wrong with the memories in a folder or file."),
    "demote": ("memory_changes:demote", "Move an entry into the session tier."),
    "diff": ("memory_history:diff", "Compare two snapshots of memories: files, folders or databases."),
    "forget": ("memory_changes:forget", "Delete entries, and every trace of their texts."),
    "history": ("memory_history:history", "Show how the memories of a store changed."),
    "inject": ("memory_inject:inject", "Put matching memories into the window as a plan."),
    "ls": ("memory:ls", "List the tiers, with the size and age of their entries."),
    "open": ("memory_stores:open_stores", "List the memories in a file or folder of another program."),
    "pin": ("memory_changes:pin", "Pin entries: they do not expire."),
    "promote": ("memory_changes:promote", "Keep an entry beyond its session, or create entries from messages."),
    "recall": ("memory_recall:recall", "Rank the items of memory stores by a query, and explain each rank."),
    "search": ("memory:search", "Search entries, with the reason for each match, and list near misses."),
    "show": ("memory:show", "Show an entry: its full text, its source, and the reason why it is kept."),
    "stores": ("memory_stores:stores", "Find the memory stores of this machine, or of a folder."),
    "window": ("memory_recall:window", "List the memories in a window of a session."),
}


class MemoryGroup(LazyGroup):
    """Group whose first word is a command, or else a path."""

    def with_command(self, args: list[str]) -> list[str]:
        """Insert `open` if the first word that is no option names a file or folder, and no command."""
        words = [word for word in args if not word.startswith("-")]
        is_path = bool(words) and not self.has_command(words[0]) and _names_path(words[0])
        return ["open", *args] if is_path else args


def _names_path(word: str) -> bool:
    return "/" in word or word in (".", "..") or Path(word).exists()


memory = MemoryGroup(
    "memory",
    table=_COMMANDS,
    no_args_is_help=True,
    help="""List, search, move and forget memory entries, and open the memory stores of other programs.

    Working memory is the content of the window, session memory is kept with the session, and persistent memory outlives
    it. Promoting moves an entry towards persistent memory, demoting towards the window. With a FILE or FOLDER in place
    of a command, lists the memories in it: rule files such as CLAUDE.md, notes of agents, knowledge graphs, and the
    databases of memory libraries. These are only read.
    """,
    subcommand_metavar="COMMAND | PATH [ARGS]…",
)
