from inspector.formats.alignment import pieces_in as pieces_in
from inspector.formats.base import (
    FEATURES as FEATURES,
    UNLIKE as UNLIKE,
    Feature as Feature,
    Format as Format,
    FormatMatch as FormatMatch,
    IncrementalFilesReader as IncrementalFilesReader,
    IncrementalReader as IncrementalReader,
    RewrittenError as RewrittenError,
)
from inspector.formats.building.ids import first_words as first_words
from inspector.formats.building.log_builder import LogBuilder as LogBuilder
from inspector.formats.building.streamed_replies import streamed_reply as streamed_reply
from inspector.formats.dialogues import Dialogue as Dialogue, Question as Question
from inspector.formats.file_discovery import files_of as files_of, find as find, passed_over as passed_over
from inspector.formats.file_loading import (
    is_log as is_log,
    load as load,
    stays_in_file as stays_in_file,
    tail as tail,
)
from inspector.formats.format_conformance import check_format as check_format
from inspector.formats.format_entry import FormatEntry as FormatEntry
from inspector.formats.incremental import (
    incremental_files_of as incremental_files_of,
    incremental_reader_of as incremental_reader_of,
    part_of as part_of,
)
from inspector.formats.memories.folder_tree import FolderTree as FolderTree, folder_tree as folder_tree
from inspector.formats.memories.markdown_items import Block as Block, blocks_of as blocks_of
from inspector.formats.memories.memory_conformance import check_memory_store as check_memory_store
from inspector.formats.memories.memory_discovery import (
    discover_memories as discover_memories,
    parent_rule_files as parent_rule_files,
    project_root as project_root,
    user_memories as user_memories,
)
from inspector.formats.memories.memory_items import (
    MemoryEvent as MemoryEvent,
    MemoryItem as MemoryItem,
    MemoryStore as MemoryStore,
    memory_tokens as memory_tokens,
)
from inspector.formats.memories.memory_opening import (
    memories_in as memories_in,
    memories_title as memories_title,
    open_memories as open_memories,
)
from inspector.formats.memories.memory_readers import MEMORY_READERS as MEMORY_READERS, MemoryReader as MemoryReader
from inspector.formats.memories.note_folders import is_memory_path as is_memory_path, links_in as links_in
from inspector.formats.memories.rule_files import CODEX_BYTES as CODEX_BYTES
from inspector.formats.readers.beam_questions import (
    BEAM_ABILITIES as BEAM_ABILITIES,
    BEAM_UNANSWERED as BEAM_UNANSWERED,
    read_beam as read_beam,
)
from inspector.formats.readers.claude_code.file_body import FileBody as FileBody
from inspector.formats.readers.locomo import read_dialogues as read_dialogues
from inspector.formats.reading.content import Content as Content, Sample as Sample
from inspector.formats.reading.databases import open_database as open_database
from inspector.formats.reading.source import Progress as Progress, Source as Source, UnreadableError as UnreadableError
from inspector.formats.registry import (
    FORMATS as FORMATS,
    format_entries as format_entries,
    format_records as format_records,
)
from inspector.formats.session_places import (
    SessionPlace as SessionPlace,
    capture_folder as capture_folder,
    claude_folders as claude_folders,
    current_folders as current_folders,
)
from inspector.formats.sidecar import (
    Companion as Companion,
    companion_path as companion_path,
    digest_of as digest_of,
    fit_text as fit_text,
    request_path as request_path,
)
from inspector.formats.writers import (
    WRITERS as WRITERS,
    Conversation as Conversation,
    FileForm as FileForm,
    writer_titles as writer_titles,
)
