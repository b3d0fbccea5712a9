from inspector.core.conversation.compaction_sizes import (
    WINDOW_FIELD as WINDOW_FIELD,
    StatedSizes as StatedSizes,
    stated_sizes as stated_sizes,
    stated_window as stated_window,
)
from inspector.core.conversation.media import anthropic_source as anthropic_source, attachment as attachment
from inspector.core.conversation.message import (
    ADDITION as ADDITION,
    MAIN as MAIN,
    SENT_KINDS as SENT_KINDS,
    Body as Body,
    CallHead as CallHead,
    InMemoryBody as InMemoryBody,
    Kind as Kind,
    Message as Message,
    find_parsers_with as find_parsers_with,
    parts_of as parts_of,
)
from inspector.core.conversation.parts import (
    PREVIEW as PREVIEW,
    Dialect as Dialect,
    Document as Document,
    Image as Image,
    Part as Part,
    ProviderName as ProviderName,
    Raw as Raw,
    Role as Role,
    Text as Text,
    Thinking as Thinking,
    ToolCall as ToolCall,
    ToolResult as ToolResult,
    Unknown as Unknown,
    Usage as Usage,
    readable as readable,
)
from inspector.core.conversation.session import (
    LARGEST_SIZE as LARGEST_SIZE,
    Problem as Problem,
    RequestContext as RequestContext,
    Session as Session,
    SizeFacts as SizeFacts,
    size_facts as size_facts,
)
from inspector.core.conversation.work_events import (
    LISTED as LISTED,
    NEW_TOOLS as NEW_TOOLS,
    REMOVED as REMOVED,
    WorkEvent as WorkEvent,
    WorkEvents as WorkEvents,
    named_values as named_values,
)
