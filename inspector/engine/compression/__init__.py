"""When and how a context is compressed: policy, engine, presets and savings."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
