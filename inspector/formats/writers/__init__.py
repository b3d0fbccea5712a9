"""Conversations as files of other programs: what `formats` reads, written. Each of them opens again."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.formats.writers.atif_writer import ATIFWriter
from inspector.formats.writers.base import Conversation, FileForm
from inspector.formats.writers.claude_code_writer import ClaudeCodeWriter
from inspector.formats.writers.markdown_writer import MarkdownWriter
from inspector.formats.writers.open_telemetry_writer import OpenTelemetryWriter

_ALL: tuple[FileForm, ...] = (ATIFWriter(), OpenTelemetryWriter(), MarkdownWriter(), ClaudeCodeWriter())
WRITERS: Mapping[str, FileForm] = {writer.name: writer for writer in _ALL}
"""By name."""

__all__ = ["WRITERS", "Conversation", "FileForm"]
