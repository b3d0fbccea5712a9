"""Counts of real recorded sessions, held against what the providers reported for them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.engine.window import at_turn
from inspector.formats import UnreadableError, load
from inspector.llm.providers import message_from_raw, provider_of
from inspector.llm.tokens.counting import TokenizerCounter, count_message
from inspector.llm.tokens.sizes import count_session, count_sizes, counter_for, estimate_sizes
from tests.places import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not beside the repository")
O200K = TokenizerCounter("o200k_base")


def counted_request(messages: list[Any], tools: list[Any]) -> int:
    size = sum(count_message(message_from_raw(str(n), raw, "openai"), O200K) for n, raw in enumerate(messages))
    return size + provider_of("openai").count_tools(tools, O200K) + 3


def restored(value: Any, attachments: dict[str, str]) -> Any:
    """A logged value with the texts that the log keeps apart put back in."""
    match value:
        case str() if value.startswith("attachment://"):
            return attachments[value.removeprefix("attachment://")]
        case list():
            return [restored(item, attachments) for item in value]
        case dict():
            return {key: restored(item, attachments) for key, item in value.items()}
    return value


def plain_calls() -> Iterator[tuple[list[Any], int]]:
    """The messages of each logged OpenAI call without tools, and the input tokens that were reported."""
    for path in sorted((DATA / "inspect-eval").glob("*/*.eval")):
        with zipfile.ZipFile(path) as archive:
            samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
        for sample in samples:
            for event in sample.get("events", ()):
                if event.get("event") == "model" and event["model"].startswith("openai/"):
                    request = restored((event.get("call") or {}).get("request") or {}, sample["attachments"])
                    usage = event["output"].get("usage")
                    if request.get("messages") and not request.get("tools") and usage:
                        yield request["messages"], usage["input_tokens"]


def test_plain_chats_count_to_the_token() -> None:
    calls = list(plain_calls())
    assert len(calls) > 20
    for messages, reported in calls:
        assert counted_request(messages, []) == reported


def test_a_long_request_with_tools_is_near_what_was_reported() -> None:
    (path,) = (DATA / "openai-completions").glob("*/*.json")
    stored = json.loads(path.read_text(encoding="utf-8"))
    reported = stored["usage"]["prompt_tokens"]
    assert counted_request(stored["messages"], stored["tools"]) == pytest.approx(reported, rel=0.02)


def sessions() -> Iterator[Session]:
    """Coding sessions with some turns of reported usage; the made-up ones of the collection left out."""
    for path in sorted((DATA / "claude-code").glob("**/*.jsonl")):
        if path.name == "edge_cases.jsonl":
            continue
        try:
            result = load(path)
        except UnreadableError:
            continue
        yield from (session for session in result if len(session.turns()) >= 3)


def errors(session: Session, sizes: Any) -> Iterator[float]:
    """By what share each window's total differs from what was reported for it."""
    for turn in range(1, len(session.turns()) + 1):
        window = at_turn(session, sizes, turn, MAIN)
        if window.reported and window.messages:
            yield abs(window.total - window.reported) / window.reported


def test_calibrated_windows_are_near_what_was_reported_with_one_rest_for_a_stretch() -> None:
    records = 0
    for session in sessions():
        *_, batch = count_session(session, counter_for(session.model))
        for sizes in (estimate_sizes(session), count_sizes(session, batch.counts, counter_for(session.model))):
            assert 0.7 <= sizes.factor <= 2.0
            assert sizes.unrecorded > 4_000
            assert sizes.error is not None
            assert fmean(errors(session, sizes)) == pytest.approx(sizes.error, abs=0.002)
            assert sizes.error < (0.025 if sizes.is_partial else 0.015)
            levels = [sizes.unrecorded_before(session.messages[reply]) for reply in session.turns()]
            changes = sum(before != after for before, after in pairwise(levels))
            assert changes <= len(session.compactions) + 4
        records += 1
    assert records >= 6
