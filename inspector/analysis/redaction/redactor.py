"""Redact secrets in texts and JSON values: first collect all secrets, then hide every occurrence of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from inspector.analysis.redaction.key_patterns import TOKEN_PATTERNS
from inspector.analysis.redaction.known_secrets import KnownSecrets
from inspector.analysis.redaction.likelihood import is_key, is_password, is_plain_password
from inspector.analysis.redaction.names import ACCOUNT_FIELDS, LONG_NAME, name_pattern, own_names
from inspector.analysis.redaction.optional_kinds import OPTIONAL_KINDS, OPTIONAL_PATTERNS
from inspector.analysis.redaction.patterns import BLOB, CONTEXT_PATTERNS, HOME, SecretPattern
from inspector.analysis.redaction.secret_encodings import Encoded, encoded_forms, encoded_in, has_codes, plain_forms
from inspector.analysis.redaction.secret_names import NAMED_KEYS, is_about_secret
from inspector.core.errors import InspectorError
from inspector.core.json_objects import json_object
from inspector.core.text import dumps, loads

Patterns = tuple[SecretPattern, ...]
_PATTERNS: Patterns = (*TOKEN_PATTERNS, *CONTEXT_PATTERNS, BLOB, HOME)
KINDS = tuple(dict.fromkeys([*(pattern.kind for pattern in _PATTERNS), "encoded", *OPTIONAL_KINDS]))
"""All kinds of secrets, the optional ones last."""
_SHORTEST = 4
"""Minimum characters of a text that is searched."""
_UNSEEN = re.compile(r"(?:\x1b|\\x1b|\\u001b|\\033)\[[0-9;]{0,20}[A-Za-z]|[\u00ad\u200b-\u200d\u2060\ufeff]")
# "abc" + "def", 'abc' . 'def'
_CONCATENATED = re.compile(r"\\?[\"'`][ \t]{0,8}[+.][ \t]{0,8}\\?[\"'`]")
_BY_PATTERN = frozenset({"e-mail", "blob", "encoded", *OPTIONAL_KINDS})
"""Kinds that are found wherever they occur by their pattern alone."""
_OF_WORDS = ("cookie", "authorization", "wallet-key")
"""Kinds with names or words in them, so that their pieces occur elsewhere too."""
_MAX_LAYERS = 2
"""Number of times that an encoded text is decoded."""
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

    def __init__(
        self, words: Iterable[str] = (), with_kinds: Iterable[str] = (), without_kinds: Iterable[str] = ()
    ) -> None:
        """Start without secrets.

        Args:
            words: Names among these are hidden only in places of account names.
            with_kinds: Optional kinds to search as well.
            without_kinds: Kinds not to search.
        """
        self._words = frozenset(words)
        self.unsearched = frozenset({*OPTIONAL_KINDS} - {*with_kinds} | {*without_kinds})
        """Kinds of secrets that are not searched."""
        self._patterns = tuple(
            [pattern for pattern in (*_PATTERNS, *OPTIONAL_PATTERNS) if pattern.kind not in self.unsearched]
        )
        self.rows: dict[tuple[bool, str], Redacted] = {}
        """Secrets found so far. The key is a pair: True if the secret is the name of a person, and its text."""
        self.message = 0
        """Number of the message being redacted; 0 for the session's data outside of messages."""
        self._numbers: dict[str, int] = {}
        self._waiting: list[tuple[str, Redacted]] = []
        """Secrets that were collected and that the following attributes do not include."""
        self._has_names = False
        """True if `_waiting` includes the name of a person."""
        self._plain: KnownSecrets[Redacted] = KnownSecrets()
        """Secrets in a text, including escaped and quoted ones, and their pieces."""
        self._codes: KnownSecrets[Redacted] = KnownSecrets()
        """Encoded and reversed forms of the secrets."""
        self._addresses: KnownSecrets[Redacted] = KnownSecrets()
        """E-mail addresses, for the check of what is written."""
        self._names: re.Pattern[str] | None = None
        """Pattern for the names of people as separate words; for short names, only in places of account names."""
        self._own: dict[str, Redacted] = {}
        """Redaction of each of these names, by the lower-case name."""
        self._keys: dict[str, bool | None] = {}

    @property
    def review(self) -> list[Redacted]:
        """Secrets that were redacted, in order of their first occurrence."""
        return [row for row in self.rows.values() if row.count]

    @property
    def searched(self) -> list[str]:
        """Kinds of secrets that are searched."""
        return [kind for kind in KINDS if kind not in self.unsearched]

    @property
    def unsearched_kinds(self) -> list[str]:
        """Kinds of secrets that are not searched, in order."""
        return [kind for kind in KINDS if kind in self.unsearched]

    # what there is to hide

    def collect(self, value: Any) -> Patterns:
        """Collect the secrets in the keys and texts of a JSON value, and return the patterns that matched."""
        fitting = self._fitting(dumps(value))
        matching: dict[SecretPattern, None] = {}
        for text, key in _texts(value):
            self._collect(text, key, fitting, matching)
        return tuple(matching)

    def _collect(self, text: str, key: str, fitting: Patterns, matching: dict[SecretPattern, None]) -> None:
        text = _seen_text(text)
        for pattern in () if _is_word(text) else fitting:
            for secret in pattern.secrets_in(text):
                self._row(secret.kind, secret.value)
                matching[pattern] = None
        if kind := self._kind_by_key(key, text):
            self._row(kind, text)
        self._collect_hidden(text, key, fitting, matching)

    def _collect_hidden(self, text: str, key: str, fitting: Patterns, matching: dict[SecretPattern, None]) -> None:
        """Collect the secrets of a text that is encoded, concatenated of string literals, or JSON."""
        for code in self._encoded_in(text):
            for inner in code.texts:
                self._collect(inner, "", self._fitting_code(inner), {})
        if _CONCATENATED.search(text):
            whole = _CONCATENATED.sub("", text)
            self._collect(whole, key, self._fitting(whole), {})
        if text.lstrip()[:1] in ("{", "[") and len(text) <= _MAX_JSON_LENGTH:
            with suppress(ValueError, RecursionError):
                for inner, name in _texts(loads(text)):
                    if inner != text:
                        self._collect(inner, name, fitting, matching)

    def _encoded_in(self, text: str) -> Iterator[Encoded]:
        """Yield the encoded runs of a text, or none if they are not searched."""
        return iter(()) if "encoded" in self.unsearched else encoded_in(text)

    def _row(self, kind: str, secret: str) -> Redacted:
        row = self.rows.get((kind == "user", secret))
        if row is None:
            row = self.rows[kind == "user", secret] = Redacted(kind)
            self._waiting.append((secret, row))
            self._has_names |= kind == "user"
        return row

    def _kind_by_key(self, key: str, text: str) -> str:
        """Return the kind of secret that a field contains according to its name; "" for none."""
        if key not in self._keys:
            self._keys[key] = _is_of_password(key)
        of_password = self._keys[key]
        if of_password is None or len(text) > 4_000 or text.startswith("[redacted:"):
            return ""
        if of_password and (is_password(text) or is_plain_password(text)):
            kind = "password"
        else:
            kind = "key" if is_key(text) else ""
        return "" if kind in self.unsearched else kind

    # hiding it

    def value_of(self, value: Any, patterns: Patterns | None = None) -> Any:
        """Return a JSON value without secrets in its keys and texts. Values that are nested too deeply are replaced.

        Args:
            value: Value to redact.
            patterns: Patterns that `collect` returned for it; None to try all patterns that can match.
        """
        self._prepare()
        return self._value_of(value, "", self._fitting(dumps(value)) if patterns is None else patterns, 0)

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
        return self._text_of(text, "", self._fitting(text))

    def _text_of(self, text: str, key: str, patterns: Patterns) -> str:
        if self._kind_by_key(key, text) and (row := self.rows.get((False, text))):
            return self._hide(row)
        if len(text) < _SHORTEST:
            return text
        if key.casefold() in ACCOUNT_FIELDS and (row := self._own.get(text.casefold())):
            return self._hide(row)
        text = self._without_copies(_seen_text(text), self._plain)
        if "encoded" not in self.unsearched:
            text = self._without_codes(text)
            text = self._without_copies(text, self._codes) if has_codes(text) else text
        for pattern in () if _is_word(text) else patterns:
            text = self._without(pattern, text)
        return self._names.sub(lambda match: self._hide(self._own[match[0].casefold()]), text) if self._names else text

    def _without_copies(self, text: str, secrets: KnownSecrets[Redacted]) -> str:
        pieces, end = [], 0
        for copy in secrets.copies_in(text):
            pieces += [text[end : copy.start], self._hide(copy.owner)]
            end = copy.end
        return "".join((*pieces, text[end:])) if pieces else text

    def _without_codes(self, text: str) -> str:
        """Return a text without encoded runs whose decoded text contains a secret."""
        pieces, end = [], 0
        for code in encoded_in(text):
            if code.start >= end and any(map(self._tells, code.texts)):
                pieces += [text[end : code.start], self._hide(self._row("encoded", code.run))]
                end = code.start + len(code.run)
        return "".join((*pieces, text[end:])) if pieces else text

    def _tells(self, text: str, layers: int = 1) -> bool:
        """Return True if a text contains something that has to be redacted."""
        if self._names and self._names.search(text):
            return True
        folded = text.casefold()
        if any(name in folded for name in self._own if len(name) >= LONG_NAME):
            return True
        if self._plain.has_copy_in(text):
            return True
        if layers < _MAX_LAYERS and any(
            self._tells(inner, layers + 1) for code in encoded_in(text) for inner in code.texts
        ):
            return True
        return any(True for pattern in self._fitting_code(text) for _ in pattern.secrets_in(text))

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
        """Add the secrets collected so far to those that are hidden wherever they occur."""
        for secret, row in self._waiting:
            if row.kind == "e-mail":
                self._addresses.add([secret], row)
            elif row.kind not in _BY_PATTERN and row.kind != "user" and len(secret) >= _MIN_SECRET_LENGTH:
                self._plain.add(plain_forms(secret), row)
                self._codes.add(encoded_forms(secret), row)
                if row.kind not in _OF_WORDS:
                    self._plain.add_pieces(secret, row)
        self._waiting.clear()
        if self._has_names:
            self._has_names = False
            names = own_names([secret for is_name, secret in self.rows if is_name])
            self._own = {name.casefold(): self.rows[True, name] for name in names}
            self._names = name_pattern(names, self._words)

    def _fitting(self, text: str) -> Patterns:
        """Return the patterns that can match in a text."""
        folded = _seen_text(text).lower()
        return tuple([pattern for pattern in self._patterns if any(hint in folded for hint in pattern.hints)])

    def _fitting_code(self, text: str) -> Patterns:
        """Return the patterns that can match in the decoded text of an encoded run."""
        return tuple([pattern for pattern in self._fitting(text) if pattern is not BLOB])

    # afterwards

    def check(self, text: str) -> None:
        """Check that a text about to be written contains no secret, address or name.

        Raises:
            RedactionError: If it contains one.
        """
        self._prepare()
        short = ((row, secret) for (_, secret), row in self.rows.items() if len(secret) < 8 and row.kind == "e-mail")
        row = next((row for row, secret in short if secret in text), None)
        for secrets in (self._addresses, self._plain, self._codes):
            row = row or secrets.has_copy_in(text)
        if row:
            raise RedactionError(f"Nothing was written, because a secret ({row.kind}) would remain in it.")
        if any(self._tells(inner) for code in self._encoded_in(text) for inner in code.texts):
            raise RedactionError("Nothing was written, because a secret (encoded) would remain in it.")


def _is_of_password(name: str) -> bool | None:
    """Return True if a field with a name contains a password, False for another secret, None for no secret."""
    match = NAMED_KEYS.fullmatch(name) if name else None
    return None if match is None or is_about_secret(match["tail"]) else match["password"] is not None


def _is_word(text: str) -> bool:
    """Return True if a text is too short for a secret in its context, or only a name such as `tool_use_id`."""
    return len(text) < _SHORTEST or (len(text) < 20 and text.replace("_", "").isalpha())


def _seen_text(text: str) -> str:
    """Return a text without invisible characters that can split a secret: colour codes and zero-width spaces."""
    return _UNSEEN.sub("", text) if _UNSEEN.search(text) else text


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
