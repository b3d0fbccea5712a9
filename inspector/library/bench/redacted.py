"""Redact the preview of a session."""

from __future__ import annotations

from inspector.analysis import redaction
from inspector.library.bench.workbench import Preview, Workbench


def redacted_preview(bench: Workbench, preview: Preview) -> tuple[Preview, redaction.Redactor]:
    """Return a preview of the redacted session, with a plan being tried among the applied ones, and its redactor.

    Reads the whole session.

    Raises:
        OSError: If the recording can no longer be read.
    """
    agent = preview.recorded.agent
    safe = redaction.redact(bench.session, {**bench.plans, agent: preview.plans})
    other = bench.with_session(safe.session, safe.plans)
    return other.preview(preview.recorded.turn, safe.redactor.text_of(agent)), safe.redactor
