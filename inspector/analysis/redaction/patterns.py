"""Patterns of secrets that are recognisable by their context: values called a password or a key, and home folders.

Every pattern runs in linear time, and only on texts that contain one of its hints.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from inspector.analysis.redaction.likelihood import (
    has_digit,
    is_address,
    is_blob,
    is_credential,
    is_home_name,
    is_joined_words,
    is_key,
    is_mixture,
    is_own_name,
    is_passphrase,
    is_password,
    is_plain_password,
    is_random,
    is_wallet_phrase,
)
from inspector.analysis.redaction.named_patterns import KEY_STARTS, PASSWORD_STARTS, SHORT_NAMES, SPACED_KEYS
from inspector.analysis.redaction.secret_names import (
    KEY_HINTS,
    KEY_NAMES,
    PASSWORD_HINTS,
    PASSWORD_NAMES,
    TAIL,
)
from inspector.analysis.redaction.secret_search import Secret, SecretPattern, near_hints
from inspector.core.text import lazy_pattern

VALUE = (
    r"(?:[bfru]{0,2}(?:(?:\"\"(?=\"))?\"((?:\\.|[^\"\\\n]){4,})|'((?:\\.|[^'\\\n]){4,})|\\{1,7}\"((?:[^\"\\\n]|\\(?!\")){4,}))"
    r"|`([^\s`\\]{4,})`|(?![bfru]{0,2}[\"'\\]|[A-Za-z_.]{1,80}\()([^\s\"'`,<>(){}\[\]\\]{4,}))"
)
r"""A value in quotes, in escaped quotes or without quotes: `"abcd"`, `\"abcd\"` or `abcd`."""
_ASSIGNED = (
    r"[\"'\])\\]{0,4}[ \t]{0,4}"
    r"(?::=|=>|:[ \t]{0,4}[|>]?[-+]?[ \t]{0,4}\n[ \t]{1,20}|:(?!:)|[!=]?={1,2}|%3[AD]"
    r"|[\"'],(?![ \t]{0,4}[A-Za-z_]{1,30}=)|\][ \t]{0,4}:)[ \t]{0,20}"
    # !tag abcd, &anchor abcd, @"abcd", N'abcd', ("abcd")
    r"(?:(?:![\w:.-]{1,40}|&[\w-]{1,40})[ \t]{1,4}|@\$?(?=\")|N(?=')|[(\[]{1,2}[ \t\r\n]{0,20}(?=[bfru]{0,2}[\"'`]))?"
    r"(?:[\"']?\\\r?\n[ \t]{0,40})?"
) + VALUE
r"""Assignment after a name, and the value: `password: "abcd"`, `key=abcd`, `token => 'abcd'`, `"secret", "abcd"`,
and `key=\` with the value on the next line."""


def _assigned(
    kind: str,
    names: str,
    is_likely: Callable[[str], bool],
    hints: Mapping[str, int],
    starts: Callable[[str], Sequence[int]],
) -> tuple[SecretPattern, SecretPattern]:
    """Return patterns for values after one of some names: assigned or between tags, and as an option.

    Args:
        kind: Kind of the secret.
        names: Regular expression for the names.
        is_likely: Returns True if a value is really a secret.
        hints: Lower-case strings of which every name contains at least one.
        starts: Returns the places of a text where a name starts.
    """
    pattern = rf"(?:{names}){TAIL}(?:{_ASSIGNED}|>([^<\n]{{4,}})(?=</)|(?<=[A-Za-z])[ \t]{{1,4}}'([^'\n]{{4,}})')"
    option = rf"(?:{names}){TAIL}[ \t]{{1,4}}(?:\\\r?\n[ \t]{{0,40}})?" + VALUE
    first, second = (lazy_pattern(form, re.IGNORECASE) for form in (option, pattern))
    return (
        SecretPattern(kind, hints, first, is_likely, starts, _BEFORE_OPTION),
        SecretPattern(kind, hints, second, is_likely, starts),
    )


def _plain_assigned(
    kind: str,
    names: str,
    is_likely: Callable[[str], bool],
    hints: Collection[str],
    starts: Callable[[str], Sequence[int]],
) -> SecretPattern:
    """Return a pattern for words that are assigned to a name: in quotes, or up to the end of a line.

    It recognises `password: "abcdef"`, `pwd = abcdef`, `pass: string = "abcdef"` and `name: PASSWORD, value: "abcdef"`.
    """
    return SecretPattern(
        kind,
        hints,
        lazy_pattern(
            rf"(?:{names}){TAIL}\\?[\"'`]?\]?[ \t]{{0,4}}"
            r"(?:,?(?:\r?\n|\\n)?[ \t]{0,20}\\?[\"']?(?:value|default)\\?[\"']?[ \t]{0,4}[:=]"
            r"|:[ \t]?&?(?:str|string)[ \t]?=|(?::|=>?))[ \t]{0,4}"
            rf"(?:\\?[\"'](?-i:({_WORDS}))\\?[\"']"
            rf"|(?-i:({_WORDS}))(?=[ \t]{{0,4}}(?:\\[nr]|[\r\n]|\Z)))",
            re.IGNORECASE,
        ),
        is_likely,
        starts,
    )


# `--password abcd`, `setenv TOKEN abcd`, `set -x TOKEN abcd`, `#define TOKEN "abcd"`,
# `ENV API_KEY abcd`, `login jdoe password abcd` in .netrc
_BEFORE_OPTION = lazy_pattern(
    r"(?:(?<![A-Za-z0-9])--?(?:[A-Za-z0-9]{1,30}[_-]){0,4}(?:session|auth|client|api|access)?"
    r"|(?:setenv|(?<![A-Za-z])(?-i:ENV|ARG))[ \t]{1,4}\w{0,40}|login[ \t]{1,4}\S{1,60}[ \t]{1,4}"
    r"|(?:#[ \t]{0,4}define|setx|set(?:[ \t]-[a-zA-Z]{1,4}){1,3})[ \t]{1,4}\w{0,40})\Z",
    re.IGNORECASE,
)
_WORDS = r"[A-Za-z][a-z]{2,63}(?:[-_.][A-Za-z][a-z]{2,20}){0,6}"
"""One or more words: `copper`, `copper-Lantern`, `copper_lantern_meadow`."""
_LOGIN_HINTS = {
    "://": 0,
    "-u": 2,
    "identified by": 0,
    ":5432:": 0,
    "mysql": 0,
    "mariadb": 0,
    "sshpass": 0,
    "redis-cli": 0,
}
_PHRASE_HINTS = {"mnemonic": 0, "seed": 0, "recovery": 0, "phrase": 0}
_WALLET_HINTS = {"private": 0, "wallet": 0, "secret": 0, "pk": 0}
_BLOB = 120
"""Length of a run that is too long for an identifier or a digest, in characters."""


@dataclass(frozen=True, slots=True, eq=False)
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
_KEY_END = lazy_pattern(r"----[- ]END|Private-MAC")
_KEY_LINE = lazy_pattern(r"[A-Za-z0-9+/]{6}|^(?:\\n|\W){0,12}$|: ")
CONTEXT_PATTERNS = (
    _PrivateKeys(
        "private-key",
        ("private key", "private-lines"),
        # -----BEGIN RSA PRIVATE KEY----- or Private-Lines: 14 (PuTTY)
        lazy_pattern(r"----[- ]BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY[A-Z ]{0,10}[- ]----?|Private-Lines: [0-9]{1,4}"),
    ),
    SecretPattern(
        "authorization",
        ("bearer", "basic", "authorization", "response="),
        # authorization: Bearer abcd1234…, bearer abcd…, or response="0123abcd…" in a digest header
        lazy_pattern(
            r"authorization\\?[\"']?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"'`]?(?:[A-Za-z0-9-]{2,20}[ \t]{1,4})?"
            r"([^\s\"'\\`][^\"'\\`\r\n]{7,})"
            r"|(?:bearer|basic)(?:\\?[ \t]{1,4}|[ \t]{0,4}\\?\r?\n[ \t]{1,20})([A-Za-z0-9._~+/=-]{16,})"
            r"|(?<=response=)\\?[\"']?([0-9a-f]{32})",
            re.IGNORECASE,
        ),
        is_credential,
    ),
    SecretPattern(
        "cookie",
        ("cookie", "curl"),
        # Cookie: session=abcd1234…, or curl -b 'session=abcd1234…'
        lazy_pattern(
            r"(?:cookie\\?[\"']?[ \t]{0,4}[:=]|curl[^\n]{0,200}?[ \t](?:-b|--cookie))[ \t]{0,4}\\?[\"']?"
            r"([^\s\"'\\;=]{1,100}=[^\"'\\\r\n]{8,})",
            re.IGNORECASE,
        ),
        has_digit,
    ),
    SecretPattern(
        "password",
        _LOGIN_HINTS,
        # https://user:pass@host, -u user:pass, mysql -p pass, identified by 'pass',
        # :5432:db:user:pass in .pgpass
        lazy_pattern(
            r"(?<=://)[^\s:/@\"'<>\\]{0,100}:(?![0-9]{1,5}/)([^\s\"'<>\\]{3,300})@(?=[\w.-])"
            r"|[ \t](?:-u|--user)[ \t]{1,4}[\"']?[^\s:\"']{1,64}:([^\s\"']{3,300})"
            r"|(?:mysql(?:dump|admin)?|mariadb|sshpass)[^\n]{0,200}?[ \t\"']-p[ \t]?[\"']?([^\s\"'-][^\s\"']{3,300})"
            r"|redis-cli[^\n]{0,200}?[ \t]-a[ \t][\"']?([^\s\"'-][^\s\"']{3,300})"
            r"|identified by '([^'\n]{4,300})'|(?<=:5432:)[^\s:]{1,60}:[^\s:]{1,60}:([^\s:]{4,300})",
            re.IGNORECASE,
        ),
        is_password,
        near_hints(_LOGIN_HINTS, 6),
    ),
    _plain_assigned("password", PASSWORD_NAMES, is_plain_password, PASSWORD_HINTS, PASSWORD_STARTS),
    _plain_assigned("key", r"secret(?:[_-]?key)?(?:[_-]?base)?(?![a-z])", is_joined_words, ("secret",), KEY_STARTS),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # the password is Ab3$…, `pw`: Ab3$…, or | pass | Ab3$… | in a table
        lazy_pattern(
            rf"(?:{PASSWORD_NAMES}|{SHORT_NAMES}){TAIL}"
            r"(?:[ \t]for[ \t][^\n:]{1,60}(?=:))?"
            r"(?:[ \t]{0,2}(?:\b(?:is|was|lautet|ist|war|est|es|era|é|è|jest|är|er|on|je)\b"
            r"|是|为|為|は|—|–|-|->|→)[ \t:]{0,3}|[\"'`*]{0,3}[ \t]{0,4}[:=][ \t]{0,4}|[ \t*`]{0,20}\|[ \t*]{0,20})"
            r"[\"'`]?([^\s\"'`,|<>(){}\[\]\\]{6,64})",
            re.IGNORECASE,
        ),
        is_mixture,
        PASSWORD_STARTS,
    ),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # password: correct horse battery staple
        lazy_pattern(
            rf"(?:{PASSWORD_NAMES}){TAIL}(?:\\?[\"']|[ \t]for[ \t][^\n:]{{1,60}})?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
            r"(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,20}|[\"']?)"
            r"([^\W\d_]{3,16}(?:[ -][^\W\d_]{3,16}){2,11})(?=[\"']?[ \t]{0,4}(?:\\[nr]|[\r\n]|\Z))",
            re.IGNORECASE,
        ),
        is_passphrase,
        PASSWORD_STARTS,
    ),
    SecretPattern(
        "key",
        ("key", "token", "secret", "cred"),
        # the secret access key is q7Zx9Lm2…, | API_KEY | q7Zx9Lm2… |
        lazy_pattern(
            rf"(?:{SPACED_KEYS}){TAIL}"
            + r"(?:[ \t]{0,2}(?:\b(?:is|was|lautet|ist|est|es|é|è)\b|—|–|->|→)[ \t:]{0,3}|[ \t*`]{0,20}\|[ \t*]{0,20})"
            r"[\"'`]?([^\s\"'`,|<>(){}\[\]\\]{16,300})",
            re.IGNORECASE,
        ),
        is_random,
        KEY_STARTS,
    ),
    SecretPattern(
        "wallet-key",
        _PHRASE_HINTS,
        # mnemonic: legal winner thank year …
        lazy_pattern(
            r"(?:mnemonic|seed|recovery|phrase)[_ -]?(?:phrase|words)?\\?[\"'`]?[ \t]{0,4}(?:is|[:=])?"
            r"(?:[ \t\r]{0,4}\n)?[ \t]{0,4}"
            r"\\?[\"'`]?([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])",
            re.IGNORECASE,
        ),
        is_wallet_phrase,
        near_hints(_PHRASE_HINTS),
    ),
    SecretPattern(
        "wallet-key",
        _WALLET_HINTS,
        # private key 0x0123abcd… of 64 digits, new Wallet("0x0123abcd…")
        lazy_pattern(
            r"(?:private[_ -]?key|wallet|secret|pk)\\?[\"'`]?[ \t]{0,4}(?:is|[:=(])?[ \t]{0,4}\\?[\"'`]?"
            r"((?:0x)?[0-9a-f]{64})(?![0-9a-z])",
            re.IGNORECASE,
        ),
        starts_in=near_hints(_WALLET_HINTS),
    ),
    SecretPattern(
        "key",
        ("=", ":"),
        # FERNET=Dp36NI1mK2ch…, session_seed: "Dp36NI1mK2ch…": a random value of any name
        lazy_pattern(
            r"(?<![A-Za-z0-9_.-])(?:[A-Z][A-Z0-9_]{2,60}(?<!PUBLIC_KEY)=[\"']?"
            r"|[A-Za-z][A-Za-z0-9_.-]{2,60}(?<![_-]id)(?<!Id)(?<!ublic[_-]key)(?<!ublicKey)"
            r"\\?[\"']?[ \t]{0,2}[:=][ \t]{0,2}\\?[\"'])"
            r"([A-Za-z0-9+/_-]{20,200}={0,2})(?![A-Za-z0-9+/_.=-])"
        ),
        is_random,
    ),
    *_assigned("password", PASSWORD_NAMES, is_password, PASSWORD_HINTS, PASSWORD_STARTS),
    *_assigned("key", KEY_NAMES, is_key, KEY_HINTS, KEY_STARTS),
    SecretPattern(
        "e-mail",
        ("@", "%40", "at]", "at)"),
        # name.surname@mail.example.com, also with %40 and after an escape sequence; not git@github.com
        lazy_pattern(
            r"(?:(?<![\\\w.%+-])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4}))(?!git@(?:github|gitlab|bitbucket|ssh)\.|redacted)"
            r"[\w.%+-]+(?:@|%40|[ \t]?[\[(](?:at|AT)[\])][ \t]?)(?:[^\W_](?:[\w-]{0,62})\.){1,8}[^\W\d_]{2,24}"
        ),
        is_address,
    ),
    SecretPattern(
        "user",
        ("@",),
        # jdoe@laptop ~ %, jdoe@laptop:~/src$
        lazy_pattern(
            r"(?:(?<![^\n])|(?<=\\n))([a-z][a-z0-9._-]{2,40})@[A-Za-z0-9-]{1,60}"
            r"(?=(?: |:)[~/][^\s%$#]{0,100} ?[%$#](?:\s|\Z))"
        ),
        is_own_name,
    ),
    SecretPattern(
        "user",
        ("user", "logname", "uid="),
        # USERNAME="jdoe", uid=1000(jdoe)
        lazy_pattern(
            r"(?<![A-Za-z])(?:USER|USERNAME|LOGNAME)=\"?([A-Za-z][\w.-]{2,40})|[ug]id=[0-9]{1,10}\(([a-z][\w.-]{2,40})\)"
        ),
        is_own_name,
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Blobs(SecretPattern):
    """Runs of encoded data, which only texts with a long word contain."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        is_possible = any(len(word) >= _BLOB_LINE for word in text.split())
        return super(_Blobs, self).secrets_in(text) if is_possible else iter(())


_BLOB_LINE = 57
"""Minimum length of a line of encoded data, in characters."""
BLOB = _Blobs(
    "blob",
    ("",),
    # base64 in one run of at least 120 characters, or in several lines of at least 57
    lazy_pattern(
        rf"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{{{_BLOB},}}={{0,2}}"
        rf"|(?:[A-Za-z0-9+/_-]{{{_BLOB_LINE},100}}(?:\\n|\r?\n))+[A-Za-z0-9+/_-]+={{0,2}})"
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
_HOME_HINTS = {
    **{"/home/": 0, "/users/": 0, "%2fhome%2f": 0, "%2fusers%2f": 0, "%3a/users": 0, "%3a%2fusers": 0},
    **{"-home-": 0, "-users-": 0},
}
_WINDOWS_HINTS = {"\\users": 75, ":/users": 1, "documents and settings": 6}
_LINUX_HINTS = {"wsl$": 0, "wsl.localhost": 0}
HOMES = (
    SecretPattern(
        "user",
        _HOME_HINTS,
        # /home/jdoe, %2FUsers%2Fjdoe, -home-jdoe-project
        lazy_pattern(
            rf"{_AT_ROOT}/(?:home|Users)/{_AWAY}(\w[\w.-]{{0,63}})"
            rf"|%2F(?:home|Users)%2F{_AWAY}(\w[\w.-]{{0,63}})|%3A(?:/|%2F)Users(?:/|%2F){_AWAY}(\w[\w.-]{{0,63}})"
            rf"|(?:(?<![A-Za-z0-9])|(?<=[A-Z]-))-(?:home|Users)-{_AWAY}([A-Za-z0-9][A-Za-z0-9._]{{0,63}})"
        ),
        is_home_name,
        near_hints(_HOME_HINTS),
    ),
    SecretPattern(
        "user",
        _WINDOWS_HINTS,
        # C:\Users\jdoe, \\server\Users\jdoe
        lazy_pattern(
            r"(?:(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,4}|/)(?:[Uu]sers|Documents and Settings)(?:\\{1,4}|/)"
            rf"|\\{{2,8}}[\w.-]{{1,64}}\\{{1,4}}[Uu]sers\\{{1,4}}){_AWAY}"
            r"([^\\/:*?\"<>|\s][^\\/:*?\"<>|\r\n]{0,63}(?=[\\/])|[^\\/:*?\"<>|\s',;]{1,64})"
        ),
        is_home_name,
        near_hints(_WINDOWS_HINTS),
    ),
    SecretPattern(
        "user",
        _LINUX_HINTS,
        # \\wsl$\Ubuntu\home\jdoe
        lazy_pattern(rf"wsl(?:\$|\.localhost)\\{{1,4}}[\w.-]{{1,40}}\\{{1,4}}home\\{{1,4}}{_AWAY}(\w[\w.-]{{0,63}})"),
        is_home_name,
        near_hints(_LINUX_HINTS),
    ),
)
"""A user's home folder, also in the form in which tools include it in other folder names (`-home-NAME-project`)."""
