from inspector.memory.adapters.agents_session import StoreSession as StoreSession
from inspector.memory.adapters.claude_transcripts import TranscriptStore as TranscriptStore
from inspector.memory.adapters.context_fitter import ContextFitter as ContextFitter
from inspector.memory.adapters.langchain_middleware import (
    CompressionMiddleware as CompressionMiddleware,
    MessageTrimmer as MessageTrimmer,
)
from inspector.memory.adapters.llama_memory import CompressedChatMemory as CompressedChatMemory
from inspector.memory.adapters.pydantic_history import history_processor as history_processor
from inspector.memory.adapters.strands_manager import CompressionManager as CompressionManager
