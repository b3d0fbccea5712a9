from inspector.ui.screens.tune.screen import Tune as Tune
