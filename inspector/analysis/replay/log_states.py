"""States of the work in one log, for all its replays. The rules of the state are loaded when the first is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from inspector.core.conversation import Message
from inspector.engine import work_state

_MAX_KNOWN = 512
"""Number of known states from which every other one is forgotten."""


class LogStates:
    """States of the work in one log, which the replays of several policies ask for. Each message is folded once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Message], work_state.WorkState] = {}
        """States by the number of messages before them, and the last of these."""

    def after(self, log: Sequence[Message]) -> work_state.WorkState:
        """Return the state after some messages: the beginning of the log, or of one of its branches.

        Raises:
            OSError: If the recording can no longer be read.
        """
        known = self._known
        end = next((end for end in range(len(log), 0, -1) if (end, log[end - 1]) in known), 0)
        state = known[end, log[end - 1]] if end else work_state.WorkState()
        if end < len(log):
            if len(known) >= _MAX_KNOWN:
                known = self._known = dict(islice(known.items(), None, None, 2))
            state = known[len(log), log[-1]] = work_state.fold(log[end:], state)
        return state
