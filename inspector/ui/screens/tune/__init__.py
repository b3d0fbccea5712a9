"""Screen 4: presets as rows on this session, which of them is best here and why, and knobs to make a better one."""

from inspector.ui.screens.tune.screen import Tune

__all__ = ["Tune"]
