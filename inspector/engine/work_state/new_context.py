"""The context after a compaction, and what it states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from math import ceil

from inspector.core.caches import text_of
from inspector.core.conversation import Message
from inspector.engine.facts import RelatedText, StatedTexts, content_words, sentence_of
from inspector.engine.work_state.languages import language_of
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.summary_points import NAME_PARTS, ContextPoints, SummaryPoint, is_about, without_notes
from inspector.engine.work_state.work_history import Transition

MAX_SHOWN = 200
"""Maximum number of characters of a statement that is shown."""
DECLINED = ("refused", "shelved")
"""States of plans that are not to be carried out."""
_NEAR, _TOGETHER, _PART = 4, 0.75, 0.4
"""Statements of a summary that can state one task together, the share of its words, and that in one of them."""
_MAX_SAID = 4_000
_MAX_LIST = 40
"""Maximum number of words of such statements if none of them says a part of the task."""


@dataclass(frozen=True)
class NewContext:
    """Text and statements of a new context."""

    summary: str
    text: str
    """The summary and the kept messages."""
    points: ContextPoints
    rest: Mapping[str, Message]
    """Kept messages by the id of their original."""
    replaced: tuple[Message, ...]
    declined: tuple[StateItem, ...] = ()
    """Plans that are not to be carried out."""
    tasks: tuple[str, ...] = ()

    @classmethod
    def of(cls, transition: Transition) -> NewContext:
        """Read the new context of a compaction. Raises OSError if the recording can no longer be read."""
        summary = without_notes(transition.summary.text)
        text = "\n".join([summary, *map(text_of, transition.kept)])
        rest = {message.id.rpartition("#")[0] or message.id: message for message in transition.kept}
        points = ContextPoints(summary, transition.kept)
        declined = (plan for plan in transition.before.of("plan") if plan.state in DECLINED)
        tasks = tuple(task.text for task in transition.before.of("task"))
        return cls(summary, text, points, rest, transition.replaced, tuple(declined), tasks)

    @cached_property
    def is_translated(self) -> bool:
        """True if the summary is in another language than the words of the user."""
        said = " ".join(one.text for message in self.replaced if (one := steps_of(message).words))
        spoken, written = language_of(said[:_MAX_SAID]), language_of(self.summary)
        return bool(spoken) and bool(written) and spoken != written

    @cached_property
    def lines(self) -> list[SummaryPoint]:
        """Lines of the summary with the titles that they begin with, which `points` lack."""
        return [SummaryPoint(line, "", content_words(line)) for line in self.summary.split("\n")]

    @cached_property
    def parts(self) -> list[frozenset[str]]:
        """Words of each statement of the summary, with those that names are made of."""
        return [content_words(NAME_PARTS.sub(" ", point.text)) for point in self.points.summary]

    def around(self, text: str) -> str:
        """Return the first of some consecutive statements that together say most of a text, or ""."""
        parted = NAME_PARTS.sub(" ", text)
        words, sentence = content_words(parted), sentence_of(parted.replace(",", " "))
        least = ceil(_TOGETHER * len(words))
        for place in range(len(self.parts) if len(words) >= 3 else 0):
            near = frozenset[str]().union(*self.parts[place : place + _NEAR])
            if len(words & near) >= least and words & self.parts[place]:
                texts = [NAME_PARTS.sub(" ", point.text) for point in islice(self.points, place, place + _NEAR)]
                whole = RelatedText("\n".join(texts))
                is_list = len(whole) <= _MAX_LIST and whole.ordered(sentence) >= least
                if is_list or any(is_about(one, parted, _PART) for one in texts):
                    near_points = self.points.summary[place : place + _NEAR]
                    return max(near_points, key=lambda point: len(words & point.words)).text[:MAX_SHOWN]
        return ""

    def tells(self, name: str, text: str) -> bool:
        """Return True if the summary states a name near words of a text, or of replaced messages that contain it."""
        earlier = (message for message in reversed(self.replaced) if not message.is_error)
        return self.has_name(name) and StatedTexts((), [self.summary]).value(name, earlier, text) == "retained"

    def has_name(self, name: str) -> bool:
        """Return True if the summary contains a name, not only as a part of another one."""
        return has_name(self.summary, name)


def has_name(text: str, name: str) -> bool:
    """Return True if a text contains a name, not only as a part of another one."""
    parts = text.split(name)
    return any(_is_edge(before[-1:]) and _is_edge(after[:1]) for before, after in pairwise(parts))


def _is_edge(character: str) -> bool:
    """Return True if a name can end next to a character, or at the end of the text."""
    return not character or not (character.isalnum() or character in "_-")
