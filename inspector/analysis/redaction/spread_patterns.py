"""Patterns of secrets whose names are not directly before them: in columns, separate fields, declarations and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.analysis.redaction.likelihood import is_password, is_random, is_wordy
from inspector.analysis.redaction.secret_names import (
    KEY_HINTS,
    PASSWORD_HINTS,
    secret_name,
)
from inspector.analysis.redaction.secret_search import Secret, SecretPattern, near_hints
from inspector.analysis.redaction.value_strength import NONE, WORDY, strength
from inspector.core.text import lazy_pattern

_MAX_CELLS = 40
_MAX_NAME = 40
_SEPARATORS = ("|", ",", ";", "\t")
_LOGIN_HINTS = {
    **{"auth=(": 0, "auth = (": 0, "auth(": 0, "hmac.new(": 0, "-pass": 0, "ldap": 0, "zip ": 2, "-u": 2},
}
_SHORT_HEADERS = ("pass", "pw")
_RULE = frozenset("|-: +")
"""Characters of the line between the header of a table and its rows."""


@dataclass(frozen=True, slots=True, eq=False)
class _Columns(SecretPattern):
    """Cells of tables in the columns whose headers are the names of secrets."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        start, cells, separator = 0, 0, ""
        columns: Sequence[int] = ()
        for line in text.splitlines(True):
            if columns and _RULE.issuperset(line.strip()):
                pass
            elif columns and line.count(separator) == cells - 1:
                yield from self._secrets_of(line, start, separator, columns)
            else:
                separator, columns, cells = _header_of(line)
            start += len(line)

    def _secrets_of(self, line: str, start: int, separator: str, columns: Sequence[int]) -> Iterator[Secret]:
        place = start
        for number, cell in enumerate(line.split(separator)):
            value = cell.strip(" \t\r\n\"'`*")
            if number in columns and "[redacted:" not in value and self.is_likely(value):
                yield Secret(self.kind, value, place + cell.index(value))
            place += len(cell) + len(separator)


def _header_of(line: str) -> tuple[str, list[int], int]:
    """Return the separator of a line, the places of the cells with names of secrets, and the number of cells."""
    for separator in _SEPARATORS:
        cells = line.split(separator) if separator in line else []
        if 2 <= len(cells) <= _MAX_CELLS and all(len(cell) <= _MAX_NAME for cell in cells):
            columns = [number for number, cell in enumerate(cells) if _is_name(cell.strip(" \t\r\n\"'`*"))]
            if columns:
                return separator, columns, len(cells)
    return "", [], 0


def _is_name(cell: str) -> bool:
    if cell.casefold() in _SHORT_HEADERS:
        return True
    return secret_name(cell.replace(" ", "_")) is not None


def _is_cell(value: str) -> bool:
    return strength(value) >= WORDY


_ECHO = r"(?:echo|printf)(?:[ \t]{1,4}-[ne]{1,2}|[ \t]{1,4}[\"']?%s(?:\\n)?[\"']?)?"
SPREAD_PATTERNS = (
    _Columns("password", (*PASSWORD_HINTS, *KEY_HINTS), lazy_pattern(""), _is_cell),
    SecretPattern(
        "key",
        ("key",),
        # key: abcd, ?key=abcd
        lazy_pattern(
            r"(?<![A-Za-z0-9_-])key\\?[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}\\?[\"']?(?:base64:)?"
            r"([A-Za-z0-9+/_-]{20,200}={0,2})(?![A-Za-z0-9+/_.=-])",
            re.IGNORECASE,
        ),
        is_random,
    ),
    SecretPattern(
        "password",
        _LOGIN_HINTS,
        # auth=("user", "abcd"), hmac.new(b"abcd", -passin pass:abcd, ldapsearch -w abcd, zip -P abcd, -U user%abcd
        lazy_pattern(
            r"auth(?:[ \t]?=[ \t]?)?\([ \t]?[\"'][^\"'\n]{1,60}[\"'],[ \t]?[\"']([^\"'\n]{4,300})[\"']"
            r"|hmac\.new\([bfr]?[\"']([^\"'\n]{4,300})[\"']|-pass(?:in|out)?[ \t]pass:([^\s\"']{4,300})"
            r"|ldap[a-z]{3,8}[ \t][^\n]{0,200}?[ \t]-w[ \t]?[\"']?([^\s\"'-][^\s\"']{3,300})"
            r"|(?<![a-z])(?:un)?zip[ \t][^\n]{0,200}?-P[ \t]?[\"']?([^\s\"'-][^\s\"']{3,300})"
            r"|[ \t]-U[ \t]?[\"']?[\w.\\-]{1,60}%([^\s\"']{4,300})"
        ),
        is_password,
        near_hints(_LOGIN_HINTS, 6),
    ),
    SecretPattern(
        "password",
        ("-stdin", "--with-token", " secret"),
        # echo 'abcd' | docker login --password-stdin, printf 'abcd' | podman secret create NAME -
        lazy_pattern(
            _ECHO + r"[ \t]{1,4}[\"']?([^\s\"'|]{4,300})[\"']?[ \t]{0,4}\|[^\n|]{0,200}?"
            r"(?:-stdin|--with-token|[ \t]secrets?[ \t](?:create|set|put|add|versions)(?![\w-]))"
        ),
        is_password,
    ),
    SecretPattern(
        "password",
        ("secret", "passw", "passphrase", "token"),
        # echo abcd > /run/secrets/db_password
        lazy_pattern(
            rf"{_ECHO}[ \t]{{1,4}}[\"']?([^\s\"'|<>]{{6,300}})"
            r"[\"']?[ \t]{0,4}>{1,2}[ \t]{0,4}[^\s|;&<>]{0,100}?(?:secret|passw|passphrase|token)"
        ),
        lambda value: strength(value) != NONE,
    ),
    SecretPattern(
        "password",
        ("password", "passphrase", "passwort", "token", "api key", "secret"),
        # Ab3$… (password), Ab3$… is the password, Ab3$… as my API key
        lazy_pattern(
            r"(?<![^\s\"'`])([^\s\"'`,|<>(){}\[\]\\]{6,300})[\"'`]?[ \t]"
            r"(?:\((?:the )?|(?:is|as|ist|als) (?:(?:the|my|your|our|das|a) )?(?:[a-z]{2,12} ){0,2})"
            r"(?:password|passphrase|passwort|token|api key|secret)",
            re.IGNORECASE,
        ),
        is_wordy,
    ),
)
"""Patterns that need more than a name and an assignment."""
