"""What agents with a shared memory did, written down and opened again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import given, strategies as st

from inspector.analysis.multi_agent import AgentCollaboration, collaboration_record, read_collaboration, with_adoptions
from inspector.engine.facts import FactIndex
from inspector.engine.window import at_turn, problems
from inspector.formats import load
from inspector.llm.tokens import estimate_sizes
from inspector.memory import AgentGroup, ConversationMemory, Orchestrator, Permissions, SharedMemorySettings
from tests.memory.shared.scripted import FailingBackend, ScriptedBackend, agents_of

NAMES = ("ann", "ben", "cid")


def played(orchestrator: Orchestrator, *tasks: str) -> None:
    async def play() -> None:
        for task in tasks:
            async for _ in orchestrator.chat([{"role": "user", "content": task}]):
                pass

    asyncio.run(play())


def opened(orchestrator: Orchestrator, folder: Path) -> AgentCollaboration:
    collaboration = orchestrator.collaboration
    path = folder / "run.json"
    path.write_text(json.dumps(collaboration_record(collaboration.contributions, collaboration.injections)))
    [session] = load(path)
    assert session.format == "orchestration" and session.problems == ()
    return read_collaboration(session, estimate_sizes(session).tokens)


def team(**settings: Any) -> Orchestrator:
    backends = {
        name: ScriptedBackend(f"The cause that {name} has seen lies in the pool of {name}.", "ann") for name in NAMES
    }
    return Orchestrator(agents_of(**backends), ConversationMemory(), settings=SharedMemorySettings(**settings))


def injected_rows(orchestrator: Orchestrator) -> set[tuple[str, str, str]]:
    """Who was shown which contribution of whom, as the log of injections has it."""
    return {
        (entry.writers[0], name, injection.agent_id)
        for injection in orchestrator.collaboration.injections
        for entry in injection.entries
        for name in entry.ids
        if injection.agent_id not in entry.writers
    }


def read(work: AgentCollaboration) -> set[tuple[str, str, str]]:
    messages = work.session.messages
    return {(row.writer, messages[row.source].id, row.reader) for row in work.transfers}


def test_what_was_injected_is_what_the_log_says(tmp_path: Path) -> None:
    orchestrator = team()
    played(orchestrator, "Find the cause of the timeouts.")
    work = opened(orchestrator, tmp_path)
    assert work.parties.names == NAMES
    assert read(work) == injected_rows(orchestrator)
    assert {(row.certainty, row.channel) for row in work.transfers} == {("whole", "chat")}
    assert all(row.prompts == 1 for row in work.transfers), "each prompt begins anew"
    texts = {message.text for message in work.session if message.kind == "injected"}
    assert texts == {injection.text for injection in orchestrator.collaboration.injections if injection.text}
    last = work.session.turns("cid")[-1]
    (message, writers), (ballot, _) = work.arrivals_at("cid", len(work.session.turns("cid")))
    assert message.text == orchestrator.collaboration.injections[-1].text and set(writers) == {"ann", "ben"}
    assert ballot.role == "user", "the answers that it votes on"
    ballots = [row for row in work.transfers if work.session.messages[row.holder].role == "user"]
    assert {(row.writer, row.reader) for row in ballots} == {(a, b) for a in NAMES for b in NAMES if a != b}
    assert work.session.messages[last].parent > 0
    for name in NAMES:
        assert problems(at_turn(work.session, estimate_sizes(work.session), 1, name)) == ()


def test_groups_are_kept_and_nothing_leaks(tmp_path: Path) -> None:
    groups = Permissions({"red": AgentGroup.of(["ann", "ben"]), "blue": AgentGroup.of(["cid"])})
    orchestrator = team(permissions=groups)
    played(orchestrator, "Find the cause of the timeouts.")
    work = opened(orchestrator, tmp_path)
    assert {(row.writer, row.reader) for row in work.transfers} <= {("ann", "ben"), ("ben", "ann")}
    assert {row.name: row.writers for row in work.groups} == {"blue": ("cid",), "red": ("ann", "ben")}


def test_a_prompt_that_nothing_came_of_stands_alone(tmp_path: Path) -> None:
    agents = agents_of(ann=ScriptedBackend("The cause of it lies in the pool, I think."), ben=FailingBackend())
    orchestrator = Orchestrator(agents, ConversationMemory())
    played(orchestrator, "Find the cause of the timeouts.")
    work = opened(orchestrator, tmp_path)
    assert [row.reader for row in work.transfers] == ["ben"]
    assert work.transfers[0].prompts == 0
    assert [row.reason for row in work.unread] == ["no call was made after it arrived"]


def test_what_was_injected_and_used_is_taken_over(tmp_path: Path) -> None:
    found, remedy = (
        "The pool in src/db/pool.py holds 10 connections.",
        "I have raised src/db/pool.py to 50 connections.",
    )
    agents = agents_of(ann=ScriptedBackend(found), ben=ScriptedBackend(remedy))
    orchestrator = Orchestrator(agents, ConversationMemory())
    played(orchestrator, "Find the cause of the timeouts.")
    work = opened(orchestrator, tmp_path)
    work = with_adoptions(work, FactIndex(work.session))
    assert [(row.fact, row.writer, row.reader) for row in work.adoptions or ()] == [("src/db/pool.py", "ann", "ben")]


@given(st.lists(st.sampled_from(NAMES), max_size=8), st.integers(0, 4), st.booleans())
def test_every_contribution_stands_behind_a_prompt_that_came_before_it(
    order: list[str], window: int, includes_own: bool
) -> None:
    orchestrator = team(window=window, includes_own=includes_own)

    async def play() -> None:
        for number, name in enumerate(order):
            await orchestrator._inject_shared_memory_context([{"role": "user", "content": f"Task {number}"}], name)
            if number % 3:
                await orchestrator._record_to_shared_memory(name, f"The answer with the number {number}.")

    asyncio.run(play())
    log = orchestrator.collaboration
    record = collaboration_record(log.contributions, log.injections)
    steps = record["steps"]
    assert sorted(str(step["injected"]) for step in steps) == sorted(row.text for row in log.injections)
    said = [step["contribution"]["content"] for step in steps if step["contribution"]]
    assert said == [message["content"] for message in log.contributions]
    for step in steps:
        if step["contribution"]:
            assert step["contribution"]["content"] not in step["injected"]
            assert step["contribution"]["agent_id"] == step["agent_id"]
