"""The names of the files in a folder, read once and bounded, for memories and for the paths that they name."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from inspector.core.limits import limit
from inspector.core.text import word_set

OPAQUE = word_set(
    ".git .hg .svn node_modules .venv venv __pycache__ .tox .nox .mypy_cache .ruff_cache .pytest_cache .next .nuxt "
    ".turbo .cache .gradle .terraform site-packages bower_components .pnpm-store .yarn Pods DerivedData .idea"
)
"""Names of folders whose files are not listed. Everything in them may exist."""


@dataclass(frozen=True)
class FolderTree:
    """The files and folders below a folder, with paths relative to it and `/` between names."""

    root: Path
    files: frozenset[str]
    folders: frozenset[str]
    opaque: frozenset[str] = frozenset()
    """Folders whose files are not listed."""
    is_cut: bool = False
    """True if there are more files than the limit `folder_files`."""
    _cache: dict[str, bool] = field(default_factory=dict, compare=False)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Paths of the files by their last name."""
        names: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            names[path.rpartition("/")[2]].append(path)
        return {name: tuple(paths) for name, paths in names.items()}

    @cached_property
    def folder_names(self) -> frozenset[str]:
        """Last names of the folders."""
        return frozenset(path.rpartition("/")[2] for path in self.folders)

    @cached_property
    def lowered(self) -> frozenset[str]:
        """All paths in lower case."""
        return frozenset(path.lower() for path in (*self.files, *self.folders))

    def ends(self, path: str) -> bool:
        """Return True if a file or folder has this path, or ends with it after a `/`."""
        if path not in self._cache:
            self._cache[path] = path in self.files or path in self.folders or self._has_ending(path)
        return self._cache[path]

    def _has_ending(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if name in self.by_name:
            return any(other.endswith(f"/{path}") for other in self.by_name[name])
        return name in self.folder_names and any(other.endswith(f"/{path}") for other in self.folders)

    def is_opaque(self, path: str) -> bool:
        """Return True if a path is in a folder whose files are not listed."""
        parts = path.split("/")
        return any(part in OPAQUE for part in parts) or any(
            "/".join(parts[:n]) in self.opaque for n in range(1, len(parts))
        )


def folder_tree(root: Path) -> FolderTree:
    """Return the names below a folder. Links to folders are listed and not followed; unreadable folders are opaque."""
    most = limit("folder_files")
    files: list[str] = []
    folders: list[str] = []
    opaque: list[str] = []
    waiting = [("", str(root))]
    while waiting and len(files) + len(folders) < most:
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            opaque.append(prefix.rstrip("/"))
            continue
        for entry in entries:
            path = prefix + entry.name
            if not entry.is_dir(follow_symlinks=False):
                (folders if entry.is_symlink() and Path(entry).is_dir() else files).append(path)
                opaque += [path] if entry.is_symlink() else []
                continue
            folders.append(path)
            if entry.name in OPAQUE:
                opaque.append(path)
            else:
                waiting.append((f"{path}/", entry.path))
    return FolderTree(root, frozenset(files), frozenset(folders), frozenset(opaque), bool(waiting))
