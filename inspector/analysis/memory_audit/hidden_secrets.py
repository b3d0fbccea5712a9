"""Secrets in memories, and findings of an audit without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.analysis import redaction
from inspector.analysis.memory_audit.audit_findings import AuditFinding
from inspector.core.text import lazy_pattern
from inspector.formats import MemoryStore

_MAY_BE_SECRET = lazy_pattern(
    r"(?i)\b(?=[\w+=-]{16})(?:[a-z]{2,4}[-_])?(?:[a-z]{2,5}[-_])?(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[a-z0-9+/]{8}"
    r"|passw\w{0,6}\W|(?:secret|token|key)s?[\"']? {0,2}[:=]|\w@\w+\.\w|bearer |-----BEGIN|\b\d{12}"
    r"|://[^/\s:]{1,80}:"
)
_DIGIT = lazy_pattern(r"\d")
_SIGNS = ("passw", "secret", "token", "key", "bearer", "://", "@", "-----begin")
"""What each secret without a digit has. Looking for it is much cheaper."""
_CUT = lazy_pattern(r"([^\s…]{4,80})…")
"""The last word of a text that is cut."""
HARMLESS = frozenset({"user", "blob"})
MAX_LENGTH = 20_000
"""Maximum number of characters of a text that is searched for secrets."""
_SHORTEST = 6
"""Minimum number of characters of a secret that is hidden wherever it occurs."""
_WITHDRAWN = "The lines to edit, or those around them, contain a secret: edit them yourself."


def may_be_secret(text: str) -> bool:
    """Return True if a text has a sign of a secret. Most texts have none."""
    low = text.lower()
    has_sign = any(sign in low for sign in _SIGNS) or _DIGIT.search(low)
    return bool(has_sign) and _MAY_BE_SECRET.search(text) is not None


class HiddenSecrets:
    """Hides the secrets of memories in texts about them, also where a text is cut in the middle of one."""

    def __init__(self, stores: Iterable[MemoryStore]) -> None:
        self._redactor = redaction.Redactor(without_kinds={*HARMLESS, "e-mail"})
        texts = [item.text[:MAX_LENGTH] for store in stores for item in store.items]
        if texts := [text for text in texts if may_be_secret(text)]:
            self._redactor.collect(texts)

    def finding(self, finding: AuditFinding) -> AuditFinding:
        """Return a finding without secrets. It has no patch if its lines, or those around them, contain one."""
        clean = replace(
            finding,
            items=[*map(self.text, finding.items)],
            value=self.text(finding.value),
            evidence=self.text(finding.evidence),
        )
        if self.text(finding.patch) == finding.patch:
            return clean
        return replace(clean, evidence=f"{clean.evidence} {_WITHDRAWN}", patch="", edit=None, more_edits=())

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        if may_be_secret(text):
            self._redactor.collect(text)
        rows = self._redactor.rows
        if not rows:
            return text
        text = self._redactor.text_of(text)
        for (is_name, secret), row in rows.items():
            if not is_name and len(secret) >= _SHORTEST and secret in text:
                text = text.replace(secret, row.placeholder or f"[redacted:{row.kind}]")
        secrets = [secret for is_name, secret in rows if not is_name]
        return _CUT.sub(lambda match: _without_beginning(match[1], secrets), text) if "…" in text else text


def _without_beginning(word: str, secrets: Sequence[str]) -> str:
    """Return the last word of a cut text, without the beginning of a secret."""
    start = next(
        (at for at in range(len(word) - 3) if any(secret.startswith(word[at:]) for secret in secrets)), len(word)
    )
    return f"{word[:start]}…"
