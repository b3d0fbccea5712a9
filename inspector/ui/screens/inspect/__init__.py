"""Screen 2, the home of the app: a session's window at a turn, and what a strategy would make of it."""

from inspector.ui.screens.inspect.screen import Inspect

__all__ = ["Inspect"]
