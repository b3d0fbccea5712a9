"""Passwords in notes about logins."""

from __future__ import annotations

import pytest

from inspector.analysis.redaction import Redactor

PASSWORD = "Wq7bTm2x"
PLACES = (
    "ID/PW: jdoe/{p}",
    "user/pass=jdoe:{p}",
    "id pw jdoe // {p}",
    "ID/PW(jdoe/{p})",
    "10.20.30.40 (jdoe/{p})",
    "jdoe@10.20.30.40(jdoe/{p})",
    "PW:{p}",
    "P/W: {p}",
    "비밀번호({p})",
    "비번은{p}",
    "CREATE USER jdoe IDENTIFIED BY {p};",
    "ALTER USER 'jdoe'@'localhost' IDENTIFIED WITH mysql_native_password BY '{p}';",
    "pass is {p}, valid to Friday",
    "crypto isakmp key {p} address 203.0.113.4",
    'jdoe : XAUTH "{p}"',
    "ip ospf message-digest-key 7 md5 {p}",
    "ldappasswd -x -s {p} uid=jdoe",
    'jdoe : EAP "{p}"',
    "<auth-user-pass>\njdoe\n{p}\n</auth-user-pass>",
    "jdoe:{PLAIN}{p}:1001:1001::/var/mail/jdoe",
    '<Server><User>jdoe</User><Pass encoding="none">{p}</Pass></Server>',
    "schtasks /create /tn nightly /tr a.exe /ru jdoe /rp {p}",
    "bcrypt.hashpw(b'{p}', bcrypt.gensalt())",
    "User.objects.create_superuser('jdoe', 'a@b.example', '{p}')",
    'new PasswordAuthentication("jdoe", "{p}".toCharArray())',
    'passwordeval "echo {p}"',
    "printf '{p}' | cryptsetup luksFormat /dev/sdc1 -",
    "echo {p} | docker login registry.example.net -u jdoe --password-stdin",
    "The database password (read only): {p}",
)
OTHERS = (
    ("my OTP code {p}", "604182"),
    ("passcode for the archive is {p}", "71930462"),
    ("seed phrase: {p}", "lamp donkey harbor secret monkey apple river stone cloud tiger pencil violin"),
    ("config/master.key:\n{p}", "0f3a9c5d7e1b2468ace013579bdf2468"),
    ("'crypt' => [\n  'key' => '{p}'\n]", "0f3a9c5d7e1b2468ace013579bdf2468"),
    ("AES.new(bytes.fromhex('{p}'), AES.MODE_GCM)", "0f3a9c5d7e1b2468ace013579bdf2468" * 2),
)
"""Places of other secrets, and these."""
HARMLESS = (
    "ID/Passport: required",
    "user/password authentication is disabled",
    "10.20.30.40 (eth0/10.20.30.1)",
    "identified by its version",
    "pass --verbose to see more",
    "PASS - test_login (0.21s)",
    "pass is given by the caller",
    "PASSWORD=${PASSWORD:?missing}",
    "crypto isakmp key <removed> address 203.0.113.4",
    "create_superuser(username, email, password)",
    "bcrypt.hashpw(given, salt)",
    "echo done | tee --stdin",
    "AES.new(key, AES.MODE_GCM)",
    "the password (if any): see the vault",
    "seed: 42, the phrase and the words that you say to it and the next one is not what this is",
)


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


@pytest.mark.parametrize("place", PLACES)
def test_a_password_in_a_note_about_a_login_is_redacted(place: str) -> None:
    assert PASSWORD not in redacted(place.replace("{p}", PASSWORD))


@pytest.mark.parametrize(("place", "secret"), OTHERS)
def test_another_secret_in_its_place_is_redacted(place: str, secret: str) -> None:
    assert secret not in redacted(place.replace("{p}", secret))


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_note_stays(text: str) -> None:
    assert redacted(text) == text
