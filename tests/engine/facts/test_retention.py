"""Where facts are while a session is replayed: in the window, to be had back, or lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Message
from inspector.engine.facts import FactIndex, FactTracker, Weights, kept_in
from inspector.engine.facts.classes import NAMES, FactClass
from inspector.engine.facts.held_words import HeldWords
from inspector.engine.facts.retained_facts import STATES, RetainedFact, Retention, State
from inspector.engine.facts.text_match import phrase, plain_words, texts_of
from inspector.engine.facts.unmet_needs import find_unmet_needs
from inspector.llm.providers import with_placeholder
from tests.engine.facts.conversations import Course, conversation, courses, message, session


def placed(ledger: FactTracker) -> dict[State, list[tuple[str, str, str]]]:
    """The facts in each state, as class, text and source."""
    return {state: sorted((known.cls, known.text, source) for known, source in ledger.facts(state)) for state in STATES}


def follow(course: Course) -> list[dict[State, list[tuple[str, str, str]]]]:
    ledger, states = FactTracker(FactIndex(course.session)), []
    for turn, request in enumerate(course.requests, 1):
        ledger.add(request.added)
        ledger.show(turn, request.window, request.archived)
        states.append(placed(ledger))
    return states


@given(courses())
def test_what_is_followed_turn_by_turn_is_what_is_found_from_scratch(course: Course) -> None:
    index = FactIndex(course.session)
    ledger = FactTracker(index)
    for turn, request in enumerate(course.requests, 1):
        ledger.add(request.added)
        ledger.show(turn, request.window, request.archived)
        anew = FactTracker(FactIndex(course.session))
        anew.add(course.log(turn))
        anew.show(turn, request.window, course.archive(turn))
        assert placed(ledger) == placed(anew)
        assert ledger.retention() == anew.retention()
        assert ledger.retention() == kept_in(index, course.log(turn), request.window, course.archive(turn))


@given(courses())
def test_a_term_of_a_summary_is_stated_or_named_as_if_all_of_it_was_read_at_once(course: Course) -> None:
    index, turn = FactIndex(course.session), len(course.requests)
    log = course.log(turn)
    window = [replace(each, kind="summary") if each not in index.log else each for each in course.requests[-1].window]
    ledger = FactTracker(index)
    ledger.add(log)
    ledger.show(turn, window)
    end = 1 + max((index.statements.place_of(each) for each in log), default=0)
    facts = [index.facts_of(each, end) for each in window]
    told = {term for row in facts for term in row.terms} | set(index.always)
    named = {term for row in facts for term in row.names} - told
    assert {term for term in range(len(index)) if ledger.is_retained(term)} == told
    assert named <= {term for term in range(len(index)) if ledger.state_of(term) in ("named", "retained")}


@given(courses())
def test_a_fact_is_where_the_messages_are_that_tell_it(course: Course) -> None:
    index = FactIndex(course.session)

    def told(messages: list[Message]) -> set[int]:
        return {term for each in messages for term in index.facts_of(each).terms} | set(index.always)

    for turn, states in enumerate(follow(course), 1):
        window = course.requests[turn - 1].window
        log = {each.id: each for each in course.log(turn)}
        here, there = told(list(window)), told([log[name] for name in course.archive(turn) if name in log])
        literally = "".join(plain_words(text for text, _ in texts_of(each)) for each in window)
        words = {term: [phrase(index.facts[fact].text) for fact in facts] for term, facts in enumerate(index.by_term)}
        here |= {term for term, phrases in words.items() if any(each in literally for each in phrases)}
        for known in (index.facts[fact] for each in log.values() for fact in index.facts_of(each).facts):
            state: State = "retained" if known.term in here else "recoverable" if known.term in there else "lost"
            assert [at for at in STATES if (known.cls, known.text) in [each[:2] for each in states[at]]] == [state]


@given(courses())
def test_every_fact_is_counted_once_and_the_counts_are_those_of_the_facts(course: Course) -> None:
    ledger = FactTracker(FactIndex(course.session))
    for turn, request in enumerate(course.requests, 1):
        ledger.add(request.added)
        ledger.show(turn, request.window, request.archived)
        states, retention = placed(ledger), ledger.retention()
        facts = [fact[:2] for state in STATES for fact in states[state]]
        assert len(facts) == len(set(facts)) == len(ledger.source)
        for name in NAMES:
            counted = [sum(cls == name for cls, _, _ in states[state]) for state in STATES]
            kept = retention.classes.get(name)
            assert counted == ([kept.retained, kept.named, kept.recoverable, kept.lost] if kept else [0] * 4)
        assert 0 <= retention.share <= retention.reach <= 1


@given(courses(), st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 1.0, 5.0])))
def test_weights_change_the_share_and_not_where_a_fact_is(course: Course, given: dict[str, float]) -> None:
    index, weights = FactIndex(course.session), Weights({"constraint": 1.0} | given | {"tool": 1.0})
    one, other = FactTracker(index), FactTracker(index, weights)
    for turn, request in enumerate(course.requests, 1):
        for ledger in (one, other):
            ledger.add(request.added)
            ledger.show(turn, request.window, request.archived)
        assert placed(one) == placed(other)
        weighed = other.retention()
        assert 0 <= weighed.share <= weighed.reach <= 1
        if not any(kept.lost + kept.recoverable for name, kept in weighed.classes.items() if weights[name]):
            assert weighed.share == 1


def test_classes_of_weight_zero_do_not_count() -> None:
    talk = conversation("The order HR-204417 is late.", "You must never delete the ledger.")
    index, log = FactIndex(talk), talk.messages
    assert kept_in(index, log, log[:1], weights=Weights({"constraint": 0.0})).share == 1
    assert kept_in(index, log, log[:1], weights=Weights({"id": 0.0})).share == 0
    assert kept_in(index, log, (), weights=Weights({name: float(name == "url") for name in NAMES})).share == 1


def test_the_label_survives_and_the_value_is_lost() -> None:
    talk = conversation("The total is 3845 and the order is HR-204417.", "Good.")
    summary = message("summary", "The total and the order were looked at.")
    retention = kept_in(FactIndex(talk), talk.messages, [summary, talk.messages[1]])
    assert {name: kept.lost for name, kept in retention.classes.items()} == {"number": 1, "id": 1}
    assert retention.share == retention.reach == 0


def test_a_short_value_that_survives_under_another_label_is_lost() -> None:
    talk = conversation("The timeout is 6 and there are 412 files.", "Good.")
    summary = message("summary", "There are 6 files; 412 of them.")
    lost = FactTracker(FactIndex(talk))
    lost.add(talk.messages)
    lost.show(1, [summary])
    assert [known.text for known, _ in lost.facts("lost")] == ["timeout 6"]


def test_a_summary_that_says_a_value_in_other_words_keeps_it() -> None:
    talk = conversation("The total is 3,845.", "It stands in /srv/tide/load.py.", "Then open load.py.")
    summary = message("summary", "load.py has the sum of 3845")
    assert kept_in(FactIndex(talk), talk.messages, [summary]).share == 1


def summary(text: str) -> Message:
    return replace(message("summary", text), kind="summary")


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("The order HR-204417 was late.", "retained"),
        ("late: HR-204417 (the order)", "retained"),
        ("order: HR-204417", "named"),
        ("- HR-204417", "named"),
        ("HR-204417, HR-999999, 17.3", "named"),
        ("Identifiers: HR-204417, HR-999999", "named"),
        ("- `hr-204417`", "named"),
        ("- HR-204418", "lost"),
        ("an order", "lost"),
    ],
)
def test_a_bare_value_in_a_summary_is_only_named(line: str, state: State) -> None:
    talk = conversation("The order HR-204417 is late.", "Good.")
    ledger = FactTracker(FactIndex(talk))
    ledger.add(talk.messages)
    ledger.show(1, [summary(f"What was said\n{line}\nand more"), talk.messages[1]])
    assert [at for at in STATES if placed(ledger)[at]] == [state]
    share = ledger.retention().share
    assert share == pytest.approx({"retained": 1, "named": 0.1}.get(state, 0))


def test_what_stands_word_for_word_in_the_window_is_not_lost() -> None:
    talk = conversation("Wrap `err != nil` and look at src/feed.", "Yes.", "Then `Err  !=\nNIL` in src/feed/load.py?")
    ledger = FactTracker(FactIndex(talk))
    ledger.add(talk.messages)
    ledger.show(1, talk.messages[1:])
    assert not placed(ledger)["lost"]
    ledger.show(2, talk.messages[1:2])
    assert "src/feed/load.py" in [text for _, text, _ in placed(ledger)["lost"]]


def test_a_result_in_part_holds_what_is_left_of_it() -> None:
    result = message("m1", "order HR-204417\norder HR-777777", "tool")
    ledger = FactTracker(FactIndex(session([result])))
    ledger.add([result])
    ledger.show(1, [with_placeholder(result, "order HR-204417 …")])
    assert [text for _, text, _ in placed(ledger)["retained"]] == ["HR-204417"]


def test_only_what_is_in_the_archive_can_be_brought_back() -> None:
    asked, result = message("m1", "How many?"), message("m2", "order HR-204417", "tool")
    talk = session([asked, result])
    index = FactIndex(talk)
    named, bare = with_placeholder(result, "[result of message m2]"), with_placeholder(result, "[an old result]")
    cases: list[tuple[list[Message], tuple[str, ...], State]] = [
        ([asked, result], (), "retained"),
        ([asked, named], (), "lost"),
        ([asked], ("m2",), "recoverable"),
        ([asked, bare], (), "lost"),
        ([asked], ("m1",), "lost"),
    ]
    for window, archived, state in cases:
        ledger = FactTracker(index)
        ledger.add(talk.messages)
        ledger.show(1, window, archived)
        assert placed(ledger)[state] == [("id", "HR-204417", "m2")]


@pytest.mark.parametrize("texts", [(), ("",), ("Good morning.", "And to you.")])
def test_where_nothing_is_told_nothing_is_lost(texts: tuple[str, ...]) -> None:
    talk = conversation(*texts)
    retention = kept_in(FactIndex(talk), talk.messages, ())
    assert retention.classes == {}
    assert retention.share == retention.reach == 1


def test_messages_may_be_named_twice_and_be_of_no_session() -> None:
    talk = conversation("The order HR-204417 is late.")
    ledger = FactTracker(FactIndex(talk))
    unsupported_file = message("x", "HR-204417 and HR-999999")
    ledger.add([*talk.messages, *talk.messages, unsupported_file])
    ledger.show(1, [unsupported_file, unsupported_file])
    assert placed(ledger)["retained"] == [("id", "HR-204417", "m1")]
    ledger.show(2, [])
    assert placed(ledger)["lost"] == [("id", "HR-204417", "m1")]


def test_sentences_and_values_are_halves_however_many_facts_and_classes_each_has() -> None:
    rows: dict[FactClass, RetainedFact] = {
        "constraint": RetainedFact(1),
        "decision": RetainedFact(1),
        "date": RetainedFact(lost=100),
    }
    assert Retention(rows).share == pytest.approx(0.5)
    assert Retention({"constraint": RetainedFact(1), "decision": RetainedFact(1)}).share == 1
    assert Retention({"date": RetainedFact(lost=100)}).share == 0


def test_in_a_half_more_facts_count_for_more_and_less_than_their_number() -> None:
    assert Retention({"date": RetainedFact(lost=9), "email": RetainedFact(1)}).share == pytest.approx(0.25)


def test_larger_weights_raise_a_whole_half() -> None:
    rows: dict[FactClass, RetainedFact] = {"constraint": RetainedFact(1), "date": RetainedFact(lost=4)}
    assert Retention(rows, Weights({"constraint": 30.0})).share == pytest.approx(10 / 11)
    assert Retention(rows, Weights({"date": 0.0})).share == 1
    assert Retention(rows, Weights({"constraint": 0.0})).share == 0


def test_a_fact_is_lost_at_the_first_request_that_has_it_in_no_way() -> None:
    talk = conversation(
        "Please fix the sorter.",
        "Good.",
        "Use class `parcelReaderTool` in the sorter.",
        "Fine.",
        "note parcelReaderTool-x and so on",
        "I used `parcelReaderTool` now.",
    )
    first, second, _, fourth, fifth, reply = talk.messages
    ledger = FactTracker(index := FactIndex(talk))
    ledger.add(talk.messages[:5])
    (term,) = {fact.term for fact in index.facts if fact.text == "parcelReaderTool"}
    ledger.show(3, [first, second, fourth, fifth])
    assert ledger.state_of(term) == "retained"
    ledger.show(9, [first, second])
    assert (ledger.state_of(term), ledger.lost_at(term)) == ("lost", 9)
    assert (regret := find_unmet_needs(ledger, 9, reply).regret) and regret.lost_at == 9


def test_a_phrase_is_held_by_one_message_and_not_by_two_together() -> None:
    first, other = message("m1", "the left pump"), message("m2", "valve of the tank")
    held = HeldWords(FactIndex(session([first, other])), [first])
    assert phrase("left pump") in held
    assert phrase("tank") not in held
    held.add(other)
    assert phrase("tank") in held
    assert phrase("pump valve") not in held
