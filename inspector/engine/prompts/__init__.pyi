from inspector.engine.prompts.builder import (
    Prompt as Prompt,
    PromptBuilder as PromptBuilder,
    as_messages as as_messages,
    as_text as as_text,
    messages_of as messages_of,
)
from inspector.engine.prompts.memory_quotes import quote_memory as quote_memory
from inspector.engine.prompts.template import (
    PROMPT_TEMPLATE as PROMPT_TEMPLATE,
    Template as Template,
    format_history as format_history,
    format_tools as format_tools,
)
