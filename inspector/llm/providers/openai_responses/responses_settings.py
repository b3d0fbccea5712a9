"""Settings of requests to OpenAI's Responses API, by their relation to chat settings."""

from __future__ import annotations

SAME_SETTINGS = frozenset(
    [
        "temperature",
        "top_p",
        "top_logprobs",
        "metadata",
        "parallel_tool_calls",
        "store",
        "stream",
        "service_tier",
        "user",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
    ]
)
"""Settings with the same name in both APIs."""
OWN_SETTINGS = frozenset(
    [
        "max_output_tokens",
        "reasoning",
        "text",
        "tool_choice",
        "include",
        "truncation",
        "background",
        "previous_response_id",
        "conversation",
        "max_tool_calls",
        "prompt",
        "context_management",
    ]
)
"""Settings that have another name or form in a chat request, or no equivalent."""
SETTINGS = SAME_SETTINGS | OWN_SETTINGS | {"stream_options"}
