"""Providers' APIs: wire formats, requests, and the rules that requests have to follow."""

import inspector.llm.providers.registry  # noqa: F401 (registers the look-up of parsers)
from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
