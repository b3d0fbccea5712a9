"""Refuse a context that no provider would accept, with the reason."""

from __future__ import annotations

from inspector.engine.window import Window
from inspector.llm.models import profile


class ContextLimitError(ValueError):
    """The context exceeds the model's window although everything that may leave it was removed."""


def check_sendable(window: Window, limit: int) -> Window:
    """Return the window if its model accepts its size.

    Args:
        window: The window.
        limit: Tokens that a model accepts whose window is not known.

    Raises:
        ContextLimitError: The window is larger.
    """
    model = profile(window.context.model)
    most = model.limit if model.is_known else limit
    if most < window.total:
        accepts = f"{window.context.model} accepts {most:,}" if model.is_known else f"the limit is {most:,}"
        raise ContextLimitError(
            f"The context has {window.size} tokens, and {accepts}: shorten the system messages, the tools, the task or "
            "the current request."
        )
    return window
