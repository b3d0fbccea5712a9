from inspector.memory.shared.analytics import Collaboration as Collaboration
from inspector.memory.shared.conversation_memory import ConversationMemory as ConversationMemory
from inspector.memory.shared.examples import (
    ExampleRun as ExampleRun,
    OfflineBackend as OfflineBackend,
    play_examples as play_examples,
)
from inspector.memory.shared.logs.base import SharedMemoryError as SharedMemoryError
from inspector.memory.shared.logs.redis_log import RedisLog as RedisLog
from inspector.memory.shared.logs.sql_log import PostgresLog as PostgresLog, SQLiteLog as SQLiteLog
from inspector.memory.shared.memory_tools import MemoryTools as MemoryTools
from inspector.memory.shared.orchestrator import Orchestrator as Orchestrator
from inspector.memory.shared.permissions import AgentGroup as AgentGroup, Permissions as Permissions
from inspector.memory.shared.persistent_memory import PersistentMemory as PersistentMemory
from inspector.memory.shared.shared_settings import SharedMemorySettings as SharedMemorySettings
from inspector.memory.shared.single_agent import (
    EndpointBackend as EndpointBackend,
    SingleAgent as SingleAgent,
    StreamChunk as StreamChunk,
)
