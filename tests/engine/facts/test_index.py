"""An index that grows with its log, and the cache that keeps those that were asked for last."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message
from inspector.engine.facts import FACTS_EXTRACTOR, FactCache, FactIndex, fact_index as module
from inspector.engine.facts.extraction import ExtractedFacts, read
from inspector.engine.facts.text_match import phrase
from inspector.llm.providers import message_from_raw
from tests.engine.facts.conversations import SENTENCES, Course, conversation, courses, message, session

PATHS = ("load.py", "feed/load.py", "/srv/feed/load.py", "old/load.py", "91f3ba6", "91f3ba6d0c", "91f3ba6e11", "3845")
"""Terms that are the same as others, until a further one parts them or is the fuller one of both."""


def everything(index: FactIndex, log: Sequence[Message]) -> object:
    return (
        list(index.facts),
        list(index.by_term),
        index.numbers,
        index.always,
        index.days,
        [index.facts_of(each) for each in log],
        [index.is_missed(fact) for fact in range(len(index.facts))],
    )


@given(courses(), st.data())
def test_an_index_that_was_extended_is_the_index_of_the_whole_log(course: Course, data: st.DataObject) -> None:
    log = course.session.messages
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=4))), len(log)]
    index = FactIndex(session(()))
    for first, last in pairwise(cuts):
        index = index.extended(log[first:last])
    outside = [*log, *(each for request in course.requests for each in request.window)]
    assert everything(index, outside) == everything(FactIndex(course.session), outside)


@given(st.lists(st.sampled_from(PATHS), min_size=1, max_size=8), st.integers(0, 8))
def test_names_that_a_further_name_joins_or_parts_are_the_same_terms_as_in_the_whole_log(
    names: list[str], cut: int
) -> None:
    log = conversation(*[f"Look at {name} again." for name in names]).messages
    grown = FactIndex(session(log[:cut]))
    _ = everything(grown, log)
    assert everything(grown.extended(log[cut:]), log) == everything(FactIndex(session(log)), log)


def test_a_summary_in_the_log_tells_what_it_tells_in_other_words_also_of_facts_that_come_later() -> None:
    raw = {"role": "user", "content": "Never, ever delete the whole ledger."}
    summary = message_from_raw("s", raw, "openai", kind="summary")
    log = [message("m1", "Good morning."), summary, message("m2", "You must never delete the ledger of the depot.")]
    grown = FactIndex(session(log[:2])).extended(log[2:])
    assert everything(grown, log) == everything(FactIndex(session(log)), log)


def test_an_index_stays_as_it_is_when_it_is_extended() -> None:
    log = conversation(*SENTENCES).messages
    index = FactIndex(session(log[:5]))
    before = everything(index, log)
    index.extended(log[5:])
    assert everything(index, log) == before


@pytest.fixture
def extracted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the messages whose facts are extracted."""
    ids: list[str] = []

    def counted(message: Message) -> ExtractedFacts:
        ids.append(message.id)
        return read(message)

    monkeypatch.setattr(module, "FACTS_EXTRACTOR", replace(FACTS_EXTRACTOR, make=counted))
    return ids


def test_a_message_more_costs_the_extraction_of_one_message(extracted: list[str]) -> None:
    log = conversation(*SENTENCES * 30).messages
    cache = FactCache()
    cache.index_of(session(log[:-1]))
    assert len(extracted) == len(log) - 1
    extracted.clear()
    index = cache.index_of(session(log))
    assert extracted == [log[-1].id]
    _ = everything(index, log)
    assert extracted == [log[-1].id]


def test_a_log_that_was_asked_for_before_costs_nothing(extracted: list[str]) -> None:
    log, cache = conversation(*SENTENCES).messages, FactCache()
    assert session(log) not in cache
    index = cache.index_of(session(log))
    assert cache.index_of(session(log)) is index
    assert session(log) in cache
    assert len(extracted) == len(log)


def test_a_cache_keeps_the_logs_that_were_asked_for_last_and_forgets_the_others() -> None:
    talks = [conversation(f"The order HR-20441{number}.") for number in range(3)]
    cache = FactCache(limit=2)
    for talk in (talks[0], talks[1], talks[0], talks[2]):
        cache.index_of(talk)
    assert [talk in cache for talk in talks] == [True, False, True]
    assert len(cache) == 2
    cache.clear()
    assert len(cache) == 0


def test_a_log_that_took_another_way_is_read_anew() -> None:
    cache = FactCache()
    first, other = conversation("The order HR-204417.", "Yes."), conversation("The order HR-204418.", "Yes.")
    assert [fact.text for fact in cache.index_of(first).facts] == ["HR-204417"]
    assert [fact.text for fact in cache.index_of(other).facts] == ["HR-204418"]


def test_lines_are_remembered_by_all_indexes_of_a_log_and_read_for_what_each_of_them_knows() -> None:
    log = conversation("Good morning.", "The order is HR-204417.").messages
    before, told = FactIndex(session(log[:1])), message("s", "It was HR-204417.")
    assert before.facts_of(told).terms == ()
    after = before.extended(log[1:])
    assert after.facts_of(told).terms == (0,)
    assert before.facts_of(told).terms == ()


def test_an_index_that_was_used_finds_words_in_another_process_too() -> None:
    talk = conversation("Take the blue crate to hall 7.", "Good.")
    index, words = FactIndex(talk), phrase("blue crate")
    assert index.holders_of(words)
    log, there = pickle.loads(pickle.dumps((talk.messages, index)))
    assert there.holders_of(words) == (log[0],)
    assert there.extended([message("m9", "The blue crate is there.")]).holders_of(words)[0] is log[0]
