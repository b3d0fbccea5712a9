"""Reference of all formats in Markdown, generated from their declarations.

`make docs` writes it to `docs/formats.md`; a test compares the two.
"""

from __future__ import annotations

from inspector.formats.base import FEATURES, Format
from inspector.formats.registry import FORMATS

_OPENING = """# Formats

A file is known by what is in it, never by its name: each format says how sure it is and why, and the surest reads the
file. Where most of its records are none of the format's, the file is not opened as that; where some are, this is said
first. What is not understood of a message is kept with it, so that it is shown and goes out again as it was.

SQLite databases are only read: where another program has written what is not in the file yet, a copy is read. Nothing
is unpickled, run or fetched.

"""


def format_reference() -> str:
    """Return the page."""
    return _OPENING + "\n".join(map(_section, FORMATS.values()))


def _section(entry: Format) -> str:
    held = ", ".join(holding for holding in FEATURES if holding in entry.features) or "nothing"
    missing = ", ".join(holding for holding in FEATURES if holding not in entry.features) or "nothing"
    lines = [f"## {entry.title}", "", f"`{entry.name}`" + (f" · {entry.page}" if entry.page else ""), ""]
    if entry.place:
        lines += [f"Kept in `{entry.place}`.", ""]
    lines += [f"- records beside messages and calls: {held}", f"- cannot say: {missing}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(format_reference(), end="")
