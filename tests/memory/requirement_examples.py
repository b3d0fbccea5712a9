"""The examples of requirement 3, letter by letter: its Python, its settings, and what it shows at the end of a run."""

from __future__ import annotations

STATISTICS_BLOCK = """\
--- Memory Statistics ---
Total tokens: 45,234
Compressions: 3
Net savings: 15,678 tokens (34.7%)
Total cost: $0.0234
"""

PYTHON = {
    "manager": """\
from memory import MemoryManager, MemoryConfig

config = MemoryConfig(
    max_context_tokens=100000,
    compression_threshold=40000,
    enable_compression=True
)

memory = MemoryManager(config, llm)
""",
    "short term": """\
from memory import ShortTermMemory

# Keep last 20 messages
short_term = ShortTermMemory(max_size=20)
""",
    "compressor": """\
from memory import WorkingMemoryCompressor

compressor = WorkingMemoryCompressor(llm, config)
compressed = await compressor.compress(old_messages)
""",
    "tracker": """\
from memory import TokenTracker

tracker = TokenTracker()
tokens = tracker.count_message_tokens(message, "anthropic", "claude-3-5-sonnet")
cost = tracker.calculate_cost("claude-3-5-sonnet-20241022")
""",
    "prices": """\
PRICING = {
    # OpenAI
    "gpt-4o": {"input": 2.50, "output": 10.00},
    "gpt-4o-mini": {"input": 0.15, "output": 0.60},

    # Anthropic
    "claude-3-5-sonnet-20241022": {"input": 3.00, "output": 15.00},
    "claude-3-5-haiku-20241022": {"input": 0.80, "output": 4.00},

    # Gemini
    "gemini-1.5-flash": {"input": 0.075, "output": 0.30},
    "gemini-1.5-pro": {"input": 1.25, "output": 5.00},

    # Unknown models use default
    "default": {"input": 0.55, "output": 2.19},
}
""",
    "statistics": """\
stats = memory.get_stats()

print(f"Current tokens: {stats['current_tokens']}")
print(f"Total cost: ${stats['total_cost']:.4f}")
print(f"Compressions: {stats['compression_count']}")
print(f"Net savings: {stats['net_savings']} tokens")
print(f"Savings %: {stats['savings_percentage']:.1f}%")
""",
    "actual tokens": """\
# In your agent code
response = await llm.call_async(messages, tools)

# Extract actual usage
actual_tokens = {
    "input": response.usage.input_tokens,
    "output": response.usage.output_tokens
}

# Add to memory with actual counts
await memory.add_message(
    LLMMessage(role="assistant", content=response.content),
    actual_tokens=actual_tokens
)
""",
    "long tasks": """\
from memory import MemoryManager, MemoryConfig
from agent.agent import ReActAgent

# Create memory config
config = MemoryConfig(
    max_context_tokens=100000,
    compression_threshold=40000,
    enable_compression=True
)

# Create agent with memory
agent = ReActAgent(
    llm=llm,
    max_iterations=20,
    tools=tools,
    memory_config=config
)

# Run task - memory works automatically
result = await agent.run("Complex multi-step task...")

# View savings
stats = agent.memory.get_stats()
print(f"Saved {stats['net_savings']} tokens (${stats['net_cost']:.4f})")
""",
    "short tasks": """\
# For simple tasks, disable memory to reduce overhead
config = MemoryConfig(enable_compression=False)

agent = ReActAgent(llm=llm, tools=tools, memory_config=config)
result = await agent.run("Simple calculation")
""",
    "custom strategy": """\
from memory import MemoryConfig, CompressionStrategy

config = MemoryConfig(
    compression_threshold=30000,  # Compress earlier
    compression_ratio=0.2,        # More aggressive
    compression_strategy=CompressionStrategy.SELECTIVE,
    preserve_tool_calls=True      # Keep tool interactions
)

agent = ReActAgent(llm=llm, tools=tools, memory_config=config)
""",
    "quality": """\
compressed = await compressor.compress(messages)

print(f"Original: {compressed.original_tokens} tokens")
print(f"Compressed: {compressed.compressed_tokens} tokens")
print(f"Ratio: {compressed.compression_ratio:.1%}")
print(f"Message count: {compressed.original_message_count} → 1 summary")
""",
    "own price": """\
PRICING = {
    # ... existing ...
    "your-model-name": {"input": X.XX, "output": Y.YY},
}
""",
    "custom compressor": """\
from memory import WorkingMemoryCompressor

class CustomCompressor(WorkingMemoryCompressor):
    def _should_preserve(self, message):
        # Custom preservation logic
        if "CRITICAL:" in message.content:
            return True
        return super()._should_preserve(message)
""",
    "inspection": """\
# Get current messages
messages = memory.get_context_for_llm()
print(f"Total messages: {len(messages)}")

# Get short-term only
short_term = memory.short_term.get_all()
print(f"Recent messages: {len(short_term)}")

# Check if compressed
if memory.compressed_memory:
    print(f"Compressed summary: {memory.compressed_memory.summary[:100]}...")
""",
    "custom agent": """\
from agent.base import BaseAgent

class MyCustomAgent(BaseAgent):
    async def run(self, task: str) -> str:
        # Add initial message
        await self.memory.add_message(LLMMessage(role="user", content=task))

        for i in range(self.max_iterations):
            # Get optimized context
            context = self.memory.get_context_for_llm()

            # Call LLM
            response = await self.llm.call_async(messages=context)

            # Add response to memory (auto-compression if needed)
            await self.memory.add_message(
                LLMMessage(role="assistant", content=response.content)
            )

            # Check compression
            if self.memory.was_compressed_last_iteration:
                savings = self.memory.last_compression_savings
                print(f"[Compressed: saved {savings} tokens]")

        # Show final stats
        stats = self.memory.get_stats()
        print(f"Total cost: ${stats['total_cost']:.4f}")

        return final_result
""",
}

SETTINGS = {
    "enable": """\
# Enable memory management
MEMORY_ENABLED=true

# Trigger compression at this threshold
MEMORY_COMPRESSION_THRESHOLD=40000
""",
    "basic": """\
# Enable/disable memory (default: true)
MEMORY_ENABLED=true

# Start compression when context exceeds this (default: 40000)
MEMORY_COMPRESSION_THRESHOLD=40000
""",
    "advanced": """\
# Number of recent messages to keep uncompressed (default: 20)
MEMORY_SHORT_TERM_SIZE=20

# Compression ratio: 0.3 = compress to 30% of original (default: 0.3)
MEMORY_COMPRESSION_RATIO=0.3

# Compression strategy (default: sliding_window)
# Options: sliding_window, selective, deletion
MEMORY_COMPRESSION_STRATEGY=sliding_window

# Preserve system prompts (default: true)
MEMORY_PRESERVE_SYSTEM_PROMPTS=true

""",
    "aggressive": """\
MEMORY_ENABLED=true
MEMORY_COMPRESSION_THRESHOLD=30000
MEMORY_COMPRESSION_RATIO=0.2
MEMORY_SHORT_TERM_SIZE=10
MEMORY_COMPRESSION_STRATEGY=sliding_window
""",
    "balanced": """\
MEMORY_ENABLED=true
MEMORY_COMPRESSION_THRESHOLD=40000
MEMORY_COMPRESSION_RATIO=0.3
MEMORY_SHORT_TERM_SIZE=20
MEMORY_COMPRESSION_STRATEGY=sliding_window
""",
    "conservative": """\
MEMORY_ENABLED=true
MEMORY_COMPRESSION_THRESHOLD=60000
MEMORY_COMPRESSION_RATIO=0.5
MEMORY_SHORT_TERM_SIZE=30
MEMORY_COMPRESSION_STRATEGY=selective
""",
    "sliding window": """\
MEMORY_COMPRESSION_STRATEGY=sliding_window
""",
    "selective": """\
MEMORY_COMPRESSION_STRATEGY=selective
""",
    "deletion": """\
MEMORY_COMPRESSION_STRATEGY=deletion
""",
    "checks": """\
# Verify enabled
MEMORY_ENABLED=true

# Check threshold
MEMORY_COMPRESSION_THRESHOLD=40000

# Ensure task is long enough
# (needs > 40,000 tokens to trigger)
""",
}
