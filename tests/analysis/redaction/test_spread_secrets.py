"""Secrets whose names are not directly before them, and harmless texts in the same forms."""

from __future__ import annotations

import pytest

from inspector.analysis.redaction import Redactor

KEY = "q7Zx9Lm2Vb4Rt6Yu8Wc1Ne3Kp5"
PASSWORD = "copperKettle#481"
PLACES = (
    *("- name: DB_PASSWORD\n  value: {p}", "token: >-\n  {k}", 'secret_key = """{k}"""', "keystore.pass={p}"),
    *("password: str = '{p}'", '#define WIFI_PASSWORD "{p}"', "redis-cli -a {k} ping", "sshpass -p '{p}' ssh box"),
    *("echo '{k}' | docker login --password-stdin", "| user | password |\n|---|---|\n| anna | {p} |"),
    *("NAME        VALUE\nAPI_TOKEN   {k}", "user,password\nanna,{p}", 'export TOKEN="\\\n{k}"', "use token `{k}`"),
    *("log in with admin / {p} (password)", 'I set the root password to "{p}".', "set -x FIREBASE_TOKEN {k}"),
    *("api:\n  key: {k}", "[wifi]\npsk={p}", 'get(url, auth=("svc", "{p}"))', 'const dbPassword string = "{p}"'),
    *('let api_key = String::from("{k}");', "create r s3 secret_access_key {k}", "ldapsearch -D cn=a -w {p} -b x"),
    *(
        "smbclient //srv/x -U joe%{p}",
        "openssl rsa -passin pass:{p}",
        "zip -P {p} out.zip a",
        "https://x.io/v1?key={k}",
    ),
    *("| service | api key |\n| --- | --- |\n| mail | {k} |", "--api-key \\\n  {k}", "The token you need is {k}, so"),
    *("credentials are joe:{p}", "I rotated the API key to {k} today", "{p} is the password for the NAS"),
)
HARMLESS = (
    *(
        "password: !vault |",
        "PWD=/home/user",
        '"request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"',
        "PASSWORD_DIR=/etc/app/keys",
    ),
    *("| password | string | yes |", "name,token_count\na,1200", "KEY    ACTION\nctrl+k clear", "noreply@example.org"),
    *(
        'password = prompt("Enter password")',
        "password: str = ''",
        'token = headers.get("Authorization")',
        "key: value",
    ),
    *(
        "| user | password |\n|---|---|\n| anna | hashed |",
        "The token is stored in the keychain",
        "support@example.org",
    ),
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ"',
)


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_apart_from_its_name_is_redacted(place: str) -> None:
    text = redacted(place.replace("{k}", KEY).replace("{p}", PASSWORD))
    assert KEY not in text and PASSWORD not in text and "[redacted:" in text


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_text_in_the_form_of_a_secret_stays(text: str) -> None:
    assert redacted(text) == text
