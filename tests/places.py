"""Where the tests find the project, its sample sessions and, where they are at hand, recordings of other programs."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SESSIONS = ROOT / "sessions"
DATA = ROOT.parent / "shared" / "data"
"""Recordings that are not part of the project. The tests that need them skip without them."""
