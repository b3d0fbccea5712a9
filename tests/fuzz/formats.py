"""Samples of every format, changed: reading one gives sessions or one sentence, soon and in little memory.

A case is made from the seed and its number alone: the text of a sample, the cells of a database or the members of an
archive are changed, and what comes of it is read as all front ends read it. The samples are the project's own, so what
failed is kept in `tests/fuzz/found`, where the suite reads it.
"""

from __future__ import annotations

import io
import shutil
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random

from inspector.core.json_objects import json_items
from inspector.formats import FORMATS, UnreadableError, files_of, load, tail
from inspector.library import target_entries
from inspector.library.listing.quick_metadata import read_headline
from inspector.llm.tokens import estimate_sizes
from tests.formats.samples import OTHER_SAMPLES, SAMPLES, write_sample
from tests.fuzz import Search
from tests.fuzz.files import peak_memory
from tests.fuzz.mutating import mutated, odd

FOUND = Path(__file__).parent / "found"
SLOW = 5.0
"""Seconds of processor time that reading a case may take."""
MEMORY = 1_000_000
"""Kilobytes that the process may come to hold, where a case adds a quarter of them: the suite may hold more already."""
_ARCHIVE, _DATABASE = b"PK\x03\x04", b"SQLite format 3\0"


def sources() -> list[tuple[str, bytes]]:
    """A sample of every format that has one, by the name of its file."""
    contents = []
    for name in (*SAMPLES, *OTHER_SAMPLES):
        with tempfile.TemporaryDirectory() as folder:
            path = write_sample(name, Path(folder))
            contents.append((f"{name}{path.suffix}", path.read_bytes()))
    return contents


def make_case(seed: int, number: int, samples: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """The name and the content of a file."""
    rng = Random(f"{seed}-{number}")
    name, data = rng.choice(samples)
    if rng.random() < 0.8:
        if data.startswith(_DATABASE):
            return name, cells_changed(rng, data)
        if data.startswith(_ARCHIVE):
            return name, members_changed(rng, data)
    if rng.random() < 0.2 and b"\n" in data:
        data += rng.choice(samples)[1]  # two formats in one file
    return name, mutated(rng, data)


def cells_changed(rng: Random, data: bytes) -> bytes:
    """A database with some of its cells changed, and now and then a row twice or a table gone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.db")
        path.write_bytes(data)
        connection = sqlite3.connect(path)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.choice((1, 2, 5))):
            table = rng.choice(tables)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")]
            with suppress(sqlite3.Error, OverflowError, UnicodeError):
                _change_cell(rng, connection, table, rng.choice(columns))
        connection.commit()
        connection.close()
        return path.read_bytes()


def _change_cell(rng: Random, connection: sqlite3.Connection, table: str, column: str) -> None:
    match rng.randrange(8):
        case 0:
            connection.execute(f'INSERT INTO "{table}" SELECT * FROM "{table}" LIMIT 5')
        case 1:
            connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "x"')
        case 2:
            connection.execute(f'DELETE FROM "{table}"')
        case 3:
            rows = connection.execute(f'SELECT "{column}" FROM "{table}"').fetchall()
            value = str(rng.choice(rows)[0]).encode() if rows else b""
            connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (mutated(rng, value),))
        case _:
            cell = odd(rng)
            cell = cell if isinstance(cell, int | float | str | None) else repr(cell)
            connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (cell,))


def members_changed(rng: Random, data: bytes) -> bytes:
    """An archive with some of its members changed, renamed or gone."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if rng.random() < 0.9:
                copy.writestr(name if rng.random() < 0.95 else f"../{name}", mutated(rng, content))
    return changed.getvalue()


def fault_of(path: Path) -> str:
    """What is wrong with how a file is read, as its kind; empty where all is well."""
    began, before = time.process_time(), peak_memory()
    try:
        _read(path)
    except UnreadableError as error:
        sentence = str(error)
        if "\n" in sentence or not sentence.endswith(".") or str(path) not in sentence:
            return f"no plain sentence: {sentence[:80]!r}"
    except Exception as error:
        return f"{type(error).__name__} in {_place_of(error)}"
    if time.process_time() - began > SLOW:
        return "slow"
    most = peak_memory()
    return f"memory {most:,} kB" if most > max(before + MEMORY // 4, MEMORY) else ""


def _read(path: Path) -> None:
    """All that is done with a file before anybody looks at a message, and each message."""
    read_headline(path, path.stat().st_size)
    files_of(path)
    tail(path)
    if path.suffix == ".db":
        for entry in FORMATS.values():
            entry.heads(path)
    for listed, _ in target_entries([str(path)]):
        json_items(listed)
    for session in load(path):
        estimate_sizes(session)
        for message in session:
            assert message.text is not None
            assert isinstance(message.record, dict)


def _place_of(error: BaseException) -> str:
    places, trace = [""], error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if "/inspector/" in code.co_filename:
            places.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-1]


def smaller(name: str, data: bytes, kind: str, folder: Path) -> bytes:
    """The content without the lines that the fault does not need."""
    lines = data.split(b"\n")
    for place in reversed(range(len(lines))):
        rest = lines[:place] + lines[place + 1 :]
        path = folder / name
        path.write_bytes(b"\n".join(rest))
        if len(lines) < 200 and fault_of(path) == kind:
            lines = rest
    return b"\n".join(lines)


def _findings(seed: int, seconds: float, count: Callable[[], int]) -> Iterator[tuple[int, str, str, bytes]]:
    end, samples = time.monotonic() + seconds, sources()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        while time.monotonic() < end:
            number = count()
            name, data = make_case(seed, number, samples)
            path = folder / name
            path.write_bytes(data)
            if kind := fault_of(path):
                yield number, kind, name, smaller(name, data, kind, folder)
            path.unlink(missing_ok=True)
    finally:
        shutil.rmtree(folder)


def run(seed: int, seconds: float, folder: Path = FOUND) -> Search:
    """Look for so many seconds; a line for each kind of finding, whose file is kept, and one at the end."""
    numbers = iter(range(1 << 60))
    kinds: set[str] = set()
    last = 0

    def count() -> int:
        nonlocal last
        last = next(numbers)
        return last

    for number, kind, name, data in _findings(seed, seconds, count):
        if kind in kinds:
            continue
        kinds.add(kind)
        place = folder / f"formats-{sha256(data).hexdigest()[:10]}-{name}"
        place.write_bytes(data)
        yield f"formats {seed}/{number} {kind}, see {place}"
    yield f"formats {seed}: {last + 1:,} cases, {len(kinds)} kinds of failures"
    return len(kinds)
