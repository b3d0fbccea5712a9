"""Content that a policy removes: the archived messages that can be retrieved, and messages that were still recent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from inspector.core.conversation import Message
from inspector.engine.strategies import recall_settings
from inspector.engine.window import FateKind, Plan, Window, archived_ids

_FRESH = 8
"""Number of newest messages before the current exchange that count as recently read."""
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


def removes_recent(before: Window, plan: Plan) -> bool:
    """Return True if a plan removes unread messages, all of the newest messages, or all of the newest tool results.

    Messages that are cut to a few words count as removed.

    A replay reuses the recorded replies, and replies depend on more than facts, so the replay cannot measure the
    damage. Such a policy is therefore never recommended as the best.
    """
    gone = {name for name, fate in plan.by_id.items() if fate.kind in _GONE}
    gone |= {message.id for message in before.messages if _is_cut_short(message, plan.rewrites.get(message.id))}
    messages = [message for message in before.messages if message.role != "system" and message.placeholder is None]
    last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    unread, read = messages[last + 1 :], messages[: max(last, 0)]
    fresh = [message for message in read if message.kind != "summary"][-_FRESH:]
    results = [message for message in fresh if message.role == "tool" and message.chars >= _SHORT]
    return any(_among(gone, unread)) or any(group and all(_among(gone, group)) for group in (fresh, results))


def _is_cut_short(message: Message, cut: Message | None) -> bool:
    return cut is not None and cut.chars <= min(_READABLE, message.chars // 2)


def _among(ids: Collection[str], messages: Iterable[Message]) -> Iterator[bool]:
    """Yield for each message whether its id is among the given ones."""
    return (message.id in ids for message in messages)
