"""OpenAI chat requests and message lists, however they were saved.

One request or message list in a file, or one on every line, or one message on every line; completion logs of gateways,
the provider's own stored completions, and results of benchmarks that run on chat messages.
"""

from __future__ import annotations

from inspector.conversation import Session
from inspector.formats.request_log import dialect_in
from inspector.formats.requests import sessions_of
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress

_NAME = "openai"


def recognise(sample: Sample) -> bool:
    """Whether there are chat messages in OpenAI's form, or in one that could be either provider's."""
    return dialect_in(sample) == "openai"


def read(content: Content, progress: Progress | None = None) -> list[Session]:
    return sessions_of(content, "openai", progress)
