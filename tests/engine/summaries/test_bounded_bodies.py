"""Responses of a model's endpoint that are too large, or that point to another address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inspector.engine.retrieval.embedders import EmbeddingError, EndpointEmbedder
from tests.engine.summaries.endpoint import Asked, Endpoint, hangs, serving
from tests.engine.summaries.test_summarizer import failure


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as serves:
        yield serves


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(endpoint: Endpoint, status: int) -> None:
    with serving() as other:

        def redirects(asked: Asked) -> None:
            asked.head(status, location=f"{other.url}/chat/completions")

        assert f"redirects to another address, which is not followed ({status})" in failure(endpoint.then(redirects))
        assert other.requests == []


def test_an_endless_error_is_cut(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_ERROR_BODY", "1000")
    sent = []

    def errs(asked: Asked) -> None:
        asked.head(400, content_type="text/plain")
        for _ in range(10_000):
            asked.raw("x" * 10_000)
            sent.append(1)

    assert "rejected the request (400" in failure(endpoint.then(errs))
    assert len(sent) < 10_000


def test_an_endless_line_ends_the_answer(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_STREAM_LINE", "20000")
    sent = []

    def drones(asked: Asked) -> None:
        asked.head()
        for _ in range(10_000):
            asked.raw("x" * 10_000)
            sent.append(1)

    assert "exceeds 20,000 bytes in one line" in failure(endpoint.then(drones))
    assert len(sent) < 10_000


def test_an_endpoint_that_does_not_begin_to_answer_is_left_before_the_time_is_over(endpoint: Endpoint) -> None:
    sentence = failure(endpoint.then(hangs()), timeout=60, first_byte=0.3)
    assert "did not begin to answer within 0.3 seconds" in sentence


def test_an_embedder_follows_no_redirect(endpoint: Endpoint) -> None:
    with serving() as other:
        endpoint.then(lambda asked: asked.head(307, location=f"{other.url}/embeddings"))
        with pytest.raises(EmbeddingError, match="rejected the texts"):
            EndpointEmbedder("m", endpoint.url).embed(["the lamp"])
        assert other.requests == []


def test_an_endless_answer_with_vectors_is_cut(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_LIMIT_EMBEDDINGS", "20000")
    sent = []

    def drones(asked: Asked) -> None:
        asked.head(content_type="application/json")
        for _ in range(10_000):
            asked.raw("1" * 10_000)
            sent.append(1)

    endpoint.then(drones)
    with pytest.raises(EmbeddingError, match="returned no vectors"):
        EndpointEmbedder("m", endpoint.url).embed(["the lamp"])
    assert len(sent) < 10_000
