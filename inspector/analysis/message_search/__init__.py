"""Finding messages: a language of words and facts, the messages that fit, and where in a text the words stand."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
