"""Files that Python code in a call changes, as far as it names them."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.effect_values import ChangeKind, FileChange

_MAX_CODE = 100_000
_CHANGES = lazy_pattern(
    r"\b(edit_file\w{0,40}|insert_content_at_line|append_file|create_file)\(\s{0,40}(?:file_name\s?=\s?|path\s?=\s?)?"
    r"['\"]([^'\"\n]{1,300})['\"]"
    r"|\bopen\(\s{0,40}['\"]([^'\"\n]{1,300})['\"]\s?,\s?(?:mode\s?=\s?)?['\"]([wax])[bt+]{0,2}['\"]"
    r"|\bos\.(?:remove|unlink)\(\s{0,40}['\"]([^'\"\n]{1,300})['\"]"
)
"""A call that writes a file: `edit_file_by_replace('src/a.py', …)`, `open("notes.txt", "w")`, `os.remove("a")`."""


_DEFINES = lazy_pattern(
    r"(?m)^[ \t]{0,40}(?:(?:export|async|pub|public|private|static|default) ){0,4}"
    r"(?:def|function|class|fn|func|interface|struct|enum|type) ([A-Za-z_]\w{0,80})"
)
"""Definition of a name."""


def change_between(path: str, old: str, new: str) -> FileChange:
    """Return the change of a file in which a text is replaced.

    Args:
        path: Path of the file.
        old: Text before.
        new: Text after, as far as it is kept.
    """
    known = set(map(str.strip, old.split("\n")))
    lines = new.split("\n")
    fresh = [line for line in lines if line.strip() not in known]
    before, after = (_DEFINES.findall(text) if "(" in text or " " in text else [] for text in (old, new))
    gone, come = ([name for name in own if name not in other] for own, other in ((before, after), (after, before)))
    renamed = f"{gone[0]} → {come[0]}" if len(gone) == len(come) > 0 else ""
    kept = set(map(str.strip, lines))
    removed = "\n".join(line for line in old.split("\n") if line.strip() not in kept)
    return FileChange("changed", path, new, "\n".join(fresh) if len(fresh) < len(lines) else None, renamed, removed)


def files_in_code(code: str) -> Iterator[FileChange]:
    """Yield the files that Python code writes or removes by literal names, each once."""
    kinds: dict[str, ChangeKind] = {}
    for edit, edited, opened, mode, removed in _CHANGES.findall(code[:_MAX_CODE]):
        is_new = edit == "create_file" or (bool(mode) and mode != "a")
        kinds.setdefault(edited or opened or removed, "deleted" if removed else "created" if is_new else "changed")
    yield from (FileChange(kind, path) for path, kind in kinds.items())
