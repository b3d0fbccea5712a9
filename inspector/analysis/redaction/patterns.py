"""Patterns of secrets that are recognisable by their context: values called a password or a key, and home folders.

Every pattern runs in linear time, and only on texts that contain one of its hints.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from inspector.analysis.redaction.likelihood import (
    has_digit,
    is_address,
    is_blob,
    is_credential,
    is_home_name,
    is_key,
    is_mixture,
    is_own_name,
    is_passphrase,
    is_password,
    is_plain_password,
    is_random,
)
from inspector.analysis.redaction.secret_names import (
    KEY_HINTS,
    KEY_NAMES,
    PASSWORD_HINTS,
    PASSWORD_NAMES,
    TAIL,
    is_about_secret,
)


class Secret(NamedTuple):
    """A part of a text that has to be redacted."""

    kind: str
    value: str
    start: int


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """Pattern for one kind of secret. The secret is the last group that matched, or else the whole match."""

    kind: str
    hints: tuple[str, ...]
    """Lower-case strings of which every matching text contains at least one."""
    pattern: re.Pattern[str]
    is_likely: Callable[[str], bool] = bool
    """Returns True if a matching value is really a secret."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        """Yield the secrets of a text in order.

        A value that is not a secret can contain the name of one (`secret: aws_secret_access_key = …`), so it is
        searched again. All repeated searches together cover at most `_AGAIN` times the text; after that, every match is
        redacted unchecked.
        """
        place, budget = 0, _AGAIN * len(text)
        while match := self.pattern.search(text, place):
            group = match.lastindex or 0
            value, start = match[group], match.start(group)
            place = match.end()
            is_hidden = not value or "[redacted:" in value or _is_described(match)
            budget -= len(value)
            if not is_hidden and (budget < 0 or self.is_likely(value)):
                yield Secret(self.kind, value, start)
            elif start > match.start() and budget >= 0:
                place = start


def _is_described(match: re.Match[str]) -> bool:
    """Return True if the rest of the name before a value says that the value only describes a secret."""
    names = match.re.groupindex
    return any(is_about_secret(match[name] or "") for name in ("tail", "option") if name in names)


_AGAIN = 40
"""Maximum number of times that each character of a text is searched."""
_VALUE = (
    r"(?:[bfru]{0,2}(?:\"((?:\\.|[^\"\\\n]){4,})|'((?:\\.|[^'\\\n]){4,})|\\{1,7}\"((?:[^\"\\\n]|\\(?!\")){4,}))"
    r"|(?![bfru]{0,2}[\"'\\])([^\s\"'`,<>(){}\[\]\\]{4,}))"
)
r"""A value in quotes, in escaped quotes or without quotes: `"abcd"`, `\"abcd\"` or `abcd`."""
_ASSIGNED = (
    r"[\"'\])\\]{0,4}[ \t]{0,4}"
    r"(?::=|=>|:[ \t]{0,4}[|>]?[ \t]{0,4}\n[ \t]{1,20}|:|=|%3[AD]|[\"'],|\][ \t]{0,4}:)[ \t]{0,4}"
    r"(?:![a-z]{1,20}[ \t]{1,4})?(?:\\\r?\n[ \t]{0,40})?"
) + _VALUE
r"""Assignment after a name, and the value: `password: "abcd"`, `key=abcd`, `token => 'abcd'`, `"secret", "abcd"`,
and `key=\` with the value on the next line."""


def _assigned(kind: str, names: str, is_likely: Callable[[str], bool], *hints: str) -> SecretPattern:
    """Return a pattern for values after one of some names: assigned, as an option, or between tags.

    Args:
        kind: Kind of the secret.
        names: Regular expression for the names.
        is_likely: Returns True if a value is really a secret.
        hints: Lower-case strings of which every matching text contains at least one.
    """
    pattern = rf"(?:{names}){TAIL}(?:{_ASSIGNED}|>([^<\n]{{4,}})(?=</)|(?<=[A-Za-z])[ \t]{{1,4}}'([^'\n]{{4,}})')"
    # `--password abcd`, `setenv TOKEN abcd`, `ENV API_KEY abcd`, `login jdoe password abcd` in .netrc
    before = (
        r"(?<![A-Za-z0-9])--?(?:[A-Za-z0-9]{1,30}[_-]){0,4}?|(?:setenv|(?<![A-Za-z])(?-i:ENV|ARG))[ \t]{1,4}\w{0,40}"
        r"|login[ \t]{1,4}\S{1,60}[ \t]{1,4}"
    )
    tail = TAIL.replace("tail", "option")
    option = rf"(?:{before})(?:{names}){tail}[ \t]{{1,4}}" + _VALUE
    return SecretPattern(kind, hints, re.compile(f"{option}|{pattern}", re.IGNORECASE), is_likely)


_BLOB = 120
"""Length of a run that is too long for an identifier or a digest, in characters."""


@dataclass(frozen=True, slots=True)
class _PrivateKeys(SecretPattern):
    """Lines of private keys, up to the end marker or as long as lines look like key data."""

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
        # -----BEGIN RSA PRIVATE KEY----- or Private-Lines: 14 (PuTTY)
        re.compile(r"----[- ]BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY[A-Z ]{0,10}[- ]----?|Private-Lines: [0-9]{1,4}"),
    ),
    SecretPattern(
        "authorization",
        ("bearer", "basic", "authorization", "response="),
        # authorization: Bearer abcd1234…, bearer abcd…, or response="0123abcd…" in a digest header
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
        # Cookie: session=abcd1234…, or curl -b 'session=abcd1234…'
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
        # https://user:pass@host, https://token@host, -u user:pass, mysql -p pass, identified by 'pass',
        # :5432:db:user:pass in .pgpass
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
        PASSWORD_HINTS,
        # password: "abcdef", or pwd = abcdef at the end of a line
        re.compile(
            rf"(?:{PASSWORD_NAMES}){TAIL}\\?[\"']?[ \t]{{0,4}}(?::|=>?)[ \t]{{0,4}}"
            r"(?:\\?[\"'](?-i:([a-z]{4,64}))\\?[\"']|(?-i:([a-z]{6,64}))(?=[ \t]{0,4}(?:\\[nr]|[\r\n]|\Z)))",
            re.IGNORECASE,
        ),
        is_plain_password,
    ),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # the password is Ab3$…, `pw`: Ab3$…, or | pass | Ab3$… | in a table
        re.compile(
            rf"(?:{PASSWORD_NAMES}|(?<![\w-])(?-i:pass|pw)){TAIL}"
            r"(?:[ \t]{0,2}(?:\b(?:is|was|lautet|ist|war|est|es|era|é|è|jest|är|er|on|je)\b"
            r"|是|为|為|は|—|–|-|->|→)[ \t:]{0,3}|[\"'`*]{0,3}[ \t]{0,4}[:=][ \t]{0,4}|[ \t*`]{0,20}\|[ \t*]{0,20})"
            r"[\"'`]?([^\s\"'`,|<>(){}\[\]\\]{6,64})",
            re.IGNORECASE,
        ),
        is_mixture,
    ),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # password: correct horse battery staple
        re.compile(
            rf"(?:{PASSWORD_NAMES}){TAIL}\\?[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:[\"']{{0,1}})"
            r"([^\W\d_]{3,16}(?:[ -][^\W\d_]{3,16}){2,11})(?=[\"']?[ \t]{0,4}(?:\\[nr]|[\r\n]|\Z))",
            re.IGNORECASE,
        ),
        is_passphrase,
    ),
    SecretPattern(
        "key",
        KEY_HINTS,
        # the secret access key is q7Zx9Lm2…, | API_KEY | q7Zx9Lm2… |
        re.compile(
            r"(?:(?:api|access|secret|private|signing|encryption|license)[_ -]?key|token|secret|credential)"
            + TAIL
            + r"(?:[ \t]{0,2}\b(?:is|was|lautet|ist|est|es|é)\b[ \t:]{0,3}|[ \t*`]{0,20}\|[ \t*]{0,20})"
            r"[\"'`]?([^\s\"'`,|<>(){}\[\]\\]{16,300})",
            re.IGNORECASE,
        ),
        is_random,
    ),
    SecretPattern(
        "wallet-key",
        ("mnemonic", "seed", "recovery", "phrase"),
        # mnemonic: legal winner thank year …
        re.compile(
            r"(?:mnemonic|seed|recovery|phrase)[_ -]?(?:phrase|words)?\\?[\"'`]?[ \t]{0,4}(?:is|[:=])?[ \t]{0,4}"
            r"\\?[\"'`]?([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])",
            re.IGNORECASE,
        ),
        is_passphrase,
    ),
    SecretPattern(
        "wallet-key",
        ("0x", "private", "wallet", "secret"),
        # private key 0x0123abcd… of 64 digits
        re.compile(
            r"(?:private[_ -]?key|wallet|secret|pk)\\?[\"'`]?[ \t]{0,4}(?:is|[:=])?[ \t]{0,4}\\?[\"'`]?"
            r"((?:0x)?[0-9a-f]{64})(?![0-9a-z])",
            re.IGNORECASE,
        ),
    ),
    SecretPattern(
        "key",
        ("=", ":"),
        # FERNET=Dp36NI1mK2ch…, session_seed: "Dp36NI1mK2ch…": a random value of any name
        re.compile(
            r"(?<![A-Za-z0-9_.-])(?:[A-Z][A-Z0-9_]{2,60}=[\"']?|[A-Za-z][A-Za-z0-9_.-]{2,60}\\?[\"']?[ \t]{0,2}"
            r"[:=][ \t]{0,2}\\?[\"'])([A-Za-z0-9+/_-]{20,200}={0,2})(?![A-Za-z0-9+/_.=-])"
        ),
        is_random,
    ),
    _assigned("password", PASSWORD_NAMES, is_password, *PASSWORD_HINTS),
    _assigned("key", KEY_NAMES, is_key, *KEY_HINTS),
    SecretPattern(
        "e-mail",
        ("@", "%40", "at]", "at)"),
        # name.surname@mail.example.com, also with %40 and after an escape sequence; not git@github.com
        re.compile(
            r"(?:(?<![\\\w.%+-])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))(?!git@(?:github|gitlab|bitbucket|ssh)\.|redacted)"
            r"[\w.%+-]+(?:@|%40|[ \t]?[\[(](?:at|AT)[\])][ \t]?)(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}"
        ),
        is_address,
    ),
    SecretPattern(
        "user",
        ("@",),
        # jdoe@laptop ~ %, jdoe@laptop:~/src$
        re.compile(
            r"(?:(?<![^\n])|(?<=\\n))([a-z][a-z0-9._-]{2,40})@[A-Za-z0-9-]{1,60}"
            r"(?=(?: |:)[~/][^\s%$#]{0,100} ?[%$#](?:\s|\Z))"
        ),
        is_own_name,
    ),
    SecretPattern(
        "user",
        ("user", "logname", "uid="),
        # USERNAME="jdoe", uid=1000(jdoe)
        re.compile(
            r"(?<![A-Za-z])(?:USER|USERNAME|LOGNAME)=\"?([A-Za-z][\w.-]{2,40})|[ug]id=[0-9]{1,10}\(([a-z][\w.-]{2,40})\)"
        ),
        is_own_name,
    ),
)
BLOB = SecretPattern(
    "blob",
    ("",),
    # base64 in one run of at least 120 characters, or in several lines of at least 57
    re.compile(
        rf"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{{{_BLOB},}}={{0,2}}"
        r"|(?:[A-Za-z0-9+/_-]{57,100}(?:\\n|\r?\n))+[A-Za-z0-9+/_-]+={0,2})"
    ),
    is_blob,
)
"""Encoded data, which can contain anything and cannot be searched."""

_AWAY = r"(?!redacted-user-)"
# `/home` after a space, `/mnt/c/Users`, `/var/home`, `\n/home`, `file:/home`
_AT_ROOT = (
    r"(?:(?<![\w.])|(?<=/mnt/[a-z])|(?<=[^\w]/[a-z])|(?<=^/[a-z])|(?<=/var)|(?<=/export)|(?<=Volumes/Data)|(?<=-[A-Z])"
    r"|(?<=\\[nrtbf])|(?<=:)|(?<=\b_))"
)
"""Possible start of the path of a home folder."""
HOME = SecretPattern(
    "user",
    ("home", "users", "documents and settings"),
    # /home/jdoe, %2FUsers%2Fjdoe, -home-jdoe-project, C:\Users\jdoe, \\server\Users\jdoe, wsl$\Ubuntu\home\jdoe
    re.compile(
        rf"{_AT_ROOT}/(?:home|Users)/{_AWAY}(\w[\w.-]{{0,63}})"
        rf"|%2F(?:home|Users)%2F{_AWAY}(\w[\w.-]{{0,63}})|%3A(?:/|%2F)Users(?:/|%2F){_AWAY}(\w[\w.-]{{0,63}})"
        rf"|(?:(?<![A-Za-z0-9])|(?<=[A-Z]-))-(?:home|Users)-{_AWAY}([A-Za-z0-9][A-Za-z0-9._]{{0,63}})"
        rf"|(?:(?<![A-Za-z0-9])[A-Za-z]:(?:\\{{1,4}}|/)(?:[Uu]sers|Documents and Settings)(?:\\{{1,4}}|/)"
        rf"|\\{{2,8}}[\w.-]{{1,64}}\\{{1,4}}[Uu]sers\\{{1,4}}){_AWAY}"
        r"([^\\/:*?\"<>|\s][^\\/:*?\"<>|\r\n]{0,63}(?=[\\/])|[^\\/:*?\"<>|\s',;]{1,64})"
        rf"|wsl(?:\$|\.localhost)\\{{1,4}}[\w.-]{{1,40}}\\{{1,4}}home\\{{1,4}}{_AWAY}(\w[\w.-]{{0,63}})"
    ),
    is_home_name,
)
"""A user's home folder, also in the form in which tools include it in other folder names (`-home-NAME-project`)."""
