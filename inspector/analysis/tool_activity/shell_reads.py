"""Recognize shell commands that only print files or parts of them, such as `sed -n '1,80p' FILE`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from inspector.core.conversation import ToolCall
from inspector.engine import commands, work_state

_PRINTERS = frozenset(("cat", "bat", "nl", "head", "tail", "sed"))
_SEPARATORS = frozenset(("echo", "printf", "true", "pwd"))
"""Commands that print a line between files, or nothing."""
_LINES = re.compile(r"(\d{1,7})(?:,(\d{1,7}))?p")


def shell_reads_of(call: ToolCall) -> tuple[tuple[str, range | None], ...]:
    """Return the files that a shell command prints, each with its lines.

    Args:
        call: Tool call, of any tool.

    Returns:
        Nothing if the call does anything else. The lines are None for a whole file, or if the command does not state
        them as numbers. A relative path is joined to the folder that the call names, if any.
    """
    effects = work_state.effects_of(call)
    folder, files = effects.folder, dict[str, range | None]()
    for words, _ in commands.commands_in(effects.command):
        if words[0] == "cd" and len(words) == 2:
            folder = posixpath.join(folder, words[1])
        elif _is_printer(words):
            names = [posixpath.normpath(posixpath.join(folder, name)) for name in _file_arguments(words)]
            lines = _printed_lines(words)
            if not names and lines:  # the end of a pipe
                names = list(files)[-1:]
            files.update((name, lines) for name in names)
        elif words[0] not in _SEPARATORS or ">" in "".join(words):
            return ()
    return tuple(files.items())


def _is_printer(words: Sequence[str]) -> bool:
    """Return True if the words of a command print a file and write nothing."""
    return words[0] in _PRINTERS and not any(word[:1] in "<>" or word == "-i" for word in words)


def _file_arguments(words: Sequence[str]) -> list[str]:
    """Return the names of files among the words of a command that prints them."""
    names = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    is_script = words[0] == "sed" and not any(word in ("-e", "-f") for word in words)
    return names[1:] if is_script else names


def _printed_lines(words: Sequence[str]) -> range | None:
    """Return the numbers of the lines that `sed` or `head` prints; None if the command does not state them."""
    if words[0] == "sed":
        stated = next(filter(None, map(_LINES.fullmatch, words[1:])), None)
        return range(int(stated[1]), int(stated[2] or stated[1]) + 1) if stated else None
    if words[0] == "head":
        count = next((word.lstrip("-n") for word in words[1:] if word.lstrip("-n").isdigit()), "")
        return range(1, int(count[:7]) + 1) if count else None
    return None
