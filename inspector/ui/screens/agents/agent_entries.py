"""The lists of the Agents screen, independent of any widget: received, repeated, adopted and unread content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from inspector.analysis.multi_agent import AgentCollaboration
from inspector.core.text import clipped, dollars, one_line, plural

ListName = Literal["sent", "new here", "twice", "adopted", "unread", "groups"]
LISTS: Sequence[ListName] = ("sent", "new here", "twice", "adopted", "unread", "groups")
TITLES: Mapping[ListName, str] = {
    "sent": "who received whose text",
    "new here": "new in this prompt",
    "twice": "repeated",
    "adopted": "facts taken over",
    "unread": "never received",
    "groups": "groups",
}
SHORT_TITLES: Mapping[ListName, str] = {"sent": "received", "twice": "repeated", "adopted": "taken over"}
"""Names of lists that are not shown, if they differ from those of the lists."""
_NOTHING: Mapping[ListName, str] = {
    "sent": "No prompt contains text of another agent.",
    "new here": "This prompt has no new text of other agents.",
    "twice": "No two agents repeated a read or a search.",
    "adopted": "No agent used a fact of another one.",
    "unread": "All messages to other agents were received.",
    "groups": "No groups are recorded. All agents may receive all messages.",
}


_NO_CALLS = "No tool calls are recorded, so repeated work is unknown."


def empty_list(collaboration: AgentCollaboration, name: ListName) -> str:
    """Return the sentence shown in place of an empty list."""
    if name == "adopted" and collaboration.adoptions is None:
        return "Still reading facts …"
    return _NO_CALLS if name == "twice" and not collaboration.has_calls else _NOTHING[name]


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """A line of a list."""

    label: str
    text: str
    tail: str
    target: int = -1
    """Position in the log of the message that the line is about; -1 for none."""
    other: int = -1
    """Position in the log of the message at the other end, which stated or asked for it first; -1 for none."""


def entries_of(collaboration: AgentCollaboration, name: ListName, agent: str = "", turn: int = 0) -> list[AgentEntry]:
    """Return the lines of a list.

    Args:
        collaboration: Collaboration of the session's agents.
        name: List to return.
        agent: Agent whose prompt the list "new here" is about.
        turn: Turn of that prompt.
    """
    if name == "new here":
        return list(_arrivals(collaboration, agent, turn))
    return list(_ENTRIES[name](collaboration))


def short_name(name: str, cells: int) -> str:
    """Return an agent's name in at most `cells` cells, keeping its number, which distinguishes agents of one kind."""
    name = one_line(name)
    head, dash, number = name.rpartition("-")
    if cell_len(name) <= cells or not dash or not number.isdigit() or cells < len(number) + 3:
        return clipped(name, cells)
    return f"{clipped(f'{head}{number}', cells - len(number))}{number}"


def list_counts(collaboration: AgentCollaboration) -> dict[ListName, int]:
    """Return the lengths of the lists that do not depend on the position in the lanes."""
    return {
        "sent": len(collaboration.matrix),
        "twice": len(collaboration.repeats),
        "adopted": len(collaboration.adoptions or ()),
        "unread": len(collaboration.unread),
        "groups": len(collaboration.groups),
    }


def _brief(name: str) -> str:
    return short_name(name, 13)


def _sent(collaboration: AgentCollaboration) -> Iterator[AgentEntry]:
    firsts: dict[tuple[str, str], tuple[int, int]] = {}
    for transfer in collaboration.transfers:
        firsts.setdefault((transfer.writer, transfer.reader), (transfer.holder, transfer.source))
    pairs = sorted(collaboration.matrix.items(), key=lambda pair: -pair[1].prompt_tokens)
    sign = "≈" if collaboration.estimated else ""
    for (writer, reader), cell in pairs:
        target, other = firsts[writer, reader]
        adopted = f", {plural(cell.adopted, 'fact')}" if cell.adopted else ""
        tail = f"{sign}{cell.tokens:,}, {sign}{cell.prompt_tokens:,} in prompts{adopted}"
        yield AgentEntry(f"{cell.transfers:,}×", f"{_brief(writer)} → {_brief(reader)}", tail, target, other)


def _arrivals(collaboration: AgentCollaboration, agent: str, turn: int) -> Iterator[AgentEntry]:
    words = {"whole": "in full", "part": "a part", "by the call": "by the call", "assumed": "assumed"}
    for row in collaboration.arrivals.get((agent, turn), ()):
        preview = collaboration.session.messages[row.source].preview
        yield AgentEntry(
            row.channel, preview, f"{row.writer}, {row.tokens:,} tokens, {words[row.certainty]}", row.holder, row.source
        )


def _twice(collaboration: AgentCollaboration) -> Iterator[AgentEntry]:
    sign = "≈" if collaboration.estimated else ""
    for row in collaboration.repeats:
        money = f", {dollars(row.cost)}" if row.cost else ""
        tail = f"{sign}{row.tokens:,}{money}: {_brief(row.first.agent)}, {_brief(row.again.agent)}"
        yield AgentEntry(row.tool, row.what, tail, row.again.result, row.first.result)


def _adopted(collaboration: AgentCollaboration) -> Iterator[AgentEntry]:
    for row in collaboration.adoptions or ():
        yield AgentEntry(row.cls, row.fact, f"{_brief(row.writer)} → {_brief(row.reader)}", row.use, row.source)


def _unread(collaboration: AgentCollaboration) -> Iterator[AgentEntry]:
    for row in collaboration.unread:
        preview = collaboration.session.messages[row.message].preview
        yield AgentEntry(_brief(row.writer), preview, f"{row.tokens:,} tokens, {row.reason}", row.message)


def _groups(collaboration: AgentCollaboration) -> Iterator[AgentEntry]:
    audiences = collaboration.parties.audiences
    for row in collaboration.groups:
        first = next((position for position, names in audiences.items() if row.name in names), -1)
        yield AgentEntry(
            row.name, f"read and written by {', '.join(row.writers)}", plural(row.messages, "message"), first
        )


_ENTRIES = {"sent": _sent, "twice": _twice, "adopted": _adopted, "unread": _unread, "groups": _groups}
