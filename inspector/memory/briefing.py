"""What an agent's own model is told when it is to write a summary, and what is made of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.conversation import Message
from inspector.memory.message_adapter import LLMMessage
from inspector.summaries import TITLE, SummaryError, entries, longest, repaired, request


def briefing(messages: Sequence[Message], target: int) -> list[LLMMessage]:
    """The request for a summary of messages in about `target` tokens. Raises SummaryError where they say nothing."""
    told = entries(messages)
    if not told:
        raise SummaryError("The messages to be summarised say nothing.")
    return [LLMMessage(each["role"], each["content"]) for each in request(told, max(1, target))]


def finished(text: str, messages: Sequence[Message], target: int, count: Callable[[str], int]) -> str:
    """A model's summary as it goes into the context: marked as one, with the identifiers that it lost put back.

    Raises SummaryError for one that is far longer than it was to be.
    """
    marked = text if text.startswith(TITLE) else f"{TITLE}\n\n{text}"
    size = count(marked)
    if size > longest(target):
        raise SummaryError(f"The model's summary takes {size:,} tokens where {target:,} were asked for.")
    return repaired(marked, messages, target, count)
