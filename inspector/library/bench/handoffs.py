"""Briefings for another agent, as a form of export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from inspector.analysis.context_loss import RESTORED_TOKENS, Restored, briefing
from inspector.core.text import plural, slug
from inspector.library.bench.exports import EXPORT_FORMS, Export
from inspector.library.bench.workbench import Preview

HANDOFF = "handoff"
"""Name of the form."""
MIN_HANDOFF_TOKENS = 100
EXPORTS_AND_HANDOFF: Mapping[str, str] = {**EXPORT_FORMS, HANDOFF: "Briefing for another agent"}
"""Names of all formats, and their titles, the briefing last."""


def export_form_after(name: str) -> str:
    """Return the format after this one, cyclically."""
    names = list(EXPORTS_AND_HANDOFF)
    return names[(names.index(name) + 1) % len(names)]


def export_as(preview: Preview, to: str, model: str = "", budget: int = RESTORED_TOKENS) -> Export:
    """Return the export of a window in one of `EXPORTS_AND_HANDOFF`.

    Args:
        preview: The window.
        to: Name of the format.
        model: Model to request; "" for the recorded one.
        budget: Maximum length of a briefing, in tokens.
    """
    return Handoff(preview, to, budget=budget) if to == HANDOFF else Export(preview, to, model)


@dataclass(frozen=True)
class Handoff(Export):
    """The state and the facts of a session as a text for another agent, within a budget."""

    budget: int = RESTORED_TOKENS
    """Maximum length in tokens."""

    @cached_property
    def _briefing(self) -> Restored:
        return briefing(self.preview.session, self.preview.recorded, self.budget)

    @property
    def suggestion(self) -> str:
        return f"{slug(self.preview.session.title)}-handoff.md"

    @property
    def text(self) -> str:
        return self._briefing.text

    def notes(self, companion: bool = True) -> list[str]:
        """Return the size of the briefing, and how many facts it leaves out."""
        facts, left = self._briefing, len(self._briefing.left)
        room = f" The budget has no room for {plural(left, 'other')}." if left else ""
        return [f"The briefing has {plural(len(facts.used), 'fact')} in {plural(facts.tokens, 'token')}.{room}"]
