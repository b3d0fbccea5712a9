"""Prompts assembled from a window: a template, a list of messages, and a builder."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
