"""List the three tiers of a session's memory: the window, the log with its entries, and persistent entries.

The `memory` command and the Memory screen display these rows and their actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from inspector.core.conversation import Message
from inspector.core.errors import InspectorError
from inspector.core.json_objects import Age, Tokens, json_object
from inspector.engine.window import KEPT, call_names
from inspector.library.bench.provenance import speaker
from inspector.library.bench.workbench import Preview, Workbench
from inspector.llm.tokens import Certainty, weakest
from inspector.store import Memory, MemoryFilter, MemoryKind, Store, StoredTierName, StoreError

TierName = Literal["working", "session", "persistent"]
TIERS: tuple[TierName, ...] = ("working", "session", "persistent")
"""Tiers in order of permanence. Promotion moves to the right, demotion to the left."""
_PREVIEW = 400
"""Maximum characters of an entry in a row."""


@json_object(
    "Memory row",
    "id number kind who text tokens certainty time age messages=message_ids session=session_id agent pinned=is_pinned"
    " reason",
)
@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A message of the log or the window, or an entry of the store."""

    tier: TierName
    id: Annotated[str, "id of a message, or number of an entry"]
    number: Annotated[int | None, "position of its message in the log, from 1; null if the log does not contain it"]
    kind: Annotated[str, "kind of the message (chat, summary, injected, copy) or of the entry"]
    who: Annotated[str, "speaker of a message; key or origin of an entry"]
    """Author of a message, or key of an entry. Control characters are not removed."""
    text: Annotated[str, "its beginning"]
    """Beginning of the text, with its control characters."""
    tokens: Annotated[Tokens | None, "null if not counted"]
    time: Annotated[str, "ISO time; empty if unknown"]
    age: Age
    message_ids: Annotated[tuple[str, ...], "ids of its source messages, oldest first"]
    session_id: Annotated[str | None, "id of its session; null if it has none or the session was deleted"]
    agent: str = ""
    is_pinned: bool = False
    reason: Annotated[str, "reason why it is kept; empty for a plain message"] = ""
    entry: Memory | None = None
    """Complete entry; None for a message."""
    certainty: Annotated[Certainty, "certainty of a message's tokens"] = "exact"


@json_object(keys="tier tokens certainty uncounted oldest")
@dataclass(frozen=True, slots=True)
class TierRows:
    """Content of one tier."""

    tier: TierName
    rows: tuple[MemoryRow, ...]
    """Rows in display order.

    The working tier is in the order of the window, the session tier in that of the log followed by its entries, and the
    persistent tier newest first.
    """
    tokens: Annotated[Tokens, "total of the counted entries; for the working tier, of the whole window"]
    uncounted: Annotated[int, "entries that are not counted"]
    certainty: Annotated[Certainty, "certainty of `tokens`"] = "exact"

    @property
    def oldest(self) -> Age:
        """Age of the oldest row in seconds; None if no age is known."""
        return max((row.age for row in self.rows if row.age is not None), default=None)


def list_tiers(
    bench: Workbench,
    store: Store | None,
    agent: str,
    turn: int | None = None,
    meant: MemoryFilter | None = None,
    now: datetime | None = None,
) -> Mapping[TierName, TierRows]:
    """Return the tiers of an agent of a session at a turn.

    Thousands of rows take a few hundredths of a second, so call it in a worker.

    Args:
        bench: Open session.
        store: Store with the entries; None for no entries.
        agent: Agent of the window.
        turn: Turn of the window; None for the current one.
        meant: Filter for the entries of the persistent tier, which all sessions share.
        now: Time from which ages are computed.

    Raises:
        StoreError: If the store cannot be read.
    """
    time = now or datetime.now(UTC)
    preview = bench.preview(turn, agent)
    rows = {
        "working": working_rows(bench, preview, time),
        "session": [*_log_rows(bench, agent, time), *_entry_rows(store, _of_session(bench), time)],
        "persistent": _entry_rows(store, meant or MemoryFilter(tier="persistent"), time),
    }
    tiers = {tier: tier_of_rows(tier, rows[tier]) for tier in TIERS}
    size = preview.before.size
    return tiers | {"working": replace(tiers["working"], tokens=size.tokens, certainty=size.certainty)}


def _of_session(bench: Workbench) -> MemoryFilter:
    return MemoryFilter(tier="session", session_id=bench.store_id or "")


def tier_of_rows(tier: TierName, rows: Sequence[MemoryRow]) -> TierRows:
    """Return rows with their totals."""
    counts = [row.tokens for row in rows if row.tokens is not None]
    certainty = weakest(*(row.certainty for row in rows if row.tokens is not None))
    return TierRows(tier, tuple(rows), sum(counts), len(rows) - len(counts), certainty)


def working_rows(bench: Workbench, preview: Preview, now: datetime) -> list[MemoryRow]:
    """Return the rows of a window, in its order.

    Args:
        bench: Open session.
        preview: Preview of the window.
        now: Time from which ages are computed.
    """
    window = preview.before
    names = call_names(window.messages)
    numbers = bench.session.numbers
    reasons = {
        message_id: fate.reason for plan in preview.applied for message_id, fate in plan.by_id.items() if fate != KEPT
    }
    rows = (
        _message_row("working", message, numbers.get(message.id), tokens, names, bench, now)
        for message, tokens in zip(window.messages, window.tokens, strict=True)
    )
    return [replace(row, is_pinned=row.id in window.pins, reason=reasons.get(row.id, "")) for row in rows]


def _log_rows(bench: Workbench, agent: str, now: datetime) -> list[MemoryRow]:
    """Return all messages to or from an agent, whether they are in the window or not."""
    messages = bench.session.messages
    names = call_names(messages)
    return [
        _message_row("session", message, number, tokens, names, bench, now)
        for number, (message, tokens) in enumerate(zip(messages, bench.sizes.tokens, strict=True), 1)
        if message.agent == agent and message.kind != "notice"
    ]


def _message_row(
    tier: TierName,
    message: Message,
    number: int | None,
    tokens: int,
    names: Mapping[str, str],
    bench: Workbench,
    now: datetime,
) -> MemoryRow:
    return MemoryRow(
        tier,
        message.id,
        number,
        message.kind,
        speaker(message, names),
        message.preview,
        tokens,
        message.time,
        age_of(message.time, now),
        (message.id,),
        bench.store_id or None,
        message.agent,
        certainty=bench.sizes.certainty,
    )


def _entry_rows(
    store: Store | None, meant: MemoryFilter, now: datetime, limit: int = -1, offset: int = 0
) -> list[MemoryRow]:
    """Return entries of the session or persistent tier, newest first; empty without a store.

    Raises:
        StoreError: If the store cannot be read.
    """
    if store is None or meant.session_id == "":
        return []
    return [entry_row(entry, now) for entry in store.entries.page(limit, offset, meant=meant)]


def entry_row(entry: Memory, now: datetime) -> MemoryRow:
    """Return an entry as a row."""
    return MemoryRow(
        entry.tier,
        str(entry.id),
        None,
        entry.kind,
        entry.key or entry.origin,
        entry.text[:_PREVIEW],
        entry.tokens,
        entry.created_at,
        age_of(entry.created_at, now),
        entry.message_ids,
        entry.session_id,
        entry.agent,
        entry.is_pinned,
        entry.reason,
        entry,
    )


def age_of(time: str, now: datetime) -> float | None:
    """Return the seconds since an ISO 8601 time; None if the text is not one."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return (now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).total_seconds()


class MemoryMoveError(InspectorError, ValueError):
    """Raised if a message cannot be moved to a tier. The text is one sentence."""


def promote_messages(
    bench: Workbench,
    store: Store,
    message_ids: Sequence[str],
    tier: StoredTierName = "persistent",
    kind: MemoryKind = "archived",
    key: str | None = None,
    reason: str = "promoted by the user",
) -> list[Memory]:
    """Create an entry for each of some messages of a stored session. Existing entries are not changed.

    Args:
        bench: Open session.
        store: Store that contains it.
        message_ids: Messages to promote.
        tier: Tier of the entries.
        kind: Kind of the entries.
        key: Key of the entry, for a single message.
        reason: Reason to record.

    Raises:
        MemoryMoveError: If the session is not stored, a message is empty or not in the log, or a key is given for
            several.
        StoreError: If the store cannot be written.
    """
    if not bench.store_id:
        raise MemoryMoveError("The session is not in the store. Import it first.")
    if key is not None and len(message_ids) != 1:
        raise MemoryMoveError("A key belongs to one entry. Give one message.")
    places = {message.id: place for place, message in enumerate(bench.session.messages)}
    numbers = []
    with store.atomic():
        for message_id in message_ids:
            if message_id not in places:
                raise MemoryMoveError(f"There is no message {message_id!r} in the log of this session.")
            message = bench.session.messages[places[message_id]]
            text = message.text
            if not text.strip():
                raise MemoryMoveError(f"The message {message_id!r} is empty.")
            numbers.append(
                store.entries.remember(
                    kind, text, bench.store_id, message_id, once=True, tier=tier, key=key, agent=message.agent,
                    reason=reason, origin="user", tokens=bench.sizes.tokens[places[message_id]],
                )
            )  # fmt: skip
        return [store.entries.get(number) for number in numbers]


def place_of_entry(store: Store, entry: Memory) -> tuple[str, int | None] | None:
    """Return the session and position of the message that an entry comes from; None if the session does not exist.

    The position is None if the session's log does not contain the message, for example a summary created by a plan.
    """
    if entry.session_id is None:
        return None
    try:
        messages = store.load(entry.session_id).messages
    except StoreError:
        return None
    places = {message.id: place for place, message in enumerate(messages)}
    return entry.session_id, next((places[name] for name in entry.message_ids if name in places), None)
