from inspector.analysis.redaction.redactor import (
    KINDS as KINDS,
    Redacted as Redacted,
    RedactionError as RedactionError,
    Redactor as Redactor,
)
from inspector.analysis.redaction.session_redaction import Redaction as Redaction, redact as redact
