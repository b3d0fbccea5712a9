"""Find the paragraphs of a long message that a reply depends on, in the way in which messages are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.analysis.asking.culprits import minimal_set, search_depth
from inspector.analysis.asking.message_parts import TextPart, editable_text, parts_of_text, text_of_parts
from inspector.analysis.asking.step_agreement import StepReply
from inspector.core.conversation import Message
from inspector.engine.facts import content_words

_FEW_WORDS = 2
"""Words in common with the reply from which a part is tried first."""


@dataclass(frozen=True, slots=True)
class BlamedPart:
    """A part of a message that a reply depends on."""

    place: int
    """Position of the message in the window."""
    part: TextPart
    is_necessary: bool
    """True if the reply is another one without the parts that were found in this message."""


@dataclass(frozen=True, slots=True)
class DividedMessage:
    """A message of a window that consists of several parts."""

    place: int
    parts: Sequence[TextPart]

    @property
    def most_tests(self) -> int:
        """Number of tests that the search for a single part takes at most."""
        return search_depth(len(self.parts)) + 3

    def text(self, places: frozenset[int]) -> str:
        """Return the text of some of the parts."""
        return text_of_parts(self.parts[place] for place in sorted(places))


def divided(place: int, message: Message) -> DividedMessage | None:
    """Return a message as its parts; None if it has no text that can be divided.

    Args:
        place: Position in the window.
        message: The message.
    """
    text = editable_text(message)
    parts = parts_of_text(text) if text else []
    return DividedMessage(place, parts) if parts else None


def find_parts(
    message: DividedMessage, target: StepReply, is_same: Callable[[str], bool], breaks: Callable[[str], bool] | None
) -> list[BlamedPart]:
    """Return the smallest set of parts of a message that is enough for a reply.

    Args:
        message: The message.
        target: The reply, whose words order the search.
        is_same: Returns True if the reply is the same with this text of the message.
        breaks: Returns True if the reply is another one if the whole context has this text instead; None if it is
            known that it is not.
    """
    reply = content_words("\n".join([target.text, *(call.arguments for call in target.calls)]))
    shared = {place: float(len(reply & content_words(part.text))) for place, part in enumerate(message.parts)}
    weights = {place: count for place, count in shared.items() if count >= _FEW_WORDS}
    order = sorted(shared, key=lambda place: (-shared[place], place))
    chosen = minimal_set([(place,) for place in order], weights, lambda kept: is_same(message.text(kept)))
    rest = frozenset(range(len(message.parts))) - chosen
    is_necessary = breaks is not None and breaks(message.text(rest))
    return [BlamedPart(message.place, message.parts[place], is_necessary) for place in sorted(chosen)]
