"""What secrets look like: tokens with a prefix of their own, values that are called a password, home folders.

Prefixes are those that the services publish, most of them in GitHub's list of what its secret scanning supports
(https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns). Every pattern
takes linear time, and is only tried on a text that holds one of its hints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=\[[0-9]m)|(?<=\[[0-9][0-9;]m)|(?<=\[[0-9];[0-9]{2}m))"
)
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
            if value and self.is_likely(value):
                yield Secret(self.kind, value, match.start(group))


def _token(kind: str, pattern: str, *hints: str) -> SecretPattern:
    return SecretPattern(kind, hints, re.compile(_START + f"(?:{pattern})"), _has_digit)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


_NO_SECRETS = _word_set(
    "string str text number integer boolean object null none nil undefined true false required optional default "
    "value password passwd secret token username example placeholder changeme redacted hidden masked unset empty "
    "your my the process import return const self this env environ environment"
)
"""Words that stand where a secret would, and are none."""
_PLACEHOLDER = re.compile(
    r"[<$%{\[(*#]|\.\.\.|[xX*•.\-_]{4}|(?:your|my|the|some|example|dummy|fake|test)[-_ ]", re.IGNORECASE
)
_NAMES = re.compile(r"[a-z_]+(?:\.[a-z_]+)+|[a-z_]+\.[A-Z][A-Z0-9_]+|[A-Za-z_]+\(?", re.ASCII)
"""Values that name something: a variable, a field of an object, a function."""


def is_password(value: str) -> bool:
    """Whether the value of something that is called a password is one: neither a word of a schema nor a variable."""
    words = value.strip("\"' ")
    if len(words) < 4 or words.casefold() in _NO_SECRETS or _PLACEHOLDER.match(words):
        return False
    return not _NAMES.fullmatch(words) or (any(map(str.islower, words)) and any(map(str.isupper, words)))


def is_key(value: str) -> bool:
    """Whether the value of something that is called a key or a token is one: a mixture, and not short."""
    return len(value) >= 12 and _has_digit(value) and any(map(str.isalpha, value)) and is_password(value)


def _is_blob(value: str) -> bool:
    """Whether a long run of letters and digits is encoded: words and paths have few capitals and digits."""
    capitals, digits = sum(map(str.isupper, value)), sum(map(str.isdigit, value))
    return 100 * capitals >= 15 * len(value) and 100 * digits >= 3 * len(value) and not value.isupper()


_ASSIGNED = (
    r"""["'\])\\]{0,4}[ \t]{0,4}(?::|=>|=)[ \t]{0,4}(?:\\?["']([^"'\\\n]{4,400})|([^\s"'`,;<>(){}\[\]\\|&]{4,400}))"""
)
"""What stands behind a name that is given a value: the value, in quotes or without."""


def _assigned(kind: str, names: str, is_likely: Callable[[str], bool], *hints: str) -> SecretPattern:
    return SecretPattern(kind, hints, re.compile(rf"(?:{names}){_ASSIGNED}", re.IGNORECASE), is_likely)


_KEY_NAMES = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key|signing[_-]?key|"
    r"encryption[_-]?key|client[_-]?secret|secret|token|credentials?"
)
_PASSWORD_NAMES = r"passwords?|passwd|passphrase|passcode|pwd"
_BLOB = 120
"""Characters of a run that is too long for an identifier or a digest."""

TOKEN_PATTERNS = (
    _token("aws-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "akia", "asia", "abia", "acca"),
    _token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _token("gitlab-token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}", "gl"),
    _token(
        "slack-token",
        r"xox[abcdeoprs]-[A-Za-z0-9-]{10,300}|xapp-[A-Za-z0-9-]{10,300}"
        r"|hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,200}",
        *("xox", "xapp-", "hooks.slack.com"),
    ),
    _token("stripe-key", r"(?:[rsp]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,300}", "k_live", "k_test", "whsec_"),
    _token("api-key", r"sk-[A-Za-z0-9_-]{20,400}", "sk-"),
    _token(
        "google-key",
        r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,1000}|GOCSPX-[A-Za-z0-9_-]{20,60}",
        *("aiza", "ya29.", "gocspx-"),
    ),
    _token(
        "api-key",
        r"(?:hf|gsk|r8|npm|lin_api|ntn|glsa|glc|sbp|figd|dop_v1|doo_v1|dor_v1|shpat|shpca|shppa|shpss|dckr_pat|lsv2_pt|lsv2_sk"
        r"|rnd|phc|phx|nvapi)_[A-Za-z0-9_]{20,300}",
        *(
            "hf_",
            "gsk_",
            "r8_",
            "npm_",
            "lin_api_",
            "ntn_",
            "glsa_",
            "glc_",
            "sbp_",
            "figd_",
            "_v1_",
            "shp",
            "dckr_pat_",
        ),
        *("lsv2_", "rnd_", "phc_", "phx_"),
    ),
    _token(
        "api-key",
        r"(?:xai|pplx|tvly|nvapi|pypi|PMAK|NRAK|hvs|SG|dapi|sntrys|AGE-SECRET-KEY|HRKU|key|fc|jina|voyage|exa)"
        r"[-._](?=[A-Za-z0-9_.=-]{0,30}[0-9])[A-Za-z0-9_.=-]{24,400}",
        *(
            "xai-",
            "pplx-",
            "tvly-",
            "nvapi-",
            "pypi-",
            "pmak-",
            "nrak-",
            "hvs.",
            "sg.",
            "dapi-",
            "sntrys_",
            "age-secret-key-",
        ),
        *("hrku-", "key-", "fc-", "jina_", "voyage-", "exa-"),
    ),
    _token("bot-token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", ":aa"),
    _token("jwt", r"(?<![_-])eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_.-]+", "eyj"),
)
CONTEXT_PATTERNS = (
    SecretPattern(
        "private-key",
        ("private key",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"([A-Za-z0-9+/=\s\\:,._()-]*?)(?:-----END|(?![A-Za-z0-9+/=\s\\:,._()-]))"
        ),
        lambda value: bool(value.strip("\\nr \n")),
    ),
    SecretPattern(
        "authorization",
        ("bearer", "basic", "authorization"),
        re.compile(
            r"authorization\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?(?:(?:bearer|basic|token)[ \t]{1,4})?"
            r"([A-Za-z0-9._~+/=-]{8,4000})"
            r"|(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,4000})",
            re.IGNORECASE,
        ),
        lambda value: _has_digit(value) or (value.endswith("=") and is_password(value)),
    ),
    SecretPattern(
        "cookie",
        ("cookie",),
        re.compile(
            r"(?:set-)?cookie\\?[\"']?[ \t]{0,4}:[ \t]{0,4}\\?[\"']?([^\s\"'\\;=]{1,100}=[^\"'\\\r\n]{8,4000})",
            re.IGNORECASE,
        ),
        _has_digit,
    ),
    SecretPattern(
        "password",
        ("://",),
        re.compile(r"(?<=://)[^\s:/@\"'<>\\]{0,100}:([^\s@/\"'<>\\]{3,300})@"),
        is_password,
    ),
    _assigned("password", _PASSWORD_NAMES, is_password, "pass", "pwd"),
    _assigned("key", _KEY_NAMES, is_key, "key", "secret", "token", "credential"),
    SecretPattern(
        "e-mail",
        ("@",),
        re.compile(
            r"(?:(?<![\\A-Za-z0-9._%+-])|(?<=\\[nrtbf]))"
            r"(?!git@|redacted)[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
        ),
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

HOME = SecretPattern(
    "user",
    ("home", "users"),
    re.compile(
        r"(?<![A-Za-z0-9._])/(?:home|Users)/(?!redacted-user-)(\w[\w.-]{0,63})"
        r"|(?<![A-Za-z0-9])-(?:home|Users)-(?!redacted-user-)([A-Za-z0-9][A-Za-z0-9._]{0,63})"
        r"|(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/)(?!redacted-user-)"
        r"([^\\/:*?\"<>|\s][^\\/:*?\"<>|\r\n]{0,63})(?=[\\/])"
    ),
)
"""The folder of a person, also as tools write it into the name of a folder of theirs (`-home-NAME-project`)."""

SHARED_NAMES = _word_set(
    "user users home root admin administrator ubuntu debian node app runner work test tester dev developer vscode "
    "codespace shared public default guest git build builder agent sandbox jovyan pi data service daemon deploy "
    "docker container linux worker coder claude codex workspace project projects openhands nonroot me"
)
"""Names of accounts that are nobody's: outside of a home folder they are words like others."""
