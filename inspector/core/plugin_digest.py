"""Digest of the code of plugins, so that no kept result is used again after a plugin has changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from inspector.core.plugins import Group, additions, declared_plugins

_GROUPS: tuple[Group, ...] = ("inspector.formats", "inspector.providers", "inspector.strategies")
"""Groups whose entries take part in results."""
_COMPILED = "__pycache__"
_METADATA = (".dist-info", ".egg-info")


def digest_of_plugins() -> bytes:
    """Return a digest of the plugins that take part in results; b"" without any.

    It covers their files, and the names and versions of all installed distributions, because a plugin can use any of
    them. Entries that were added for this process only have random marks, so no other process uses what they produced.
    """
    marks = additions(_GROUPS)
    return _installed_plugins() + b"".join(marks)


@lru_cache(maxsize=1)
def _installed_plugins() -> bytes:
    points = [point for group in _GROUPS for point in declared_plugins(group)]
    if not points:
        return b""
    hasher = blake2b(digest_size=16)
    for point in points:
        hasher.update(repr((point.group, point.name, point.value)).encode())
    for path in sorted({path for point in points for path in _files_of(point)}):
        hasher.update(f"\n{path} ".encode("utf-8", "surrogateescape"))
        hasher.update(_state_of(path))
    hasher.update(repr(sorted(_metadata_folders())).encode("utf-8", "surrogateescape"))
    return hasher.digest()


def _files_of(point: Any) -> Iterator[Path]:
    """Yield the files of the package of an entry point, and the Python files that its distribution lists."""
    for place in _package_places(point.module):
        if place.is_dir():
            yield from (path for path in place.rglob("*") if path.is_file() and path.parent.name != _COMPILED)
        else:
            yield place
    for listed in (point.dist.files if point.dist is not None else None) or ():
        if listed.suffix == ".py":
            yield Path(str(listed.locate()))


def _package_places(module: str) -> list[Path]:
    """Return the folder or file of the outermost package of a module that is not a namespace; [] if it is missing."""
    from importlib.util import find_spec  # needed with plugins only

    names = module.split(".")
    for depth in range(1, len(names) + 1):
        try:
            spec = find_spec(".".join(names[:depth]))
        except (ImportError, ValueError, AttributeError):
            return []
        if spec is None:
            return []
        if spec.origin is not None:
            return [Path(place) for place in spec.submodule_search_locations or [spec.origin]]
    return []


def _state_of(path: Path) -> bytes:
    """Return the content of a Python file, and size and time of another, which can be large."""
    try:
        if path.suffix == ".py":
            return path.read_bytes()
        status = path.stat()
    except OSError:
        return b""
    return f"{status.st_size} {status.st_mtime_ns}".encode()


def _metadata_folders() -> Iterator[str]:
    """Yield the names of the metadata of all distributions, which contain their versions."""
    for folder in sys.path:
        try:
            yield from (name for name in os.listdir(folder or os.curdir) if name.endswith(_METADATA))  # noqa: PTH208
        except OSError:
            continue
