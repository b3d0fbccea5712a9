"""Summarisers: callables that turn messages into one text, either extractively or with a model."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
