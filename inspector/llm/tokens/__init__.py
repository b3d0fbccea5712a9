"""Token counts of texts, messages, sessions and tool definitions, with their certainty."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
