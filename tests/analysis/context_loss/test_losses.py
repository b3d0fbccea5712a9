"""What a recorded compaction and a plan lose, where it was needed, and the text that gives it back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from inspector.analysis.context_loss import (
    Losses,
    count_losses,
    describe_counts,
    describe_seal,
    group_losses,
    loss_history,
    plan_losses,
    restore_plan,
)
from inspector.core.conversation import Message, Session
from inspector.engine.facts import FactIndex
from inspector.engine.window import at_turn, manual_plan, view
from inspector.llm.providers import message_from_raw
from tests.generated import conversations, sized

RULE = "You must never write the harbour sheet before the office has signed."
CODE = "The booking is HR-204417, under the name of the pilot."


def recording(summary: str = "The work went well.", later: str = "The booking HR-204417 is confirmed.") -> Session:
    """Two requests, a compaction, and a reply behind it; the reply and its answer before it were never sent."""
    rows: list[tuple[str, str]] = [
        ("user", f"{RULE} {CODE}"),
        ("assistant", "I look at it."),
        ("user", "Go on."),
        ("assistant", "Done: the log is in /srv/tides/ferrand-2026.csv now."),
        ("user", summary),
        ("assistant", "I go on with the letters."),
        ("user", "And the booking?"),
        ("assistant", later),
        ("user", "Thank you."),
    ]
    messages: list[Message] = []
    for place, (role, text) in enumerate(rows):
        message = message_from_raw(f"m{place}", {"role": role, "content": text}, "openai")
        is_summary = place == 4
        kind = "summary" if is_summary else "chat"
        messages.append(replace(message, kind=kind, parent=-1 if is_summary else place - 1))  # type: ignore[arg-type]
    return Session("s", "", "openai", tuple(messages))


def lost(session: Session, turn: int | None = None) -> Losses:
    history = loss_history(session, sized(session), FactIndex(session))
    assert history is not None
    return history.compactions[-1] if turn is None else history.by_turn[turn]


def test_a_recorded_compaction_loses_what_its_summary_does_not_tell() -> None:
    losses = lost(recording())
    assert losses.turn == 3
    assert [(loss.cls, bool(loss.needed)) for loss in losses.losses[:2]] == [("id", True), ("constraint", False)]
    assert [(loss.position, loss.turn) for loss in losses.losses[:2]] == [(1, 1), (1, 1)]
    assert {(loss.cls, loss.fact) for loss in losses.losses} >= {("id", "HR-204417")}


@pytest.mark.parametrize(("status", "lost_tasks"), [("pending", ["Sign the harbour sheet"]), ("completed", [])])
def test_a_thing_to_do_that_was_done_before_the_compaction_is_not_lost(status: str, lost_tasks: list[str]) -> None:
    session = recording()
    messages = list(session.messages)
    for place, state in (1, "pending"), (3, status):
        arguments = json.dumps({"todos": [{"content": "Sign the harbour sheet", "status": state}]})
        call = {"id": f"c{place}", "type": "function", "function": {"name": "TodoWrite", "arguments": arguments}}
        raw = {"role": "assistant", "content": "I note it.", "tool_calls": [call]}
        messages[place] = replace(message_from_raw(f"m{place}", raw, "openai"), parent=place - 1)
    losses = lost(session.with_messages(tuple(messages)))
    assert [loss.fact for loss in losses.losses if loss.cls == "task"] == lost_tasks
    assert ("task" in losses.kept) == bool(lost_tasks)


def test_what_was_never_sent_before_the_compaction_is_lost_as_well() -> None:
    losses = lost(recording())
    assert ("path", "/srv/tides/ferrand-2026.csv", 4, 2) in [
        (loss.cls, loss.fact, loss.position, loss.turn) for loss in losses.losses
    ]


def test_the_reply_that_needed_it_stands_beside_it_with_its_words() -> None:
    losses = lost(recording())
    (loss,) = losses.needed
    assert loss.fact == "HR-204417"
    assert loss.quote == CODE
    assert [(one.turn, one.message, one.quote) for one in loss.needed] == [
        (4, "m7", "The booking HR-204417 is confirmed.")
    ]
    assert losses.turns == (4,)


def test_what_the_summary_tells_is_kept_and_needed_by_nobody() -> None:
    losses = lost(recording(summary=f"{RULE} {CODE}"))
    assert losses.needed == ()
    assert losses.kept["constraint"].retained == 1
    assert "constraint" not in losses.counts


def test_needed_facts_come_first_and_then_sentences_before_values() -> None:
    losses = lost(recording()).losses
    assert [loss.needed != () for loss in losses] == sorted((loss.needed != () for loss in losses), reverse=True)
    groups = group_losses(losses)
    assert groups[0].cls is None and groups[0].heading == "Stated later, source unknown (1)"
    assert groups[0].losses[0].is_only_stated and not groups[1].losses[0].is_only_stated
    assert groups[1].cls == "constraint" and groups[1].heading == "Constraints (1)"
    assert [loss for group in groups for loss in group.losses] == list(losses)


def test_a_walk_that_is_cancelled_gives_nothing() -> None:
    session = recording()
    assert loss_history(session, sized(session), FactIndex(session), cancelled=lambda: True) is None


def test_a_log_is_walked_once_for_the_same_facts_and_sizes() -> None:
    session = recording()
    sizes, index = sized(session), FactIndex(session)
    history = loss_history(session, sizes, index)
    assert loss_history(session, sizes, index) is history, "also where somebody asks who would rather stop"
    assert loss_history(session, sizes, index, cancelled=lambda: True) is history
    assert loss_history(session, sized(session, limit=9_000), index) is not history
    assert loss_history(session, sizes, FactIndex(session)) is not history
    assert loss_history(session, sizes, index, agent="nobody") != history


def test_a_plan_loses_what_its_window_does_not_tell_and_later_replies_needed() -> None:
    session = recording()
    recorded = at_turn(session, sized(session), 2)
    plan = manual_plan(recorded, ("m0",), "dropped")
    after = view(recorded, [plan])
    losses = plan_losses(session, FactIndex(session), recorded, after, [plan])
    assert losses is not None
    assert losses.covered == 1
    assert (losses.sizes.before, losses.sizes.after) == (recorded.size, after.size)
    assert [loss.fact for loss in losses.needed] == ["HR-204417"]


def test_counts_are_those_of_the_losses() -> None:
    session = recording()
    recorded = at_turn(session, sized(session), 2)
    plan = manual_plan(recorded, ("m0",), "dropped")
    after = view(recorded, [plan])
    index = FactIndex(session)
    losses, counted = (
        plan_losses(session, index, recorded, after, [plan]),
        count_losses(session, index, recorded, after, [plan]),
    )
    assert losses is not None
    assert losses.counts == counted.counts
    assert losses.kept == counted.kept
    assert describe_counts(counted).startswith("loses 1 constraint, 1 id")
    assert describe_counts(counted).endswith("keeps 0 of 1 constraint")


def test_no_plan_loses_nothing() -> None:
    session = recording()
    recorded = at_turn(session, sized(session), 2)
    counted = count_losses(session, FactIndex(session), recorded, recorded, [])
    assert counted.losses == ()
    assert describe_counts(counted) == "loses no facts; keeps 1 of 1 constraint"


def test_a_plan_gives_back_each_thing_once_within_its_budget() -> None:
    session = recording()
    recorded = at_turn(session, sized(session), 2)
    nothing = replace(recorded, messages=(), tokens=())
    text = restore_plan(session, recorded, nothing).text
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert any(RULE.rstrip(".") in line for line in lines) and len(lines) == len(set(lines))
    assert restore_plan(session, recorded, recorded).text == ""
    assert restore_plan(session, recorded, nothing, 60).tokens <= 60
    assert restore_plan(session, recorded, nothing, 1).text == ""


@given(conversations())
def test_losses_of_any_session_are_sorted_and_add_up(session: Session) -> None:
    index, sizes = FactIndex(session), sized(session)
    recorded = at_turn(session, sizes)
    plan = manual_plan(recorded, recorded.ids[: len(recorded.ids) // 2], "dropped")
    losses = plan_losses(session, index, recorded, view(recorded, [plan]), [plan])
    assert losses is not None
    assert sum(losses.counts.values()) == len(losses.losses)
    assert {name: row.lost for name, row in losses.kept.items() if row.lost} == dict(losses.counts)


@pytest.mark.parametrize(("kind", "is_counted"), [("chat", True), ("injected", False)])
def test_a_rule_that_a_program_puts_in_is_none_that_the_person_gave(kind: str, is_counted: bool) -> None:
    session = recording()
    messages = [replace(session.messages[0], kind=kind), *session.messages[1:]]  # type: ignore[arg-type]
    losses = lost(session.with_messages(tuple(messages)))
    assert ("constraint" in losses.counts) is is_counted


def test_where_the_summary_says_that_nothing_is_left_to_do_no_task_is_lost() -> None:
    session = recording()
    arguments = json.dumps({"todos": [{"content": "Sign the harbour sheet", "status": "pending"}]})
    call = {"id": "c1", "type": "function", "function": {"name": "TodoWrite", "arguments": arguments}}
    raw = {"role": "assistant", "content": "I note it.", "tool_calls": [call]}
    summary = {"role": "user", "content": "All went well.\n7. Pending Tasks:\n   - None"}
    messages = list(session.messages)
    messages[1] = replace(message_from_raw("m1", raw, "openai"), parent=0)
    assert "task" in lost(session.with_messages(tuple(messages))).counts
    messages[4] = replace(message_from_raw("m4", summary, "openai"), kind="summary", parent=-1)
    assert "task" not in lost(session.with_messages(tuple(messages))).counts


def test_what_an_encrypted_summary_kept_is_not_told() -> None:
    session = recording()
    item = {"type": "compaction", "encrypted_content": "gAAA"}
    sealed = {"role": "user", "content": [{"type": "item", "item": item}]}
    messages = list(session.messages)
    messages[4] = replace(message_from_raw("m4", sealed, "openai"), kind="summary", parent=-1)
    losses = lost(session.with_messages(tuple(messages)))
    assert losses.is_sealed and "encrypted" in describe_seal(losses)
    assert not lost(session).is_sealed and describe_seal(lost(session)) == ""
