"""What providers refuse a window or its messages for, as tests ask and word it."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.conversation import Message, ProviderName
from inspector.providers import PROVIDERS, faults_at

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


def message_refusals(
    messages: Sequence[Message], provider: ProviderName, *, closely: bool = False
) -> list[tuple[int, str]]:
    """What a provider refuses of messages one by one: place and words."""
    length = len(messages)
    return list(faults_at(PROVIDERS[provider].message_faults(messages, [length], closely), length))
