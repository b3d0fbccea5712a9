"""Where the names of home folders stand outside of the paths of those folders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from inspector.analysis.redaction.likelihood import SHARED_NAMES
from inspector.core.text import word_set

_MIN_NAME = 5
"""Characters of a name that is hidden wherever it stands as a word; a shorter one may be a word."""
LONG_NAME = 8
"""Characters of a name that is nothing else, even in the midst of a word."""
ACCOUNT_FIELDS = word_set(
    "user username user_name userid user_id login account author committer owner assignee actor whoami logname"
)
"""Names of JSON fields, in small letters, whose text is the name of somebody."""


def own_names(names: Iterable[str]) -> list[str]:
    """Of the names of home folders those that are somebody's, each once however it is written."""
    own = {name.casefold(): name for name in names if name.casefold() not in SHARED_NAMES}
    return sorted(own.values())


def name_pattern(names: Sequence[str], words: Collection[str] = ()) -> re.Pattern[str] | None:
    """Where some names stand, None for no names.

    A name stands anywhere as a word. One that is short, or one of the `words` that mean something else as well, is only
    looked for where people stand: in paths and addresses, and a short one also before a slash, as in the names of
    branches, and after an `@`.
    """
    alone = [name for name in names if len(name) >= _MIN_NAME and name.casefold() not in words]
    short = [name for name in names if len(name) < _MIN_NAME and name.casefold() not in words]
    others = [name for name in names if name.casefold() in words]
    places = [*map(re.escape, alone)]
    places += [place for name in (*short, *others) for place in _places_of(re.escape(name))]
    places += [place for name in short for place in _places_of_people(re.escape(name))]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(places)})(?!\w)", re.IGNORECASE) if places else None


def _places_of(name: str) -> tuple[str, ...]:
    """Where a name can only be that of an account."""
    return (
        rf"(?<=[/\\~]){name}(?=[/\\])",
        rf"(?<=github\.com[/:]){name}",
        rf"{name}(?=@[\w-]|[ \t]{{1,8}}(?:staff|wheel)[ \t])",
        rf"(?<=~){name}",
        rf"{name}(?= {name}[ \t])",
        rf"(?<={name} ){name}(?=[ \t])",
    )


def _places_of_people(name: str) -> tuple[str, ...]:
    """Where a name that is hardly ever a word is that of an account."""
    return (rf"{name}(?=(?:/|%2F)[\w-])", rf"(?<=@){name}")
