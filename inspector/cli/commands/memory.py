"""`memory ls`, `search` and `show`: the three tiers. `memory_changes` has the commands that change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import agent_of, check_turn, open_library, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.commands.memory_stores import show_item
from inspector.cli.options import agent_option, common, redact_option, turn_option
from inspector.cli.output import Ink, echo, echo_json, paint, warn, width
from inspector.cli.redacted_rows import redacted_rows, sessions_of
from inspector.cli.redactions import is_redacting
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.memory_item_text import fact_lines
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
    "working": "The window is empty.",
    "session": "No session entries. To add one, promote a message with --to session.",
    "persistent": "No persistent entries. To add some: inspector memory promote SESSION MESSAGE, or compress --apply.",
}
_WITH_AGE = 60
"""Minimum columns for ages."""
_MISSES = 3
"""Maximum near misses printed."""


@json_output(
    "tier=held.tier entries tokens=held.tokens certainty=held.certainty uncounted=held.uncounted oldest=held.oldest"
    " rows"
)
class TierOutput:
    """The entries of one tier."""

    held: TierRows
    entries: Annotated[int, "messages and entries, including those not listed"]
    rows: Annotated[Sequence[MemoryRow], "the newest `--limit` of them, in the tier's own order"]


@json_output()
class MemoryLsOutput:
    """The tiers of a session, or of the store without one."""

    session: Annotated[str | None, "null if none was named"]
    agent: str | None
    tiers: Sequence[TierOutput]


@json_output()
class MemorySearchOutput:
    """The entries that a search would add to a window."""

    query: str
    k: Annotated[int, "maximum number of results"]
    budget: Annotated[Tokens | None, "maximum total of the results; null for no limit"]
    tokens: Annotated[Tokens, "total of the hits"]
    hits: Annotated[Sequence[MemoryHitOutput], "best first"]
    near_misses: Sequence[MemoryNearMissOutput]
    errors: Errors


@json_output(inline="entry")
class MemoryShowOutput:
    """An entry and its source."""

    entry: Memory
    title: Annotated[str | None, "of its session"]
    number: Annotated[int | None, "position of its message in the log, from 1; null if the log does not contain it"]


_kind_option = click.option("--kind", type=click.Choice(MEMORY_KINDS), help="Only entries of this kind.")


@click.command()
@click.argument("target", required=False, metavar="[SESSION]")
@click.option("--tier", type=click.Choice(TIERS), help="Only this tier.")
@_kind_option
@click.option("--key", metavar="KEY", help="Only entries with this key.")
@click.option("--pinned", is_flag=True, help="Only pinned entries.")
@click.option(
    "--limit", "most", type=click.IntRange(1), default=20, metavar="N", help="Number of newest rows per tier."
)
@turn_option
@agent_option
@redact_option
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
    """List the tiers, with the size and age of their entries.

    With SESSION, lists its window, its log with session entries, and persistent entries of all sessions. Without, lists
    the entries in the store.
    """
    tiers, agent = _tiers_of(target, turn, agent, db)
    if tier and tier not in tiers:
        raise UsageError("--tier working requires a SESSION.")
    chosen = [_narrowed(rows, kind, key, pinned) for name, rows in tiers.items() if tier in (None, name)]
    if is_redacting():
        chosen = _redacted_tiers(chosen, db)
    if as_json:
        outputs = [TierOutput(held=rows, entries=len(rows.rows), rows=_newest(rows, most)) for rows in chosen]
        echo_json(MemoryLsOutput(session=target, agent=agent, tiers=outputs))
    else:
        echo("\n".join(line for rows in chosen for line in _tier_lines(rows, most)))


def _redacted_tiers(tiers: list[TierRows], db: Path | None) -> list[TierRows]:
    """Return tiers without the secrets of their entries and of the sessions that the entries are from."""
    sources = [row.entry.session_id for rows in tiers for row in rows.rows if row.entry]
    with open_library(db) as lib:
        return redacted_rows(tiers, sessions_of(sources, lib.store))


def _tiers_of(
    target: str | None, turn: int | None, agent: str | None, db: Path | None
) -> tuple[Mapping[TierName, TierRows], str | None]:
    """Return the tiers of a session and the window's agent, or the tiers of the store. Raises UsageError."""
    if target is not None:
        with open_session(target, db) as session:
            agent = agent_of(session, agent)
            check_turn(session, turn, agent)
            return list_tiers(session.bench, session.library.store, agent, turn), agent
    if turn is not None or agent is not None:
        raise UsageError("--turn and --agent require a SESSION.")
    now = datetime.now(UTC)
    with open_library(db, required=True) as lib:
        entries = lib.required_store.entries.page(-1)
    rows = [entry_row(entry, now) for entry in entries]
    return {name: tier_of_rows(name, [row for row in rows if row.tier == name]) for name in STORED_TIERS}, None


def _narrowed(rows: TierRows, kind: str | None, key: str | None, pinned: bool) -> TierRows:
    """Return the selected rows with their own totals. A tier without a filter is returned as it is."""

    def is_meant(row: MemoryRow) -> bool:
        own_key = row.entry.key if row.entry else None
        return kind in (None, row.kind) and key in (None, own_key) and (row.is_pinned or not pinned)

    meant = [row for row in rows.rows if is_meant(row)]
    return rows if len(meant) == len(rows.rows) else tier_of_rows(rows.tier, meant)


def _newest(rows: TierRows, most: int) -> Sequence[MemoryRow]:
    """Return the newest rows of a tier in its order: oldest first for log and window, newest first for entries."""
    return rows.rows[:most] if rows.tier == "persistent" else rows.rows[-most:]


def _tier_lines(rows: TierRows, most: int) -> Iterator[str]:
    """Yield a tier: a line of totals, and its newest rows below."""
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
        yield paint(clip(f"  {len(rows.rows) - len(listed):,} older; --limit N lists more", width()), "dim")


def _row_line(row: MemoryRow) -> str:
    name = f"#{row.number}" if row.number else "" if row.entry is None else row.id
    age = "" if row.age is None else age_in_words(row.age)
    tokens = "" if row.tokens is None else f"{mark(row.certainty)}{row.tokens:,}"
    pin = "*" if row.is_pinned else " "
    who = row.who if row.entry is None else row.entry.key or row.kind
    left = f"{pin}{name:>5} {pad(who, 10)} {tokens:>7} "
    left += f"{pad(age, 10)} " if width() >= _WITH_AGE else ""
    return left + clip(row.text, width() - len(left))


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option("--k", type=click.IntRange(1), default=5, metavar="N", help="Maximum number of results.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Maximum total tokens.")
@click.option("--tier", type=click.Choice(STORED_TIERS), default="persistent", help="Tiers to search.")
@click.option("--session", metavar="SESSION", help="Only entries from this stored session.")
@_kind_option
@redact_option
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
    """Search entries, with the reason for each match, and list near misses.

    Searches by words, and by meaning if an embedding model is available (extra "semantic", or
    INSPECTOR_EMBEDDING_MODEL).
    """
    query = " ".join(words)
    with open_library(db, required=True) as lib:
        store = lib.required_store
        meant = MemoryFilter(tier, kind, store.find(session) if session else None)
        hits = find_entries(store, meant, query, k, budget)
        sources = sessions_of((entry.session_id for entry in hits.entries.values()), store)
        hits = redacted_rows(hits, sources)
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
    """Yield each hit with its explanation, then the near misses with their reasons."""
    retrieval = hits.retrieval
    if not retrieval.results and not retrieval.near_misses:
        yield "No memory matches."
        return
    budget = "" if retrieval.budget is None else f" of {retrieval.budget:,}"
    yield paint(clip(f"{plural(len(retrieval.results), 'hit')}, {retrieval.tokens:,}{budget} tokens", width()), "dim")
    for result in retrieval.results:
        yield from _hit_lines(result, hits.entries[result.key])
    if retrieval.near_misses:
        yield paint("Nearly:", "dim")
    for miss in retrieval.near_misses[:_MISSES]:
        yield from _hit_lines(miss.result, hits.entries[miss.result.key])
        yield from (paint(f"  {line}", "warn") for line in lines_of(f"omitted: {miss.reason}", width() - 2))
    if more := retrieval.near_misses[_MISSES:]:
        yield paint(clip(f"And {len(more):,} more; --json lists them.", width()), "dim")


def _hit_lines(result: Result[int], entry: Memory) -> Iterator[str]:
    name = f"{entry.id} {entry.kind}" + (f" {entry.key}" if entry.key else "")
    yield paint(clip(name, width()), "strong")
    yield f"  {clip(entry.text, width() - 2)}"
    yield from (paint(f"  {line}", "dim") for line in lines_of(explain(result), width() - 2))


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[PATH] ID")
@redact_option
@common
def show(words: Sequence[str], db: Path | None, as_json: bool) -> None:
    """Show an entry: its full text, its source, and the reason why it is kept.

    With PATH, shows an item of a store of another program, by its id or name. Its JSON is that of `memory open`.
    """
    *path, key = words
    if path:
        show_item(path, key, as_json)
        return
    if not key.isdecimal():
        raise UsageError(f"An entry has a number, not {key!r}. For an item of another program's store: PATH ID.")
    number = int(key)
    with open_library(db, required=True) as lib:
        store = lib.required_store
        entry = store.entries.get(number)
        place = place_of_entry(store, entry)
        title = next((row.title for row in store.sessions() if row.id == entry.session_id), None)
        entry, title = redacted_rows((entry, title), sessions_of([entry.session_id], store))
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
        "pinned": "yes: kept until it is forgotten by number" if entry.is_pinned else "",
    }
    yield from fact_lines(facts)
    yield ""
    yield from lines_of(visible(entry.text), width())


def _source(entry: Memory, number: int | None) -> str:
    """Return the source messages of an entry in words."""
    if not entry.message_ids:
        return ""
    if number is None:
        return f"{plural(len(entry.message_ids), 'message')} that the log no longer has"
    more = len(entry.message_ids) - 1
    rest = f" and {plural(more, 'message')} more" if more else ""
    return f"message #{number}{rest}: inspector show {entry.session_id}"
