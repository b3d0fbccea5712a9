"""Reference of all formats in Markdown, generated from their declarations.

`make docs` writes it to `docs/formats.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.formats.base import FEATURES, Feature, Format
from inspector.formats.format_entry import JSON_SHAPES
from inspector.formats.registry import FORMATS

_OPENING = """# Formats

A file is recognised by its content, never by its name. Each format rates how likely a file belongs to it, and the
best match reads the file. If most of a file's records do not match, it is not opened in that format; if some do not,
this is reported. Unknown fields of a message are kept, shown and exported unchanged.

A record that was repeated, dropped or moved in a file is reported as far as the other records show it: by ids, by the
id of the record before, by numbers, by times that run backwards, and by calls and results that do not match. A format
whose records have none of these is checked by fields with usual names, such as `timestamp` and `index`, and by turns:
two messages of the assistant in a row, where the others take turns. Nothing shows that the last records
of a file are missing, or that a turn of both was dropped from a format without parents and numbers.

SQLite databases are only read; if another program has pending writes, a copy is read. Nothing is unpickled, executed
or fetched.

"""


def format_reference() -> str:
    """Return the page."""
    return _OPENING + "\n".join(map(_section, FORMATS.values()))


def _section(entry: Format) -> str:
    held = ", ".join(_named(entry, holding) for holding in FEATURES if holding in entry.features) or "nothing"
    missing = ", ".join(holding for holding in FEATURES if holding not in entry.features) or "nothing"
    lines = [f"## {entry.title}", "", f"`{entry.name}`" + (f" · {entry.page}" if entry.page else ""), ""]
    if entry.place:
        lines += [f"Location: `{entry.place}`.", ""]
    lines += [
        f"- records besides messages and calls: {held}",
        f"- does not record: {missing}",
        f"- damaged records: {_damage_signs(entry)}",
        "",
    ]
    return "\n".join(lines)


def _named(entry: Format, feature: Feature) -> str:
    return f"{feature} (if requests are recorded)" if feature in entry.request_features else feature


def _damage_signs(entry: Format) -> str:
    """Return what shows that records of a format were repeated, dropped or moved."""
    order, is_json = entry.order, not JSON_SHAPES.isdisjoint(entry.entry.shapes)
    signs = {
        "parents": is_json and bool(order.parent),
        "numbers": is_json and bool(order.number),
        "times": is_json and bool(order.time),
        "calls": order.calls,
        "turns": is_json and order.is_undeclared and order.calls,
    }
    moved = [sign for sign, has_sign in signs.items() if has_sign]
    dropped = [sign for sign in moved if sign != "times"]
    repeated = "without effect" if is_json and order.skips_repeats else _shown_by(["content"] if is_json else [])
    return f"repeated {repeated}; dropped {_shown_by(dropped)}; moved {_shown_by(moved)}"


def _shown_by(signs: Sequence[str]) -> str:
    return f"shown by {' and '.join(filter(None, (', '.join(signs[:-1]), signs[-1])))}" if signs else "not noticed"


if __name__ == "__main__":
    print(format_reference(), end="")
