from inspector.llm.providers.anthropic.anthropic_request import turn_items as turn_items
from inspector.llm.providers.anthropic.anthropic_wire import (
    at_compactions as at_compactions,
    blocks_of as blocks_of,
    is_compaction as is_compaction,
)
from inspector.llm.providers.base import (
    Provider as Provider,
    RecordedCall as RecordedCall,
    Request as Request,
    TextCounter as TextCounter,
    WireFormat as WireFormat,
)
from inspector.llm.providers.message_parsing import (
    MessageMetadata as MessageMetadata,
    count_characters as count_characters,
    join_metadata as join_metadata,
    message_from_raw as message_from_raw,
    metadata_of as metadata_of,
    text_message as text_message,
    with_placeholder as with_placeholder,
)
from inspector.llm.providers.openai_chat.chat_wire import as_text as as_text
from inspector.llm.providers.openai_responses.responses_items import (
    SEALED as SEALED,
    chat_form as chat_form,
    chat_messages as chat_messages,
    is_item as is_item,
    is_request as is_request,
    is_sealed_summary as is_sealed_summary,
    placed_messages as placed_messages,
)
from inspector.llm.providers.provider_conformance import check_provider as check_provider
from inspector.llm.providers.registry import (
    DEFAULT_DIALECT as DEFAULT_DIALECT,
    DIALECTS as DIALECTS,
    PROVIDERS as PROVIDERS,
    api_of as api_of,
    dialect_of_family as dialect_of_family,
    dialect_of_message as dialect_of_message,
    provider_after as provider_after,
    provider_by_name as provider_by_name,
    provider_of as provider_of,
    provider_of_call as provider_of_call,
    provider_titles as provider_titles,
    usage_of as usage_of,
    wire_of as wire_of,
)
from inspector.llm.providers.request_notes import (
    argument_notes as argument_notes,
    empty_reply_notes as empty_reply_notes,
    export_notes as export_notes,
    hidden_kinds as hidden_kinds,
    order_notes as order_notes,
    with_readable_summary as with_readable_summary,
)
from inspector.llm.providers.rules import (
    Fault as Fault,
    Lengths as Lengths,
    MessageGroups as MessageGroups,
    MessageSequence as MessageSequence,
    faults_at as faults_at,
)
from inspector.llm.providers.sample_conversation import sample_messages as sample_messages
from inspector.llm.providers.tool_names import (
    ToolNames as ToolNames,
    is_fit_name as is_fit_name,
    name_of_tool as name_of_tool,
)
from inspector.llm.providers.tool_pairing import (
    EMPTY as EMPTY,
    FIRST_WORDS as FIRST_WORDS,
    NEXT_WORDS as NEXT_WORDS,
    NO_RESULT as NO_RESULT,
    Turn as Turn,
    pair_turns as pair_turns,
    plain_id as plain_id,
)
from inspector.llm.providers.usage import (
    later_usage as later_usage,
    token_count as token_count,
    usage_unless_zero as usage_unless_zero,
)
