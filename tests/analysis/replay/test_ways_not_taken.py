"""Facts of ways that the person went back from: no policy could have kept them, and none is blamed for them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st

from inspector.analysis.replay import NONE, RECORDED, Replay
from inspector.analysis.replay.run import replay
from inspector.core.conversation import Message, Role, Session
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex
from inspector.llm.models import Price
from tests.engine.facts.conversations import SENTENCES, message
from tests.generated import sized

LINES: tuple[tuple[Role, str, int], ...] = (
    ("user", "Please fix the sorter.", -1),
    ("assistant", "Which one?", 0),
    ("user", "The one of services/intake/sorter_rules.py, invoice INV-88213.", 1),
    ("assistant", "Looking.", 2),
    ("user", "It is in services/intake/sorter_rules.py, you know.", 1),
    ("assistant", "I changed services/intake/sorter_rules.py for invoice INV-88213.", 4),
    ("user", "Thanks.", 5),
)
SMALL = Preset("small", threshold=30, keep_recent=0, strategy="deletion")


def branching(lines: tuple[tuple[Role, str, int], ...]) -> Session:
    """A log of who says what, each behind the message at a place; -1 begins a context."""
    log = list[Message]()
    for role, text, parent in lines:
        log.append(replace(message(f"m{len(log)}", text, role), parent=parent))
    return Session("s", "", "openai", tuple(log), "some-model")


def outcome(session: Session, preset: Preset) -> Replay:
    return replay(session, sized(session), preset, Price(2.5, 10.0, 1.25, 2.5), facts=FactIndex(session))


def totals(done: Replay) -> dict[str, int]:
    return {name: row.total for name, row in done.retention.items()}


@st.composite
def talks(draw: st.DrawFn) -> Session:
    lines = list[tuple[Role, str, int]]()
    for place in range(draw(st.integers(1, 10))):
        role: Role = draw(st.sampled_from(["user", "assistant", "assistant"]))
        lines.append((role, draw(st.sampled_from(SENTENCES)), draw(st.integers(-1, place - 1) | st.just(place - 1))))
    return branching(tuple(lines))


@given(talks())
def test_whoever_compresses_nothing_regrets_nothing_whatever_ways_were_taken(session: Session) -> None:
    for preset in (NONE, RECORDED):
        done = outcome(session, preset)
        assert (done.regrets, done.recalls, done.retained) == ((), (), 1.0)


@given(talks())
def test_what_counts_is_the_same_for_every_policy(session: Session) -> None:
    assert totals(outcome(session, SMALL)) == totals(outcome(session, NONE)) == totals(outcome(session, RECORDED))


def test_a_fact_of_a_way_not_taken_counts_again_when_it_is_told_again() -> None:
    before = outcome(branching(LINES[:5]), NONE)
    after = outcome(branching(LINES), NONE)
    assert totals(before)["path"] == totals(after)["path"] == 1
    assert sum(totals(after).values()) == sum(totals(before).values()) + 1  # the invoice, which the reply says
    assert outcome(branching(LINES), SMALL).retention["path"].total == 1
