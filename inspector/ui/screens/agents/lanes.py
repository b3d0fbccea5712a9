"""The messages of several agents in chronological order, each in the lane of its agent, independent of any widget.

A lane is free for another agent after the last message of its current one. A hundred sub-agents therefore need only as
many lanes as agents were active at the same time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from inspector.analysis.multi_agent import PERSON, AgentCollaboration, Transfer
from inspector.core.conversation import MAIN
from inspector.core.text import plural

MarkKind = Literal["twice", "adopted", "unread", "handed", "reply", "other"]
"""The most important property of a message, in this order of importance."""
_APART = 8
"""Maximum number of agents for which every agent has a separate lane."""


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A message in its lane."""

    position: int
    """Position of the message in the log."""
    agent: str
    """Agent whose lane the message is in."""
    lane: int
    mark: MarkKind
    lead: str
    """Text in front of the message's own text."""
    sources: tuple[int, ...] = ()
    """Lanes of the agents whose text it contains."""


@dataclass(frozen=True)
class LaneChart:
    """All rows, and the lanes that agents occupy over time."""

    rows: tuple[LaneRow, ...] = ()
    lanes: int = 0
    stays: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """Lane, first row and last row of each agent."""
    marks: Mapping[MarkKind, tuple[int, ...]] = field(default_factory=dict)
    """Rows with each mark."""
    places: Mapping[int, int] = field(default_factory=dict)
    """Row of each message, by its position in the log."""
    spans: Sequence[Sequence[tuple[int, int]]] = ()
    """For each lane, the first and last rows of its agents, in order."""

    def is_live(self, lane: int, row: int) -> bool:
        """Return True if the lane's agent is active at a row."""
        spans = self.spans[lane]
        place = bisect_right(spans, (row, len(self.rows))) - 1
        return place >= 0 and spans[place][0] <= row <= spans[place][1]


def lane_chart(collaboration: AgentCollaboration) -> LaneChart:
    """Return the lanes of a session; empty for a single agent. Linear in the log, except for the search for a lane."""
    if collaboration.is_alone:
        return LaneChart()
    messages, parties = collaboration.session.messages, collaboration.parties
    positions = [position for position in parties.order if messages[position].kind != "notice"]
    owners = [_owner(collaboration, position) for position in positions]
    stays = _stays(owners)
    leads = _Leads(collaboration)
    rows = []
    marks: dict[MarkKind, list[int]] = {}
    for number, (position, owner) in enumerate(zip(positions, owners, strict=True)):
        mark, lead = leads.of(position)
        sources = tuple(
            sorted({stays[row.writer][0] for row in leads.arrivals.get(position, ()) if row.writer in stays})
        )
        rows.append(LaneRow(position, owner, stays[owner][0], mark, lead, sources))
        marks.setdefault(mark, []).append(number)
    lanes = max((lane for lane, _, _ in stays.values()), default=-1) + 1
    spans: list[list[tuple[int, int]]] = [[] for _ in range(lanes)]
    for lane, first, last in sorted(stays.values(), key=lambda stay: stay[1]):
        spans[lane].append((first, last))
    return LaneChart(
        tuple(rows),
        lanes,
        stays,
        {kind: tuple(numbers) for kind, numbers in marks.items()},
        {row.position: number for number, row in enumerate(rows)},
        spans,
    )


def _owner(collaboration: AgentCollaboration, position: int) -> str:
    """Return the agent whose lane a message is in: the owner of its context, or its writer in a group chat."""
    if not collaboration.parties.is_chat:
        return collaboration.session.messages[position].agent
    return collaboration.parties.writers[position] or PERSON


def _stays(owners: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """Return the lane, first row and last row of each agent. Few agents have separate lanes; many share them."""
    firsts: dict[str, int] = {}
    lasts: dict[str, int] = {}
    for number, owner in enumerate(owners):
        firsts.setdefault(owner, number)
        lasts[owner] = number
    ends: list[int] = []
    stays: dict[str, tuple[int, int, int]] = {}
    for owner in sorted(firsts, key=lambda name: (name != MAIN, firsts[name])):
        free = next((lane for lane, end in enumerate(ends) if end < firsts[owner]), len(ends))
        lane = free if len(firsts) > _APART and owner != MAIN else len(ends)
        ends[lane : lane + 1] = [len(owners) if owner == MAIN else lasts[owner]]
        stays[owner] = lane, firsts[owner], lasts[owner]
    return stays


class _Leads:
    """Finds the mark of each message and the text in front of it."""

    def __init__(self, collaboration: AgentCollaboration) -> None:
        self.collaboration = collaboration
        self.arrivals: Mapping[int, Sequence[Transfer]] = (
            {} if collaboration.parties.is_chat else collaboration.by_holder
        )
        self.repeats = {repeat.again.result: repeat for repeat in collaboration.repeats}
        self.adoptions: dict[int, list[str]] = {}
        for adoption in collaboration.adoptions or ():
            self.adoptions.setdefault(adoption.use, []).append(adoption.writer)
        self.unread = {row.message: row for row in collaboration.unread}

    def of(self, position: int) -> tuple[MarkKind, str]:
        if repeat := self.repeats.get(position):
            return "twice", f"again, after {repeat.first.agent} #{repeat.first.result + 1:,}"
        if writers := self.adoptions.get(position):
            return "adopted", f"uses {plural(len(writers), 'fact')} of {', '.join(dict.fromkeys(writers))}"
        if position in self.unread:
            return "unread", "never received"
        if transfers := self.arrivals.get(position):
            return "handed", " and ".join(dict.fromkeys(map(_arrival, transfers)))
        return ("reply" if self.collaboration.session.messages[position].is_reply else "other"), ""


def _arrival(transfer: Transfer) -> str:
    words = {"task": "task from", "report": "report of", "chat": "text of", "output": "written by"}
    return f"{words[transfer.channel]} {transfer.writer}"


def next_of_agent(chart: LaneChart, agents: Sequence[str], row: int, step: int) -> Iterator[int]:
    """Yield the nearest row in the lane of the next agent, or that agent's first row; nothing if there are no rows.

    Args:
        chart: Lanes of the session.
        agents: Agents in the order to visit them.
        row: Current row.
        step: 1 for the next agent and a later row; -1 for the previous agent and an earlier row.
    """
    if not chart.rows:
        return
    names = [name for name in agents if name in chart.stays]
    here = chart.rows[row].agent
    name = names[(names.index(here) + step) % len(names)] if here in names else names[0]
    rows = range(row + 1, len(chart.rows)) if step > 0 else range(row - 1, -1, -1)
    yield next((number for number in rows if chart.rows[number].agent == name), chart.stays[name][1])
