"""Patterns of passwords in notes about logins: after a pair of labels, a host, or a short label."""

from __future__ import annotations

import re

from inspector.analysis.redaction.likelihood import is_joined_words, is_mixture, is_password, is_wordy
from inspector.analysis.redaction.secret_search import SecretPattern, near_hints
from inspector.analysis.redaction.value_strength import NONE, UNMISTAKABLE, WORDY, strength
from inspector.core.text import lazy_pattern

_PASSWORD = r"(?:p/?w|pwd|pass(?:word|wd)?|비번|비밀번호|암호|패스워드)"
_ACCOUNT = r"(?:id|user(?:[ _-]?(?:name|id))?|login|account|계정|아이디)"
_VALUE = r"([^\s\"'`,|<>(){}\[\]\\/]{6,100})"
_LOGINS = (
    *("login", "log-in", "logins", "cred", "creds", "credential", "credentials", "credenciales", "credenciais"),
    *("credenziali", "identifiant", "identifiants", "zugangsdaten", "anmeldedaten", "zugang", "accès", "acceso"),
    *("acesso", "inloggning", "inloggegevens", "logowanie", "доступ", "логин", "账号", "帳號", "アカウント", "계정"),
)
"""Words before the name of an account and its password."""
_ANY_LOGIN = f"(?:{'|'.join(sorted(_LOGINS, key=len, reverse=True))})(?![^\\W_])"
_USERS = (
    *("user", "login", "account", "benutzer", "usuario", "usuário", "utilisateur", "identifiant", "utente"),
    *("brukernavn", "gebruiker", "użytkownik", "логин", "用户", "帐号", "ユーザー", "아이디"),
)
"""Words for the name of an account, or their beginnings."""
_NETWORKS = ("wifi", "wi-fi", "wlan", "ssid")
_KEY = "(?:key|schlüssel|clave|code|llave|chave|chiave|clé)"
_PAIR_HINTS = {"pw": 12, "p/w": 12, "pass": 12, "pwd": 12, "비번": 8, "비밀번호": 8}
_LABEL_HINTS = {"pw": 0, "p/w": 0, "pass": 0, "비번": 0, "비밀번호": 0, "암호": 0, "패스워드": 0}
_SHORT_HINTS = {"pass": 4, "pw": 4}
_BY_HINTS = {"identified": 0}


def _is_login(value: str) -> bool:
    """Return True if a value is a password, and neither a host nor an address nor a file."""
    return is_mixture(value) and _is_no_host(value) and "=" not in value.rstrip("=")


def _is_no_host(value: str) -> bool:
    return value.count(".") < 2 and "@" not in value[1:-1] and not value.startswith(("-", "$"))


LOGIN_PATTERNS = (
    SecretPattern(
        "password",
        _PAIR_HINTS,
        # ID/PW: jdoe/abcd, user/pass = jdoe:abcd, id pw jdoe // abcd, ID/PW(jdoe/abcd)
        lazy_pattern(
            rf"(?<![A-Za-z]){_ACCOUNT}\)?[ \t]{{0,2}}[/|&,(: -][ \t]{{0,2}}{_PASSWORD}\)?[^\w\n]{{0,4}}"
            rf"(?:[\w.@:-]{{1,40}}[ \t]{{1,2}}\(?)?[\w.@-]{{1,60}}?[ \t]{{0,2}}(?://|[/:,( ])[ \t]{{0,2}}{_VALUE}",
            re.IGNORECASE,
        ),
        _is_login,
        near_hints(_PAIR_HINTS),
    ),
    SecretPattern(
        "password",
        _LABEL_HINTS,
        # PW:abcd, P/W는 abcd, 비밀번호(abcd), PASS - abcd, Password:jdoe/abcd, 비번(default:abcd)
        lazy_pattern(
            rf"(?<![a-z0-9+])(?!pass(?!word|wd)){_PASSWORD}(?:설정)?(?:은|는)?[ \t]{{0,2}}[-:=)(>]{{0,2}}[ \t]{{0,2}}"
            rf"(?:[a-z]{{2,20}}[:/]|)(?<![a-z]){_VALUE}",
            re.IGNORECASE,
        ),
        _is_login,
        near_hints(_LABEL_HINTS),
    ),
    SecretPattern(
        "password",
        _SHORT_HINTS,
        # login: jdoe, pass abcd42; pass is abcd42
        lazy_pattern(
            r"(?:(?<![^\n])|[,;|(\"'])[ \t]{0,3}(?:pass|pw|pwd)[ \t]{1,2}(?:is[ \t]|[-:=])?[ \t]{0,2}[\"']?" + _VALUE,
            re.IGNORECASE,
        ),
        lambda value: is_wordy(value) and _is_no_host(value),
        near_hints(_SHORT_HINTS),
    ),
    SecretPattern(
        "password",
        _LOGINS,
        # login: jdoe / abcd, creds for staging are jdoe:abcd, Zugangsdaten: jdoe / abcd
        lazy_pattern(
            rf"(?<![^\W_]){_ANY_LOGIN}(?:[ \t][^\W\d_]{{2,12}}){{0,5}}?[ \t]{{0,2}}"
            r"(?:(?:are|is|sind|ist|sont|est|son|es|sono|è|são|é)(?![^\W_])[ \t:]{0,2}|[:=：—–-][ \t]{0,3})"
            rf"[\"'`*(]{{0,2}}[\w.@+-]{{1,60}}"
            rf"(?:[ \t]?[:/|][ \t]?|[ \t](?:with|and|mit|und|avec|et|con|y|com|e)[ \t])[\"'`]?{_VALUE}",
            re.IGNORECASE,
        ),
        lambda value: (strength(value) != NONE or is_joined_words(value)) and _is_no_host(value),
        near_hints(dict.fromkeys(_LOGINS, 0)),
    ),
    SecretPattern(
        "password",
        _USERS,
        # user jdoe, and abcd on the next line
        lazy_pattern(
            rf"(?:(?<![^\n])|(?<=\\n))[ \t]{{0,8}}(?:[-*#] )?(?:{'|'.join(_USERS)})"
            rf"(?:[ _-]?name|snaam|名|s)?[ \t]{{0,2}}[:=：]?[ \t]{{1,3}}[\w.@+-]{{1,60}}"
            rf"(?:(?:\\n|\r?\n)[ \t]{{0,8}}|[ \t]/[ \t]){_VALUE}(?=[ \t]{{0,4}}(?:\\n|[\r\n]|\Z))",
            re.IGNORECASE,
        ),
        lambda value: strength(value) >= WORDY and _is_no_host(value),
        near_hints(dict.fromkeys(_USERS, 12)),
    ),
    SecretPattern(
        "password",
        _USERS,
        # Usuario: jdoe Clave: abcd
        lazy_pattern(
            rf"(?:{'|'.join(_USERS)})(?:[ _-]?name|s)?[ \t]?[:=][ \t]?[\w.@+-]{{1,60}}[ \t,;|/-]{{1,4}}"
            rf"{_KEY}[ \t]?[:=][ \t]?{_VALUE}",
            re.IGNORECASE,
        ),
        lambda value: strength(value) >= WORDY and _is_no_host(value),
        near_hints(dict.fromkeys(_USERS, 0)),
    ),
    SecretPattern(
        "password",
        _NETWORKS,
        # Wi-Fi: Guest, and Key: abcd on the next line
        lazy_pattern(
            rf"(?:wi-?fi|wlan|ssid)[^\n]{{0,60}}(?:\\n|\r?\n)[ \t]{{0,8}}{_KEY}[ \t]?[:=][ \t]?{_VALUE}", re.IGNORECASE
        ),
        lambda value: strength(value) >= WORDY,
        near_hints(dict.fromkeys(_NETWORKS, 0)),
    ),
    SecretPattern(
        "password",
        ("://",),
        # https://token@host, https://token:x-oauth-basic@host
        lazy_pattern(r"(?<=://)([A-Za-z0-9_-]{20,200})(?=(?::[^\s:/@\"'<>\\]{0,300})?@)"),
        is_password,
    ),
    SecretPattern(
        "password",
        ("admin/", "root/"),
        # admin/abcd on the test server
        lazy_pattern(rf"(?<![\w./-])(?:admin|root)/{_VALUE}"),
        lambda value: strength(value) == UNMISTAKABLE,
    ),
    SecretPattern(
        "password",
        ("(", "->"),
        # 10.1.2.3 (jdoe/abcd), jdoe@10.1.2.3(jdoe/abcd)
        lazy_pattern(
            r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.])[^\n()/]{0,30}(?:\(|/[a-z]{1,20}\(|-{1,2}>)"
            rf"[ \t]?[\w.-]{{1,40}}/{{1,2}}{_VALUE}",
        ),
        _is_login,
    ),
    SecretPattern(
        "password",
        _BY_HINTS,
        # CREATE USER jdoe IDENTIFIED BY abcd, IDENTIFIED WITH mysql_native_password BY 'abcd'
        lazy_pattern(
            r"identified(?:[ \t]{1,4}with[ \t]{1,4}['\"`]?\w{1,60}['\"`]?)?[ \t]{1,4}(?:by|as)(?:[ \t]{1,4}password)?"
            r"[ \t]{1,4}['\"]?([^\s'\";\\)]{4,300})",
            re.IGNORECASE,
        ),
        is_mixture,
        near_hints(_BY_HINTS),
    ),
)
"""Patterns of the passwords in notes about logins."""
