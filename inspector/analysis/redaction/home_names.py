"""Find the names of home folders in other places than the paths of these folders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from inspector.analysis.redaction.likelihood import SHARED_NAMES
from inspector.core.text import word_set

_MIN_NAME = 5
"""Minimum characters of a name that is redacted wherever it is a separate word. Shorter names can be ordinary words."""
LONG_NAME = 8
"""Minimum characters of a name that is unambiguous even inside a longer word."""
ACCOUNT_FIELDS = word_set(
    "user username user_name userid user_id login account author committer owner assignee actor whoami logname"
)
"""Lower-case names of JSON fields that contain the name of an account."""


def own_names(names: Iterable[str]) -> list[str]:
    """Return the names that are not generic, each in one spelling."""
    own = {name.casefold(): name for name in names if name.casefold() not in SHARED_NAMES}
    return sorted(own.values())


def name_pattern(names: Sequence[str], words: Collection[str] = ()) -> re.Pattern[str] | None:
    """Return a pattern for the occurrences of some names; None if there are no names.

    A name matches anywhere as a separate word. A short name, and a name among `words`, matches only in places of
    account names: in paths and addresses. Short names also match before a slash, as in the names of branches, and after
    an `@`.
    """
    alone = [name for name in names if len(name) >= _MIN_NAME and name.casefold() not in words]
    short = [name for name in names if len(name) < _MIN_NAME and name.casefold() not in words]
    others = [name for name in names if name.casefold() in words]
    places = [*map(re.escape, alone)]
    places += [place for name in (*short, *others) for place in _places_of(re.escape(name))]
    places += [place for name in short for place in _places_of_people(re.escape(name))]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(places)})(?!\w)", re.IGNORECASE) if places else None


def _places_of(name: str) -> tuple[str, ...]:
    """Return patterns for places where a name can only be that of an account."""
    return (
        rf"(?<=[/\\~]){name}(?=[/\\])",
        rf"(?<=github\.com[/:]){name}",
        rf"{name}(?=@[\w-]|[ \t]{{1,8}}(?:staff|wheel)[ \t])",
        rf"(?<=~){name}",
        rf"{name}(?= {name}[ \t])",
        rf"(?<={name} ){name}(?=[ \t])",
    )


def _places_of_people(name: str) -> tuple[str, ...]:
    """Return patterns for places where a name that is rarely a word is that of an account."""
    return (rf"{name}(?=(?:/|%2F)[\w-])", rf"(?<=@){name}")
