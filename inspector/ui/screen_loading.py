"""Import screens and dialogs before they are needed."""

from __future__ import annotations

import time

from inspector.ui import dialogs, screens


def load_screens() -> None:
    """Import screens and dialogs that the next keys may need, in a thread that pauses between them for keys."""
    for face in (dialogs, screens):
        for name in face.__all__:
            start = time.monotonic()
            getattr(face, name)
            time.sleep(time.monotonic() - start)
