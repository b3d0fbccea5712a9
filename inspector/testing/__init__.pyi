from inspector.cli.command_conformance import check_command as check_command
from inspector.engine.strategies import check_strategy as check_strategy
from inspector.formats import check_format as check_format, check_memory_store as check_memory_store
from inspector.formats.writers import check_exporter as check_exporter
from inspector.llm.providers import check_provider as check_provider
