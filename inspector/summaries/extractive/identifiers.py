"""The strings of a conversation that cannot be guessed again once they are gone: paths, addresses, ids, numbers.

These are not the facts of `inspector.facts`, though most paths, addresses and ids are both. A fact is a value in its
normal form ("number x = 17"), so that two messages are known to tell the same; an identifier is what stands in the
text, with its key ("x = 17"), so that a summary can repeat it word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

_BEGINNING = r"(?:(?<![\w.~-])[\w.~-]++/|(?<![<*/])/|(?<=://)/)"
"""Of a path. A slash behind another sign of markup or code ("</div>", "//", "*/") begins none."""
_PATH = rf"{_BEGINNING}(?:(?:[.@+]|(?<!/)/)*+[\w-]++)++(?::\d+)?"
"""Up to the last letter, digit or hyphen before something that is in no path, or before two slashes."""
_NO_PATH = r"(?:(?<![\w.~-])[.~-]++/|(?<![<*/])/|(?<=://)/)(?:[.@+]++/)*+"
"""Steps without a name, "./././". They are passed over at once, or each of them would be taken for a beginning."""
_URL = r"https?://[^\s\"'<>)\]}|\\]+[^\s\"'<>)\]}|\\.,;:!?]"
_NAMED = r"\b(?=[a-zA-Z_.-]{0,64}+\d)(?=[\d_.-]{0,64}+[A-Za-z])[A-Za-z0-9]++(?:[-_.][A-Za-z0-9]++)+\b"
_DOTTED = r"\b\d++(?:\.\d++){2,}(?::\d+)?\b"
"""Versions and network addresses."""
_HASH = r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"
_KEY = r"\b[A-Za-z_][\w.-]{1,40}+"
_VALUE = r"[$€£]?\d(?:[\d,.]*\d)?%?"
_PATTERN = re.compile(rf"({_URL}|{_KEY}[=:]{_VALUE}|[$€£]\d[\d,.]*\d|{_PATH}|{_DOTTED}|{_NAMED}|{_HASH})|{_NO_PATH}")
"""What stands within a word, in a group, which is empty where there is nothing.

The alternatives stand in the order in which one wins over another at the same place.
"""
MAY_HOLD = re.compile(r"[0-9/]").search
"""Every identifier has a digit or a slash: looking for those first leaves few lines and words to be read closely."""
_APART = re.compile(rf"[=:](?: |(?<= [=:])){_VALUE}")
_KEY_BEFORE = re.compile(rf"{_KEY} ?\Z")
"""A number may stand apart from its key. Such numbers are rare, so they are found first and their keys looked for."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LONGEST = 200
_SHORTEST = 4
_FURTHEST = 48
"""Characters before a number in which its key is looked for."""


def identifiers(text: str) -> tuple[str, ...]:
    """Every identifier in a text once: those within a word by first sight, then the numbers that stand apart."""
    telling = "\n".join([line for line in uncoloured(text).split("\n") if MAY_HOLD(line)])
    words = [word for word in telling.split() if not word.isalpha() and not word.isdigit() and MAY_HOLD(word)]
    matches = dict.fromkeys(chain(_PATTERN.findall("\n".join(dict.fromkeys(words))), _numbers_apart(telling)))
    return _fitting(matches)


def in_line(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The identifiers of one line: those within a word, and the numbers that stand apart. Some may come twice."""
    if not MAY_HOLD(line):
        return (), ()
    words = [word for word in line.split() if not word.isalpha() and not word.isdigit() and MAY_HOLD(word)]
    return _fitting(_PATTERN.findall("\n".join(words))), _fitting(_numbers_apart(line))


def _fitting(candidates: Iterable[str]) -> tuple[str, ...]:
    return tuple([word for word in candidates if _SHORTEST <= len(word) <= LONGEST])


def uncoloured(text: str) -> str:
    """The output of a program without its terminal colours: they stand in the middle of words."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _numbers_apart(text: str) -> Iterator[str]:
    """Numbers with their key where there is white space between the two: "total: 12.50", "x = 17"."""
    for match in _APART.finditer(text):
        start, end = match.span()
        before = max(0, start - _FURTHEST)
        if key := _KEY_BEFORE.search(text[before:start]):
            yield text[before + key.start() : end]
