"""Redact secrets in texts and JSON values: first collect all secrets, then hide every occurrence of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any

from inspector.analysis.redaction.answered_secrets import TRANSCRIPT_PATTERN, AnsweredSecrets
from inspector.analysis.redaction.argument_patterns import ARGUMENT_PATTERNS
from inspector.analysis.redaction.command_patterns import COMMAND_PATTERNS
from inspector.analysis.redaction.fitting_patterns import FittingPatterns, Hints, Patterns
from inspector.analysis.redaction.home_names import ACCOUNT_FIELDS, LONG_NAME, name_pattern, own_names
from inspector.analysis.redaction.key_patterns import TOKEN_PATTERNS
from inspector.analysis.redaction.known_secrets import KnownSecrets
from inspector.analysis.redaction.likelihood import is_key, is_password, is_plain_password
from inspector.analysis.redaction.login_patterns import LOGIN_PATTERNS
from inspector.analysis.redaction.nearby_patterns import NEARBY_PATTERNS
from inspector.analysis.redaction.optional_kinds import OPTIONAL_KINDS, OPTIONAL_PATTERNS
from inspector.analysis.redaction.patterns import BLOB, CONTEXT_PATTERNS, HOMES
from inspector.analysis.redaction.searched_texts import SHORTEST, is_id, is_word, seen_text, texts_in
from inspector.analysis.redaction.secret_encodings import Encoded, encoded_forms, encoded_in, has_codes, plain_forms
from inspector.analysis.redaction.secret_names import NAMED_KEYS, is_about_secret
from inspector.analysis.redaction.secret_search import SecretPattern
from inspector.analysis.redaction.section_patterns import SECTION_PATTERNS
from inspector.analysis.redaction.spread_patterns import SPREAD_PATTERNS
from inspector.core.errors import InspectorError
from inspector.core.json_objects import json_object
from inspector.core.text import dumps, lazy_pattern, loads

_PATTERNS: Patterns = (
    *(*TOKEN_PATTERNS, *CONTEXT_PATTERNS, *SPREAD_PATTERNS, *SECTION_PATTERNS, *LOGIN_PATTERNS),
    *(*ARGUMENT_PATTERNS, *COMMAND_PATTERNS, *NEARBY_PATTERNS, TRANSCRIPT_PATTERN, BLOB, *HOMES),
)
KINDS = tuple(dict.fromkeys([*(pattern.kind for pattern in _PATTERNS), "encoded", *OPTIONAL_KINDS]))
"""All kinds of secrets, the optional ones last."""
# "abc" + "def", 'abc' . 'def', also on the next line
_CONCATENATED = lazy_pattern(r"\\?[\"'`][ \t]{0,8}(?:\r?\n[ \t]{0,20})?[+.][ \t]{0,8}(?:\r?\n[ \t]{0,20})?\\?[\"'`]")
_CONCATENATIONS = ("+", ".")
_BY_PATTERN = frozenset({"e-mail", "blob", "encoded", *OPTIONAL_KINDS})
"""Kinds that are found wherever they occur by their pattern alone."""
_OF_WORDS = ("cookie", "authorization", "wallet-key")
"""Kinds with names or words in them, so that their pieces occur elsewhere too."""
_MAX_LAYERS = 2
"""Number of times that an encoded text is decoded."""
_MIN_SECRET_LENGTH = 8
"""Minimum characters of a secret that is hidden wherever it occurs. Shorter ones are hidden only in their context."""
_MAX_REPEATED = 100
"""Maximum characters of a text that is remembered, so that its repetitions are not searched again."""
_MAX_SEARCHES = 50_000
"""Maximum number of remembered texts."""
_MAX_KEPT = 256
"""Maximum characters of encoded data that is kept. Longer data is found by its pattern, and kept as a digest."""
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
        self._patterns = FittingPatterns(
            pattern for pattern in (*_PATTERNS, *OPTIONAL_PATTERNS) if pattern.kind not in self.unsearched
        )
        self._searches: dict[tuple[str, str], Patterns] = {}
        """Short texts with the names of their fields, and the patterns that `collect` returns for them."""
        self._clean_words: set[tuple[str, str]] = set()
        """Words without secrets, with the names of their fields."""
        self.rows: dict[tuple[bool, str], Redacted] = {}
        """Secrets found so far. The key is a pair: True if the secret is the name of a person, and its text."""
        self.keeps_lengths = False
        """True to replace secrets by as many bytes, for texts whose lengths are stated elsewhere."""
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
        self._conversation = AnsweredSecrets()

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

    def keep_words(self, words: Iterable[str]) -> None:
        """Hide names among these words only in places of account names."""
        self._words |= frozenset(words)
        self._has_names = True

    # what there is to hide

    def collect(self, value: Any) -> Patterns:
        """Collect the secrets in the keys and texts of a JSON value.

        Returns:
            The patterns of the secrets that are hidden only in their context, for `value_of`.
        """
        hints = self._patterns.hints_in(seen_text(dumps(value)))
        matching: dict[SecretPattern, None] = {}
        for text, key in texts_in(value):
            for secret in () if "password" in self.unsearched else self._conversation.follow(text, key, hints):
                self._row("password", secret)
            if len(text) > _MAX_REPEATED:
                self._collect(text, key, hints, matching)
                continue
            if (text, key) not in self._searches:
                if len(self._searches) >= _MAX_SEARCHES:
                    self._searches.clear()
                matches: dict[SecretPattern, None] = {}
                self._collect(text, key, hints, matches)
                self._searches[text, key] = tuple(matches)
            matching.update(dict.fromkeys(self._searches[text, key]))
        return tuple(matching)

    def _collect(self, text: str, key: str, hints: Hints, matching: dict[SecretPattern, None]) -> None:
        text = seen_text(text)
        if kind := self._kind_by_key(key, text):
            self._row(kind, text)
        if is_id(text):
            return
        if not is_word(text):
            for pattern in self._patterns.fitting(text, hints):
                for secret in pattern.secrets_in(text):
                    self._row(secret.kind, secret.value)
                    if not _is_hidden_everywhere(secret.kind, secret.value):
                        matching[pattern] = None
        self._collect_hidden(text, key, hints, matching)

    def _collect_hidden(self, text: str, key: str, hints: Hints, matching: dict[SecretPattern, None]) -> None:
        """Collect the secrets of a text that is encoded, concatenated of string literals, or JSON."""
        for code in self._encoded_in(text):
            for inner in code.texts:
                self._collect(inner, "", self._patterns.hints_in_code(inner), {})
        if any(sign in text for sign in _CONCATENATIONS) and _CONCATENATED.search(text):
            whole = _CONCATENATED.sub("", text)
            self._collect(whole, key, self._patterns.hints_in(whole), {})
        if text.lstrip()[:1] in ("{", "[") and len(text) <= _MAX_JSON_LENGTH:
            with suppress(ValueError, RecursionError):
                for inner, name in texts_in(loads(text)):
                    if inner != text:
                        self._collect(inner, name, hints, matching)

    def _encoded_in(self, text: str) -> Iterator[Encoded]:
        """Yield the encoded runs of a text, or none if they are not searched."""
        return iter(()) if "encoded" in self.unsearched else encoded_in(text)

    def _row(self, kind: str, secret: str) -> Redacted:
        if kind in ("blob", "encoded") and len(secret) > _MAX_KEPT:
            digest = sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
            return self.rows.setdefault((False, digest), Redacted(kind))
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
                return self._hide(self._row("blob", "nested too deeply"), "")
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
        if (text, key) in self._clean_words:
            return text
        if self._kind_by_key(key, text) and (row := self.rows.get((False, text))):
            return self._hide(row, text)
        if len(text) < SHORTEST:
            return text
        if key.casefold() in ACCOUNT_FIELDS and (row := self._own.get(text.casefold())):
            return self._hide(row, text)
        clean = self._without_secrets(seen_text(text), patterns)
        if clean == text and is_word(text):
            if len(self._clean_words) >= _MAX_SEARCHES:
                self._clean_words.clear()
            self._clean_words.add((text, key))
        return clean

    def _without_secrets(self, text: str, patterns: Patterns) -> str:
        for secret in self._conversation.answers.get(text, ()):
            text = text.replace(secret, self._hide(self._row("password", secret), secret))
        text = self._without_copies(text, self._plain)
        if is_id(text):
            return text
        if "encoded" not in self.unsearched:
            text = self._without_codes(text)
            text = self._without_copies(text, self._codes) if has_codes(text) else text
        for pattern in () if is_word(text) else patterns:
            text = self._without(pattern, text)
        return self._without_names(text)

    def _without_names(self, text: str) -> str:
        folded = text.casefold()
        if self._names is None or not any(name in folded for name in self._own):
            return text
        return self._names.sub(lambda match: self._hide(self._own[match[0].casefold()], match[0]), text)

    def _without_copies(self, text: str, secrets: KnownSecrets[Redacted]) -> str:
        pieces, end = [], 0
        for copy in secrets.copies_in(text):
            pieces += [text[end : copy.start], self._hide(copy.owner, text[copy.start : copy.end])]
            end = copy.end
        return "".join((*pieces, text[end:])) if pieces else text

    def _without_codes(self, text: str) -> str:
        """Return a text without encoded runs whose decoded text contains a secret."""
        pieces, end = [], 0
        for code in encoded_in(text):
            if code.start >= end and any(map(self._tells, code.texts)):
                pieces += [text[end : code.start], self._hide(self._row("encoded", code.run), code.run)]
                end = code.start + len(code.run)
        return "".join((*pieces, text[end:])) if pieces else text

    def _tells(self, text: str, layers: int = 1) -> bool:
        """Return True if a text contains something that has to be redacted."""
        if self._names and self._names.search(text):
            return True
        folded = text.casefold()
        if any(name in folded for name in self._own if len(name) >= LONG_NAME):
            return True
        if self._plain.owner_in(text):
            return True
        if layers < _MAX_LAYERS and any(
            self._tells(inner, layers + 1) for code in encoded_in(text) for inner in code.texts
        ):
            return True
        return any(
            True
            for pattern in self._patterns.with_hints(self._patterns.hints_in_code(text))
            for _ in pattern.secrets_in(text)
        )

    def _without(self, pattern: SecretPattern, text: str) -> str:
        pieces, end = [], 0
        for secret in pattern.secrets_in(text):
            pieces += [text[end : secret.start], self._hide(self._row(secret.kind, secret.value), secret.value)]
            end = secret.start + len(secret.value)
        return "".join((*pieces, text[end:])) if pieces else text

    def _hide(self, row: Redacted, secret: str) -> str:
        """Count an occurrence of a secret and return its placeholder."""
        if not row.placeholder:
            self._numbers[row.kind] = number = self._numbers.get(row.kind, 0) + 1
            row.placeholder = f"redacted-user-{number}" if row.kind == "user" else f"[redacted:{row.kind}-{number}]"
        row.count += 1
        if row.messages[-1:] != [self.message]:
            row.messages.append(self.message)
        size = len(secret.encode("utf-8", "surrogatepass"))
        return (row.placeholder + "*" * size)[:size] if self.keeps_lengths else row.placeholder

    def _prepare(self) -> None:
        """Add the secrets collected so far to those that are hidden wherever they occur."""
        if self._waiting:
            self._clean_words.clear()
        for secret, row in self._waiting:
            if row.kind == "e-mail":
                self._addresses.add([secret], row)
            elif _is_hidden_everywhere(row.kind, secret):
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
        return self._patterns.with_hints(self._patterns.hints_in(seen_text(text)))

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
            row = row or secrets.owner_in(text)
        if row:
            raise RedactionError(f"Nothing was written, because a secret ({row.kind}) would remain in it.")
        if any(self._tells(inner) for code in self._encoded_in(text) for inner in code.texts):
            raise RedactionError("Nothing was written, because a secret (encoded) would remain in it.")


def _is_hidden_everywhere(kind: str, secret: str) -> bool:
    """Return True if all copies of a secret are hidden, and not only those that a pattern recognises."""
    return kind not in _BY_PATTERN and kind != "user" and len(secret) >= _MIN_SECRET_LENGTH


def _is_of_password(name: str) -> bool | None:
    """Return True if a field with a name contains a password, False for another secret, None for no secret."""
    match = NAMED_KEYS.fullmatch(name) if name else None
    return None if match is None or is_about_secret(match["tail"]) else match["password"] is not None
