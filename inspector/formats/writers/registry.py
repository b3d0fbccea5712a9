"""The files of other programs that a conversation can be exported to, as data.

Other distributions add theirs at the entry point `inspector.exporters`: classes that conform to `FileForm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from inspector.core.plugins import Registry, checked_instance
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
    "codex": _FormEntry(f"{_PACKAGE}.handoff_writers:CodexWriter", "Codex rollout"),
    "opencode": _FormEntry(f"{_PACKAGE}.handoff_writers:OpencodeWriter", "opencode session"),
    "pi": _FormEntry(f"{_PACKAGE}.handoff_writers:PiWriter", "pi session"),
}


def _checked_writer(name: str, value: Any) -> FileForm:
    kind = "no FileForm of inspector.formats"
    form: FileForm = checked_instance(name, value, kind, ("title", "suffix", "write", "notes"))
    return form


WRITERS: Registry[FileForm] = Registry(
    "inspector.exporters", {name: entry.target for name, entry in _OWN.items()}, _checked_writer
)
"""All forms by name, those of plugins last."""


def writer_titles() -> dict[str, str]:
    """Return the title of each form by its name."""
    titles = {name: writer.title for name, writer in _OWN.items()}
    return titles | {name: writer.title for name, writer in WRITERS.added.items()}
