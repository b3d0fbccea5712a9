"""Collect what a session's agents wrote, received, repeated, reused and never read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Literal, TypeVar

from inspector.analysis.multi_agent.adoption import Adoption, find_adoptions
from inspector.analysis.multi_agent.participants import PERSON, Participants, count_calls, is_private, read_participants
from inspector.analysis.multi_agent.prompt_tree import PromptTree
from inspector.analysis.multi_agent.repeats import PriceOf, Repeat, find_repeats
from inspector.analysis.multi_agent.transfers import Transfer, find_transfers
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.json_objects import OPEN, Tokens, json_object
from inspector.core.work_pool import Stop
from inspector.engine.facts import FactIndex

UnreadReason = Literal["no agent received it", "no call was made after it arrived"]


@json_object()
@dataclass(frozen=True, slots=True)
class Unread:
    """A message that an agent wrote for others and that no other agent's prompt contained.

    `message` is a position in the log.
    """

    writer: str
    message: int
    tokens: Tokens
    reason: Annotated[UnreadReason, OPEN]


@json_object("Agent")
@dataclass(frozen=True, slots=True)
class PartyRow:
    """Totals of one agent. Tokens are counted like the session's sizes."""

    name: str
    messages: Annotated[int, "messages of the agent"]
    tokens: Annotated[Tokens, "tokens of these messages"]
    calls: Annotated[int, "model calls of the agent"]
    shared: Annotated[int, "messages of the agent that another agent received"]
    read: Annotated[Tokens, "tokens of other agents that it received"]
    read_prompts: Annotated[Tokens, "same, over all of its prompts with them"]


@json_object("Reading")
@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Text that one agent wrote and another agent received."""

    writer: str
    reader: str
    transfers: int = 0
    tokens: Tokens = 0
    prompt_tokens: Annotated[Tokens, "over all prompts of the reader with them"] = 0
    adopted: Annotated[int, "facts of the writer that the reader used"] = 0


@json_object("Group")
@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group that messages are addressed to."""

    name: str
    writers: Annotated[tuple[str, ...], "agents that wrote to it, and are assumed to read it"]
    messages: Annotated[int, "messages to the group"]


@dataclass(frozen=True)
class AgentCollaboration:
    """All results about the collaboration of a session's agents."""

    session: Session
    tokens: Sequence[int]
    """Tokens of each message in the log."""
    parties: Participants
    rows: tuple[PartyRow, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    unread: tuple[Unread, ...] = ()
    adoptions: tuple[Adoption, ...] | None = None
    """Facts that agents took over from each other; None if facts have not been read."""
    estimated: bool = field(default=False)
    """True if token counts are estimates."""

    @property
    def is_alone(self) -> bool:
        """True if there is only one agent."""
        return len(self.parties.names) < 2

    @cached_property
    def matrix(self) -> Mapping[tuple[str, str], MatrixCell]:
        """Cells by writer and reader, without pairs that exchanged nothing."""
        cells: dict[tuple[str, str], MatrixCell] = {}
        for transfer in self.transfers:
            pair = transfer.writer, transfer.reader
            cell = cells.get(pair, MatrixCell(*pair))
            cells[pair] = MatrixCell(
                *pair, cell.transfers + 1, cell.tokens + transfer.tokens, cell.prompt_tokens + transfer.prompt_tokens
            )
        for adoption in self.adoptions or ():
            pair = adoption.writer, adoption.reader
            cells[pair] = replace(cells[pair], adopted=cells[pair].adopted + 1)
        return cells

    @cached_property
    def has_calls(self) -> bool:
        """True if any tool was called, so that repeated work can be detected."""
        return any(message.calls for message in self.session.messages)

    @cached_property
    def largest_cell(self) -> int:
        """Largest number of tokens that any agent received from another one."""
        return max((cell.tokens for cell in self.matrix.values()), default=0)

    @cached_property
    def busiest(self) -> tuple[str, ...]:
        """Agents in descending order of the tokens they sent and received."""
        sums: dict[str, int] = dict.fromkeys(self.parties.names, 0)
        for (writer, reader), cell in self.matrix.items():
            sums[writer] += cell.tokens
            sums[reader] += cell.tokens
        return tuple(sorted(sums, key=lambda name: -sums[name]))

    @cached_property
    def wasted_tokens(self) -> int:
        """Tokens of tool results that another agent had already received."""
        return sum(repeat.tokens for repeat in self.repeats)

    @cached_property
    def wasted_cost(self) -> float | None:
        """Dollars spent on those results; None if a price is unknown."""
        costs = [repeat.cost for repeat in self.repeats]
        return None if None in costs else sum(filter(None, costs))

    @cached_property
    def arrivals(self) -> Mapping[tuple[str, int], Sequence[Transfer]]:
        """Transfers by reader and by the turn whose prompt contained them first. Turn 0 means that no prompt did."""
        return _grouped(((transfer.reader, transfer.turn), transfer) for transfer in self.transfers)

    @cached_property
    def by_source(self) -> Mapping[int, Sequence[Transfer]]:
        """Transfers by the message that was written."""
        return _grouped((transfer.source, transfer) for transfer in self.transfers)

    @cached_property
    def by_holder(self) -> Mapping[int, Sequence[Transfer]]:
        """Transfers by the message that contains the text."""
        return _grouped((transfer.holder, transfer) for transfer in self.transfers)

    def arrivals_at(self, agent: str, turn: int) -> list[tuple[Message, list[str]]]:
        """Return the messages with other agents' text that were new in a prompt.

        Args:
            agent: Agent that received the prompt.
            turn: Turn of the prompt.

        Returns:
            Each message with the writers of that text.
        """
        writers: dict[int, dict[str, None]] = {}
        for transfer in self.arrivals.get((agent, turn), ()):
            writers.setdefault(transfer.holder, {})[transfer.writer] = None
        return [(self.session.messages[holder], list(names)) for holder, names in sorted(writers.items())]

    @cached_property
    def groups(self) -> tuple[GroupRow, ...]:
        """Groups that messages are addressed to, except the private thoughts of single agents."""
        counts = Counter(name for audience in self.parties.audiences.values() for name in audience)
        return tuple(
            GroupRow(name, tuple(sorted(writers)), counts[name])
            for name, writers in self.parties.groups.items()
            if not is_private(name, writers)
        )

    def of_agent(self, agent: str) -> AgentCollaboration:
        """Return only the rows that concern an agent as writer or as reader."""
        return replace(
            self,
            transfers=tuple(row for row in self.transfers if agent in (row.writer, row.reader)),
            repeats=tuple(row for row in self.repeats if agent in (row.first.agent, row.again.agent)),
            unread=tuple(row for row in self.unread if row.writer == agent),
            adoptions=self.adoptions and tuple(row for row in self.adoptions if agent in (row.writer, row.reader)),
        )


_Key = TypeVar("_Key")


def _grouped(pairs: Iterable[tuple[_Key, Transfer]]) -> dict[_Key, list[Transfer]]:
    groups: dict[_Key, list[Transfer]] = {}
    for key, transfer in pairs:
        groups.setdefault(key, []).append(transfer)
    return groups


def read_collaboration(
    session: Session,
    tokens: Sequence[int],
    *,
    price_for: PriceOf = lambda _: None,
    estimated: bool = False,
    stop: Stop = lambda: False,
) -> AgentCollaboration:
    """Analyse how a session's agents worked together, without adoptions, which require facts.

    The cost is linear in the texts of the log.

    Args:
        session: Session to analyse.
        tokens: Tokens of each message in the log.
        price_for: Returns the price of the model that gave a reply, or None if it is unknown.
        estimated: True if `tokens` are estimates.
        stop: Called regularly; cancels the analysis when it returns True.

    Raises:
        OSError: If the recording can no longer be read.
        CollaborationCancelledError: If `stop` returned True.
    """
    parties = read_participants(session)
    if len(parties.names) < 2:
        return AgentCollaboration(session, tokens, parties, estimated=estimated)
    prompts = PromptTree(session, parties)
    transfers = tuple(find_transfers(session, tokens, parties, prompts, stop))
    repeats = tuple(find_repeats(session, tokens, parties, prompts, price_for, stop))
    rows = tuple(_rows(session, tokens, parties, transfers))
    unread = tuple(_find_unread(session, tokens, parties, transfers))
    return AgentCollaboration(session, tokens, parties, rows, transfers, repeats, unread, None, estimated)


def with_adoptions(
    collaboration: AgentCollaboration, index: FactIndex | None, stop: Stop = lambda: False
) -> AgentCollaboration:
    """Return the results with the facts that agents took over from each other.

    Args:
        collaboration: Results without adoptions.
        index: Facts of the session; without them, the adoptions are empty.
        stop: Called regularly; cancels the search when it returns True.

    Raises:
        CollaborationCancelledError: If `stop` returned True.
    """
    if collaboration.is_alone or index is None:
        return replace(collaboration, adoptions=())
    adoptions = find_adoptions(collaboration.session, collaboration.parties, collaboration.transfers, index, stop)
    return replace(collaboration, adoptions=tuple(adoptions))


def _rows(
    session: Session, tokens: Sequence[int], parties: Participants, transfers: Sequence[Transfer]
) -> Iterator[PartyRow]:
    messages: dict[str, int] = dict.fromkeys(parties.names, 0)
    sizes = dict(messages)
    for position, writer in enumerate(parties.writers):
        if writer in messages:
            messages[writer] += 1
            sizes[writer] += tokens[position]
    shared: dict[str, set[int]] = {}
    read, read_prompts = dict.fromkeys(parties.names, 0), dict.fromkeys(parties.names, 0)
    for transfer in transfers:
        shared.setdefault(transfer.writer, set()).add(transfer.source)
        read[transfer.reader] += transfer.tokens
        read_prompts[transfer.reader] += transfer.prompt_tokens
    calls = count_calls(session, parties)
    for name in parties.names:
        count = len(shared.get(name, ()))
        yield PartyRow(name, messages[name], sizes[name], calls[name], count, read[name], read_prompts[name])


def _find_unread(
    session: Session, tokens: Sequence[int], parties: Participants, transfers: Sequence[Transfer]
) -> Iterator[Unread]:
    """Yield the messages intended for other agents that no prompt contained.

    These are final reports, and all messages of a group chat. Intermediate messages of an agent, and messages of the
    main agent to the user, are not intended for other agents.
    """
    sent: dict[int, bool] = {}
    for transfer in transfers:
        sent[transfer.source] = sent.get(transfer.source, False) or transfer.prompts > 0
    for position in _meant_for_others(session, parties):
        if not sent.get(position, False):
            came = parties.is_chat or position in sent
            reason: UnreadReason = "no call was made after it arrived" if came else "no agent received it"
            yield Unread(parties.writers[position], position, tokens[position], reason)


def _meant_for_others(session: Session, parties: Participants) -> list[int]:
    if parties.is_chat:
        said = [position for position, writer in enumerate(parties.writers) if writer not in ("", PERSON)]
        return [
            position
            for position in said[:-1]  # the last words are the answer to the person
            if any(name != parties.writers[position] and parties.may_read(name, position) for name in parties.names)
        ]
    last: dict[str, int] = {}
    for position in parties.order:
        writer = parties.writers[position]
        if writer not in ("", PERSON, MAIN) and session.messages[position].is_reply:
            last[writer] = position
    return sorted(last.values())
