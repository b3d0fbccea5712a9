"""The files of other programs that a conversation can be exported to, as data.

Other distributions add theirs at the entry point `inspector.exporters`: classes that conform to `FileForm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from inspector.core.plugins import PluginError, Registry
from inspector.formats.writers.base import FileForm


class _FormEntry(NamedTuple):
    target: str
    title: str


_PACKAGE = "inspector.formats.writers"
_OWN: Mapping[str, _FormEntry] = {
    "atif": _FormEntry(f"{_PACKAGE}.atif_writer:ATIFWriter", "ATIF trajectory"),
    "open-telemetry": _FormEntry(f"{_PACKAGE}.open_telemetry_writer:OpenTelemetryWriter", "OpenTelemetry GenAI trace"),
    "markdown": _FormEntry(f"{_PACKAGE}.markdown_writer:MarkdownWriter", "Markdown"),
    "claude-code": _FormEntry(f"{_PACKAGE}.claude_code_writer:ClaudeCodeWriter", "Claude Code transcript"),
}


def _checked_writer(name: str, value: Any) -> FileForm:
    form = value() if isinstance(value, type) else value
    if missing := [field for field in ("title", "suffix", "write", "notes") if not hasattr(form, field)]:
        raise PluginError(f"it is no FileForm of inspector.formats: it has no {missing[0]}")
    if form.name != name:
        raise PluginError(f"it calls itself {form.name!r}")
    checked: FileForm = form
    return checked


WRITERS: Registry[FileForm] = Registry(
    "inspector.exporters", {name: entry.target for name, entry in _OWN.items()}, _checked_writer
)
"""All forms by name, those of plugins last."""


def writer_titles() -> dict[str, str]:
    """Return the title of each form by its name."""
    titles = {name: writer.title for name, writer in _OWN.items()}
    return titles | {name: writer.title for name, writer in WRITERS.added.items()}
