"""Presets written for other frameworks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.export.presets import TARGETS, export_text

__all__ = ["TARGETS", "export_text"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.export.presets": "TARGETS export_text",
    },
)
