"""Copies of a known secret that were cut, broken, concatenated or encoded, and the time that many secrets take."""

from __future__ import annotations

import string
from base64 import b64encode
from random import Random

import pytest

from inspector.analysis.redaction import Redactor
from inspector.analysis.redaction.known_secrets import KnownSecrets
from tests.growth import calls_made

SECRET = "ghp_q7Zx9Lm2Wp4Rt8Vb6Nc1Kd5Hs0Gf3Jy8Tu2X"
COPIES = {
    "cut at the end": (f"it began with {SECRET[:24]}…", SECRET[:16]),
    "cut at the start": (f"…{SECRET[-20:]} it ended", SECRET[-16:]),
    "wrapped": (f"| {SECRET[:18]}\n| {SECRET[18:]} |", SECRET[18:]),
    "concatenated": (f'x = "{SECRET[:12]}" + "{SECRET[12:]}"', SECRET[12:]),
    "literals on two lines": (f"x = ('{SECRET[:12]}'\n     '{SECRET[12:]}')", SECRET[12:]),
    "soft hyphen": (f"{SECRET[:10]}\u00ad{SECRET[10:]}", SECRET[10:]),
    "twice in base64": (b64encode(b64encode(SECRET.encode())).decode(), b64encode(b64encode(SECRET.encode())).decode()),
    "entities": ("".join(f"&#{ord(character)};" for character in SECRET), f"&#{ord(SECRET[5])};&#{ord(SECRET[6])};"),
    "reversed": (SECRET[::-1], SECRET[10:][::-1]),
}


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_of_a_known_secret_is_hidden(copy: str) -> None:
    text, rest = COPIES[copy]
    redactor = Redactor()
    redactor.collect([f"token {SECRET}", text])
    assert rest in text
    assert rest not in redactor.value_of(text)


@pytest.mark.parametrize("join", ["' + '", "' +\n    '", "'\n    + '", "' .\n  '"])
def test_literals_that_are_joined_are_hidden_to_the_last(join: str) -> None:
    redactor = Redactor()
    text = f"const secretKey = '{SECRET[4:22]}{join}{SECRET[22:]}';"
    redactor.collect(text)
    assert redactor.value_of(text) == "const secretKey = '[redacted:key-1]';"


def test_the_rest_of_a_text_with_broken_copies_stays() -> None:
    redactor = Redactor()
    redactor.collect(SECRET)
    text = f"one\ntwo {SECRET[:20]}\n   {SECRET[20:]} three\nfour {SECRET}, five"
    assert redactor.value_of(text) == "one\ntwo [redacted:github-token-1] three\nfour [redacted:github-token-1], five"


def test_time_is_linear_in_the_text_and_in_the_number_of_secrets() -> None:
    random = Random(4)

    def calls(count: int) -> int:
        tokens = ["ghp_" + "".join(random.choices(string.ascii_letters + "0", k=36)) for _ in range(count)]
        lines = [f"line {number} of the log: token={token}, {token} again" for number, token in enumerate(tokens)]
        clean: list[str] = []

        def work() -> None:
            redactor = Redactor()
            patterns = [redactor.collect({"text": line}) for line in lines]
            clean.extend(map(redactor.value_of, lines, patterns))
            redactor.check("\n".join(clean))

        made = calls_made(work)
        assert not any(token in line for token, line in zip(tokens, clean, strict=True))
        return made

    _, once, twice, four_times = (calls(count) for count in (400, 100, 200, 400))  # the first compiles patterns
    assert twice < 2.1 * once
    assert four_times < 2.1 * twice


@pytest.mark.parametrize("length", range(8, 24))
@pytest.mark.parametrize("before", ["", "é", "日本 "])
def test_a_secret_is_found_at_any_place(length: int, before: str) -> None:
    secret = "Zq7vXw2LkP9sRt4mNb6cYd81"[:length]
    known: KnownSecrets[int] = KnownSecrets()
    known.add([secret], 1)
    for offset in range(20):
        text = f"{before}{'.' * offset}{secret}{'.' * 9}"
        assert [(text[copy.start : copy.end]) for copy in known.copies_in(text)] == [secret]
