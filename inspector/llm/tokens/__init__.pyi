from inspector.llm.tokens.calibration import running_totals as running_totals
from inspector.llm.tokens.certainty import (
    Certainty as Certainty,
    TokenCount as TokenCount,
    mark as mark,
    weakest as weakest,
)
from inspector.llm.tokens.counting import (
    FRAME as FRAME,
    CharsCounter as CharsCounter,
    Counter as Counter,
    TokenizerCounter as TokenizerCounter,
    count_message as count_message,
    count_parts as count_parts,
)
from inspector.llm.tokens.density import estimated_tokens as estimated_tokens
from inspector.llm.tokens.identities import result_identities as result_identities
from inspector.llm.tokens.kept_counts import CountCache as CountCache, keep_counts as keep_counts
from inspector.llm.tokens.methods import MethodResult as MethodResult, compare_methods as compare_methods
from inspector.llm.tokens.session_counting import RULES as RULES, StoredCounts as StoredCounts
from inspector.llm.tokens.size_falls import SizeFall as SizeFall
from inspector.llm.tokens.sizes import (
    Sizes as Sizes,
    count_session as count_session,
    count_sizes as count_sizes,
    counter_for as counter_for,
    digest as digest,
    estimate as estimate,
    estimate_sizes as estimate_sizes,
)
