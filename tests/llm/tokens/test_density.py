"""Estimates from a look at a few places of a session, beside what the tokenizer counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inspector.core.conversation import Session
from inspector.formats import load
from inspector.formats.building.log_builder import LogBuilder
from inspector.llm.tokens import count_message, counter_for, estimate, estimate_sizes
from inspector.llm.tokens.density import chars_per_token, tokens_per_picture
from tests.places import SESSIONS

SAMPLES = sorted(SESSIONS.glob("*.json*"))
PROSE = "The lamp on the pier went out twice last winter, and nobody wrote down when it was lit again. " * 40
ROWS = "\n".join(f"2026-03-{day:02},{day * 37 % 91},{day / 7:.3f},NW,{day * 1013}" for day in range(1, 29)) * 5
RUSSIAN = "Лампа на пирсе погасла дважды прошлой зимой, и никто не записал, когда её снова зажгли. " * 40


def session_of(*texts: str) -> Session:
    log = LogBuilder()
    for number, text in enumerate(texts):
        log.add(f"m{number}", {"role": "user", "content": text})
    return Session("s", "", "openai", tuple(log.messages), model="gpt-4o")


def counted(session: Session) -> int:
    counter = counter_for(session.model)
    return sum(count_message(message, counter) for message in session.messages)


@pytest.mark.parametrize("text", [PROSE, ROWS, RUSSIAN], ids=["prose", "table", "other letters"])
def test_whatever_the_text_the_estimate_is_near_where_its_length_alone_is_not(text: str) -> None:
    session = session_of(text, "Go on.")
    assert 0.75 < sum(estimate(session).tokens) / counted(session) < 1.25


def test_lengths_alone_are_half_off_for_a_table() -> None:
    session = session_of(ROWS)
    assert sum(estimate_sizes(session).tokens) / counted(session) < 0.7, "what the estimate is for"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_samples_are_estimated_within_a_third(path: Path) -> None:
    for session in load(path):
        raw = counted(session)
        factor = estimate(session).factor
        assert 0.8 < sum(estimate(session).tokens) / factor / raw < 1.33, session.title


def test_long_messages_weigh_as_much_as_they_are_long() -> None:
    words = random.Random(3).choices(["ok", "yes", "go on"], k=60)
    session = session_of(*words, ROWS * 8)
    assert 0.75 < sum(estimate(session).tokens) / counted(session) < 1.25


def test_nothing_to_read_leaves_the_usual_length() -> None:
    assert chars_per_token(session_of(), 3.5) == chars_per_token(session_of("", ""), 3.5) == 3.5
    assert tokens_per_picture(session_of(PROSE), 85) == 85
