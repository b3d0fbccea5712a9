"""What providers refuse a window or its messages for, as tests ask and word it."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.conversation import Message, ProviderName
from inspector.engine.window import Window
from inspector.llm.providers import PROVIDERS, faults_at

NO_MESSAGES = {
    "openai": "[] is too short - 'messages'",
    "openai-responses": "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id'"
    " must be provided.",
    "anthropic": "messages: at least one message is required",
}
"""By provider: an empty request."""
FIRST_ROLE = 'messages: first message must use the "user" role'
TRAILING_SPACE = "messages: final assistant content cannot end with trailing whitespace"
THINKING_GONE = (
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant`"
    " message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
)
THINKING_CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must"
    " remain as they were in the original response."
)


def message_refusals(messages: Sequence[Message], provider: ProviderName) -> list[tuple[int, str]]:
    """What a provider refuses of messages one by one: place and words."""
    length = len(messages)
    return list(faults_at(PROVIDERS[provider].message_faults(messages, [length]), length))


def standing_refusals(window: Window, provider: ProviderName) -> list[tuple[int, str]]:
    """What no strategy may leave: what a provider refuses of the order, and the window's own one inside messages.

    To Anthropic a system message goes apart from the others, and an empty one does not go at all.
    """
    length = len(window.messages)
    order = faults_at(PROVIDERS[provider].sequence_faults(window, [length]), length)
    own = PROVIDERS[window.context.dialect].content
    sent = [
        (place, message)
        for place, message in enumerate(window.messages)
        if window.context.dialect != "anthropic" or message.role != "system"
    ]
    inside = [(place, words) for place, message in sent for words in own.faults(message)]
    return [row for row in order if row[0] >= 0 or window.had_messages or length] + inside
