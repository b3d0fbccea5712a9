"""Changes of memories: between two snapshots of a store, and of a file in git."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from inspector.analysis.memory_audit.path_history import git_log
from inspector.core.json_objects import json_object
from inspector.formats import MemoryItem, MemoryStore

_MAX_VERSIONS = 200
_MAX_COMPARED = 400
"""Maximum number of items that one is compared with."""
_SIMILAR = 0.6
"""Minimum similarity of two texts without ids that are one item which changed."""


@json_object()
@dataclass(frozen=True, slots=True)
class MemoryChange:
    """An item that differs between two snapshots."""

    change: Literal["added", "removed", "changed"]
    id: str
    before: Annotated[str, "its older text; empty if it was added"] = ""
    after: Annotated[str, "its newer text; empty if it was removed"] = ""
    earlier_id: Annotated[str, "the id of its older text, if it had another one"] = ""


@json_object()
@dataclass(frozen=True, slots=True)
class FileVersion:
    """A commit that changed a file."""

    commit: str
    time: Annotated[str, "ISO 8601"]
    subject: str
    added: Annotated[int, "number of added lines"]
    removed: int


def compare_stores(before: Sequence[MemoryStore], after: Sequence[MemoryStore]) -> list[MemoryChange]:
    """Return the items that differ between two snapshots, in their order.

    Items of databases are matched by their ids. Items of texts have no ids, so similar ones are matched.
    """
    has_lines = any(store.kind in ("rule-file", "notes") for store in (*before, *after))
    old, new = ([item for store in stores for item in store.items] for stores in (before, after))
    return list(_text_changes(old, new) if has_lines else _id_changes(old, new))


def _id_changes(old: Sequence[MemoryItem], new: Sequence[MemoryItem]) -> Iterator[MemoryChange]:
    before, after = ({item.id: item for item in items} for items in (old, new))
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        if one is None or other is None:
            item = one or other
            assert item is not None, "one of them has the key"
            yield _one_sided(item, is_new=one is None)
        elif one.text != other.text:
            yield MemoryChange("changed", key, one.text, other.text)


def _one_sided(item: MemoryItem, is_new: bool) -> MemoryChange:
    return MemoryChange("added", item.id, "", item.text) if is_new else MemoryChange("removed", item.id, item.text)


def _text_changes(old: Sequence[MemoryItem], new: Sequence[MemoryItem]) -> Iterator[MemoryChange]:
    kept = Counter(item.text for item in old) & Counter(item.text for item in new)
    gone, rest = (_without(items, kept) for items in (old, new))
    for item in gone:
        texts = [other.text for other in rest]
        shares = [_similarity(item.text, text) for text in texts[:_MAX_COMPARED]]
        best = max(range(len(shares)), key=shares.__getitem__, default=-1)
        if best >= 0 and shares[best] >= _SIMILAR:
            similar = rest.pop(best)
            earlier = item.id if item.id != similar.id else ""
            yield MemoryChange("changed", similar.id, item.text, similar.text, earlier)
        else:
            yield _one_sided(item, is_new=False)
    yield from (_one_sided(item, is_new=True) for item in rest)


def _without(items: Sequence[MemoryItem], texts: Counter[str]) -> list[MemoryItem]:
    """Return the items that remain after each of some texts was taken from them."""
    left = Counter(texts)
    rest = []
    for item in items:
        if left[item.text] > 0:
            left[item.text] -= 1
        else:
            rest.append(item)
    return rest


def _similarity(one: str, other: str) -> float:
    words, others = one.split(), other.split()
    return difflib.SequenceMatcher(None, words[:200], others[:200], autojunk=False).ratio()


def file_versions(path: Path) -> list[FileVersion]:
    """Return the commits that changed a file, newest first; none if it is not in a git repository."""
    file = path.resolve()
    words = (f"-n{_MAX_VERSIONS}", "--follow", "--numstat", "--format=%x00%H%x09%cI%x09%s", "--", file.name)
    text = git_log(file.parent, words)
    return [version for part in text.split("\0") if (version := _version(part))]


def _version(part: str) -> FileVersion | None:
    head, *rest = part.strip().split("\n")
    words = head.split("\t", 2)
    if len(words) < 3:
        return None
    counts = next((line.split("\t")[:2] for line in rest if line.count("\t") >= 2), ["0", "0"])
    added, removed = (int(count) if count.isdecimal() else 0 for count in counts)
    return FileVersion(words[0], words[1], words[2], added, removed)
