"""The four examples of requirement 4, as they stand there."""

from __future__ import annotations

CONVERSATION = """\
from massgen.orchestrator import Orchestrator
from massgen.memory import ConversationMemory
from massgen.chat_agent import SingleAgent
# Create agents
agents = {
    "analyzer": SingleAgent(backend=backend1, agent_id="analyzer"),
    "implementer": SingleAgent(backend=backend2, agent_id="implementer"),
    "reviewer": SingleAgent(backend=backend3, agent_id="reviewer")
}
# Create shared conversation memory
shared_memory = ConversationMemory()
# Create orchestrator
orchestrator = Orchestrator(
    agents=agents,
    shared_conversation_memory=shared_memory
)
# Use orchestrator - agents automatically share findings
async for chunk in orchestrator.chat(messages):
    print(chunk)
# Check what was shared
shared_messages = await shared_memory.get_messages()
for msg in shared_messages:
    print(f"[{msg['agent_id']}]: {msg['content']}")
"""

PERSISTENT = """\
from massgen.orchestrator import Orchestrator
from massgen.memory import PersistentMemory
from massgen.chat_agent import SingleAgent
# Create agents
agents = {
    "agent1": SingleAgent(backend=backend, agent_id="agent1"),
    "agent2": SingleAgent(backend=backend, agent_id="agent2")
}
# Create shared persistent memory
shared_persist_memory = PersistentMemory(
    user_id="team_project_alpha",
    agent_id="orchestrator"
)
# Create orchestrator
orchestrator = Orchestrator(
    agents=agents,
    shared_persistent_memory=shared_persist_memory
)
# Session 1
messages1 = [{"role": "user", "content": "Design the API"}]
async for chunk in orchestrator.chat(messages1):
    print(chunk)
# Session 2 - agents remember previous session
messages2 = [{"role": "user", "content": "Implement the API we designed"}]
async for chunk in orchestrator.chat(messages2):
    print(chunk)
"""

BOTH = """\
from massgen.orchestrator import Orchestrator
from massgen.memory import ConversationMemory, PersistentMemory
from massgen.chat_agent import SingleAgent
# Create agents
agents = {
    "researcher": SingleAgent(backend=backend, agent_id="researcher"),
    "developer": SingleAgent(backend=backend, agent_id="developer"),
    "tester": SingleAgent(backend=backend, agent_id="tester")
}
# Create both shared memories
shared_conv_memory = ConversationMemory()
shared_persist_memory = PersistentMemory(
    user_id="project_gamma",
    agent_id="orchestrator"
)
# Create orchestrator with both
orchestrator = Orchestrator(
    agents=agents,
    shared_conversation_memory=shared_conv_memory,
    shared_persistent_memory=shared_persist_memory
)
# Benefits:
# - Current session: All agents see each other's work
# - Cross-session: Knowledge persists and accumulates over time
messages = [{"role": "user", "content": "Build a new feature"}]
async for chunk in orchestrator.chat(messages):
    print(chunk)
"""

NEITHER = """\
from massgen.orchestrator import Orchestrator
from massgen.chat_agent import SingleAgent
# Create agents
agents = {
    "agent1": SingleAgent(backend=backend, agent_id="agent1"),
    "agent2": SingleAgent(backend=backend, agent_id="agent2")
}
# Create orchestrator without shared memory
orchestrator = Orchestrator(agents=agents)
# Agents work independently, no shared context
# Useful for independent parallel tasks
messages = [{"role": "user", "content": "Analyze this problem"}]
async for chunk in orchestrator.chat(messages):
    print(chunk)
"""
