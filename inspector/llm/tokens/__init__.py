"""How many tokens a text, a message, a session or a tool definition takes, and how well that is known."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
