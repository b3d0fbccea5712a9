"""Work for the tests of pools, which workers import, and the checks that every pool has to pass."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from inspector.core.work_pool import Stop, WorkCancelled, WorkPool
from tests.servers import wait_for


def multiply(factor: int, item: int, _: Stop) -> int:
    return factor * item


def reject_three(_: None, item: int, __: Stop) -> int:
    if item == 3:
        raise ValueError("3 is no item")
    return item


def wait_until_stopped(folder: Path, item: int, stop: Stop) -> int:
    """Return item 0 at once. Others wait until they are stopped, or until there is a file `go`."""
    if item:
        (folder / f"{item}.started").write_text(str(os.getpid()))
        while not (folder / "go").exists():
            if stop():
                (folder / f"{item}.stopped").touch()
                raise WorkCancelled
            time.sleep(0.02)
    return item


def check_pool(pool: WorkPool, folder: Path) -> None:
    """Check that a pool does what `WorkPool` promises."""
    assert sorted(pool.results(multiply, 3, range(20))) == [(place, 3 * place) for place in range(20)]
    assert list(pool.results(multiply, 3, [])) == []
    with pytest.raises(ValueError, match=r"^3 is no item$"):
        list(pool.results(reject_three, None, range(8)))
    with pytest.raises(OSError, match="no item can be read"):
        list(pool.results(multiply, 1, _unreadable()))
    _check_endless(pool)
    _check_cancel(pool, folder)
    _check_close(pool, folder)


def _unreadable() -> Iterator[int]:
    yield 1
    raise OSError("no item can be read")


def _check_endless(pool: WorkPool) -> None:
    """Items are taken when they are needed, and no more after a cancellation."""
    numbers, cancel, found = count(), threading.Event(), list[int]()
    for _, result in pool.results(multiply, 1, numbers, cancel):
        found.append(result)
        if len(found) == 5:
            cancel.set()
    assert len(set(found)) == len(found) >= 5
    assert next(numbers) < 1_000
    assert list(pool.results(multiply, 1, numbers, cancel)) == [], "it was cancelled before it began"


def _check_cancel(pool: WorkPool, folder: Path) -> None:
    """Work that is going on ends after a cancellation."""
    cancel, place = threading.Event(), folder / "cancel"
    place.mkdir()

    def cancel_later() -> None:
        wait_for(lambda: _has(place, "started"))
        cancel.set()

    canceller = threading.Thread(target=cancel_later)
    canceller.start()
    assert sorted(pool.results(wait_until_stopped, place, range(3), cancel)) in ([], [(0, 0)])
    canceller.join()
    await_stopped(place)


def _check_close(pool: WorkPool, folder: Path) -> None:
    """Work that is going on ends when nobody asks for its result."""
    place = folder / "close"
    place.mkdir()
    results = pool.results(wait_until_stopped, place, range(3))
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]  # it is a generator
    await_stopped(place)


def _has(folder: Path, ending: str) -> bool:
    return any(folder.glob(f"*.{ending}"))


def await_stopped(folder: Path) -> None:
    """Wait until all items that were started in a folder have been stopped."""
    wait_for(lambda: _names(folder, "started") == _names(folder, "stopped"))


def await_started(folder: Path, wanted: Callable[[set[str]], bool]) -> None:
    """Wait until the names of the items that were started are as wanted."""
    wait_for(lambda: wanted(_names(folder, "started")))


def _names(folder: Path, ending: str) -> set[str]:
    return {path.stem for path in folder.glob(f"*.{ending}")}
