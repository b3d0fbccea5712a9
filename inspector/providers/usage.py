"""Reported usage, in the words of either provider, as one `Usage`."""

from __future__ import annotations

from typing import Any

from inspector.conversation import Usage


def usage_of(usage: Any) -> Usage | None:
    """Token counts as OpenAI or Anthropic report them; None where nothing was reported."""
    if not isinstance(usage, dict):
        return None
    if "prompt_tokens" in usage or "completion_tokens" in usage:
        return _openai_usage(usage)
    return _anthropic_usage(usage)


def _openai_usage(usage: dict[str, Any]) -> Usage | None:
    """OpenAI counts cached tokens inside the prompt's. Some gateways put Anthropic's names beside its own."""
    read = _count(usage.get("prompt_tokens_details"), "cached_tokens") or _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens")
    return _reported(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), read, written)


def _anthropic_usage(usage: dict[str, Any]) -> Usage | None:
    """Anthropic counts what came from the cache and what went into it apart from the fresh input."""
    if "input_tokens_details" in usage:  # OpenAI's responses use the same names, but count the cached in
        read = _count(usage["input_tokens_details"], "cached_tokens")
        return _reported(_count(usage, "input_tokens"), _count(usage, "output_tokens"), read, 0)
    read, written = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
    return _reported(_count(usage, "input_tokens") + read + written, _count(usage, "output_tokens"), read, written)


def _reported(input: int, output: int, read: int, written: int) -> Usage | None:
    """The numbers, unless they are all nothing: then nothing was reported."""
    return Usage(input, output, read, written) if input or output else None


def larger(first: Usage | None, second: Usage | None) -> Usage | None:
    """Of two reports on one reply the later, unless the earlier tells of more output."""
    if first is None or second is None:
        return first or second
    return first if first.output > second.output else second


def _count(values: Any, name: str) -> int:
    """A count under `name`; 0 for what is no count."""
    value = values.get(name) if isinstance(values, dict) else None
    if type(value) is int and 0 <= value < _MOST:
        return value
    return int(value) if isinstance(value, float) and 0 < value < _MOST else 0


_MOST = 1 << 53
"""Beyond this no count of tokens is believed."""
