"""Secrets that a heading, a list of columns, a statement or a sentence marks as such."""

from __future__ import annotations

import pytest

from inspector.analysis.redaction import Redactor

KEY = "q7Zx9Lm2Vb4Np6Rt8Wy1Kd3"
PASSWORD = "Harbor#2744"
PLACES = (
    "secrets:\n  session_signing: &sig {k}\n",
    "[secrets]\nsigning = {k}\n",
    "stringData:\n  rootpw: cobalt{p}\n",
    "INSERT INTO users (login, password) VALUES ('jdoe', '{p}'), ('mira', '{p}');",
    "login      password        role\njdoe       {p}     admin\n",
    "const secret = process.env.SECRET || '{k}'",
    "API_TOKEN = (\n    '{k}'\n)",
    "apiKey: `{k}`,",
    'var accessKey = @"{k}";',
    'if password == "{p}":',
    "la password di root è {p}",
    "the password of the database server in Bern is {p}",
    "パスワードは「{p}」です",
    "https://api.example.com/v2/geo?q=bern&appid={k}&units=metric",
    "net use Z: \\\\nas\\share /user:jdoe {p}",
    "tool --user jdoe -p {p} run",
    "log in with jdoe:{p}",
    "pg.example.net:5432:orders:app:{p}",
    "jdbc:oracle:thin:hr/{p}@//ora:1521/XE",
    "gh secret set NPM --body {p}",
    "bindpw={p}",
    "licence_key = {k}",
)
WORDS = (
    "FTP_PASSWD=otter",
    "amqp://jdoe:otter@rabbit:5672/",
    "https://shop.example.net/login?user=jdoe&passwd=otter&next=1",
    "The passphrase for the key is “otter orbit cactus harbor”.",
)
HARMLESS = (
    'input(type="password", name="password")',
    'PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]',
    "docker run -u 1000 -p 8080:80 nginx",
    "postgres://postgres:postgres@localhost:5432/db",
    "secrets:\n  - name: tls\n    path: /etc/tls\n",
    "INSERT INTO users (login, password) VALUES ($1, $2);",
    "compass = otter",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "token = hashlib.sha256(data).hexdigest()",
    "the token is refreshed every hour",
)


def redacted(text: str) -> str:
    redactor = Redactor()
    redactor.collect(text)
    return str(redactor.value_of(text))


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_that_its_surroundings_mark_is_redacted(place: str) -> None:
    text = redacted(place.replace("{k}", KEY).replace("{p}", PASSWORD))
    assert KEY not in text and PASSWORD not in text and "[redacted:" in text


@pytest.mark.parametrize("text", WORDS)
def test_a_password_of_plain_words_is_redacted_in_the_place_of_one(text: str) -> None:
    assert "otter" not in redacted(text)


def test_a_one_time_code_is_redacted_and_other_numbers_are_not() -> None:
    assert redacted("Your one-time code is 482913.") == "Your one-time code is [redacted:one-time-code-1]."
    assert redacted("The exit code is 482913.") == "The exit code is 482913."


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_text_in_these_places_stays(text: str) -> None:
    assert redacted(text) == text
