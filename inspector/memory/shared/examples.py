"""The four ways in which agents share memory, each played and checked: by models, or by agents that need none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import orjson

from inspector.core.json_objects import json_object
from inspector.memory.shared.analytics import CollaborationReport
from inspector.memory.shared.conversation_memory import ConversationMemory
from inspector.memory.shared.orchestrator import Orchestrator, PersistentMemoryLike
from inspector.memory.shared.shared_entries import CONVERSATION_TITLE, PERSISTENT_TITLE
from inspector.memory.shared.shared_injection import SharedInjection
from inspector.memory.shared.single_agent import Backend, SingleAgent
from inspector.memory.working_memory.scenarios import Finding

_DESIGN, _CARRY_OUT = "Orders time out at noon. Find the cause.", "Mend the cause of the timeouts that we found."
_CAUSE = "The pool in src/db/pool.py holds 10 connections, and 42 requests wait for one at noon"
_REMEDY = "I raised the pool in src/db/pool.py to 50 connections"
_REVIEW = "50 connections are right: no request waits at noon any longer"
_AGENTS = {
    "analyzer": "You find causes. Answer in one sentence.",
    "implementer": "You fix the problems that the analyzer has found. Answer in one sentence.",
    "reviewer": "You judge what the implementer has done. Answer in one sentence.",
}
"""The agents and their instructions."""


@json_object()
@dataclass(frozen=True, slots=True)
class AgentTurn:
    """A contribution of one agent."""

    agent_id: str
    kind: Annotated[str, '"answer", "vote" or "error"']
    text: str


@json_object(
    "Shared example", "name title turns injections agents=report.agents exchanges=report.exchanges findings holds"
)
@dataclass(frozen=True)
class ExampleRun:
    """An example as it was played."""

    name: str
    title: str
    turns: tuple[AgentTurn, ...]
    injections: tuple[SharedInjection, ...]
    """What each agent was shown of the shared memory, in the order in which they were asked."""
    report: CollaborationReport
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)


class OfflineBackend:
    """An agent without a model: it says what it can know from what it is shown, and votes for the last answer."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id

    async def stream_with_tools(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], **_: Any
    ) -> AsyncIterator[dict[str, Any]]:
        vote = next((tool["function"] for tool in tools if tool["function"]["name"] == "vote"), None)
        if vote is None:
            text = self._answer("\n".join(str(message["content"]) for message in messages))
            yield {"type": "content", "content": text}
            yield {"type": "complete_message", "complete_message": {"role": "assistant", "content": text}}
        else:
            choice = vote["parameters"]["properties"]["agent_id"]["enum"][-1]
            arguments = orjson.dumps({"agent_id": choice, "reason": "it builds on all others"}).decode()
            call = {"id": "vote", "type": "function", "function": {"name": "vote", "arguments": arguments}}
            yield {"type": "complete_message", "complete_message": {"role": "assistant", "tool_calls": [call]}}
        yield {"type": "done"}

    def _answer(self, view: str) -> str:
        if self._agent_id == "analyzer":
            return _CAUSE
        if self._agent_id == "implementer":
            return _REMEDY if _CAUSE in view else "I do not know the cause yet"
        return _REVIEW if _REMEDY in view else "I see nothing to review yet"


async def play_examples(
    backend_for: Callable[[str], Backend], persistent: Callable[[str], PersistentMemoryLike], is_scripted: bool
) -> list[ExampleRun]:
    """Play all four examples.

    Args:
        backend_for: Returns the backend of an agent.
        persistent: Returns the persistent memory of a user.
        is_scripted: True if agents answer like `OfflineBackend`, so that their answers are checked too.
    """
    agents = {agent_id: SingleAgent(backend_for(agent_id), agent_id, role) for agent_id, role in _AGENTS.items()}
    shared, both = ConversationMemory(), ConversationMemory()
    runs = [
        (await _play("conversation", "A shared conversation", Orchestrator(agents, shared), [_DESIGN])),
        (
            await _play(
                "persistent",
                "What outlives the session",
                Orchestrator(agents, shared_persistent_memory=persistent("team_project_alpha")),
                [_DESIGN, _CARRY_OUT],
            )
        ),
        (await _play("both", "Both", Orchestrator(agents, both, persistent("project_gamma")), [_DESIGN, _CARRY_OUT])),
        (await _play("neither", "No shared memory", Orchestrator(agents), [_DESIGN])),
    ]
    return [_checked(run, is_scripted) for run in runs]


async def _play(name: str, title: str, orchestrator: Orchestrator, tasks: Sequence[str]) -> ExampleRun:
    turns = [
        AgentTurn(chunk.source, chunk.type, chunk.content)
        for task in tasks
        async for chunk in orchestrator.chat([{"role": "user", "content": task}])
        if chunk.type in ("answer", "vote", "error")
    ]
    collaboration = orchestrator.collaboration
    return ExampleRun(name, title, tuple(turns), tuple(collaboration.injections), collaboration.report(), ())


def _checked(run: ExampleRun, is_scripted: bool) -> ExampleRun:
    findings = [Finding("Every agent answered.", {turn.agent_id for turn in run.turns} >= set(_AGENTS))]
    texts = [injection.text for injection in run.injections]
    answers = [turn.text for turn in run.turns if turn.kind == "answer"]
    match run.name:
        case "neither":
            findings.append(Finding("Nothing was put into anybody's prompt.", not any(texts)))
        case "conversation":
            findings.append(Finding("Later agents saw earlier answers.", _grows(run.injections)))
        case "persistent":
            findings.append(Finding("The second session began with what the first had found.", _second(run)))
        case _:
            both = all(title in texts[-1] for title in (CONVERSATION_TITLE, PERSISTENT_TITLE))
            findings.append(Finding("Prompts held both memories.", both))
    if is_scripted:
        knows = _REVIEW in answers
        sentence = "Agents built on what others had found." if run.name != "neither" else "Nobody built on others."
        findings.append(Finding(sentence, knows != (run.name == "neither")))
    return ExampleRun(run.name, run.title, run.turns, run.injections, run.report, tuple(findings))


def _grows(injections: Sequence[SharedInjection]) -> bool:
    first = [len(injection.entries) for injection in injections[: len(_AGENTS)]]
    return first == list(range(len(_AGENTS)))


def _second(run: ExampleRun) -> bool:
    """Return True if the first prompt of the second session contains an answer of the first one."""
    later = [injection for injection in run.injections if injection.request == _CARRY_OUT]
    return bool(later) and any(turn.text[:40] in later[0].text for turn in run.turns[: len(_AGENTS)])
