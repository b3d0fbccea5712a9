"""Conversations that are played to an agent, to see its memory grow."""

from __future__ import annotations

from inspector.memory.working_memory.agent import IAgentInput, WorkingMemoryAgent


class ConversationSimulator:
    """Plays interactions to an agent."""

    def __init__(self, memory_agent: WorkingMemoryAgent) -> None:
        self.memory_agent = memory_agent

    async def add_interaction(self, conversation_id: str, interaction: str) -> str:
        """Add the text of an interaction to a conversation.

        Args:
            conversation_id: Id of the conversation.
            interaction: Text to add.

        Returns:
            Status of the agent: "success" or "error: …".
        """
        return await self.memory_agent.process(IAgentInput(interaction, {"conversation_id": conversation_id}))
