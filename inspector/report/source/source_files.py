"""Selection of the source files in a folder, with the reasons for skipped ones."""

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
"""Maximum size of a file in bytes."""
MAX_FILES = 50_000
"""Maximum number of files that are read."""
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
"""File names of tests and mocks."""
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
    """The source code cannot be read at all. The message is one sentence for the user."""


@dataclass(frozen=True)
class Listing:
    """Python files in a folder."""

    root: Path
    files: tuple[str, ...]
    """Sorted paths relative to the root, with slashes."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of skipped files or folders, by reason."""
    other_languages: Counter[str] = field(default_factory=Counter)
    """Number of files in other languages, by language."""


def list_files(root: Path) -> Listing:
    """Return the Python files in a folder, or a single file. Links are not followed.

    Raises:
        SourceError: The folder does not exist.
    """
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
    """Return the reason for skipping a file, or an empty string."""
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
    """Return the text of a source file, in its declared encoding.

    Raises:
        ValueError: The file cannot be read. The message gives the reason.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(error.strerror or "it cannot be opened") from None
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
        return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise ValueError("it is not in the encoding that it names, UTF-8 where it names none") from None
