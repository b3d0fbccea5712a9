"""`memory`: what is in the three tiers, and finding it. What changes them stands in `memory_changes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import agent_of, check_turn, open_library, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.commands.memory_changes import demote, forget, pin, promote
from inspector.cli.commands.memory_inject import inject
from inspector.cli.options import agent_option, common, turn_option
from inspector.cli.output import Ink, echo, echo_json, paint, warn, width
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.memory_text import MemoryHitOutput, MemoryNearMissOutput, find_entries, memory_hits, near_misses
from inspector.core.json_objects import Tokens
from inspector.core.text import clip, lines_of, pad, plural, visible
from inspector.engine.retrieval import Result, age_in_words, explain
from inspector.library import TIERS, MemoryRow, TierName, TierRows, entry_row, list_tiers, place_of_entry, tier_of_rows
from inspector.llm.tokens import mark
from inspector.store import (
    MEMORY_KINDS,
    STORED_TIERS,
    Memory,
    MemoryFilter,
    MemoryKind,
    MemoryRetrieval,
    StoredTierName,
)

_TIER_INKS: Mapping[TierName, Ink] = {"working": "good", "session": "accent", "persistent": "summary"}
_HINTS: Mapping[TierName, str] = {
    "working": "Nothing is in the window.",
    "session": "Nothing is kept for the session: promote a message of it with --to session.",
    "persistent": "Nothing is remembered yet: inspector memory promote SESSION MESSAGE, or compress --apply.",
}
_WITH_AGE = 60
"""Columns from which on there is room for ages."""
_MISSES = 3
"""Near misses that are printed."""


@json_output(
    "tier=held.tier entries tokens=held.tokens certainty=held.certainty uncounted=held.uncounted oldest=held.oldest"
    " rows"
)
class TierOutput:
    """What one tier holds."""

    held: TierRows
    entries: Annotated[int, "messages and entries, also those that are not listed"]
    rows: Annotated[Sequence[MemoryRow], "the newest `--limit` of them, in the tier's own order"]


@json_output()
class MemoryLsOutput:
    """The tiers of a session; without one, those of the store."""

    session: Annotated[str | None, "null where none was named"]
    agent: str | None
    tiers: Sequence[TierOutput]


@json_output()
class MemorySearchOutput:
    """What a search in the tiers would bring into a window."""

    query: str
    k: Annotated[int, "how many may come back"]
    budget: Annotated[Tokens | None, "that they may take together; null for no limit"]
    tokens: Annotated[Tokens, "that the hits take together"]
    hits: Annotated[Sequence[MemoryHitOutput], "the best first"]
    near_misses: Sequence[MemoryNearMissOutput]
    errors: Errors


@json_output(inline="entry")
class MemoryShowOutput:
    """An entry, and where it comes from."""

    entry: Memory
    title: Annotated[str | None, "of its session"]
    number: Annotated[int | None, "place of its message in the log, from 1; null where that is not there"]


_kind_option = click.option("--kind", type=click.Choice(MEMORY_KINDS), help="Only entries of this kind.")


@click.group()
def memory() -> None:
    """See what is remembered, search it, move it between the tiers, and forget it.

    Working memory is what is in the window, session memory what the session has said and keeps beside that, persistent
    memory what outlives it. What is promoted moves towards what lasts, what is demoted towards the window.
    """


for change in (promote, demote, pin, forget, inject):
    memory.add_command(change)


@memory.command()
@click.argument("target", required=False, metavar="[SESSION]")
@click.option("--tier", type=click.Choice(TIERS), help="Only this tier.")
@_kind_option
@click.option("--key", metavar="KEY", help="Only entries with this key.")
@click.option("--pinned", is_flag=True, help="Only what is pinned.")
@click.option("--limit", "most", type=click.IntRange(1), default=20, metavar="N", help="Rows of a tier, the newest.")
@turn_option
@agent_option
@common
def ls(
    target: str | None,
    tier: TierName | None,
    kind: MemoryKind | None,
    key: str | None,
    pinned: bool,
    most: int,
    turn: int | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """List the tiers, with what they take and how old it is.

    With SESSION its window, its log with what it keeps beside it, and what is remembered of all sessions; without, the
    entries in the store.
    """
    tiers, agent = _tiers_of(target, turn, agent, db)
    if tier and tier not in tiers:
        raise UsageError("The window is that of a session: name one.")
    chosen = [_narrowed(rows, kind, key, pinned) for name, rows in tiers.items() if tier in (None, name)]
    if as_json:
        outputs = [TierOutput(held=rows, entries=len(rows.rows), rows=_newest(rows, most)) for rows in chosen]
        echo_json(MemoryLsOutput(session=target, agent=agent, tiers=outputs))
    else:
        echo("\n".join(line for rows in chosen for line in _tier_lines(rows, most)))


def _tiers_of(
    target: str | None, turn: int | None, agent: str | None, db: Path | None
) -> tuple[Mapping[TierName, TierRows], str | None]:
    """The tiers of a session and whose window it is, or those of the store. Raises UsageError."""
    if target is not None:
        with open_session(target, db) as session:
            agent = agent_of(session, agent)
            check_turn(session, turn, agent)
            return list_tiers(session.bench, session.library.store, agent, turn), agent
    if turn is not None or agent is not None:
        raise UsageError("--turn and --agent belong to a session: name one.")
    now = datetime.now(UTC)
    with open_library(db, required=True) as lib:
        entries = lib.required_store.entries.page(-1)
    rows = [entry_row(entry, now) for entry in entries]
    return {name: tier_of_rows(name, [row for row in rows if row.tier == name]) for name in STORED_TIERS}, None


def _narrowed(rows: TierRows, kind: str | None, key: str | None, pinned: bool) -> TierRows:
    """The rows that are meant, with sums of their own; a tier of which all is meant stays as it is."""

    def is_meant(row: MemoryRow) -> bool:
        own_key = row.entry.key if row.entry else None
        return kind in (None, row.kind) and key in (None, own_key) and (row.is_pinned or not pinned)

    meant = [row for row in rows.rows if is_meant(row)]
    return rows if len(meant) == len(rows.rows) else tier_of_rows(rows.tier, meant)


def _newest(rows: TierRows, most: int) -> Sequence[MemoryRow]:
    """The newest rows of a tier, in its own order: the log and the window run towards now, the entries from now."""
    return rows.rows[:most] if rows.tier == "persistent" else rows.rows[-most:]


def _tier_lines(rows: TierRows, most: int) -> Iterator[str]:
    """A tier: what it holds in one line, and its newest rows below."""
    facts = [plural(len(rows.rows), "item"), f"{mark(rows.certainty)}{plural(rows.tokens, 'token')}"]
    facts += [f"{rows.uncounted:,} not counted"] if rows.uncounted else []
    facts += [f"oldest {age_in_words(rows.oldest)}"] if rows.oldest is not None else []
    yield paint(clip(f"{rows.tier}: {', '.join(facts)}", width()), _TIER_INKS[rows.tier])
    listed = _newest(rows, most)
    for row in listed:
        yield _row_line(row)
    if not rows.rows:
        yield from (f"  {line}" for line in lines_of(_HINTS[rows.tier], width() - 2))
    elif len(listed) < len(rows.rows):
        yield paint(clip(f"  {len(rows.rows) - len(listed):,} older: --limit N shows more", width()), "dim")


def _row_line(row: MemoryRow) -> str:
    name = f"#{row.number}" if row.number else "" if row.entry is None else row.id
    age = "" if row.age is None else age_in_words(row.age)
    tokens = "" if row.tokens is None else f"{mark(row.certainty)}{row.tokens:,}"
    pin = "*" if row.is_pinned else " "
    who = row.who if row.entry is None else row.entry.key or row.kind
    left = f"{pin}{name:>5} {pad(who, 10)} {tokens:>7} "
    left += f"{pad(age, 10)} " if width() >= _WITH_AGE else ""
    return left + clip(row.text, width() - len(left))


@memory.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option("--k", type=click.IntRange(1), default=5, metavar="N", help="How many may come back.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="What they may take together.")
@click.option("--tier", type=click.Choice(STORED_TIERS), default="persistent", help="Where to look.")
@click.option("--session", metavar="SESSION", help="Only what comes from this stored session.")
@_kind_option
@common
def search(
    words: Sequence[str],
    k: int,
    budget: int | None,
    tier: StoredTierName,
    session: str | None,
    kind: MemoryKind | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Find entries, each with why it was found, and those that nearly came back.

    By words; and by meaning where an embedding model is there (extra semantic, or INSPECTOR_EMBEDDING_MODEL).
    """
    query = " ".join(words)
    with open_library(db, required=True) as lib:
        store = lib.required_store
        meant = MemoryFilter(tier, kind, store.find(session) if session else None)
        hits = find_entries(store, meant, query, k, budget)
    if hits.warning:
        warn(hits.warning)
    if as_json:
        echo_json(_search_output(hits))
    else:
        echo("\n".join(_search_lines(hits)))


def _search_output(hits: MemoryRetrieval) -> MemorySearchOutput:
    retrieval = hits.retrieval
    return MemorySearchOutput(
        query=retrieval.query,
        k=retrieval.limit,
        budget=retrieval.budget,
        tokens=retrieval.tokens,
        hits=memory_hits(retrieval, hits.entries),
        near_misses=near_misses(retrieval, hits.entries),
        errors=[hits.warning] if hits.warning else [],
    )


def _search_lines(hits: MemoryRetrieval) -> Iterator[str]:
    """Each hit in two lines and with its explanation; what nearly came back, with the reason, behind."""
    retrieval = hits.retrieval
    if not retrieval.results and not retrieval.near_misses:
        yield "Nothing that is remembered has to do with this."
        return
    budget = "" if retrieval.budget is None else f" of {retrieval.budget:,}"
    yield paint(clip(f"{plural(len(retrieval.results), 'hit')}, {retrieval.tokens:,}{budget} tokens", width()), "dim")
    for result in retrieval.results:
        yield from _hit_lines(result, hits.entries[result.key])
    if retrieval.near_misses:
        yield paint("Nearly:", "dim")
    for miss in retrieval.near_misses[:_MISSES]:
        yield from _hit_lines(miss.result, hits.entries[miss.result.key])
        yield from (paint(f"  {line}", "warn") for line in lines_of(f"left out: {miss.reason}", width() - 2))
    if more := retrieval.near_misses[_MISSES:]:
        yield paint(clip(f"And {len(more):,} more that --json lists.", width()), "dim")


def _hit_lines(result: Result[int], entry: Memory) -> Iterator[str]:
    name = f"{entry.id} {entry.kind}" + (f" {entry.key}" if entry.key else "")
    yield paint(clip(name, width()), "strong")
    yield f"  {clip(entry.text, width() - 2)}"
    yield from (paint(f"  {line}", "dim") for line in lines_of(explain(result), width() - 2))


@memory.command()
@click.argument("number", type=int, metavar="ID")
@common
def show(number: int, db: Path | None, as_json: bool) -> None:
    """Show a whole entry: what it says, where it comes from, why it is there."""
    with open_library(db, required=True) as lib:
        store = lib.required_store
        entry = store.entries.get(number)
        place = place_of_entry(store, entry)
        title = next((row.title for row in store.sessions() if row.id == entry.session_id), None)
    position = None if place is None or place[1] is None else place[1] + 1
    if as_json:
        echo_json(MemoryShowOutput(entry=entry, title=title, number=position))
    else:
        echo("\n".join(_entry_lines(entry, title, position)))


def _entry_lines(entry: Memory, title: str | None, number: int | None) -> Iterator[str]:
    yield paint(clip(f"{entry.id} {entry.kind} in the {entry.tier} tier", width()), "strong")
    facts = {
        "key": entry.key,
        "tokens": None if entry.tokens is None else f"{entry.tokens:,}",
        "session": entry.session_id and f"{entry.session_id}  {title or ''}",
        "agent": entry.agent,
        "from": _source(entry, number),
        "why": entry.reason,
        "by": entry.origin,
        "written": entry.created_at,
        "used": entry.used_at,
        "expires": entry.expires_at,
        "pinned": "yes: it stays until it is forgotten by its number" if entry.is_pinned else "",
    }
    for name, fact in facts.items():
        if fact:
            first, *rest = lines_of(fact, max(width() - 10, 20))
            yield f"{paint(pad(name, 9), 'dim')} {first}"
            yield from (f"{'':10}{line}" for line in rest)
    yield ""
    yield from lines_of(visible(entry.text), width())


def _source(entry: Memory, number: int | None) -> str:
    """The messages that an entry stands for, in words."""
    if not entry.message_ids:
        return ""
    if number is None:
        return f"{plural(len(entry.message_ids), 'message')} that the log no longer has"
    more = len(entry.message_ids) - 1
    rest = f" and {plural(more, 'message')} more" if more else ""
    return f"message #{number}{rest}: inspector show {entry.session_id}"
