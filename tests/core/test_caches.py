"""Caches by message: what they give, how large they become, and that they hold nothing that is gone."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from itertools import count

import pytest

from inspector.core.caches import MessageCache, text_of
from inspector.core.conversation import Message, Session
from inspector.engine.strategies import STRATEGIES, draft_plan, signals as signals_module
from inspector.engine.strategies.signals import signals
from inspector.engine.window import at_turn
from inspector.library import Workbench
from inspector.llm.tokens import identities as identities_module
from tests.generated import Ask, Reply, Step, recorded, sized, work


def messages(number: int) -> tuple[Message, ...]:
    return recorded([Ask(f"Count {place}.") for place in range(number)]).messages


def test_a_value_is_made_once_for_each_message() -> None:
    cache, numbers = MessageCache[int]("numbers"), count()
    first, second = messages(2)
    assert [cache.get(each, lambda _: next(numbers)) for each in (first, second, first, second)] == [0, 1, 0, 1]


def test_no_more_values_are_kept_than_there_may_be() -> None:
    cache = MessageCache[str]("names", limit=10)
    log = messages(25)
    for message in log:
        cache.get(message, lambda each: each.id)
        assert len(cache) <= 10
    assert "names" in repr(cache)
    cache.clear()
    assert len(cache) == 0


def test_texts_are_those_of_their_messages_however_long_they_are() -> None:
    log = recorded([Ask("short"), Ask("long " * 5_000)]).messages
    for _ in range(2):
        assert [text_of(message) for message in log] == [message.text for message in log]


def test_the_messages_of_one_window_are_kept_however_many_there_are() -> None:
    cache, numbers = MessageCache[int]("numbers", limit=10), count()
    log = messages(25)
    assert cache.get_all(log, lambda _: next(numbers)) == [*range(25)]
    assert cache.get_all(log, lambda _: next(numbers)) == [*range(25)]


def test_values_go_with_their_messages() -> None:
    cache = MessageCache[str]("names")
    log = messages(3)
    cache.get_all(log, lambda each: each.id)
    kept = log[1]
    del log
    gc.collect()
    assert len(cache) == 1
    assert cache.get(kept, lambda _: "made anew") == kept.id


def talk() -> Session:
    steps: list[Step] = [
        Ask("Count the orders of May in src/a.py. We decided to use it."),
        work(),
        work(),
        Reply("Three. " * 300),
    ]
    return recorded([*steps * 6, Ask("And of June?"), Reply("Four.")])


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_strategy_holds_the_messages_of_a_session_that_was_closed(name: str) -> None:
    session = talk()
    window = at_turn(session, sized(session))
    draft_plan(window, name)
    watched = [weakref.ref(message) for message in session.messages]
    del session, window
    gc.collect()
    assert [message for message in watched if message()] == []


def test_a_workbench_that_was_closed_holds_no_messages_either() -> None:
    session = talk()
    bench = Workbench(session, sized(session))
    bench.preview(strategy="vector_swap")
    bench.fact_index()
    watched = [weakref.ref(message) for message in session.messages]
    del session, bench
    gc.collect()
    assert [message for message in watched if message()] == []


def test_a_message_more_costs_strategies_the_reading_of_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    session = talk()
    shorter = replace(session, messages=session.messages[:-1])
    seen: list[str] = []
    read, content = signals_module._signals_of, identities_module._identity

    def counted_read(message: Message, marks: object) -> object:
        seen.append(message.id)
        return read(message, marks)  # type: ignore[arg-type]  # handed through as it came

    def counted_content(message: Message) -> bytes:
        seen.append(message.id)
        return content(message)

    monkeypatch.setattr(signals_module, "_signals_of", counted_read)
    monkeypatch.setattr(identities_module, "_identity", counted_content)
    for log in (shorter, session):
        seen.clear()
        window = at_turn(log, sized(log))
        signals(window)
        draft_plan(window, "dedupe", {"shortest": 0})
    assert seen == [session.messages[-1].id]
