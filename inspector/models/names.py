"""Names of models: one model goes by many, and the names of two models often begin alike.

Gateways put providers before a name ("openrouter/anthropic/…", "us.anthropic.…"), and providers put dates and
versions behind it. What is left without either is the model's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_BEFORE = re.compile(r"^(?:.*/)?(?:[a-z-]+\.)*(?=.)")
"""Folders of gateways, and vendors with a dot behind them; never "claude-3."."""
_VERSION = re.compile(
    r"""(?: -(?:\d{4}-\d\d-\d\d|\d\d-\d{4}|\d{6,8}|\d{3,4})   # a date, or the figures of a month or a build
          | (?<=-\d{8})-v\d+ | -v\d+(?=:) | :\d+               # Bedrock's
          | @(?:\d+|default|latest)
          | -(?:latest|preview(?:-\d\d-\d\d)?|exp)
        ){1,9}$""",
    re.VERBOSE,
)
"""What stands behind a name; no model has more than a few of these."""
_COMPACT = re.compile(r"(?<=-)(20\d\d)(\d\d)(\d\d)$")
_LARGE = "[1m]"
"""Stands behind a name that asks for a context window of a million."""
LONGEST = 200
"""Characters of a name that are read; no model's is longer, and a recording may hold anything."""
FOLDERS = 4
"""Words with a slash that are read before a name, from the last."""


@lru_cache(maxsize=4096)
def names_of(model: str) -> tuple[str, ...]:
    """Every name that a recorded one may be listed under, in small letters, the fullest first; none for no name."""
    full = model.strip()[:LONGEST].lower().replace(_LARGE, "")
    return tuple(dict.fromkeys(name for name in _variants(full) if name))


def _variants(full: str) -> Iterator[str]:
    """The name behind each of its prefixes; the same with its date set apart; the same without any version."""
    pieces = full.split("/")[-FOLDERS - 1 :]
    names = [full, *("/".join(pieces[start:]) for start in range(len(pieces))), own_name(full)]
    yield from names
    yield from (_COMPACT.sub(r"\1-\2-\3", name) for name in names)
    yield from (unversioned(name) for name in names)


@lru_cache(maxsize=8192)
def own_name(name: str) -> str:
    """The name without what stands before it: "us.anthropic.claude-3-5-sonnet-v2:0" is a "claude-3-5-sonnet-v2:0"."""
    return _BEFORE.sub("", name, count=1)


def unversioned(name: str) -> str:
    """The name without a date or a version behind it."""
    return _VERSION.sub("", name)


def covered(listed: str, name: str) -> int:
    """How many characters of a model's name an id of a price list stands for; 0 when it is another model's.

    An id stands for itself, for the same name with something behind it, and for the same name with another date. The
    longest id is to win: gpt-4o stands for six characters of gpt-4o-mini, and gpt-4o-mini for all of them.
    """
    listed = listed.lower()
    if name.startswith(listed):
        rest = name[len(listed) :]
        return 0 if rest and (rest[0].isalnum() or _decimal(listed, rest)) else len(listed)
    short = unversioned(listed)
    return len(short) if short == unversioned(name) else 0


def _decimal(listed: str, rest: str) -> bool:
    """Whether a number would be cut in two: gpt-4 is no beginning of gpt-4.1."""
    return listed[-1:].isdigit() and rest[0] == "." and rest[1:2].isdigit()


def longest(ids: Iterable[str], names: Iterable[str]) -> tuple[str, str, int]:
    """The id that stands for most of any of these names; that name; and how many characters. Empty when none does."""
    names = tuple(names)
    matches = ((key, name, covered(key, name)) for key in ids for name in names)
    return max((match for match in matches if match[2]), key=lambda match: match[2], default=("", "", 0))
