"""What `inspector agents` prints with `--json`.

Annotations are evaluated here, not kept as text: see `values.py`.
"""

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypedDict

from inspector.analysis.multi_agent import Certainty, Channel
from inspector.cli.schema.values import Dollars, Missed, Tokens
from inspector.engine.facts import FactClass

MessageId = Annotated[str, "id of the message"]
_PROMPTS = Annotated[int, "prompts of the reader that had it"]


class AgentRecord(TypedDict):
    """An agent of a session, and what it gave and got."""

    name: str
    messages: Annotated[int, "that it wrote"]
    tokens: Annotated[Tokens, "tokens of them"]
    calls: Annotated[int, "model calls that it made"]
    shared: Annotated[int, "messages of its own that another agent was sent"]
    read: Annotated[Tokens, "tokens of other agents that it was sent"]
    read_prompts: Annotated[Tokens, "the same, over all of its prompts that had them"]


class ReadingRecord(TypedDict):
    """A pair of agents: what one wrote and the other was sent."""

    writer: str
    reader: str
    transfers: int
    tokens: Tokens
    prompt_tokens: Annotated[Tokens, "over all prompts of the reader that had them"]
    adopted: Annotated[int, "facts of the writer that the reader used"]


class TransferRecord(TypedDict):
    """What one agent wrote and another one was sent."""

    writer: str
    source: Annotated[MessageId, "that was written"]
    reader: str
    holder: Annotated[MessageId, "in the reader's context that holds it; in a group chat the source itself"]
    tokens: Tokens
    prompts: _PROMPTS
    prompt_tokens: Annotated[Tokens, "over all of them"]
    turn: Annotated[int, "the reader's first turn with it; 0 where no call was made after it came"]
    channel: Annotated[
        Channel,
        "handed over as a task, the result of such a call, said where the reader could see it, or in a tool's output",
    ]
    certainty: Annotated[
        Certainty,
        "all of the text stands there, a part of it does, only the call says so, or nothing recorded says who saw what",
    ]


class ToolUseRecord(TypedDict):
    """An agent's question to a tool."""

    agent: str
    call: MessageId
    result: MessageId
    tokens: Annotated[Tokens, "tokens of the answer"]


class RepeatRecord(TypedDict):
    """A question that a second agent asked again, and got the same answer."""

    tool: Annotated[str, "`read` where a file or an address was read, whatever the tool is called"]
    what: Annotated[str, "the file, the search or the command"]
    first: ToolUseRecord
    again: ToolUseRecord
    prompts: _PROMPTS
    cost: Annotated[Dollars | None, "of the second answer in all of these prompts; null where no price is known"]


_OfClass = TypedDict("_OfClass", {"class": Annotated[FactClass, "of facts"]})


class AdoptionRecord(_OfClass):
    """A fact of one agent that another one used. Neither it nor the person had told it."""

    fact: str
    writer: str
    source: Annotated[MessageId, "in which the writer told it"]
    reader: str
    holder: Annotated[MessageId, "through which it came to the reader"]
    use: Annotated[MessageId, "the reader's first reply that needed it"]


class UnreadRecord(TypedDict):
    """What was meant for others, and was in nobody's prompt."""

    writer: str
    message: MessageId
    tokens: Tokens
    reason: str


class GroupRecord(TypedDict):
    """A group that messages are recorded to be for."""

    name: str
    writers: Annotated[Sequence[str], "agents that wrote for it, who are taken for its readers too"]
    messages: Annotated[int, "messages for it"]


class ArrivalRecord(TypedDict):
    """A message with words of other agents that came into a prompt at the turn that was asked for."""

    message: MessageId
    writers: Sequence[str]
    text: Annotated[str, "all of it, byte for byte"]


class AgentsOutput(TypedDict):
    """How a session's agents worked together."""

    session: Annotated[str, "the session's id"]
    summary: Annotated[str, "all of it in a sentence"]
    certainty: Annotated[str, "how it is known who read what; empty where nobody read anything"]
    estimated: Annotated[bool, "whether tokens are estimates"]
    agents: Sequence[AgentRecord]
    matrix: Annotated[Sequence[ReadingRecord], "pairs of which one read the other"]
    transfers: Sequence[TransferRecord]
    repeats: Sequence[RepeatRecord]
    adoptions: Sequence[AdoptionRecord]
    unread: Sequence[UnreadRecord]
    groups: Sequence[GroupRecord]
    missed: Missed
    arrivals: NotRequired[Annotated[Sequence[ArrivalRecord], "with `--turn`"]]
