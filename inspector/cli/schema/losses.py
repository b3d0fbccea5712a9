"""Outputs of the commands that say what a compaction or a plan took out of the window."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from inspector.analysis.context_loss import Missing
from inspector.cli.schema.trials_schema import ByClass
from inspector.cli.schema.values import Tokens
from inspector.cli.schema.windows import SizeChangeRecord
from inspector.engine.facts import FactClass


class OccasionRecord(TypedDict):
    """A later reply that missed what was lost."""

    turn: int
    message: Annotated[str, "id of the reply"]
    quote: Annotated[str, "its sentence that says it; empty where it says it in other words"]
    how: Annotated[Missing, "it looked it up; it used it, though nothing in the file told it; a plan: it needed it"]


LossRecord = TypedDict(
    "LossRecord",
    {
        "class": FactClass,
        "fact": str,
        "source": Annotated[str, "id of the message that told it first"],
        "position": Annotated[int, "place of that message in the log, from 1; 0 for one that is not in the log"],
        "turn": Annotated[int, "in which it was told"],
        "quote": Annotated[str, "the sentence that tells it"],
        "needed": Annotated[Sequence[OccasionRecord], "the later replies that missed it"],
    },
)
LossRecord.__doc__ = "A fact that was lost."


class RereadRecord(TypedDict):
    """A result of a tool that left the window and was read again later."""

    message: Annotated[str, "id of the result that had left"]
    again: Annotated[str, "id of the one that told it again"]
    turn: int
    tokens: Annotated[Tokens, "of the reading again"]


class LossesRecord(SizeChangeRecord):
    """What one compaction or plan lost."""

    turn: Annotated[int, "whose request was the first behind it"]
    covered: Annotated[int, "messages that left the window or say less in it"]
    counts: Annotated[Mapping[str, int], "lost facts by class"]
    kept: ByClass
    losses: Annotated[Sequence[LossRecord], "constraints, decisions, tasks and errors first"]
    reread: Sequence[RereadRecord]
    is_sealed: Annotated[bool, "its summary is encrypted: what it kept cannot be told"]


class LostOutput(TypedDict):
    """What compactions of the recording, or a plan, took out of the window."""

    rows: Annotated[
        Sequence[LossesRecord], "a plan, a compaction, or all of them with `--all`; none where none was made"
    ]
    reason: Annotated[str, "why there is no row, in a sentence; empty where there is one"]


class UncompactOutput(TypedDict):
    """What was lost, as a text for the agent."""

    turn: Annotated[int | None, "of the compaction; null where there is none"]
    text: Annotated[str, "empty where nothing was lost"]
    reason: Annotated[str, "why there is no text, in a sentence; empty where there is one"]
