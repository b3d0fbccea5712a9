"""Search messages: the query language, the matching messages, and the positions of matches in a text."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
