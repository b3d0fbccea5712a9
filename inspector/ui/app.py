"""The app: two screens, a store, and the work in the background that joins them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import get_current_worker

from inspector.conversation import Session
from inspector.library import Entry
from inspector.store import Store
from inspector.tokens.sizes import Sizes
from inspector.ui.commands import Actions
from inspector.ui.messages import OpenTarget, PlanMade, PlanUndone
from inspector.ui.opening import Opening
from inspector.ui.palette import DARK, LIGHT
from inspector.ui.screens.help import Help
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.sessions import Sessions
from inspector.ui.widgets.title import Busy
from inspector.window.plan import Plan
from inspector.workbench import Workbench

REMOTE_FONTS = re.compile(r"@font-face\s*\{.*?\}\s*", re.S)


class InspectorApp(App[None]):
    """Opens sessions, keeps them in the store, and shows one of two screens."""

    TITLE = "Inspector"
    CSS_PATH = "inspector.tcss"
    MODES: ClassVar[dict[str, str | type[Screen[None]]]] = {"sessions": Sessions}
    DEFAULT_MODE = "sessions"
    COMMANDS = App.COMMANDS | {Actions}
    ENABLE_COMMAND_PALETTE = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "mode('sessions')", "Sessions"),
        Binding("2", "mode('inspect')", "Inspect"),
        Binding("question_mark", "help", "Help"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, targets: Sequence[str] = (), store: Store | None = None, limit: int = 0, found: bool = True) -> None:
        super().__init__()
        self.targets = tuple(targets)
        self.store = store
        self.limit = limit
        self.found = found
        self.inspected: Inspect | None = None
        self.sessions: Sessions | None = None
