"""Secrets in memories, and the same text in the memories of two users."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.item_relations import AuditedItem
from inspector.analysis.redaction import Redactor
from inspector.core.text import clip, one_line

_MAY_BE_SECRET = re.compile(
    r"(?i)[A-Za-z0-9_+/=.-]{16,}|passw|secret|token|api.?key|@\w+\.\w|bearer|-----BEGIN|\b\d{12,}\b"
)
_MAX_LENGTH = 20_000
_HARMLESS = frozenset({"user", "blob"})
_OWNER = re.compile(r"user:([^/]+)|\.([^.]+)$")
_MIN_SHARED = 20


def leaks(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    """Yield items with secrets, and texts that two users have."""
    for entry in entries:
        text = entry.item.text[:_MAX_LENGTH]
        if _MAY_BE_SECRET.search(text):
            yield from _secrets(entry, text, places)
    yield from _shared_texts(entries, places)


def _secrets(entry: AuditedItem, text: str, places: Places) -> Iterator[AuditFinding]:
    redactor = Redactor(without_kinds=_HARMLESS if not entry.is_rule else {*_HARMLESS, "e-mail"})
    redactor.collect(text)
    hidden = redactor.value_of(text)
    for row in redactor.review:
        patch, edit = places.removal(entry.store, entry.item)
        name = places.of(entry.store, entry.item)
        confidence = 0.7 if row.kind in ("e-mail", "phone") else 0.85
        evidence = f"{name} contains {_article(row.kind)}: “{clip(one_line(str(hidden)), 120)}”."
        safe = patch if edit is None else ""
        yield AuditFinding("leak", [name], row.kind, evidence, confidence, safe, None)


def _article(kind: str) -> str:
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"


def _shared_texts(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    owners: dict[str, dict[str, AuditedItem]] = defaultdict(dict)
    for entry in entries:
        match = _OWNER.search(entry.item.scope)
        if match and not entry.is_rule and len(entry.item.text) >= _MIN_SHARED:
            owners[" ".join(entry.item.text.lower().split())].setdefault(str(match[1] or match[2]), entry)
    for same in owners.values():
        if len(same) > 1:
            names = [places.of(entry.store, entry.item) for entry in same.values()]
            text = clip(one_line(next(iter(same.values())).item.text), 100)
            evidence = f"The memories of {' and '.join(sorted(same))} have the same text: “{text}”."
            yield AuditFinding("leak", names, "same text", evidence, 0.6)
