"""Files of instructions that the agent reads with a tool or a shell command, such as SKILL.md and AGENTS.md."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.commands import commands_in

_NAMES = r"(?:SKILL|(?:CLAUDE|AGENTS|GEMINI)(?:\.local|\.override)?|copilot-instructions)\.md"
_FILE = lazy_pattern(rf"(?i)(?:^|[\\/]){_NAMES}$|/\.(?:claude|cursor)/rules/[^/]{{1,100}}\.mdc?$")
_MENTION = lazy_pattern(rf"(?i){_NAMES}|\.mdc?\b")
_READERS = word_set("cat bat batcat head tail sed nl less more awk type get-content gc")
_WRITES = ("-i", "--in-place", ">", ">>", "1>", "<<")
_REMINDER = lazy_pattern(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/folders/")
_HEAD = lazy_pattern(r"\A(?:[^\n]{0,200}\n){0,8}?Output:\n")
"""Lines before the output of a command in Codex."""
_FRONT = lazy_pattern(r"(?:\A\s*|^==> [^\n]{1,300} <==\n)---[ \t]*\n.{0,4000}?\n---[ \t]*\n", re.DOTALL | re.MULTILINE)
"""Fields at the start of a skill, which describe it and state no rules. `head` prints the names of several files."""
_GUTTER = lazy_pattern(r"(?m)^[ \t]{0,8}L?\d{1,6}(?:→|\t|\||: )[ \t]?")
_LEAST_PARTS = 2
"""Parts of the path of a skill in a folder at the top: "ship/SKILL.md"."""
_FRAMES = lazy_pattern(r"</?(?:file|content|path|type)>|^\(End of file[^\n]*$", re.MULTILINE)


def may_read_instructions(text: str) -> bool:
    """Return True if a text names a file of instructions. A text that does not reads none."""
    return ".md" in text.lower() and _MENTION.search(text) is not None


def instruction_file(path: str) -> str:
    """Return a path if it is that of a file of instructions; else ""."""
    return path.strip() if len(path) < 300 and _FILE.search(path.strip()) else ""


def is_product(path: str, folder: str) -> bool:
    """Return True if a skill is a file that the work is about: in its folder, but not where agents load skills from.

    Agents load skills from hidden folders such as `.claude` and from a folder `skills` at the top. Temporary folders
    contain what an agent fetched to look at it.
    """
    if not path.lower().endswith("/skill.md") or not folder:
        return False
    if not path.startswith(f"{folder.rstrip('/')}/"):
        return path.startswith(_TEMPORARY) and "/." not in path and not folder.startswith(_TEMPORARY)
    parts = path[len(folder.rstrip("/")) + 1 :].split("/")
    return parts[0] != "skills" and len(parts) > _LEAST_PARTS and not any(part.startswith(".") for part in parts)


def instructions_printed(line: str) -> tuple[str, ...]:
    """Return the files of instructions that a shell line prints."""
    return tuple(dict.fromkeys(_printed(line))) if may_read_instructions(line) else ()


def _printed(line: str) -> Iterator[str]:
    for words, _ in commands_in(line):
        if words[0].rpartition("/")[2].lower() in _READERS and not any(word.startswith(_WRITES) for word in words):
            yield from filter(None, map(instruction_file, words[1:]))


def instruction_name(path: str) -> str:
    """Return the name of an instruction by its path: that of a skill's folder, or of the file."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    return folder.rpartition("/")[2] or name if name.lower() == "skill.md" else name


def text_of_file(result: str) -> str:
    """Return the text of a file from the result of a tool that read it."""
    text = _HEAD.sub("", _REMINDER.sub("", result), count=1)
    text = _FRAMES.sub("", _GUTTER.sub("", text)).lstrip("\n")
    return _FRONT.sub("", text)
