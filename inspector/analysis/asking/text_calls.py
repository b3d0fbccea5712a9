"""Requests of plain text: a system prompt and one message."""

from __future__ import annotations

from inspector.analysis.asking.asking_run import AskedCall
from inspector.core.conversation import RequestContext
from inspector.engine.summaries import ModelSettings
from inspector.llm.providers import DEFAULT_DIALECT, PROVIDERS, text_message
from inspector.llm.tokens import counter_for

_OPENAI_HOST = "api.openai.com"
_FRAME = 16
"""Tokens that a request of two messages adds to their texts."""


def text_call(label: str, system: str, text: str, settings: ModelSettings, most: int) -> AskedCall:
    """Return a request with a system prompt and one message.

    Args:
        label: Its name among other requests.
        system: The system prompt.
        text: The message.
        settings: The model that is asked.
        most: Maximum number of tokens of the reply.
    """
    messages = [
        text_message("system", "system", system, DEFAULT_DIALECT),
        text_message("question", "user", text, DEFAULT_DIALECT),
    ]
    request = PROVIDERS[settings.api].request(RequestContext(settings.model), messages)
    counter = counter_for(settings.model)
    tokens = counter.count(system) + counter.count(text) + _FRAME
    return AskedCall(label, 1, {**request, "model": settings.model, limit_field(settings): most}, tokens, most)


def limit_field(settings: ModelSettings) -> str:
    """Return the name of the field that limits a reply."""
    if settings.api == "openai-responses":
        return "max_output_tokens"
    return "max_completion_tokens" if settings.api == "openai" and settings.host == _OPENAI_HOST else "max_tokens"
