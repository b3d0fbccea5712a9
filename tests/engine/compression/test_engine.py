"""The keeper: one log, a stack of plans, and when a plan is made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest

from inspector.core.conversation import Message, Session
from inspector.engine.compression.engine import CompressionEngine
from inspector.engine.compression.policy import Policy
from inspector.engine.strategies import Services
from inspector.engine.strategies.services import Summariser
from inspector.engine.summaries import SummaryError
from inspector.llm.providers import text_message
from inspector.llm.tokens.counting import count_message
from tests.engine.compression.feeding import LONG, feed, keeper_of, worked
from tests.generated import LETTERS, Ask, Call, Notice, Reply, System, recorded, sized
from tests.refusals import standing_refusals


def gone_wrong(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    raise SummaryError("The model does not exist.")


def broken(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    raise RuntimeError("no such thing")


def empty(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    return " \n"


def endless(_messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
    return "and so on " * 5_000


@pytest.mark.parametrize(
    ("summarise", "words"),
    [
        (gone_wrong, "The model does not exist."),
        (broken, "The summariser failed: RuntimeError: no such thing"),
        (empty, "The summariser returned an empty summary."),
        (endless, "no less than"),
    ],
)
@pytest.mark.parametrize("strategy", ["sliding_window", "selective", "summarize_half", "auto", "pipeline"])
def test_a_summary_that_fails_leaves_the_window_as_it_was_and_says_so(
    summarise: Summariser, words: str, strategy: str
) -> None:
    keeper = keeper_of(Policy(strategy, threshold=400), *worked(14), services=Services(summarise=summarise))
    before = keeper.window()
    assert keeper.compress() is None
    assert keeper.window().messages is before.messages
    assert keeper.window().tokens is before.tokens
    assert keeper.plans == []
    assert keeper.failures == 1
    assert words in keeper.last_failure


def test_an_id_is_taken_once() -> None:
    keeper = keeper_of(Policy(), Ask(), Reply())
    with pytest.raises(ValueError, match="a message with the id 'm0'"):
        keeper.append(keeper.log[0], 10)


def test_a_notice_is_in_the_log_but_not_in_the_window() -> None:
    keeper = keeper_of(Policy(), Ask(), Notice(), Reply())
    assert [message.id for message in keeper.log] == ["m0", "m1", "m2"]
    assert keeper.window().ids == ("m0", "m2")
    assert keeper.total == keeper.window().total == keeper.full_window().total


def test_it_does_not_compress_at_every_message_where_what_stays_is_above_the_threshold() -> None:
    session = recorded(worked(60))
    keeper = CompressionEngine(Policy(settings={"keep_recent": 10}, threshold=500), session.context, sized(session))
    attempts = []
    for number, message in enumerate(session.messages):
        keeper.append(message, count_message(message, LETTERS))
        if keeper.due:
            attempts.append((number, keeper.compress() is not None))
    gaps = [later - earlier for (earlier, _), (later, _) in pairwise(attempts)]
    assert min(gaps[3:]) > 1
    assert sum(result for _, result in attempts) > 5


def test_a_newer_pass_takes_the_earlier_summary_in() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 2}, threshold=400), *worked(8))
    first = keeper.compress()
    session = recorded(worked(20))
    feed(keeper, session.messages[16:])
    second = keeper.compress()
    assert first
    assert second
    assert "summary 1" in second.plan.sources("summary 2")
    assert [message.id for message in keeper.window().messages if message.kind == "summary"] == ["summary 2"]


def test_taking_a_plan_back_restores_the_very_same_window() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 2}, threshold=400), *worked(8))
    before = keeper.window()
    result = keeper.compress()
    assert result
    assert keeper.undo() is result.plan
    assert keeper.window().messages == before.messages
    assert keeper.window().tokens == before.tokens
    assert not keeper.due, "what was taken back is not made again at once"
    assert keeper.undo() is None


def test_messages_that_came_in_meanwhile_stay_as_they_are() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 2}, threshold=400), *worked(8))
    attempt = keeper.attempt()
    more = recorded(worked(10)).messages[16:]
    feed(keeper, more)
    result = keeper.settle(attempt)
    assert result
    assert keeper.window().messages[-4:] == more
    assert keeper.total == keeper.window().total
    assert result.before.ids[-4:] == tuple(message.id for message in more)


def test_an_attempt_whose_summary_failed_is_never_applied_however_much_it_would_save() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 2}, threshold=400), *worked(8))
    attempt = keeper.attempt()
    assert attempt.savings > 100
    assert keeper.settle(replace(attempt, failure="The model does not exist.")) is None
    assert keeper.plans == []
    assert keeper.last_failure == "The model does not exist."


def test_after_a_pass_some_has_to_come_in_before_the_next() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 4}, threshold=400), *worked(8))
    keeper.trigger.note_failure(keeper.total, len(keeper), "It was too little.")
    assert keeper.compress()
    assert keeper.total > keeper.policy.aim
    assert keeper.trigger.level == keeper.total + keeper.policy.room
    assert keeper.trigger.attempts == 0
    assert not keeper.due


def test_a_system_message_leads_also_when_it_comes_after_a_pass() -> None:
    keeper = keeper_of(Policy(settings={"keep_recent": 2}, threshold=400), System(), *worked(8))
    assert keeper.compress()
    keeper.append(text_message("late", "system", "Be briefer.", "openai"), 5)
    assert keeper.window().ids[:2] == ("m0", "late")
    assert keeper.context().ids == keeper.window().ids


def test_a_rehearsal_asks_for_no_summary_that_would_not_be_worth_it() -> None:
    requests = []

    def counted(messages: Sequence[Message], _target: int, _count: Callable[[str], int]) -> str:
        requests.append(len(messages))
        return "short"

    keeper = keeper_of(Policy(threshold=100), *worked(3), services=Services(summarise=counted))
    keeper.settle(keeper.attempt(rehearse=True))
    assert requests == []
    assert "nothing is older than the newest 20 messages" in keeper.no_op_reason(keeper.attempt())
    feed(keeper, recorded(worked(30)).messages[6:])
    assert keeper.settle(keeper.attempt(rehearse=True))
    assert len(requests) == 1


def test_past_the_limit_fewer_of_the_newest_stay_than_the_settings_say() -> None:
    policy = Policy(settings={"keep_recent": 20}, threshold=500, limit=1_000)
    keeper = keeper_of(policy, *worked(9))
    assert keeper.total > 1_000
    result = keeper.compress()
    assert result
    assert keeper.total <= 1_000
    assert result.plan.settings["keep_recent"] < 20


def test_system_messages_stay_unless_they_may_leave() -> None:
    steps = [System("Be brief. " * 40), Ask(), Reply(), System("Be briefer. " * 40), *worked(6)]
    policy = Policy("deletion", {"keep_recent": 2}, threshold=400)
    roles = []
    for preserve in (True, False):
        keeper = keeper_of(replace(policy, preserve_system=preserve), *steps)
        assert keeper.compress()
        roles.append([message.role for message in keeper.context().messages].count("system"))
    assert roles == [2, 0]


def test_calls_that_wait_survive_a_pass_between_them_and_their_results() -> None:
    steps = [*worked(8), Ask("Go on."), Reply(None, (Call("a", "now", LONG), Call("b", "later", LONG)))]
    session = recorded(steps)
    policy = Policy("deletion", {"keep_recent": 0}, threshold=400)
    keeper = CompressionEngine(policy, session.context, sized(session))
    feed(keeper, session.messages[:-1])
    assert keeper.compress()
    caller = next(message for message in session.messages if message.calls)
    assert caller in keeper.context().messages
    feed(keeper, session.messages[-1:])
    assert list(standing_refusals(keeper.context(), "openai")) == []
    assert keeper.context().messages[-3:] == session.messages[-3:]


def test_appending_looks_at_no_message_but_the_new_one() -> None:
    """Counted, not timed: calls into the package for each message, with 200 and with 20,000 there already."""
    calls = []
    for there in (200, 20_000):
        session = Session("s", "", "test", ())
        keeper = CompressionEngine(Policy(enabled=False), session.context, sized(session))
        for number in range(there):
            keeper.append(text_message(f"m{number}", "user", "ok", "openai"), 5)
        new = text_message("new", "assistant", "ok", "openai")
        calls.append(lines_run(partial(taken_in, keeper, new)))
    assert calls[0] == calls[1]


def taken_in(keeper: CompressionEngine, message: Message) -> tuple[bool, int]:
    keeper.append(message, 5)
    return keeper.due, keeper.total


def lines_run(work: Callable[[], object]) -> int:
    """Lines of Python that some work runs."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def test_feeding_a_long_conversation_costs_a_constant_for_each_message() -> None:
    """Counted, not timed: messages handed to a strategy, for each message fed."""
    work = []
    for turns in (400, 3_200):
        session = recorded(worked(turns, "word " * 30))
        keeper = CompressionEngine(
            Policy("deletion", {"keep_recent": 10}, threshold=2_000), session.context, sized(session)
        )
        handed = 0
        for message in session.messages:
            keeper.append(message, 35)
            if keeper.due:
                handed += len(keeper)
                keeper.compress()
        work.append(handed / len(session.messages))
    assert work[1] <= 1.1 * work[0]
