"""Pictures of the screen, as SVG files in the person's own folder for downloads."""

from __future__ import annotations

import os
import re
from datetime import datetime
from itertools import count
from pathlib import Path

from platformdirs import user_downloads_path

from inspector.files import make_private_folder, write_whole

REMOTE_FONTS = re.compile(r"@font-face\s*\{.*?\}\s*", re.S)


def without_fonts(svg: str) -> str:
    """A picture that asks no server for a font."""
    return REMOTE_FONTS.sub("", svg)


def save_screenshot(svg: str, filename: str | None = None, folder: str | None = None) -> str:
    """Write a picture to a file that is not there yet. Gives the sentence that says where, or why not."""
    place = Path(folder) if folder else user_downloads_path()
    name = Path(filename or f"inspector-{datetime.now():%Y-%m-%d-%H-%M-%S}.svg")
    paths = (place / (f"{name.stem}-{number}{name.suffix}" if number > 1 else name.name) for number in count(1))
    try:
        make_private_folder(place)
        path = next(path for path in paths if not os.path.lexists(path))
        write_whole(path, svg, replace=False)
    except OSError as error:
        return f"The picture was not written: {place}: {error.strerror or error}."
    return f"Written: {path}"
