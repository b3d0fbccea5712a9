"""Memory for agents: from messages to a context that is valid and within its limit (docs/memory.md).

    from inspector.memory import LLMMessage, MemoryConfig, MemoryManager

A name is imported when it is first used, so that one of them does not load the others.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
