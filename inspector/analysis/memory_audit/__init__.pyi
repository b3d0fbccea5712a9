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
