"""What is shown of a session, without its secrets."""

from __future__ import annotations

from inspector.analysis.redaction import Redactor, redact
from inspector.library.bench.workbench import Preview, Workbench


def redacted_preview(bench: Workbench, preview: Preview) -> tuple[Preview, Redactor]:
    """A preview as it would be of the session without secrets, with a plan that is tried on among those applied.

    Also gives what hid them, which knows what was hidden. Reads the whole session. Raises OSError.
    """
    agent = preview.recorded.agent
    safe = redact(bench.session, {**bench.plans, agent: preview.plans})
    other = bench.with_session(safe.session, safe.plans)
    return other.preview(preview.recorded.turn, safe.redactor.text_of(agent)), safe.redactor
