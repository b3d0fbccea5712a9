"""The three tiers of a session as tables of items, which are read in a thread and created line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import is_
from typing import TYPE_CHECKING, overload

from inspector import library
from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Message
from inspector.core.text import clip
from inspector.engine import window
from inspector.engine.retrieval import Result
from inspector.library import TierName
from inspector.llm import tokens
from inspector.store import Memory, MemoryFilter, MemorySize

if TYPE_CHECKING:
    from inspector.library import Preview, Workbench
    from inspector.store import Store

PAGE = 500
"""Number of entries of the persistent tier to read at once."""


@dataclass(frozen=True, slots=True)
class TierItem:
    """An item of a tier: a message, or an entry of the store."""

    tier: TierName
    message: Message | None = None
    """Message of the window or of the log; None for an entry."""
    memory: Memory | None = None
    """Entry of the store; None for a message."""
    number: str = ""
    """Number of the message in the log."""
    who: str = ""
    """Speaker of the message, or kind of the entry."""
    tokens: int | None = None
    mark: str = ""
    """Symbol in front of the tokens, for estimates."""
    section: window.Section | None = None
    is_pinned: bool = False
    is_here: bool = False
    """True if a message of the session is in the window."""
    result: Result[int] | None = None
    """Search result for the entry."""
    reason: str = ""
    """Reason why a near miss was not retrieved."""
    actions: Actions | None = None
    """Actions of the surrounding messages, used to describe the item in one line."""

    @property
    def key(self) -> tuple[str, str | int]:
        """Identity of the item within its tier."""
        if self.memory is not None:
            return "memory", self.memory.id
        return "message", self.message.id if self.message else ""

    def line(self, room: int) -> str:
        """Return the action or the beginning of the text in at most `room` cells."""
        if self.memory is not None:
            name = f"{self.memory.key}: " if self.memory.key else ""
            return clip(name + self.memory.text[:400], room)
        if self.message is None:
            return ""
        return row_words(self.message, self.actions, room) if self.actions else clip(self.message.preview, room)

    @property
    def text(self) -> str:
        return self.memory.text if self.memory is not None else self.message.text if self.message else ""

    @property
    def time(self) -> str:
        return self.memory.created_at if self.memory is not None else self.message.time if self.message else ""


class ItemRows(Sequence[TierItem]):
    """A sequence of items that are created when they are accessed."""

    def __init__(self, count: int, make: Callable[[int], TierItem]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> TierItem: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[TierItem]: ...
    def __getitem__(self, place: int | slice) -> TierItem | Sequence[TierItem]:
        if isinstance(place, slice):
            return [self._make(number) for number in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._make(place % self._count)


@dataclass(frozen=True)
class TierTable:
    """Content of a tier."""

    name: TierName
    rows: Sequence[TierItem] = ()
    """Items that have been read, in display order."""
    count: int = 0
    """Number of all items, including those not read yet."""
    tokens: int = 0
    mark: str = ""
    """Symbol in front of the tokens: "≈" for an estimate, "≥" for a minimum."""
    oldest: str = ""
    newest: str = ""
    entries: int = 0
    """Number of items that are entries of the store."""
    gone: int = 0
    """Number of the session's messages that are not in the window."""


@dataclass(frozen=True, eq=False)
class TierTables:
    """The three tiers at one moment."""

    tables: Mapping[TierName, TierTable] = field(
        default_factory=lambda: {name: TierTable(name) for name in library.TIERS}
    )
    preview: Preview | None = None
    """Preview whose window is the working tier; None without a session."""
    has_store: bool = False
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    log: TierTable = field(default_factory=lambda: TierTable("session"))
    """Messages of the session, without its entries."""
    source: tuple[object, ...] = ()
    """Sources of the window and the log: the workbench, the agent, the turn and the plans."""

    def __getitem__(self, name: TierName) -> TierTable:
        return self.tables[name]

    def __iter__(self) -> Iterator[TierTable]:
        return (self.tables[name] for name in library.TIERS)


def read_tiers(
    bench: Workbench | None,
    agent: str,
    turn: int,
    store: Store | None,
    entries: int = PAGE,
    old: TierTables | None = None,
) -> TierTables:
    """Read the tiers of an agent's session at a turn.

    Args:
        bench: Workbench of the session; None for the persistent tier alone.
        agent: Agent of the session.
        turn: Turn of the window.
        store: Store with the entries; None to read none.
        entries: Number of newest entries to read from the persistent tier.
        old: Earlier tables, whose window and log are reused if they have the same source.

    Raises:
        StoreError: The store cannot be read.
    """
    source = (bench, agent, turn, bench.plans.get(agent)) if bench else ()
    is_same = old is not None and len(old.source) == len(source) and all(map(is_, old.source, source))
    working, log, preview = TierTable("working"), TierTable("session"), None
    if is_same and old is not None:
        working, log, preview = old["working"], old.log, old.preview
    elif bench is not None:
        preview = bench.preview(turn, agent)
        working, log = _working(bench, preview), _log(bench, preview)
    tables: dict[TierName, TierTable] = {
        "working": working,
        "session": _session(log, bench, store),
        "persistent": _persistent(store, entries) if store else TierTable("persistent"),
    }
    now = store.entries.now if store else datetime.now(UTC)
    return TierTables(tables, preview, store is not None, now, log, source)


def _working(bench: Workbench, preview: Preview) -> TierTable:
    now = preview.before
    names, actions = window.call_names(now.messages), Actions(now.messages)
    numbers = bench.session.numbers

    def item(place: int) -> TierItem:
        message = now.messages[place]
        return TierItem(
            "working",
            message,
            number=str(numbers.get(message.id, "·")),
            who=library.speaker(message, names),
            tokens=now.tokens[place],
            mark=tokens.mark(now.sizes.certainty),
            section=now.sections[place],
            is_pinned=message.id in now.pins,
            actions=actions,
        )

    _ = now.sections, now.total
    times = [message.time for message in now.messages if message.time]
    mark = "≈" if any(tokens.mark(size.certainty) for size in now.breakdown.values()) else ""
    rows = ItemRows(len(now.messages), item)
    return TierTable("working", rows, len(rows), now.total, mark, min(times, default=""), max(times, default=""))


def _log(bench: Workbench, preview: Preview) -> TierTable:
    """Return the messages of an agent's log up to the turn, newest first."""
    now, messages = preview.before, bench.session.messages
    here = frozenset(now.ids)
    end = bench.session.context_end(now.turn, now.agent)
    places = [place for place in range(end, -1, -1) if _is_said(messages[place], now.agent)]
    names, actions = window.call_names(messages), Actions(messages)
    mark = tokens.mark(bench.sizes.certainty) if places else ""

    def item(number: int) -> TierItem:
        place = places[number]
        message = messages[place]
        return TierItem(
            "session",
            message,
            number=str(place + 1),
            who=library.speaker(message, names),
            tokens=bench.sizes.tokens[place],
            mark=mark,
            is_here=message.id in here,
            actions=actions,
        )

    total = sum(bench.sizes.tokens[place] for place in places)
    times = [time for place in places if (time := messages[place].time)]
    gone = sum(messages[place].id not in here for place in places)
    ends = min(times, default=""), max(times, default="")
    return TierTable("session", ItemRows(len(places), item), len(places), total, mark, *ends, 0, gone)


def _session(log: TierTable, bench: Workbench | None, store: Store | None) -> TierTable:
    """Return the entries of a session, followed by its messages."""
    if store is None or bench is None or not bench.store_id:
        return log
    entries = store.entries.page(-1, meant=MemoryFilter(tier="session", session_id=bench.store_id))
    count = len(entries)
    times = [*(entry.created_at for entry in entries), *filter(None, (log.oldest, log.newest))]
    return replace(
        log,
        rows=ItemRows(
            count + log.count,
            lambda number: memory_item(entries[number]) if number < count else log.rows[number - count],
        ),
        count=count + log.count,
        tokens=log.tokens + sum(entry.tokens or 0 for entry in entries),
        oldest=min(times, default=""),
        newest=max(times, default=""),
        entries=count,
    )


def _is_said(message: Message, agent: str) -> bool:
    """Return True if a message of the log belongs to an agent's context and is not a notice."""
    return message.agent == agent and message.kind != "notice"


def _persistent(store: Store, entries: int) -> TierTable:
    meant = MemoryFilter(tier="persistent")
    sizes: Sequence[MemorySize] = store.entries.sizes(meant)
    memories = store.entries.page(entries, meant=meant)
    count = sum(size.entries for size in sizes)
    uncounted = any(size.uncounted for size in sizes)
    return TierTable(
        "persistent",
        ItemRows(len(memories), lambda place: memory_item(memories[place])),
        count,
        sum(size.tokens for size in sizes),
        "≥" if uncounted else "",
        min((size.oldest for size in sizes), default=""),
        max((size.newest for size in sizes), default=""),
        count,
    )


def memory_item(memory: Memory, result: Result[int] | None = None, reason: str = "") -> TierItem:
    """Return an entry of the store as an item of its tier.

    Args:
        memory: Entry of the store.
        result: Search result for it.
        reason: Reason why it is a near miss; empty for none.
    """
    return TierItem(
        memory.tier,
        memory=memory,
        who=memory.kind,
        tokens=result.tokens if result else memory.tokens,
        is_pinned=memory.is_pinned,
        result=result,
        reason=reason,
    )


_UNITS = (("y", 31_557_600), ("d", 86_400), ("h", 3_600), ("m", 60))


def short_age(time: str, now: datetime) -> str:
    """Return an age such as "3d" or "2h"; empty if the time is unknown."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return ""
    seconds = (now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).total_seconds()
    return next((f"{int(seconds // size)}{unit}" for unit, size in _UNITS if seconds >= size), "now")
