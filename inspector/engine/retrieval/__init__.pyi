from inspector.engine.retrieval.base import (
    Embedder as Embedder,
    FloatArray as FloatArray,
    Index as Index,
    Match as Match,
    ScorePart as ScorePart,
    Texts as Texts,
)
from inspector.engine.retrieval.embedders import (
    EmbeddingError as EmbeddingError,
    EndpointEmbedder as EndpointEmbedder,
    WordLlamaEmbedder as WordLlamaEmbedder,
    embedder_from_environment as embedder_from_environment,
)
from inspector.engine.retrieval.full_text import FullTextIndex as FullTextIndex
from inspector.engine.retrieval.fusion import FusedIndex as FusedIndex
from inspector.engine.retrieval.indexes import conversation_index as conversation_index, default_index as default_index
from inspector.engine.retrieval.neighbours import NeighbourIndex as NeighbourIndex
from inspector.engine.retrieval.query_words import (
    INDEXED as INDEXED,
    folded as folded,
    passage as passage,
    rare_words as rare_words,
)
from inspector.engine.retrieval.selection import (
    NearMiss as NearMiss,
    Result as Result,
    Retrieval as Retrieval,
    SearchDocument as SearchDocument,
    age_in_words as age_in_words,
    explain as explain,
    select as select,
)
from inspector.engine.retrieval.vectors import (
    VectorIndex as VectorIndex,
    embedded_text as embedded_text,
    from_blob as from_blob,
    to_blob as to_blob,
)
