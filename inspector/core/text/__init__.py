"""Text and files of any kind: what a terminal may be shown, cells, glyphs, JSON, writing whole files."""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
