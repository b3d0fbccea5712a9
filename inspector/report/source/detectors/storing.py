"""Detectors of storage for messages and memories: fields, files, databases, and indexes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from inspector.report.findings import Detection
from inspector.report.source.detectors.detections import detect, places_of
from inspector.report.source.expressions import dotted, is_list_annotation, keyword, snake_case, tail_name, walk
from inspector.report.source.modules import MODULE, Scope
from inspector.report.source.subjects import MessageLists

# e.g. "ChatMemory", "session_events"
_MEMORY = re.compile(
    r"memor(?:y|ies)|(?:^|_)messages?(?:_|$)|chat_?(?:history|store|message)|conversation|(?:^|_)sessions?(?:_|$)|"
    r"history|checkpoint|"
    r"(?:^|_)events?(?:_|$)|(?:^|_)items?(?:_|$)|archiv|(?:^|_)facts?(?:_|$)|transcript",
    re.IGNORECASE,
)
# e.g. "add_messages", "chat_history"
_SPOKEN = re.compile(
    r"memor(?:y|ies)|(?:^|_)messages?(?:_|$)|chat_?(?:history|store|message)|conversation|(?:^|_)history|transcript",
    re.IGNORECASE,
)
"""Words of stores that hold messages or memories. A store with another word must mention one of these."""
_STORES: Mapping[str, str] = {
    "sqlite3": "SQLite",
    "aiosqlite": "SQLite",
    "sqlalchemy": "SQL",
    "sqlmodel": "SQL",
    "psycopg": "PostgreSQL",
    "psycopg2": "PostgreSQL",
    "psycopg_pool": "PostgreSQL",
    "asyncpg": "PostgreSQL",
    "pymysql": "MySQL",
    "aiomysql": "MySQL",
    "redis": "Redis",
    "valkey": "Valkey",
    "pymongo": "MongoDB",
    "motor": "MongoDB",
    "boto3": "AWS",
    "aioboto3": "AWS",
    "chromadb": "Chroma",
    "qdrant_client": "Qdrant",
    "pinecone": "Pinecone",
    "weaviate": "Weaviate",
    "faiss": "FAISS",
    "lancedb": "LanceDB",
    "pymilvus": "Milvus",
    "elasticsearch": "Elasticsearch",
    "opensearchpy": "OpenSearch",
    "neo4j": "Neo4j",
    "mem0": "Mem0",
    "zep_cloud": "Zep",
    "vertexai": "Vertex AI",
    "turbopuffer": "turbopuffer",
    "pyobvector": "OceanBase",
    "surrealdb": "SurrealDB",
    "firebase_admin": "Firestore",
    "dapr": "Dapr",
    "google.cloud.firestore": "Firestore",
    "google.cloud.storage": "Google Cloud Storage",
    "google.cloud": "Google Cloud",
    "azure": "Azure",
    "lmdb": "LMDB",
    "duckdb": "DuckDB",
    "databases": "SQL",
    "singlestoredb": "SingleStore",
    "couchbase": "Couchbase",
    "upstash_vector": "Upstash",
    "kuzu": "Kùzu",
    "falkordb": "FalkorDB",
    "cassandra": "Cassandra",
}
"""Storage libraries with their display names."""
_SQL_WRITE = re.compile(r"\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE\s+\S+\s+SET|MERGE\s+INTO)\b", re.IGNORECASE)
# e.g. "add_documents", "put_item", "append_event"
_WRITES = re.compile(
    r"^(?:upsert|insert|insert_many|insert_one|update_one|replace_one|bulk_write|add|add_all|add_texts|add_documents|"
    r"add_vectors|"
    r"put_item|put_object|hset|rpush|lpush|zadd|xadd|set|mset|setex|json_set|create_event|append_event|"
    r"upload_blob|upload_from_string|bulk|writestr|upload_file|import_files|generate_memories|ingest_events)$"
)
_RUNS = ("execute", "executemany", "fetch", "fetchrow", "fetchval", "text", "run_in_transaction")
_READS = re.compile(r"similarity|nearest|knn|cosine|semantic|embedding|vector", re.IGNORECASE)
# e.g. "similarity_search_with_score", "query_points"
_SEARCHES = re.compile(
    r"^(?:a?similarity_search\w*|a?query|a?search\w*|a?retrieve\w*|query_points|hybrid|near_vector|"
    r"max_marginal_relevance_search|cosine_similarity\w*)$"
)


def detect_fields(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect fields that contain message lists, where they are defined."""
    for node, target in (*_annotated(scope), *_begun(scope)):
        subject, home = lists.subject(target), _home_of(scope, node)
        if subject and home and _keeps(scope, home, tail_name(target)):
            words = f"keeps {tail_name(target)} in memory"
            places = places_of(scope, target)
            seen = detect(
                scope, "tiers", "session", words, node, subject=subject, detail=tail_name(target), places=places
            )
            yield replace(seen, scope=f"{home.name}.__init__")


def _annotated(scope: Scope) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield fields that are annotated as lists, where they are defined."""
    for node in scope.of(ast.AnnAssign):
        if is_list_annotation(node.annotation) and not _is_none(node.value) and _is_field(scope, node):
            yield node, node.target


def _begun(scope: Scope) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield fields without annotation that a constructor sets to a new list."""
    annotated = {id(node.target) for node in scope.of(ast.AnnAssign)}
    for target, value in scope.assignments if scope.bare_name == "__init__" else ():
        if isinstance(target, ast.Attribute) and id(target) not in annotated and _is_new_list(value):
            yield target, target


def _is_field(scope: Scope, node: ast.AnnAssign) -> bool:
    """Return True if a variable is a field of `self` or of the enclosing class."""
    in_class = isinstance(scope.module.parents.get(node), ast.ClassDef)
    return isinstance(node.target, ast.Attribute) or (scope.name == MODULE and in_class)


# e.g. "ChatSession", "AgentState"
_KEEPERS = re.compile(r"History|Memory|State|Agent|Session|Conversation|Store|Chat|Thread|Runner|Assistant|Buffer")
# e.g. "MessageEvent", "RunConfig"
_NO_KEEPERS = re.compile(
    r"Event|Prompt|Request|Response|Result|Params?$|Args$|Config|Schema|Template|Output|Input|Chunk|Span|Mock|Fake|"
    r"Action$|Tool$"
)
# e.g. "chat_history", "_messages"
_KEPT = re.compile(
    r"(?:^|_)(?:messages|msgs|history|conversation|transcript|dialogue?|events|items|steps|turns|chat|log|memory|"
    r"memories|contents|buffer|queue|scratchpad|interactions)$",
    re.IGNORECASE,
)
"""Typical names of fields that contain a conversation."""


def _keeps(scope: Scope, home: ast.ClassDef, name: str) -> bool:
    """Return True if a class stores a conversation in a field, judged by both names or because it adds elements."""
    if not _KEPT.search(name) or _NO_KEEPERS.search(home.name):
        return False
    if _KEEPERS.search(home.name):
        return True
    own = (other for other in scope.module.scopes if other.owner == home.name)
    return any(_is_put(call, name) for other in own for call in other.of(ast.Call))


def _home_of(scope: Scope, node: ast.AST) -> ast.ClassDef | None:
    """Return the class that contains a node, or None."""
    parents = scope.module.parents
    while (above := parents.get(node)) is not None:
        if isinstance(above, ast.ClassDef):
            return above
        node = above
    return None


def _is_put(call: ast.Call, name: str) -> bool:
    match call.func:
        case ast.Attribute(
            attr="append" | "extend" | "insert", value=ast.Attribute(attr=target, value=ast.Name(id="self"))
        ):
            return target == name
    return False


def _is_none(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_new_list(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Call(func=ast.Name(id="list" | "deque")):
            return True
        case ast.BoolOp(values=[*_, last]) | ast.IfExp(orelse=last):
            return isinstance(last, ast.List)
    return False


def detect_storage(scope: Scope) -> Iterator[Detection]:
    """Detect messages or memories that are written to a file or a database, one place per function."""
    if scope.name == MODULE or scope.bare_name == "__init__" or not _is_about_memory(scope):
        return
    library = _library_of(scope)
    row, write = _row_written(scope, library), _written(scope) if library else None
    dump = next((call for call in scope.of(ast.Call) if _is_file_write(scope, call)), None)
    if row is not None:
        home = library or "SQL"
        yield detect(scope, "tiers", "persistent", f"writes rows to {home}", row, detail=home)
    elif write is not None:
        yield detect(scope, "tiers", "persistent", f"writes to {library}", write, detail=library)
    elif dump is not None:
        yield detect(scope, "tiers", "persistent", "writes to a file", dump, detail="files")


def _row_written(scope: Scope, library: str) -> ast.AST | None:
    """Return the call or string of an SQL statement that writes, if statements are executed."""
    runs = [call for call in scope.of(ast.Call) if tail_name(call.func) in _RUNS]
    for call in runs if library else ():
        if any(_is_statement(argument) for argument in call.args):
            return call
    texts = (node for node in scope.of(ast.Constant) if isinstance(node.value, str) and _SQL_WRITE.search(node.value))
    text = next(texts, None)
    return _first_line(scope, text) if runs and text is not None else None


def _written(scope: Scope) -> ast.Call | None:
    """Return a call that writes to a store, or None."""
    for call in scope.of(ast.Call):
        receiver, _, verb = dotted(call.func).rpartition(".")
        if receiver not in ("", "self") and _is_write(verb, receiver):
            return call
    return None


def _is_statement(node: ast.expr) -> bool:
    """Return True if an expression builds an SQL statement that writes: `insert(table).values(…)`."""
    names = {inner.id for inner in walk(node) if isinstance(inner, ast.Name)}
    return bool(names & {"insert", "update", "sqlite_insert", "pg_insert", "upsert"}) and isinstance(node, ast.Call)


def _first_line(scope: Scope, node: ast.AST) -> ast.AST:
    """Return the call that contains a string, because a multi-line string can have an unsuitable line number."""
    return next((above for above in scope.ancestors(node) if isinstance(above, ast.Call)), node)


# e.g. "os.environ", "request_params"
_NO_CLIENTS = re.compile(
    r"os\.environ|logger|logging|span|headers|params|kwargs|list$|set$|dict$|messages?$|items$|result|args$|cache$|"
    r"seen|ids$",
    re.I,
)


_GENERAL = re.compile(r"^(?:add|add_all|insert|set|merge)$")
# e.g. "db", "redis_client", "collection"
_CLIENTS = re.compile(
    r"(?:^|_)(?:client|conn|connection|sess|session|db|database|collection|table|redis|cursor|store|index|bucket|pipe|"
    r"pipeline|container|ref|batch|txn|transaction|r|s)$",
    re.IGNORECASE,
)
"""Typical names of objects on which a general verb is a write to a store."""


def _is_write(verb: str, receiver: str) -> bool:
    """Return True if a method writes to a store, by its specific name, or by a general name and its object."""
    if _NO_CLIENTS.search(receiver) or not _WRITES.match(verb):
        return False
    return not _GENERAL.match(verb) or bool(_CLIENTS.search(receiver.rpartition(".")[2]))


def _library_of(scope: Scope) -> str:
    """Return the display name of the storage library that the module imports, or an empty string."""
    imports = scope.module.imports | {
        alias.name.partition(".")[0] for node in scope.of(ast.Import) for alias in node.names
    }
    return next((title for name, title in _STORES.items() if name in imports), "")


def _is_about_memory(scope: Scope) -> bool:
    """Return True if the names of a function, its class or its file are about messages, sessions or memories."""
    path = scope.module.path.rpartition("/")[2]
    words = f"{snake_case(scope.owner)} {scope.bare_name} {path.removesuffix('.py')}".lower()
    words = words.replace("in_memory", "").replace("inmemory", "")
    return bool(_SPOKEN.search(words) or (_MEMORY.search(words) and any(map(_SPOKEN.search, _words_of_scope(scope)))))


def _words_of_scope(scope: Scope) -> Iterator[str]:
    yield from scope.words
    yield from (argument.arg for argument in scope.arguments)
    yield from (node.id for node in scope.of(ast.Name))


def _is_file_write(scope: Scope, call: ast.Call) -> bool:
    """Return True if a call writes JSON, text or a pickle to an open file."""
    name = dotted(call.func)
    if name.endswith(("json.dump", "pickle.dump", "yaml.dump", "yaml.safe_dump")):
        return len(call.args) > 1
    if name.endswith((".write_text", ".write_bytes")):
        return True
    return name.endswith(".write") and any(_opens_to_write(item) for item in scope.of(ast.Call))


def _opens_to_write(call: ast.Call) -> bool:
    if tail_name(call.func) != "open":
        return False
    texts = [item.value for item in (*call.args, keyword(call, "mode")) if isinstance(item, ast.Constant)]
    return any(isinstance(text, str) and len(text) < 4 and ("w" in text or "a" in text) for text in texts)


def detect_search(scope: Scope) -> Iterator[Detection]:
    """Detect searches for memories by similarity."""
    if scope.name == MODULE or not (_is_about_memory(scope) or "vector_store" in snake_case(scope.owner).lower()):
        return
    for call in scope.of(ast.Call):
        receiver, _, verb = dotted(call.func).rpartition(".")
        words = " ".join((receiver, verb, *(item.arg or "" for item in call.keywords)))
        if _SEARCHES.match(verb) and _READS.search(f"{words} {scope.owner}") and not receiver.startswith("re."):
            library = _library_of(scope)
            yield detect(
                scope, "tiers", "semantic", f"{verb} retrieves memories by similarity", call, detail=library,
                is_firm=bool(_READS.search(words)),
            )  # fmt: skip
            return
