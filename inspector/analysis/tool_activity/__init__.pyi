from inspector.analysis.tool_activity.action import Action as Action
from inspector.analysis.tool_activity.action_index import Actions as Actions, row_words as row_words
from inspector.analysis.tool_activity.file_rereads import (
    FileReread as FileReread,
    dropped_rereads as dropped_rereads,
    reread_files as reread_files,
)
from inspector.analysis.tool_activity.lookups import (
    Lookups as Lookups,
    fact_end as fact_end,
    is_content as is_content,
)
from inspector.analysis.tool_activity.outcomes import body_of as body_of
from inspector.analysis.tool_activity.tool_calls import (
    action_of_call as action_of_call,
    object_of_call as object_of_call,
)
