"""A session as if it had never been compacted: the log that a replay is fed, to be looked at like any other.

A summary of the recording's own becomes a notice, which is never sent, and what it began goes on where the context
before it ended. Positions and ids stay as they are, so sizes, plans and pointers into the log hold for both.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.conversation import Session
from inspector.replay.steps import joints


def rejoined(session: Session) -> Session:
    """The session without its own compactions; itself where it has none."""
    earlier = joints(session)
    if not earlier:
        return session
    messages = tuple(
        replace(message, kind="notice", parent=earlier[position]) if position in earlier else message
        for position, message in enumerate(session.messages)
    )
    return replace(session, messages=messages)
