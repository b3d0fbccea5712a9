"""Many replays of one session: presets side by side, grids, sweeps, recommendations, and probes with needles."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
