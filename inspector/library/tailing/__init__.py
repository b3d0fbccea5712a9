"""Follow sessions while another program writes them, at a cost proportional to the new content."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
