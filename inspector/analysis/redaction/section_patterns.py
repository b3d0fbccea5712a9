"""Patterns of secrets that a heading, a list of columns or the rest of a statement marks as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.analysis.redaction.command_patterns import ARGUMENT, is_solid
from inspector.analysis.redaction.likelihood import (
    is_joined_words,
    is_key,
    is_mixture,
    is_passphrase,
    is_password,
    is_plain_password,
    is_random,
    is_strong,
    is_wordy,
)
from inspector.analysis.redaction.named_patterns import PASSWORD_STARTS
from inspector.analysis.redaction.secret_names import (
    PASSWORD_HINTS,
    PASSWORD_NAMES,
    TAIL,
    secret_name,
)
from inspector.analysis.redaction.secret_search import Secret, SecretPattern, near_hints
from inspector.analysis.redaction.value_strength import NONE, strength
from inspector.core.text import lazy_pattern, word_set


def _is_single(value: str) -> bool:
    return is_wordy(value) and " " not in value


def _is_lettered(value: str) -> bool:
    """Return True if a value is a password with letters, and not only a number or a name."""
    return is_solid(value) and any(map(str.isalpha, value))


@dataclass(frozen=True, slots=True, eq=False)
class _Sections(SecretPattern):
    """Values of the lines under a heading that announces secrets: `[secrets]`, `secrets:` or `stringData:`."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        start, indent = 0, -1
        for line in text.splitlines(True):
            depth = len(line) - len(line.lstrip(" \t"))
            if heading := _HEADING.match(line):
                indent = 0 if heading["table"] else depth + 1
            elif indent >= 0 and line.strip() and (depth < indent or line.lstrip()[0] in "[#"):
                indent = indent if line.lstrip()[0] == "#" else -1
            elif indent >= 0:
                yield from self._secrets_of(line, start)
            start += len(line)

    def _secrets_of(self, line: str, start: int) -> Iterator[Secret]:
        match = self.pattern.match(line)
        if match and "[redacted:" not in match[1] and self.is_likely(match[1]):
            yield Secret(self.kind, match[1], start + match.start(1))


# secrets:, "credentials": {, stringData:, [secrets], [secrets.db]
_HEADING = lazy_pattern(
    r"[ \t]{0,40}(?:[\"']?(?:secrets|credentials|stringData|creds|passwords)[\"']?"
    r"[ \t]{0,4}[:=][ \t]{0,4}\{?[ \t]{0,4}\r?\n"
    r"|(?P<table>\[(?:secrets|credentials|passwords)(?:\.[\w.-]{1,60})?\]))"
)
_COMMON_LOGINS = word_set("user guest root admin test postgres mysql redis mongo rabbit demo pass")


def _is_in_section(value: str) -> bool:
    return is_strong(value) or is_mixture(value) or (is_key(value) and "/" not in value and ":" not in value)


@dataclass(frozen=True, slots=True, eq=False)
class _Inserts(SecretPattern):
    """Values of an INSERT statement whose columns have the names of secrets."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        for match in self.pattern.finditer(text):
            names = [name.strip(" \t\r\n\"'`[]") for name in match[1].split(",")]
            wanted = {number for number, name in enumerate(names) if _is_name(name)}
            for row in _ROW.finditer(text, match.end(), match.end() + _MAX_ROWS) if wanted else ():
                for number, cell in enumerate(_CELL.finditer(text, row.start(1), row.end(1))):
                    value = cell[1]
                    if number in wanted and value and "[redacted:" not in value and self.is_likely(value):
                        yield Secret(self.kind, value, cell.start(1))


_MAX_ROWS = 20_000
_ROW = lazy_pattern(r"\(((?:'[^'\n]{0,300}'|[^()'\n]){1,2000}+)\)")
_CELL = lazy_pattern(r"[ \t]{0,20}(?:N?'([^'\n]{0,300})'|[^,'\n]{1,300})[ \t]{0,20}(?:,|\Z)?")


def _is_name(name: str) -> bool:
    if name.casefold() in ("pass", "pw", "pin"):
        return True
    return secret_name(name.replace(" ", "_")) is not None


def _is_cell(value: str) -> bool:
    return is_password(value) or is_plain_password(value)


@dataclass(frozen=True, slots=True, eq=False)
class _AlignedColumns(SecretPattern):
    """Cells of tables that are aligned with spaces, under a heading with the name of a secret."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        start, cells = 0, 0
        wanted: list[int] = []
        for line in text.splitlines(True):
            parts = list(_WORDS.finditer(line)) if "  " in line else []
            if wanted and len(parts) == cells:
                for number in wanted:
                    value = parts[number][0]
                    if "[redacted:" not in value and self.is_likely(value):
                        yield Secret(self.kind, value, start + parts[number].start())
            else:
                wanted = [number for number, part in enumerate(parts) if _is_name(part[0])] if len(parts) > 1 else []
                cells = len(parts)
            start += len(line)


@dataclass(frozen=True, slots=True, eq=False)
class _Codes(SecretPattern):
    """Codes in the list after a label."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        end = 0
        for start in self.starts_in(text) if self.starts_in else ():
            label = self.pattern.match(text, start) if start >= end else None
            place = label.end() if label else len(text)
            while code := _CODE.match(text, place):
                place = end = code.end()
                yield Secret(self.kind, code[1], code.start(1))


# 1. abcd-1234, "abcd1234",
_CODE = lazy_pattern(
    r"(?:\\n|[\s,;|\"'`\[•*-]|[0-9]{1,2}[.)][ \t]){1,12}+"
    r"(?=[a-z-]{0,30}[0-9]|[A-Z-]{0,30}[0-9])([a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,4}|[A-Z0-9]{4,10}(?:-[A-Z0-9]{4,10}){0,4})"
    r"(?![\w.:/-])"
)
_WORDS = lazy_pattern(r"(?<!\S)\S{1,100}(?: \S{1,100}){0,6}")


_COPULA = (
    r"(?:is|was|are|be|been|becomes|to|as|lautet|ist|war|wird|est|était|es|era|será|é|è|jest|är|er|on|je|ligt|luidt"
    r"|equals|reads)(?!\w)"
)
# the password of the database server in Bern is abcd, la password di root è "abcd"
_SENTENCE = rf"(?:[ \t]{{1,2}}[^\W\d_][\w'’-]{{0,20}}){{0,6}}?[ \t]{{1,2}}{_COPULA}[ \t:]{{1,3}}"
_PHRASE = r"[\"“„«`]([^\W\d_]{3,16}(?:[ -][^\W\d_]{3,16}){2,11})[.!]?[\"”“»`]"
_QUERY_HINTS = {"?": 0, "&": 0}
_USER_HINTS = {
    "-u ": 0,
    "-u=": 0,
    "--user": 0,
    "/user:": 0,
    "log in with": 0,
    "login with": 0,
    "log in as": 0,
    "login as": 0,
    "sign in": 0,
    **{"als ": 0, "avec ": 0, "como ": 0, "come ": 0, "con ": 0, "comme ": 0},
    "@": 60,
}
_VAULT_HINTS = {"secret": 0, "securestring": 0, "put-parameter": 0}
_LIST_HINTS = {"code": 22}
_PIN_HINTS = {"pin": 12, "puk": 0, "cvv": 0, "cvc": 0, "code": 16, "kod ": 0, "combination": 12, "geheimzahl": 0}
_PIN_HINTS |= {"código": 0, "codigo": 0}
_CODE_HINTS = {"code": 20, "otp": 0, "is your ": 11}

SECTION_PATTERNS = (
    _Sections(
        "key",
        ("secrets", "credentials", "stringdata", "creds:", "passwords"),
        # name: abcd, name = "abcd", name: &anchor abcd
        lazy_pattern(
            r"[ \t]{0,40}(?:- )?[\"']?[\w.-]{1,60}[\"']?[ \t]{0,20}[:=][ \t]{0,20}"
            r"(?:[&!][\w:.-]{1,40}[ \t]{1,4})?[\"']?([^\s\"'{}\[\],#]{6,300})[\"']?,?[ \t\r\n]{0,20}\Z"
        ),
        _is_in_section,
    ),
    _Inserts(
        "password",
        ("insert",),
        # INSERT INTO users (login, password) VALUES ('jdoe', 'abcd')
        lazy_pattern(
            r"insert[ \t]{1,4}(?:or[ \t]\w{1,10}[ \t])?into[ \t]{1,4}[\w.\"`\[\]]{1,120}[ \t\r\n]{0,20}"
            r"\(([^()]{1,1000})\)[ \t\r\n]{0,40}values?[ \t\r\n]{0,40}(?=\()",
            re.IGNORECASE,
        ),
        _is_cell,
    ),
    _AlignedColumns("password", (*PASSWORD_HINTS, "secret", "token", "api"), lazy_pattern(""), _is_single),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # the passphrase of the key is "correct horse battery staple"
        lazy_pattern(
            rf"(?:{PASSWORD_NAMES}){TAIL}(?:{_SENTENCE}|[ \t]{{0,4}}[:=][ \t]{{0,4}}){_PHRASE}", re.IGNORECASE
        ),
        is_passphrase,
        PASSWORD_STARTS,
    ),
    SecretPattern(
        "key",
        ("?", "&"),
        # ?appid=Dp36NI1mK2ch…
        lazy_pattern(
            r"[?&](?!(?:v|id|page|cursor|after|before|hash|next|state|code_challenge)=)[\w.-]{2,40}="
            r"([A-Za-z0-9_-]{20,200})(?![A-Za-z0-9_.%/-])"
        ),
        is_random,
        near_hints(_QUERY_HINTS),
    ),
    SecretPattern(
        "password",
        PASSWORD_HINTS,
        # passwd=abcd or Pwd=abcd; as a pair in a query, a connection string or a form
        lazy_pattern(
            rf"(?:{PASSWORD_NAMES}|pass|pw)=\\?[\"']?(?-i:([a-z]{{4,64}}))(?=\\?[\"'&;]|[ \t]|\\n|[\r\n]|\Z)",
            re.IGNORECASE,
        ),
        is_plain_password,
        PASSWORD_STARTS,
    ),
    SecretPattern(
        "password",
        ("://",),
        # amqp://jdoe:abcd@host
        lazy_pattern(
            r"(?<=://)(?![^\s:/@]{0,100}:[^\s/@]{0,100}@(?:example|host)\b)[^\s:/@]{1,100}:([a-z]{4,64})@(?=[\w.-])"
        ),
        lambda value: is_plain_password(value) and value not in _COMMON_LOGINS,
    ),
    SecretPattern(
        "password",
        _USER_HINTS,
        # tool -u jdoe -p abcd, /user:jdoe abcd, log in with jdoe:abcd, sign in as jdoe / abcd
        lazy_pattern(
            rf"(?:(?:-u|--user(?:name)?)[ =][^\s-]\S{{0,100}}[ \t](?:[^\n|;]{{0,200}}?[ \t])?"
            rf"(?-i:-p|-P)[ \t]{{1,4}}{ARGUMENT}"
            rf"|/user:\S{{1,60}}[ \t]{{1,4}}(?!/){ARGUMENT}"
            rf"|(?:log ?in (?:with|as)|sign in (?:with|as))[ \t][\"'`]?[\w.@-]{{1,60}}"
            rf"(?:[ \t]?[:/][ \t]?|[ \t]with[ \t]){ARGUMENT}"
            r"|(?:als|avec|como|come|con|comme)[ \t](?:el |l['’])?(?:user |usuario |utente |utilisateur |benutzer )?"
            rf"[\w.@-]{{1,40}}"
            rf"[ \t](?:mit|et|avec|y|con|e|com)[ \t]{ARGUMENT})",
            re.IGNORECASE,
        ),
        lambda value: _is_lettered(value) and ":" not in value and not value.endswith(("/tcp", "/udp")),
        near_hints(_USER_HINTS),
    ),
    SecretPattern(
        "password",
        ("secret set", "variable set"),
        # gh secret set NAME --body abcd
        lazy_pattern(rf"(?:secret|variable) set[ \t][^\n]{{0,120}}?(?:--body|-b|--value)(?:[ \t]{{1,4}}|=){ARGUMENT}"),
        _is_lettered,
    ),
    SecretPattern(
        "password",
        _VAULT_HINTS,
        # ssm put-parameter --name NAME --value abcd, secrets create NAME --secret-string abcd
        lazy_pattern(
            r"(?:secrets?(?:string)?|securestring|put-parameter)(?![a-z])[^\n]{0,160}?"
            rf"[ \t]--(?:secret-|data-|plain-)?(?:value|string|data|text)(?:[ \t]{{1,4}}|=){ARGUMENT}",
            re.IGNORECASE,
        ),
        lambda value: strength(value) != NONE or is_joined_words(value),
        near_hints(_VAULT_HINTS),
    ),
    _Codes(
        "recovery-code",
        _LIST_HINTS,
        # Recovery codes: and the codes, separated by spaces, commas or line breaks
        lazy_pattern(
            r"(?:recovery|backup|rescue|scratch|one[- ]time|2fa|mfa|emergency|wiederherstellungs|notfall)[ _-]?codes?"
            r"(?![a-z])[^\n:\\]{0,60}[\"']?:?",
            re.IGNORECASE,
        ),
        starts_in=near_hints(_LIST_HINTS),
    ),
    SecretPattern(
        "password",
        (":543", ":6432:", ":*:"),
        # db.example.net:5432:orders:jdoe:abcd as a line of .pgpass
        lazy_pattern(
            r"(?:(?<![^\n])|(?<=\\n))(?:\*|[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}):(?:\*|[0-9]{4,5}):(?:\*|[a-z_][\w-]{0,60})"
            r":(?:\*|[a-z_][\w-]{0,60}):([^\s:]{4,200})(?=\\n|[\r\n]|\Z)",
            re.IGNORECASE,
        ),
        lambda value: is_password(value) or is_plain_password(value),
    ),
    SecretPattern(
        "password",
        ("jdbc:oracle",),
        # jdbc:oracle:thin:jdoe/abcd@host
        lazy_pattern(r"jdbc:oracle:[a-z0-9]{1,10}:[\w$#]{1,60}/([^\s/@\"']{4,200})@", re.IGNORECASE),
        _is_cell,
    ),
    SecretPattern(
        "pin",
        _PIN_HINTS,
        # SIM PIN 4829, PIN: 4829, "pin": "482913", cvv 482, the door code is 4829, code d'accès : 482913
        lazy_pattern(
            r"(?:(?<![A-Za-z])(?:pin|puk|cv[vc]2?)(?:[ _-]?(?:code|number|nummer))?|code secret|geheimzahl|pass-?code"
            r"|(?:door|gate|access|alarm|entry|lock|unlock|safe|vault|garage|lockbox|keypad|voicemail|sim|parental|pairing"
            r"|device|security|t(?:ü|ue)r|zugangs|toegangs)[ _-]?(?:code|pin|combination)"
            r"|code d['’](?:acc[eè]s|entr[ée]e)|c[oó]digo de (?:acceso|acesso|seguridad)|kod dost[eę]pu)"
            r"(?:[ \t](?:for|to|of)(?:[ \t][a-z-]{1,20}){1,4}?)?"
            r"\\?[\"'`]?[ \t]{0,2}(?:[:=]|(?:is|ist|est|es|é|è|to|war|was|jest)(?![a-z]))[ \t]{0,3}\\?[\"'`*]{0,2}"
            r"([0-9]{3,8})(?![0-9:-]|\.[0-9])|(?<![A-Za-z])(?-i:PIN|PUK)[ \t]([0-9]{4,8})(?![\w:-]|\.[0-9])",
            re.IGNORECASE,
        ),
        starts_in=near_hints(_PIN_HINTS),
    ),
    SecretPattern(
        "one-time-code",
        _CODE_HINTS,
        # your verification code is 482913, OTP: 482913, MFA code 482913, 482913 is your verification code
        lazy_pattern(
            r"(?:(?:one[- ]time|verification|security|sign[- ]?in|log[- ]?in|confirmation|2fa|mfa)[ -](?:pass)?code"
            r"|(?<![a-z])otp(?:[ -]code)?)[ \t]{0,2}(?:(?:is|:|=)[ \t:]{0,3}\**|(?<=[ \t]))"
            r"([0-9]{3}[ -]?[0-9]{3,5})(?![0-9])"
            r"|(?<![\w.])(?:[A-Z]-)?([0-9]{4,8}) is your [\w -]{0,40}(?<![a-z])(?:code|otp|pin)(?![a-z])",
            re.IGNORECASE,
        ),
        starts_in=near_hints(_CODE_HINTS),
    ),
)
"""Patterns whose names are further away than an assignment: in a heading, a statement or a sentence."""
