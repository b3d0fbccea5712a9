"""Reports on how an agent framework's source code, or a recorded session, handles memory."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
