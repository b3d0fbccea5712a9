"""Outputs of `follow`: one object a line, for each thing that happens."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from inspector.cli.schema.values import Tokens
from inspector.cli.schema.windows import SessionRecord, SizeChangeRecord, Turn
from inspector.core.conversation import Kind, Role
from inspector.llm.tokens import Certainty

_Number = Annotated[int, "place in the log, from 1"]
_How = Annotated[Certainty, "how the number is known"]
_Time = Annotated[str, "as it was recorded; empty where it was not"]


class FollowSessionOutput(TypedDict):
    """The session that is followed; again where another recording stands in its place."""

    event: Literal["session"]
    session: SessionRecord
    agent: Annotated[str, "whose window is meant"]
    window: Annotated[Tokens, "of the context as it now stands"]
    window_how: _How
    counted: Annotated[bool, "false for a long log whose sizes are estimated by its length: `counted` follows"]
    limit: Annotated[Tokens, "that the window may take"]
    verdict: Annotated[str, "what is known of its context by now, in a sentence"]


class FollowMessageOutput(TypedDict):
    """A message that has come."""

    event: Literal["message"]
    again: Annotated[bool, "whether it has come before, and says more now"]
    number: _Number
    id: str
    role: Role
    kind: Kind
    agent: str
    who: Annotated[str, "who speaks: the name of a tool, or the role"]
    tokens: Tokens
    window: Annotated[Tokens, "of its agent's context up to it"]
    window_how: _How
    time: _Time
    says: Annotated[str, "what it did, or the beginning of what it says, on one line"]


class FollowCompactionOutput(SizeChangeRecord):
    """A compaction that the recording has made."""

    event: Literal["compaction"]
    turn: Annotated[Turn, "the first that is sent after it"]
    time: _Time


class FollowCutOutput(TypedDict):
    """The log has fewer messages than before. What is told behind it, from `same` on, stands in the place of others."""

    event: Literal["cut"]
    before: Annotated[int, "messages that the log had"]
    messages: Annotated[int, "that it has"]
    same: Annotated[int, "of these, from the first, that are as they were"]
    window: Annotated[Tokens, "of the context as it now stands"]
    window_how: _How


class FollowCountedOutput(TypedDict):
    """All messages are counted now: what was told of sizes before was an estimate."""

    event: Literal["counted"]
    window: Annotated[Tokens, "of the context as it now stands"]
    window_how: _How
    limit: Annotated[Tokens, "that the window may take"]
    verdict: Annotated[str, "what is known of its context by now, in a sentence"]


class FollowDamageOutput(TypedDict):
    """What could not be read of what came; behind `session`, of all that is there. The rest is read."""

    event: Literal["damage"]
    damage: Annotated[Sequence[str], "a sentence for each part that was left out or put right"]


class FollowProblemOutput(TypedDict):
    """Why nothing can be read now. It is looked at again and again."""

    event: Literal["problem"]
    problem: Annotated[str, "in a sentence; empty where it can be read again"]
