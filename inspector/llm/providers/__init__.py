"""What each provider's interface takes: how it writes messages and requests, and what it refuses."""

import inspector.llm.providers.registry  # noqa: F401 (it finds the parsers of all dialects)
from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
