"""The findings of an audit, and the edits that they propose as patches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

import orjson

from inspector.core.json_objects import Fraction, json_object
from inspector.core.text import dumps
from inspector.formats import MemoryItem, MemoryStore, project_root

AuditKind = Literal[
    "cost",
    "not_loaded",
    "dead_reference",
    "duplicate",
    "contradiction",
    "unused",
    "broken",
    "missing",
    "leak",
]
AUDIT_KINDS: tuple[AuditKind, ...] = get_args(AuditKind)
_NO_NEWLINE = "\n\\ No newline at end of file"
"""Line of a unified diff after the last line of a text without a line end."""


YOURSELF = "The line says more: edit it yourself."
"""Sentence after the evidence of a finding whose lines cannot be removed whole."""
_CONTEXT = 2
"""Number of unchanged lines around an edit in a patch."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file with other ones in their place."""

    path: str
    first: int
    """Number of the first line, from 1."""
    last: int
    lines: tuple[str, ...] = ()


@json_object("AuditFinding", "kind items value evidence confidence patch model", rounded="confidence")
@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing that is wrong with a memory."""

    kind: AuditKind
    items: Annotated[Sequence[str], "the items concerned: file and line, or the id in a database"]
    value: Annotated[str, "the path, command, text or number that the finding is about"]
    evidence: Annotated[str, "a sentence"]
    confidence: Annotated[Fraction, "estimated probability that the finding is right"]
    patch: Annotated[str, "the edit as a unified diff, or as a call of the library; empty without an edit"] = ""
    edit: Edit | None = None
    """The first edit of the patch; None if it is a call of a library."""
    more_edits: Sequence[Edit] = ()
    """The other edits of the patch."""
    model: Annotated[str, "the model that reported it; empty if the rules of the audit did"] = ""

    def proposing(self, edits: Sequence[Edit], places: Places) -> AuditFinding:
        """Return the finding with edits as its patch. Without any, the evidence says that the lines say more."""
        patch = places.patch(edits)
        if not patch:
            return replace(self, evidence=f"{self.evidence} {YOURSELF}")
        return replace(self, patch=patch, edit=edits[0], more_edits=edits[1:])


class Places:
    """Names the items of an audit, and keeps the lines of their files for patches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._top = project_root(root.resolve())
        """Folder that the paths in patches are relative to, as `git apply` reads them."""
        self._lines: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        self.bounds: set[str] = set()
        """Sentences about what was not compared because there is too much."""

    def name(self, path: str) -> str:
        """Return a path relative to the audited folder."""
        if path not in self._names:
            try:
                self._names[path] = Path(path).relative_to(self.root).as_posix()
            except ValueError:
                self._names[path] = path
        return self._names[path]

    def of(self, store: MemoryStore, item: MemoryItem) -> str:
        """Return the place of an item: file and line, or its id."""
        return f"{self.name(item.path)}:{item.line}" if item.path and item.line else item.id

    def is_in_project(self, path: str) -> bool:
        """Return True if a patch of the project can change a file."""
        return not self._name_in_patch(path).startswith("/")

    def _name_in_patch(self, path: str) -> str:
        try:
            return Path(path).resolve().relative_to(self._top).as_posix()
        except ValueError:
            return path

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file, or none if it cannot be read."""
        if path not in self._lines:
            try:
                text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
            except OSError:
                text = ""
            lines = text.split("\n")
            lines[-1:] = [f"{lines[-1]}{_NO_NEWLINE}"] if lines[-1] else []
            self._lines[path] = lines
        return self._lines[path]

    def patch(self, edits: Iterable[Edit]) -> str:
        """Return edits as one unified diff. Of edits of the same lines, the first counts."""
        by_path: dict[str, list[Edit]] = defaultdict(list)
        for edit in edits:
            by_path[edit.path].append(edit)
        return "".join(self._file_patch(path, by_path[path]) for path in by_path)

    def _file_patch(self, path: str, edits: Sequence[Edit]) -> str:
        before = self.lines(path)
        kept: list[Edit] = []
        free = len(before) + 1
        for edit in sorted(edits, key=lambda edit: (-edit.last, -edit.first)):
            if 1 <= edit.first <= edit.last < free:
                kept.append(edit)
                free = edit.first
        hunks = _unified_hunks(before, kept[::-1])
        name = self._name_in_patch(path)
        is_gone = _is_all_removed(before, kept)
        new = "/dev/null" if is_gone else f"b/{name}"
        head = ""
        if self.root.resolve() != self._top:  # in a folder below, git reads paths from the root only after this line
            head = f"diff --git a/{name} b/{name}\n" + "deleted file mode 100644\n" * is_gone
        return f"{head}--- a/{name}\n+++ {new}\n{hunks}" if hunks else ""

    def removal(self, store: MemoryStore, item: MemoryItem) -> tuple[str, Edit | None]:
        """Return the patch that removes an item, and its edit if it is in a text; none if points below belong to it."""
        if store.kind == "knowledge-graph":
            edit = self._graph_edit(store, item)
            return (self.patch([edit]), edit) if edit else ("", None)
        if item.path and item.line:
            edit = Edit(item.path, item.line, item.end or item.line)
            return (
                ("", None)
                if has_points_below(self.lines(item.path), edit.first, edit.last)
                else (self.patch([edit]), edit)
            )
        return _library_call(store, item), None

    def removals(self, entries: Iterable[tuple[MemoryStore, MemoryItem]]) -> tuple[str, Sequence[Edit]]:
        """Return the patch that removes several items, and its edits."""
        removed = [self.removal(store, item) for store, item in entries]
        edits = [edit for _, edit in removed if edit]
        calls = "\n".join(patch for patch, edit in removed if patch and not edit)
        return self.patch(edits) if edits else calls, edits

    def addition(self, path: str, text: str) -> tuple[str, Edit | None]:
        """Return the patch and the edit that add a line at the end of a file."""
        lines = self.lines(path)
        if not lines:
            return "", None
        edit = Edit(path, len(lines), len(lines), (lines[-1].removesuffix(_NO_NEWLINE), text))
        return self.patch([edit]), edit

    def _graph_edit(self, store: MemoryStore, item: MemoryItem) -> Edit | None:
        lines = self.lines(store.path)
        if not 0 < item.line <= len(lines):
            return None
        line = lines[item.line - 1].removesuffix(_NO_NEWLINE)
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(record, dict) or item.kind == "relation" or not isinstance(record.get("observations"), list):
            return Edit(store.path, item.line, item.line)
        number = int(item.id.rpartition("#")[2]) if item.id.rpartition("#")[2].isdecimal() else 0
        kept = [text for place, text in enumerate(record["observations"], 1) if place != number]
        compact = dumps({**record, "observations": kept})
        spaced = ", ".join(
            f"{dumps(key)}: {_spaced(value)}" for key, value in ({**record, "observations": kept}).items()
        )
        return Edit(store.path, item.line, item.line, (compact if dumps(record) == line else f"{{{spaced}}}",))


def has_points_below(lines: Sequence[str], first: int, last: int) -> bool:
    """Return True if text that belongs to some lines of a file follows them: a point that is indented deeper.

    Args:
        lines: All lines of the file.
        first: Number of the first line, from 1.
        last: Number of the last one.
    """
    below = next((line for line in lines[last:] if line.strip()), "")
    return 0 < first <= len(lines) and _depth(below) > _depth(lines[first - 1])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _unified_hunks(before: Sequence[str], edits: Iterable[Edit]) -> str:
    """Return edits of lines as the hunks of a unified diff. They are in order and do not overlap.

    Only the lines near an edit are looked at, so that the patch of one line of a long file is cheap.
    """
    groups: list[list[Edit]] = []
    for edit in edits:
        if edit.lines != tuple(before[edit.first - 1 : edit.last]):
            if groups and edit.first - groups[-1][-1].last <= 2 * _CONTEXT + 1:
                groups[-1].append(edit)
            else:
                groups.append([edit])
    lines: list[str] = []
    moved = 0
    for group in groups:
        start, end = max(group[0].first - 1 - _CONTEXT, 0), min(group[-1].last + _CONTEXT, len(before))
        body, place = [], start
        for edit in group:
            body += [f" {line}" for line in before[place : edit.first - 1]]
            body += _changed_lines(before[edit.first - 1 : edit.last], edit.lines)
            place = edit.last
        body += [f" {line}" for line in before[place:end]]
        added = sum(not line.startswith("-") for line in body)
        lines += [f"@@ -{_span(start, end - start)} +{_span(start + moved, added)} @@", *body]
        moved += added - (end - start)
    return "".join(f"{line}\n" for line in lines)


def _is_all_removed(before: Sequence[str], edits: Sequence[Edit]) -> bool:
    """Return True if edits leave nothing of a file."""
    removed = sum(edit.last + 1 - edit.first for edit in edits)
    return removed == len(before) and not any(edit.lines for edit in edits)


def _changed_lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    same = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    same = min(len(old), len(new)) if same is None else same
    return [
        *(f" {line}" for line in old[:same]),
        *(f"-{line}" for line in old[same:]),
        *(f"+{line}" for line in new[same:]),
    ]


def _span(start: int, count: int) -> str:
    """Return the range of a hunk as unified diffs write it, from its first line, counted from 0."""
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def _spaced(value: object) -> str:
    return f"[{', '.join(map(dumps, value))}]" if isinstance(value, list) else dumps(value)


def _library_call(store: MemoryStore, item: MemoryItem) -> str:
    """Return the call with which the library that wrote an item deletes it."""
    key = repr(item.name or item.id)
    calls = {
        "langgraph-store": f"store.delete({tuple(item.scope.split('.'))!r}, {key})",
        "mem0": f"memory.delete({item.id!r})",
        "chroma": f"collection.delete(ids=[{key}])",
        "agno": f"db.delete_user_memory({item.id!r})",
    }
    return calls.get(store.kind, "")
