"""What secrets look like: tokens with a prefix of their own, values that are called a password, home folders.

Prefixes are those that the services publish, most of them in GitHub's list of what its secret scanning supports
(https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns). Every pattern
takes linear time, and is only tried on a text that holds one of its hints.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token may begin: behind no letter or digit, or behind an escape that ends with one."""


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
        for match in self.pattern.finditer(text):
            group = match.lastindex or 0
            value = match[group]
            if value and "[redacted:" not in value and self.is_likely(value):
                yield Secret(self.kind, value, match.start(group))


def _token(kind: str, pattern: str, *hints: str, start: str = _START) -> SecretPattern:
    return SecretPattern(kind, hints, re.compile(f"{start}(?:{pattern})"), _is_mixed)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_mixed(value: str) -> bool:
    """Whether there are digits, or capitals among small letters, as words have none."""
    return _has_digit(value) or (any(map(str.islower, value)) and any(map(str.isupper, value[1:])))


_NO_SECRETS = _word_set(
    "string str text number integer boolean object null none nil undefined true false required optional default "
    "value password passwd secret token username example placeholder changeme redacted hidden masked unset empty "
    "your my the process import return const self this env environ environment"
)
"""Words that stand where a secret would, and are none."""
_PLACEHOLDER = re.compile(
    r"\$(?:[{(]|(?-i:[A-Z0-9_]+|[a-z0-9_]+)(?![A-Za-z0-9_]))|%[A-Za-z_]{1,60}%|#\{|[<{\[(]|\*{3}|\.\.\.|[xX•]{4}|-{4}"
    r"|(?:your|my|the|some|example|dummy|fake)[-_ ][^0-9]{0,60}$",
    re.IGNORECASE,
)
_PATHS = re.compile(r"[A-Za-z_]+(?:\??\.[A-Za-z_]+)+(?:\.[A-Z][A-Z0-9_]+)?|[a-z_]+\.[A-Z][A-Z0-9_]+", re.ASCII)
_NAMES = re.compile(r"[A-Za-z_]+\(?", re.ASCII)
"""Values that name something: a field of an object, a variable, a function."""


def is_password(value: str) -> bool:
    """Whether the value of something that is called a password is one: neither a word of a schema nor a variable."""
    words = value.strip("\"' ")
    if len(words) < 4 or words.casefold() in _NO_SECRETS or _PLACEHOLDER.match(words):
        return False
    if _PATHS.fullmatch(words):
        return False
    return not _NAMES.fullmatch(words) or (any(map(str.islower, words)) and any(map(str.isupper, words)))


def is_key(value: str) -> bool:
    """Whether the value of something that is called a key or a token is one: a mixture, and not short."""
    is_long = len(value) >= (12 if _has_digit(value) else 16)
    if not is_long or any(map(str.isspace, value)) or not any(map(str.isalpha, value)):
        return False
    return _is_mixed(value) and is_password(value)


def _is_blob(value: str) -> bool:
    """Whether a long run of letters and digits is encoded: words and paths have few capitals and digits."""
    capitals, digits = sum(map(str.isupper, value)), sum(map(str.isdigit, value))
    return 100 * capitals >= 15 * len(value) and 100 * digits >= 3 * len(value) and not value.isupper()


_VALUE = (
    r"(?:[bfru]{0,2}(?:\"((?:\\.|[^\"\\\n]){4,})|'((?:\\.|[^'\\\n]){4,})|\\{1,7}\"((?:[^\"\\\n]|\\(?!\")){4,}))"
    r"|(?![bfru]{0,2}[\"'\\])([^\s\"'`,<>(){}\[\]\\]{4,}))"
)
"""A value in quotes, in quotes that are escaped, or in none."""
_ASSIGNED = (
    r"[\"'\])\\]{0,4}[ \t]{0,4}(?::=|=>|:[ \t]{0,4}[|>]?[ \t]{0,4}\n[ \t]{1,20}|:|=|[\"'],|\][ \t]{0,4}:)[ \t]{0,4}"
    r"(?:![a-z]{1,20}[ \t]{1,4})?"
) + _VALUE
"""What stands behind a name that is given a value."""


def _assigned(kind: str, names: str, is_likely: Callable[[str], bool], *hints: str) -> SecretPattern:
    """Values that stand behind one of some names: assigned, as an option, between tags."""
    pattern = rf"(?:{names})(?:{_ASSIGNED}|>([^<\n]{{4,}})(?=</)|(?<=[A-Za-z])[ \t]{{1,4}}'([^'\n]{{4,}})')"
    option = (
        rf"(?:--?|setenv[ \t]{{1,4}}\w{{0,40}}|login[ \t]{{1,4}}\S{{1,60}}[ \t]{{1,4}})(?:{names})[ \t]{{1,4}}" + _VALUE
    )
    return SecretPattern(kind, hints, re.compile(f"{option}|{pattern}", re.IGNORECASE), is_likely)


_KEY_NAMES = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key|signing[_-]?key|"
    r"encryption[_-]?key|client[_-]?secret|secret|(?:session|auth)?[_-]?token|credentials?|(?-i:_KEY|_AUTH)"
    r"|(?<![A-Za-z])_?auth|(?<=[?&])sig(?:nature)?"
)
_PASSWORD_NAMES = r"passwords?|passwd|passphrase|passcode|pwd|(?<=[_-])pass|(?<=[_-])pw"
_BLOB = 120
"""Characters of a run that is too long for an identifier or a digest."""

SHARED_NAMES = _word_set(
    "user users home root admin administrator ubuntu debian node app runner work test tester dev developer vscode "
    "codespace shared public default guest git build builder agent sandbox jovyan pi data service daemon deploy "
    "docker container linux worker coder claude codex workspace project projects openhands nonroot me"
)
"""Names of accounts that are nobody's: outside of a home folder they are words like others."""

TOKEN_PATTERNS = (
    _token("aws-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "akia", "asia", "abia", "acca"),
    _token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,300}|github_pat_[A-Za-z0-9_]{20,300}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        start="",
    ),
    _token("gitlab-token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}", "gl"),
    _token(
        "slack-token",
        r"xox[abcdeoprs]-[A-Za-z0-9-]{10,300}|xapp-[A-Za-z0-9-]{10,300}"
        r"|hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,200}"
        r"|discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{10,200}",
        *("xox", "xapp-", "hooks.slack.com", "webhooks/"),
    ),
    _token("stripe-key", r"(?:[rsp]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,300}", "k_live", "k_test", "whsec_"),
    _token("api-key", r"sk-(?:ant|proj|or|svcacct|admin|lf)-[A-Za-z0-9_-]{16,300}", "sk-", start=""),
    _token("api-key", r"sk-(?=[A-Za-z_-]{0,300}[0-9])[A-Za-z0-9_-]{20,300}", "sk-"),
    _token(
        "google-key",
        r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{20,60}",
        *("aiza", "ya29.", "gocspx-"),
    ),
    _token(
        "api-key",
        r"(?:hf|gsk|r8|npm|lin_api|ntn|glsa|glc|sbp|figd|do[opr]_v1|shp(?:at|ca|pa|ss)|dckr_pat|lsv2_(?:pt|sk)|rnd|phc|phx"
        r"|rubygems|pscale_(?:pw|tkn)|secret|sntry[su]|fm2|dapi)_[A-Za-z0-9_+/=]{20,300}",
        *(
            "hf_",
            "gsk_",
            "r8_",
            "npm_",
            "api_",
            "ntn_",
            "gls",
            "glc_",
            "sbp_",
            "figd_",
            "_v1_",
            "shp",
            "_pat_",
            "lsv2_",
        ),
        *("rnd_", "phc_", "phx_", "rubygems_", "pscale_", "secret_", "sntry", "fm2_", "dapi_"),
    ),
    _token(
        "api-key",
        r"(?:xai|pplx|tvly|nvapi|pypi|PMAK|NRAK|hvs|hvb|SG|dapi|AGE-SECRET-KEY|HRKU|key|fc|jina|voyage|exa|sq0[a-z]{3})"
        r"[-._](?=[A-Za-z_.=-]{0,300}[0-9])[A-Za-z0-9_.=-]{22,300}|ATATT[A-Za-z0-9_=-]{40,300}"
        r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,100}|SK[0-9a-f]{32}(?![A-Za-z0-9])|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"
        r"|oy2[a-z0-9]{43}(?![A-Za-z0-9])|EAAA[A-Za-z0-9_-]{56,64}(?![A-Za-z0-9])",
        *(
            "xai-",
            "pplx-",
            "tvly-",
            "nvapi-",
            "pypi-",
            "pmak-",
            "nrak-",
            "hv",
            "sg.",
            "dapi-",
            "age-secret",
            "sk",
            "cio",
        ),
        *("hrku-", "key-", "fc-", "jina_", "voyage-", "exa-", "sq0", "atatt", "atlasv1", "oy2", "eaaa"),
    ),
    _token("bot-token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", ":aa"),
    _token("jwt", r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+", "eyj", start=r"(?<![A-Za-z0-9_-])"),
)


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
            if place < len(ends) and ends[place] - start <= _LONGEST_KEY:
                behind = ends[place]
            else:
                behind = start + sum(
                    map(len, takewhile(_KEY_LINE.search, text[start : start + _LONGEST_KEY].splitlines(True)))
                )
            if text[start:behind].strip("\\nr \n") and "[redacted:" not in text[start:behind]:
                yield Secret(self.kind, text[start:behind], start)


_LONGEST_KEY = 20_000
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
            r"([^\s\"'\\][^\"'\\\r\n]{7,})"
            r"|(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})|(?<=response=)\\?[\"']?([0-9a-f]{32})",
            re.IGNORECASE,
        ),
        lambda value: _has_digit(value) or (value.endswith("=") and is_password(value)),
    ),
    SecretPattern(
        "cookie",
        ("cookie", "curl"),
        re.compile(
            r"(?:cookie\\?[\"']?[ \t]{0,4}[:=]|curl[^\n]{0,200}?[ \t]-b)[ \t]{0,4}\\?[\"']?"
            r"([^\s\"'\\;=]{1,100}=[^\"'\\\r\n]{8,})",
            re.IGNORECASE,
        ),
        _has_digit,
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
    _is_blob,
)
"""What may hold anything, and cannot be searched."""

NAMED_KEYS = re.compile(
    rf"(?:.*[^a-z])?(?:(?P<password>{_PASSWORD_NAMES})|{_KEY_NAMES}|authorization|cookie)", re.IGNORECASE
)
"""The names of JSON fields whose text is a secret; those of passwords have a group of their own."""

_AWAY = r"(?!redacted-user-)"
_AT_ROOT = (
    r"(?:(?<![\w.])|(?<=/mnt/[a-z])|(?<=[^\w]/[a-z])|(?<=^/[a-z])|(?<=/var)|(?<=/export)|(?<=Volumes/Data)|(?<=-[A-Z])"
    r"|(?<=\\[nrtbf])|(?<=:))"
)
"""Where the path of a home folder may begin."""
HOME = SecretPattern(
    "user",
    ("home", "users"),
    re.compile(
        rf"{_AT_ROOT}/(?:home|Users)/{_AWAY}(\w[\w.-]{{0,63}})"
        rf"|%2F(?:home|Users)%2F{_AWAY}(\w[\w.-]{{0,63}})|%3A(?:/|%2F)Users(?:/|%2F){_AWAY}(\w[\w.-]{{0,63}})"
        rf"|(?:(?<![A-Za-z0-9])|(?<=[A-Z]-))-(?:home|Users)-{_AWAY}([A-Za-z0-9][A-Za-z0-9._]{{0,63}})"
        rf"|(?<![A-Za-z0-9])[A-Za-z]:(?:\\{{1,4}}|/)[Uu]sers(?:\\{{1,4}}|/){_AWAY}"
        r"([^\\/:*?\"<>|\s][^\\/:*?\"<>|\r\n]{0,63}(?=[\\/])|[^\\/:*?\"<>|\s',;]{1,64})"
        rf"|wsl(?:\$|\.localhost)\\{{1,4}}[\w.-]{{1,40}}\\{{1,4}}home\\{{1,4}}{_AWAY}(\w[\w.-]{{0,63}})"
    ),
)
"""The folder of a person, also as tools write it into the name of a folder of theirs (`-home-NAME-project`)."""
