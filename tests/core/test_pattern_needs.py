"""The literals that a pattern needs: they say of no text that matches that it cannot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.core.text import LazyPattern, lazy_pattern, lazy_patterns
from inspector.core.text.pattern_codes import PatternCodes
from inspector.core.text.pattern_needs import are_met, folded, needs_of
from tests.patterns.package import patterns

SESSIONS = Path(__file__).parents[2] / "sessions"


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("never", (("never",),)),
        (r"\bgit (?:commit|push)\b", (("git", (("commit",), ("push",))),)),
        ("colou?r|gr[ae]y", (("colo", "r"), ("gr", "y"))),
        (r"a\.b+c{2}d{0,3}e*", (("a.b", "c"),)),
        ("(?:not )?yet(?!never)(?<!ever)(?=s)", (("yet", (("s",),)),)),
        (r"(?P<max>over) (?:limit|)", (((("over",),),),)),
        ("Straße|ı", (("strasse",), ("i",))),
        (r"\x1b\[\d\u2014m", (("[", "m"),)),
        (r"\w+", None),
        ("a|b*", None),
        (r"(a)\1(?P<b>c)(?P=b)", None),
        ("(?x) a b", None),
        ("(", None),
    ],
)
def test_needs_of_a_source(source: str, needs: object) -> None:
    assert needs_of(source) == needs


def test_every_pattern_of_the_package_finds_only_texts_that_meet_its_needs() -> None:
    lines = [line[:400] for path in sorted(SESSIONS.glob("*.jsonl")) for line in path.read_text("utf-8").split("\n")]
    texts = [*lines[::97], *map(str.upper, lines[::211]), "ſtop; KEEP ıt", "Don’t touch it: İt"]
    known = 0
    for used in patterns():
        if isinstance(used.pattern.pattern, str) and not used.pattern.flags & re.VERBOSE:
            needs = needs_of(used.pattern.pattern)
            known += needs is not None
            wrong = [one for one in texts if needs and used.pattern.search(one) and not are_met(needs, folded(one))]
            assert not wrong, used.name
    assert known > 700


@pytest.fixture
def without_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_patterns, "CODES", PatternCodes(None))


@pytest.mark.usefixtures("without_codes")
def test_a_pattern_that_cannot_match_is_not_compiled() -> None:
    pattern = lazy_pattern(r"(?i)\bkeep (?:the )?changes")
    text = "Nothing of it"
    assert pattern.search(text) is pattern.match(text) is pattern.fullmatch(text) is None
    assert (pattern.findall(text), list(pattern.finditer(text)), pattern.split(text)) == ([], [], [text])
    assert pattern.sub("x", text) == text
    assert "compiled" not in vars(pattern)
    assert pattern.search("KEEP changes") is not None
    assert "compiled" in vars(pattern)


@pytest.mark.usefixtures("without_codes")
def test_a_pattern_that_often_could_not_match_is_compiled() -> None:
    pattern = LazyPattern("never", 0)
    assert not any(pattern.search(f"text {number}") for number in range(200))
    assert "compiled" in vars(pattern)
