"""Anthropic requests and message lists, with or without what was answered.

One in a file, or one on every line; told from chat requests of the other form by their tools, their blocks, their
system prompt beside the messages, or their model.
"""

from __future__ import annotations

from inspector.conversation import Session
from inspector.formats.request_log import dialect_in
from inspector.formats.requests import sessions_of
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress

_NAME = "anthropic"


def recognise(sample: Sample) -> bool:
    """Whether there are chat messages in Anthropic's form."""
    return dialect_in(sample) == "anthropic"


def read(content: Content, progress: Progress | None = None) -> list[Session]:
    return sessions_of(content, "anthropic", progress)
