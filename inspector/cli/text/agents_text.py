"""Text output about agents: the text that each wrote and received, the matrix, and the lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.analysis.multi_agent import AgentCollaboration, describe_certainty, describe_collaboration
from inspector.cli.output import paint, width
from inspector.cli.text.window_text import heading
from inspector.core.text import clip, dollars, ends, lines_of, pad, plural, visible

_FOLD = 8
"""Maximum lines of a list without `--all`."""
_CELL = 11
_NAME = 20


def agents_text(collaboration: AgentCollaboration, unfolded: bool) -> Iterator[str]:
    yield from heading(collaboration.session)
    yield ""
    yield from (line.rstrip() for line in lines_of(describe_collaboration(collaboration), width()))
    if collaboration.is_alone:
        return
    yield ""
    yield from _table(collaboration)
    yield from _matrix(collaboration)
    yield from _list("repeated calls", _repeat_lines(collaboration), unfolded)
    yield from _list("facts that one agent stated and another one used", _adoption_lines(collaboration), unfolded)
    yield from _list("sent to others, and never received", _unread_lines(collaboration), unfolded)
    yield from _list("groups", _group_lines(collaboration), unfolded)
    if certainty := describe_certainty(collaboration):
        yield ""
        yield from (paint(line.rstrip(), "dim") for line in lines_of(certainty, width()))


def _name_room() -> int:
    return min(_NAME, max(8, width() // 4))


def _table(collaboration: AgentCollaboration) -> Iterator[str]:
    room, sign = _name_room(), "≈" if collaboration.estimated else ""
    columns = ("wrote", "calls", "shared", "was sent", "in prompts")
    fitting = columns[: max(1, (width() - room) // _CELL)]
    yield paint(f"{'agent':<{room}}" + "".join(f"{name:>{_CELL}}" for name in fitting), "dim")
    for row in collaboration.rows:
        values = (
            f"{sign}{row.tokens:,}",
            f"{row.calls:,}",
            f"{row.shared:,} of {row.messages:,}",
            f"{sign}{row.read:,}",
            f"{sign}{row.read_prompts:,}",
        )
        cells = "".join(f"{clip(value, _CELL):>{_CELL}}" for value in values[: len(fitting)])
        yield f"{pad(row.name, room)}{cells}"


def _matrix(collaboration: AgentCollaboration) -> Iterator[str]:
    """Yield the matrix in tokens, writers as rows and readers as columns, or a list of pairs on narrow terminals."""
    names, room = collaboration.parties.names, _name_room()
    if not collaboration.matrix:
        return
    yield ""
    if room + _CELL * len(names) > width():
        yield paint("text received from other agents, in tokens", "dim")
        yield from _pair_lines(collaboration)
        return
    heads = "".join(f" {clip(name, _CELL - 1):>{_CELL - 1}}" for name in names)
    yield paint(f"{clip('tokens of  to', room):<{room}}{heads}", "dim")
    for writer in names:
        cells = [collaboration.matrix.get((writer, reader)) for reader in names]
        numbers = "".join(f"{cell.tokens if cell else 0:>{_CELL},}" if cell else f"{'·':>{_CELL}}" for cell in cells)
        yield f"{pad(writer, room)}{numbers}"


def _pair_lines(collaboration: AgentCollaboration) -> Iterator[str]:
    room = max(8, (width() - 4 - _CELL) // 2)
    pairs = sorted(collaboration.matrix.items(), key=lambda pair: -pair[1].tokens)
    for (writer, reader), cell in pairs:
        yield f"{pad(writer, room)} → {pad(reader, room)}{cell.tokens:>{_CELL},}".rstrip()


def _list(title: str, lines: Sequence[str], unfolded: bool) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield paint(clip(f"{len(lines):,} {title}" if title != "groups" else title, width()), "strong")
    most = len(lines) if unfolded or len(lines) <= _FOLD else _FOLD
    yield from lines[:most]
    if most < len(lines):
        yield paint(f"  {len(lines) - most:,} more; --all lists them", "dim")


def _number(position: int) -> str:
    return f"#{position + 1:,}"


def _repeat_lines(collaboration: AgentCollaboration) -> list[str]:
    lines = []
    for repeat in collaboration.repeats:
        first, again = repeat.first, repeat.again
        tool = clip(repeat.tool, 16)
        money = f", {dollars(repeat.cost)}" if repeat.cost else ""
        who = f"{first.agent} {_number(first.result)}, again {again.agent} {_number(again.result)}"
        lines.append(
            f"  {tool} {ends(repeat.what, width() - 3 - len(tool))}\n"
            f"    {clip(f'{who}: {repeat.tokens:,} tokens{money}', width() - 4)}"
        )
    return lines


def _adoption_lines(collaboration: AgentCollaboration) -> list[str]:
    lines = []
    for adoption in collaboration.adoptions or ():
        tail = (
            f"  {clip(adoption.writer, 18)} {_number(adoption.source)} → "
            f"{clip(adoption.reader, 18)} {_number(adoption.use)}"
        )
        room = max(12, width() - len(tail) - 13)
        lines.append(f"  {pad(adoption.cls, 10)} {clip(adoption.fact, room)}{tail}")
    return lines


def _unread_lines(collaboration: AgentCollaboration) -> list[str]:
    return [
        f"  {clip(f'{_number(row.message)} {row.writer}, {row.tokens:,} tokens: {row.reason}', width() - 2)}"
        for row in collaboration.unread
    ]


def _group_lines(collaboration: AgentCollaboration) -> list[str]:
    return [
        f"  {clip(row.name + ': ' + plural(row.messages, 'message') + ' by ' + ', '.join(row.writers), width() - 2)}"
        for row in collaboration.groups
    ]


def arrival_text(collaboration: AgentCollaboration, agent: str, turn: int) -> Iterator[str]:
    """Yield the text of other agents in one prompt, verbatim."""
    arrivals = collaboration.arrivals_at(agent, turn)
    if not arrivals:
        yield f"The prompt of {clip(agent, 40)} at turn {turn:,} contains no text of other agents."
        return
    numbers = collaboration.session.numbers
    for place, (message, writers) in enumerate(arrivals):
        if place:
            yield ""
        yield paint(clip(f"#{numbers[message.id]:,} {message.role}, of {', '.join(writers)}", width()), "strong")
        yield visible(message.text)
