"""Redact secrets in texts and JSON values: first collect all secrets, then hide every occurrence of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from inspector.analysis.redaction.key_patterns import TOKEN_PATTERNS
from inspector.analysis.redaction.likelihood import is_key, is_password, is_plain_password
from inspector.analysis.redaction.names import ACCOUNT_FIELDS, LONG_NAME, name_pattern, own_names
from inspector.analysis.redaction.patterns import BLOB, CONTEXT_PATTERNS, HOME, NAMED_KEYS, SecretPattern
from inspector.analysis.redaction.secret_encodings import encoded_forms, encoded_in, plain_forms
from inspector.core.errors import InspectorError
from inspector.core.json_objects import json_object
from inspector.core.text import dumps, loads

Patterns = tuple[SecretPattern, ...]
_PATTERNS: Patterns = (*TOKEN_PATTERNS, *CONTEXT_PATTERNS, BLOB, HOME)
_SHORTEST = 4
"""Minimum characters of a text that is searched."""
_UNSEEN = re.compile(r"(?:\x1b|\\x1b|\\u001b|\\033)\[[0-9;]{0,20}[A-Za-z]|[\u200b-\u200d\u2060\ufeff]")
_BY_PATTERN = ("e-mail", "blob")
"""Kinds that are found wherever they occur by their pattern alone."""
_MIN_SECRET_LENGTH = 8
"""Minimum characters of a secret that is hidden wherever it occurs. Shorter ones are hidden only in their context."""
_DEEPEST = 200
"""Maximum depth of a JSON value. Deeper levels cannot be searched."""
_MAX_JSON_LENGTH = 20_000_000
"""Maximum characters of a text that is parsed as JSON."""


class RedactionError(InspectorError):
    """Raised if a secret would have been written."""


@json_object()
@dataclass(slots=True)
class Redacted:
    """A secret that was redacted."""

    kind: Annotated[str, "api-key, password, e-mail, user (the name of a home folder), blob (encoded data), and so on"]
    placeholder: Annotated[str, "its replacement, the same everywhere"] = ""
    """Text that replaces it everywhere; "" if it has not been replaced yet."""
    count: Annotated[int, "number of occurrences"] = 0
    messages: Annotated[list[int], "numbers of the messages with it; 0 outside messages"] = field(default_factory=list)


class Redactor:
    """Collects secrets with `collect`, then returns values without them with `value_of`.

    The same secret always has the same placeholder. Existing placeholders are not changed.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """Start without secrets. Names among `words` are hidden only in places of account names."""
        self._words = frozenset(words)
        self.rows: dict[tuple[bool, str], Redacted] = {}
        """Secrets found so far. The key is a pair: True if the secret is the name of a person, and its text."""
        self.message = 0
        """Number of the message being redacted; 0 for the session's data outside of messages."""
        self._numbers: dict[str, int] = {}
        self._is_changed = True
        """True if secrets were collected that the following attributes do not include."""
        self._forms: list[tuple[str, Redacted]] = []
        """Forms of the secrets in a text, including escaped and quoted ones, longest first."""
        self._codes: list[tuple[str, Redacted]] = []
        """Encoded and reversed forms of the secrets."""
        self._names: re.Pattern[str] | None = None
        """Pattern for the names of people as separate words; for short names, only in places of account names."""
        self._own: dict[str, Redacted] = {}
        """Redaction of each of these names, by the lower-case name."""
        self._keys: dict[str, bool | None] = {}

    @property
    def review(self) -> list[Redacted]:
        """Secrets that were redacted, in order of their first occurrence."""
        return [row for row in self.rows.values() if row.count]

    # what there is to hide

    def collect(self, value: Any) -> Patterns:
        """Collect the secrets in the keys and texts of a JSON value, and return the patterns that matched."""
        fitting = _fitting(dumps(value))
        matching: dict[SecretPattern, None] = {}
        for text, key in _texts(value):
            self._collect(text, key, fitting, matching)
        return tuple(matching)

    def _collect(self, text: str, key: str, fitting: Patterns, matching: dict[SecretPattern, None]) -> None:
        text = _seen_text(text)
        for pattern in fitting if len(text) >= _SHORTEST else ():
            for secret in pattern.secrets_in(text):
                self._row(secret.kind, secret.value)
                matching[pattern] = None
        if kind := self._kind_by_key(key, text):
            self._row(kind, text)
        for code in encoded_in(text):
            for inner in code.texts:
                self._collect(inner, "", _fitting_code(inner), {})
        if text.lstrip()[:1] in ("{", "[") and len(text) <= _MAX_JSON_LENGTH:
            with suppress(ValueError, RecursionError):
                for inner, name in _texts(loads(text)):
                    if inner != text:
                        self._collect(inner, name, fitting, matching)

    def _row(self, kind: str, secret: str) -> Redacted:
        row = self.rows.get((kind == "user", secret))
        if row is None:
            self._is_changed |= kind not in _BY_PATTERN
            row = self.rows[kind == "user", secret] = Redacted(kind)
        return row

    def _kind_by_key(self, key: str, text: str) -> str:
        """Return the kind of secret that a field contains according to its name; "" for none."""
        if key not in self._keys:
            match = NAMED_KEYS.fullmatch(key) if key else None
            self._keys[key] = None if match is None else match["password"] is not None
        of_password = self._keys[key]
        if of_password is None or len(text) > 4_000 or text.startswith("[redacted:"):
            return ""
        if of_password and (is_password(text) or is_plain_password(text)):
            return "password"
        return "key" if is_key(text) else ""

    # hiding it

    def value_of(self, value: Any, patterns: Patterns | None = None) -> Any:
        """Return a JSON value without secrets in its keys and texts. Values that are nested too deeply are replaced.

        Args:
            value: Value to redact.
            patterns: Patterns that `collect` returned for it; None to try all patterns that can match.
        """
        self._prepare()
        return self._value_of(value, "", _fitting(dumps(value)) if patterns is None else patterns, 0)

    def _value_of(self, value: Any, key: str, patterns: Patterns, depth: int) -> Any:
        match value:
            case str():
                return self._text_of(value, key, patterns)
            case dict() | list() | tuple() if depth >= _DEEPEST:
                return self._hide(self._row("blob", "nested too deeply"))
            case dict():
                return {
                    self._text_of(str(name), "", patterns): self._value_of(inner, str(name), patterns, depth + 1)
                    for name, inner in value.items()
                }
            case list() | tuple():
                return [self._value_of(inner, key, patterns, depth + 1) for inner in value]
        return value

    def text_of(self, text: str) -> str:
        """Return a text without secrets."""
        self._prepare()
        return self._text_of(text, "", _fitting(text))

    def _text_of(self, text: str, key: str, patterns: Patterns) -> str:
        if self._kind_by_key(key, text) and (row := self.rows.get((False, text))):
            return self._hide(row)
        if len(text) < _SHORTEST:
            return text
        if key.casefold() in ACCOUNT_FIELDS and (row := self._own.get(text.casefold())):
            return self._hide(row)
        text = self._without_codes(self._without_forms(_seen_text(text), self._forms))
        text = self._without_forms(text, self._codes)
        for pattern in patterns:
            text = self._without(pattern, text)
        return self._names.sub(lambda match: self._hide(self._own[match[0].casefold()]), text) if self._names else text

    def _without_forms(self, text: str, forms: list[tuple[str, Redacted]]) -> str:
        for form, row in forms:
            if form in text:
                text = text.replace(form, self._hide(row, text.count(form)))
        return text

    def _without_codes(self, text: str) -> str:
        """Return a text without encoded runs whose decoded text contains a secret."""
        pieces, end = [], 0
        for code in encoded_in(text):
            if any(map(self._tells, code.texts)):
                pieces += [text[end : code.start], self._hide(self._row("encoded", code.run))]
                end = code.start + len(code.run)
        return "".join((*pieces, text[end:])) if pieces else text

    def _tells(self, text: str) -> bool:
        """Return True if a text contains something that has to be redacted."""
        if self._names and self._names.search(text):
            return True
        folded = text.casefold()
        if any(name in folded for name in self._own if len(name) >= LONG_NAME):
            return True
        if any(form in text for form, _ in self._forms):
            return True
        return any(True for pattern in _fitting_code(text) for _ in pattern.secrets_in(text))

    def _without(self, pattern: SecretPattern, text: str) -> str:
        pieces, end = [], 0
        for secret in pattern.secrets_in(text):
            pieces += [text[end : secret.start], self._hide(self._row(secret.kind, secret.value))]
            end = secret.start + len(secret.value)
        return "".join((*pieces, text[end:])) if pieces else text

    def _hide(self, row: Redacted, count: int = 1) -> str:
        """Count further occurrences of a secret and return its placeholder."""
        if not row.placeholder:
            self._numbers[row.kind] = number = self._numbers.get(row.kind, 0) + 1
            row.placeholder = f"redacted-user-{number}" if row.kind == "user" else f"[redacted:{row.kind}-{number}]"
        row.count += count
        if row.messages[-1:] != [self.message]:
            row.messages.append(self.message)
        return row.placeholder

    def _prepare(self) -> None:
        """Prepare the forms and patterns of all secrets collected so far."""
        if not self._is_changed:
            return
        self._is_changed = False
        forms: dict[str, Redacted] = {}
        codes: dict[str, Redacted] = {}
        for (is_name, secret), row in self.rows.items():
            if not is_name and row.kind not in _BY_PATTERN and len(secret) >= _MIN_SECRET_LENGTH:
                forms |= dict.fromkeys(plain_forms(secret), row)
                codes |= dict.fromkeys(encoded_forms(secret), row)
        self._forms, self._codes = (
            sorted(texts.items(), key=lambda pair: len(pair[0]), reverse=True) for texts in (forms, codes)
        )
        names = own_names([secret for is_name, secret in self.rows if is_name])
        self._own = {name.casefold(): self.rows[True, name] for name in names}
        self._names = name_pattern(names, self._words)

    # afterwards

    def check(self, text: str) -> None:
        """Check that a text about to be written contains no secret, address or name.

        Raises:
            RedactionError: If it contains one.
        """
        self._prepare()
        for row, form in ((row, secret) for (is_name, secret), row in self.rows.items() if row.kind == "e-mail"):
            if form in text:
                raise RedactionError(f"Nothing was written, because a secret ({row.kind}) would remain in it.")
        for form, row in (*self._forms, *self._codes):
            if form in text:
                raise RedactionError(f"Nothing was written, because a secret ({row.kind}) would remain in it.")
        if any(self._tells(inner) for code in encoded_in(text) for inner in code.texts):
            raise RedactionError("Nothing was written, because a secret (encoded) would remain in it.")


def _seen_text(text: str) -> str:
    """Return a text without invisible characters that can split a secret: colour codes and zero-width spaces."""
    return _UNSEEN.sub("", text) if _UNSEEN.search(text) else text


def _fitting(text: str) -> Patterns:
    """Return the patterns that can match in a text."""
    folded = _seen_text(text).lower()
    return tuple([pattern for pattern in _PATTERNS if any(hint in folded for hint in pattern.hints)])


def _fitting_code(text: str) -> Patterns:
    """Return the patterns that can match in the decoded text of an encoded run."""
    return tuple(pattern for pattern in _fitting(text) if pattern is not BLOB)


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys and texts of a JSON value, each text with the name of its field."""
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        inner, key = waiting.pop()
        match inner:
            case str():
                yield inner, key
            case dict():
                called = inner.get("name", inner.get("key"))
                for name, other in inner.items():
                    yield str(name), ""
                    waiting.append((other, called if name == "value" and isinstance(called, str) else str(name)))
            case list() | tuple():
                waiting += [(other, key) for other in reversed(inner)]
