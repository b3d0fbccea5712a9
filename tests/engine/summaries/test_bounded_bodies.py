"""Responses of a model's endpoint that are too large, or that point to another address."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.summaries.endpoint import Asked, Endpoint, serving
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

    assert "was lost during the answer" in failure(endpoint.then(drones))
    assert len(sent) < 10_000
