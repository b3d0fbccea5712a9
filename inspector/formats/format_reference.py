"""Reference of all formats in Markdown, generated from their declarations.

`make docs` writes it to `docs/formats.md`; a test compares the two.
"""

from __future__ import annotations

from inspector.formats.base import FEATURES, Format
from inspector.formats.registry import FORMATS

_OPENING = """# Formats

A file is recognised by its content, never by its name. Each format rates how likely a file belongs to it, and the
best match reads the file. If most of a file's records do not match, it is not opened in that format; if some do not,
this is reported. Unknown fields of a message are kept, shown and exported unchanged.

SQLite databases are only read; if another program has pending writes, a copy is read. Nothing is unpickled, executed
or fetched.

"""


def format_reference() -> str:
    """Return the page."""
    return _OPENING + "\n".join(map(_section, FORMATS.values()))


def _section(entry: Format) -> str:
    held = ", ".join(holding for holding in FEATURES if holding in entry.features) or "nothing"
    missing = ", ".join(holding for holding in FEATURES if holding not in entry.features) or "nothing"
    lines = [f"## {entry.title}", "", f"`{entry.name}`" + (f" · {entry.page}" if entry.page else ""), ""]
    if entry.place:
        lines += [f"Location: `{entry.place}`.", ""]
    lines += [f"- records besides messages and calls: {held}", f"- does not record: {missing}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(format_reference(), end="")
