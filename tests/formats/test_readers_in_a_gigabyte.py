"""Every reader in a gigabyte of address space, with hostile variants of a recording of its format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.formats import sources
from tests.places import ROOT

READ = """
import json, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from tests.fuzz.formats import fault_of
for path in sorted(Path(sys.argv[1]).iterdir()):
    if fault := fault_of(path):
        print(path.name, fault, flush=True)
"""
"""A program that reads the files of a folder, and prints what is wrong with how."""
LONG = "Count the gulls. " * 40_000
DEEP = json.loads("[" * 400 + "]" * 400)
WIDE = {f"k{number}": number for number in range(5_000)}


def texts_replaced(value: Any, other: object) -> Any:
    """A value whose texts with a space are another value."""
    match value:
        case dict():
            return {key: texts_replaced(inner, other) for key, inner in value.items()}
        case list():
            return [texts_replaced(inner, other) for inner in value]
        case str() if " " in value:
            return other
    return value


def repeated(value: Any, count: int) -> Any:
    """A value whose lists have many times as many items."""
    match value:
        case dict():
            return {key: repeated(inner, count) for key, inner in value.items()}
        case list():
            return [repeated(inner, 1) for inner in value] * count
    return value


VARIANTS: dict[str, Callable[[Any], Any]] = {
    "long": lambda value: texts_replaced(value, LONG),
    "deep": lambda value: texts_replaced(value, DEEP),
    "wide": lambda value: texts_replaced(value, WIDE),
    "many": lambda value: repeated(value, 200),
}


def lines_of(data: bytes, change: Callable[[Any], Any]) -> Iterator[str]:
    for line in data.decode().splitlines():
        yield json.dumps(change(json.loads(line)) if line.lstrip()[:1] in ("{", "[") else line)


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_reader_fails_or_takes_much_memory(variant: str, tmp_path: Path) -> None:
    for name, data in sources():
        if name.endswith((".json", ".jsonl")):
            (tmp_path / name).write_text("\n".join(lines_of(data, VARIANTS[variant])) + "\n")
    assert len(list(tmp_path.iterdir())) > 20
    ended = subprocess.run(
        [sys.executable, "-c", READ, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr[-2_000:]
