"""Memory for agents: messages go in, and a context that fits and is valid comes out (docs/memory.md).

    from inspector.memory import LLMMessage, MemoryConfig, MemoryManager

What is named here is imported when it is first used, so that looking for one of them does not load the others.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
