"""Content that a policy removes: the archived messages that can be retrieved, and messages that were still recent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

from inspector.core.conversation import Message
from inspector.engine.facts import FactIndex
from inspector.engine.strategies import recall_settings
from inspector.engine.window import FateKind, Plan, Window, archived_ids

_FRESH = 8
"""Number of newest messages before the current exchange that count as recently read."""
_WORKED_WITH = 16
"""Number of newest messages before the current exchange of which at least half must be left, summarised or in reach."""
_SHORT = 200
"""Characters below which removing a tool result saves nothing worthwhile."""
_GONE: frozenset[FateKind] = frozenset({"masked", "summarised", "archived", "dropped"})
"""Fates of messages that are completely absent from the window."""
_READABLE = 400
"""Characters of a cut message that are too few to work with, if at least half of it was cut."""


class Archive:
    """Messages that the plans of one replay archived.

    The recorded agent had no tool to open an archive. Archived messages are therefore reachable only under a policy
    that retrieves them automatically.
    """

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._gives_back = False

    def follow(self, plans: Iterable[Plan]) -> None:
        for plan in plans:
            if ids := archived_ids(plan):
                self._ids.update(ids)
                self._gives_back = recall_settings([plan]) is not None

    @property
    def within_reach(self) -> Collection[str]:
        """Ids of the messages that can be retrieved."""
        return self._ids if self._gives_back else ()


def removes_recent(before: Window, plan: Plan, facts: FactIndex | None = None) -> bool:
    """Return True if a plan removes unread messages, all of the newest messages, or all of the newest tool results.

    So does one that removes most of the messages that the agent works with, and neither summarises nor retrieves them.
    Messages that are cut to a few words count as removed. So do the newest tool results together if less than half of
    their text is left, and with it less than half of the facts that later replies need from them.

    A replay reuses the recorded replies, and replies depend on more than facts, so the replay cannot measure the
    damage. Such a policy is therefore never recommended as the best.

    Args:
        before: The window before the plan.
        plan: A compression.
        facts: Facts of the session; None if they are unknown.
    """
    gone = _removed(before, plan)
    messages = [message for message in before.messages if message.role != "system" and message.placeholder is None]
    last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    unread, read = messages[last + 1 :], messages[: max(last, 0)]
    recent = [message for message in read if message.kind != "summary"][-_WORKED_WITH:]
    fresh = recent[-_FRESH:]
    results = [message for message in fresh if message.role == "tool" and message.chars >= _SHORT]
    if any(_among(gone, unread)) or _forgets(plan, recent) or any(_are_all_in(gone, one) for one in (fresh, results)):
        return True
    return facts is not None and _takes_needs(results, _left_of(results, plan, gone), facts)


def _removed(before: Window, plan: Plan) -> set[str]:
    """Return the ids of the messages that a plan removes, or cuts to a few words."""
    gone = {name for name, fate in plan.by_id.items() if fate.kind in _GONE}
    return gone | {message.id for message in before.messages if _is_cut_short(message, plan.rewrites.get(message.id))}


def _are_all_in(ids: Collection[str], messages: Sequence[Message]) -> bool:
    """Return True if there are messages, and all their ids are among the given ones."""
    return bool(messages) and all(_among(ids, messages))


def _forgets(plan: Plan, recent: Sequence[Message]) -> bool:
    """Return True if a plan drops most of the recent messages, or archives them without retrieving anything."""
    lost = {"dropped"} if recall_settings([plan]) else {"dropped", "archived"}
    gone = {name for name, fate in plan.by_id.items() if fate.kind in lost}
    return 2 * sum(_among(gone, recent)) > _WORKED_WITH


def _left_of(messages: Iterable[Message], plan: Plan, gone: Collection[str]) -> list[Message]:
    """Return the messages as a plan leaves them, without those that are gone. Summarised ones count as left."""
    summarised = {name for name, fate in plan.by_id.items() if fate.kind == "summarised"}
    lost = set(gone) - summarised
    return [plan.rewrites.get(message.id, message) for message in messages if message.id not in lost]


def _takes_needs(results: Sequence[Message], left: Sequence[Message], facts: FactIndex) -> bool:
    """Return True if less than half of results is left, and with it less than half of the facts that replies need."""
    if 2 * sum(message.chars for message in left) >= sum(message.chars for message in results):
        return False
    last_needs, place_of = _last_needs(facts), facts.statements.place_of
    stated = {term: place_of(message) for message in results for term in facts.facts_of(message).terms}
    needed = {term for term, place in stated.items() if last_needs.get(term, -1) > place}
    kept = set[int]().union(*[facts.facts_of(message).terms for message in left])
    return len(needed - kept) > len(needed & kept)


def _last_needs(facts: FactIndex) -> dict[int, int]:
    """Return the position of the last reply that needs each term."""
    if facts not in _LAST_NEEDS:
        needs = ((place, facts.facts_of(message).needs) for place, message in enumerate(facts.log))
        _LAST_NEEDS[facts] = {facts.facts[fact].term: place for place, row in needs for fact in row}
    return _LAST_NEEDS[facts]


_LAST_NEEDS = WeakKeyDictionary[FactIndex, dict[int, int]]()


def _is_cut_short(message: Message, cut: Message | None) -> bool:
    return cut is not None and cut.chars <= min(_READABLE, message.chars // 2)


def _among(ids: Collection[str], messages: Iterable[Message]) -> Iterator[bool]:
    """Yield for each message whether its id is among the given ones."""
    return (message.id in ids for message in messages)
