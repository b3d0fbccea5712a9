"""The part of `memory audit` that asks a model. It is only imported with `--model`."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
