"""Patterns of passwords that commands, protocols and configuration files have in a place without a name."""

from __future__ import annotations

import re

from inspector.analysis.redaction.likelihood import is_joined_words, is_password
from inspector.analysis.redaction.secret_search import SecretPattern, near_hints
from inspector.analysis.redaction.value_strength import NONE, strength
from inspector.core.text import lazy_pattern

ARGUMENT = r"\\?[\"']?([^\s\"'\\]{4,300})"
"""An argument, with or without quotes."""
_NEXT = r"[ \t]{1,4}" + ARGUMENT
_NEXT_INSIDE = r"[ \t]{1,4}\\?[\"']?((?!-)[^\s\"'\\)]{4,300})"
"""An argument within parentheses."""
_WORD = r"[ \t]{1,4}[^\s/-]\S{0,200}"
_OPTIONS = r"[^\n]{0,200}?[ \t]"


def is_solid(value: str) -> bool:
    """Return True if a value is a password without spaces that is no plain word, and not a pair of ports."""
    if ":" in value and value.replace(":", "").replace(".", "").isdigit():
        return False
    if any(map(str.isspace, value)):
        return False
    if value.isalpha() or is_joined_words(value):
        return is_joined_words(value) or strength(value) != NONE
    return is_password(value)


_PLACES: tuple[tuple[str, str], ...] = (
    ("sqlcmd", rf"sqlcmd{_OPTIONS}-P[ \t]{{0,4}}{ARGUMENT}"),
    ("net use ", rf"net use(?:{_WORD}){{1,2}}{_NEXT}(?=[ \t]{{1,4}}/user:)"),
    ("net user ", rf"net user{_WORD}[ \t]{{1,4}}(?!/){ARGUMENT}"),
    ("/pass:", rf"/pass:{ARGUMENT}"),
    ("ssh-keygen", rf"ssh-keygen{_OPTIONS}-N{_NEXT}"),
    ("vault login ", rf"vault login[ \t]{{1,4}}(?!-){ARGUMENT}"),
    ("http", rf"(?<![a-z])https?{_OPTIONS}(?-i:-a)[ \t]{{1,4}}[\"']?[\w.@-]{{1,60}}:{ARGUMENT}"),
    ("rabbitmqctl ", rf"rabbitmqctl (?:add_user|change_password){_WORD}{_NEXT}"),
    ("-generic-password", rf"-generic-password{_OPTIONS}(?-i:-w){_NEXT}"),
    ("wpa_passphrase", rf"wpa_passphrase{_WORD}{_NEXT}"),
    ("snmp-server ", rf"snmp-server community{_NEXT}"),
    *((name, rf"{name}(?:{_WORD})? (?:secret|password)(?:[ \t][0-9])?{_NEXT}") for name in ("enable", "username")),
    ("requirepass", rf"requirepass{_NEXT}"),
    ("masterauth", rf"masterauth{_NEXT}"),
    ("openssl passwd", rf"openssl passwd(?:[ \t]-[a-z0-9]{{1,9}}){{0,3}}(?:[ \t]-salt{_WORD})?{_NEXT_INSIDE}"),
    ("read -", rf"read -[a-z]{{0,3}}s[^\n]{{0,80}}\n{ARGUMENT}(?![^\r\n])"),
    ("rootpw", rf"rootpw(?:[ \t]--[a-z]{{1,12}})?{_NEXT}"),
    ("-storepass", rf"-storepass{_NEXT}"),
    ("-keypass", rf"-keypass{_NEXT}"),
    ("remotepass", rf"remotepass[ \t]?=[ \t]?{ARGUMENT}"),
    ("presharedkey", rf"presharedkey[ \t]?=[ \t]?{ARGUMENT}"),
    ("psk", rf"(?<![a-z])psk[ \t]{{1,4}}(?=[\"']){ARGUMENT}"),
    *((name, rf"(?<![a-z]){name}{_OPTIONS}(?-i:-p){_NEXT}") for name in ("docker", "podman", "helm", "cqlsh")),
    *((name, rf"{name}{_OPTIONS}(?-i:-p){_NEXT}") for name in ("useradd", "usermod")),
    ("mosquitto_", rf"mosquitto_(?:pub|sub){_OPTIONS}(?-i:-P){_NEXT}"),
    ("7z", rf"(?<![a-z0-9])7z{_OPTIONS}-p{ARGUMENT}"),
    ("unrar", rf"unrar{_OPTIONS}-p{ARGUMENT}"),
    ("openssl enc", rf"openssl enc{_OPTIONS}(?-i:-k){_NEXT}"),
    ("htpasswd", rf"htpasswd[ \t]{{1,4}}-[a-z]{{0,4}}b[a-z]{{0,4}}(?:{_WORD}|[ \t]{{1,4}}\.\w{{1,40}}){{2}}{_NEXT}"),
    ("mosquitto_passwd", rf"mosquitto_passwd[ \t]{{1,4}}-[a-z]{{0,4}}b(?:{_WORD}){{2}}{_NEXT}"),
    ("<<<", r"<<<[ \t]?[\"']([^\"'\n]{4,300})[\"']"),
    (" on >", rf" on >{ARGUMENT}(?=[ \t]{{1,4}}(?:[~+&]|all))"),
    ("keychain", rf"keychain{_OPTIONS}(?-i:-p){_NEXT}"),
    ("> auth ", rf"> auth{_NEXT}"),
    ("quote pass ", rf"quote pass{_NEXT}"),
    (" login ", rf"(?-i:(?<=[a-zA-Z0-9*]) LOGIN{_WORD}){_NEXT}"),
    ("snmp", rf"snmp[a-z]{{2,9}}{_OPTIONS}(?-i:-A){_NEXT}"),
    ("snmp", rf"snmp[a-z]{{2,9}}{_OPTIONS}(?-i:-X){_NEXT}"),
    ("passwd", rf"passwd(?:{_WORD})?[ \t]{{0,4}}<<-?[ \t]?['\"]?\w{{1,20}}['\"]?\r?\n{ARGUMENT}"),
    ("331 ", rf"331 [^\n]{{0,80}}\n(?:[>-]{{1,3}} )?PASS{_NEXT}"),
    ("334 ugfzc3dvcmq6", r"334 UGFzc3dvcmQ6\r?\n(?:[CS>-]{1,3}:? )?([A-Za-z0-9+/]{4,300}={0,2})"),
    ("kty", r"kty[\"'][^{}\n]{0,200}?[\"'](?:k|d)[\"'][ \t]?:[ \t]?[\"']([\w-]{20,200})[\"']"),
    ("bw unlock", rf"bw unlock[ \t]{{1,4}}(?!-){ARGUMENT}"),
    ("auth init", rf"auth init -t{_NEXT}"),
    ("sqlplus", r"sqlplus[ \t]{1,4}\w{1,60}/([^\s@/]{4,300})@"),
    ("db2 connect", rf"db2 connect{_OPTIONS}using{_NEXT}"),
    ("xfreerdp", rf"xfreerdp{_OPTIONS}/p:{ARGUMENT}"),
    ("lftp", rf"(?<![a-z])lftp{_OPTIONS}-u[ \t]{{1,4}}[\"']?[\w.@-]{{1,60}},{ARGUMENT}"),
    ("_connect(", r"_connect\([ \t]?(?:[\"'][^\"'\n]{0,100}[\"'],[ \t]?){2}[\"']([^\"'\n]{4,300})[\"']"),
    ("basic_auth(", r"basic_auth\([ \t]?[\"'][^\"'\n]{1,80}[\"'],[ \t]?some\([\"']([^\"'\n]{4,300})[\"']"),
    ("pragma key", rf"pragma key[ \t]?=[ \t]?{ARGUMENT}"),
    ("http-basic.", rf"http-basic\.\S{{1,60}}{_WORD}{_NEXT}"),
    ("alias set ", rf"alias set(?:{_WORD}){{3}}{_NEXT}"),
    ("input password ", rf"input password{_WORD}[ \t]{{1,8}}{ARGUMENT}"),
    ("twilio(", r"twilio\([^()\n]{1,60},[ \t]?[\"']([0-9a-f]{32})[\"']"),
    ("appid=", r"appid=([0-9a-f]{32})(?![0-9a-z])"),
    ('"username"', r'"username":[ \t]?"[^"\n]{1,60}",[ \t]?"key":[ \t]?"([0-9a-f]{32,64})"'),
    *((port, rf"(?<=[a-z\]]){port}[ \t]{{1,4}}[\w.@-]{{1,60}}:{ARGUMENT}") for port in (":25", ":465", ":587")),
    ("crypto isakmp key ", rf"crypto isakmp key(?:[ \t][0-9])?{_NEXT}(?=[ \t]{{1,4}}(?:address|hostname))"),
    ("message-digest-key ", rf"message-digest-key [0-9]{{1,3}} md5(?:[ \t][0-9])?{_NEXT}"),
    ("ldappasswd", rf"ldappasswd{_OPTIONS}-s{_NEXT}"),
    (": xauth ", rf": xauth{_NEXT}"),
    (": eap ", rf": eap[ \t]{{1,4}}(?=\"){ARGUMENT}"),
    ("<auth-user-pass>", rf"<auth-user-pass>\r?\n[^\n]{{1,80}}\n{ARGUMENT}"),
    ("{plain", r"\{plain(?:-md5)?\}([^\s:\"']{4,300})"),
    ("{clear", r"\{clear(?:text)?\}([^\s:\"']{4,300})"),
    ("<pass ", r"<pass [^<>\n]{1,80}>([^<>\s]{4,300})(?=</)"),
    ("schtasks", rf"schtasks{_OPTIONS}/rp{_NEXT}"),
    ("hashpw(", rf"hashpw\([ \t]?b?{ARGUMENT}"),
    ("superuser(", r"superuser\((?:[^()\n,]{1,80},[ \t]?){1,2}(?:password=)?[\"']([^\"'\n]{4,300})[\"']"),
    ("aes.new(", r"aes\.new\([ \t]?(?:[\w.]{1,40}\()?b?[\"']([^\"'\n]{16,200})[\"']"),
    ("master.key", r"master\.key[\"'`:*]{0,4}(?:\\n|[ \t\r\n]){1,4}([0-9a-f]{32})(?![0-9a-z])"),
    ("crypt'", r"crypt'[ \t]?=>[ \t]?(?:\[|array[ \t]?\()[ \t\r\n]{0,40}'key'[ \t]?=>[ \t]?'([0-9a-f]{32,64})'"),
    ("chpasswd:", r"chpasswd:[^\n]{0,40}\n[ \t]{0,20}list:[ \t]?\|?-?\n[ \t]{0,20}[\w-]{1,40}:([^\s]{4,300})"),
)
"""Lower-case strings, and patterns that start with them: `sqlcmd -P abcd`, `net user jdoe abcd /add`."""
_READERS = {
    **{"sudo -s": 0, "chpasswd": 0, "cryptsetup": 0, "kinit": 0, "-stdin": 0, "-pass stdin": 0, "with-token": 0},
    "passphrase-fd 0": 0,
}
"""Lower-case signs of commands that read a password from a pipe."""
_PIPED = lazy_pattern(
    r"(?:echo|printf)(?:[ \t]-[neE]{1,3}|[ \t][\"']?%s(?:\\n)?[\"']?)?[ \t]{1,4}[\"']?(?:[\w-]{1,40}:)?"
    r"([^\s\"'|:]{4,300})[\"']?[ \t]{0,4}\|[ \t]{0,4}"
    r"(?:(?:sudo )?(?:sudo -S|chpasswd|cryptsetup|kinit)"
    r"|[^\n|]{1,200}?(?:-stdin|-pass stdin|with-token|passphrase-fd 0))"
)
COMMAND_PATTERNS = (
    *(
        SecretPattern("password", (hint,), lazy_pattern(form, re.IGNORECASE), is_solid, near_hints({hint: 0}))
        for hint, form in _PLACES
    ),
    # echo 'root:abcd' | chpasswd, echo abcd | sudo -S, printf %s abcd | docker login --password-stdin
    SecretPattern("password", _READERS, _PIPED, is_solid),
    # "abcd".toCharArray()
    SecretPattern("password", (".tochararray(",), lazy_pattern(r"\"([^\"\n\\]{4,100})\"\.toCharArray\("), is_solid),
    # passwordeval "echo abcd"
    SecretPattern(
        "password",
        ("passwordeval", "passwordcommand", "passcmd"),
        lazy_pattern(
            rf"pass(?:word)?_?(?:eval|command|cmd)[\"' \t=:]{{1,6}}(?:echo|printf){_NEXT_INSIDE}", re.IGNORECASE
        ),
        is_solid,
    ),
    # --password-file=<(echo abcd), private-key <(printf %s abcd)
    SecretPattern(
        "password",
        ("<(echo", "<(printf"),
        lazy_pattern(rf"<\((?:echo|printf)(?:[ \t]-[ne]{{1,2}}|[ \t][\"']?%s(?:\\n)?[\"']?)?{_NEXT_INSIDE}"),
        is_solid,
        near_hints({"<(echo": 0, "<(printf": 0}),
        lazy_pattern(r"(?:pass|pw|secret|token|key|cred)[\w.-]{0,30}[= \t]{1,2}\Z", re.IGNORECASE),
    ),
    # jdoe/abcd@//host
    SecretPattern(
        "password", ("@//",), lazy_pattern(r"(?<![\w/:])[A-Za-z]\w{1,30}/([^\s/@\"'\\]{4,60})@//[\w.-]"), is_solid
    ),
    # jdoe:abcd@tcp(
    SecretPattern("password", ("@tcp(",), lazy_pattern(r"(?<![\w/])\w{1,60}:([^\s:@\"']{4,60})@tcp\("), is_solid),
)
"""Patterns for the arguments of commands."""
