"""Outputs of the commands that show what a part does."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from inspector.cli.schema.values import Missed


class InteractionRecord(TypedDict):
    """One message to an agent, and what came of it."""

    message: str
    conversation_id: Annotated[str | None, "null where none was named"]
    status: Annotated[str, "what the agent answered"]
    expected: Annotated[str, "what is documented"]
    memory: Annotated[str, "the conversation's memory after it; empty where there is none"]


class FindingRecord(TypedDict):
    """Something that holds after a scenario, or does not."""

    sentence: str
    holds: bool


class ScenarioRecord(TypedDict):
    """A scenario as it was played."""

    name: str
    title: str
    interactions: Sequence[InteractionRecord]
    findings: Sequence[FindingRecord]
    holds: Annotated[bool, "whether every status is the documented one, and every finding holds"]


class DemoWorkingMemoryOutput(TypedDict):
    """Scenarios of an agent with working memory."""

    model: Annotated[str | None, "who wrote the memories; null where no model was asked"]
    path: Annotated[str | None, "where the memories are kept; null where they are not"]
    scenarios: Sequence[ScenarioRecord]
    missed: Missed


class AgentTurnRecord(TypedDict):
    """What one agent said."""

    agent_id: str
    kind: Annotated[str, '"answer", "vote" or "error"']
    text: str


class SharedInjectionRecord(TypedDict):
    """What an agent was shown of the shared memory before it was asked."""

    agent_id: str
    text: Annotated[str, "the system message, byte for byte; empty where nothing was shown"]
    tokens: int
    was_cached: bool


class AgentActivityRecord(TypedDict):
    """What one agent gave and got."""

    agent_id: str
    contributions: int
    contributed_tokens: int
    injections: int
    injected_tokens: int
    cache_hits: int
    adopted: Annotated[int, "facts of others that it used after they were shown to it"]


class AgentExchangeRecord(TypedDict):
    """What went from one agent into the prompts of another."""

    writer: str
    reader: str
    entries: int
    tokens: int
    adopted: int


class SharedExampleRecord(TypedDict):
    """An example as it was played."""

    name: str
    title: str
    turns: Sequence[AgentTurnRecord]
    injections: Sequence[SharedInjectionRecord]
    agents: Sequence[AgentActivityRecord]
    exchanges: Sequence[AgentExchangeRecord]
    findings: Sequence[FindingRecord]
    holds: bool


class DemoSharedMemoryOutput(TypedDict):
    """The four ways in which agents share memory."""

    model: Annotated[str | None, "who answered; null where no model was asked"]
    path: Annotated[str | None, "the store that keeps what was shared; null where nothing is kept"]
    examples: Sequence[SharedExampleRecord]
    missed: Missed
