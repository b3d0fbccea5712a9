"""Six scenarios of an agent with working memory, and a unit test of one, each played and checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from inspector.core.json_objects import json_object
from inspector.memory.working_memory.agent import NO_CONVERSATION, SUCCESS, IAgentInput, WorkingMemoryAgent
from inspector.memory.working_memory.backends.base import MemoryManagerBase
from inspector.memory.working_memory.llm_clients import ChatClient, ChatOutput, ILLMInput
from inspector.memory.working_memory.working_records import WorkingMemoryError

_ALICE, _BOB, _TICKET = "user_alice_session_001", "user_bob_session_002", "support_ticket_12345"


@json_object()
@dataclass(frozen=True, slots=True)
class Interaction:
    """One message to an agent, and what came of it."""

    message: str
    conversation_id: Annotated[str | None, "null where none was named"]
    status: Annotated[str, "status of the agent"]
    expected: Annotated[str, "documented status"]
    memory: Annotated[str, "memory of the conversation after it, or an empty text"]


@json_object()
@dataclass(frozen=True, slots=True)
class Finding:
    """Something that holds after a scenario, or does not."""

    sentence: str
    holds: bool


@json_object("Scenario", "name title interactions findings holds")
@dataclass(frozen=True, slots=True)
class ScenarioRun:
    """A scenario as it was played."""

    name: str
    title: str
    interactions: Sequence[Interaction]
    findings: Sequence[Finding]

    @property
    def holds(self) -> Annotated[bool, "whether every status is the documented one, and every finding holds"]:
        as_documented = all(played.status == played.expected for played in self.interactions)
        return as_documented and all(finding.holds for finding in self.findings)


@dataclass
class _Stage:
    """Client and manager of a scenario, and its interactions."""

    client: ChatClient
    manager: MemoryManagerBase
    interactions: list[Interaction] = field(default_factory=list)
    requests: list[ILLMInput] = field(default_factory=list)

    async def chat(self, input: ILLMInput) -> ChatOutput:
        """Ask the client, and note what it was asked."""
        self.requests.append(input)
        return await self.client.chat(input)

    @property
    def agent(self) -> WorkingMemoryAgent:
        return WorkingMemoryAgent(self, memory_manager=self.manager)

    @property
    def first_memory(self) -> str:
        """The memory that the model was shown first."""
        return self.requests[0].working_memory if self.requests else ""

    async def on_progress(self, conversation_id: str, *messages: str, agent: WorkingMemoryAgent | None = None) -> None:
        """Add messages to a conversation."""
        for message in messages:
            await self.process(message, {"conversation_id": conversation_id}, SUCCESS, agent)

    async def process(
        self,
        message: str,
        metadata: Mapping[str, Any] | None,
        expected: str,
        agent: WorkingMemoryAgent | None = None,
    ) -> None:
        agent = agent or self.agent
        name = (metadata or {}).get("conversation_id")
        status = await agent.process(IAgentInput(message=message, metadata=metadata))
        has_manager = agent.memory_manager is self.manager
        memory = await self.memory(name) if has_manager else agent.last_memory
        self.interactions.append(Interaction(message, name, status, expected, memory))

    async def memory(self, conversation_id: str | None) -> str:
        """Return the memory of a conversation, or an empty text."""
        try:
            records = await self.manager.retrieve({"conversation_id": conversation_id})
        except WorkingMemoryError:  # the agent's status has told that
            return ""
        return records[0].working_memory if records else ""


async def _basic(stage: _Stage) -> list[Finding]:
    earlier = len(await stage.manager.history({"conversation_id": _ALICE}))
    await stage.on_progress(
        _ALICE,
        "My name is Alice and I work as a software engineer at TechCorp",
        "I'm interested in learning about machine learning for my current project",
        "Specifically, I need help with natural language processing techniques",
        "I prefer practical examples over theoretical explanations",
    )
    versions = len(await stage.manager.history({"conversation_id": _ALICE})) - earlier
    return [Finding("Each of the four interactions left a version of the memory.", versions == 4)]


async def _conversations(stage: _Stage) -> list[Finding]:
    alice, bob = await stage.memory(_ALICE), await stage.memory(_BOB)
    await stage.on_progress(
        _BOB,
        "I'm Bob, a product manager looking to understand AI capabilities",
        "My team is considering implementing chatbots for customer support",
    )
    return [
        Finding("Alice's memory says word for word what it said before.", await stage.memory(_ALICE) == alice),
        Finding("The model was shown of Bob's what was kept of Bob.", stage.first_memory == bob),
    ]


async def _errors(stage: _Stage) -> list[Finding]:
    before = await stage.manager.list()
    await stage.process("This message has no conversation ID", {}, NO_CONVERSATION)
    await stage.process("This message has None metadata", None, NO_CONVERSATION)
    return [
        Finding("No memory was changed.", await stage.manager.list() == before),
        Finding("The model was not asked.", not stage.requests),
    ]


async def _no_manager(stage: _Stage) -> list[Finding]:
    standalone = WorkingMemoryAgent(llm_client=stage, memory_manager=None)
    await stage.on_progress("standalone_conversation", "Hello, I have no memory manager", agent=standalone)
    kept = [record.conversation_id for record in await stage.manager.list()]
    return [
        Finding("A memory was written.", bool(standalone.last_memory)),
        Finding("It was kept nowhere.", "standalone_conversation" not in kept),
    ]


async def _support(stage: _Stage) -> list[Finding]:
    await stage.on_progress(
        _TICKET,
        "Customer Jane Smith called about billing issue with invoice #4567",
        "Issue: Charged twice for the same service in March 2024",
        "Customer provided transaction IDs: TXN001, TXN002",
        "Resolution: Refunded duplicate charge of $99.99",
        "Customer satisfied, case closed",
    )
    memory = await stage.memory(_TICKET)
    words = ("Jane Smith", "#4567", "TXN001", "TXN002", "$99.99")
    missing = [word for word in words if word not in memory]
    what = "lacks " + ", ".join(missing) if missing else "has the name, the invoice, both transactions and the sum"
    return [Finding(f"The memory {what}.", not missing)]


async def _returning(stage: _Stage) -> list[Finding]:
    remembered = await stage.memory(_TICKET)
    await stage.on_progress(_TICKET, "Customer Jane Smith is back and asks whether the refund has arrived")
    return [
        Finding("The model was shown what is remembered of her.", "" != remembered == stage.first_memory == remembered)
    ]


class _FixedClient:
    """A model that always gives the same answer."""

    request = ""
    """The newest message to the model."""

    async def chat(self, input: ILLMInput) -> ChatOutput:
        self.request = input.user_message
        return {"llm_response": "Memory updated with user context", "usage": {"total_tokens": 50}}


@dataclass(frozen=True)
class _FixedRecord:
    working_memory: str


class _FixedManager:
    """A memory manager with one memory for all conversations, which counts its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def retrieve(self, _query: Mapping[str, Any]) -> list[_FixedRecord]:
        self.calls.append("retrieve")
        return [_FixedRecord("User likes technical details")]

    async def store(self, _data: Mapping[str, Any]) -> None:
        self.calls.append("store")


async def _unit_test(stage: _Stage) -> list[Finding]:
    client, manager = _FixedClient(), _FixedManager()
    await stage.on_progress("test_123", "Tell me about APIs", agent=WorkingMemoryAgent(client, memory_manager=manager))
    return [
        Finding("The memory was retrieved once and stored once.", manager.calls == ["retrieve", "store"]),
        Finding("The model was shown the memory.", "User likes technical details" in client.request),
    ]


SCENARIOS: Mapping[str, tuple[str, Callable[[_Stage], Awaitable[list[Finding]]]]] = {
    "basic": ("Basic memory operations", _basic),
    "conversations": ("Multiple conversations", _conversations),
    "errors": ("Error handling", _errors),
    "standalone": ("Agent without memory manager", _no_manager),
    "support": ("Advanced memory patterns: customer support", _support),
    "returning": ("Memory retrieval: a customer returns", _returning),
    "unit-test": ("Unit test with doubles for client and manager", _unit_test),
}
"""By name, with a title, in the order in which they are played: the later ones meet what the earlier ones left."""


async def play_scenarios(client: ChatClient, manager: MemoryManagerBase) -> list[ScenarioRun]:
    """Play all scenarios with one model and one manager.

    Args:
        client: Model that writes the notes.
        manager: Storage of the notes.

    Raises:
        WorkingMemoryError: The manager cannot be used.
    """
    runs = []
    for name, (title, play) in SCENARIOS.items():
        stage = _Stage(client, manager)
        findings = await play(stage)
        runs.append(ScenarioRun(name, title, tuple(stage.interactions), tuple(findings)))
    return runs
