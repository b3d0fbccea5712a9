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
