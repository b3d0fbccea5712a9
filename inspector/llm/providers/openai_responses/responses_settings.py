"""Settings of requests to OpenAI's Responses interface, by what a chat request calls them."""

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
"""Settings that are called alike in both interfaces."""
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
"""Settings that a chat request has under another name, in another form, or not at all."""
SETTINGS = SAME_SETTINGS | OWN_SETTINGS | {"stream_options"}
