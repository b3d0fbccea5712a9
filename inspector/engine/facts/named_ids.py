"""Ids that only their key shows: "reservation HKTRWQ" is one, and HKTRWQ alone may be any word in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

_KINDS = (
    *("reservation", "booking", "confirmation", "locator"),
    *("order", "ticket", "invoice", "tracking", "voucher", "reference", "shipment"),
    *("certificate", "account", "claim", "customer", "receipt", "policy", "passport", "serial", "incident", "contract"),
    *("membership", "license", "coupon", "parcel"),
)
_LETTERED = frozenset({"reservation", "booking", "confirmation", "locator"})
"""What has ids that may be letters alone."""
ID_STEMS = frozenset(_KINDS)
"""One of these stands, in small letters, in every text that has such ids."""
_WORD = r"[A-Z0-9]{5,12}"
_NAMED = {
    kind: re.compile(
        rf"{kind[1:]}s?(?: with(?: the)?)?(?:[_ -]?(?:id|ID|Id|numbers?|code|no\.))?"
        rf"[\"'*:#( ]{{1,6}}(?:ID[:# ]{{1,3}})?(?:is |was |of )?"
        rf"[\"'*`#(]{{0,4}}({_WORD})(?![\w-])"
    )
    for kind in _KINDS
}
"""Each begins with letters of its own, for which `re` scans fastest."""
_LISTED = {
    kind: re.compile(rf"{kind[1:]}(?:s|_ids|_numbers)\" ?: ?\[((?:\s{{0,9}}\"{_WORD}\"(?:,|(?=\s{{0,9}}\]))){{1,99}})")
    for kind in _KINDS
}
_ID = re.compile(_WORD)
_LETTERS_ALONE = 6
"""Letters of an id without any digit, as the numbers of bookings have."""


def named_ids(text: str, stems: Set[str]) -> Iterator[str]:
    """The ids behind their keys in a text; `stems` are those of `ID_STEMS` that its words hold."""
    for kind in [kind for kind in _KINDS if kind in stems]:
        for match in _NAMED[kind].finditer(text):
            if not match[1].isalpha() or (kind in _LETTERED and len(match[1]) == _LETTERS_ALONE):
                yield match[1]
        for row in _LISTED[kind].finditer(text):
            yield from _ID.findall(row[1])
