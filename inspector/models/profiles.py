"""What is known about models: which encoding they use, and how large their context window is.

The table is a literal one and is read by the longest prefix: gpt-4o-mini must never pass for gpt-4. Names are looked
up behind any provider's prefix ("openrouter/openai/…", "us.anthropic.…", "ft:…"). A model that is not in the table is
counted like the newest public encoding, as an estimate, and says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.models.encodings import EncodingName

CHARS_PER_TOKEN = {"anthropic": 3.5}
"""Characters that make a token, where it is not 4."""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    family: str
    """Who makes it, or what line it belongs to: "anthropic", "openai", "gemini", …; "unknown"."""
    encoding: EncodingName
    """The encoding that counts its text: its own where `exact`, the nearest public one elsewhere."""
    exact: bool
    """Whether that encoding is the model's own."""
    limit: int
    """Tokens of its context window, prompt and reply together."""
    known: bool = True
    """False when the table does not have the model."""

    @property
    def chars_per_token(self) -> float:
        """For estimates by length."""
        return CHARS_PER_TOKEN.get(self.family, 4.0)


UNKNOWN = ModelProfile("unknown", "o200k_base", False, 128_000, known=False)


def newer(limit: int) -> ModelProfile:
    """An OpenAI model that counts with o200k_base."""
    return ModelProfile("openai", "o200k_base", True, limit)


def older(limit: int) -> ModelProfile:
    """An OpenAI model that counts with cl100k_base."""
    return ModelProfile("openai", "cl100k_base", True, limit)


def other(family: str, limit: int) -> ModelProfile:
    """A model without a public tokenizer of its own among OpenAI's."""
    return ModelProfile(family, "o200k_base", False, limit)


PROFILES: dict[str, ModelProfile] = {
    "chatgpt-4o": newer(128_000),
    "gpt-4o": newer(128_000),
    "gpt-4o-realtime": newer(32_000),
    "gpt-4o-mini-realtime": newer(16_000),
    "gpt-4.1": newer(1_047_576),
    "gpt-4.5": newer(128_000),
    "gpt-5": newer(400_000),
    "gpt-5-chat": newer(128_000),
    "gpt-5.1-chat": newer(128_000),
    "gpt-5.2-chat": newer(128_000),
    "gpt-5.3-chat": newer(128_000),
    "gpt-5.3-codex-spark": newer(128_000),
    "gpt-5.4": newer(1_050_000),
    "gpt-5.4-mini": newer(400_000),
    "gpt-5.4-nano": newer(400_000),
    "gpt-5.5": newer(1_050_000),
    "gpt-5.6": newer(1_050_000),
    "o1": newer(200_000),
    "o1-mini": newer(128_000),
    "o1-preview": newer(128_000),
    "o3": newer(200_000),
    "o4": newer(200_000),
    "codex-mini": newer(200_000),
    "gpt-4": older(8_192),
    "gpt-4-32k": older(32_768),
    "gpt-4-turbo": older(128_000),
    "gpt-4-vision": older(128_000),
    "gpt-4-0125": older(128_000),
    "gpt-4-1106": older(128_000),
    "gpt-3.5": older(16_385),
    "gpt-3.5-turbo-0301": older(4_096),
    "gpt-3.5-turbo-0613": older(4_096),
    "gpt-3.5-turbo-instruct": older(4_096),
    "gpt-35-turbo": older(16_385),
    "gpt-": other("openai", 400_000),
    "gpt-6": other("openai", 1_050_000),
    # its encoding is public, but who hosts it frames the messages
    "gpt-oss": other("openai", 131_072),
    # from 4.6 on a window of 1M can be had; what agents run by default is 200k, and reported usage corrects it
    "claude": other("anthropic", 200_000),
    "claude-2.0": other("anthropic", 100_000),
    "claude-instant": other("anthropic", 100_000),
    "claude-opus-5": other("anthropic", 1_000_000),
    "claude-sonnet-5": other("anthropic", 1_000_000),
    "claude-haiku-5": other("anthropic", 1_000_000),
    "claude-fable": other("anthropic", 1_000_000),
    "claude-mythos": other("anthropic", 1_000_000),
    "gemini": other("gemini", 1_048_576),
    "gemini-1.0": other("gemini", 32_768),
    "gemini-1.5-pro": other("gemini", 2_097_152),
    "gemini-pro-1.5": other("gemini", 2_097_152),
    "gemma": other("gemini", 131_072),
    "gemma-2": other("gemini", 8_192),
    "gemma-4": other("gemini", 262_144),
    "deepseek": other("deepseek", 128_000),
    "deepseek-v4": other("deepseek", 1_000_000),
    "qwen": other("qwen", 131_072),
    "qwen3-coder": other("qwen", 262_144),
    "qwen3-coder-plus": other("qwen", 1_000_000),
    "qwen3-max": other("qwen", 262_144),
    "qwen3.5": other("qwen", 262_144),
    "qwen3.6": other("qwen", 262_144),
    "qwen3.7": other("qwen", 1_000_000),
    "kimi": other("moonshot", 262_144),
    "kimi-k3": other("moonshot", 1_048_576),
    "moonshot-v1": other("moonshot", 131_072),
    "glm": other("zhipu", 200_000),
    "glm-4": other("zhipu", 128_000),
    "glm-4.6": other("zhipu", 200_000),
    "glm-4.7": other("zhipu", 200_000),
    "glm-5.2": other("zhipu", 1_000_000),
    "glm-5.3": other("zhipu", 1_000_000),
    "minimax": other("minimax", 204_800),
    "minimax-m1": other("minimax", 1_000_000),
    "minimax-m3": other("minimax", 1_000_000),
    "grok": other("xai", 131_072),
    "grok-4": other("xai", 256_000),
    "grok-4-fast": other("xai", 2_000_000),
    "grok-4-1-fast": other("xai", 2_000_000),
    "grok-4.1-fast": other("xai", 2_000_000),
    "grok-4.5": other("xai", 500_000),
    "grok-code": other("xai", 256_000),
    "llama": other("llama", 131_072),
    "llama-2": other("llama", 4_096),
    "llama-3-": other("llama", 8_192),
    "llama3-": other("llama", 8_192),
    "llama-4": other("llama", 1_048_576),
    "mistral": other("mistral", 131_072),
    "mistral-7b": other("mistral", 32_768),
    "mixtral": other("mistral", 32_768),
    "mixtral-8x22b": other("mistral", 65_536),
    "ministral": other("mistral", 131_072),
    "codestral": other("mistral", 256_000),
    "devstral": other("mistral", 131_072),
    "magistral": other("mistral", 131_072),
    "command-": other("cohere", 128_000),
    "command-a": other("cohere", 256_000),
    "nova-": other("amazon", 300_000),
    "nova-micro": other("amazon", 128_000),
    "nova-premier": other("amazon", 1_000_000),
    "phi-3": other("microsoft", 128_000),
    "phi-4": other("microsoft", 16_384),
}

LARGER = {"anthropic": (200_000, 1_000_000)}
"""Context windows that a family comes in, where they are not the common ones."""
COMMON = (8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 262_144, 400_000, 1_000_000, 1_050_000, 2_097_152)
MILLION = 1_000_000

BEGINS = re.compile(r"(?:^|[/.:@ ])")
"""Every place where a model's name may begin, behind a provider's."""


@lru_cache(maxsize=256)
def profile(model: str) -> ModelProfile:
    """What is known about a model, by any of the names that providers and gateways give it."""
    name = model.strip().lower()
    prefix = longest_prefix(name.rpartition("/")[2]) or longest_prefix(name)
    found = PROFILES[prefix] if prefix else UNKNOWN
    return replace(found, limit=max(found.limit, MILLION)) if "[1m]" in name else found


def longest_prefix(name: str) -> str:
    """The longest row of the table that begins anywhere in a name where one may begin; empty when none does."""
    starts = [start.end() for start in BEGINS.finditer(name)]
    matches = (prefix for start in starts for prefix in PROFILES if name.startswith(prefix, start))
    return max(matches, key=len, default="")


class Limit(NamedTuple):
    """The size of a context window, and how it is known."""

    tokens: int
    source: Literal["table", "genai-prices", "default"]
    note: str
    """For a model that nobody lists, that the default is used; else empty."""


def limit_of(model: str) -> Limit:
    """The context window of a model: by the table here, else by genai-prices, the longest id first, else the default.

    The first question about a model that is not in the table loads the price list, which takes some 0.2 s; `profile`
    never does. So this is for workers and commands, and not for what stands between a person and the first frame.
    """
    found = profile(model)
    if found.known:
        return Limit(found.limit, "table", "")
    from inspector.models.catalog import context_window

    if listed := context_window(model):
        return Limit(max(listed[1], found.limit) if "[1m]" in model.lower() else listed[1], "genai-prices", "")
    unknown = f"no context window is known for {model.strip()[:200]}" if model.strip() else "the model is not recorded"
    return Limit(found.limit, "default", f"{unknown}, so the default of {found.limit:,} tokens is used")


def limit_above(found: ModelProfile, used: int) -> int:
    """The context window of a model that was once sent `used` tokens: the next plausible one if its own is smaller."""
    sizes = (found.limit, *LARGER.get(found.family, COMMON))
    fitting = (size for size in sizes if size >= max(used, found.limit))
    return min(fitting, default=-(-used // MILLION) * MILLION)
