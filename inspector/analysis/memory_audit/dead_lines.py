"""Edits of the lines that name what does not exist. A line is only removed if it says nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from inspector.analysis.memory_audit.audit_findings import Edit, Places, has_points_below
from inspector.analysis.memory_audit.named_things import NamedThing
from inspector.core.text import lazy_pattern, word_set
from inspector.formats import Block, MemoryItem, MemoryStore

_MARK = lazy_pattern(r"^\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+|\$ )?")
_POINTER = word_set(
    "a also an and are at check command commands consult details doc docs documentation file files folder follow for "
    "here in is it more of on open or out read refer run see the this to under use"
)
"""Words that say nothing without the path or command next to them."""
_LEADS = lazy_pattern(r"(?i)^\W*(?:please )?(?:see|read|check|consult|follow|refer to)(?: also)?(?: the)?[\s*_]*\0")
"""A sentence that sends the reader to a place, which it begins with: "See X for the layout"."""
_DESCRIBES = lazy_pattern(r"^[*_]{0,2}\0[*_]{0,2}(?:(?:\s*[:–—]|\s+-)\s| (?:is|has|[a-z]{2,20}s) )")
"""A line that describes a path or command: "- X: the pricing engine", "X formats the code"."""
_MORE = lazy_pattern(r"[.;!?][*_)\"”]*\s+\S|`|\]\(|\s#\S")
"""A second sentence, or another name."""
_ONLY_COMMAND = 2
"""Number of lines after the first one of a block of code with one command."""
_SPAN = lazy_pattern(r"!?\[[^\[\]\n]{0,200}\]\(<?\0>?\)|`[^`\0\n]{0,200}\0[^`\n]{0,200}`|\0(?!\w)")
"""A name, here a zero character, in a link, in code or without signs."""
_NAME = lazy_pattern(r"(?<![\w./-])\0(?![\w/-]|\.\w)")
"""A whole path, here a zero character."""
_WORD = lazy_pattern(r"[^\W\d_]+")


def import_edits(store: MemoryStore, line: int, name: str, places: Places) -> list[Edit]:
    """Return the edit that removes an import of a file; none if its line says more."""
    return _removal(Edit(store.path, line, line), lambda text: _says_only(text, f"@{name}"), places)


def link_edits(item: MemoryItem, target: str, places: Places) -> list[Edit]:
    """Return the edit that removes a link to a file; none if its item says more."""
    if not item.line or item.end != item.line:
        return []
    return _removal(Edit(item.path, item.line, item.line), lambda text: _says_only(text, target), places)


def path_edits(path: str, named: Sequence[tuple[NamedThing, Block]], moved: str, places: Places) -> list[Edit]:
    """Return the edits of all lines that name one thing: with the newer path, or without the lines.

    Args:
        path: The file.
        named: The places with its name, and the blocks with them.
        moved: The newer path, from the root of the project; empty without one.
        places: The lines of files.
    """
    edits: list[Edit] = []
    for thing, block in named:
        edit = Edit(path, thing.line, thing.line)
        if moved:
            lines = places.lines(path)[thing.line - 1 : thing.line]
            edits += [replace(edit, lines=(_with_newer(line, thing.name, moved),)) for line in lines]
        elif block.kind == "code":
            if block.end - block.line > _ONLY_COMMAND:
                edits += _removal(edit, partial(_is_only_command, written=thing.written), places)
        elif block.line == block.end:
            edits += _removal(edit, partial(_says_only, written=thing.written), places)
    return list(dict.fromkeys(edits))


def _with_newer(line: str, name: str, moved: str) -> str:
    return _NAME.sub(lambda _: moved, line.replace(name, "\0")).replace("\0", name)


def _removal(edit: Edit, is_empty: Callable[[str], bool], places: Places) -> list[Edit]:
    lines = places.lines(edit.path)
    line = next(iter(lines[edit.first - 1 : edit.last]), "")
    return [edit] if is_empty(line) and not has_points_below(lines, edit.first, edit.last) else []


def _says_only(line: str, written: str) -> bool:
    """Return True if a line says nothing without a path or command: "- See `docs/layout.md` for details."

    Args:
        line: The line.
        written: The path or command as it is in the line, without the signs of code.
    """
    rest, count = _SPAN.subn("\0", line[len(_head(line)) :].replace(written, "\0"))
    if not count or _MORE.search(rest):
        return False
    is_pointer = not any(word.lower() not in _POINTER for word in _WORD.findall(rest))
    return is_pointer or _LEADS.search(rest) is not None or _DESCRIBES.search(rest) is not None


def _is_only_command(line: str, written: str) -> bool:
    """Return True if a line of shell code is one command, with its comment."""
    return line.strip().removeprefix("$ ").partition(" #")[0].strip() == written


def _head(line: str) -> str:
    match = _MARK.match(line)
    return match[0] if match else ""
