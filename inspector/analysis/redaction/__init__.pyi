from inspector.analysis.redaction.recording_redaction import redact_recording as redact_recording
from inspector.analysis.redaction.redactor import (
    KINDS as KINDS,
    Redacted as Redacted,
    RedactionError as RedactionError,
    Redactor as Redactor,
)
from inspector.analysis.redaction.session_redaction import Redaction as Redaction, redact as redact
