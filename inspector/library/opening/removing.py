"""Remove stored sessions for good, together with the files that hooks keep about them."""

from __future__ import annotations

from contextlib import suppress

from inspector.library.agent_hooks.hook_files import forget_session
from inspector.store import DamagedError, Store


def remove_session(store: Store, session_id: str, with_memories: bool = True, with_rollups: bool = True) -> None:
    """Remove a session from a store, and the files that hooks keep about it. Source files are not changed.

    Args:
        store: The store.
        session_id: Id of the session in the store.
        with_memories: True to remove the entries of all tiers that come from it; False to keep those of the persistent
            tier.
        with_rollups: True to remove its totals; False to keep them without the title and the path.

    Raises:
        StoreError: There is neither such a session nor its totals, or the store cannot be used.
    """
    if store.rollups.is_alone(session_id):
        store.rollups.drop(session_id)
        return
    path = store.removals.content(session_id).source
    calls = list[str]()
    with suppress(DamagedError):
        calls += [call.id for message in store.load(session_id).messages for call in message.calls]
    store.removals.remove(session_id, with_memories, with_rollups)
    forget_session(session_id.partition("~")[0], path, calls)
