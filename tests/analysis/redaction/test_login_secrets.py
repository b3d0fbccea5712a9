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
)
HARMLESS = (
    "ID/Passport: required",
    "user/password authentication is disabled",
    "10.20.30.40 (eth0/10.20.30.1)",
    "identified by its version",
    "pass --verbose to see more",
    "PASS - test_login (0.21s)",
)


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


@pytest.mark.parametrize("place", PLACES)
def test_a_password_in_a_note_about_a_login_is_redacted(place: str) -> None:
    assert PASSWORD not in redacted(place.replace("{p}", PASSWORD))


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_note_stays(text: str) -> None:
    assert redacted(text) == text
