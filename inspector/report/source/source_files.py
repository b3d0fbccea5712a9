"""The files of a folder that are source code: which are read, which are left out and why."""

from __future__ import annotations

import os
import re
import stat
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from inspector.core.errors import InspectorError

LARGEST = 4_000_000
"""Bytes of a file that is read."""
MAX_FILES = 50_000
"""Files that are read at most."""
_FOREIGN = frozenset(
    [
        "node_modules",
        "site-packages",
        "dist-packages",
        "venv",
        "env",
        "__pycache__",
        "vendor",
        "_vendor",
        "third_party",
        "thirdparty",
        "build",
        "dist",
    ]
)
_TRIALS = frozenset(
    [
        "test",
        "tests",
        "testing",
        "unittests",
        "e2e",
        "fixtures",
        "examples",
        "example",
        "samples",
        "docs",
        "doc",
        "benchmarks",
        "benchmark",
        "cookbook",
        "tutorials",
        "notebooks",
        "scripts",
        "evals",
        "eval",
        "evaluation",
        "evaluators",
        "telemetry",
    ]
)
_TEST = re.compile(r"test_|.*_test\.py$|(?:conftest|testing|mocks?|fakes?)\.py$|(?:mock|fake)_")
"""Names of files that are tests or stand in for something."""
_OTHER_LANGUAGES = {
    ".ts": "TypeScript",
    ".tsx": "TypeScript",
    ".js": "JavaScript",
    ".go": "Go",
    ".rs": "Rust",
    ".java": "Java",
    ".cs": "C#",
}


class SourceError(InspectorError):
    """Source code that cannot be read at all; str says why, in one sentence."""


@dataclass(frozen=True)
class Listing:
    """The Python files under a folder."""

    root: Path
    files: tuple[str, ...]
    """Relative to the root, with slashes, in order."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many files were not read, by the reason."""
    other_languages: Counter[str] = field(default_factory=Counter)
    """How many files of other languages there are."""


def list_files(root: Path) -> Listing:
    """The Python files under a folder, or a file alone. No link is followed. Raises SourceError."""
    if root.is_file():
        return Listing(root.parent, (root.name,))
    if not root.is_dir():
        raise SourceError(f"There is no folder {str(root)!r}.")
    files: list[str] = []
    left_out: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for folder, names, entries in os.walk(root, followlinks=False):
        here = Path(folder)
        names[:] = sorted(name for name in names if _is_entered(here / name, left_out))
        for name in sorted(entries):
            if language := _OTHER_LANGUAGES.get(Path(name).suffix):
                languages[language] += 1
            if not name.endswith(".py"):
                continue
            if reason := _left_out_for(here / name):
                left_out[reason] += 1
            else:
                files.append((here / name).relative_to(root).as_posix())
    if len(files) > MAX_FILES:
        left_out[f"files beyond the first {MAX_FILES:,}"] += len(files) - MAX_FILES
    return Listing(root, tuple(files[:MAX_FILES]), left_out, languages)


def _is_entered(folder: Path, left_out: Counter[str]) -> bool:
    name = folder.name
    if name.startswith(".") or name in _FOREIGN or folder.is_symlink() or (folder / "pyvenv.cfg").exists():
        return False
    if name.lstrip("_") in _TRIALS:
        left_out["folders of tests, examples, evaluation, telemetry and documents"] += 1
        return False
    return True


def _left_out_for(path: Path) -> str:
    """Why a file is not read; empty where it is."""
    name = path.name
    if _TEST.match(name):
        return "tests and mocks"
    try:
        facts = path.lstat()
    except OSError:
        return "files that cannot be opened"
    if not stat.S_ISREG(facts.st_mode):
        return "links and special files"
    return f"files of more than {LARGEST // 1_000_000} MB" if facts.st_size > LARGEST else ""


def read_text(path: Path) -> str:
    """The text of a source file in the encoding that it names. Raises ValueError with the reason."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be opened") from None
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
        return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise ValueError("it is not in the encoding that it names, UTF-8 where it names none") from None
