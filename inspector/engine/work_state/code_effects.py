"""Files that Python code in a call changes, as far as it names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

ChangeKind = Literal["created", "changed", "deleted", "moved"]
_MAX_CODE = 100_000
_CHANGES = re.compile(
    r"\b(edit_file\w{0,40}|insert_content_at_line|append_file|create_file)\(\s{0,40}(?:file_name\s?=\s?|path\s?=\s?)?"
    r"['\"]([^'\"\n]{1,300})['\"]"
    r"|\bopen\(\s{0,40}['\"]([^'\"\n]{1,300})['\"]\s?,\s?(?:mode\s?=\s?)?['\"]([wax])[bt+]{0,2}['\"]"
    r"|\bos\.(?:remove|unlink)\(\s{0,40}['\"]([^'\"\n]{1,300})['\"]"
)
"""A call that writes a file: `edit_file_by_replace('src/a.py', …)`, `open("notes.txt", "w")`, `os.remove("a")`."""


class FileChange(NamedTuple):
    """A file that a call changes."""

    kind: ChangeKind
    path: str
    text: str = ""
    """The inserted text, as far as it is kept; the new path of a moved file."""


def files_in_code(code: str) -> Iterator[FileChange]:
    """Yield the files that Python code writes or removes by literal names, each once."""
    kinds: dict[str, ChangeKind] = {}
    for edit, edited, opened, mode, removed in _CHANGES.findall(code[:_MAX_CODE]):
        is_new = edit == "create_file" or (bool(mode) and mode != "a")
        kinds.setdefault(edited or opened or removed, "deleted" if removed else "created" if is_new else "changed")
    yield from (FileChange(kind, path) for path, kind in kinds.items())
