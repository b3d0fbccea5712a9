"""Write conversations as files of other programs. Each of them opens again."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
