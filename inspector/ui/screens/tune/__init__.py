"""Screen 4: presets as rows on this session, which of them is best here and why, and knobs to make a better one."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
