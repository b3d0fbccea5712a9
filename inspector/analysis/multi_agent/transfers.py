"""Find transfers: text that one agent wrote and another agent received, and the number of prompts that contained it.

If agents have separate contexts, a transfer is detected by its text: lines that one agent wrote first and that appear
in a message to another agent. The result of a call that started an agent is attributed to that agent even if the text
differs. A group chat does not record who saw a message, so every agent is assumed to have received all earlier
messages, unless groups exclude it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from inspector.analysis.multi_agent.participants import PERSON, Participants
from inspector.analysis.multi_agent.prompt_tree import PromptTree
from inspector.analysis.multi_agent.texts import lines_in, read_texts, written_texts
from inspector.core.conversation import Message, Session, Thinking, readable
from inspector.core.json_objects import Tokens, json_object
from inspector.core.work_pool import Stop

Channel = Literal["task", "report", "chat", "output"]
"""Route of a transfer.

task    passed to another agent as its task
report  the result of a call that started an agent
chat    a message, or injected text, that the reader could see
output  printed by a tool, for example a file that one agent wrote and another read
"""
Certainty = Literal["whole", "part", "by the call", "assumed"]
"""Certainty of a transfer.

whole        all of the text appears in the message
part         some lines of the text appear in the message
by the call  only the call connects the two agents
assumed      the recording does not state who saw the message
"""
_WHOLE = 0.9
"""Share of a text that counts as all of it."""
_MIN_CHARS = 60
"""Minimum characters of a partial match."""
_SENTENCE = 40
"""Minimum characters of a full match in a message of a user or a program."""
_PART = 0.2
"""Minimum share of the written text, or of the message that contains it, in a partial match."""


class CollaborationCancelledError(Exception):
    """Raised when an analysis of agents is cancelled."""


@json_object(keys="writer source reader holder tokens prompts prompt_tokens turn channel certainty")
@dataclass(frozen=True, slots=True)
class Transfer:
    """Text that one agent wrote and another agent received. `source` and `holder` are positions in the log."""

    writer: str
    source: int
    """Message in which it was written."""
    reader: str
    holder: int
    """Message in the reader's context that contains it; equal to `source` in a shared conversation."""
    tokens: Tokens
    prompts: Annotated[int, "prompts of the reader with it"]
    turn: Annotated[int, "the reader's first turn with it; 0 if no call was made after it arrived"]
    channel: Annotated[
        Channel,
        "as a task, as the result of such a call, as a message visible to the reader, or in a tool's output",
    ]
    certainty: Annotated[
        Certainty,
        (
            "the prompt contains all of the text, contains a part of it, only the call implies it, or readers "
            "are not recorded"
        ),
    ]

    @property
    def prompt_tokens(self) -> Annotated[Tokens, "over all of them"]:
        """Tokens over all prompts that contained it."""
        return self.tokens * self.prompts


def find_transfers(
    session: Session, tokens: Sequence[int], parties: Participants, prompts: PromptTree, stop: Stop = lambda: False
) -> list[Transfer]:
    """Return all transfers in chronological order. Linear in the texts of the log.

    Args:
        session: Session to search.
        tokens: Tokens of each message in the log.
        parties: Agents of the session.
        prompts: Prompts that contained each message.
        stop: Called regularly; cancels the search when it returns True.

    Raises:
        OSError: If the recording can no longer be read.
        CollaborationCancelledError: If `stop` returned True.
    """
    if parties.is_chat:
        return list(_chat_transfers(session, tokens, parties, prompts))
    return _Attribution(session, tokens, parties, prompts, stop).transfers()


def _chat_transfers(
    session: Session, tokens: Sequence[int], parties: Participants, prompts: PromptTree
) -> Iterator[Transfer]:
    for position, writer in enumerate(parties.writers):
        if writer in ("", PERSON):
            continue
        size = _visible_tokens(session.messages[position], tokens[position])
        for reader in parties.names:
            count = prompts.count(position, reader) if reader != writer else 0
            if size and count and parties.may_read(reader, position):
                turn = prompts.first_turn(position, reader)
                yield Transfer(writer, position, reader, position, size, count, turn, "chat", "assumed")


def _visible_tokens(message: Message, tokens: int) -> int:
    """Return the tokens of a message without its writer's thinking."""
    if not message.thinks:
        return tokens
    sizes = [(len(readable(part)), isinstance(part, Thinking)) for part in message.parts]
    every = sum(size for size, _ in sizes)
    return round(tokens * sum(size for size, is_thought in sizes if not is_thought) / every) if every else 0


@dataclass(slots=True, eq=False)
class _Writing:
    """A text that an agent sent to a tool or to its readers."""

    writer: str
    source: int
    call: str
    chars: int = 0
    """Characters of its lines that are long enough to be compared."""


class _Attribution:
    """Walk a log in chronological order and attribute the text of each message to its writer."""

    def __init__(
        self, session: Session, tokens: Sequence[int], parties: Participants, prompts: PromptTree, stop: Stop
    ) -> None:
        self.session, self.tokens, self.parties, self.prompts, self.stop = session, tokens, parties, prompts, stop
        self.ranks = [0] * len(parties.order)
        for rank, position in enumerate(parties.order):
            self.ranks[position] = rank
        self.first: dict[int, _Writing | None] = {}
        """First text that contains each line an agent wrote; None if the line had appeared elsewhere before."""
        self.said: dict[tuple[str, int], _Writing] = {}
        """First text of each speaker that contains a line, for lines that name their speaker."""
        self.whole: dict[str, _Writing] = {}
        """Texts passed to tools, by content, to recognise tasks too short to be compared by lines."""
        self.tasks: dict[tuple[str, str], str] = {}
        """Agent that each call started, by caller and call id."""
        self.last_words: dict[str, int] = {}
        """Position of each agent's last reply."""

    def transfers(self) -> list[Transfer]:
        messages, writers = self.session.messages, self.parties.writers
        for position in self._positions():
            if messages[position].is_reply:
                self._feed_written(position, writers[position])
        transfers: list[Transfer] = []
        for position in self._positions():
            message = messages[position]
            if not message.is_reply and message.kind != "notice" and message.agent in self.parties.names:
                transfers += self._read(position)
        return transfers

    def _positions(self) -> Iterator[int]:
        for position in self.parties.order:
            if self.stop():
                raise CollaborationCancelledError
            yield position

    def _feed_written(self, position: int, writer: str) -> None:
        self.last_words[writer] = position
        for text, call in written_texts(self.session.messages[position]):
            writing = _Writing(writer, position, call)
            if call and text.strip():
                self.whole.setdefault(text.strip(), writing)
            for line, size, _ in lines_in(text):
                writing.chars += size
                self.first.setdefault(line, writing)
                self.said.setdefault((writer, line), writing)

    def _read(self, position: int) -> list[Transfer]:
        """Return the transfers in one message that an agent received."""
        message = self.session.messages[position]
        counts: dict[_Writing, int] = {}
        every = 0
        for line, size, speaker in (entry for text in read_texts(message) for entry in lines_in(text)):
            every += size
            writing = self.said.get((speaker, line)) or self.first.get(line)
            if writing is not None and self.ranks[writing.source] > self.ranks[position]:
                self.first[line] = None
            elif writing is not None and writing.writer != message.agent:
                counts[writing] = counts.get(writing, 0) + size
        if not counts and (task := self._short_task(position)):
            counts[task], every = max(task.chars, 1), max(every, 1)
        return self._transfers_of(position, counts, every)

    def _short_task(self, position: int) -> _Writing | None:
        """Return the call whose text is the entire first message of a context, if there is one."""
        message = self.session.messages[position]
        if message.role != "user" or message.parent >= 0:
            return None
        task = self.whole.get(message.text.strip())
        is_earlier = task is not None and self.ranks[task.source] < self.ranks[position]
        return task if task is not None and is_earlier and task.writer != message.agent else None

    def _transfers_of(self, position: int, counts: dict[_Writing, int], every: int) -> list[Transfer]:
        """Return the transfers in a message of `every` characters, given the matched characters of each text."""
        message = self.session.messages[position]
        by_source: dict[int, Transfer] = {}
        callee = self.tasks.get((message.agent, message.answers)) if message.answers is not None else None
        for writing, chars in counts.items():
            certainty = _certainty(writing, chars, every, _least_whole(message, every))
            if certainty is None:
                continue
            channel = self._channel(message, writing, callee)
            size = max(1, round(self.tokens[position] * chars / max(every, 1)))
            transfer = self._transfer(writing.writer, writing.source, position, size, channel, certainty)
            earlier = by_source.get(writing.source)
            by_source[writing.source] = _joined(earlier, transfer) if earlier else transfer
        source = self.last_words.get(callee, -1) if callee is not None else -1
        if source >= 0 and callee not in {transfer.writer for transfer in by_source.values()}:
            size = self.tokens[position]
            by_source[source] = self._transfer(callee or "", source, position, size, "report", "by the call")
        return list(by_source.values())

    def _channel(self, message: Message, writing: _Writing, callee: str | None) -> Channel:
        if message.role == "tool":
            return "report" if callee is not None and writing.writer == callee else "output"
        if writing.call and message.role == "user":
            self.tasks.setdefault((writing.writer, writing.call), message.agent)
            return "task"
        return "chat"

    def _transfer(
        self, writer: str, source: int, holder: int, tokens: int, channel: Channel, certainty: Certainty
    ) -> Transfer:
        reader = self.session.messages[holder].agent
        count, turn = self.prompts.count(holder, reader), self.prompts.first_turn(holder, reader)
        return Transfer(writer, source, reader, holder, tokens, count, turn, channel, certainty)


def _least_whole(message: Message, every: int) -> float:
    """Return the minimum characters of a full match in a message of `every` characters.

    Injected messages exist to quote others, so any line counts. In messages of a user or a program, a sentence
    suffices.
    """
    if message.kind == "injected":
        return 0
    return _PART * every if message.role == "tool" else min(_PART * every, _SENTENCE)


def _certainty(writing: _Writing, chars: int, every: int, least: float) -> Certainty | None:
    """Return the certainty that a message contains a text; None if the match can be a coincidence.

    Args:
        writing: Text of an agent.
        chars: Matched characters.
        every: Characters of the message.
        least: Minimum characters of a full match.
    """
    if chars >= _WHOLE * writing.chars:
        return "whole" if chars >= min(least, _MIN_CHARS) else None
    return "part" if chars >= max(_MIN_CHARS, _PART * min(writing.chars, every)) else None


def _joined(first: Transfer, second: Transfer) -> Transfer:
    """Combine two texts of one message that arrived in the same message."""
    certainty: Certainty = "whole" if first.certainty == second.certainty == "whole" else "part"
    return replace(second, tokens=first.tokens + second.tokens, certainty=certainty)
