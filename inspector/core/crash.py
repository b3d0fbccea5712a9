"""Crash reports: the traceback of an unexpected exception, without any text of a conversation."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from inspector import __version__
from inspector.core.errors import InspectorError
from inspector.core.text import make_private_folder


def write_report(error: BaseException, folder: Path | None = None) -> Path | None:
    """Write a crash report to a new private file.

    Args:
        error: The exception to report.
        folder: Target directory, created if missing. Default: the user's log directory.

    Returns:
        The path of the report, or None if it could not be written.
    """
    try:
        folder = folder or log_folder()
        make_private_folder(folder)
        path = folder / f"report-{datetime.now():%Y%m%d-%H%M%S-%f}.txt"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report_text(error))
    except (OSError, ValueError):
        return None
    return path


def error_message(error: BaseException) -> str:
    """Return one sentence for the user about an exception, and write a crash report if it was unexpected."""
    match error:
        case InspectorError():
            return f"{error}".removesuffix(".") + "."
        case OSError(filename=str(name), strerror=str(reason)):
            return f"{name}: {reason}."
        case MemoryError():
            return "There is not enough memory for this session."
    path = write_report(error)
    where = f"a report without conversation text is in {path}" if path else "the report could not be written"
    return f"Internal error in Inspector ({type(error).__name__}); {where}."


def log_folder() -> Path:
    """Return the user's log directory of Inspector, which may not exist."""
    from platformdirs import user_log_path

    return user_log_path("inspector", appauthor=False)


def report_text(error: BaseException) -> str:
    """Return the text of a crash report: versions and the traceback with its source lines.

    An exception's message can quote a conversation, so only its type and its numeric arguments are included.
    """
    lines = [
        "Internal error in Inspector. This report contains no conversation text.",
        "",
        f"inspector {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        *(f"{name} {version}" for name, version in _library_versions()),
        "",
        *_chain_lines(error),
    ]
    return "\n".join(lines) + "\n"


def _library_versions() -> Iterator[tuple[str, str]]:
    """Yield the name and version of each imported library, and of SQLite."""
    from importlib.metadata import version
    from sqlite3 import sqlite_version

    for name in ("textual", "rich", "click", "orjson"):
        if name in sys.modules:
            yield name, version(name)
    yield "sqlite", sqlite_version


def _chain_lines(error: BaseException) -> Iterator[str]:
    """Yield lines for the exception and its chain of causes, root cause first."""
    chain: list[BaseException] = []
    while error not in chain:
        chain.append(error)
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None:
            break
        error = cause
    for link in reversed(chain):
        for frame in traceback.extract_tb(link.__traceback__):
            yield f"  {_short_path(frame.filename)}:{frame.lineno} in {frame.name}"
            if frame.line:
                yield f"    {frame.line}"
        yield _describe(link)
        yield ""


def _short_path(filename: str) -> str:
    """Return a path relative to its package, so that the report does not reveal directories of this machine."""
    parts = Path(filename).parts
    starts = [place for place, part in enumerate(parts) if part in ("inspector", "site-packages", "lib", "tests")]
    return "/".join(parts[starts[-1] :]) if starts else parts[-1] if parts else filename


def _describe(error: BaseException) -> str:
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    arguments = ", ".join(str(value) if isinstance(value, int | float) else "…" for value in error.args)
    return f"{kind}({arguments})"
