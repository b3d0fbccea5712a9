"""Paths and hashes that are the same, though one is written out less far than the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SHORT_HASH = re.compile(r"hash ([0-9a-f]{7,64})")
_PATH, _HASH = "path ", "hash "


def may_have_aliases(term: str) -> bool:
    """Whether a term is of a path or a hash."""
    return term.startswith((_PATH, _HASH))


def resolved(terms: Iterable[str]) -> dict[str, str]:
    """For each term of a path or a hash that can only be the beginning or the end of one other, that other.

    `windows.py` is `/home/gate/windows.py` where no other path ends so, and `91f3ba6` the one hash that begins so.
    """
    listed = list(terms)
    hashes = [match[0] for term in listed if (match := _SHORT_HASH.fullmatch(term))]
    full_hashes = dict(_fullest([*map(tuple, hashes)]))
    paths = [tuple(reversed(term[len(_PATH) :].split("/"))) for term in listed if term.startswith(_PATH)]
    same = {"".join(short): "".join(long) for short, long in full_hashes.items()}
    return same | {_joined(short): _joined(long) for short, long in _fullest(paths)}


def _joined(steps: Sequence[str]) -> str:
    return _PATH + "/".join(reversed(steps))


def _fullest(names: Iterable[tuple[str, ...]]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of names as sequences, each that begins others with the longest of these, where they all begin one another."""
    ordered = sorted(set(names))
    end = [0] * len(ordered)
    longest = list(range(len(ordered)))
    for place in range(len(ordered) - 1, -1, -1):
        name, behind = ordered[place], place + 1
        while behind < len(ordered) and ordered[behind][: len(name)] == name:
            behind = end[behind]
        end[place] = behind
        if behind > place + 1 and end[place + 1] == behind and (end[longest[place + 1]] == behind):
            longest[place] = longest[place + 1]
    return [(name, ordered[longest[place]]) for place, name in enumerate(ordered) if longest[place] != place]
