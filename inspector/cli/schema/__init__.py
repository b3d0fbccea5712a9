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
    "agents": "agents:AgentsOutput",
    "bookmarks add": "finding:BookmarksChangeOutput",
    "bookmarks ls": "finding:BookmarksLsOutput",
    "bookmarks rm": "finding:BookmarksChangeOutput",
    "check": "windows:CheckOutput",
    "compare": "trials:CompareOutput",
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
    "formats": "presets:FormatsOutput",
    "follow": (
        "following:FollowSessionOutput following:FollowMessageOutput following:FollowCompactionOutput "
        "following:FollowCutOutput following:FollowCountedOutput following:FollowDamageOutput "
        "following:FollowProblemOutput"
    ),
    "find": "finding:FindOutput",
    "import": "stores:ImportOutput",
    "lost": "losses:LostOutput",
    "ls": "stores:ListingOutput",
    "memory demote": "memories:MemoryMoveOutput",
    "memory forget": "memories:MemoryForgetOutput",
    "memory inject": "memories:MemoryInjectOutput",
    "memory ls": "memories:MemoryLsOutput",
    "memory pin": "memories:MemoryMoveOutput",
    "memory promote": "memories:MemoryMoveOutput",
    "memory search": "memories:MemorySearchOutput",
    "memory show": "memories:MemoryShowOutput",
    "pin": "windows:PinOutput",
    "presets": "presets:PresetsOutput",
    "presets remove": "presets:PresetRemoveOutput",
    "presets save": "presets:PresetSaveOutput",
    "presets show": "presets:PresetShowOutput",
    "probe": "trials:ProbeOutput",
    "replay": "trials:ReplayOutput trials:ReplaysOutput",
    "report": "reports:SessionReportOutput reports:SourceReportOutput",
    "search": "stores:SearchOutput",
    "show": "windows:ShowOutput",
    "store backup": "stores:StoreBackupOutput",
    "store check": "stores:StoreCheckOutput",
    "store repair": "stores:StoreRepairOutput",
    "strategies": "presets:StrategiesOutput",
    "top": "occupancy:TopOutput",
    "tune": "trials:TuneOutput",
    "uncompact": "losses:UncompactOutput",
    "undo": "windows:UndoOutput",
    "why": "verdicts:WhyOutput",
}
"""Each command with its output, as `module:type`; where there are several, it depends on the options."""
