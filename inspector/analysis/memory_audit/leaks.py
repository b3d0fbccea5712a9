"""Secrets in memories, and the same text in the memories of two users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from inspector.analysis import redaction
from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.hidden_secrets import HARMLESS, MAX_LENGTH, may_be_secret
from inspector.analysis.memory_audit.loaded_items import AuditedItem
from inspector.core.text import clip, lazy_pattern, one_line
from inspector.formats import MemoryItem

_MAX_SECRETS = 200
"""Maximum number of items whose secrets are listed."""
_PERSONAL = frozenset({"e-mail", "phone"})
_OWNER = lazy_pattern(r"\busers?(?::|\.)([^/.]+)|\.([^.]+)$")
_MIN_SHARED = 20


def leaks(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    """Yield items with secrets, and texts that two users have.

    The texts are searched together first: most audits find no secret, and the second pass is slow.
    """
    texts = {number: entry.item.text[:MAX_LENGTH] for number, entry in enumerate(entries)}
    texts = {number: text for number, text in texts.items() if may_be_secret(text)}
    if texts and _has_secrets([*texts.values()]):
        yield from _each_secret(entries, texts, places)
    yield from _shared_texts(entries, places)


def _has_secrets(texts: Sequence[str]) -> bool:
    redactor = redaction.Redactor(without_kinds=HARMLESS)
    redactor.collect(texts)
    return bool(redactor.rows)


def _each_secret(entries: Sequence[AuditedItem], texts: Mapping[int, str], places: Places) -> Iterator[AuditFinding]:
    with_secrets = 0
    for searched, (number, text) in enumerate(texts.items()):
        if with_secrets == _MAX_SECRETS:
            places.bounds.add(f"Secrets were searched up to item {searched:,} of {len(texts):,} that may have some.")
            return
        findings = [*_secrets(entries[number], text, places)]
        with_secrets += bool(findings)
        yield from findings


def _secrets(entry: AuditedItem, text: str, places: Places) -> Iterator[AuditFinding]:
    redactor = redaction.Redactor(without_kinds={*HARMLESS, "e-mail"} if entry.is_rule else HARMLESS)
    redactor.collect(text)
    if not redactor.rows:
        return
    lines = str(redactor.value_of(text)).split("\n")
    patch, edit = places.removal(entry.store, entry.item)
    for (_, secret), row in redactor.rows.items():
        if row.count:
            hidden = next((line for line in lines if row.placeholder in line), lines[0])
            item = _from_line_of(secret, entry, text)
            name = places.of(entry.store, item)
            evidence = f"{name} contains {_article(row.kind)} in “{clip(one_line(hidden), 120)}”."
            confidence = 0.7 if row.kind in _PERSONAL else 0.85
            yield AuditFinding("leak", [name], row.kind, evidence, confidence, "" if edit else patch)


def _from_line_of(secret: str, entry: AuditedItem, text: str) -> MemoryItem:
    """Return an item, from the line of a secret on if it is a block of code."""
    before = text[: max(text.find(secret), 0)].count("\n") if entry.item.kind == "note" and entry.is_rule else 0
    return replace(entry.item, line=entry.item.line + before) if before else entry.item


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
