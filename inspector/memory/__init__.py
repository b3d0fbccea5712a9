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
    from inspector.memory.preview import CompressionPreview
    from inspector.memory.shared import (
        AgentGroup,
        Collaboration,
        ConversationMemory,
        EndpointBackend,
        ExampleRun,
        OfflineBackend,
        Orchestrator,
        Permissions,
        PersistentMemory,
        PostgresLog,
        RedisLog,
        SharedMemoryError,
        SharedMemorySettings,
        SingleAgent,
        SQLiteLog,
        StreamChunk,
        play_examples,
    )
    from inspector.memory.short_term import ShortTermMemory
    from inspector.memory.stats import statistics
    from inspector.memory.token_tracker import PRICING, TokenTracker
    from inspector.memory.working_memory import (
        ConflictError,
        ConversationSimulator,
        DatabaseMemoryManager,
        IAgentInput,
        ILLMConfig,
        ILLMInput,
        InMemoryManager,
        MemoryMetrics,
        MemoryRecord,
        OfflineClient,
        OpenRouterClient,
        RedisMemoryManager,
        RetentionPolicy,
        ScenarioRun,
        SQLiteMemoryManager,
        WorkingMemoryAgent,
        WorkingMemoryError,
        create_memory_agent,
        model_endpoint,
        notes_path,
        play_scenarios,
    )
    from inspector.memory.working_memory.scenarios import Finding
    from inspector.prompts import PROMPT_TEMPLATE, PromptBuilder, format_history, format_tools
    from inspector.window import TokenBudget

__all__ = [
    "PRICING",
    "PROMPT_TEMPLATE",
    "AgentGroup",
    "BaseAgent",
    "Collaboration",
    "CompressedMemory",
    "CompressionEngine",
    "CompressionPreview",
    "CompressionStrategy",
    "ConflictError",
    "ConversationMemory",
    "ConversationSimulator",
    "DatabaseMemoryManager",
    "EndpointBackend",
    "ExampleRun",
    "Finding",
    "IAgentInput",
    "ILLMConfig",
    "ILLMInput",
    "InMemoryManager",
    "LLMMessage",
    "MemoryConfig",
    "MemoryManager",
    "MemoryMetrics",
    "MemoryRecord",
    "OfflineBackend",
    "OfflineClient",
    "OpenRouterClient",
    "Orchestrator",
    "Permissions",
    "PersistentMemory",
    "Policy",
    "PostgresLog",
    "PromptBuilder",
    "ReActAgent",
    "RedisLog",
    "RedisMemoryManager",
    "RetentionPolicy",
    "SQLiteLog",
    "SQLiteMemoryManager",
    "ScenarioRun",
    "SharedMemoryError",
    "SharedMemorySettings",
    "ShortTermMemory",
    "SingleAgent",
    "StreamChunk",
    "TokenBudget",
    "TokenTracker",
    "Tool",
    "WorkingMemoryAgent",
    "WorkingMemoryCompressor",
    "WorkingMemoryError",
    "create_memory_agent",
    "format_history",
    "format_tools",
    "model_endpoint",
    "notes_path",
    "parse_response",
    "play_examples",
    "play_scenarios",
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
        "inspector.memory.shared": (
            "AgentGroup Collaboration ConversationMemory EndpointBackend ExampleRun OfflineBackend Orchestrator"
            " Permissions PersistentMemory PostgresLog RedisLog SQLiteLog SharedMemoryError SharedMemorySettings"
            " SingleAgent StreamChunk play_examples"
        ),
        "inspector.memory.preview": "CompressionPreview",
        "inspector.memory.short_term": "ShortTermMemory",
        "inspector.memory.stats": "statistics",
        "inspector.memory.token_tracker": "PRICING TokenTracker",
        "inspector.memory.working_memory.scenarios": "Finding",
        "inspector.memory.working_memory": (
            "ConflictError ConversationSimulator DatabaseMemoryManager IAgentInput ILLMConfig ILLMInput InMemoryManager"
            " MemoryMetrics MemoryRecord OfflineClient OpenRouterClient RedisMemoryManager RetentionPolicy"
            " SQLiteMemoryManager ScenarioRun WorkingMemoryAgent WorkingMemoryError create_memory_agent model_endpoint"
            " notes_path play_scenarios"
        ),
        "inspector.prompts": "PROMPT_TEMPLATE PromptBuilder format_history format_tools",
        "inspector.window": "TokenBudget",
    },
)
