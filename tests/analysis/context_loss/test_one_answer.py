"""Everything that asks whether a window states something gives the same answer for the same item and window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.context_loss import restore
from inspector.analysis.context_loss.ledger import count_facts, first_tellers
from inspector.analysis.replay import probes_of
from inspector.core.conversation import Message, Raw, Session
from inspector.engine.facts import FactIndex, FactTracker, StatedTexts, find_unmet_needs, kept_in
from inspector.engine.facts.classes import SENTENCES
from inspector.engine.work_state import Transition, WorkHistory, fates_of
from inspector.formats import load
from inspector.llm.providers import message_from_raw
from tests.places import ROOT

SAID = (
    ("The totals must never be rounded down in src/shop/totals.py.", "never round totals down in src/shop/totals.py"),
    (
        "We decided to store the export of prices as Parquet, not CSV.",
        "the export of prices is stored as Parquet",
    ),
    ("The booking of the pilot in the harbour office is HR-204417.", "the harbour office booked the pilot: HR-204417"),
    ("The gate closes at 23:40 when the tide is above 4.75 metres.", "at a tide above 4.75 metres the gate closes"),
    ("Do not push to the branch release-2031 before the audit.", "before the audit, push nothing to release-2031"),
    ("The importer src/feed/load.py reads prices from tide_prices.", "src/feed/load.py reads tide_prices"),
)
WAYS = ("absent", "as said", "reworded", "listed")


def told(sentence: tuple[str, str], way: str) -> str:
    said, reworded = sentence
    values = ", ".join(word.strip(".,") for word in said.split() if not word.strip(".,").isalpha())
    return {"absent": "", "as said": f"- {said}", "reworded": f"- {reworded}.", "listed": f"Also: {values}."}[way]


@st.composite
def compacted(draw: st.DrawFn) -> Session:
    """A conversation, a compaction whose summary states some of it in some way, and replies that use all of it."""
    chosen = draw(st.permutations(SAID))[: draw(st.integers(2, len(SAID)))]
    summary = "\n".join(told(one, draw(st.sampled_from(WAYS))) for one in chosen)
    function = {"name": "read_file", "arguments": '{"path": "src/feed/load.py"}'}
    texts: list[Raw] = [{"role": draw(st.sampled_from(("user", "assistant"))), "content": said} for said, _ in chosen]
    reads: list[list[Raw]] = [
        [
            {"role": "assistant", "tool_calls": [{"id": name, "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": name, "content": "load.py reads tide_prices for the feed."},
        ]
        for name in ("c1", "c2")
    ]
    before, after = [*texts, *reads[0]], [*reads[1], *({"role": "assistant", "content": said} for said, _ in chosen)]
    raws = [*before, {"role": "user", "content": f"Summary of the work.\n{summary}"}, *after]
    messages = [
        replace(message_from_raw(f"m{place}", raw, "openai"), parent=place - 1) for place, raw in enumerate(raws)
    ]
    messages[len(before)] = replace(messages[len(before)], parent=-1, kind="summary")
    return Session("s", "", "openai", tuple(messages))


def stating(index: FactIndex, messages: Sequence[Message]) -> dict[int, list[Message]]:
    """The messages that state each fact, the newest first; summaries only of what nothing else states."""
    rows: dict[bool, dict[int, list[Message]]] = {True: defaultdict(list), False: defaultdict(list)}
    for message in reversed(messages):
        for fact in index.facts_of(message).facts:
            rows[message.kind == "summary"][fact].append(message)
    return {**rows[True], **rows[False]}


def check(index: FactIndex, step: Transition) -> int:
    """Ask all places about the facts of a replaced context, whose summary is read as that of a policy."""
    window = [replace(step.summary, id="of a policy"), *step.kept]
    asked, tracker = StatedTexts.of(window), FactTracker(index)
    tracker.add(step.replaced)
    tracker.show(step.turn, window)
    states = {fact: tracker.state_of(index.facts[fact].term) for fact in tracker.source}
    rows = kept_in(index, step.replaced, window).classes.values()
    counts = [sum(row.retained for row in rows), sum(row.named for row in rows), sum(row.lost for row in rows)]
    counted = [state for fact, state in states.items() if not tracker.is_void(index.facts[fact])]
    assert counts == [counted.count(name) for name in ("retained", "named", "lost")], "retention"
    lost = count_facts(tracker, first_tellers(index, step.replaced)).lost
    assert all(states[fact] == "lost" for fact in lost if fact in states), "lost"
    for message in step.after:
        if message.role == "assistant" and (regret := find_unmet_needs(tracker, step.turn, message).regret):
            needed = {(need.cls, need.fact) for need in regret.needs}
            assert {states[fact] for fact in states if index.facts[fact][:2] in needed} == {"lost"}, "regrets"
    sources = stating(index, step.replaced)
    for fact, state in states.items():
        cls, text, term = index.facts[fact]
        presence = asked.sentence(text) if cls in SENTENCES else asked.value(text, sources[fact])
        assert state != "lost" or presence is None, text
        if cls in SENTENCES and len(index.by_term[term]) == 1:
            assert (presence or "lost") == state, text
        elif len(index.by_term[term]) == 1:
            assert state != "named" or presence != "retained", text
    return len(states)


def files(step: Transition, *, is_answered: bool) -> set[str]:
    """Names of the files and pages that the new context states, or does not state, by the questions for going on."""
    probes = probes_of(step, fates_of(step))
    asked = (probe for probe in probes if probe.kind in ("file", "next step") and probe.is_answered is is_answered)
    return {probe.answer.rpartition("/")[2] for probe in asked}


@given(compacted())
def test_a_generated_context_is_judged_alike(session: Session) -> None:
    [step] = WorkHistory(session).transitions()
    index = FactIndex(session)
    assert check(index, step)
    asked = StatedTexts.of([step.summary, *step.kept])
    text = restore(session)
    assert text is not None
    for fact in range(len(index.facts)):
        cls, said, _ = index.facts[fact]
        if cls == "decision" and any(said in message.text for message in step.replaced if message.role == "assistant"):
            is_given = any(said in line.text for line in (*text.used, *text.left) if line.kind == "decision")
            assert is_given is (asked.sentence(said) is None), "restore"
    for name in files(step, is_answered=True):
        assert asked.value(name, step.replaced[::-1]) is not None
    for name in files(step, is_answered=False):
        assert asked.value(name, step.replaced[::-1]) != "retained"


@pytest.mark.parametrize("name", [path.name for path in sorted((ROOT / "sessions").glob("*.jsonl"))])
def test_a_recorded_context_is_judged_alike(name: str) -> None:
    for session in load(Path(ROOT / "sessions" / name)):
        index = FactIndex(session)
        for step in WorkHistory(session).transitions():
            if step.replaced:
                assert check(index, step)
