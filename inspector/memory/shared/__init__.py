"""Memory that several agents share (docs/memory.md), and agents that work with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.memory.shared.agents import EndpointBackend, SingleAgent, StreamChunk
    from inspector.memory.shared.analytics import Collaboration
    from inspector.memory.shared.conversation_memory import ConversationMemory
    from inspector.memory.shared.examples import ExampleRun, OfflineBackend, play_examples
    from inspector.memory.shared.logs.base import SharedMemoryError
    from inspector.memory.shared.logs.postgres import PostgresLog
    from inspector.memory.shared.logs.redis import RedisLog
    from inspector.memory.shared.logs.sqlite import SQLiteLog
    from inspector.memory.shared.orchestrator import Orchestrator
    from inspector.memory.shared.permissions import AgentGroup, Permissions
    from inspector.memory.shared.persistent_memory import PersistentMemory
    from inspector.memory.shared.settings import SharedMemorySettings

__all__ = [
    "AgentGroup",
    "Collaboration",
    "ConversationMemory",
    "EndpointBackend",
    "ExampleRun",
    "OfflineBackend",
    "Orchestrator",
    "Permissions",
    "PersistentMemory",
    "PostgresLog",
    "RedisLog",
    "SQLiteLog",
    "SharedMemoryError",
    "SharedMemorySettings",
    "SingleAgent",
    "StreamChunk",
    "play_examples",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.memory.shared.agents": "EndpointBackend SingleAgent StreamChunk",
        "inspector.memory.shared.analytics": "Collaboration",
        "inspector.memory.shared.conversation_memory": "ConversationMemory",
        "inspector.memory.shared.examples": "ExampleRun OfflineBackend play_examples",
        "inspector.memory.shared.logs.base": "SharedMemoryError",
        "inspector.memory.shared.logs.postgres": "PostgresLog",
        "inspector.memory.shared.logs.redis": "RedisLog",
        "inspector.memory.shared.logs.sqlite": "SQLiteLog",
        "inspector.memory.shared.orchestrator": "Orchestrator",
        "inspector.memory.shared.persistent_memory": "PersistentMemory",
        "inspector.memory.shared.permissions": "AgentGroup Permissions",
        "inspector.memory.shared.settings": "SharedMemorySettings",
    },
)
