"""What a request does not carry as it was recorded, in sentences for the person who exports it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.conversation import Message, RequestContext
from inspector.providers.base import Provider, Request
from inspector.providers.tool_pairing import NEXT_WORDS


def export_notes(
    provider: Provider, context: RequestContext, messages: Sequence[Message], request: Request
) -> Iterator[str]:
    """A sentence for each thing in a window that did not fit into the `request` that was made of it."""
    model = request.get("model")
    if model is None:
        yield (
            f"The request names no model, for {context.model} is none of {provider.title}'s: put one in, or ask for one"
            " with --model."
        )
    elif model != context.model:
        recorded = f"{context.model} was recorded" if context.model else "no model was recorded"
        yield f"The request asks for {model}; {recorded}."
    yield from _end_notes(messages, request)
    if context.dialect == provider.wire.name and "thinking" in context.settings and "thinking" not in request:
        yield "Thinking is not asked for: the messages do not keep what a request for it must show."
    if context.dialect != provider.wire.name and any(message.thinks for message in messages):
        yield f"Thinking went along only where {provider.title} takes that of another provider."


def _end_notes(messages: Sequence[Message], request: Request) -> Iterator[str]:
    """Whether the last reply, behind which nothing was recorded, is the last thing that the request says."""
    items = request.get("messages") or request.get("input")
    if not items or not messages or messages[-1].role != "assistant":
        return
    if items[-1].get("content") == NEXT_WORDS:
        yield f"The model takes no reply at the end, so {NEXT_WORDS} stands behind it: put the next words there."
    elif items[-1].get("role") == "user":
        yield "The reply at the end was left out: the model does not go on with one."
