"""A block at the end of a TOML file, between two comments, so that everything before it stays as it is."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from inspector.library.agent_setup.json_places import SettingsError

_BEGIN = "# Added by inspector setup; --remove deletes it."
_END = "# End of inspector setup."
_LINE_OF_ERROR = re.compile(r"at line (\d{1,9})")


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Return the values of a TOML text.

    Raises:
        SettingsError: If it is not TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        line = match[1] if (match := _LINE_OF_ERROR.search(str(error))) else "1"
        raise SettingsError(f"{name}, line {line}: it is not valid TOML. Inspector leaves the file as it is.") from None


def with_block(text: str, tables: str, name: str) -> str:
    """Return the text with tables added at its end, in place of those added earlier.

    Raises:
        SettingsError: If the tables do not fit the text, which defines a part of them in another way.
    """
    text = without_block(text)
    parse_toml(text, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    lead = "" if not text else newline if text.endswith("\n") else newline * 2
    block = newline.join((_BEGIN, *tables.strip().splitlines(), _END, ""))
    try:
        parse_toml(text + lead + block, name)
    except SettingsError:
        keys = {row.strip("[]").split(".")[0] for row in tables.splitlines() if row.startswith("[")}
        rows = enumerate(text.splitlines(), 1)
        line = next((number for number, row in rows if row.lstrip().startswith(tuple(keys))), 1)
        raise SettingsError(
            f"{name}, line {line}: it is written in a form that Inspector cannot extend. It leaves the file as it is."
        ) from None
    return text + lead + block


def without_block(text: str) -> str:
    """Return the text without the tables that were added to it."""
    start, end = text.find(_BEGIN), text.find(_END)
    if start < 0 or end < start:
        return text
    after = text[end + len(_END) :].removeprefix("\r").removeprefix("\n")
    return text[:start].removesuffix("\n").removesuffix("\r") + after if after.strip() else _trimmed(text[:start])


def _trimmed(text: str) -> str:
    """Return the text without the empty line that precedes the tables."""
    for blank in ("\r\n\r\n", "\n\n"):
        if text.endswith(blank):
            return text.removesuffix(blank[len(blank) // 2 :])
    return text
