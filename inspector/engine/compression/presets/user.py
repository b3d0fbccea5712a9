"""User presets: one TOML file with a table for each.

    [tight]
    strategy = "sliding_window"
    threshold = 20000       # or "60%" of the model's window, or "+20000" beyond the fixed part
    ratio = 0.2
    keep_recent = 8

    [tight.settings]        # further settings of the strategy, if any

Saving and removing change one table. Other tables, unknown keys and comments outside the table are preserved. A file
that cannot be read is never written to.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from inspector.core.text import lock_folder, make_private_folder, stage_file
from inspector.engine.compression.presets.environment import memory_preset, memory_settings
from inspector.engine.compression.presets.preset import (
    BUILT_IN,
    ENVIRONMENT,
    FIELDS,
    RESERVED_NAMES,
    Preset,
    PresetError,
    UnknownPresetError,
    preset_of,
)

_Table = Mapping[str, Any]

_HEADER = re.compile(r"""\s*\[\s*([\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')\s*(?:\.[^\]]*)?\]\s*(?:\#.*)?$""", re.ASCII)
"""A table header, with an optional comment: `[tight.settings]  # for demos`."""
_KEY = re.compile(r"""\s*([\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')\s*=""", re.ASCII)


def edit_table(text: str, name: str, table: _Table | None) -> str:
    """Return a TOML text with one table replaced, or removed if `table` is None.

    Args:
        text: Text of the file.
        name: Name of the table.
        table: New contents of the table.
    """
    import tomli_w

    tables = {key: value for key, value in tomllib.loads(text).items() if key != name or table is not None}
    if table is not None:
        tables[name] = dict(table)
    new = tomli_w.dumps({name: table}) if table is not None else ""
    candidate = _splice(text, name, new)
    return candidate if _says(candidate, tables) else tomli_w.dumps(tables)


def _says(text: str, tables: _Table) -> bool:
    """Return True if a text is TOML with exactly these tables."""
    try:
        return tomllib.loads(text) == tables
    except tomllib.TOMLDecodeError:
        return False


def _splice(text: str, name: str, new: str) -> str:
    """Return `text` with `new` in place of a table and its sub-tables, or at the end if it has no such table."""
    lines = text.split("\n")
    before: list[str] = []
    after: list[str] = []
    above: list[str] = []
    behind = False
    start = 0
    for end, owner in _sections(lines):
        if owner != name:
            (after if behind else before).extend(lines[start:end])
        elif not behind:
            behind = True
            above = list(takewhile(_is_comment, lines[start:end])) if new else []
        start = end
    pieces = ("\n".join(before), "\n".join([*above, new]), "\n".join(after))
    return "\n\n".join(piece.strip("\n") for piece in pieces if piece.strip("\n")) + "\n"


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _sections(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the end of each table and its top-level name; the part before the first table has an empty name.

    Comments directly above a header belong to the following table.
    """
    owner = ""
    for index, line in enumerate(lines):
        if match := _HEADER.match(line):
            end = index
            while end and _is_comment(lines[end - 1]):
                end -= 1
            yield end, owner
            owner = _plain(match[1])
    yield len(lines), owner


def _plain(key: str) -> str:
    """Return the name in a key, with or without quotes."""
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        return key


def _line_of(text: str, name: str, key: str = "") -> int:
    """Return the line (from 1) of a key in a table, or of the table's header; 0 if the table does not exist."""
    header_line = 0
    owner = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            owner = _plain(header[1])
            header_line = header_line or (number if owner == name else 0)
        elif owner == name and key and (match := _KEY.match(line)) and _plain(match[1]) == key:
            return number
    return header_line


_NAME = re.compile(r"\w[\w .+-]{0,59}")
KEYS = frozenset({*(knob.name for knob in FIELDS), "settings", "about"})
_LINE = re.compile(r"(?<!\s)\s*+\(at (?:line (\d+), column \d+|end of document)\)")
_FILE_HEADER = "# Presets of Inspector, written by its app and by inspector presets save.\n"


def own_path() -> Path:
    """Return the path of the user's presets: INSPECTOR_PRESETS, or a file in the user's configuration directory."""
    if path := os.environ.get("INSPECTOR_PRESETS"):
        return Path(path).expanduser()
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "presets.toml"


def load(path: Path | None = None) -> dict[str, Preset]:
    """Return the user's presets by name; empty if there is no file.

    Invalid tables are skipped. `find_complaints` describes them.

    Raises:
        PresetError: The file cannot be read or is not TOML.
    """
    path = path or own_path()
    text, tables = _load_tables(path)
    presets: dict[str, Preset] = {}
    for name, table in tables.items():
        if isinstance(table, Mapping):
            with suppress(PresetError):
                presets[name] = _preset_in(path, text, name, table)
    return presets


def _preset_in(path: Path, text: str, name: str, table: Mapping[str, Any]) -> Preset:
    """Return the preset in one table. Raises PresetError with the line."""

    def place_of(key: str = "") -> str:
        line = _line_of(text, name, key)
        return f"{path}, line {line:,}" if line else f"{path}, {name}"

    if reason := _unfit(name):
        raise PresetError(f"{place_of()}: {reason}.")
    return preset_of(name, table, place_of)


def _unfit(name: str) -> str:
    """Return the reason why a user preset cannot have this name, or ""."""
    if name in BUILT_IN or name in RESERVED_NAMES:
        return f"the name {name!r} belongs to a built-in preset: choose another"
    if not _NAME.fullmatch(name):
        return f"{name[:60]!r} is not a valid name: use at most 60 letters, digits, spaces and - _ . +"
    return ""


def _load_tables(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and tables of a file; empty if it does not exist. Raises PresetError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return "", {}
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or "it is not UTF-8 text"
        raise PresetError(f"Cannot read {path} ({reason}). Repair it or move it away.") from error
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PresetError(f"{path}, {_describe_fault(str(error), text)}. Repair it or move the file away.") from error
    except RecursionError as error:
        raise PresetError(f"{path} is nested too deeply. Move it away.") from error


def _describe_fault(error: str, text: str) -> str:
    """Return the line and reason from an error message of the TOML parser."""
    match = _LINE.search(error)
    line = int(match[1]) if match and match[1] else len(text.splitlines())
    return f"line {line:,}: invalid TOML ({_LINE.sub('', error)})"


def find_complaints(path: Path | None = None) -> list[str]:
    """Return a sentence for each invalid preset and each unknown key.

    Raises:
        PresetError: The file cannot be read or is not TOML.
    """
    path = path or own_path()
    text, tables = _load_tables(path)
    complaints = [_outside(path, name, value) for name, value in tables.items() if not _is_table(value)]
    for name, table in tables.items():
        if _is_table(table):
            try:
                _preset_in(path, text, name, table)
            except PresetError as problem:
                complaints.append(str(problem))
        for key in table if _is_table(table) else ():
            if key not in KEYS:
                keys = ", ".join(sorted(KEYS))
                place = f"{path}, line {_line_of(text, name, key):,}"
                complaints.append(f"{place}: unknown key {key!r}, ignored. Keys: {keys}.")
    return complaints


def _outside(path: Path, name: str, value: Any) -> str:
    """Return the message about an entry that is not a preset."""
    if isinstance(value, list) and all(map(_is_table, value)):
        return f"{path}: write the preset as [{name}], with single brackets."
    return f"{path}: {name!r} is outside any preset."


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def save(preset: Preset, path: Path | None = None) -> None:
    """Write a preset, replacing the one with the same name.

    Comments inside a replaced table are lost. All others are preserved.

    Args:
        preset: Preset to write.
        path: TOML file; by default the user's.

    Raises:
        PresetError: The preset is invalid or the file cannot be written. The file is then unchanged.
    """
    with save_scope(preset, path):
        pass


@contextmanager
def save_scope(preset: Preset, path: Path | None = None) -> Iterator[bool]:
    """Like `save` at the end of the block; if the block fails, nothing is written. Yields True if one is replaced.

    Raises:
        PresetError: The preset is invalid or the file cannot be written.
    """
    path = path or own_path()
    if reason := _unfit(preset.name):
        raise PresetError(f"{reason[0].upper()}{reason[1:]}.")
    preset_of(preset.name, table_of(preset), lambda _: preset.name)
    with _edit_scope(path) as (text, tables, write):
        before = tables.get(preset.name)
        old = before if isinstance(before, Mapping) else {}
        unknown = {key: value for key, value in old.items() if key not in KEYS}
        with write(edit_table(text or _FILE_HEADER, preset.name, table_of(preset) | unknown)):
            yield preset.name in tables


def remove(name: str, path: Path | None = None) -> bool:
    """Remove a preset from the file.

    Args:
        name: Name of the preset.
        path: TOML file; by default the user's.

    Returns:
        True if the preset existed.

    Raises:
        PresetError: The file cannot be read or written.
    """
    with remove_scope(name, path) as there:
        return there


@contextmanager
def remove_scope(name: str, path: Path | None = None) -> Iterator[bool]:
    """Like `remove` at the end of the block; if the block fails, nothing is changed."""
    path = path or own_path()
    if not isinstance(_load_tables(path)[1].get(name), Mapping):
        yield False
        return
    with _edit_scope(path) as (text, _, write), write(edit_table(text, name, None)):
        yield True


_Write = Callable[[str], AbstractContextManager[None]]


@contextmanager
def _edit_scope(path: Path) -> Iterator[tuple[str, dict[str, Any], _Write]]:
    """Lock a presets file; yield its text, its tables, and a function that writes a new text.

    Raises PresetError, also if the file contains something other than presets.
    """
    try:
        make_private_folder(path.resolve().parent)
        with lock_folder(path.resolve().parent):
            text, tables = _load_tables(path)
            if tables and not any(_is_table(table) and KEYS.intersection(table) for table in tables.values()):
                raise PresetError(f"{path} is not a file of presets. Choose another file.")
            yield text, tables, partial(stage_file, path)
    except OSError as error:
        raise PresetError(f"Cannot write {path} ({error.strerror or error}).") from error


def table_of(preset: Preset) -> dict[str, Any]:
    """Return a preset as a table. The description, switches and settings are omitted if they have their default."""
    table: dict[str, Any] = {"about": preset.about} if preset.about else {}
    table |= {name: getattr(preset, name) for name in ("strategy", "threshold", "ratio", "keep_recent")}
    if not isinstance(preset.threshold, int):
        table["threshold"] = str(preset.threshold)
    table |= {name: False for name in ("enabled", "preserve_system") if not getattr(preset, name)}
    settings = {key: value for key, value in preset.settings.items() if value is not None}
    return table | ({"settings": settings} if settings else {})


def all_presets(
    path: Path | None = None, environ: Mapping[str, str] | None = None, directory: Path | None = None
) -> list[Preset]:
    """Return all presets: built-in ones, the user's, and that of the environment if it is set.

    Args:
        path: Presets file; the user's by default.
        environ: Environment variables; those of the process by default.
        directory: Directory with the `.aloop/config` file; the current one by default.

    Raises:
        PresetError: A file or setting is invalid.
    """
    environ, directory = _around(environ, directory)
    set_here = memory_settings(environ, directory)
    return [
        *BUILT_IN.values(),
        *load(path).values(),
        *([memory_preset(environ, directory)] if set_here else []),
    ]


def find(
    name: str, path: Path | None = None, environ: Mapping[str, str] | None = None, directory: Path | None = None
) -> Preset:
    """Return a preset by name. "environment" is the result of `memory_preset`.

    Built-in presets are found even if the user's file is invalid.

    Args:
        name: Name of the preset.
        path: Presets file; the user's by default.
        environ: Environment variables; those of the process by default.
        directory: Directory with the `.aloop/config` file; the current one by default.

    Raises:
        UnknownPresetError: No preset has this name. The message lists all names.
        PresetError: The preset or a file is invalid.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name == ENVIRONMENT:
        return memory_preset(*_around(environ, directory))
    own, (text, tables) = load(path), _load_tables(path or own_path())
    if name in own:
        return own[name]
    if isinstance(table := tables.get(name), Mapping):
        return _preset_in(path or own_path(), text, name, table)
    raise UnknownPresetError(name, [*BUILT_IN, *own, ENVIRONMENT])


def _around(environ: Mapping[str, str] | None, directory: Path | None) -> tuple[Mapping[str, str], Path]:
    """Return the given environment and directory, or those of the process."""
    return os.environ if environ is None else environ, directory or Path()
