"""Memory for agents: messages go in, and a context that fits and is valid comes out (docs/memory.md).

    from inspector.memory import LLMMessage, MemoryConfig, MemoryManager

What is named here is imported when it is first used, so that looking for one of them does not load the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.compression import CompressionEngine, Policy
    from inspector.memory.agents import BaseAgent, ReActAgent, Tool
    from inspector.memory.compressor import CompressedMemory, WorkingMemoryCompressor
    from inspector.memory.config import CompressionStrategy, MemoryConfig
    from inspector.memory.llm import parse_response
    from inspector.memory.manager import MemoryManager
    from inspector.memory.message_adapter import LLMMessage
    from inspector.memory.short_term import ShortTermMemory
    from inspector.memory.stats import statistics
    from inspector.memory.tracker import TokenTracker

__all__ = [
    "BaseAgent",
    "CompressedMemory",
    "CompressionEngine",
    "CompressionStrategy",
    "LLMMessage",
    "MemoryConfig",
    "MemoryManager",
    "Policy",
    "ReActAgent",
    "ShortTermMemory",
    "TokenTracker",
    "Tool",
    "WorkingMemoryCompressor",
    "parse_response",
    "statistics",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.compression": "CompressionEngine Policy",
        "inspector.memory.agents": "BaseAgent ReActAgent Tool",
        "inspector.memory.compressor": "CompressedMemory WorkingMemoryCompressor",
        "inspector.memory.config": "CompressionStrategy MemoryConfig",
        "inspector.memory.llm": "parse_response",
        "inspector.memory.manager": "MemoryManager",
        "inspector.memory.message_adapter": "LLMMessage",
        "inspector.memory.short_term": "ShortTermMemory",
        "inspector.memory.stats": "statistics",
        "inspector.memory.tracker": "TokenTracker",
    },
)
