"""Paths that git knows to be deleted or renamed. The repository is only read, without its hooks and remotes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_SECONDS = 10
_MAX_NAMES = 200
_MAX_COMMITS = 50
"""Maximum number of commits whose renames are read."""
_GIT = (
    *("git", "--no-pager", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false", "-c", "protocol.allow=never"),
)
"""Git without the programs that the configuration of a repository may start, and without the network."""
_SPECIAL = frozenset("*?[]\\:")
"""Characters that mean something else in the paths that git is asked for."""


class GonePath(NamedTuple):
    """A path that a commit deleted or renamed."""

    commit: str
    date: str
    path: str
    moved: str = ""
    """Its newer path; "" if it was deleted."""


def git_log(folder: Path, words: Iterable[str], *, seconds: float = _SECONDS, globs: bool = False) -> str:
    """Return what `git log` prints in a folder; "" without a repository, and a part if it takes too long."""
    program = [word for word in _GIT if not (globs and word == "--literal-pathspecs")]
    environment = {
        **os.environ,
        **{"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_NO_LAZY_FETCH": "1"},
    }
    command = [*program, "log", "--no-ext-diff", "--no-textconv", *words]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds, check=False, env=environment)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode("utf-8", "replace").rpartition("\n")[0]
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def has_history(root: Path) -> bool:
    """Return True if a folder is in a git repository with a commit."""
    return _repository_of(root) is not None and bool(git_log(root, ["-1", "--format=%h"], seconds=3))


def has_whole_history(root: Path) -> bool:
    """Return True if git knows all commits of a folder, unlike a clone of the last ones: `git clone --depth 1`."""
    top = _repository_of(root)
    return top is not None and not (top / ".git" / "shallow").exists() and has_history(root)


def _repository_of(folder: Path) -> Path | None:
    return next((top for top in (folder, *folder.parents) if (top / ".git").exists()), None)


def gone_paths(root: Path, names: Iterable[str]) -> Mapping[str, GonePath]:
    """Return the names that end a path which git knows to be deleted or renamed, each with the last one."""
    plain = [name for name in dict.fromkeys(names) if _is_askable(name)][:_MAX_NAMES]
    if not plain:
        return {}
    gone: dict[str, GonePath] = {}
    _find_deletions(root, plain, plain, gone)
    rest = [name for name in plain if name not in gone]
    _find_deletions(root, rest, [f":(glob)**/{name}{end}" for name in rest for end in ("", "/**")], gone)
    moves = _renames_in(root, {row.commit for row in gone.values()})
    return {name: row._replace(moved=moves.get((row.commit, row.path), "")) for name, row in gone.items()}


def _is_askable(name: str) -> bool:
    """Return True if git is asked for a name: a path below the folder, without patterns."""
    is_below = name.isprintable() and not name.startswith(("-", "/", "~")) and ".." not in name
    return is_below and _SPECIAL.isdisjoint(name)


def _find_deletions(root: Path, names: Sequence[str], places: Sequence[str], gone: dict[str, GonePath]) -> None:
    """Add the last deletion of each name. Exact places are found much faster than patterns."""
    words = ["--relative", "--no-renames", "--diff-filter=D", "--name-only", "--format=%x00%h%x09%cs", "--", *places]
    for commit, date, path in _changed_paths(git_log(root, words, seconds=2, globs=True)) if names else ():
        for name in names:
            if name not in gone and _ends_path(path, name):
                gone[name] = GonePath(commit, date, path)


def _ends_path(path: str, name: str) -> bool:
    return f"/{path}".endswith(f"/{name}") or f"/{name}/" in f"/{path}"


def _changed_paths(text: str) -> Iterator[tuple[str, str, str]]:
    for part in text.split("\0")[1:]:
        head, *paths = part.strip().split("\n")
        commit, _, date = head.partition("\t")
        yield from ((commit, date, path) for path in paths if path)


def _renames_in(root: Path, commits: Iterable[str]) -> Mapping[tuple[str, str], str]:
    """Return the newer path of each path that commits renamed. Git pairs small files of different kinds too."""
    some = sorted(commits)[:_MAX_COMMITS]
    if not some:
        return {}
    words = ["--no-walk", "--relative", "-M", "--diff-filter=R", "--name-status", "--format=%x00%h%x09", *some]
    rows = (
        (commit, row.split("\t")) for commit, _, row in _changed_paths(git_log(root, words, seconds=3)) if "\t" in row
    )
    renames = ((commit, *row[1:]) for commit, row in rows if len(row) == 3)
    return {
        (commit, old): new for commit, old, new in renames if PurePosixPath(old).suffix == PurePosixPath(new).suffix
    }
