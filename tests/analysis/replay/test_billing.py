"""What the calls of a replay cost: caches that forget by the recorded times, and what is known of that."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.replay.billing import Biller, CacheLifetime, cache_lifetime
from inspector.analysis.replay.frames import Replay
from inspector.analysis.replay.reported_usage import reported_calls
from inspector.analysis.replay.run import NONE, RECORDED, replay
from inspector.core.conversation import Message, Role, Session, Usage
from inspector.llm.models import Price, whole_output
from inspector.llm.providers import text_message
from tests.generated import sized

PRICE = Price(3.0, 15.0, 0.3, 3.75, cache_write_1h=6.0)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIVE = Usage(1_000, 10, 0, 1_000)
HOUR = Usage(1_000, 10, 0, 1_000, 1_000)
TURN: tuple[tuple[Role, int], ...] = (("user", 0), ("assistant", 1))
"""Who speaks, and how many seconds after the turn began."""


def talk(*pauses: float | None, usage: Usage | None = FIVE) -> Session:
    """A session of one call more than there are pauses, in seconds between a reply and the next question.

    A reply comes a second after its question. None for a pause leaves both without a time.
    """
    time, messages = NOON, list[Message]()
    for pause in (0.0, *pauses):
        time += timedelta(seconds=pause or 0.0)
        for role, seconds in TURN:
            stamp = "" if pause is None else (time + timedelta(seconds=seconds)).isoformat()
            place = len(messages)
            own = replace(usage, input=usage.input + place) if usage and role == "assistant" else None
            facts = {"parent": place - 1, "time": stamp, "usage": own}
            messages.append(text_message(f"m{place}", role, "A few words more.", "openai", **facts))
        time += timedelta(seconds=1)
    return Session("s", "A session", "test", tuple(messages), "some-model")


def bills(session: Session, lifetime: CacheLifetime | None = None) -> list[tuple[float, float, float]]:
    """What each of the calls pays for reading, for writing, and for writing for an hour; each sends 1,000 more."""
    biller = Biller(session, sized(session), PRICE)
    biller.lifetime = lifetime or biller.lifetime
    totals = [(1_000 * number, position) for number, position in enumerate(session.turns(), 1)]
    parts = [biller.bill(position, total, total).simulated for total, position in totals]
    return [(part.cache_read, part.cache_write, part.cache_write_1h) for part in parts]


def test_a_pause_beyond_five_minutes_writes_the_whole_window_again() -> None:
    # sent 1,000, 2,000, 3,000: written 1,000 at 3.75; read 1,000 at 0.3, written 1,000; 3,000 written
    assert bills(talk(60, 301, usage=None)) == [
        pytest.approx(each) for each in [(0, 0.00375, 0), (0.0003, 0.00375, 0), (0, 0.01125, 0)]
    ]


def test_a_cache_of_an_hour_outlives_that_and_costs_twice_a_fresh_token() -> None:
    assert bills(talk(301, 3_601, usage=None), CacheLifetime(3_600, False, "")) == [
        pytest.approx(each) for each in [(0, 0, 0.006), (0.0003, 0, 0.006), (0, 0, 0.018)]
    ]


def test_each_call_writes_for_as_long_as_the_recorded_one_did() -> None:
    session, usages = talk(301, 301, 301), {1: HOUR, 3: Usage(2_000, 10, 1_000, 1_000), 5: None, 7: HOUR}
    messages = [replace(one, usage=usages.get(at)) for at, one in enumerate(session.messages)]
    mixed = session.with_messages(tuple(messages))
    # for an hour: 1,000; read 1,000 and written 1,000; after five minutes written 3,000; again 4,000 for an hour
    assert bills(mixed) == [
        pytest.approx(each) for each in [(0, 0, 0.006), (0.0003, 0.00375, 0), (0, 0.01125, 0), (0, 0, 0.024)]
    ]
    assert "five minutes and of an hour" in cache_lifetime(mixed).reason


def test_a_call_that_is_answered_late_was_sent_in_time() -> None:
    session = talk(290, usage=None)
    *others, last = session.messages
    late = replace(last, time=(NOON + timedelta(seconds=400)).isoformat())
    assert bills(session.with_messages((*others, late)))[1][0] == pytest.approx(0.0003)


def test_a_first_call_reads_what_others_left_in_the_cache() -> None:
    session = talk(60, usage=Usage(1_000, 10, 800, 200))
    assert bills(session)[0] == pytest.approx((800 * 0.3e-6, 200 * 3.75e-6, 0))


def test_a_cache_breaks_where_the_recorded_one_did_but_for_its_own_compactions() -> None:
    session = talk(1, 1, 1, usage=Usage(4_000, 10, 0, 1_000))
    reads = {1: 0, 3: 1_000, 5: 400, 7: 0}
    usages = {place: Usage(4_000, 10, read, 1_000) for place, read in reads.items()}
    messages = [replace(one, usage=usages.get(at)) for at, one in enumerate(session.messages)]
    messages[6] = replace(messages[6], kind="summary")
    read = [tokens for tokens, *_ in bills(session.with_messages(tuple(messages)))]
    assert read == [pytest.approx(tokens * 0.3e-6) for tokens in (0, 1_000, 400, 3_000)]


def with_reads(session: Session, reads: dict[int, int], written: int = 0) -> Session:
    """The session with usage of 4,000 input tokens for the replies at these places."""
    usages = {place: Usage(4_000, 10, read, written) for place, read in reads.items()}
    return session.with_messages(tuple(replace(one, usage=usages.get(at)) for at, one in enumerate(session.messages)))


def test_a_recorded_call_that_reads_from_the_cache_proves_that_a_pause_lost_no_more() -> None:
    pauses = talk(600, 600, 600)
    kept = bills(with_reads(pauses, {1: 0, 3: 3_900, 5: 700, 7: 0}))
    assert [read for read, *_ in kept] == [pytest.approx(tokens * 0.3e-6) for tokens in (0, 1_000, 700, 0)]


def test_a_recording_without_any_cache_is_simulated_without_one() -> None:
    session = with_reads(talk(1, 1), dict.fromkeys(talk(1, 1).turns(), 0))
    assert bills(session) == [(0, 0, 0)] * 3
    biller = Biller(session, sized(session), PRICE)
    assert biller.bill(session.turns()[0], 1_000, 1_000).simulated.input == pytest.approx(1_000 * 3e-6)


@pytest.mark.parametrize(
    ("usage", "seconds", "reason"),
    [
        (FIVE, 300, "the recording wrote to a cache with a lifetime of five minutes"),
        (HOUR, 3_600, "the recording wrote to a cache with a lifetime of an hour"),
        (Usage(9, 9, 3), 300, "the cache is not recorded, so a lifetime of five minutes is assumed"),
        (Usage(9, 9), 0, "the recorded calls neither read nor wrote a cache, so none is assumed"),
        (None, 300, "the cache is not recorded, so a lifetime of five minutes is assumed"),
    ],
)
def test_the_lifetime_is_what_the_recording_tells(usage: Usage | None, seconds: int, reason: str) -> None:
    assert cache_lifetime(talk(60, usage=usage)) == CacheLifetime(seconds, False, reason)


def test_without_times_a_cache_forgets_nothing_and_that_is_said() -> None:
    session = talk(None, None, usage=None)
    session = session.with_messages(tuple(replace(message, time="") for message in session.messages))
    lifetime = cache_lifetime(session)
    assert lifetime.always_warm
    assert "no times are recorded" in lifetime.reason
    assert [read for read, *_ in bills(session)] == pytest.approx([0, 0.0003, 0.0006])


def test_times_that_cannot_be_read_are_no_times() -> None:
    session = talk(60)
    session = session.with_messages(tuple(replace(message, time="yesterday") for message in session.messages))
    assert cache_lifetime(session).always_warm


@pytest.mark.parametrize("time", ["yesterday", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "12"])
def test_no_time_that_a_record_holds_does_harm(time: str) -> None:
    session = talk(60, 60)
    odd = [replace(message, time=time) if place == 3 else message for place, message in enumerate(session.messages)]
    assert len(bills(session.with_messages(tuple(odd)))) == 3


PAUSES = st.lists(st.sampled_from([1.0, 200.0, 299.0, 400.0, 3_000.0, 4_000.0]) | st.none(), max_size=8)


@given(PAUSES, st.sampled_from([FIVE, HOUR, Usage(500, 5), Usage(1_000, 10, 700, 100), None]))
def test_a_cache_that_forgets_costs_between_one_that_never_does_and_one_that_always_does(
    pauses: list[float | None], usage: Usage | None
) -> None:
    session = talk(*pauses, usage=usage)
    life = cache_lifetime(session)
    warm = replace(life, always_warm=True)
    least, real = (sum(map(sum, bills(session, lifetime))) for lifetime in (warm, life))
    sizes = [1_000 * number for number, _ in enumerate(session.turns(), 1)]
    most = sum(sizes) * (6.0 if life.for_an_hour else 3.75) / 1e6
    assert least - 1e-12 <= real <= most + 1e-12


def outcome(session: Session, recorded: bool = True) -> Replay:
    return replay(session, sized(session), RECORDED if recorded else NONE, PRICE)


def test_a_recording_is_billed_as_reported_and_simulated_beside() -> None:
    session = talk(400)
    own, none = outcome(session), outcome(session, recorded=False)
    # twice 1,000 written at 3.75 and 10 out at 15, beside what was fresh
    assert own.parts.cache_write == pytest.approx(0.0075)
    assert own.parts.output == pytest.approx(0.0003)
    assert (own.basis, none.basis) == ("reported", "simulated")
    assert own.simulated == none.simulated == none.parts
    assert own.cost != none.cost


def test_a_reported_call_that_wrote_a_summary_is_part_of_what_a_recording_cost() -> None:
    session = talk(None, 1.0)
    place = session.turns()[-1] - 1
    summary = replace(session.messages[place], kind="summary", usage=Usage(50_000, 900), parent=-1)
    messages = (*session.messages[:place], summary, *session.messages[place + 1 :])
    compacted = session.with_messages(messages)
    calls = reported_calls(compacted, PRICE)
    assert calls is not None and calls.calls == len(session.turns()) + 1
    assert outcome(compacted).cost == pytest.approx(calls.cost)


def test_of_a_recording_that_reports_some_calls_the_rest_is_simulated() -> None:
    session = talk(60)
    messages = [*session.messages[:-1], replace(session.messages[-1], usage=None)]
    assert outcome(session.with_messages(tuple(messages))).basis == "partly reported"


@given(PAUSES, st.booleans())
def test_the_parts_of_a_replay_add_up(pauses: list[float | None], recorded: bool) -> None:
    done = outcome(talk(*pauses), recorded)
    assert sum(astuple(done.parts)) == pytest.approx(done.cost) == pytest.approx(sum(f.cost for f in done.calls))


@pytest.mark.parametrize(
    ("reported", "visible", "whole", "estimated"),
    [
        (Usage(9, 500), 400, 500, 0),  # a model writes more than can be read: it thinks
        (Usage(9, 380), 400, 380, 0),  # about what it says
        (Usage(9, 1), 400, 400, 399),  # the first word
        (Usage(9, 1), 17, 1, 0),  # "ok", counted with all that stands around a message
        (None, 40, 40, 40),
    ],
)
def test_output_that_is_less_than_what_can_be_read_is_estimated(
    reported: Usage | None, visible: int, whole: int, estimated: int
) -> None:
    assert whole_output(reported, visible) == (whole, estimated)


def split(session: Session) -> Session:
    """The same calls, each written down as two replies that report one usage."""
    messages = list[Message]()
    for message in session:
        pieces = [message, replace(message, id=f"{message.id}b")] if message.role == "assistant" else [message]
        for piece in pieces:
            messages.append(replace(piece, parent=len(messages) - 1))
    return session.with_messages(tuple(messages))


@given(PAUSES, st.sampled_from([FIVE, HOUR, Usage(1_000, 10, 700, 100)]))
def test_a_call_that_is_written_down_as_two_replies_is_billed_once_and_in_full(
    pauses: list[float | None], usage: Usage
) -> None:
    whole = talk(*pauses, usage=usage)
    one, two = outcome(whole, recorded=False), outcome(split(whole), recorded=False)
    assert (two.turns, two.basis) == (one.turns, one.basis)
    assert one.tokens_sent <= two.tokens_sent < one.tokens_sent + sum(sized(split(whole)).tokens) * one.turns
    assert one.cost <= two.cost <= one.cost * 1.5
    assert [frame.turn for frame in two.frames] == list(range(1, 2 * one.turns + 2))
