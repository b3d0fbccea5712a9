"""Pictures and pages cost what the providers' guides say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.conversation import Document, Image
from inspector.tokens.images import ANTHROPIC_MOST, document_tokens, image_tokens


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(1024, 1024, 765), (2048, 4096, 1105), (4096, 8192, 1105), (512, 512, 255), (1, 1, 255), (513, 500, 425)],
)
def test_openai_counts_tiles(width: int, height: int, tokens: int) -> None:
    assert image_tokens(Image("image/png", width, height), "openai") == tokens


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(200, 200, 54), (1000, 1000, 1334), (1092, 1092, 1590), (4000, 3000, 1600), (8000, 100, 41), (1, 1, 1)],
)
def test_anthropic_counts_pixels(width: int, height: int, tokens: int) -> None:
    assert image_tokens(Image("image/png", width, height), "anthropic") == tokens


@pytest.mark.parametrize(("width", "height"), [(0, 0), (0, 500), (500, 0), (-3, 4)])
def test_a_picture_of_unknown_size_counts_as_a_large_one(width: int, height: int) -> None:
    assert image_tokens(Image("", width, height), "openai") == 1_105
    assert image_tokens(Image("", width, height), "anthropic") == 1_600


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_no_picture_costs_without_end(width: int, height: int) -> None:
    assert 255 <= image_tokens(Image("", width, height), "openai") <= 85 + 170 * 8
    assert 1 <= image_tokens(Image("", width, height), "anthropic") <= ANTHROPIC_MOST


def test_documents_count_by_pages_and_have_at_least_one() -> None:
    assert document_tokens(Document("application/pdf", pages=3)) == 6_000
    assert document_tokens(Document("application/pdf", pages=0)) == 2_000
