"""Table of the formats that this package reads, in order of precedence.

A new format is one more row. Other distributions add theirs at the entry point `inspector.formats`; the row of such a
format is its `entry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inspector.formats.format_entry import OwnEntry, own_entry
from inspector.formats.history_formats import HISTORY_FORMATS
from inspector.formats.session_places import OWN_PLACES

_ROWS: Mapping[str, OwnEntry] = {
    "claude-code": own_entry(
        "claude_code.claude_code:ClaudeCode",
        "Claude Code transcripts",
        {
            1.0: (
                "type uuid | type parentUuid | type sessionId | type leafUuid | type isSnapshotUpdate | type "
                "isSidechain | type parent_tool_use_id"
            ),
            0.9: "type timestamp message | type timestamp attachment",
        },
        fields="isSidechain leafUuid parentUuid sessionId uuid",
        files="*",
    ),
    "capture": own_entry(
        "captures:Captures",
        "captured calls",
        {1.0: "capture api request"},
        fields="capture api",
        shapes="object lines",
    ),
    "codex": own_entry(
        "codex.codex:Codex",
        "Codex rollouts",
        {1.0: "type payload", 0.95: "instructions timestamp id | session items"},
        fields="payload record_type",
    ),
    "copilot-cli": own_entry(
        "copilot.copilot_cli:CopilotCLI",
        "Copilot CLI sessions",
        {
            0.95: (
                "sessionId chatMessages | type=session.start data | type=assistant.message data | "
                "type=user.message data"
            ),
            0.85: "id timestamp parentId data",
        },
        fields="chatMessages data parentId",
    ),
    "gemini-cli": own_entry(
        "gemini_cli:GeminiCLI",
        "Gemini CLI chats",
        {
            1.0: "projectHash sessionId",
            0.9: "role=model parts | clientHistory | history",
            0.85: "$set | $patch | $rewindTo | type=gemini id timestamp content | lastUpdated messages",
        },
        fields="projectHash sessionId thoughts toolCalls",
    ),
    "qwen-code": own_entry(
        "qwen_code:QwenCode",
        "Qwen Code chats",
        {0.95: "uuid sessionId type message"},
        shapes="list lines",
        fields="contextWindowSize systemPayload toolCallResult usageMetadata",
    ),
    "opencode": own_entry(
        "opencode.opencode:OpenCode",
        "opencode sessions",
        {
            1.0: "part data | session directory",
            0.95: "info messages | id project_id directory | id session_id data | id message_id data",
            0.9: "id sessionID | id time title",
        },
        shapes="object list lines database",
        fields="info message messages part session",
        files=(
            "messages.json parts.json sessions.json session_messages.json session/*/*.json message/*/*.json "
            "part/*/*.json"
        ),
    ),
    "goose": own_entry(
        "goose.goose:Goose",
        "Goose sessions",
        {1.0: "messages content_json working_dir", 0.95: "working_dir", 0.9: "role created content"},
        shapes="object lines database",
        fields="content_json conversation extension_data usage_ledger working_dir",
    ),
    "pi": own_entry(
        "pi:Pi",
        "sessions of pi, OpenClaw or Letta Code",
        {0.95: "type=session id cwd", 0.85: "type=message message"},
        fields="branchedFrom firstKeptEntryId firstKeptEntryIndex thinkingLevel",
    ),
    "openclaw": own_entry(
        "openclaw:OpenClaw",
        "OpenClaw databases",
        {1.0: "transcript_events event_json"},
        shapes="database",
        fields="event_json event_zstd session_windows transcript_events",
    ),
    "crush": own_entry(
        "crush:Crush",
        "Crush sessions",
        {1.0: "sessions messages parent_session_id parts"},
        shapes="database",
        fields="finished_at is_summary_message parent_session_id summary_message_id",
    ),
    "continue": own_entry(
        "continue_sessions:Continue",
        "Continue sessions",
        {0.95: "sessionId history"},
        fields="chatModelTitle contextItems toolCallStates workspaceDirectory",
    ),
    "droid": own_entry(
        "droid:Droid",
        "Droid sessions",
        {
            0.95: "type=session_start",
            0.9: (
                "type=message message | type=session_end | type=todo_state | type=session_settings | "
                "type=agent_turn_outcome | type=compaction_state"
            ),
        },
        shapes="lines",
        fields="owner sessionTitle session_start",
    ),
    "cursor": own_entry("cursor:Cursor", "Cursor agent transcripts", {0.7: "role message"}, shapes="lines"),
    "kimi": own_entry(
        "kimi:Kimi",
        "Kimi Code sessions",
        {
            0.95: (
                "role=_system_prompt | role=_checkpoint | role=_usage | type=context.append_message | "
                "type=context.append_loop_event | type=tools.set_active_tools"
            )
        },
        shapes="lines",
        fields="modelAlias protocol_version stepUuid turnId",
    ),
    "kiro": own_entry(
        "kiro:Kiro",
        "Kiro sessions",
        {0.95: "kind=Prompt data | kind=AssistantMessage data | kind=ToolResults data | kind=Compaction data"},
        shapes="lines",
        fields="message_id toolUseId",
    ),
    "cline": own_entry(
        "cline.cline:Cline",
        "Cline tasks",
        {0.95: "role content | type=say say ts | type=ask ask ts", 0.9: "messages"},
        fields=(
            "ask condenseId condenseParent conversationHistoryIndex isSummary isTruncationMarker metrics "
            "modelInfo say source_message_count truncationId truncationParent ts"
        ),
        files=(
            "api_conversation_history.json ui_messages.json task_metadata.json context_history.json history_item.json "
            "*.messages.json *.compaction.json"
        ),
    ),
    "copilot-chat": own_entry(
        "copilot.copilot_chat:CopilotChat",
        "Copilot Chat sessions",
        {1.0: "requests | kind v", 0.95: "prompts | logs"},
        fields="initialLocation logs prompts requests responderUsername toolCallRounds",
    ),
    "chatgpt": own_entry(
        "chat_exports:ChatGPT",
        "ChatGPT exports",
        {0.95: "mapping", 0.9: "conversations*"},
        shapes="object list lines archive",
        fields="current_node default_model_slug mapping",
    ),
    "deepseek": own_entry(
        "chat_exports:DeepSeek",
        "DeepSeek exports",
        {0.95: "mapping"},
        shapes="object list lines archive",
        fields="inserted_at mapping",
    ),
    "claude-ai": own_entry(
        "chat_exports:ClaudeAI",
        "claude.ai exports",
        {0.95: "chat_messages | conversations*"},
        shapes="object list lines archive",
        fields="chat_messages current_leaf_message_uuid",
    ),
    "openai-agents": own_entry(
        "agents_sdk:AgentsSDK",
        "OpenAI Agents SDK sessions",
        {1.0: "message_data session_id"},
        shapes="database",
        fields="agent_messages agent_sessions message_data",
    ),
    "llm": own_entry(
        "llm_logs:LLMLogs",
        "logs of llm",
        {1.0: "threads turns messages parts | responses prompt conversation_id", 0.9: "prompt system response chat_id"},
        shapes="database",
        fields="conversations message_hash responses threads turns",
    ),
    "langgraph": own_entry(
        "langgraph:LangGraph",
        "LangGraph checkpoints",
        {1.0: "checkpoints thread_id checkpoint_id checkpoint"},
        shapes="database",
        fields="checkpoint_id checkpoint_ns checkpoints thread_id",
    ),
    "langsmith": own_entry(
        "langsmith:LangSmith",
        "LangSmith runs",
        {1.0: "post | patch | run_type inputs | run_type outputs"},
        fields="dotted_order patch post run_type trace_id",
    ),
    "langfuse": own_entry(
        "langfuse:Langfuse",
        "Langfuse traces",
        {1.0: "observations | traceId type startTime | meta data"},
        fields="observations parentObservationId traceId usageDetails",
    ),
    "open-telemetry": own_entry(
        "open_telemetry:OpenTelemetry",
        "OpenTelemetry traces",
        {1.0: "resourceSpans | resourceLogs | data | attributes*"},
        fields="resourceSpans scopeSpans spanId spans",
    ),
    "claude-code-events": own_entry(
        "claude_code.event_logs:ClaudeCodeEvents",
        "Claude Code events (OTLP)",
        {1.0: "resourceLogs"},
        fields="resourceLogs scopeLogs logRecords",
    ),
    "atif": own_entry(
        "atif:ATIF",
        "ATIF trajectories",
        {1.0: "schema_version steps"},
        files="*trajectory.json *trajectory.cont-*.json *trajectory.summarization-*.json",
        fields="final_metrics schema_version steps trajectory_id",
    ),
    "swe-agent": own_entry(
        "swe_agent:SWEAgent",
        "SWE-agent trajectories",
        {1.0: "trajectory history info", 0.95: "trajectory | history | "},
        shapes="object list lines text",
        suffixes=".yaml",
        fields="environment history info replay_config trajectory",
    ),
    "mini-swe-agent": own_entry(
        "mini_swe_agent:MiniSWEAgent",
        "mini-swe-agent trajectories",
        {1.0: "messages trajectory_format", 0.95: "messages info"},
        shapes="object",
        fields="instance_id trajectory_format",
    ),
    "tau2": own_entry(
        "tau2:Tau2",
        "tau2-bench simulations",
        {1.0: "simulations | messages termination_reason"},
        fields="reward_info simulations task_id termination_reason",
    ),
    "beam": own_entry(
        "beam:BEAM",
        "BEAM conversations",
        {1.0: "batch_number turns | plan-* | []question_type []time_anchor"},
        fields="batch_number time_anchor turns",
    ),
    "openhands": own_entry(
        "openhands.openhands:OpenHands",
        "OpenHands events",
        {0.95: "history", 0.9: "source action | source observation"},
        fields="action cause git_patch history observation source",
        files="events/*.json",
    ),
    "openhands-sdk": own_entry(
        "openhands.openhands_sdk:OpenHandsSDK",
        "OpenHands conversations",
        {1.0: "agent id stats | agent id workspace", 0.95: "kind source"},
        fields="kind llm_message max_iterations persistence_dir tool_call_id",
        files="base_state.json events/event-*.json",
    ),
    "inspect-eval": own_entry(
        "inspect_eval:InspectEval",
        "Inspect evaluation logs",
        {1.0: "eval samples | samples/*", 0.9: "events | event input output"},
        shapes="object list lines archive",
        fields="eval plan reductions samples status",
    ),
    "letta": own_entry(
        "letta:Letta",
        "Letta agent files",
        {1.0: "core_memory messages agent_type | agents blocks"},
        fields="agents blocks mcp_servers tools",
    ),
    "letta-code": own_entry(
        "letta_code:LettaCode",
        "Letta Code transcripts",
        {0.9: "kind captured_at"},
        shapes="lines",
        fields="argsText captured_at resultText source_line_id",
    ),
    "markdown": own_entry(
        "markdown:ConversationMarkdown", "conversations in Markdown by Inspector", shapes="text", suffixes=".md"
    ),
    "aider": own_entry("aider:Aider", "aider chat histories", {0.95: ""}, shapes="text", suffixes=".md .history"),
    "aider-requests": own_entry(
        "aider_requests:AiderRequests", "aider request logs", {0.95: ""}, shapes="text", suffixes=".md .history"
    ),
    "specstory": own_entry("specstory:SpecStory", "SpecStory histories", shapes="text", suffixes=".md"),
    **HISTORY_FORMATS,
    "sharegpt": own_entry("sharegpt:ShareGPT", "ShareGPT chats", {0.9: "conversations"}, fields="conversations"),
    "locomo": own_entry(
        "locomo:LoCoMo", "LoCoMo dialogues", {0.95: "conversation"}, fields="conversation qa sample_id"
    ),
    "group-chat": own_entry(
        "group_chat:GroupChat",
        "Group chats of agents",
        {0.9: "history | chat_history"},
        fields="chat_history history mistake_agent",
    ),
    "orchestration": own_entry(
        "orchestration:Orchestration",
        "orchestrations with a shared memory",
        {1.0: "inspector steps"},
        fields="inspector steps",
    ),
    "openai": own_entry(
        "requests.requests:OPENAI_REQUESTS",
        "OpenAI chat requests",
        {0.8: ""},
        fields="choices content messages model request response role",
        files="*",
    ),
    "anthropic": own_entry(
        "requests.requests:ANTHROPIC_REQUESTS",
        "Anthropic requests",
        {0.8: ""},
        fields="choices content messages model request response role",
        files="*.request.json *.response.json",
    ),
    "unknown": own_entry("unknown:UnknownJSON", "JSON with messages in it", {0.1: ""}),
    "unknown-database": own_entry(
        "unknown:UnknownDatabase", "databases with messages in them", {0.1: ""}, shapes="database"
    ),
}
"""If several formats recognize a file with equal confidence, the first one reads it."""

FORMAT_TABLE: Mapping[str, OwnEntry] = {
    name: replace(entry, places=OWN_PLACES.get(name, ())) for name, entry in _ROWS.items()
}
"""All formats with the places of their files."""
