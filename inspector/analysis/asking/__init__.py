"""Put contexts to a model, compare its replies with the recorded one, and find the messages that a reply depends on."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
