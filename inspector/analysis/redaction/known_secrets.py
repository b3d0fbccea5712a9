"""Find the copies of known secrets in a text: whole, encoded, cut, broken over lines, and concatenated.

The forms of all secrets are in one table, so that a search takes time linear in the text for any number of secrets.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from inspector.core.text import lazy_pattern

Owner = TypeVar("Owner")
_ANCHOR = 8
"""Characters at the start of a form that are looked up at each place of a text."""
_PIECE = 16
"""Minimum characters of a piece of a secret that is recognised without the rest."""
_MAX_PIECES = 4_096
"""Characters of a secret whose pieces are recognised."""
# A break within a secret: `abc" + "def`, `abc\\` at the end of a line, a line break and the indentation, a soft hyphen
_JOINTS = lazy_pattern(
    r"\\?[\"'`][ \t]{0,8}(?:\\?\r?\n[ \t]{0,20})?[+.]?[ \t]{0,8}(?:\r?\n[ \t]{0,20})?\\?[\"'`]"
    r"|\\{0,2}\r?\n[ \t>|#]{0,20}|\\n[ \t]{0,20}|\u00ad"
)
_DIGIT, _SPACE = lazy_pattern(r"\d"), lazy_pattern(r"\s")
_JOINT_MARKS = ('"', "'", "`", "\n", "\\n", "\u00ad")


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
        self._words: dict[int, set[int]] = {8: set(), 4: set()}
        """Numbers of 8 bytes of the long forms, and of 4 bytes of the others.

        Each occurrence of a form in UTF-8 has one of them at a multiple of their size.
        """

    def add(self, forms: Iterable[str], owner: Owner) -> None:
        """Add the forms of a secret. `owner` is returned with each copy."""
        for form in dict.fromkeys(forms):
            if len(form) >= _ANCHOR:
                self._forms[form] = owner
                self._anchors.add(form[:_ANCHOR])
                data = form.encode("utf-8", "surrogatepass")
                size = 8 if len(data) >= 15 else 4
                start, mask = int.from_bytes(data[: 2 * size - 1], sys.byteorder), (1 << 8 * size) - 1
                self._words[size].update([start >> 8 * shift & mask for shift in range(size)])
                lengths = self._lengths.setdefault(form[:_ANCHOR], [])
                if len(form) not in lengths:
                    lengths.append(len(form))
                    lengths.sort(reverse=True)

    def add_pieces(self, secret: str, owner: Owner) -> None:
        """Add the pieces of a secret that are hardly ever a coincidence."""
        secret = secret[:_MAX_PIECES]
        for start in range(len(secret) - _PIECE + 1):
            piece = secret[start : start + _PIECE]
            if _DIGIT.search(piece) and not _SPACE.search(piece):
                self._pieces.setdefault(piece, owner)
                self._anchors.add(piece[:_ANCHOR])
        data = secret.encode("utf-8", "surrogatepass")
        for shift in range(8):
            self._words[8].update(_numbers_of_bytes(data[shift:], 8))

    def copies_in(self, text: str) -> list[SecretCopy[Owner]]:
        """Return the copies in a text in order, without overlaps."""
        if not self._forms or len(text) < _ANCHOR:
            return []
        starts = self._starts_in(text)
        copies = [*self._whole_copies(text, starts), *self._broken_copies(text), *self._cut_copies(text, starts)]
        result: list[SecretCopy[Owner]] = []
        for copy in sorted(copies, key=lambda copy: (copy.start, -copy.end)):
            if not result or copy.start >= result[-1].end:
                result.append(copy)
            elif copy.end > result[-1].end:
                result[-1] = result[-1]._replace(end=copy.end)
        return result

    def owner_in(self, text: str) -> Owner | None:
        """Return the owner of a whole secret in a text, or None."""
        return next((copy.owner for copy in self._whole_copies(text, self._starts_in(text))), None)

    def _starts_in(self, text: str) -> list[int]:
        """Return the places of a text where a form or a piece can start."""
        data = text.encode("utf-8", "surrogatepass")
        anchors, starts = self._anchors, set[int]()
        for size, words in self._words.items():
            numbers = _numbers_of_bytes(data, size)
            if not words or words.isdisjoint(numbers):
                continue
            if len(data) > len(text):  # the places of bytes are not those of characters
                return [i for i in range(len(text) - _ANCHOR + 1) if text[i : i + _ANCHOR] in anchors]
            for place in [place for place, number in enumerate(numbers) if number in words]:
                starts.update(range(max(0, size * (place - 1) + 1), size * place + 1))
        return sorted([start for start in starts if text[start : start + _ANCHOR] in anchors])

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
        if not any(mark in text for mark in _JOINT_MARKS):
            return
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


def _numbers_of_bytes(data: bytes, size: int) -> memoryview:
    """Return the numbers of 4 or 8 bytes in a row, without the rest."""
    return memoryview(data)[: len(data) // size * size].cast("Q" if size == 8 else "I")
