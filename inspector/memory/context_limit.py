"""Refuse a context that no provider would accept, with the reason."""

from __future__ import annotations

from inspector.engine.window import Window
from inspector.llm.models import profile


class ContextLimitError(ValueError):
    """The context exceeds the model's window although everything that may leave it was removed."""


def check_sendable(window: Window) -> Window:
    """Return the window if its model accepts its size, or is not known.

    Raises:
        ContextLimitError: The window is larger.
    """
    model = profile(window.context.model)
    if model.is_known and model.limit < window.total:
        raise ContextLimitError(
            f"The context has {window.size} tokens, and {window.context.model} accepts {model.limit:,}: shorten the "
            "system messages, the tools, the task or the current request."
        )
    return window
