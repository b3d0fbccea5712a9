"""Find the copies of known secrets in a text: whole, encoded, cut, broken over lines, and concatenated.

The forms of all secrets are in one table, so that a search takes time linear in the text for any number of secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from inspector.analysis.redaction.likelihood import has_digit

Owner = TypeVar("Owner")
_ANCHOR = 8
"""Characters at the start of a form that are looked up at each place of a text."""
_PIECE = 16
"""Minimum characters of a piece of a secret that is recognised without the rest."""
_MAX_PIECES = 4_096
"""Characters of a secret whose pieces are recognised."""
# A break within a secret: `abc" + "def`, `abc\\` at the end of a line, a line break and the indentation, a soft hyphen
_JOINTS = re.compile(
    r"\\?[\"'`][ \t]{0,8}(?:\\?\r?\n[ \t]{0,20})?[+.]?[ \t]{0,8}(?:\r?\n[ \t]{0,20})?\\?[\"'`]"
    r"|\\{0,2}\r?\n[ \t>|#]{0,20}|\\n[ \t]{0,20}|\u00ad"
)


class SecretCopy(NamedTuple, Generic[Owner]):
    """A place of a text with a secret, or with a piece of one."""

    start: int
    end: int
    owner: Owner


class KnownSecrets(Generic[Owner]):
    """Forms of secrets, each with its owner. Forms that are shorter than 8 characters cannot be added."""

    def __init__(self) -> None:
        self._forms: dict[str, Owner] = {}
        self._lengths: dict[str, list[int]] = {}
        """Lengths of the forms that start with the same characters, longest first."""
        self._pieces: dict[str, Owner] = {}
        """Pieces of 16 characters, which are unlikely elsewhere."""
        self._anchors: set[str] = set()
        """First characters of all forms and pieces."""

    def add(self, forms: Iterable[str], owner: Owner) -> None:
        """Add the forms of a secret. `owner` is returned with each copy."""
        for form in forms:
            if len(form) >= _ANCHOR:
                self._forms[form] = owner
                self._anchors.add(form[:_ANCHOR])
                lengths = self._lengths.setdefault(form[:_ANCHOR], [])
                if len(form) not in lengths:
                    lengths.append(len(form))
                    lengths.sort(reverse=True)

    def add_pieces(self, secret: str, owner: Owner) -> None:
        """Add the pieces of a secret that are hardly ever a coincidence."""
        for start in range(min(len(secret), _MAX_PIECES) - _PIECE + 1):
            piece = secret[start : start + _PIECE]
            if has_digit(piece) and not any(map(str.isspace, piece)):
                self._pieces.setdefault(piece, owner)
                self._anchors.add(piece[:_ANCHOR])

    def copies_in(self, text: str) -> list[SecretCopy[Owner]]:
        """Return the copies in a text in order, without overlaps."""
        starts = self._starts_in(text)
        copies = [*self._whole_copies(text, starts), *self._broken_copies(text), *self._cut_copies(text, starts)]
        result: list[SecretCopy[Owner]] = []
        for copy in sorted(copies, key=lambda copy: (copy.start, -copy.end)):
            if not result or copy.start >= result[-1].end:
                result.append(copy)
            elif copy.end > result[-1].end:
                result[-1] = result[-1]._replace(end=copy.end)
        return result

    def has_copy_in(self, text: str) -> Owner | None:
        """Return the owner of a whole secret in a text, or None."""
        return next((copy.owner for copy in self._whole_copies(text, self._starts_in(text))), None)

    def _starts_in(self, text: str) -> list[int]:
        """Return the places of a text where a form or a piece can start."""
        anchors = self._anchors
        return [i for i in range(len(text) - _ANCHOR + 1) if text[i : i + _ANCHOR] in anchors] if anchors else []

    def _whole_copies(self, text: str, starts: list[int]) -> Iterator[SecretCopy[Owner]]:
        end = 0
        for start in starts:
            if start >= end:
                for length in self._lengths.get(text[start : start + _ANCHOR], ()):
                    owner = self._forms.get(text[start : start + length])
                    if owner is not None:
                        end = start + length
                        yield SecretCopy(start, end, owner)
                        break

    def _broken_copies(self, text: str) -> Iterator[SecretCopy[Owner]]:
        """Yield the copies that appear once line breaks, and quotes around a `+`, are removed."""
        pieces, places, end, removed = [], [], 0, 0
        for joint in _JOINTS.finditer(text):
            pieces.append(text[end : joint.start()])
            removed += len(joint[0])
            end = joint.end()
            places.append((end - removed, removed))
        if not places:
            return
        place, shift, following = 0, 0, 0
        joined = "".join((*pieces, text[end:]))
        for copy in self._whole_copies(joined, self._starts_in(joined)):
            while place < len(places) and places[place][0] <= copy.start:
                shift = places[place][1]
                place += 1
            following = place
            last = shift
            while following < len(places) and places[following][0] < copy.end:
                last = places[following][1]
                following += 1
            if last != shift:
                yield SecretCopy(copy.start + shift, copy.end + last, copy.owner)

    def _cut_copies(self, text: str, starts: list[int]) -> Iterator[SecretCopy[Owner]]:
        pieces, first, last = self._pieces, -1, -1
        for start in starts:
            if text[start : start + _PIECE] not in pieces:
                continue
            if start > last + 1 or first < 0:
                if first >= 0:
                    yield SecretCopy(first, last + _PIECE, pieces[text[first : first + _PIECE]])
                first = start
            last = start
        if first >= 0:
            yield SecretCopy(first, last + _PIECE, pieces[text[first : first + _PIECE]])
