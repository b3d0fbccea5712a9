"""Output of `top`: what eats a window."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from inspector.analysis.usage_breakdown import Grouping, Relation
from inspector.cli.schema.values import Tokens


class RemedyRecord(TypedDict):
    """A strategy that would take something out."""

    strategy: str
    tokens: Annotated[Tokens, "that would leave"]


class NodeRecord(TypedDict):
    """A part of the window."""

    name: str
    depth: Annotated[int, "1 for a part of the window; one more for a part of the row above with one less"]
    tokens: Annotated[Tokens, "those of its parts together"]
    messages: Annotated[Sequence[str], "ids, oldest first; none for what is no message"]
    remedy: Annotated[RemedyRecord | None, "null where no strategy takes enough of it out to be named"]


class SingleReadingRecord(TypedDict):
    """A result that holds what was read."""

    message: Annotated[str, "id of the result"]
    tokens: Tokens
    relation: Annotated[
        Relation, "newest: the last one. same: a later one says the same. stale: a later one says something else"
    ]


class RepeatedReadingRecord(TypedDict):
    """A file or page that was read more than once, or a result that was given more than once."""

    resource: Annotated[str, "path or address; of what is none, the tool and what the newest call asked for"]
    by_text: Annotated[bool, "whether they belong together because they say the same, whatever they were asked with"]
    wasted: Annotated[Tokens, "of all readings but the newest"]
    readings: Annotated[Sequence[SingleReadingRecord], "oldest first"]


class TopOutput(TypedDict):
    """What eats a window."""

    turn: Annotated[int, "the N-th model call, from 1; one more for the context as it now stands"]
    agent: str
    by: Grouping
    tokens: Annotated[Tokens, "of the window: those of all parts of depth 1 together"]
    nodes: Annotated[Sequence[NodeRecord], "each behind the part that it belongs to, the largest first"]
    repeats: Annotated[Sequence[RepeatedReadingRecord], "the most wasteful first"]
