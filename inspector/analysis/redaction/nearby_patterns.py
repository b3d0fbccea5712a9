"""Values near the name of a secret that can only be one: in any notation, in prose and on the next line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from inspector.analysis.redaction.likelihood import has_digit, is_password, is_random, is_wordy
from inspector.analysis.redaction.named_patterns import KEY_STARTS, PASSWORD_STARTS, SHORT_NAMES, SPACED_KEYS
from inspector.analysis.redaction.secret_names import (
    KEY_HINTS,
    KEY_NAMES,
    PASSWORD_HINTS,
    PASSWORD_NAMES,
    TAIL,
    is_about_secret,
)
from inspector.analysis.redaction.secret_search import Secret, SecretPattern

_AFTER, _BEFORE = 90, 60
"""Characters after and before a name in which values are searched."""
_MAX_WORD = 200
_MAX_PASSWORD = 64
_WORD = re.compile(r"[^\s\"'`“”„«»‘’「」『』<>|()\[\]{}\\，。：；、]{8,200}")
_WORD_END = re.compile(r"[^\s\"'`“”„«»‘’「」『』<>|()\[\]{}\\，。：；、]")
# key=abcd, key:abcd, --key=abcd
_PREFIX = re.compile(r"-{0,2}[\w.-]{1,40}(?::=|=>|[:=])(?=.)")
_END = ".,;:"
_HEX = re.compile(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}")
# sha256, digest, commit, rev, integrity, image of a hexadecimal number that is no key
_DIGESTS = re.compile(r"sha-?[0-9]|md5|digest|checksum|hash|commit|revision|etag|integrity|fingerprint|blob|tree", re.I)
_BASE32 = re.compile(r"[A-Z2-7]{16,64}")
_LETTERS = re.compile(r"[a-z0-9]{20,128}")
_RUNS = re.compile(r"[A-Za-z]+|[0-9]+")
_HARD = frozenset("!#*^&$~?+%")
_ESCAPES = re.compile(r"%[0-9A-Fa-f]{2}|&[a-z]{2,6};|\$[A-Za-z_{(]")


def _is_unmistakable(value: str) -> bool:
    """Return True if a value has the characters of a password, which names, paths, versions and code do not have."""
    if len(value) > _MAX_PASSWORD or not (has_digit(value) and any(map(str.islower, value)) and value.isascii()):
        return False
    if _looks_like_code(value) or not is_password(value):
        return False
    if not _HARD.isdisjoint(value):
        return _has_signs(value)
    words = _PARTS.split(value)
    is_name = value.count(".") > 1 or all(map(_is_word, words)) or not any(map(_is_scrambled, words))
    return any(map(str.isupper, value)) and not is_name


def _has_signs(value: str) -> bool:
    """Return True if the signs of a value are part of a password, and not of a pattern, an operator or a question."""
    is_mixed = any(map(str.isupper, value)) or sum(map(_HARD.__contains__, value)) > 1
    return is_mixed or (value[0] not in _HARD and value[-1] != "?")


def _looks_like_code(value: str) -> bool:
    """Return True if a value is a path, an expression, an escape or an address."""
    if any(sign in value for sign in ("/", ",", ";", "**")) or "=" in value.rstrip("="):
        return True
    if value.startswith(("-", "$", "@", "#", "&")) or value.endswith(("%", "()")) or _ESCAPES.search(value):
        return True
    return "@" in value and "." in value.rpartition("@")[2]


_PARTS = re.compile(r"[._@-]")


def _is_word(word: str) -> bool:
    """Return True for words with numbers: `UserName2`, `HTTP2Server`, `Base64Encoder`."""
    runs = _RUNS.findall(word)
    return len(word) < 3 or (len(runs) <= 4 and all(len(run) > 1 or run.isdigit() for run in runs))


def _is_scrambled(word: str) -> bool:
    """Return True if letters and digits of a word alternate, as in `x7Gm2pQ`."""
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word))
    return changes >= 3 and len(word) >= 6


def _is_unmistakable_key(value: str) -> bool:
    """Return True if a value is a random key, in mixed letters or in those of a base."""
    if value.startswith(("/", "$", "@", "&")) or ":" in value or not value.isascii() or not is_password(value):
        return False
    if is_random(value) and value.count("/") < 4 and value.count(".") < 3:
        return True
    if _BASE32.fullmatch(value):
        return sum(map(str.isdigit, value)) >= 2
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return _LETTERS.fullmatch(value) is not None and changes >= 8 and _HEX.fullmatch(value) is None


_MAX_LINK = 60
# the password -> abcd, the pw again? its abcd, mot de passe du serveur : abcd, password to abcd
_LINK = re.compile(
    r"(?:->|→|=>|[-–—:=]|(?<!\w)(?:is|it'?s|that's|was|to|now|ist|lautet|est|es|é|è|är|er|on|je|jest|este|is:))"
    r"[ \t]{1,4}[\"'`“„«*(]{0,2}\Z",
    re.IGNORECASE,
)
# between a name and something else: password for user: jdoe42, password, host: lamp-db-01
_OTHERS = re.compile(
    r"(?<![a-z])(?:user|login|name|host|port|file|server:|from|by|version|account|id|see|branch|commit|test|in|at)"
    r"(?:name)?(?![a-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Nearby(SecretPattern):
    """Words on the line of a name, or on the next one if the name ends its line, that can only be secrets."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        done = 0
        for start in self.starts_in(text) if self.starts_in else ():
            match = self.pattern.match(text, start)
            if match is None or is_about_secret(match["tail"] or ""):
                continue
            for place, end in (_before(text, start), _after(text, match.end())):
                for secret in self._words_in(text, max(done, place), end, match.end()):
                    yield secret
                    done = secret.start + len(secret.value)

    def _words_in(self, text: str, place: int, end: int, name_end: int) -> Iterator[Secret]:
        for word in _WORD.finditer(text, place, end + _MAX_WORD):
            begin = word.start()
            if begin >= end:
                return
            is_cut = begin != name_end and _WORD_END.match(text, begin - 1) if begin else None
            if is_cut or "redacted:" in word[0] or len(word[0]) == _MAX_WORD:
                continue
            value = self._value_of(word[0]) or self._linked(text, name_end, word)
            begin += word[0].index(value)
            if value and not _is_digest(text, place, begin, value):
                yield Secret(self.kind, value, begin)

    def _linked(self, text: str, name_end: int, word: re.Match[str]) -> str:
        """Return a password made of words after a link such as `is`, `:` or `->`, or ""."""
        value = word[0].rstrip("*_~" + _END)
        if self.kind != "password" or not is_wordy(value) or not 0 <= word.start() - name_end <= _MAX_LINK:
            return ""
        between = text[name_end : word.start()]
        return value if _LINK.search(between) and not _OTHERS.search(between) else ""

    def _value_of(self, word: str) -> str:
        """Return the secret in a word, without a name and punctuation, or ""."""
        value = word.lstrip("=:*_~-").rstrip("*_~" + _END)
        while len(value) >= 8:
            if self.is_likely(value):
                return value
            prefix = _PREFIX.match(value)
            if prefix is None:
                break
            value = value[prefix.end() :]
        return ""


def _is_digest(text: str, place: int, begin: int, value: str) -> bool:
    return _HEX.fullmatch(value) is not None and _DIGESTS.search(text, max(0, place - 40), begin) is not None


def _before(text: str, start: int) -> tuple[int, int]:
    """Return the part of the line before a name in which values are searched."""
    first = max(0, start - _BEFORE)
    line = text.rfind("\n", first, start) + 1
    end = start
    while end > first and not text[end - 1].isspace():
        end -= 1
    return max(first, line), end


def _after(text: str, first: int) -> tuple[int, int]:
    """Return the part of the line after a name in which values are searched, or the next line if that is empty."""
    end = text.find("\n", first, first + _AFTER)
    if end < 0:
        return first, min(len(text), first + _AFTER)
    if any(map(str.isalnum, text[first:end])):
        return first, end
    following = text.find("\n", end + 1, end + _AFTER)
    return end, following if following >= 0 else min(len(text), end + _AFTER)


NEARBY_PATTERNS = (
    _Nearby(
        "password",
        PASSWORD_HINTS,
        re.compile(rf"(?:{PASSWORD_NAMES}|{SHORT_NAMES}){TAIL}", re.IGNORECASE),
        _is_unmistakable,
        PASSWORD_STARTS,
    ),
    _Nearby(
        "key",
        KEY_HINTS,
        re.compile(rf"(?:{KEY_NAMES}|{SPACED_KEYS}){TAIL}", re.IGNORECASE),
        lambda value: _is_unmistakable_key(value) or (not _HARD.isdisjoint(value) and _is_unmistakable(value)),
        KEY_STARTS,
    ),
)
"""Patterns for values that follow or precede the name of a secret in any notation."""
