"""Outputs of `report`: how a session or a source handles memory."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from inspector.cli.schema.values import Share, Tokens
from inspector.engine.window import Section
from inspector.llm.tokens import Certainty
from inspector.report import Component, Confidence, EvictionKind, Topic, Trigger


class MemoryTierRecord(TypedDict):
    """A tier of memory, as words."""

    tier: Annotated[str, "Working, Session or Persistent"]
    storage: str
    capacity: str
    retrieval: str


class OutlineRecord(TypedDict):
    """The fields of a report as its text words them; `not seen` where nothing shows one."""

    name: str
    order: Annotated[str, "the parts of an assembled context, in order"]
    method: str
    assembly_location: str
    strategy: Annotated[str, "how content is evicted"]
    trigger: Annotated[str, "what sets that off"]
    eviction_location: str
    tiers: Sequence[MemoryTierRecord]
    counting: str
    budget: str
    overflow: str


class SectionShareRecord(TypedDict):
    """A section of the context at the largest call."""

    name: Section
    tokens: Tokens
    how: Annotated[Certainty, "how the number is known"]


class EvictionRecord(TypedDict):
    """One time that content left the context."""

    turn: Annotated[int, "the first call without it, from 1"]
    kind: Annotated[EvictionKind, "`unseen`: reported tokens fell, and no recorded message left"]
    before: Annotated[Tokens, "of the call before"]
    after: Tokens
    left: Annotated[int, "messages that left"]
    stayed: Annotated[int, "messages that are still there, word for word"]
    summary: Annotated[Tokens, "of the summary; 0 where there is none"]
    shortened: Annotated[int, "results of tools that say less"]
    cache_read: Annotated[int | None, "tokens that the call read from the prompt cache; null where it is not reported"]
    sent: Annotated[Tokens, "as reported; 0 where they were not"]


class SessionReportOutput(TypedDict):
    """How a recorded session was remembered."""

    session: Annotated[str, "its id"]
    agent: str
    model: str
    limit: Annotated[Tokens, "of the model's window; 0 where it is not known"]
    turns: int
    outline: OutlineRecord
    sections: Annotated[Sequence[SectionShareRecord], "in the order in which they are sent"]
    evictions: Sequence[EvictionRecord]
    rewinds: Annotated[int, "times that the conversation went back and on another way"]
    cleared: Annotated[Sequence[int], "turns with results of tools that are a note in place of content"]
    peak: Annotated[Tokens, "of the largest window that was sent"]
    reread: Annotated[Share | None, "how much more often what left was read again; null where nothing tells"]
    certainty: Annotated[Sequence[str], "how far all of this is certain, each a sentence"]
    output: Annotated[str | None, "the file that was written"]


class EvidenceRecord(TypedDict):
    """A line of source code."""

    path: Annotated[str, "relative to the folder"]
    line: int
    code: Annotated[str, "the line, clipped"]


class SourceFindingRecord(TypedDict):
    """One thing that a source does with what a model is to remember."""

    topic: Topic
    kind: Annotated[str, "docs/report.md has all of them"]
    words: str
    scope: Annotated[str, "the function it stands in"]
    evidence: Annotated[Sequence[EvidenceRecord], "the line that shows it first"]
    confidence: Confidence
    against: Annotated[Sequence[str], "what contradicts or limits it"]
    trigger: Annotated[Trigger, "of an eviction; empty where the source does not show it"]
    parts: Annotated[Sequence[Component], "of an assembly, in order"]
    detail: str


class StepRecord(TypedDict):
    """A function on the way from an entry to where a context is handled."""

    function: str
    evidence: Annotated[EvidenceRecord, "the line that calls the next one"]
    by_name: Annotated[bool, "whether only the name of the method says that the next one is called"]


class UnreadFileRecord(TypedDict):
    """A file that could not be read."""

    path: str
    reason: str


class ReasonCountRecord(TypedDict):
    """How many there are of something."""

    what: str
    count: int


class SourceRecord(TypedDict):
    """How a framework or an agent handles memory, as its source shows it."""

    root: str
    files: Annotated[int, "that were read"]
    lines: int
    outline: OutlineRecord
    findings: Sequence[SourceFindingRecord]
    paths: Annotated[Sequence[Sequence[StepRecord]], "from an entry to where a context is put together, sent and cut"]
    unread: Sequence[UnreadFileRecord]
    left_out: Annotated[Sequence[ReasonCountRecord], "files and folders, by the reason"]
    other_languages: Annotated[Sequence[ReasonCountRecord], "files of languages that are not read"]


class SourceReportOutput(TypedDict):
    """Sources, one or several to compare."""

    kind: Literal["source"]
    sources: Sequence[SourceRecord]
    output: Annotated[str | None, "the file that was written"]
