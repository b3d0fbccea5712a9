"""Summarisers: callables that turn messages into one text. One reads it out of the messages, one asks a model."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
