from inspector.analysis.memory_audit.audit_findings import (
    AUDIT_KINDS as AUDIT_KINDS,
    AuditFinding as AuditFinding,
    AuditKind as AuditKind,
)
from inspector.analysis.memory_audit.auditing import (
    MAX_TOKENS as MAX_TOKENS,
    MemoryAudit as MemoryAudit,
    audit_memories as audit_memories,
)
from inspector.analysis.memory_audit.loaded_items import ItemFinder as ItemFinder
from inspector.analysis.memory_audit.memory_versions import (
    FileVersion as FileVersion,
    MemoryChange as MemoryChange,
    compare_stores as compare_stores,
    file_versions as file_versions,
)
from inspector.analysis.memory_audit.recalled_items import (
    ItemRecall as ItemRecall,
    ItemSearch as ItemSearch,
    RecalledItem as RecalledItem,
)
from inspector.analysis.memory_audit.window_memories import WindowItem as WindowItem, window_items as window_items
