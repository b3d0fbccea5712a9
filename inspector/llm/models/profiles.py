"""Encodings and context windows of models.

The table is searched for the longest matching prefix, so that gpt-4o-mini is not mistaken for gpt-4. Prefixes of
providers and gateways are skipped ("openrouter/openai/…", "us.anthropic.…", "ft:…"). A model that is not in the table
is estimated with the newest public encoding and marked as unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.llm.models.encodings import EncodingName

CHARS_PER_TOKEN = {"anthropic": 3.5}
"""Average characters per token by model family; 4 for other families."""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """Encoding and context window of a model."""

    family: str
    """Maker or product line of the model: "anthropic", "openai", "gemini", …; "unknown" if it is not known."""
    encoding: EncodingName
    """Encoding used to count text: the model's own if `exact`, otherwise the nearest public one."""
    exact: bool
    """True if `encoding` is the model's own."""
    limit: int
    """Context window in tokens, for prompt and reply together."""
    is_known: bool = True
    """False if the model is not in the table."""

    @property
    def chars_per_token(self) -> float:
        """Average characters per token, for estimates from text length."""
        return CHARS_PER_TOKEN.get(self.family, 4.0)


_UNKNOWN = ModelProfile("unknown", "o200k_base", False, 128_000, is_known=False)


def _newer(limit: int) -> ModelProfile:
    """Return the profile of an OpenAI model that uses o200k_base."""
    return ModelProfile("openai", "o200k_base", True, limit)


def _older(limit: int) -> ModelProfile:
    """Return the profile of an OpenAI model that uses cl100k_base."""
    return ModelProfile("openai", "cl100k_base", True, limit)


def _other(family: str, limit: int) -> ModelProfile:
    """Return the profile of a model whose tokenizer is not public, or not one of the two public ones."""
    return ModelProfile(family, "o200k_base", False, limit)


PROFILES: dict[str, ModelProfile] = {
    "chatgpt-4o": _newer(128_000),
    "gpt-4o": _newer(128_000),
    "gpt-4o-realtime": _newer(32_000),
    "gpt-4o-mini-realtime": _newer(16_000),
    "gpt-4.1": _newer(1_047_576),
    "gpt-4.5": _newer(128_000),
    "gpt-5": _newer(400_000),
    "gpt-5-chat": _newer(128_000),
    "gpt-5.1-chat": _newer(128_000),
    "gpt-5.2-chat": _newer(128_000),
    "gpt-5.3-chat": _newer(128_000),
    "gpt-5.3-codex-spark": _newer(128_000),
    "gpt-5.4": _newer(1_050_000),
    "gpt-5.4-mini": _newer(400_000),
    "gpt-5.4-nano": _newer(400_000),
    "gpt-5.5": _newer(1_050_000),
    "gpt-5.6": _newer(1_050_000),
    "o1": _newer(200_000),
    "o1-mini": _newer(128_000),
    "o1-preview": _newer(128_000),
    "o3": _newer(200_000),
    "o4": _newer(200_000),
    "codex-mini": _newer(200_000),
    "gpt-4": _older(8_192),
    "gpt-4-32k": _older(32_768),
    "gpt-4-turbo": _older(128_000),
    "gpt-4-vision": _older(128_000),
    "gpt-4-0125": _older(128_000),
    "gpt-4-1106": _older(128_000),
    "gpt-3.5": _older(16_385),
    "gpt-3.5-turbo-0301": _older(4_096),
    "gpt-3.5-turbo-0613": _older(4_096),
    "gpt-3.5-turbo-instruct": _older(4_096),
    "gpt-35-turbo": _older(16_385),
    "gpt-": _other("openai", 400_000),
    "gpt-6": _other("openai", 1_050_000),
    # its encoding is public, but message framing depends on the host
    "gpt-oss": _other("openai", 131_072),
    # up to 1M from version 4.6 on, but agents default to 200k; reported usage corrects this
    "claude": _other("anthropic", 200_000),
    "claude-2.0": _other("anthropic", 100_000),
    "claude-instant": _other("anthropic", 100_000),
    "claude-opus-5": _other("anthropic", 1_000_000),
    "claude-sonnet-5": _other("anthropic", 1_000_000),
    "claude-haiku-5": _other("anthropic", 1_000_000),
    "claude-fable": _other("anthropic", 1_000_000),
    "claude-mythos": _other("anthropic", 1_000_000),
    "gemini": _other("gemini", 1_048_576),
    "gemini-1.0": _other("gemini", 32_768),
    "gemini-1.5-pro": _other("gemini", 2_097_152),
    "gemini-pro-1.5": _other("gemini", 2_097_152),
    "gemma": _other("gemini", 131_072),
    "gemma-2": _other("gemini", 8_192),
    "gemma-4": _other("gemini", 262_144),
    "deepseek": _other("deepseek", 128_000),
    "deepseek-v4": _other("deepseek", 1_000_000),
    "qwen": _other("qwen", 131_072),
    "qwen3-coder": _other("qwen", 262_144),
    "qwen3-coder-plus": _other("qwen", 1_000_000),
    "qwen3-max": _other("qwen", 262_144),
    "qwen3.5": _other("qwen", 262_144),
    "qwen3.6": _other("qwen", 262_144),
    "qwen3.7": _other("qwen", 1_000_000),
    "kimi": _other("moonshot", 262_144),
    "kimi-k3": _other("moonshot", 1_048_576),
    "moonshot-v1": _other("moonshot", 131_072),
    "glm": _other("zhipu", 200_000),
    "glm-4": _other("zhipu", 128_000),
    "glm-4.6": _other("zhipu", 200_000),
    "glm-4.7": _other("zhipu", 200_000),
    "glm-5.2": _other("zhipu", 1_000_000),
    "glm-5.3": _other("zhipu", 1_000_000),
    "minimax": _other("minimax", 204_800),
    "minimax-m1": _other("minimax", 1_000_000),
    "minimax-m3": _other("minimax", 1_000_000),
    "grok": _other("xai", 131_072),
    "grok-4": _other("xai", 256_000),
    "grok-4-fast": _other("xai", 2_000_000),
    "grok-4-1-fast": _other("xai", 2_000_000),
    "grok-4.1-fast": _other("xai", 2_000_000),
    "grok-4.5": _other("xai", 500_000),
    "grok-code": _other("xai", 256_000),
    "llama": _other("llama", 131_072),
    "llama-2": _other("llama", 4_096),
    "llama-3-": _other("llama", 8_192),
    "llama3-": _other("llama", 8_192),
    "llama-4": _other("llama", 1_048_576),
    "mistral": _other("mistral", 131_072),
    "mistral-7b": _other("mistral", 32_768),
    "mixtral": _other("mistral", 32_768),
    "mixtral-8x22b": _other("mistral", 65_536),
    "ministral": _other("mistral", 131_072),
    "codestral": _other("mistral", 256_000),
    "devstral": _other("mistral", 131_072),
    "magistral": _other("mistral", 131_072),
    "command-": _other("cohere", 128_000),
    "command-a": _other("cohere", 256_000),
    "nova-": _other("amazon", 300_000),
    "nova-micro": _other("amazon", 128_000),
    "nova-premier": _other("amazon", 1_000_000),
    "phi-3": _other("microsoft", 128_000),
    "phi-4": _other("microsoft", 16_384),
}

_LARGER = {"anthropic": (200_000, 1_000_000)}
"""Context windows offered by a model family, if they differ from `_COMMON`."""
_COMMON = (8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 262_144, 400_000, 1_000_000, 1_050_000, 2_097_152)
_MILLION = 1_000_000

_BEGINS = re.compile(r"(?:^|[/.:@ ])")
"""Positions where a model name can begin: the start, and after a provider's prefix."""


@lru_cache(maxsize=256)
def profile(model: str) -> ModelProfile:
    """Return the profile of a model by any of its names. Never loads the price list."""
    name = model.strip().lower()
    prefix = _longest_prefix(name.rpartition("/")[2]) or _longest_prefix(name)
    entry = PROFILES[prefix] if prefix else _UNKNOWN
    return replace(entry, limit=max(entry.limit, _MILLION)) if "[1m]" in name else entry


def _longest_prefix(name: str) -> str:
    """Return the longest table entry that begins at a valid position in a name, or an empty string."""
    starts = [start.end() for start in _BEGINS.finditer(name)]
    matches = (prefix for start in starts for prefix in PROFILES if name.startswith(prefix, start))
    return max(matches, key=len, default="")


class _Limit(NamedTuple):
    """A context window and its source."""

    tokens: int
    source: Literal["table", "genai-prices", "default"]
    note: str
    """Caveat for a model without a known context window, that the default is used; otherwise empty."""


def limit_of(model: str) -> _Limit:
    """Return the context window of a model from the table, else from genai-prices, else the default.

    The first call for a model that is not in the table loads the price list, which takes about 20 ms; `profile` never
    does. Use this in workers and commands, but not before the first frame of the app.
    """
    entry = profile(model)
    if entry.is_known:
        return _Limit(entry.limit, "table", "")
    from inspector.llm.models.catalog import context_window

    if window := context_window(model):
        return _Limit(max(window[1], entry.limit) if "[1m]" in model.lower() else window[1], "genai-prices", "")
    unknown = f"no context window is known for {model.strip()[:200]}" if model.strip() else "the model is not recorded"
    return _Limit(entry.limit, "default", f"{unknown}, so the default of {entry.limit:,} tokens is used")


def limit_for_usage(model: ModelProfile, tokens: int) -> int:
    """Return the context window of a model that has received a request of this size.

    Args:
        model: Profile of the model.
        tokens: Size of the request.

    Returns:
        The model's limit in tokens, or the next larger common context window if the request exceeded it.
    """
    sizes = (model.limit, *_LARGER.get(model.family, _COMMON))
    candidates = (size for size in sizes if size >= max(tokens, model.limit))
    return min(candidates, default=-(-tokens // _MILLION) * _MILLION)
