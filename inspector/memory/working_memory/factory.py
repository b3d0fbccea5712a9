"""An agent with working memory, from a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.memory.working_memory.agent import WorkingMemoryAgent, WorkingMemoryManager
from inspector.memory.working_memory.backends.in_memory_notes import InMemoryManager
from inspector.memory.working_memory.backends.redis_notes import RedisMemoryManager
from inspector.memory.working_memory.backends.sql_notes import DatabaseMemoryManager, SQLiteMemoryManager
from inspector.memory.working_memory.llm_clients import ILLMConfig, OpenRouterClient

MEMORY_TYPES = ("memory", "sqlite", "redis", "database")


def create_memory_agent(config: Mapping[str, Any]) -> WorkingMemoryAgent:
    """Create an agent with the model and the manager that a configuration names.

    Args:
        config: `model` (required) and `temperature` (0.7) for an `OpenRouterClient`, and `memory_type`: "memory" (the
            default), "sqlite" with `path`, "redis" with `redis_url` or "database" with `db_connection`.

    Raises:
        ValueError: A value is missing or unknown.
    """
    client = OpenRouterClient(ILLMConfig(_required(config, "model"), config.get("temperature", 0.7)))
    return WorkingMemoryAgent(client, memory_manager=_manager(config))


def _manager(config: Mapping[str, Any]) -> WorkingMemoryManager:
    match config.get("memory_type", "memory"):
        case "memory":
            return InMemoryManager()
        case "sqlite":
            return SQLiteMemoryManager(config.get("path"))
        case "redis":
            return RedisMemoryManager(_required(config, "redis_url"))
        case "database":
            return DatabaseMemoryManager(_required(config, "db_connection"))
        case other:
            raise ValueError(f"There is no memory_type {other!r}; there are {', '.join(MEMORY_TYPES)}.")


def _required(config: Mapping[str, Any], name: str) -> Any:
    if not config.get(name):
        raise ValueError(f"The configuration names no {name}.")
    return config[name]
