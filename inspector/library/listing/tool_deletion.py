"""When a tool deletes its own recordings: Claude Code removes transcripts that did not change for some days."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

from inspector.core.text import loads
from inspector.formats import claude_folders

SOON = 7
"""Days before the deletion from which a session is marked."""
USUAL_DAYS = 30
"""Days after which Claude Code deletes a transcript unless its settings state others."""
_DAY = 86_400
_LARGEST_SETTINGS = 1 << 20
_MOST_DAYS = 100_000


def kept_days(folder: Path) -> int:
    """Return the days that Claude Code keeps a transcript: `cleanupPeriodDays` in its settings, or else 30.

    Args:
        folder: Folder of its settings, `~/.claude` by default.
    """
    days = next((days for name in ("settings.local.json", "settings.json") if (days := _stated(folder / name))), None)
    return USUAL_DAYS if days is None else days


def days_left(path: str, format: str, now: float | None = None) -> int | None:
    """Return in how many days a tool deletes a recording; None if it is not known to delete it.

    Args:
        path: File of the recording.
        format: Its format.
        now: Unix time in seconds; None for the current time.

    Returns:
        Whole days, 0 if it may be deleted at any time. Only transcripts in Claude Code's own folder are deleted.
    """
    if format != "claude-code" or not path:
        return None
    place = Path(path)
    projects = next((one for one in map(Path.expanduser, claude_folders()) if one in place.parents), None)
    if projects is None:
        return None
    try:
        changed = place.stat().st_mtime
    except OSError:
        return None
    left = kept_days(projects.parent) - ((time.time() if now is None else now) - changed) / _DAY
    return max(0, math.floor(left))


def _stated(path: Path) -> int | None:
    """Return the days that a settings file states; None for none, and for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            settings: Any = loads(file.read(_LARGEST_SETTINGS).decode())
    except (OSError, ValueError):
        return None
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    is_number = isinstance(days, int) and not isinstance(days, bool) and 0 < days < _MOST_DAYS
    return days if is_number else None
