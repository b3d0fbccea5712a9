"""What a policy takes away: what of it can come back, and what had not been there for long."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from inspector.core.conversation import Message
from inspector.engine.strategies import recall_settings
from inspector.engine.window import FateKind, Plan, Window, archived_ids

_FRESH = 8
"""Messages that had been read only just before: the newest in front of the exchange that the reply answers to."""
_SHORT = 200
"""Characters of a result below which no policy gains anything by taking it away."""
_GONE: frozenset[FateKind] = frozenset({"masked", "summarised", "archived", "dropped"})
"""What has become of a message of which the window holds nothing more."""


class Archive:
    """The messages that the plans of one replay archived.

    The agent that was recorded had no tool that opens an archive. So what is in it is within reach only of a policy
    that brings back by itself; of one that is told to bring back nothing, it is gone.
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
        """The ids of the messages that can come back."""
        return self._ids if self._gives_back else ()


def takes_the_newest(before: Window, plan: Plan) -> bool:
    """Whether a plan leaves nothing of the newest messages, or nothing of the newest results of tools, or takes away
    what nobody has read yet.

    A replay holds the replies of the recording fixed, and facts are not all that a reply needs: it cannot see what
    this costs. So no policy is called the best that does it.
    """
    gone = {name for name, fate in plan.by_id.items() if fate.kind in _GONE}
    messages = [message for message in before.messages if message.role != "system" and message.placeholder is None]
    last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    unread, read = messages[last + 1 :], messages[: max(last, 0)]
    fresh = [message for message in read if message.kind != "summary"][-_FRESH:]
    results = [message for message in fresh if message.role == "tool" and message.chars >= _SHORT]
    return any(_among(gone, unread)) or any(group and all(_among(gone, group)) for group in (fresh, results))


def _among(ids: Collection[str], messages: Iterable[Message]) -> Iterator[bool]:
    """Of each message whether it is among these."""
    return (message.id in ids for message in messages)
