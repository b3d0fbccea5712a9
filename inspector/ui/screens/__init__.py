"""The screens. Each loads when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.ui.screens.agents.screen import AgentsScreen
    from inspector.ui.screens.compare.comparison import two_sessions
    from inspector.ui.screens.compare.screen import CompareScreen
    from inspector.ui.screens.inspect import Inspect
    from inspector.ui.screens.live.screen import LiveScreen
    from inspector.ui.screens.memory.screen import MemoryScreen
    from inspector.ui.screens.replay.screen import ReplayScreen
    from inspector.ui.screens.sessions import Sessions
    from inspector.ui.screens.tune import Tune

__all__ = [
    "AgentsScreen",
    "CompareScreen",
    "Inspect",
    "LiveScreen",
    "MemoryScreen",
    "ReplayScreen",
    "Sessions",
    "Tune",
    "two_sessions",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.ui.screens.agents.screen": "AgentsScreen",
        "inspector.ui.screens.compare.comparison": "two_sessions",
        "inspector.ui.screens.compare.screen": "CompareScreen",
        "inspector.ui.screens.inspect": "Inspect",
        "inspector.ui.screens.live.screen": "LiveScreen",
        "inspector.ui.screens.memory.screen": "MemoryScreen",
        "inspector.ui.screens.replay.screen": "ReplayScreen",
        "inspector.ui.screens.sessions": "Sessions",
        "inspector.ui.screens.tune": "Tune",
    },
)
