"""Build prompts from a window: a template, a message list and a builder."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
