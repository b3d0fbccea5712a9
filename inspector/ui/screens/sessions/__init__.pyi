from inspector.ui.screens.sessions.screen import Sessions as Sessions
from inspector.ui.screens.sessions.search_screen import HitList as HitList, SearchScreen as SearchScreen
from inspector.ui.screens.sessions.session_list import SessionList as SessionList
