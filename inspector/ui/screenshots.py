"""Pictures of the screen, as SVG files in the folder that Inspector was started in."""

from __future__ import annotations

import os
import re
from datetime import datetime
from itertools import count
from pathlib import Path

from inspector.text import write_whole

REMOTE_FONTS = re.compile(r"@font-face\s*\{[^}]*+(?:\}\s*|\Z)")


def without_fonts(svg: str) -> str:
    """A picture that asks no server for a font."""
    return REMOTE_FONTS.sub("", svg)


def save_screenshot(svg: str, folder: Path | None = None) -> str:
    """Write a picture to a file that is not there yet. Gives the sentence that says where, or why not."""
    place = (folder or Path()).absolute()
    name = f"inspector-{datetime.now():%Y%m%d-%H%M%S}"
    paths = (place / f"{name}{f'-{number}' if number > 1 else ''}.svg" for number in count(1))
    try:
        path = next(path for path in paths if not os.path.lexists(path))
        write_whole(path, svg, replace=False)
    except OSError as error:
        return f"The picture was not written: {place}: {error.strerror or error}."
    return f"Written: {path}"
