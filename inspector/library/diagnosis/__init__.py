"""The verdict on a session: one true sentence that answers why somebody opens it, with the key that leads on."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
