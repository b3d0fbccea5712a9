"""Requirement 3 in Python: a memory that an agent puts its messages into, and gets a context that fits out of.

    from inspector.memory import LLMMessage, MemoryConfig, MemoryManager

What is named here is imported when it is first used, so that looking for one of them does not load the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.compression.engine import Keeper
    from inspector.compression.policy import Policy
    from inspector.memory.agents import BaseAgent, ReActAgent, Tool
    from inspector.memory.compressor import CompressedMemory, WorkingMemoryCompressor
    from inspector.memory.config import CompressionStrategy, MemoryConfig
    from inspector.memory.manager import MemoryManager
    from inspector.memory.message_adapter import LLMMessage
    from inspector.memory.short_term import ShortTermMemory
    from inspector.memory.stats import statistics
    from inspector.memory.tracker import TokenTracker

PLACES = {
    "BaseAgent": "agents",
    "CompressedMemory": "compressor",
    "CompressionStrategy": "config",
    "Keeper": "keeper",
    "LLMMessage": "message",
    "MemoryConfig": "config",
    "MemoryManager": "manager",
    "Policy": "policy",
    "ReActAgent": "agents",
    "ShortTermMemory": "short_term",
    "TokenTracker": "tracker",
    "Tool": "agents",
    "WorkingMemoryCompressor": "compressor",
    "statistics": "account",
}
"""The module of this package that each name lives in."""

__all__ = [
    "BaseAgent",
    "CompressedMemory",
    "CompressionStrategy",
    "Keeper",
    "LLMMessage",
    "MemoryConfig",
    "MemoryManager",
    "Policy",
    "ReActAgent",
    "ShortTermMemory",
    "TokenTracker",
    "Tool",
    "WorkingMemoryCompressor",
    "statistics",
]


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
