"""Areas of memories: the languages and parts of a project for which a rule holds, by its headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from inspector.analysis.memory_audit.loaded_items import AuditedItem
from inspector.analysis.memory_audit.statements import LANGUAGES, OF_TESTS, areas_in


def with_areas(entries: Sequence[AuditedItem]) -> Sequence[AuditedItem]:
    """Return items with the areas of their headings. The only language that a project names is none."""
    areas = [areas_in(entry.area) for entry in entries]
    languages = frozenset(chain.from_iterable(areas)) & LANGUAGES
    only = languages if len(languages) == 1 else frozenset[str]()
    return [replace(entry, areas=area - only) for entry, area in zip(entries, areas, strict=True)]


def share_areas(one: AuditedItem, other: AuditedItem) -> bool:
    """Return True if two rules are under headings of one area, or both are about the tests that one heading names."""
    differ = one.areas ^ other.areas
    return not differ or (differ <= OF_TESTS and all("test" in entry.item.text.lower() for entry in (one, other)))
