from inspector.analysis.message_search.copyable_actions import copyable_action_of as copyable_action_of
from inspector.analysis.message_search.match_positions import (
    Place as Place,
    line_places as line_places,
    word_places as word_places,
)
from inspector.analysis.message_search.query import (
    SYNTAX as SYNTAX,
    MessageQuery as MessageQuery,
    QueryError as QueryError,
    fold_text as fold_text,
    parse_query as parse_query,
    parse_words as parse_words,
)
from inspector.analysis.message_search.search import (
    Haystack as Haystack,
    HitBatch as HitBatch,
    MessageHit as MessageHit,
    plain_arguments as plain_arguments,
    readable_text as readable_text,
    search_messages as search_messages,
)
