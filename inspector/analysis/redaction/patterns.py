"""What secrets look like by what stands around them: values that are called a password or a key, home folders.

Every pattern takes linear time, and is only tried on a text that holds one of its hints.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from inspector.analysis.redaction.likelihood import (
    SHARED_NAMES,
    has_digit,
    is_blob,
    is_credential,
    is_key,
    is_mixture,
    is_password,
    is_plain_password,
)


class Secret(NamedTuple):
    """A stretch of a text that is to be hidden."""

    kind: str
    value: str
    start: int


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """What secrets of one kind look like. Of a match, its last group that took part is the secret, or all of it."""

    kind: str
    hints: tuple[str, ...]
    """One of them, in lower case, is in every text that matches."""
    pattern: re.Pattern[str]
    is_likely: Callable[[str], bool] = bool
    """Whether a value that matched is a secret indeed."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        """The secrets of a text, from its beginning on.

        What is no secret itself may hold the name of one (`secret: aws_secret_access_key = …`), so it is looked at
        again, in all as often as `_AGAIN` allows. What would take longer is hidden unseen.
        """
        place, budget = 0, _AGAIN * len(text)
        while match := self.pattern.search(text, place):
            group = match.lastindex or 0
            value, start = match[group], match.start(group)
            place = match.end()
            is_hidden = not value or "[redacted:" in value
            budget -= len(value)
            if not is_hidden and (budget < 0 or self.is_likely(value)):
                yield Secret(self.kind, value, start)
            elif start > match.start() and budget >= 0:
                place = start


_AGAIN = 40
"""How often each character of a text may be looked at."""
_VALUE = (
    r"(?:[bfru]{0,2}(?:\"((?:\\.|[^\"\\\n]){4,})|'((?:\\.|[^'\\\n]){4,})|\\{1,7}\"((?:[^\"\\\n]|\\(?!\")){4,}))"
    r"|(?![bfru]{0,2}[\"'\\])([^\s\"'`,<>(){}\[\]\\]{4,}))"
)
"""A value in quotes, in quotes that are escaped, or in none."""
_ASSIGNED = (
    r"[\"'\])\\]{0,4}[ \t]{0,4}"
    r"(?::=|=>|:[ \t]{0,4}[|>]?[ \t]{0,4}\n[ \t]{1,20}|:|=|%3[AD]|[\"'],|\][ \t]{0,4}:)[ \t]{0,4}"
    r"(?:![a-z]{1,20}[ \t]{1,4})?"
) + _VALUE
"""What stands behind a name that is given a value."""


def _assigned(kind: str, names: str, is_likely: Callable[[str], bool], *hints: str) -> SecretPattern:
    """Values that stand behind one of some names: assigned, as an option, between tags."""
    pattern = rf"(?:{names})(?:{_ASSIGNED}|>([^<\n]{{4,}})(?=</)|(?<=[A-Za-z])[ \t]{{1,4}}'([^'\n]{{4,}})')"
    before = (
        r"(?<![A-Za-z0-9])--?|(?:setenv|(?<![A-Za-z])(?-i:ENV|ARG))[ \t]{1,4}\w{0,40}"
        r"|login[ \t]{1,4}\S{1,60}[ \t]{1,4}"
    )
    option = rf"(?:{before})(?:{names})[ \t]{{1,4}}" + _VALUE
    return SecretPattern(kind, hints, re.compile(f"{option}|{pattern}", re.IGNORECASE), is_likely)


_KEY_NAMES = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key|signing[_-]?key|"
    r"encryption[_-]?key|client[_-]?secret|secret|(?:session|auth)?[_-]?token|credentials?|(?-i:_KEY|_AUTH)"
    r"|(?<![A-Za-z])_?auth|(?<=[?&])sig(?:nature)?"
)
_PASSWORD_NAMES = r"passwords?|passwd|passphrase|passcode|pwd|(?<=[_-])pass|(?<=[_-])pw"
_BLOB = 120
"""Characters of a run that is too long for an identifier or a digest."""


@dataclass(frozen=True, slots=True)
class _PrivateKeys(SecretPattern):
    """The lines of private keys: to the end mark, or as far as they look like such lines."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        ends = [match.start() for match in _KEY_END.finditer(text)]
        behind = 0
        for match in self.pattern.finditer(text):
            start, place = match.end(), bisect_left(ends, match.end())
            if start < behind:
                continue
            if place < len(ends) and ends[place] - start <= _MAX_KEY_LENGTH:
                behind = ends[place]
            else:
                behind = start + sum(
                    map(len, takewhile(_KEY_LINE.search, text[start : start + _MAX_KEY_LENGTH].splitlines(True)))
                )
            if text[start:behind].strip("\\nr \n") and "[redacted:" not in text[start:behind]:
                yield Secret(self.kind, text[start:behind], start)


_MAX_KEY_LENGTH = 20_000
_KEY_END = re.compile(r"----[- ]END|Private-MAC")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{6}|^(?:\\n|\W){0,12}$|: ")
CONTEXT_PATTERNS = (
    _PrivateKeys(
        "private-key",
        ("private key", "private-lines"),
        re.compile(r"----[- ]BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY[A-Z ]{0,10}[- ]----?|Private-Lines: [0-9]{1,4}"),
    ),
    SecretPattern(
        "authorization",
        ("bearer", "basic", "authorization", "response="),
        re.compile(
            r"authorization\\?[\"']?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"']?(?:[A-Za-z0-9-]{2,20}[ \t]{1,4})?"
            r"([^\s\"'\\`][^\"'\\`\r\n]{7,})"
            r"|(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})|(?<=response=)\\?[\"']?([0-9a-f]{32})",
            re.IGNORECASE,
        ),
        is_credential,
    ),
    SecretPattern(
        "cookie",
        ("cookie", "curl"),
        re.compile(
            r"(?:cookie\\?[\"']?[ \t]{0,4}[:=]|curl[^\n]{0,200}?[ \t]-b)[ \t]{0,4}\\?[\"']?"
            r"([^\s\"'\\;=]{1,100}=[^\"'\\\r\n]{8,})",
            re.IGNORECASE,
        ),
        has_digit,
    ),
    SecretPattern(
        "password",
        ("://", "-u", "-p", "identified by", ":"),
        re.compile(
            r"(?<=://)[^\s:/@\"'<>\\]{0,100}:(?![0-9]{1,5}/)([^\s\"'<>\\]{3,300})@(?=[\w.-])"
            r"|(?<=://)([A-Za-z0-9_-]{20,200})(?=@)"
            r"|[ \t](?:-u|--user)[ \t]{1,4}[\"']?[^\s:\"']{1,64}:([^\s\"']{3,300})"
            r"|(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)[^\n]{0,200}?[ \t]-p[ \t]?([^\s\"'-][^\s\"']{3,300})"
            r"|identified by '([^'\n]{4,300})'|(?<=:5432:)[^\s:]{1,60}:[^\s:]{1,60}:([^\s:]{4,300})",
            re.IGNORECASE,
        ),
        is_password,
    ),
    SecretPattern(
        "password",
        ("pass", "pwd", "pw"),
        re.compile(
            rf"(?:{_PASSWORD_NAMES})\\?[\"']?[ \t]{{0,4}}(?::|=>?)[ \t]{{0,4}}"
            r"(?:\\?[\"'](?-i:([a-z]{4,64}))\\?[\"']|(?-i:([a-z]{6,64}))(?=[ \t]{0,4}(?:\\[nr]|[\r\n]|\Z)))",
            re.IGNORECASE,
        ),
        is_plain_password,
    ),
    SecretPattern(
        "password",
        ("pass", "pwd", "pw"),
        re.compile(
            rf"(?:{_PASSWORD_NAMES}|(?<![\w-])(?-i:pass|pw))"
            r"(?:[ \t](?:is|was)[ \t:]{1,3}|[\"'`*]{0,3}[ \t]{0,4}[:=][ \t]{0,4}|[ \t*`]{0,20}\|[ \t*]{0,20})"
            r"[\"'`]?([^\s\"'`,|<>(){}\[\]\\]{6,64})",
            re.IGNORECASE,
        ),
        is_mixture,
    ),
    _assigned("password", _PASSWORD_NAMES, is_password, "pass", "pwd", "pw"),
    _assigned("key", _KEY_NAMES, is_key, "key", "secret", "token", "credential", "auth", "sig"),
    SecretPattern(
        "e-mail",
        ("@", "%40"),
        re.compile(
            r"(?:(?<![\\\w.%+-])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))(?!git@(?:github|gitlab|bitbucket|ssh)\.|redacted)"
            r"[\w.%+-]+(?:@|%40)(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}"
        ),
    ),
    SecretPattern(
        "user",
        ("user", "logname", "uid="),
        re.compile(
            r"(?<![A-Za-z])(?:USER|USERNAME|LOGNAME)=\"?([A-Za-z][\w.-]{2,40})|[ug]id=[0-9]{1,10}\(([a-z][\w.-]{2,40})\)"
        ),
        lambda value: value.casefold() not in SHARED_NAMES and not value.startswith("redacted-"),
    ),
)
BLOB = SecretPattern(
    "blob",
    ("",),
    re.compile(
        rf"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{{{_BLOB},}}={{0,2}}"
        r"|(?:[A-Za-z0-9+/_-]{57,100}(?:\\n|\r?\n))+[A-Za-z0-9+/_-]+={0,2})"
    ),
    is_blob,
)
"""What may hold anything, and cannot be searched."""

NAMED_KEYS = re.compile(
    rf"(?:.*[^a-z])?(?:(?P<password>{_PASSWORD_NAMES})|{_KEY_NAMES}|authorization|cookie)", re.IGNORECASE
)
"""The names of JSON fields whose text is a secret; those of passwords have a group of their own."""

_AWAY = r"(?!redacted-user-)"
_AT_ROOT = (
    r"(?:(?<![\w.])|(?<=/mnt/[a-z])|(?<=[^\w]/[a-z])|(?<=^/[a-z])|(?<=/var)|(?<=/export)|(?<=Volumes/Data)|(?<=-[A-Z])"
    r"|(?<=\\[nrtbf])|(?<=:)|(?<=\b_))"
)
"""Where the path of a home folder may begin."""
HOME = SecretPattern(
    "user",
    ("home", "users", "documents and settings"),
    re.compile(
        rf"{_AT_ROOT}/(?:home|Users)/{_AWAY}(\w[\w.-]{{0,63}})"
        rf"|%2F(?:home|Users)%2F{_AWAY}(\w[\w.-]{{0,63}})|%3A(?:/|%2F)Users(?:/|%2F){_AWAY}(\w[\w.-]{{0,63}})"
        rf"|(?:(?<![A-Za-z0-9])|(?<=[A-Z]-))-(?:home|Users)-{_AWAY}([A-Za-z0-9][A-Za-z0-9._]{{0,63}})"
        rf"|(?:(?<![A-Za-z0-9])[A-Za-z]:(?:\\{{1,4}}|/)(?:[Uu]sers|Documents and Settings)(?:\\{{1,4}}|/)"
        rf"|\\{{2,8}}[\w.-]{{1,64}}\\{{1,4}}[Uu]sers\\{{1,4}}){_AWAY}"
        r"([^\\/:*?\"<>|\s][^\\/:*?\"<>|\r\n]{0,63}(?=[\\/])|[^\\/:*?\"<>|\s',;]{1,64})"
        rf"|wsl(?:\$|\.localhost)\\{{1,4}}[\w.-]{{1,40}}\\{{1,4}}home\\{{1,4}}{_AWAY}(\w[\w.-]{{0,63}})"
    ),
)
"""The folder of a person, also as tools write it into the name of a folder of theirs (`-home-NAME-project`)."""
