"""Screen 1, the library: the sessions there are, what the one under the cursor is about, and a search over all."""

from inspector.ui.screens.sessions.screen import Sessions
from inspector.ui.screens.sessions.search_screen import HitList, SearchScreen
from inspector.ui.screens.sessions.session_list import SessionList

__all__ = ["HitList", "SearchScreen", "SessionList", "Sessions"]
