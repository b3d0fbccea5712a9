"""Limits for data from elsewhere: recordings, databases of other programs, requests, and responses of model endpoints.

Each limit is overridden by an environment variable, `INSPECTOR_LIMIT_ERROR_BODY=1000000`, or by a line in the table
`[limits]` of settings.toml, `error_body = 1000000`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from inspector.core.settings import load_settings

LIMITS: Mapping[str, tuple[int, str]] = {
    "database_value": (256 << 20, "bytes of a value in a SQLite database"),
    "database_rows": (512 << 20, "bytes of the rows that one query of a SQLite database returns"),
    "memory_file": (4 << 20, "bytes of a file with rules or notes"),
    "memory_files": (2_000, "files with memories in a folder"),
    "memory_items": (100_000, "items of a memory store"),
    "folder_files": (200_000, "names of files in a folder whose memories are listed"),
    "capture_body": (64 << 20, "bytes of a request or reply that inspector record keeps, without compression"),
    "capture_connections": (256, "requests that inspector record passes on at the same time"),
    "capture_sockets": (512, "connections to inspector record or inspector receive that are open at the same time"),
    "preset_seconds": (30, "seconds after which inspector record sends a request without its preset"),
    "received_body": (32 << 20, "bytes of a request to inspector receive, with and without compression"),
    "line": (256 << 20, "bytes of a line of a recording"),
    "json_value": (512 << 20, "bytes of a file that is one JSON value"),
    "yaml_file": (32 << 20, "bytes of a recording in YAML"),
    "picture": (64 << 10, "bytes of a picture that are decoded to read its size"),
    "document": (64 << 20, "bytes in base64 of a document whose pages are counted; a larger one has one"),
    "http_body": (32 << 20, "bytes of a body in recorded HTTP traffic, without compression"),
    "call_files": (2_000_000_000, "bytes of the files of a folder with one file for each call"),
    "sidecar": (8 << 20, "bytes of the file that describes an exported request"),
    "settings_file": (5_000_000, "bytes of a settings file of an agent that inspector setup changes"),
    "unpacked": (1 << 30, "bytes of the files of an archive, or of a compressed file, without compression"),
    "archive_files": (100_000, "files in an archive"),
    "terminal_width": (500, "columns of a page of inspector serve"),
    "terminal_height": (200, "rows of a page of inspector serve"),
    "pages": (8, "pages of inspector serve that are open at once"),
    "page_sockets": (128, "connections to inspector serve that are open at the same time"),
    "page_message": (1 << 20, "bytes of a message from a page of inspector serve"),
    "mcp_message": (1 << 20, "bytes of a message to inspector mcp"),
    "hook_event": (64_000_000, "bytes of an event to inspector hook"),
    "reply": (8_000_000, "bytes of a reply of a model endpoint that is not streamed"),
    "error_body": (256 << 10, "bytes of an error that a model endpoint returns"),
    "embeddings": (256 << 20, "bytes of the vectors that a model endpoint returns"),
    "stream": (32 << 20, "bytes of a reply that a model endpoint streams"),
    "stream_line": (8 << 20, "bytes of a line that a model endpoint streams"),
}
"""Default of each limit, and a description."""


def limit_text(name: str) -> str:
    """Return the value of a limit in bytes as text."""
    return byte_text(limit(name))


def byte_text(value: int) -> str:
    """Return a number of bytes as text: 256 MB, 1 GB, 1,000,000 bytes."""
    if value % (1 << 30) == 0:
        return f"{value >> 30:,} GB"
    return f"{value >> 20:,} MB" if value % (1 << 20) == 0 else f"{value:,} bytes"


def limit(name: str) -> int:
    """Return the value of a limit. A value that is not a positive integer is ignored."""
    default, _ = LIMITS[name]
    table = load_settings().get("limits")
    values = (os.environ.get(f"INSPECTOR_LIMIT_{name.upper()}"), table.get(name) if isinstance(table, dict) else None)
    for value in values:
        if str(value).isdecimal() and int(str(value)) > 0:
            return int(str(value))
    return default
