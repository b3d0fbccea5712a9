"""What every command prints with `--json`: one schema, with a version.

Each output is a `TypedDict` of a module here. `docs/json.md` is written from them, and a test holds what the commands
print against them. Keys are only ever added; `VERSION` grows when one is taken away or means something else.
"""

from inspector.cli.schema.values import FailureOutput, record

__all__ = ["OUTPUTS", "VERSION", "FailureOutput", "record"]

VERSION = 1
"""Stands as `version` at the top of every output."""

OUTPUTS = {
    "": "stores:OverviewOutput",
    "agents": "agents_schema:AgentsOutput",
    "bookmarks add": "finding:BookmarksChangeOutput",
    "bookmarks ls": "finding:BookmarksLsOutput",
    "bookmarks rm": "finding:BookmarksChangeOutput",
    "check": "windows:CheckOutput",
    "compare": "trials_schema:CompareOutput",
    "compress": "windows:CompressOutput",
    "count": "windows:CountOutput",
    "demo": "stores:OverviewOutput",
    "demo shared-memory": "demos:DemoSharedMemoryOutput",
    "demo working-memory": "demos:DemoWorkingMemoryOutput",
    "diff": "windows:DiffOutput",
    "discover": "stores:DiscoveryOutput stores:ImportOutput",
    "drop": "windows:DropOutput",
    "eval locomo": "evaluations:EvalLocomoOutput",
    "export": "windows:ExportOutput",
    "formats": "presets_schema:FormatsOutput",
    "follow": (
        "following_schema:FollowSessionOutput following_schema:FollowMessageOutput "
        "following_schema:FollowCompactionOutput "
        "following_schema:FollowCutOutput following_schema:FollowCountedOutput following_schema:FollowDamageOutput "
        "following_schema:FollowProblemOutput"
    ),
    "find": "finding:FindOutput",
    "import": "stores:ImportOutput",
    "lost": "losses:LostOutput",
    "ls": "stores:ListingOutput",
    "memory demote": "memories_schema:MemoryMoveOutput",
    "memory forget": "memories_schema:MemoryForgetOutput",
    "memory inject": "memories_schema:MemoryInjectOutput",
    "memory ls": "memories_schema:MemoryLsOutput",
    "memory pin": "memories_schema:MemoryMoveOutput",
    "memory promote": "memories_schema:MemoryMoveOutput",
    "memory search": "memories_schema:MemorySearchOutput",
    "memory show": "memories_schema:MemoryShowOutput",
    "pin": "windows:PinOutput",
    "presets": "presets_schema:PresetsOutput",
    "presets remove": "presets_schema:PresetRemoveOutput",
    "presets save": "presets_schema:PresetSaveOutput",
    "presets show": "presets_schema:PresetShowOutput",
    "probe": "trials_schema:ProbeOutput",
    "replay": "trials_schema:ReplayOutput trials_schema:ReplaysOutput",
    "report": "reports:SessionReportOutput reports:SourceReportOutput",
    "search": "stores:SearchOutput",
    "show": "windows:ShowOutput",
    "store backup": "stores:StoreBackupOutput",
    "store check": "stores:StoreCheckOutput",
    "store repair": "stores:StoreRepairOutput",
    "strategies": "presets_schema:StrategiesOutput",
    "top": "occupancy:TopOutput",
    "tune": "trials_schema:TuneOutput",
    "uncompact": "losses:UncompactOutput",
    "undo": "windows:UndoOutput",
    "why": "verdicts:WhyOutput",
}
"""Each command with its output, as `module:type`; where there are several, it depends on the options."""
