"""Registry of formats by name.

Own formats are rows of `format_table`, and are imported when first used. Other distributions add formats at the entry
point `inspector.formats`: classes that conform to `Format`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from inspector.core.conversation import Session
from inspector.core.plugins import PluginError, Registry, checked_instance
from inspector.formats.base import Feature, Format
from inspector.formats.format_entry import FormatEntry
from inspector.formats.format_table import FORMAT_TABLE
from inspector.formats.reading.content import Shape
from inspector.formats.session_places import SessionPlace


def _checked_format(name: str, value: Any) -> Format:
    """Return an instance of a format class.

    Raises:
        PluginError: The class is not a format, or has another name.
    """
    kind = "no Format of inspector.formats"
    entry: Format = checked_instance(name, value, kind, ("recognize", "read", "features"))
    if name not in FORMAT_TABLE and not isinstance(getattr(type(entry), "entry", None), FormatEntry):
        raise PluginError("it has no entry: a FormatEntry with its title, the shapes of its files, and hints")
    if not all(isinstance(place, SessionPlace) for place in entry.entry.places):
        raise PluginError("the places of its entry are not SessionPlaces of inspector.formats")
    if unknown := sorted(entry.entry.shapes - set(get_args(Shape))):
        raise PluginError(f"its entry names the shape {unknown[0]!r}; a shape is one of {', '.join(get_args(Shape))}")
    return entry


FORMATS: Registry[Format] = Registry(
    "inspector.formats", {name: entry.target for name, entry in FORMAT_TABLE.items()}, _checked_format
)
"""All formats by name, those of plugins last."""


def format_entries() -> Mapping[str, FormatEntry]:
    """Return the entry of each format by its name, without importing own formats."""
    return {**FORMAT_TABLE, **{name: added.entry for name, added in FORMATS.added.items()}}


def format_records(session: Session, feature: Feature) -> bool:
    """Return True if a session's format has records of some kind, so that a file without one states there was none."""
    if session.format not in FORMATS:
        return False
    entry = FORMATS[session.format]
    return feature in entry.features and (session.records_system or feature not in entry.request_features)


def formats_of_several_files(path: Path) -> list[Format]:
    """Return the formats that may read a file together with others, judged by its path."""
    added = (name for name, one in FORMATS.added.items() if one.entry.may_read_with_others(path))
    return [FORMATS[name] for name in (*_own_of_several_files(path), *added)]


@lru_cache(1024)
def _own_of_several_files(path: Path) -> tuple[str, ...]:
    """Return the names of such formats of this package; a followed file is judged again and again."""
    return tuple(name for name, entry in FORMAT_TABLE.items() if entry.may_read_with_others(path))
