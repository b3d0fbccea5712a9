"""The rows of the messages that a reply depends on, as a search with a model found them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis.asking import BlamedPart
from inspector.core.conversation import Message
from inspector.core.text import one_line
from inspector.ui.dialogs.blame_controller import BlameResult

_FREE = "The reply is the same without any earlier message."


@dataclass(frozen=True, slots=True)
class CulpritLine:
    """A message, or a part of one, that a reply depends on."""

    head: str
    """Relation to the reply in a word; empty for further messages of the same set."""
    words: str
    detail: str
    """Sentence about the row."""
    target: str = ""
    """ID of the message to go to; empty for none."""
    is_part: bool = False


def culprit_lines(result: BlameResult | None, messages: Sequence[Message]) -> Iterator[CulpritLine]:
    """Yield the rows of a result.

    Args:
        result: The result; None without a search.
        messages: Messages of the session.
    """
    if result is None or result.culprits is None:
        return
    numbers = {message.id: number for number, message in enumerate(messages)}
    culprits, rows = result.culprits, _CulpritRows(result, messages, numbers)
    if culprits.is_free:
        yield CulpritLine("enough", _FREE, "The current request and the definitions of the tools are enough.")
        yield from (rows.part(part) for part in result.parts)
        return
    for count, places in enumerate(culprits.sets):
        detail = "With only this set and the current request, the reply is the same."
        yield from rows.messages("or" if count else "enough", places, detail, with_parts=True)
    if culprits.necessary is not None:
        detail = "Without these messages it is another reply."
        if culprits.alternatives:
            detail = "Only without all of these messages it is another reply; none alone is necessary."
        yield from rows.messages("necessary", culprits.necessary, detail)


@dataclass(frozen=True)
class _CulpritRows:
    """Makes rows of positions in a window."""

    result: BlameResult
    session: Sequence[Message]
    numbers: Mapping[str, int]

    def messages(
        self, head: str, places: Sequence[int], detail: str, *, with_parts: bool = False
    ) -> Iterator[CulpritLine]:
        """Yield the rows of a set of messages, each followed by its parts."""
        for count, place in enumerate(places):
            name = self.result.ids[place]
            yield CulpritLine("" if count else head, self._words(name), detail, name)
            if with_parts:
                yield from (self.part(part) for part in self.result.parts if part.place == place)

    def part(self, blamed: BlamedPart) -> CulpritLine:
        """Return the row of a part."""
        part = blamed.part
        lines = f"line {part.first:,}" if part.first == part.last else f"lines {part.first:,}–{part.last:,}"
        section = f"{part.section} · " if part.section and part.text else ""
        words = one_line(f"{lines}: {section}{part.text or part.section}")
        detail = (
            "Without the listed lines of the message it is another reply."
            if blamed.is_necessary
            else "These lines of the message are enough; without them the reply is the same."
        )
        return CulpritLine("", words, detail, self.result.ids[blamed.place], is_part=True)

    def _words(self, name: str) -> str:
        number = self.numbers.get(name)
        if number is None:
            return "the summary"
        message = self.session[number]
        return f"#{number + 1:,} {message.role}: {one_line(message.preview)}"
