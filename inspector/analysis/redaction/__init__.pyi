from inspector.analysis.redaction.recording_redaction import redact_recording as redact_recording
from inspector.analysis.redaction.redactor import (
    KINDS as KINDS,
    Redacted as Redacted,
    RedactionError as RedactionError,
    Redactor as Redactor,
)
from inspector.analysis.redaction.session_redaction import (
    Redaction as Redaction,
    collect_message as collect_message,
    collect_session as collect_session,
    redact as redact,
    redacted_messages as redacted_messages,
)
