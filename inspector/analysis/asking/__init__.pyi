from inspector.analysis.asking.source_search import (
    ReplySource as ReplySource,
    SourcePlace as SourcePlace,
    reply_sources as reply_sources,
    stated_nowhere as stated_nowhere,
)
