"""Compiled patterns that are kept between runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

from inspector.analysis.redaction.home_names import name_pattern
from inspector.core.text import LazyPattern, pattern_codes
from inspector.core.text.pattern_codes import PatternCodes
from inspector.core.text.pattern_needs import are_met, folded
from tests.patterns.package import patterns

SOURCES = [rf"(?i)\b(?P<word>w{number}+)(\d)?" for number in range(20)]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "codes.patterns"


def kept(path: Path, sources: list[str] = SOURCES) -> PatternCodes:
    """Keep patterns, and return what another program finds."""
    codes = PatternCodes(path)
    for source in sources:
        codes.compiled(source, re.MULTILINE)
    codes.save()
    return PatternCodes(path)


def test_every_pattern_of_the_package_is_the_same_when_it_was_kept(path: Path) -> None:
    every = [used.pattern for used in patterns() if isinstance(used.pattern.pattern, str)]
    first = PatternCodes(path)
    flags = [pattern.flags & ~re.UNICODE for pattern in every]
    for pattern, flag in zip(every, flags, strict=True):
        assert first.compiled(pattern.pattern, flag) == re.compile(pattern.pattern, flag)
    first.save()
    again = PatternCodes(path)
    for pattern, flag in zip(every, flags, strict=True):
        assert (pattern.pattern, flag) in again
        one, usual = again.compiled(pattern.pattern, flag), re.compile(pattern.pattern, flag)
        assert one == usual and one.groupindex == usual.groupindex
    assert len(every) > 700


def test_a_kept_pattern_is_not_compiled_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = kept(path)
    monkeypatch.setattr(pattern_codes, "_code_of", lambda *_: pytest.fail("compiled again"))
    found = codes.compiled(SOURCES[3], re.MULTILINE).search("a W33 b")
    assert found and (found["word"], found[0], found.lastindex) == ("W33", "W33", 1)


def test_needs_that_are_kept_are_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, codes = [*SOURCES, "(", "a|b*"], PatternCodes(path)
    needs = {source: codes.needs(source, 0) for source in sources}
    codes.save()
    monkeypatch.setattr(pattern_codes, "needs_of", lambda *_: pytest.fail("read again"))
    kept = PatternCodes(path)
    for source in sources:
        one, text = kept.needs(source, 0), folded("A W7 and more")
        assert (one is None) == (needs[source] is None)
        assert one is None or are_met(one, text) == are_met(needs[source] or (), text)


@pytest.mark.parametrize("cut", [0, 1, 40, 300, 2_000, -1])
def test_a_damaged_file_is_not_used(path: Path, cut: int) -> None:
    kept(path)
    content = path.read_bytes()
    for damaged in (content[:cut], content[:cut] + b"\x00\xff\n{}\n" + content[cut:], content[::-1]):
        path.write_bytes(damaged)
        codes = PatternCodes(path)
        assert [codes.compiled(source, 0).pattern for source in SOURCES] == SOURCES


def test_codes_that_are_no_codes_are_compiled_again(path: Path) -> None:
    kept(path)
    head, _, rows, needs, content = path.read_bytes().split(b"\n", 4)
    for wrong in (b"\xff" * len(content), b"", b"\x00" * len(content), content[4:] + content[:4]):
        rest = b"\n".join([rows, needs, wrong])
        path.write_bytes(b"\n".join([head, b"%d" % crc32(rest), rest]))
        codes = PatternCodes(path)
        assert all(codes.compiled(source, re.MULTILINE) for source in SOURCES)


def test_needs_that_were_changed_are_read_again(path: Path) -> None:
    codes = PatternCodes(path)
    wanted = {source: codes.needs(source, 0) for source in SOURCES}
    codes.save()
    lines = path.read_bytes().split(b"\n", 4)
    for needs in (
        b"{}",
        b"[]",
        b"5",
        re.sub(rb"\[\[", b"5,[[", lines[3]),
        re.sub(rb'":\[.*?\]+,"', b'":7,"', lines[3]),
    ):
        path.write_bytes(b"\n".join([*lines[:3], needs, lines[4]]))
        codes = PatternCodes(path)
        assert {source: codes.needs(source, 0) for source in SOURCES} == wanted


def test_what_several_programs_compile_is_kept_together(path: Path) -> None:
    one, other = PatternCodes(path), PatternCodes(path)
    for codes, sources in ((one, SOURCES[:10]), (other, SOURCES[10:])):
        for source in sources:
            codes.compiled(source, 0)
    one.save()
    other.save()
    assert all((source, 0) in PatternCodes(path) for source in SOURCES)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600


def test_old_patterns_leave_a_full_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path, SOURCES[:10])
    monkeypatch.setattr(pattern_codes, "_MAX_KEPT", 15)
    codes = kept(path, SOURCES[10:])
    assert (SOURCES[0], re.MULTILINE) not in codes and (SOURCES[10], re.MULTILINE) in codes


def test_nothing_is_kept_without_bytecode_or_in_a_missing_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path.parent / "missing" / "codes.patterns")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert (SOURCES[0], re.MULTILINE) not in kept(path)
    assert PatternCodes(None).compiled("a", 0) == re.compile("a")
    assert [*path.parent.iterdir()] == []


def test_patterns_of_names_are_not_kept() -> None:
    pattern = name_pattern(["marlene"])
    assert pattern is not None and not isinstance(pattern, LazyPattern)


def test_an_invalid_pattern_is_refused_as_by_re(path: Path) -> None:
    with pytest.raises(re.error):
        PatternCodes(path).compiled("(", 0)


def test_patterns_are_kept_next_to_the_bytecode(tmp_path: Path) -> None:
    code = "from inspector.engine.work_state import consequences\nfrom inspector.core.text.pattern_codes import CODES\n"
    code += "print(CODES.path, *[CODES.compiled(f'w{number}', 0).pattern for number in range(9)], ('w1', 0) in CODES)"
    place = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PATH": "", "PYTHONPATH": str(Path(__file__).parents[2])}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], env=place, capture_output=True, text=True, check=True)
        written = Path(done.stdout.split()[0])
        assert written.is_file() and written.is_relative_to(tmp_path)
        assert [file.suffix for file in written.parent.glob("pattern_codes*.p*")].count(".patterns") == 1
