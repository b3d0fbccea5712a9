"""Passwords and keys after their names in other languages, and words that contain such a name."""

from __future__ import annotations

import pytest

from inspector.analysis.redaction import Redactor

SECRET = "kR4vQ9tZ2mX7pL1w"
NAMES = (
    *(
        "mdp",
        "psw",
        "pwrd",
        "contrasenia",
        "geslo",
        "salasõna",
        "slaptažodis",
        "пароля",
        "口令",
        "암호",
        "비번",
        "暗証番号",
    ),
    *(
        "clé-api",
        "chave",
        "chiave",
        "llave",
        "sleutel",
        "nyckel",
        "klucz",
        "klíč",
        "avain",
        "nøgle",
        "nøkkel",
        "anahtar",
    ),
    *(
        "kulcs",
        "κλειδί",
        "מפתח",
        "مفتاح",
        "कुंजी",
        "secreto",
        "segredo",
        "segreto",
        "geheimnis",
        "секрет",
        "令牌",
        "토큰",
    ),
)


def redacted(text: str) -> str:
    redactor = Redactor()
    return str(redactor.value_of(text, redactor.collect(text)))


@pytest.mark.parametrize("name", NAMES)
def test_a_value_after_a_foreign_name_is_redacted(name: str) -> None:
    for text in (f"{name}: {SECRET}", f'{name} = "{SECRET}"', f'{{"{name}": "{SECRET}"}}'):
        assert SECRET not in redacted(text), text


@pytest.mark.parametrize(
    "text", ["klickrate: 48213", "nokia = 3310x", "llaveros: 12 azules", "chaveiro: a52-f", "키보드: mx-500"]
)
def test_words_that_contain_a_foreign_name_are_left(text: str) -> None:
    assert redacted(text) == text
