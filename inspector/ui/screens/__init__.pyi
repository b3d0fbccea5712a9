from inspector.ui.screens.agents.screen import AgentsScreen as AgentsScreen
from inspector.ui.screens.compare.comparison import two_sessions as two_sessions
from inspector.ui.screens.compare.screen import CompareScreen as CompareScreen
from inspector.ui.screens.inspect import Inspect as Inspect
from inspector.ui.screens.live.screen import LiveScreen as LiveScreen
from inspector.ui.screens.memory.screen import MemoryScreen as MemoryScreen
from inspector.ui.screens.overview.screen import OverviewScreen as OverviewScreen
from inspector.ui.screens.replay.screen import ReplayScreen as ReplayScreen
from inspector.ui.screens.sessions import Sessions as Sessions
from inspector.ui.screens.tune import CorpusScreen as CorpusScreen, Tune as Tune
