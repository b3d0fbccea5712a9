"""Messages that several sessions of a list contain count once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.library import target_entries, totals_of
from inspector.ui.screens.sessions.session_preview import SessionPreview
from tests.cli.calling import inspect
from tests.formats.written import Scribe, says, write_lines


def _id(number: int) -> str:
    return f"0f0e0d0c-0000-4000-8000-{number:012}"


def _transcript(session: str, *own: int, **common: Any) -> Scribe:
    """A transcript with two messages that others have, too, and messages of its own."""
    scribe = Scribe(session=session, common=common)
    scribe.ask(_id(1), "Count the scans.")
    scribe.reply(_id(2), "msg_0123456789abcdefghij", says("Two."))
    for number in own:
        scribe.ask(_id(number), f"Count them again, {number}.")
    return scribe


def test_a_fork_of_a_transcript_names_the_session_with_its_messages(tmp_path: Path) -> None:
    first = _transcript("a1", 3).write(tmp_path / "a.jsonl")
    fork = _transcript("b1", 4, 5, forkedFrom={"sessionId": "a1"}).write(tmp_path / "b.jsonl")
    answer = inspect("ls", tmp_path, "--json").json
    assert [row["shared"] and row["shared"]["target"] for row in answer["sessions"]] == [None, str(first)]
    assert [row["forked_from"] for row in answer["sessions"]] == ["", "a1"]
    one, two = (row["tokens"] for row in answer["sessions"])
    shared = answer["sessions"][1]["shared"]
    assert (shared["messages"], answer["totals"]["messages"], answer["totals"]["shared"]) == (2, 5, 2)
    assert answer["totals"]["tokens"] == one + two - shared["tokens"] < one + two
    text = inspect("ls", tmp_path).out
    assert f"  forked: 2 of its messages are also in {first}\n" in text
    assert text.endswith(" tokens, with 2 shared messages counted once\n")
    entries = [entry for entry, _ in target_entries([str(tmp_path)])]
    previews = [SessionPreview(entry) for entry in entries]
    assert [" also in " in preview.facts for preview in previews] == [False, True]
    assert "  forked from session a1, not in this list\n" in inspect("ls", fork).out


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_fork_of_a_rollout_shares_its_beginning_though_times_and_ids_differ(names: str, tmp_path: Path) -> None:
    def rollout(id: str, minute: int, *words: str, **origin: str) -> list[dict[str, Any]]:
        time = f"2026-03-01T10:{minute:02}:00Z"
        roles = ["user", "assistant"] * 2
        items = [
            {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}
            for role, text in zip(roles, words, strict=False)
        ]
        records = [("session_meta", {"id": id} | origin), *(("response_item", item) for item in items)]
        return [{"timestamp": time, "type": kind, "payload": payload} for kind, payload in records]

    write_lines(tmp_path / f"{names[0]}.jsonl", rollout("t-1", 1, "Count.", "Two.", "Again.", "Three."))
    write_lines(
        tmp_path / f"{names[1]}.jsonl", rollout("t-2", 9, "Count.", "Two.", "Why?", "So.", forked_from_id="t-1")
    )
    write_lines(tmp_path / "c.jsonl", rollout("t-3", 9, "Count.", "Two.", "Again.", "Three."))
    rows = inspect("ls", tmp_path, "--json").json["sessions"]
    assert [row["shared"] and row["shared"]["messages"] for row in rows] == [None, 2, None]


def test_calls_that_two_sessions_share_are_paid_once(tmp_path: Path) -> None:
    for name, origin in (("a", {}), ("b", {"forkedFrom": {"sessionId": "a"}})):
        scribe = _transcript(name, 4, **origin)
        scribe.reply(_id(ord(name)), f"msg_{name * 20}", says(f"Three, {name}."))
        for place, tokens in ((1, 30_000), (-1, 60_000)):
            usage = {"input_tokens": tokens, "output_tokens": 0}
            scribe.records[place]["message"] |= {"model": "claude-sonnet-4-6", "usage": usage}
        scribe.write(tmp_path / f"{name}.jsonl")
    entries = [entry for entry, _ in target_entries([str(tmp_path)], detailed=True)]
    first, second = entries
    assert first.cost and second.shared and second.shared.cost
    assert (first.cost, second.shared.cost) == pytest.approx((0.27, 0.09))
    assert (second.cost, totals_of(entries).cost) == pytest.approx((0.27, 0.45))
    assert totals_of([first, replace(second, cost=None)]).cost is None
