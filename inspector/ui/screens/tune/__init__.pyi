from inspector.ui.screens.tune.corpus_screen import CorpusScreen as CorpusScreen
from inspector.ui.screens.tune.screen import Tune as Tune
