from inspector.analysis.memory_audit.audit_findings import (
    AUDIT_KINDS as AUDIT_KINDS,
    AuditFinding as AuditFinding,
    AuditKind as AuditKind,
)
from inspector.analysis.memory_audit.auditing import (
    LEAST_CONFIDENCE as LEAST_CONFIDENCE,
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
from inspector.analysis.memory_audit.model_pairs import (
    AnswerError as AnswerError,
    KnownPairs as KnownPairs,
    model_findings as model_findings,
    pairs_in as pairs_in,
)
from inspector.analysis.memory_audit.numbered_rules import (
    LIST_TOKENS as LIST_TOKENS,
    SYSTEM as SYSTEM,
    RuleList as RuleList,
    RuleLists as RuleLists,
    rule_lists as rule_lists,
)
from inspector.analysis.memory_audit.recalled_items import (
    ItemRecall as ItemRecall,
    ItemSearch as ItemSearch,
    RecalledItem as RecalledItem,
)
from inspector.analysis.memory_audit.window_memories import WindowItem as WindowItem, window_items as window_items
