"""Rows of the table for conversations in JSON whose readers are built on `HistoryFormat`, and for their databases."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.formats.format_entry import OwnEntry, own_entry

HISTORY_FORMATS: Mapping[str, OwnEntry] = {
    "http-traffic": own_entry(
        "http_traffic:HTTPTraffic",
        "recorded HTTP traffic",
        {0.95: "interactions | log | "},
        shapes="object list text",
        suffixes=".yaml .yml .har",
    ),
    "pydantic-ai": own_entry(
        "histories:PydanticAI",
        "Pydantic AI histories",
        {0.95: "kind parts | messages | all_messages | message_history | history"},
        fields="part_kind parts kind",
    ),
    "langchain": own_entry(
        "histories:LangChain",
        "LangChain messages",
        {0.95: "type data | type content | lc kwargs | messages | all_messages | message_history | history"},
        fields="additional_kwargs response_metadata",
    ),
    "llama-index": own_entry("histories:LlamaIndex", "LlamaIndex chat stores", {0.95: "store class_name"}),
    "autogen": own_entry(
        "histories:AutoGen",
        "AutoGen states",
        {0.95: "agent_states | llm_context | agent_state | mode messages"},
        fields="agent_states llm_context",
    ),
    "amp": own_entry("amp:Amp", "Amp threads", {0.95: "id messages"}),
    "jan": own_entry("chat_apps:Jan", "Jan threads", {0.95: "object content"}),
    "librechat": own_entry("chat_apps:LibreChat", "LibreChat exports", {0.95: "conversationId messages"}),
    "open-webui": own_entry("chat_apps:OpenWebUI", "Open WebUI exports", {0.95: "chat | history"}),
    "chatbot-ui": own_entry("chat_apps:ChatbotUI", "Chatbot UI exports", {0.95: "history folders"}),
    "ai-studio": own_entry("chat_apps:AIStudio", "AI Studio prompts", {0.95: "chunkedPrompt runSettings"}),
    "grok": own_entry("chat_apps:GrokChats", "Grok exports", {0.95: "conversations | conversation responses"}),
    "google-adk": own_entry(
        "google_adk:AgentKit",
        "Google ADK sessions",
        {0.95: "id events | eval_set_id eval_cases | data initial_state | query expected_tool_use"},
        fields="eval_cases eval_set_id expected_tool_use invocation_id",
    ),
    "google-adk-db": own_entry(
        "google_adk:AgentKitDatabase", "Google ADK databases", {1.0: "events sessions invocation_id"}, shapes="database"
    ),
    "mastra": own_entry("mastra:Mastra", "Mastra databases", {1.0: "mastra_messages"}, shapes="database"),
    "grok-build": own_entry(
        "grok_build:GrokBuild",
        "Grok Build sessions",
        {0.95: "type content | type summary | type kind"},
        shapes="lines",
        fields="model_id prompt_index synthetic_reason",
        files="summary.json signals.json chat_history.jsonl",
    ),
    "mistral-vibe": own_entry(
        "vibe:Vibe",
        "Mistral Vibe sessions",
        {0.95: "role message_id"},
        shapes="lines",
        files="meta.json messages.jsonl",
    ),
    "posit-assistant": own_entry(
        "posit:Posit",
        "Posit Assistant conversations",
        {0.95: "id message"},
        shapes="lines",
        files="conversation.json lm-messages.jsonl",
    ),
    "dsh": own_entry("dsh:Dsh", "dsh sessions", {1.0: "type seq data | type=session delegationDepth"}, shapes="lines"),
    "qwenpaw": own_entry("agentscope:AgentScope", "QwenPaw sessions", {0.95: "agent"}),
    "entire": own_entry("entire:Entire", "Entire transcripts", {0.95: "v cli_version type"}, shapes="lines"),
    "cursor-state": own_entry(
        "cursor_state:CursorState",
        "Cursor state databases",
        {0.9: "ItemTable | cursorDiskKV | rows columns"},
        shapes="database object",
        suffixes=".vscdb",
        fields="ItemTable cursorDiskKV",
    ),
    "agents-sdk-state": own_entry(
        "run_state:RunState",
        "OpenAI Agents SDK run states",
        {0.95: "$schemaVersion generated_items | $schemaVersion generatedItems"},
        fields="$schemaVersion generated_items generatedItems",
    ),
    "managed-agents": own_entry(
        "managed_agents:ManagedAgents",
        "Claude Managed Agents sessions",
        {0.95: "type processed_at | data | events | client.*"},
        shapes="object list lines",
        fields="processed_at model_request_start_id",
    ),
    "antigravity": own_entry(
        "antigravity:Antigravity", "Antigravity transcripts", {0.95: "step_index source type"}, fields="step_index"
    ),
    "cursor-stream": own_entry(
        "streams:CursorStream", "output of Cursor's agent", {0.95: "type session_id"}, shapes="lines list"
    ),
    "droid-stream": own_entry("streams:DroidStream", "output of Droid", {0.95: "type session_id"}, shapes="lines list"),
    "gemini-stream": own_entry(
        "streams:GeminiStream", "output of Gemini CLI", {0.95: "type timestamp"}, shapes="lines list"
    ),
    "smolagents": own_entry(
        "smolagents:Smolagents",
        "smolagents steps",
        {0.95: "step_number | system_prompt | task | steps | memory"},
        fields="step_number observations code_action",
    ),
    "strands": own_entry(
        "strands:Strands",
        "Strands sessions",
        {0.95: "session_id session_type"},
        files="session.json agent.json messages/message_*.json",
    ),
    "zed": own_entry("zed:Zed", "Zed threads", {0.95: "messages"}, fields="cumulative_token_usage request_token_usage"),
    "dify": own_entry("dify:Dify", "Dify messages", {0.95: "data | conversation_id query answer"}),
    "kiro-history": own_entry(
        "kiro_history:KiroHistory",
        "Kiro and Amazon Q conversations",
        {0.95: "conversation_id history | conversation_id value"},
        fields="valid_history_range latest_summary",
    ),
    "kiro-database": own_entry(
        "kiro_history:KiroDatabase",
        "Kiro and Amazon Q databases",
        {1.0: "conversations_v2 key value | conversations key value"},
        shapes="database",
    ),
}
"""Formats in order of precedence. See `FORMAT_TABLE`."""
