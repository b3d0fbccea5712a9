"""Models are known by the longest prefix of their name, behind any provider's prefix."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from inspector.llm.models.profiles import PROFILES, limit_for_usage, limit_of, profile


@pytest.mark.parametrize(
    ("model", "encoding", "limit"),
    [
        ("gpt-4o", "o200k_base", 128_000),
        ("gpt-4o-mini-2024-07-18", "o200k_base", 128_000),
        ("chatgpt-4o-latest", "o200k_base", 128_000),
        ("gpt-4.1-nano", "o200k_base", 1_047_576),
        ("gpt-5-2025-08-07", "o200k_base", 400_000),
        ("gpt-5.2-codex", "o200k_base", 400_000),
        ("o1", "o200k_base", 200_000),
        ("o1-mini-2024-09-12", "o200k_base", 128_000),
        ("o3-mini", "o200k_base", 200_000),
        ("o4-mini", "o200k_base", 200_000),
        ("gpt-4", "cl100k_base", 8_192),
        ("gpt-4-0613", "cl100k_base", 8_192),
        ("gpt-4-32k-0613", "cl100k_base", 32_768),
        ("gpt-4-turbo-2024-04-09", "cl100k_base", 128_000),
        ("gpt-4-1106-preview", "cl100k_base", 128_000),
        ("gpt-3.5-turbo-0125", "cl100k_base", 16_385),
        ("ft:gpt-4o-mini-2024-07-18:acme::abc", "o200k_base", 128_000),
        ("ft:gpt-3.5-turbo:acme:o1-like", "cl100k_base", 16_385),
    ],
)
def test_openai_models_count_exactly(model: str, encoding: str, limit: int) -> None:
    result = profile(model)
    assert (result.family, result.encoding, result.exact, result.limit) == ("openai", encoding, True, limit)


@pytest.mark.parametrize(
    "model",
    [
        "claude-3-5-sonnet-20241022",
        "anthropic/claude-sonnet-4",
        "litellm_proxy/anthropic/claude-sonnet-4-20250514",
        "openrouter/anthropic/claude-3.7-sonnet:beta",
        "anthropic.claude-3-5-sonnet-20241022-v2:0",
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "bedrock/eu.anthropic.claude-3-haiku-20240307-v1:0",
        "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0",
        "vertex_ai/claude-3-7-sonnet@20250219",
        "  Claude-Haiku-4-5 ",
    ],
)
def test_claude_is_found_behind_every_providers_prefix(model: str) -> None:
    result = profile(model)
    assert (result.family, result.exact, result.limit, result.chars_per_token) == ("anthropic", False, 200_000, 3.5)


@pytest.mark.parametrize(
    ("model", "family", "limit"),
    [
        ("openrouter/openai/gpt-4o", "openai", 128_000),
        ("azure/gpt-35-turbo", "openai", 16_385),
        ("gemini-2.5-flash", "gemini", 1_048_576),
        ("models/gemini-1.5-pro-latest", "gemini", 2_097_152),
        ("deepseek-ai/DeepSeek-V3", "deepseek", 128_000),
        ("moonshot-ai/kimi-k2.7-code", "moonshot", 262_144),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama", 131_072),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen", 131_072),
        ("openai/gpt-oss-120b", "openai", 131_072),
        ("claude-sonnet-4-5[1m]", "anthropic", 1_000_000),
        ("claude-opus-5-5", "anthropic", 1_000_000),
    ],
)
def test_other_models_are_known_and_estimated(model: str, family: str, limit: int) -> None:
    result = profile(model)
    assert result.is_known
    assert (result.family, result.limit) == (family, limit)


def test_gpt_4o_mini_is_not_gpt_4() -> None:
    assert profile("gpt-4o-mini").encoding != profile("gpt-4").encoding


def test_an_open_weight_model_is_not_exact_because_its_host_frames_the_messages() -> None:
    assert not profile("gpt-oss-20b").exact


@pytest.mark.parametrize("model", ["", "  ", "<synthetic>", "my-own-model", "photo1", "turbo1"])
def test_a_model_that_is_not_in_the_table_says_so(model: str) -> None:
    result = profile(model)
    assert not result.is_known
    assert (result.encoding, result.exact, result.limit, result.chars_per_token) == ("o200k_base", False, 128_000, 4.0)


@given(st.text(max_size=80))
def test_any_name_has_a_profile(model: str) -> None:
    assert profile(model).limit > 0


@given(st.sampled_from(sorted(PROFILES)), st.sampled_from(["", "openrouter/x/", "us.maker.", "ft:", "a@"]))
def test_every_row_of_the_table_is_found_behind_a_prefix(name: str, before: str) -> None:
    assert profile(before + name) == PROFILES[name]


def test_a_limit_that_was_passed_gives_way_to_the_next_one() -> None:
    claude, gpt = profile("claude-sonnet-4"), profile("gpt-4o")
    assert limit_for_usage(claude, 0) == 200_000
    assert limit_for_usage(claude, 200_000) == 200_000
    assert limit_for_usage(claude, 200_001) == 1_000_000
    assert limit_for_usage(claude, 1_200_000) == 2_000_000
    assert limit_for_usage(gpt, 128_001) == 200_000
    assert limit_for_usage(profile("gemini-2.5-pro"), 5) == 1_048_576


def test_a_context_window_comes_from_the_table_where_it_has_the_model() -> None:
    assert limit_of("claude-sonnet-4-20250514") == (200_000, "table", "")
    assert limit_of("openai/gpt-4o-mini-2024-07-18") == (128_000, "table", "")


def test_a_context_window_that_the_table_lacks_comes_from_the_price_list() -> None:
    assert not profile("sonar-pro").is_known
    assert limit_of("sonar-pro") == (200_000, "genai-prices", "")
    assert limit_of("perplexity/sonar").tokens == 128_000


def test_an_unknown_model_says_that_it_has_the_default_window() -> None:
    result = limit_of("banana-7")
    assert (result.tokens, result.source) == (128_000, "default")
    assert result.note == "no context window is known for banana-7, so the default of 128,000 tokens is used"
    assert limit_of("").note == "the model is not recorded, so the default of 128,000 tokens is used"


def test_a_model_of_the_table_never_loads_the_price_list() -> None:
    code = (
        "import sys; from inspector.llm.models.profiles import limit_of, profile; import inspector.llm.models.prices; "
        "import inspector.llm.models.usage_cost; profile('banana'); limit_of('gpt-4o'); "
        "from inspector.llm.models.price_list import sellers; sys.exit(sellers.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_prices_and_windows_are_known_without_a_network() -> None:
    code = (
        "import socket\n"
        "def refused(*_, **__): raise AssertionError('it asked the network')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "from inspector.llm.models.profiles import limit_of; from inspector.llm.models.prices import price_of\n"
        "assert price_of('claude-sonnet-4', overlay={}).source == 'genai-prices'\n"
        "assert limit_of('sonar-pro').source == 'genai-prices'\n"
    )
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
