"""What is kept out of the search for garbage, by the whole process."""

from __future__ import annotations

import gc

_is_frozen = False


def freeze_gc() -> None:
    """Search nothing that is there now for garbage any more: it stays."""
    global _is_frozen
    _is_frozen = True
    gc.freeze()


def skip_young_gc() -> None:
    """Count all that is there now among the oldest objects, which are searched seldom; nothing where some are kept.

    Whether any are kept is known here: to ask the collector takes as long as there are objects.
    """
    if not _is_frozen:
        gc.freeze()
        gc.unfreeze()
