"""The values that a sentence chooses and rejects of each choice, and pairs of sentences that exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inspector.analysis.memory_audit.chosen_values import ChosenValue, ValueSentence, needs_topic_of, value_sentence
from inspector.analysis.memory_audit.statements import MOVED
from inspector.core.text import lazy_pattern

_STORED = frozenset({"money", "time zone", "date format"})
"""Choices of how something is stored, which is shown in another way."""
_MADE = frozenset({"migration origin", "way of making"})
_EDITS = lazy_pattern(r"(?i)\b(?:edit|change|modify|touch|alter)\b")
"""Verbs of a rule that forbids editing generated files, and not generating them."""


class MadeChoice(NamedTuple):
    """Values of one choice that a sentence chooses and rejects."""

    name: str

    chosen: frozenset[str]
    """Values that it chooses for good, and not in a command."""
    named: frozenset[str]
    """Values that it chooses, or uses in a command."""
    rejected: frozenset[str]
    topics: frozenset[str]
    """Stems of what it is about besides."""
    needs_topic: bool
    shows: bool
    actions: frozenset[str]
    """Actions of the commands that contain its values."""
    is_total: bool = False
    text: str = ""
    """The sentence."""

    def clash(self, other: MadeChoice, *, are_facts: bool = False) -> str:
        """Return both values if two sentences about one thing exclude each other; "" if both can hold.

        Of two facts, one may name more of the thing. A rule that does is an exception.
        """
        if not self._is_about(other, are_facts=are_facts):
            return ""
        if len(self.chosen) == len(other.chosen) == 1 and self.chosen != other.chosen:
            return f"{', '.join(self.chosen)} / {', '.join(other.chosen)}"
        if len(self.named) == len(other.named) == 1 and self.named != other.named and self._are_used(other):
            return f"{', '.join(self.named)} / {', '.join(other.named)}"
        both = self.named & other.rejected or other.named & self.rejected
        names = ", ".join(sorted(both))
        return f"{names} / not {names}" if both else ""

    def _is_about(self, other: MadeChoice, *, are_facts: bool) -> bool:
        """Return True if both are about the same thing."""
        if self.shows != other.shows and self.name in _STORED:
            return False
        if self.needs_topic and not self.topics & other.topics:
            return False
        if MOVED.search(self.text) or MOVED.search(other.text):
            return self._are_nested(other) or bool(self.topics & other.topics)
        if are_facts and self._are_nested(other):
            return True
        return self.topics == other.topics or self._includes(other) or other._includes(self)

    def _are_nested(self, other: MadeChoice) -> bool:
        return self.topics <= other.topics or other.topics <= self.topics

    def _includes(self, other: MadeChoice) -> bool:
        """Return True if it allows no other value, and the other is about one of its cases."""
        return self.is_total and self.topics < other.topics

    def _are_used(self, other: MadeChoice) -> bool:
        """Return True if commands with both values do the same, or one value is chosen to manage packages."""
        manages = self.name == "package manager" and (self.chosen or other.chosen)
        return bool(self.actions & other.actions) or bool(manages and (self.actions or other.actions))


def choices_in(text: str) -> Mapping[str, MadeChoice]:
    """Return what a sentence chooses, by the name of the choice."""
    sentence = value_sentence(text)
    groups: dict[str, list[ChosenValue]] = defaultdict(list)
    for value in sentence.values:
        groups[value.choice].append(value)
    return {name: _choice_of(text, sentence, name, values) for name, values in groups.items()}


def _choice_of(text: str, sentence: ValueSentence, name: str, values: Sequence[ChosenValue]) -> MadeChoice:
    wanted = {value.value for value in values if not value.is_rejected}
    banned = [value for value in values if value.is_rejected]
    inner = [value for value in banned if not value.is_command]  # of "never `uv pip install`", pip
    rejected = frozenset(value.value for value in inner or banned) - wanted
    if name in _MADE and _EDITS.search(text):
        rejected = frozenset()
    named = frozenset(wanted) - rejected
    commands = {value.value for value in values if value.is_in_command}
    actions = frozenset(value.action for value in values if value.is_command and not value.is_rejected)
    return MadeChoice(
        name,
        named - commands,
        named,
        rejected,
        sentence.topics(name),
        needs_topic_of(name),
        sentence.shows,
        actions,
        sentence.is_total,
        text,
    )
