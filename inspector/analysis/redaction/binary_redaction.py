"""Redact content that is not text: archives, compressed files, and binary values such as those of MessagePack."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from inspector.analysis.redaction.redactor import RedactionError, Redactor
from inspector.core.limits import limit, limit_text
from inspector.core.text import lazy_pattern

ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"
_GZIP_WINDOW = 31
_UNREADABLE = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]+")


def text_of_bytes(data: bytes) -> str | None:
    """Return bytes as text, or None if they are not UTF-8."""
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8")
        return None if "\0" in text else text
    return None


def readable_text(data: bytes) -> str:
    """Return the readable runs of binary data, a line for each."""
    return _UNREADABLE.sub("\n", data.decode("utf-8", "replace"))


def redact_bytes(data: bytes, redactor: Redactor) -> bytes:
    """Return binary data of the same length in which the secrets of its readable runs are replaced.

    The lengths that binary formats state before a text stay true.
    """
    redactor.keeps_lengths = True
    try:
        for run in dict.fromkeys(_UNREADABLE.split(data.decode("utf-8", "replace"))):
            clean = redactor.text_of(run)
            if clean != run:
                data = data.replace(run.encode(), clean.encode())
    finally:
        redactor.keeps_lengths = False
    return data


def decompress(data: bytes) -> bytes:
    """Return the content of a gzip file.

    Raises:
        RedactionError: The file is damaged, or its content exceeds the limit.
    """
    unpacker = zlib.decompressobj(_GZIP_WINDOW)
    try:
        content = unpacker.decompress(data, limit("unpacked"))
    except zlib.error as error:
        raise RedactionError("The compressed file is damaged: unpack as much as possible first.") from error
    if not unpacker.eof:
        raise RedactionError(
            f"The compressed file is cut, or exceeds {limit_text('unpacked')} without compression: unpack it first."
        )
    if unpacker.unused_data:
        raise RedactionError("The compressed file consists of several parts: unpack it first.")
    return content


def compress(data: bytes) -> bytes:
    """Return a gzip file without a name and a time."""
    packer = zlib.compressobj(wbits=_GZIP_WINDOW)
    return packer.compress(data) + packer.flush()


def redact_archive(data: bytes, redact: Callable[[bytes], bytes], redactor: Redactor) -> bytes:
    """Return a zip archive with the same files, each redacted.

    Args:
        data: The archive.
        redact: Returns the content of a file without secrets, and collects them. It is called twice for each file, so
            that a secret that only one file reveals is hidden in all of them.
        redactor: Counts the secrets. Those of the first calls are not counted.

    Raises:
        RedactionError: The archive is damaged, has a password, or exceeds a limit.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            _check_size(members)
            contents = [archive.read(member) for member in members]
    except (BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError) as error:
        raise RedactionError(f"The archive cannot be read ({error}): unpack it first.") from error
    for content in contents:
        redact(content)
    for row in redactor.rows.values():
        row.count, row.messages = 0, []
    target = BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for member, content in zip(members, contents, strict=True):
            copy = ZipInfo(member.filename, member.date_time)
            copy.external_attr, copy.compress_type = member.external_attr, member.compress_type
            archive.writestr(copy, redact(content))
    return target.getvalue()


def _check_size(members: list[ZipInfo]) -> None:
    if len(members) > limit("archive_files") or sum(member.file_size for member in members) > limit("unpacked"):
        raise RedactionError(
            f"The archive has more than {limit('archive_files'):,} files, or more than {limit_text('unpacked')} "
            "without compression: unpack it first."
        )
