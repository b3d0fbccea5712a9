"""What is known of a system that remembers: findings, each with the lines that show it and what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import json_object

Topic = Literal["assembly", "eviction", "tiers", "tokens"]
TOPICS: tuple[Topic, ...] = ("assembly", "eviction", "tiers", "tokens")
Confidence = Literal["high", "medium", "low"]
"""high: structure shows it. medium: one half of it is known by a name alone. low: only names say so."""
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
Trigger = Literal["tokens", "messages", "overflow error", "explicit", ""]
"""What sets off an eviction; empty where the source does not show it."""
Component = Literal["System", "Memory", "Tools", "History", "Input", "Scratchpad"]
"""A part of an assembled context, by the names of the report's template."""

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
"""Every kind of finding, by its topic, with what it says."""


@json_object()
@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of source code."""

    path: Annotated[str, "relative to the folder"]
    line: int
    """From 1."""
    code: Annotated[str, "the line, clipped"]

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


@json_object(
    keys="topic kind words scope evidence confidence against trigger parts detail",
)
@dataclass(frozen=True, slots=True)
class SourceFinding:
    """One thing that a source does with what a model is to remember."""

    topic: Topic
    kind: Annotated[str, "docs/report.md has all of them"]
    """One of `KINDS` of the topic."""
    words: str
    """What is done there, in one sentence without a full stop."""
    scope: Annotated[str, "the function it stands in"]
    evidence: Annotated[tuple[Evidence, ...], "the line that shows it first"]
    confidence: Confidence
    against: Annotated[tuple[str, ...], "what contradicts or limits it"] = ()
    """Each a sentence without a full stop."""
    trigger: Annotated[Trigger, "of an eviction; empty where the source does not show it"] = ""
    parts: Annotated[tuple[Component, ...], "of an assembly, in order"] = ()
    detail: str = ""
    """A number or a name that belongs to it: a default, a library."""
    sends_messages: bool = False
    """Of a call of a model: whether a list of messages is seen to go into it."""

    @property
    def place(self) -> str:
        return self.evidence[0].place


@dataclass(frozen=True, slots=True)
class Subject:
    """An expression that may be a list of messages, and what speaks for that."""

    name: str
    types: frozenset[str] = frozenset()
    """Names of types that its elements are annotated with or made by."""
    has_roles: bool = False
    """Whether elements are seen to have a role and content."""
    is_named: bool = False
    """Whether it is called as lists of messages are."""
    owner: str = ""
    """The class whose field or method it is, where it is one of `self`."""
    is_field: bool = False
    """Whether it is a field of any object, whose type the class of that object may tell."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What a detector sees in one module, before it is known what the types of other modules are."""

    topic: Topic
    kind: str
    words: str
    scope: str
    lines: tuple[tuple[int, str], ...]
    """The line that shows it, with its code; others that belong to it follow."""
    subject: Subject | None = None
    """The list of messages that it is about, where it is about one."""
    is_firm: bool = True
    """Whether what is done is beyond doubt, if the subject is what it seems."""
    against: tuple[str, ...] = ()
    trigger: Trigger = ""
    parts: tuple[Component, ...] = ()
    detail: str = ""
