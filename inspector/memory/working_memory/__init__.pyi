from inspector.memory.working_memory.agent import IAgentInput as IAgentInput, WorkingMemoryAgent as WorkingMemoryAgent
from inspector.memory.working_memory.backends.in_memory_notes import InMemoryManager as InMemoryManager
from inspector.memory.working_memory.backends.redis_notes import RedisMemoryManager as RedisMemoryManager
from inspector.memory.working_memory.backends.sql_notes import (
    DatabaseMemoryManager as DatabaseMemoryManager,
    SQLiteMemoryManager as SQLiteMemoryManager,
    notes_path as notes_path,
)
from inspector.memory.working_memory.factory import create_memory_agent as create_memory_agent
from inspector.memory.working_memory.llm_clients import (
    ILLMConfig as ILLMConfig,
    ILLMInput as ILLMInput,
    OfflineClient as OfflineClient,
    OpenRouterClient as OpenRouterClient,
    model_endpoint as model_endpoint,
)
from inspector.memory.working_memory.scenarios import ScenarioRun as ScenarioRun, play_scenarios as play_scenarios
from inspector.memory.working_memory.simulation import ConversationSimulator as ConversationSimulator
from inspector.memory.working_memory.working_records import (
    ConflictError as ConflictError,
    MemoryMetrics as MemoryMetrics,
    MemoryRecord as MemoryRecord,
    RetentionPolicy as RetentionPolicy,
    WorkingMemoryError as WorkingMemoryError,
)
