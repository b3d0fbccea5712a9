"""Screen 4: presets as rows on this session, the best row with the reasons, and knobs to improve a preset."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
