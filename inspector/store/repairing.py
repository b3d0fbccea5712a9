"""A new store with everything that can be rescued of a damaged one, which stays as it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.core.text import make_private_folder, publish, sync_folder
from inspector.core.work_pool import ProgressCallback
from inspector.store.connections import files_of
from inspector.store.copies import exists, require_absent, require_ordinary, sync, working_copy
from inspector.store.damage import StoreError
from inspector.store.integrity import SessionCheck, StoreCheck, check_copy, check_store

_SHARED_LOCK = (510, 0x40000002)
"""How many bytes of a store's file SQLite locks while it has the file open, and from where on."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Result of a repair."""

    check: StoreCheck
    """Problems of the damaged store."""
    path: Path
    """The new store."""
    old_path: Path
    """The damaged store."""
    memories: int
    """Entries of the persistent tier that were rescued."""
    lost_memories: int

    @property
    def complete(self) -> bool:
        """True if nothing was lost: no message, no text and no metadata."""
        has_changes = any(session.mended or session.changed for session in self.check.sessions)
        return not (self.lost or self.lost_memories or has_changes or self.check.gone)

    @property
    def lost(self) -> list[SessionCheck]:
        """The sessions of which something is lost."""
        return [
            session
            for session in self.check.sessions
            if session.rescued < session.messages or session.rescued_plans < session.plans
        ]


def repair_store(
    path: Path, to: Path | None = None, replace: bool = False, progress: ProgressCallback | None = None
) -> Repair | None:
    """Write a repaired copy of a damaged store. The damaged file is never changed.

    Args:
        path: File of the damaged store.
        to: File of the new store. By default next to the damaged one.
        replace: True to give the new store the name of the damaged one, which is renamed.
        progress: See `check_store`.

    Returns:
        The result, or None if nothing is damaged; then nothing is written.

    Raises:
        StoreError: The store cannot be repaired, or is to be replaced while another program has it open.
    """
    target = path if replace else to or _free_name(path, "repaired")
    if not replace:
        require_absent(target)
    require_ordinary(target)
    target = target.resolve()
    try:
        before = _stamps(path)
        make_private_folder(target.parent)
        with TemporaryDirectory(prefix=".inspector-", dir=target.parent) as folder:
            new = Path(folder, "store.db")
            with working_copy(path) as copy:
                check, recovery = check_copy(copy, str(path), progress)
                if recovery is None:
                    return None
                shutil.move(copy.repaired, new)
            if not check_store(new, progress).whole:
                raise StoreError(f"{path} could not be repaired: the recovered data is inconsistent")
            sync(new)
            if replace:
                old = _swap(path.resolve(), new, before)
            else:
                publish(new, target, replace=False)
        sync_folder(target.parent)
    except FileExistsError as error:
        raise StoreError(exists(target)) from error
    except OSError as error:
        raise StoreError(f"{target} cannot be written ({error.strerror or error}): name another file") from error
    return Repair(check, target, old if replace else path, recovery.memories, recovery.lost_memories)


def _free_name(path: Path, word: str) -> Path:
    """Return an unused name next to a store: `inspector.repaired.db`, `inspector.repaired-2.db` …"""
    names = (f"{path.stem}.{word}{f'-{number}' if number > 1 else ''}{path.suffix}" for number in count(1))
    return next(name for name in map(path.with_name, names) if not os.path.lexists(name))


def _stamps(path: Path) -> list[tuple[int, int]]:
    """Return the sizes and times of the files of a store, which change with every write."""
    return [(file.stat().st_size, file.stat().st_mtime_ns) for file in files_of(path)[:2] if file.exists()]


def _swap(path: Path, new: Path, before: list[tuple[int, int]]) -> Path:
    """Put a new store in the place of a damaged one, and give the name that this one has from now on.

    At every moment there is a file in that place. Raises StoreError where another program has the store open, or has
    changed it since `before`.
    """
    with _alone(path):
        if _stamps(path) != before:
            raise StoreError(f"{path} was changed by another program while it was being repaired: try again")
        old = _free_name(path, "damaged")
        for file, other in zip(files_of(path)[:2], files_of(old)[:2], strict=True):
            if file.exists():
                _keep(file, other)
        for file in files_of(path)[1:]:  # SQLite would write the old log into the new file
            file.unlink(missing_ok=True)
        new.replace(path)
        return old


def _keep(file: Path, other: Path) -> None:
    """Give a file a second name."""
    try:
        os.link(file, other)
    except OSError:  # a file system without hard links
        shutil.copy2(file, other)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other programs from opening a store. Raises StoreError where one has it open.

    The lock is gone as soon as this process closes the file, under whatever name: it must not be read inside.
    """
    try:
        import fcntl
    except ImportError:  # on such a system, a file that is open cannot be renamed
        yield
        return
    with path.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *_SHARED_LOCK)
        except OSError as error:
            raise StoreError(f"{path} is open in another program: close that first") from error
        yield
