"""Findings about how source code handles memory, with their evidence and their limitations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import json_object

Topic = Literal["assembly", "eviction", "tiers", "tokens"]
TOPICS: tuple[Topic, ...] = ("assembly", "eviction", "tiers", "tokens")
Confidence = Literal["high", "medium", "low"]
"""Confidence of a finding.

high    shown by the code's structure
medium  one of two necessary conditions is only inferred from a name
low     inferred from names only
"""
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
Trigger = Literal["tokens", "messages", "overflow error", "explicit", ""]
"""Event that causes an eviction; empty if the source does not show it."""
Component = Literal["System", "Memory", "Tools", "History", "Input", "Scratchpad"]
"""Part of an assembled context, as named in the report template."""

KINDS: Mapping[Topic, Mapping[str, str]] = {
    "assembly": {
        "message list": "a list of messages is put together",
        "template": "a text with places is filled in",
        "builder": "parts are added one by one to a builder",
        "model call": "messages are sent to a model",
        "insertion": "something is put into a list of messages at a place of its own",
    },
    "eviction": {
        "fifo": "the oldest messages leave one by one",
        "window": "a number of messages stays",
        "token window": "messages stay as long as their tokens fit",
        "summarization": "older messages are replaced by a summary",
        "vector": "older messages go to a store and come back by search",
        "importance": "messages stay by a score",
        "tool results": "results of tools are cleared or cut",
        "removal": "messages are taken out or all of them are cleared",
    },
    "tiers": {
        "session": "messages are kept in memory",
        "persistent": "messages or memories are written to storage",
        "semantic": "memories are found by similarity",
    },
    "tokens": {
        "tiktoken": "tokens are counted with tiktoken",
        "tokenizer": "tokens are counted with the model's tokenizer",
        "estimate": "tokens are estimated from lengths",
        "api": "tokens are taken from what the provider reports",
        "budget": "part of the window is set aside",
        "overflow error": "too many tokens are an error",
        "overflow handler": "an error of the provider for too long a context is handled",
    },
}
"""All kinds of findings by topic, each with its description."""


@json_object()
@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of source code that supports a finding."""

    path: Annotated[str, "relative to the folder"]
    line: int
    """1-based line number."""
    code: Annotated[str, "the line, clipped"]

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


@json_object(
    keys="topic kind words scope evidence confidence against trigger parts detail",
)
@dataclass(frozen=True, slots=True)
class SourceFinding:
    """One way in which source code handles the context of a model."""

    topic: Topic
    kind: Annotated[str, "docs/report.md has all of them"]
    """A key of `KINDS` for the topic."""
    words: str
    """Description in one sentence, without a final period."""
    scope: Annotated[str, "the function it stands in"]
    evidence: Annotated[tuple[Evidence, ...], "the line that shows it first"]
    confidence: Confidence
    against: Annotated[tuple[str, ...], "what contradicts or limits it"] = ()
    """Limitations or contradicting evidence, each a sentence without a final period."""
    trigger: Annotated[Trigger, "of an eviction; empty where the source does not show it"] = ""
    parts: Annotated[tuple[Component, ...], "of an assembly, in order"] = ()
    detail: str = ""
    """A related number or name, such as a default or a library."""
    sends_messages: bool = False
    """True for a model call if a message list is passed to it."""

    @property
    def place(self) -> str:
        return self.evidence[0].place


@dataclass(frozen=True, slots=True)
class Subject:
    """An expression that can be a message list, and the evidence for it."""

    name: str
    types: frozenset[str] = frozenset()
    """Types of the elements, from annotations or constructor calls."""
    has_roles: bool = False
    """True if elements have a role and content."""
    is_named: bool = False
    """True if the name is typical of a message list."""
    owner: str = ""
    """Class that has the field or method, for an expression like `self.name`."""
    is_field: bool = False
    """True if it is a field of any object, so that its type can be looked up in the object's class."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Result of a detector for one module, before the types of other modules are known."""

    topic: Topic
    kind: str
    words: str
    scope: str
    lines: tuple[tuple[int, str], ...]
    """Main line, followed by related lines, each with its number and code."""
    subject: Subject | None = None
    """Message list that it is about, if any."""
    is_firm: bool = True
    """True if the action itself is certain, given that the subject is a message list."""
    against: tuple[str, ...] = ()
    trigger: Trigger = ""
    parts: tuple[Component, ...] = ()
    detail: str = ""
