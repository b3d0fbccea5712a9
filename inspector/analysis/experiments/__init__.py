"""Run many replays of one session: preset comparisons, grids, sweeps, recommendations and needle probes."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
