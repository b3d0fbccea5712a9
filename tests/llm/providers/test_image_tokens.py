"""Pictures and pages cost what the providers' guides say."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Document, Image
from inspector.llm.providers import provider_of
from inspector.llm.tokens import FRAME, CharsCounter, count_parts


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(1024, 1024, 765), (2048, 4096, 1105), (4096, 8192, 1105), (512, 512, 255), (1, 1, 255), (513, 500, 425)],
)
def test_openai_counts_tiles(width: int, height: int, tokens: int) -> None:
    assert provider_of("openai").image_tokens(Image("image/png", width, height)) == tokens


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(200, 200, 54), (1000, 1000, 1334), (1092, 1092, 1590), (4000, 3000, 1600), (8000, 100, 41), (1, 1, 1)],
)
def test_anthropic_counts_pixels(width: int, height: int, tokens: int) -> None:
    assert provider_of("anthropic").image_tokens(Image("image/png", width, height)) == tokens


@pytest.mark.parametrize(("width", "height"), [(0, 0), (0, 500), (500, 0), (-3, 4)])
def test_a_picture_of_unknown_size_counts_as_a_large_one(width: int, height: int) -> None:
    assert provider_of("openai").image_tokens(Image("", width, height)) == 1_105
    assert provider_of("anthropic").image_tokens(Image("", width, height)) == 1_600


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_no_picture_costs_without_end(width: int, height: int) -> None:
    assert 255 <= provider_of("openai").image_tokens(Image("", width, height)) <= 85 + 170 * 8
    assert 1 <= provider_of("anthropic").image_tokens(Image("", width, height)) <= 1_600


def test_documents_count_by_pages_and_have_at_least_one() -> None:
    for pages, tokens in ((3, 6_000), (0, 2_000)):
        document = Document("application/pdf", pages=pages)
        assert count_parts([document], "user", "", "anthropic", CharsCounter(4)) - FRAME == tokens
