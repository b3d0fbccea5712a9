"""Working memory of conversations: notes that an agent keeps with a model, in memory, a file, Redis or PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.memory.working_memory.agent import IAgentInput, WorkingMemoryAgent
    from inspector.memory.working_memory.backends.in_memory import InMemoryManager
    from inspector.memory.working_memory.backends.postgres import DatabaseMemoryManager
    from inspector.memory.working_memory.backends.redis import RedisMemoryManager
    from inspector.memory.working_memory.backends.sqlite import SQLiteMemoryManager, notes_path
    from inspector.memory.working_memory.factory import create_memory_agent
    from inspector.memory.working_memory.llm_clients import (
        ILLMConfig,
        ILLMInput,
        OfflineClient,
        OpenRouterClient,
        model_endpoint,
    )
    from inspector.memory.working_memory.records import (
        ConflictError,
        MemoryMetrics,
        MemoryRecord,
        RetentionPolicy,
        WorkingMemoryError,
    )
    from inspector.memory.working_memory.scenarios import ScenarioRun, play_scenarios
    from inspector.memory.working_memory.simulation import ConversationSimulator

__all__ = [
    "ConflictError",
    "ConversationSimulator",
    "DatabaseMemoryManager",
    "IAgentInput",
    "ILLMConfig",
    "ILLMInput",
    "InMemoryManager",
    "MemoryMetrics",
    "MemoryRecord",
    "OfflineClient",
    "OpenRouterClient",
    "RedisMemoryManager",
    "RetentionPolicy",
    "SQLiteMemoryManager",
    "ScenarioRun",
    "WorkingMemoryAgent",
    "WorkingMemoryError",
    "create_memory_agent",
    "model_endpoint",
    "notes_path",
    "play_scenarios",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.memory.working_memory.agent": "IAgentInput WorkingMemoryAgent",
        "inspector.memory.working_memory.backends.in_memory": "InMemoryManager",
        "inspector.memory.working_memory.backends.postgres": "DatabaseMemoryManager",
        "inspector.memory.working_memory.backends.redis": "RedisMemoryManager",
        "inspector.memory.working_memory.backends.sqlite": "SQLiteMemoryManager notes_path",
        "inspector.memory.working_memory.factory": "create_memory_agent",
        "inspector.memory.working_memory.llm_clients": (
            "ILLMConfig ILLMInput OfflineClient OpenRouterClient model_endpoint"
        ),
        "inspector.memory.working_memory.records": (
            "ConflictError MemoryMetrics MemoryRecord RetentionPolicy WorkingMemoryError"
        ),
        "inspector.memory.working_memory.scenarios": "ScenarioRun play_scenarios",
        "inspector.memory.working_memory.simulation": "ConversationSimulator",
    },
)
