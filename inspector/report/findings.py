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
        "message list": "assembles a list of messages",
        "template": "fills in a template",
        "builder": "adds parts to a builder",
        "model call": "sends messages to a model",
        "insertion": "inserts a message at a fixed position",
    },
    "eviction": {
        "fifo": "drops the oldest messages one by one",
        "window": "keeps a number of messages",
        "token window": "keeps messages while their tokens fit",
        "summarization": "replaces older messages by a summary",
        "vector": "archives older messages and retrieves them by search",
        "importance": "keeps messages by a score",
        "tool results": "clears or trims tool results",
        "removal": "removes messages, or clears all of them",
    },
    "tiers": {
        "session": "keeps messages in memory",
        "persistent": "writes messages or memories to storage",
        "semantic": "retrieves memories by similarity",
    },
    "tokens": {
        "tiktoken": "counts tokens with tiktoken",
        "tokenizer": "counts tokens with the model's tokenizer",
        "estimate": "estimates tokens from lengths",
        "api": "uses the tokens that the provider reports",
        "budget": "reserves a part of the window",
        "overflow error": "raises an error for too many tokens",
        "overflow handler": "handles the provider's error for a context that is too long",
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
    kind: Annotated[str, "all kinds are listed in docs/report.md"]
    """A key of `KINDS` for the topic."""
    words: str
    """Description in one sentence, without a final period."""
    scope: Annotated[str, "the enclosing function"]
    evidence: Annotated[tuple[Evidence, ...], "the first line that shows it"]
    confidence: Confidence
    against: Annotated[tuple[str, ...], "evidence against it"] = ()
    """Limitations or contradicting evidence, each a sentence without a final period."""
    trigger: Annotated[Trigger, "of an eviction; empty if the source does not show it"] = ""
    parts: Annotated[tuple[Component, ...], "of an assembly, in order"] = ()
    detail: str = ""
    """A related number or name, such as a default or a library."""
    sends_messages: bool = False
    """True for a model call if a message list is passed to it."""
    steps: int = 0
    """Steps from the list to a model call; 0 if this is not known."""

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
    places: frozenset[str] | None = None
    """Places of the list that it changes, as in `list_flows`; None if it is not known."""
