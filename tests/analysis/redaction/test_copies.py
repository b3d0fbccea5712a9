"""Copies of a known secret that were cut, broken, concatenated or encoded, and the time that many secrets take."""

from __future__ import annotations

import string
from base64 import b64encode
from random import Random

import pytest

from inspector.analysis.redaction import Redactor
from inspector.analysis.redaction.known_secrets import KnownSecrets

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


def test_the_rest_of_a_text_with_broken_copies_stays() -> None:
    redactor = Redactor()
    redactor.collect(SECRET)
    text = f"one\ntwo {SECRET[:20]}\n   {SECRET[20:]} three\nfour {SECRET}, five"
    assert redactor.value_of(text) == "one\ntwo [redacted:github-token-1] three\nfour [redacted:github-token-1], five"


class _Counted(str):
    """A text that counts the slices that are taken of it."""

    slices = 0

    def __getitem__(self, key: object) -> str:
        _Counted.slices += 1
        return super().__getitem__(key)  # type: ignore[index]


def test_a_search_looks_at_each_place_once_for_any_number_of_secrets() -> None:
    random = Random(4)
    text = _Counted("".join(random.choices(string.ascii_letters, k=4_000)))
    looks = []
    for count in (500, 1_000, 2_000):
        known: KnownSecrets[int] = KnownSecrets()
        for number in range(count):
            known.add(["eyJhbGciOiJIUzI1NiJ9." + "".join(random.choices(string.ascii_letters, k=40))], number)
        _Counted.slices = 0
        known.copies_in(text)
        looks.append(_Counted.slices)
    assert looks[0] == looks[1] == looks[2] < 2 * len(text)
