"""The output of every command with `--json`, as one schema with a version.

Each output is a dataclass: one of the core, or a small one next to the command. `docs/json.md` and the JSON Schema that
`inspector schema` prints are generated from their annotations, and the tests validate every output. Keys are only ever
added; `VERSION` grows when a key is removed or changes its meaning.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

VERSION = 1
"""The `version` at the top of every output."""

OUTPUTS: Mapping[str, str] = {
    "": "overview:OverviewOutput",
    "agent": "run_agent:AgentOutput",
    "agents": "agents:AgentsOutput",
    "ask": "ask_output:AskOutput ask_list:ExperimentsOutput",
    "blame": "blame:BlameOutput",
    "bookmarks add": "bookmarks:BookmarksChangeOutput",
    "bookmarks ls": "bookmarks:BookmarksLsOutput",
    "bookmarks rm": "bookmarks:BookmarksChangeOutput",
    "check": "check:CheckOutput",
    "compare": "compare:CompareOutput",
    "compress": "compress_output:CompressOutput",
    "count": "count:CountOutput",
    "demo": "overview:OverviewOutput",
    "demo shared-memory": "demo:DemoSharedMemoryOutput",
    "demo working-memory": "demo:DemoWorkingMemoryOutput",
    "diff": "diff:DiffOutput",
    "discover": "discover:DiscoveryOutput import_sessions:ImportOutput",
    "doctor": "setup:DoctorOutput",
    "drop": "stack:DropOutput",
    "eval beam": "eval:EvaluationOutput",
    "eval locomo": "eval:EvaluationOutput",
    "export": "export:ExportOutput parquet_export:ParquetOutput",
    "formats": "formats:FormatsOutput",
    "follow": (
        "follow:FollowSessionOutput follow:FollowMessageOutput follow:FollowCompactionOutput follow:FollowCutOutput "
        "follow:FollowCountedOutput follow:FollowDamageOutput follow:FollowProblemOutput"
    ),
    "find": "find:FindOutput",
    "import": "import_sessions:ImportOutput",
    "keep": "import_sessions:ImportOutput keep_sessions:ScheduleOutput",
    "keys": "keys:KeysOutput",
    "lost": "lost:LostOutput",
    "ls": "library:ListingOutput",
    "memory audit": "memory_audit:MemoryAuditOutput",
    "memory demote": "memory_changes:MemoryMoveOutput",
    "memory diff": "memory_history:MemoryDiffOutput",
    "memory forget": "memory_changes:MemoryForgetOutput",
    "memory history": "memory_history:MemoryHistoryOutput",
    "memory inject": "memory_inject:MemoryInjectOutput",
    "memory ls": "memory:MemoryLsOutput",
    "memory open": "memory_stores:MemoryOpenOutput",
    "memory pin": "memory_changes:MemoryMoveOutput",
    "memory promote": "memory_changes:MemoryMoveOutput",
    "memory recall": "memory_recall:MemoryRecallOutput",
    "memory search": "memory:MemorySearchOutput",
    "memory show": "memory:MemoryShowOutput memory_stores:MemoryOpenOutput",
    "memory stores": "memory_stores:MemoryStoresOutput",
    "memory window": "memory_recall:MemoryWindowOutput",
    "pin": "stack:PinOutput",
    "plugins": "list_plugins:PluginsOutput",
    "presets": "presets:PresetsOutput",
    "presets remove": "presets:PresetRemoveOutput",
    "presets save": "presets:PresetSaveOutput",
    "presets show": "presets:PresetShowOutput",
    "probe": "probe:ProbeOutput probe:JudgeOutput",
    "push": "team_push:PushOutput",
    "receive": "receive:ReceiveOutput",
    "record": "record:RecordOutput",
    "redact": "redact:RedactOutput",
    "replay": "replay:ReplayOutput replay:ReplaysOutput",
    "report": "report:SessionReportOutput report:SourceReportOutput",
    "restore": "restore:RestoreOutput",
    "rm": "remove_sessions:RemovalOutput",
    "search": "search_sessions:SearchOutput",
    "setup": "setup:SetupOutput",
    "show": "show:ShowOutput",
    "state": "state:StateOutput",
    "stats": "fleet_totals:StatsOutput fleet_totals:BackfillOutput",
    "store backup": "store:StoreBackupOutput",
    "store check": "inspector.store:StoreCheck",
    "store prune": "remove_sessions:RemovalOutput",
    "store repair": "store:StoreRepairOutput",
    "strategies": "strategies:StrategiesOutput",
    "team add": "team_push:TeamOutput",
    "team init": "team_push:TeamOutput",
    "top": "top:TopOutput",
    "tune": "tune:TuneOutput tune_folder:CorpusOutput",
    "uncompact": "restore:RestoreOutput",
    "undo": "stack:UndoOutput",
    "why": "why:WhyOutput",
}
"""Each command with its outputs, as `module:class`; which of several it prints depends on the options.

Modules without `inspector.` are in `inspector.cli.commands`.
"""


def output_types(command: str) -> list[Any]:
    """Return the classes of the outputs of a command."""
    return [_load_class(*place.split(":")) for place in OUTPUTS[command].split()]


def _load_class(module: str, name: str) -> Any:
    path = module if module.startswith("inspector.") else f"inspector.cli.commands.{module}"
    return getattr(import_module(path), name)
