from inspector.formats.writers.base import Conversation as Conversation, FileForm as FileForm
from inspector.formats.writers.exporter_conformance import check_exporter as check_exporter
from inspector.formats.writers.registry import WRITERS as WRITERS, writer_titles as writer_titles
