"""Recorded HTTP traffic: what cannot be read of it is refused, and small files describe no endless data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.formats import UnreadableError, load
from inspector.formats.building.streamed_replies import streamed_reply


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interactions:\n- request: {body: x}\n  response: {body: y}\n", "without a request to an API"),
        (
            "interactions:\n- request: {uri: https://api.cohere.com/v1/chat}\n  response: {body: y}\n",
            "traffic with api.cohere.com, without a request to an API",
        ),
        ("interactions:\n- &a [1, 2]\n- [*a, *a]\n", "YAML aliases"),
        ("interactions:\n- {request: [\n", "cannot be read as YAML"),
        ("interactions:\n- !!python/object/apply:os.getcwd []\n", "cannot be read as YAML"),
    ],
)
def test_a_cassette_without_a_model_or_with_tricks_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "cassette.yaml"
    path.write_text(text)
    with pytest.raises(UnreadableError, match=words):
        load(path)


def test_damaged_events_of_a_stream_are_skipped() -> None:
    piece = 'data: {"choices": [{"delta": {"content": "Ah"}}]}'
    body = "\n".join((piece, 'data: {"cho', piece.replace("Ah", "oy")))
    assert streamed_reply(body)["choices"][0]["message"]["content"] == "Ahoy"
    assert streamed_reply("no events") == {}


def test_a_body_in_an_encoding_that_is_not_read_is_named(tmp_path: Path) -> None:
    request = {
        "method": "POST",
        "url": "https://api.example/v1/chat",
        "postData": {"text": json.dumps({"model": "m", "messages": [{"role": "user", "content": "Count."}]})},
    }
    headers = [{"name": "content-encoding", "value": "br"}]
    response = {"status": 200, "headers": headers, "content": {"text": "GwcA", "encoding": "base64"}}
    path = tmp_path / "x.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [{"request": request, "response": response}]}}))
    (session,) = load(path)
    assert [problem.text for problem in session.problems] == [
        "of 1 of its 1 call the reply could not be read (compressed with Brotli)"
    ]
    path.write_text(json.dumps({"log": {"entries": [{"request": request | {"postData": {}}, "response": response}]}}))
    with pytest.raises(UnreadableError, match=r"is HTTP traffic with api\.example, without a request to an API"):
        load(path)
