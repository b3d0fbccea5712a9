"""What comes back is in the windows that are paid for; what should have come back and did not costs a call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.replay import Lane, Replay, ReplayRun, compare_replays
from inspector.analysis.replay.run import window_at
from inspector.core.conversation import Session, Usage
from inspector.engine.compression.presets import Preset
from inspector.engine.facts import FactIndex
from inspector.engine.window import SECTIONS
from inspector.llm.models import Price, cost
from tests.generated import LONG, Ask, Reply, Step, recorded, sized

PRICE = Price(1.0, 4.0, 0.1, 1.25, "some-model", "user")
CODE = "The invoice of the zeppelin has the number INV-77310-K."
TALK: tuple[Step, ...] = (
    Ask("The task."),
    Reply("Done."),
    Ask(f"{CODE} {LONG * 4}"),
    Reply("Noted."),
    *[
        step
        for word in ("red", "green", "blue", "grey")
        for step in (Ask(f"Now the {word} one. {LONG * 4}"), Reply(LONG))
    ],
)
"""An invoice number that is long gone from the newest messages."""


def replayed(steps: tuple[Step, ...], **settings: Any) -> tuple[Session, Replay]:
    session = recorded(steps)
    session = session.with_messages(tuple(replace(message, usage=None) for message in session.messages))
    preset = Preset("swap", 900, strategy="vector_swap", settings={"keep_last": 2} | settings)
    run = ReplayRun(session, sized(session), preset, PRICE, facts=FactIndex(session))
    for _ in run.frames():
        pass
    return session, run.replay()


ASKED = (Ask("What number has the invoice of the zeppelin?"), Reply("It is INV-77310-K."))
UNASKED = (Ask("Go on."), Reply("I wrote to them about INV-77310-K."))


def test_what_came_back_is_in_the_window_that_is_sent_and_is_neither_regret_nor_recall() -> None:
    session, done = replayed(TALK + ASKED)
    frame = done.frames[-2]
    assert frame.back is not None and frame.back.message is not None
    assert CODE in frame.back.message.text
    window = window_at(session, sized(session), done, frame.turn)
    assert frame.back.message.text in [message.text for message in window.messages]
    assert frame.total == window.total
    assert frame.messages == len(window.messages)
    assert not done.regrets and not done.recalls
    assert done.tokens_back >= frame.back.tokens
    assert done.frames[-2].fetched == 0
    assert done.parts.recalls == 0


def test_it_goes_again_with_the_next_request() -> None:
    _, done = replayed((*TALK, *ASKED, Ask("Thanks."), Reply("Welcome.")))
    assert done.frames[-3].back is not None
    assert done.frames[-2].back is None


def test_what_should_have_come_back_costs_a_call_with_the_whole_window() -> None:
    _, done = replayed(TALK + UNASKED)
    frame = done.frames[-2]
    assert [recall.turn for recall in done.recalls] == [frame.turn]
    assert not done.regrets
    assert frame.fetched > frame.total
    found = frame.fetched - frame.total
    extra = cost(PRICE, Usage(frame.fetched, 60, frame.total, found)).total
    assert frame.bill.paid.recalls == pytest.approx(extra)
    assert done.parts.recalls == pytest.approx(extra)
    assert done.tokens_sent == sum(each.total for each in done.calls) + frame.fetched


def test_an_archive_from_which_nothing_may_come_back_has_regrets_and_no_recalls() -> None:
    for settings in ({"k": 0}, {"recall": 0}):
        _, done = replayed(TALK + UNASKED, **settings)
        assert len(done.regrets) == 1 and not done.recalls
        assert done.tokens_back == 0 and done.parts.recalls == 0


def test_the_cache_holds_up_to_where_something_came_back() -> None:
    """With every request what came back for the last one is taken out: what stood behind it is written once more."""
    _, done = replayed((*TALK, *ASKED, Ask("Thanks."), Reply("Welcome.")))
    before, after = done.frames[-3], done.frames[-2]
    assert before.back is not None and after.back is None
    head = before.total - before.back.tokens - before.sections[SECTIONS.index("input")]
    read = round(after.bill.simulated.cache_read / PRICE.cache_read * 1_000_000)
    assert read == head
    assert after.bill.simulated.cache_write > 0


def test_a_comparison_sees_what_came_back_on_one_side() -> None:
    session, done = replayed(TALK + ASKED)
    _, without = replayed(TALK + ASKED, recall=0)
    sizes = sized(session)
    turn = done.frames[-2].turn
    facts = FactIndex(session)
    compared = compare_replays(Lane(session, sizes, done, facts), Lane(session, sizes, without, facts), turn)
    assert compared.first is not None and compared.first.left is not None
    assert compared.fates[0]["retrieved"] >= 1
    assert "retrieved" not in compared.fates[1]
    assert any("INV-77310-K" in fact.text for fact in compared.facts_of("left"))
