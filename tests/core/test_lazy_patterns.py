"""Patterns that are compiled on first use."""

from __future__ import annotations

import copy
import re
import subprocess
import sys

import pytest

from inspector.core.text import LazyPattern, lazy_pattern


def test_a_lazy_pattern_matches_as_the_compiled_one() -> None:
    lazy, usual = lazy_pattern(r"(?P<key>\w+)=(\d+)", re.IGNORECASE), re.compile(r"(?P<key>\w+)=(\d+)", re.IGNORECASE)
    text = "a=1, b=22; C=x d=4"
    assert lazy.findall(text) == usual.findall(text)
    assert [match.span() for match in lazy.finditer(text, 4, 10)] == [(5, 9)]
    assert (lazy.sub(r"\1", text), lazy.split(text)) == (usual.sub(r"\1", text), usual.split(text))
    assert (lazy.match(text, 5) or [""])[0] == "b=22" and lazy.fullmatch(text) is None
    assert (lazy.pattern, lazy.flags, lazy.groups) == (usual.pattern, usual.flags, usual.groups)
    assert lazy.groupindex == usual.groupindex
    assert {lazy, copy.deepcopy(lazy)} == {lazy} and lazy != lazy_pattern(lazy.pattern)
    assert (copy.copy(lazy).search(text) or [""])[0] == (copy.deepcopy(lazy).search(text) or [""])[0] == "a=1"
    with pytest.raises(AttributeError):
        lazy.no_such_method  # type: ignore[attr-defined]  # noqa: B018


def test_an_invalid_pattern_fails_on_first_use() -> None:
    wrong = LazyPattern("(", 0)
    with pytest.raises(re.error):
        wrong.search("x")


def test_rules_are_compiled_when_a_text_needs_them() -> None:
    """Importing the rules of the work state and of facts compiles fewer patterns than reading a rule does."""
    code = (
        "import re\nfrom inspector.core.text import LazyPattern\n"
        "import inspector.engine.work_state.consequences, inspector.engine.facts.classify, sys\n"
        "found = [value for name, module in sys.modules.items() if name.startswith('inspector.engine')"
        " for value in vars(module).values() if isinstance(value, LazyPattern)]\n"
        "print(len(found), sum('compiled' in vars(value) for value in found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    every, compiled = map(int, done.stdout.split())
    assert every > 300
    assert compiled < 10  # some words are read from a pattern at once


def test_a_pattern_that_ignores_case_finds_the_same_whatever_the_case_of_the_text() -> None:
    texts = (
        "Skip It, please",
        "SKIP IT",
        "skip it",
        "Überspring das",
        "ſkip it",
        "Ab",
        "a_b",
        "LEAVE THAT",
        "x" * 5_000,
    )
    for source in (
        r"\bskip (?P<what>it)\b",
        r"überspring",
        r"[A-B]b|[^a]_",
        r"(?:leave|skip) that$",
        r"(?-i:S)kip",
        r"[ -~]_",
    ):
        lazy, usual = lazy_pattern(f"(?i){source}"), re.compile(f"(?i){source}")
        for text in texts:
            match, other = lazy.search(text), usual.search(text)
            assert (match and match.regs, match and match[0]) == (other and other.regs, other and other[0]), (
                source,
                text,
            )
            assert (lazy.search(text, 3) is None) == (usual.search(text, 3) is None)
