"""Output of `why`: the verdict on a session, and what it goes by."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from inspector.cli.schema.trials_schema import NeedRecord, PriceRecord, ReportedRecord
from inspector.cli.schema.values import Share, Tokens
from inspector.cli.schema.windows import SessionRecord, SizeChangeRecord


class PieceRecord(TypedDict):
    """A piece of a sentence; all of them joined are the sentence."""

    text: str
    role: Annotated[
        Literal["plain", "strong", "good", "bad", "warn", "key"], "how it is shown; `key` is a key of the app"
    ]


class SentenceRecord(TypedDict):
    """One sentence about a session, and where its key leads."""

    kind: Annotated[
        Literal["compacted", "too large", "full", "never compacted", "replies only", "empty", "problems", "reading"],
        "what it is about first",
    ]
    text: str
    spans: Sequence[PieceRecord]
    key: Annotated[str, "of Inspect, that leads to the evidence; empty for none"]
    turn: Annotated[int | None, "where that key goes; null where it goes to no turn"]
    message: Annotated[str | None, "id of the message that it shows there; null for none"]


class ShrinkRecord(SizeChangeRecord):
    """A compaction that the recording itself holds."""

    turn: Annotated[int, "the first after it"]


class LateNeedRecord(TypedDict):
    """A reply that missed what a compaction had taken away."""

    turn: Annotated[int, "of the reply"]
    message: Annotated[str, "id of the reply"]
    number: Annotated[int, "of the reply in the log, from 1"]
    is_lookup: Annotated[bool, "it asked a tool for it; else it used it, and nothing in its window told it"]
    needs: Annotated[Sequence[NeedRecord], "the weightiest first"]


class ShareRecord(TypedDict):
    """What takes how much of the window as it now stands."""

    name: str
    tokens: Tokens
    share: Share


class AdviceRecord(TypedDict):
    """What could be done."""

    best: Annotated[str | None, "the preset that `tune` recommends; null for none, and for a session of many messages"]
    why: str
    but: str
    savings: Annotated[Sequence["SavingRecord"], "of strategies that take out what was said twice, or only thought"]


class SavingRecord(TypedDict):
    """What a strategy would take out of the window as it now stands."""

    strategy: str
    tokens: Tokens


class AnswerRecord(TypedDict):
    """The answer to one of the four questions."""

    topic: Literal["forgot", "eats", "advice", "cost"]
    question: str
    sentences: Sequence[str]
    command: Annotated[str, "that leads on, with SESSION in it"]


class WhyOutput(TypedDict):
    """What became of a session's context."""

    session: SessionRecord
    agent: str
    verdict: SentenceRecord
    compactions: Sequence[ShrinkRecord]
    needed: Sequence[LateNeedRecord]
    too_large: Annotated[Sequence[int], "turns whose window is larger than the model's"]
    tokens: Annotated[Tokens, "of the window as it now stands, as recorded"]
    planned_tokens: Annotated[Tokens | None, "the same through the plans that are applied; null without any"]
    limit: Annotated[Tokens, "that the model's window takes"]
    shares: Annotated[Sequence[ShareRecord], "by kind of content; they add up to `tokens`"]
    advice: AdviceRecord
    price: PriceRecord
    reported: Annotated[ReportedRecord | None, "null where nothing was"]
    answers: Sequence[AnswerRecord]
