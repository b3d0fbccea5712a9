"""Secrets in memories, and the same text in the memories of two users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from inspector.analysis import redaction
from inspector.analysis.memory_audit.audit_findings import AuditFinding, Places
from inspector.analysis.memory_audit.loaded_items import AuditedItem
from inspector.core.text import clip, lazy_pattern, one_line

_MAY_BE_SECRET = lazy_pattern(
    r"(?i)\b(?=[\w+=-]{16})(?:[a-z]{2,4}[-_])?(?:[a-z]{2,5}[-_])?(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[a-z0-9+/]{8}"
    r"|passw\w{0,6}\W|(?:secret|token|key)s?[\"']? {0,2}[:=]|\w@\w+\.\w|bearer |-----BEGIN|\b\d{12}"
    r"|://[^/\s:]{1,80}:"
)
_DIGIT = lazy_pattern(r"\d")
_SIGNS = ("passw", "secret", "token", "key", "bearer", "://", "@", "-----begin")
"""What each secret without a digit has. Looking for it is much cheaper."""
_MAX_LENGTH = 20_000
_MAX_SECRETS = 200
"""Maximum number of items whose secrets are listed."""
_HARMLESS, _PERSONAL = frozenset({"user", "blob"}), frozenset({"e-mail", "phone"})
_OWNER = lazy_pattern(r"\busers?(?::|\.)([^/.]+)|\.([^.]+)$")
_MIN_SHARED = 20


def leaks(entries: Sequence[AuditedItem], places: Places) -> Iterator[AuditFinding]:
    """Yield items with secrets, and texts that two users have.

    The texts are searched together first: most audits find no secret, and the second pass is slow.
    """
    texts = {number: entry.item.text[:_MAX_LENGTH] for number, entry in enumerate(entries)}
    texts = {number: text for number, text in texts.items() if _may_be_secret(text)}
    if texts and _has_secrets([*texts.values()]):
        yield from _each_secret(entries, texts, places)
    yield from _shared_texts(entries, places)


def _may_be_secret(text: str) -> bool:
    low = text.lower()
    has_sign = any(sign in low for sign in _SIGNS) or _DIGIT.search(low)
    return bool(has_sign) and _MAY_BE_SECRET.search(text) is not None


def _has_secrets(texts: Sequence[str]) -> bool:
    redactor = redaction.Redactor(without_kinds=_HARMLESS)
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
    redactor = redaction.Redactor(without_kinds={*_HARMLESS, "e-mail"} if entry.is_rule else _HARMLESS)
    redactor.collect(text)
    if not redactor.rows:
        return
    hidden = clip(one_line(str(redactor.value_of(text))), 120)
    name = places.of(entry.store, entry.item)
    patch, edit = places.removal(entry.store, entry.item)
    for row in redactor.review:
        evidence = f"{name} contains {_article(row.kind)}: “{hidden}”."
        confidence = 0.7 if row.kind in _PERSONAL else 0.85
        yield AuditFinding("leak", [name], row.kind, evidence, confidence, "" if edit else patch)


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
