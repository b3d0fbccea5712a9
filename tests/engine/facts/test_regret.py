"""What was lost and then needed after all."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given

from inspector.core.conversation import Message, Session
from inspector.engine.facts import FactIndex, FactTracker, Need, Regret, Weights, extract, find_unmet_needs
from inspector.llm.providers import message_from_raw, with_placeholder
from tests.engine.facts.conversations import Course, conversation, courses, message, session


def regretted_by(ledger: FactTracker, turn: int, reply: Message) -> tuple[Need, ...]:
    """What a reply needed and was lost."""
    regret = find_unmet_needs(ledger, turn, reply).regret
    return regret.needs if regret else ()


def recalled_by(ledger: FactTracker, turn: int, reply: Message) -> tuple[Need, ...]:
    recall = find_unmet_needs(ledger, turn, reply).recall
    return recall.needs if recall else ()


def followed(course: Course) -> Iterator[tuple[int, Message, FactTracker, tuple[Need, ...], tuple[Need, ...]]]:
    """Each reply with its turn, the ledger before it is added, and what it regrets and recalls."""
    ledger = FactTracker(FactIndex(course.session))
    for turn, request in enumerate(course.requests, 1):
        for each in request.added:
            if each.role == "assistant":
                yield turn, each, ledger, regretted_by(ledger, turn, each), recalled_by(ledger, turn, each)
            ledger.add([each])
        ledger.show(turn, request.window, request.archived)


@given(courses())
def test_a_regret_names_who_told_the_fact_and_who_needed_it(course: Course) -> None:
    index = FactIndex(course.session)
    place = {each.id: at for at, each in enumerate(course.session.messages)}
    by_id = {each.id: each for each in course.session.messages}
    for turn, reply, ledger, regretted, _ in followed(course):
        need_event = find_unmet_needs(ledger, turn, reply).regret
        assert need_event is None or (need_event.turn, need_event.message) == (turn, reply.id)
        for each in regretted:
            assert place[each.source] < place[reply.id]
            fact = (each.cls, each.fact)
            assert fact in {(told.cls, told.text) for told in extract(by_id[each.source])}
            assert fact in {index.facts[needed][:2] for needed in index.facts_of(reply).needs}


@given(courses())
def test_what_is_regretted_was_lost_before_its_turn_and_had_been_there_until_then(course: Course) -> None:
    index = FactIndex(course.session)
    terms = {known[:2]: known.term for known in index.facts}
    for turn, _, ledger, regretted, _ in followed(course):
        for each in regretted:
            term = terms[each.cls, each.fact]
            assert 1 <= each.lost_at < turn
            for seen in range(each.lost_at, turn):
                assert all(term not in index.facts_of(told).terms for told in course.requests[seen - 1].window)
            before = [*course.log(each.lost_at)] + [told for r in course.requests[: each.lost_at] for told in r.window]
            assert any(term in index.facts_of(told).terms for told in before)
            assert not any(term in index.facts_of(told).terms for told in ledger.window)


@given(courses())
def test_a_fact_is_regretted_or_recalled_and_never_both(course: Course) -> None:
    for _, _, ledger, regretted, recalled in followed(course):
        lost = {known[:2] for known, _ in ledger.facts("lost")}
        reachable = {known[:2] for known, _ in ledger.facts("recoverable")}
        assert {(each.cls, each.fact) for each in regretted} <= lost
        assert {(each.cls, each.fact) for each in recalled} <= reachable
        assert not any(each.lost_at for each in recalled)
        assert not (regretted and recalled)


@given(courses())
def test_where_everything_is_kept_nothing_is_regretted(course: Course) -> None:
    ledger, window = FactTracker(FactIndex(course.session)), list[Message]()
    for turn, request in enumerate(course.requests, 1):
        for each in request.added:
            assert find_unmet_needs(ledger, turn, each) == (None, None)
            ledger.add([each])
            window.append(each)
        ledger.show(turn, window)


def dropped(talk: Session) -> FactTracker:
    """A ledger of all but the last message, whose first message is dropped with turn 2."""
    ledger = FactTracker(FactIndex(talk))
    ledger.add(talk.messages[:-1])
    ledger.show(2, talk.messages[1:-1])
    return ledger


def test_a_number_that_is_dropped_and_then_said_is_regretted() -> None:
    talk = conversation("The total is 3845.", "Noted.", "What was it?", "It was 3845.")
    ledger = dropped(talk)
    assert find_unmet_needs(ledger, 5, talk.messages[-1]).regret == Regret(
        5, "m4", (Need("total 3845", "number", 2, "m1"),)
    )


def test_it_is_regretted_once_for_each_loss() -> None:
    talk = conversation("The total is 3845.", "Noted.", "What was it?", "It was 3845.", "Sure?", "3845.")
    ledger = FactTracker(FactIndex(talk))
    ledger.add(talk.messages[:3])
    ledger.show(2, talk.messages[1:3])
    assert len(regretted_by(ledger, 3, talk.messages[3])) == 1
    ledger.add(talk.messages[3:5])
    assert regretted_by(ledger, 4, talk.messages[5]) == ()
    ledger.show(5, talk.messages[4:5])
    assert [each.lost_at for each in regretted_by(ledger, 6, talk.messages[5])] == [5]


def test_what_could_be_had_back_is_recalled_and_not_regretted() -> None:
    talk = conversation("The total is 3845.", "Noted.", "What was it?", "It was 3845.")
    ledger = FactTracker(FactIndex(talk))
    ledger.add(talk.messages[:3])
    ledger.show(2, talk.messages[1:3], ["m1"])
    regret, recall = find_unmet_needs(ledger, 3, talk.messages[3])
    assert regret is None
    assert recall == Regret(3, "m4", (Need("total 3845", "number", 0, "m1"),))


def test_a_path_that_a_placeholder_took_is_regretted_when_a_tool_is_given_it() -> None:
    found = message("m1", "src/feed/load.py:12: import csv", "tool")
    asked = message("m2", "Open it.")
    opened = message("m3", "Reading src/feed/load.py now.", "assistant")
    talk = session([found, asked, opened])
    ledger = FactTracker(FactIndex(talk))
    ledger.add([found, asked])
    ledger.show(1, [with_placeholder(found, "[an old result]"), asked])
    regret = find_unmet_needs(ledger, 2, opened).regret
    assert regret is not None
    assert (regret.fact, regret.source, regret.message, regret.lost_at) == ("src/feed/load.py", "m1", "m3", 1)


@pytest.mark.parametrize("said", ["Good.", "The total is fine.", "It was 99.", "Tell me the number."])
def test_a_reply_that_does_not_say_it_does_not_need_it(said: str) -> None:
    talk = conversation("The total is 3845.", "Noted.", "What was it?", said)
    assert regretted_by(dropped(talk), 5, talk.messages[-1]) == ()


@pytest.mark.parametrize("common", ["There are 100 files.", "It is README.md.", "It was in 2026."])
def test_what_anybody_may_say_any_time_is_never_regretted(common: str) -> None:
    talk = conversation(common, "Noted.", "Again?", common)
    ledger = dropped(talk)
    assert list(ledger.facts("lost"))
    assert regretted_by(ledger, 5, talk.messages[-1]) == ()


@pytest.mark.parametrize(
    ("told", "is_regretted"),
    [
        ("It calls `errors.Is()` first.", False),
        ("It is in `__post_init__()` then.", False),
        ("The model is claude-sonnet-4-20250514 here.", False),
        ("It compares `HEAD` with main.", False),
        ("It calls `gates.OpenAll()` first.", True),
    ],
)
def test_names_that_every_author_knows_are_never_regretted(told: str, is_regretted: bool) -> None:
    talk = conversation(told, "Noted.", "Again?", told)
    assert bool(regretted_by(dropped(talk), 5, talk.messages[-1])) is is_regretted


def test_the_weightiest_comes_first() -> None:
    words = "It is 2026-03-29, the order HR-204417, and you must never delete the ledger."
    talk = conversation(words, "Noted.", "Again?", words)
    assert [each.cls for each in regretted_by(dropped(talk), 5, talk.messages[-1])] == ["constraint", "id", "date"]


@pytest.mark.parametrize(("window", "is_regretted"), [("Sort the Crane_List.", False), ("Sort the list.", True)])
def test_the_file_of_a_class_that_the_window_names_is_not_missed(window: str, is_regretted: bool) -> None:
    talk = conversation("It is in crane_list.rb now.", "Good.", window, "I change crane_list.rb then.")
    assert bool(regretted_by(dropped(talk), 3, talk.messages[-1])) is is_regretted


@pytest.mark.parametrize(
    ("told", "window", "is_regretted"),
    [
        ("src/erk/pr/meta_helpers.py", "from erk.pr.meta_helpers import store", False),
        ("src/erk/pr/meta_helpers.py", "see tests/pr/test_meta_helpers.py", True),
        ("src/erk/pr/meta.py", "from erk.pr.meta import store", True),
        ("gates/docs/REPOSITORY.md", "Update the docs repository.", True),
        ("session-manager.ts", 'import { open } from "../core/session-manager.js"', False),
        ("compaction.ts", 'import { open } from "../core/compaction.js"', False),
        ("compaction.ts", "after each compaction", True),
    ],
)
def test_the_file_of_a_module_that_the_window_imports_is_not_missed(told: str, window: str, is_regretted: bool) -> None:
    talk = conversation(f"It is in {told} now.", "Good.", window, f"I change {told} then.")
    assert bool(regretted_by(dropped(talk), 3, talk.messages[-1])) is is_regretted


def test_a_call_whose_method_the_window_names_is_not_missed() -> None:
    talk = conversation("Use `ctx.github.dispatch_workflow()`.", "Good.", "Add dispatch_workflow.", "It is added.")
    said = conversation("I call `ctx.github.dispatch_workflow()` here.").messages[0]
    assert regretted_by(dropped(talk), 3, said) == ()


def test_printed_warnings_ranges_of_commits_and_sections_of_standards_are_not_missed() -> None:
    path = "/usr/lib/agents/flow_control.py"
    printed = f"Stalled.\n{path}:184: UserWarning: Mismatch.\n  await run("
    for said, is_regretted in ((printed, False), (f"{printed}\nI open {path} now.", True)):
        talk = conversation(f"It is {path}:12 then.", "Good.", "Again?", said)
        assert bool(regretted_by(dropped(talk), 3, talk.messages[-1])) is is_regretted
    for said in (
        "It compares origin/main...HEAD then.",
        "It returns rows.map(load) there.",
        "See RFC 8693, section 2.1.",
    ):
        talk = conversation(said, "Good.", "Again?", said)
        assert not {each.cls for each in regretted_by(dropped(talk), 3, talk.messages[-1])} & {"path", "number"}
    talk = conversation("It is in section 2.1 now.", "Good.", "Again?", "It is in section 2.1 now.")
    assert regretted_by(dropped(talk), 3, talk.messages[-1])


@pytest.mark.parametrize(
    ("kept", "regretted"), [("The council met on 14 July.", []), ("The council met on 15 July.", ["2026-07-14"])]
)
def test_a_full_date_is_not_missed_where_its_day_and_month_are_still_told(kept: str, regretted: list[str]) -> None:
    talk = conversation("It is due on 2026-07-14.", "Good.", kept, "So it is 2026-07-14.")
    ledger = dropped(talk)
    assert [each.fact for each in regretted_by(ledger, 3, talk.messages[-1]) if each.cls == "date"] == regretted


def calling(name: str, **arguments: object) -> Message:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return message_from_raw("m9", {"role": "assistant", "content": None, "tool_calls": [call]}, "openai")


def test_one_reply_that_needs_many_facts_is_one_regret() -> None:
    days = "2026-03-29, 2026-04-02, 2026-05-11 and 2026-06-30"
    talk = conversation(f"We meet on {days}.", "Noted.", "Again?", f"On {days}, then.")
    regret = find_unmet_needs(dropped(talk), 5, talk.messages[-1]).regret
    assert regret is not None
    assert [regret.fact, *(need.fact for need in regret.more)] == [
        "2026-03-29",
        "2026-04-02",
        "2026-05-11",
        "2026-06-30",
    ]


def test_other_weights_put_another_need_first() -> None:
    needs = (Need("4711", "number", 1, "m1"), Need("a@b.example", "email", 1, "m1"))
    regret = Regret(3, "m2", needs)
    assert regret.sorted_by(Weights({"email": 5.0})).fact == "a@b.example"
    assert regret.sorted_by(Weights()).needs == needs


@pytest.mark.parametrize(
    ("arguments", "needs"),
    [
        ({"path": "notes.txt", "offset": 4711}, []),
        ({"path": "notes.txt", "head_limit": "4711"}, []),
        ({"path": "notes.txt", "view_range": [1, 4711]}, []),
        ({"path": "notes.txt", "timeout_ms": 4711.0}, []),
        ({"path": "notes.txt", "text": "order 4711"}, ["4711 lines"]),
        ({"path": "notes.txt", "text": '"limit": 4711'}, ["4711 lines"]),
    ],
)
def test_how_much_a_tool_is_asked_for_needs_no_memory(arguments: dict[str, object], needs: list[str]) -> None:
    log = [message("m1", "There were 4711 lines."), message("m2", "Good.", "assistant"), calling("read", **arguments)]
    ledger = dropped(session(log))
    assert [need.fact for need in regretted_by(ledger, 3, log[-1])] == needs


@pytest.mark.parametrize(
    ("window", "is_regretted"),
    [
        ("The newest is /srv/tide/feed/load.py there.", False),
        ("It is in `/SRV/tide`.", False),
        ("The newest is /srv/tidal/feed/load.py there.", True),
        ("It is tide.", True),
    ],
)
def test_a_folder_that_the_window_tells_in_any_spelling_is_not_missed(window: str, is_regretted: bool) -> None:
    talk = conversation("All is in /srv/tide/ now.", "Good.", window, "I look into /srv/tide/ then.")
    assert bool(regretted_by(dropped(talk), 3, talk.messages[-1])) == is_regretted
