"""Texts that could have replaced the messages of a recorded compaction, from the recorded summary to random words.

All texts of one compaction are cut to the number of tokens of the recorded summary, in the layout that needs the most.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from inspector.analysis.replay import keyed_number
from inspector.core.conversation import MAIN, SENT_KINDS, Message, Session
from inspector.engine.facts import SENTENCES, Fact, content_words, extract, sentences_of
from inspector.engine.summaries import summarise
from inspector.engine.work_state import StatePart, Transition, WorkHistory, WorkState

Variant = Literal[
    "recorded",
    "one line",
    "other breaks",
    "extractive",
    "facts",
    "values",
    "mentions",
    "shuffled",
    "hollow",
    "negated",
    "swapped",
    "newest value",
    "outdated value",
    "other session",
    "remark",
    "invented rule",
    "invented result",
    "revived work",
]
"""A text in place of the messages that a compaction replaced.

recorded        the summary of the recording
one line        the same without line breaks
other breaks    the same with a line break after every eighth word
extractive      Inspector's extractive summary of the replaced messages
facts           all facts, the newest first, separated by commas
values          the same without sentences
mentions        "It was about X." for each value
shuffled        the words of the recorded summary in random order
hollow          "Earlier work was done."
negated         the recorded summary with one constraint negated
swapped         the recorded summary with two values swapped
newest value    the recorded summary after the newest value of a key that changed
outdated value  the same with an earlier value of the key after the newest
other session   the summary of another session
remark          the recorded summary after "Nothing else is of note."
invented rule   the same after a rule that no one stated
invented result the same after a claim that the tests pass, where the last run of the tests failed
revived work    the same after a finished task or a refused plan as work to do
"""

_REMARK = "Nothing else is of note."
_RULE = "The user insisted that nothing may be deployed on Fridays without a signature of the harbour office."
_RESULT = "All tests pass now."
_ENDED = ("done", "completed", "dropped", "refused", "shelved")
Count = Callable[[str], int]
"""Returns the tokens of a text."""

_MIN_SUMMARY_TOKENS = 30
"""Minimum tokens of a recorded summary. Shorter ones, such as those of encrypted summaries, have nothing to compare."""
_REVIVABLE: tuple[StatePart, ...] = ("task", "plan")
_WORDS_PER_LINE = 8
_NEGATIONS = re.compile(r"\b(?:(?:must|should|do|does|is|are|will|can)(?: not|n['’]t)|never|not)\s+", re.IGNORECASE)
_VERB = re.compile(r"\b(?:must|should|is|are|was|were|will|can|has|have)\b", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_HALVES = re.compile(r"\balways\b", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class JudgeCase:
    """A recorded compaction with the messages that it replaced."""

    session: Session
    log: tuple[Message, ...]
    """The replaced messages, with the summary of the compaction before."""
    summary: Message
    target: int
    """Tokens of the recorded summary, in the layout that needs the most."""
    count: Count
    transition: Transition | None = None
    """The compaction with the state of the work before it; None if unknown."""

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts of the replaced messages, the newest first."""
        return tuple(fact for message in reversed(self.log) for fact in extract(message))

    def texts(self, foreign: str = "") -> dict[Variant, str]:
        """Return the texts of this compaction, cut to the same number of tokens.

        Args:
            foreign: Summary of another session; empty for none.

        Returns:
            The texts by variant, without those that this compaction has no material for.
        """
        texts = {**self._layouts(), **self._lists(), **self._changes()}
        if foreign:
            texts["other session"] = foreign
        return {name: cut(text, self.target, self.count) for name, text in texts.items() if text}

    @cached_property
    def _recorded(self) -> str:
        return self.summary.text

    def _layouts(self) -> dict[Variant, str]:
        salad = self._recorded.split()
        random.Random(1).shuffle(salad)
        return {
            **_layouts_of(self._recorded),
            "extractive": summarise(self.log, self.target, self.count),
            "shuffled": " ".join(salad),
            "hollow": "Earlier work was done.",
        }

    def _lists(self) -> dict[Variant, str]:
        values = dict.fromkeys(fact.text for fact in self.facts if fact.cls not in SENTENCES)
        return {
            "facts": ", ".join(dict.fromkeys(fact.text for fact in self.facts)),
            "values": ", ".join(values),
            "mentions": " ".join(f"It was about {value}." for value in values),
        }

    def _changes(self) -> dict[Variant, str]:
        text, values = self._recorded, changed_value(self.facts)
        changes: dict[Variant, str] = {"negated": negate_constraint(text, self.facts)}
        changes["swapped"] = swap_values(text, self.facts)
        if values:
            changes["newest value"] = f"{values[0]}. {text}"
            changes["outdated value"] = f"{values[0]}. {values[1]}. {text}"
        return {**changes, **self._inventions()}

    def _inventions(self) -> dict[Variant, str]:
        text, state = self._recorded, self.transition.before if self.transition else WorkState()
        firsts: dict[Variant, str] = {"remark": _REMARK, "invented rule": _RULE}
        if any("test" in item.name.lower() for item in state.of("failure")):
            firsts["invented result"] = _RESULT
        if ended := [item for part in _REVIVABLE for item in state.all(part) if item.state in _ENDED]:
            firsts["revived work"] = f"Pending Tasks:\n- Next: {ended[-1].text}"
        return {name: f"{first}\n{text}" for name, first in firsts.items()}


def _layouts_of(text: str) -> dict[Variant, str]:
    """Return a summary with its line breaks, without them and with others."""
    words = text.split()
    lines = (" ".join(words[start : start + _WORDS_PER_LINE]) for start in range(0, len(words), _WORDS_PER_LINE))
    return {"recorded": text, "one line": " ".join(words), "other breaks": "\n".join(lines)}


def judge_cases(session: Session, count: Count) -> Iterator[JudgeCase]:
    """Yield the compactions of a session's main agent whose summaries can be read.

    Args:
        session: Session with recorded compactions.
        count: Returns the tokens of a text.

    Raises:
        OSError: If the recording can no longer be read.
    """
    transitions = {one.position: one for one in WorkHistory(session).transitions()}
    start = 0
    for position in session.compactions:
        summary = session.messages[position]
        if summary.agent != MAIN:
            continue
        span = session.messages[start:position]
        log = tuple(message for message in span if message.agent == MAIN and message.kind in SENT_KINDS)
        start, target = position, max(map(count, _layouts_of(summary.text).values()))
        if target >= _MIN_SUMMARY_TOKENS and log:
            yield JudgeCase(session, log, summary, target, count, transitions.get(position))


def cut(text: str, target: int, count: Count) -> str:
    """Return the beginning of a text that has at most `target` tokens, cut between words.

    Args:
        text: Text to shorten.
        target: Maximum number of tokens.
        count: Counts the tokens of a text.
    """
    if count(text) <= target:
        return text
    ends = [match.end() for match in _WORD.finditer(text)]
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[: ends[middle]]) <= target else (low, middle - 1)
    return text[: ends[low]]


def negate_constraint(text: str, facts: Sequence[Fact]) -> str:
    """Return a summary with one constraint negated; "" if it states none.

    The sentence is that which has the largest share of the words of a constraint.
    """
    rules = [words for fact in facts if fact.cls == "constraint" and len(words := content_words(fact.text)) > 2]
    shares = {
        sentence: max((len(rule & content_words(sentence)) / len(rule) for rule in rules), default=0.0)
        for sentence in sentences_of(text)
    }
    best = max(shares, key=lambda sentence: shares[sentence], default="")
    return text.replace(best, _negated(best), 1) if best and shares[best] >= 0.5 else ""


def _negated(sentence: str) -> str:
    if _NEGATIONS.search(sentence):
        return _NEGATIONS.sub("", sentence)
    if _HALVES.search(sentence):
        return _HALVES.sub("never", sentence, count=1)
    if _VERB.search(sentence):
        return _VERB.sub(lambda match: f"{match[0]} not", sentence, count=1)
    return f"Never {sentence[:1].lower()}{sentence[1:]}"


def swap_values(text: str, facts: Sequence[Fact]) -> str:
    """Return a summary with the first and the last of its values of one class swapped; "" if there are no two.

    Args:
        text: The summary.
        facts: Facts of the replaced messages.
    """
    for cls in ("path", "symbol", "id", "amount", "number"):
        names = {fact.text for fact in facts if fact.cls == cls and len(fact.text) > 3}
        places = sorted((place, name) for name in names if (place := text.find(name)) >= 0)
        first, last = (places[0][1], places[-1][1]) if places else ("", "")
        if first not in last and last not in first:
            parts = (part.replace(last, first) for part in text.split(first))
            return last.join(parts)
    return ""


def changed_value(facts: Sequence[Fact]) -> tuple[str, str] | None:
    """Return the newest statement of a key and an earlier one with another value, or None.

    Args:
        facts: Facts, the newest first.
    """
    stated: dict[str, str] = {}
    for fact in facts:
        if pair := keyed_number(fact):
            known = stated.setdefault(pair[0], fact.text)
            if known != fact.text:
                return known, fact.text
    return None
