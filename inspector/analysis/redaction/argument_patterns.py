"""Patterns of secrets that are arguments of calls, commands and statements, or the content of elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.analysis.redaction.command_patterns import is_solid
from inspector.analysis.redaction.likelihood import has_digit, is_mixture, is_passphrase
from inspector.analysis.redaction.named_patterns import PASSWORD_STARTS
from inspector.analysis.redaction.secret_names import PASSWORD_HINTS, PASSWORD_NAMES, TAIL
from inspector.analysis.redaction.secret_search import Secret, SecretPattern, near_hints
from inspector.analysis.redaction.value_strength import NONE, strength
from inspector.core.text import lazy_pattern

_QUOTED = r"[bfrq]?\\?[\"'`]([^\"'`\n\\]{4,300})\\?[\"'`]"
_LINE_HINTS = {
    **{"password": 0, "passwort": 0, "passcode": 0, "connect(": 0, "connection(": 0, "pdo(": 0, "wifi.begin(": 0},
    **{"pw_set(": 0, "credentials(": 0, "basicauth(": 0, "assword:": 0, "login": 0},
}
_LOGIN_CALLS = {
    "connect(": 0,
    "connection(": 0,
    "pdo(": 0,
    "wifi.begin(": 0,
    "basicauth(": 0,
    "login(": 0,
    "credentials(": 0,
    "credential(": 0,
}
_MAX_LINE = 200
"""Characters after a word about passwords in which a password in quotes is recognised by its characters."""
_QUOTES = lazy_pattern(r"(?=[\"'`]([^\s\"'`]{8,64}?)(?:\\[rn])?[\"'`])")
_HARD_SIGNS = frozenset("!#*%^&$~?+@")
_SOFT_SIGNS = frozenset("._-")
_CALL_HINTS = {
    **{"login(": 0, "connect(": 0, "authenticate(": 0, "signin(": 0, "sign_in(": 0, "basicauth(": 0, "basic_auth(": 0},
    **{"pw_set(": 0, "begin(": 0},
    **{"jwt.": 0, "hmac(": 0, "cipheriv(": 0, "secretkeyspec(": 0, "fernet(": 0, "securestring": 0},
}


def _is_unmistakable(value: str) -> bool:
    """Return True if a value has the characters of a password, which names, paths and versions do not have."""
    if not (has_digit(value) and any(map(str.islower, value)) and is_mixture(value)):
        return False
    if "/" in value or "(" in value or "=" in value:
        return False
    is_capital = any(map(str.isupper, value)) and not _SOFT_SIGNS.isdisjoint(value) and value.count(".") < 2
    return not _HARD_SIGNS.isdisjoint(value) or is_capital


_DIGEST = 32
"""Characters of the shortest digest."""


def _is_chosen(value: str) -> bool:
    """Return True if a value can be a password of a login, and no digest or number."""
    return strength(value) != NONE and len(value) < _DIGEST


@dataclass(frozen=True, slots=True, eq=False)
class _Quotes(SecretPattern):
    """Passwords in quotes on the rest of a line with a word about passwords."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        end = 0
        for start in self.starts_in(text) if self.starts_in else ():
            start, end = max(start, end), max(end, start + _MAX_LINE)
            if start >= end:
                continue
            line = text[start:end].partition("\n\n")[0]
            for match in self.pattern.finditer(line):
                if self.is_likely(match[1]) and "redacted:" not in match[1]:
                    yield Secret(self.kind, match[1], start + match.start(1))


ARGUMENT_PATTERNS = (
    _Quotes("password", _LINE_HINTS, _QUOTES, _is_unmistakable, near_hints(_LINE_HINTS)),
    _Quotes("password", _LOGIN_CALLS, _QUOTES, _is_chosen, near_hints(_LOGIN_CALLS)),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # the passphrase is "correct horse battery staple"
        lazy_pattern(rf"(?:{PASSWORD_NAMES}){TAIL}[ \t]{{1,2}}(?:is|was|ist|est|es|è|é)[ \t]{_QUOTED}", re.IGNORECASE),
        is_passphrase,
        PASSWORD_STARTS,
    ),
    SecretPattern(
        "password",
        _CALL_HINTS,
        # login("jdoe", "abcd"), jwt.encode(data, "abcd"), createHmac("sha256", "abcd"), SecretKeySpec("abcd",
        # ConvertTo-SecureString "abcd"
        lazy_pattern(
            r"(?:login|connect|authenticate|sign_?in|basic_?auth|pw_set|begin)\([ \t]?[\"'][^\"'\n]{1,80}[\"'],[ \t]?"
            + _QUOTED
            + r"|jwt\.(?:encode|decode|sign|verify)\((?:\{[^{}\n]{0,120}\}|[^()\"'\n]{1,80}),[ \t]?"
            + _QUOTED
            + r"|(?:hmac|cipheriv)\([ \t]?[\"'][a-z0-9-]{1,30}[\"'],[ \t]?"
            + _QUOTED
            + r"|(?:secretkeyspec|fernet)\([ \t]?"
            + _QUOTED
            + r"|securestring(?:[ \t]{1,4}-string)?[ \t]{1,4}"
            + _QUOTED,
            re.IGNORECASE,
        ),
        is_solid,
        near_hints(_CALL_HINTS, 0),
    ),
    SecretPattern(
        "key",
        ("secret",),
        # session({ secret: 'correct horse battery' })
        lazy_pattern(
            r"secret\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"'`]([a-z]{3,16}(?:[ -][a-z]{3,16}){2,11})\\?[\"'`]"
        ),
        is_passphrase,
    ),
)
"""Patterns for values that follow a name without an assignment, in code, commands, configuration and markup."""
