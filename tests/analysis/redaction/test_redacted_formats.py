"""A secret in any text place of a recording of any format is redacted, and the result opens with the same messages."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from inspector.analysis.redaction import Redactor, redact_recording
from inspector.core.errors import InspectorError
from inspector.formats import FORMATS, load
from tests.formats import samples

QUESTION = "Count the orders of May. The password is Gr4vel!Otter92, and mail ann@corp.example.org."
REPLY = "There are three, in /home/annalena/shop with ghp_" + "a1B2" * 9 + "."
SECRETS = ("Gr4vel!Otter92", "ann@corp.example.org", "annalena", "ghp_" + "a1B2" * 9)
PLANTED = " The password is Gr4vel!Otter92 now."
RECORDINGS = Path(samples.__file__).parent / "recordings"
ENCODED = ("exchanges-of-a-har-file-with-several-apis.json",)
"""Recordings with a message in base64, which is removed as a whole."""
PROSE = re.compile(r"[a-z]{2,} [a-z]{2,}")
SQLITE = b"SQLite format 3\0"


def planted_samples() -> dict[str, Any]:
    """The module of the samples with secrets in the question and the answer of each."""
    source = Path(samples.__file__).read_text(encoding="utf-8")
    source = source.replace('"Count the orders of May."', repr(QUESTION)).replace('"There are three."', repr(REPLY))
    names: dict[str, Any] = {"__name__": "planted_samples"}
    exec(compile(source, samples.__file__, "exec"), names)
    return names


PLANTED_SAMPLES = planted_samples()


def messages_in(path: Path) -> list[int]:
    return [len(session.messages) for session in load(path)]


def redact_in_place(path: Path) -> bytes:
    """Redact a file, or all files of a folder with one redactor. Returns what was written."""
    redactor = Redactor()
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    for file in files * 2:  # a secret of one file is known in the others
        file.write_bytes(redact_recording(file.read_bytes(), redactor))
    return b"".join(file.read_bytes() for file in files)


@pytest.mark.parametrize("name", FORMATS.own)
def test_a_sample_of_every_format_is_redacted_and_opens_again(name: str, tmp_path: Path) -> None:
    path: Path = PLANTED_SAMPLES["write_sample"](name, tmp_path)
    before = messages_in(path)
    assert sum(before) >= 2 or name == "unknown"
    text = redact_in_place(tmp_path if name == "strands" else path)
    assert not [secret for secret in SECRETS if secret.encode() in text]
    assert messages_in(path) == before
    texts = "".join(message.text for session in load(path) for message in session.messages)
    assert not [secret for secret in SECRETS if secret in texts]
    assert "redacted" in texts


def plant(value: Any) -> Any:
    """Return a JSON value with a secret in each text that is prose, also in JSON within texts."""
    match value:
        case dict():
            return {key: plant(inner) for key, inner in value.items()}
        case list():
            return [plant(inner) for inner in value]
        case str():
            with suppress(ValueError):
                inner = json.loads(value) if value[:1] in ("{", "[") else None
                if inner is not None:
                    return json.dumps(plant(inner))
            return value + PLANTED if PROSE.search(value) and not value.startswith("<") else value
    return value


def plant_in_file(path: Path) -> int:
    """Put a secret into each prose of a file. Returns how many there are."""
    data = path.read_bytes()
    if data.startswith(SQLITE):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.create_function("plant", 1, plant)
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall():
                    connection.execute(f'UPDATE "{table}" SET "{row[0]}" = plant("{row[0]}")')
    else:
        path.write_text("".join(planted_lines(data.decode("utf-8"))), encoding="utf-8")
    return path.read_bytes().count(SECRETS[0].encode())


def planted_lines(text: str) -> Iterator[str]:
    with suppress(ValueError):
        yield json.dumps(plant(json.loads(text)))
        return
    for line in text.splitlines(keepends=True):
        try:
            yield json.dumps(plant(json.loads(line))) + "\n"
        except ValueError:
            is_prose = PROSE.search(line) and line[0].isalpha() and ":" not in line
            yield line.rstrip("\n") + PLANTED + "\n" if is_prose else line


@pytest.mark.parametrize("kind", sorted(path.name for path in RECORDINGS.iterdir() if path.is_dir()))
def test_a_secret_in_every_text_place_of_the_recordings_is_redacted(kind: str, tmp_path: Path) -> None:
    for number, source in enumerate(sorted(path for path in (RECORDINGS / kind).rglob("*") if path.is_file())):
        path = tmp_path / f"{number}{source.suffix}"
        path.write_bytes(source.read_bytes())
        with suppress(UnicodeDecodeError):
            if not plant_in_file(path):
                continue
            before = messages_in_part(path)
            assert SECRETS[0].encode() not in redact_in_place(path), source
            assert messages_in_part(path) == before or source.name in ENCODED, source


def messages_in_part(path: Path) -> list[int]:
    """Return the messages of each session of a file, none if it is only a part of a recording."""
    with suppress(InspectorError):
        return messages_in(path)
    return []


def test_the_secrets_of_an_archive_are_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("a.md", f"Use {SECRETS[3]} now.")
        archive.writestr("picture.png", b"\x89PNG\0" + SECRETS[3].encode() + b"\0")
    redactor = Redactor()
    path.write_bytes(redact_recording(path.read_bytes(), redactor))
    with ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if SECRETS[3].encode() in archive.read(name)]
    assert [row.count for row in redactor.review] == [2]
