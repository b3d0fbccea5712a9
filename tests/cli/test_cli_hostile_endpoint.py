"""Answers of a model endpoint that are made to take all memory: each ends in one sentence within a gigabyte."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.calling import chat, written
from tests.cli.loopback_models import environment
from tests.cli.test_cli_hostile_files import limited
from tests.engine.summaries.endpoint import Asked, Behaviour, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of the address space is that of Linux")
PORTION = "x" * (1 << 20)
PORTIONS = 3_000


def endless_error(asked: Asked) -> None:
    asked.head(400, content_type="application/json", content_length=str(PORTIONS * len(PORTION)))
    for _ in range(PORTIONS):
        asked.raw(PORTION)


def endless_line(asked: Asked) -> None:
    asked.head()
    asked.raw("data: ")
    for _ in range(PORTIONS):
        asked.raw(PORTION)


def endless_stream(asked: Asked) -> None:
    asked.head()
    for _ in range(PORTIONS):
        asked.piece(PORTION)


def endless_reply(asked: Asked) -> None:
    asked.head(200, content_type="application/json")
    asked.raw('{"choices": [{"message": {"content": "')
    for _ in range(PORTIONS):
        asked.raw(PORTION)


def deep_reply(asked: Asked) -> None:
    asked.head(200, content_type="application/json")
    asked.raw('{"choices": ' + "[" * 1_000_000)


def odd_fields(asked: Asked) -> None:
    asked.head()
    for data in ("[]", "{", "null", '{"choices": 1}', json.dumps({"choices": [{"delta": {"content": 10**400}}]})):
        asked.event(data)


@pytest.mark.parametrize(
    "behaviour", [endless_error, endless_line, endless_stream, endless_reply, deep_reply, odd_fields]
)
def test_a_hostile_answer_ends_in_one_sentence(behaviour: Behaviour, tmp_path: Path) -> None:
    session = written(tmp_path / "session.json", chat(steps=4))
    with serving(behaviour) as endpoint:
        ended = limited(tmp_path, "ask", session, "--yes", "--json", variables=environment(endpoint.url))
    assert endpoint.requests
    assert b"xxxxxxxxxx" * 100 not in ended.stderr
