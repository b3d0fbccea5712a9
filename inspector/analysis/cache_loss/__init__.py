"""Find the calls that the prompt cache no longer served, with a cause and a price."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
