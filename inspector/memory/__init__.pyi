from inspector.engine.compression import CompressionEngine as CompressionEngine, Policy as Policy
from inspector.engine.prompts import (
    PROMPT_TEMPLATE as PROMPT_TEMPLATE,
    PromptBuilder as PromptBuilder,
    format_tools as format_tools,
)
from inspector.engine.window import TokenBudget as TokenBudget
from inspector.memory.adapters.request_fitter import (
    ArchivedText as ArchivedText,
    FittedRequest as FittedRequest,
    RequestArchive as RequestArchive,
    RequestFitter as RequestFitter,
)
from inspector.memory.compress_messages import (
    CompressedMessages as CompressedMessages,
    acompress as acompress,
    compress as compress,
)
from inspector.memory.compression_preview import CompressionPreview as CompressionPreview
from inspector.memory.compressor import (
    CompressedMemory as CompressedMemory,
    WorkingMemoryCompressor as WorkingMemoryCompressor,
)
from inspector.memory.config import CompressionStrategy as CompressionStrategy, MemoryConfig as MemoryConfig
from inspector.memory.context_limit import ContextLimitError as ContextLimitError
from inspector.memory.endpoint_model import EndpointError as EndpointError, EndpointModel as EndpointModel
from inspector.memory.folder_tools import FolderTools as FolderTools
from inspector.memory.manager import MemoryManager as MemoryManager
from inspector.memory.message_adapter import LLMMessage as LLMMessage, format_history as format_history
from inspector.memory.model_calls import parse_response as parse_response
from inspector.memory.react_agents import BaseAgent as BaseAgent, ReActAgent as ReActAgent
from inspector.memory.shared import (
    AgentGroup as AgentGroup,
    Collaboration as Collaboration,
    ConversationMemory as ConversationMemory,
    EndpointBackend as EndpointBackend,
    ExampleRun as ExampleRun,
    MemoryTools as MemoryTools,
    OfflineBackend as OfflineBackend,
    Orchestrator as Orchestrator,
    Permissions as Permissions,
    PersistentMemory as PersistentMemory,
    PostgresLog as PostgresLog,
    RedisLog as RedisLog,
    SharedMemoryError as SharedMemoryError,
    SharedMemorySettings as SharedMemorySettings,
    SingleAgent as SingleAgent,
    SQLiteLog as SQLiteLog,
    StreamChunk as StreamChunk,
    play_examples as play_examples,
)
from inspector.memory.short_term import ShortTermMemory as ShortTermMemory
from inspector.memory.stats import statistics as statistics
from inspector.memory.token_tracker import PRICING as PRICING, TokenTracker as TokenTracker
from inspector.memory.tools import Tool as Tool
from inspector.memory.working_memory import (
    ConflictError as ConflictError,
    ConversationSimulator as ConversationSimulator,
    DatabaseMemoryManager as DatabaseMemoryManager,
    IAgentInput as IAgentInput,
    ILLMConfig as ILLMConfig,
    ILLMInput as ILLMInput,
    InMemoryManager as InMemoryManager,
    MemoryMetrics as MemoryMetrics,
    MemoryRecord as MemoryRecord,
    OfflineClient as OfflineClient,
    OpenRouterClient as OpenRouterClient,
    RedisMemoryManager as RedisMemoryManager,
    RetentionPolicy as RetentionPolicy,
    ScenarioRun as ScenarioRun,
    SQLiteMemoryManager as SQLiteMemoryManager,
    WorkingMemoryAgent as WorkingMemoryAgent,
    WorkingMemoryError as WorkingMemoryError,
    create_memory_agent as create_memory_agent,
    model_endpoint as model_endpoint,
    notes_path as notes_path,
    play_scenarios as play_scenarios,
)
from inspector.memory.working_memory.scenarios import Finding as Finding
