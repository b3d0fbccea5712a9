"""Duplicates and contradictions of memories that did not change since the last audit, kept in a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, Protocol

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Edit, Places
from inspector.core.extraction_cache import digest_of_code
from inspector.core.text import dumps, loads
from inspector.formats import MemoryStore

_RULES = ("analysis/memory_audit", "core/text", "engine/facts", "formats/memories")
"""Parts of the package that determine the findings."""
MIN_ITEMS = 200
"""Number of memories from which opening a cache takes less time than comparing them."""


class FindingCache(Protocol):
    """Storage for findings. Methods never raise."""

    def load(self, keys: Sequence[bytes]) -> Mapping[bytes, str]:
        """Return the saved texts by key. Unknown keys are missing."""

    def save(self, texts: Mapping[bytes, str]) -> None:
        """Save texts by key."""


def kept_findings(
    open_cache: Callable[[], FindingCache | None],
    stores: Sequence[MemoryStore],
    places: Places,
    make: Callable[[], Iterable[AuditFinding]],
) -> Sequence[AuditFinding]:
    """Return the findings of memories, from a cache if these memories were audited before.

    Args:
        open_cache: Returns the storage for the findings, or None. Only called if there are many memories.
        stores: The memories, with the texts of their files.
        places: Names of the items. Its bounds are kept too.
        make: Finds the problems.
    """
    cache = open_cache() if sum(len(store.items) for store in stores) >= MIN_ITEMS else None
    if cache is None:
        return [*make()]
    key = _digest_of_memories(stores, places)
    text = cache.load([key]).get(key)
    if text is not None and (kept := _restored(text, places)) is not None:
        return kept
    findings = [*make()]
    cache.save({key: dumps({"findings": [asdict(row) for row in findings], "bounds": sorted(places.bounds)})})
    return findings


def _digest_of_memories(stores: Iterable[MemoryStore], places: Places) -> bytes:
    hasher = blake2b(digest_of_code(_RULES), digest_size=16)
    hasher.update(str(places.root).encode("utf-8", "surrogatepass"))
    for store in stores:
        hasher.update(repr(store).encode("utf-8", "surrogatepass"))
    return hasher.digest()


def _restored(text: str, places: Places) -> Sequence[AuditFinding] | None:
    """Return the findings of a saved text; None if it is damaged."""
    try:
        saved = loads(text)
        findings = [_finding(row) for row in saved["findings"]]
        places.bounds.update(map(str, saved["bounds"]))
    except (TypeError, ValueError, LookupError):
        return None
    return findings


def _finding(row: dict[str, Any]) -> AuditFinding:
    edits = [_edit(edit) for edit in row.pop("more_edits")]
    return AuditFinding(edit=_edit(row.pop("edit")), more_edits=[edit for edit in edits if edit], **row)


def _edit(row: dict[str, Any] | None) -> Edit | None:
    return Edit(row["path"], row["first"], row["last"], tuple(row["lines"])) if row else None
