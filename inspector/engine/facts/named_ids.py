"""Ids that are only recognisable by their key: "reservation HKTRWQ" is one, but HKTRWQ alone could be any word."""

from __future__ import annotations

from collections.abc import Iterator, Set

from inspector.core.text import lazy_pattern
from inspector.engine.facts.cue_tables import PatternTable

_KINDS = (
    *("reservation", "booking", "confirmation", "locator"),
    *("order", "ticket", "invoice", "tracking", "voucher", "reference", "shipment"),
    *("certificate", "account", "claim", "customer", "receipt", "policy", "passport", "serial", "incident", "contract"),
    *("membership", "license", "coupon", "parcel"),
)
_LETTERED = frozenset({"reservation", "booking", "confirmation", "locator"})
"""Keys whose ids can consist of letters only."""
ID_STEMS = frozenset(_KINDS)
"""Every text that contains such ids contains one of these words."""
_WORD = r"[A-Z0-9]{5,12}"
_NAMED = PatternTable(
    {
        kind: rf"{kind[1:]}s?(?: with(?: the)?)?(?:[_ -]?(?:id|ID|Id|numbers?|code|no\.))?"
        rf"[\"'*:#( ]{{1,6}}(?:ID[:# ]{{1,3}})?(?:is |was |of )?"
        rf"[\"'*`#(]{{0,4}}({_WORD})(?![\w-])"
        for kind in _KINDS
    }
)
"""An id after its key: "booking number: X4TR9Q". Patterns start with distinct letters, which `re` scans fastest."""
_LISTED = PatternTable(
    {
        kind: rf"{kind[1:]}(?:s|_ids|_numbers)\" ?: ?\[((?:\s{{0,9}}\"{_WORD}\"(?:,|(?=\s{{0,9}}\]))){{1,99}})"
        for kind in _KINDS
    }
)
"""A JSON list of ids after its key: `"order_ids": ["A10442", "A10443"]`."""
_ID = lazy_pattern(_WORD)
_LETTERS_ALONE = 6
"""Length of an id without digits, as used for bookings."""


def named_ids(text: str, stems: Set[str]) -> Iterator[str]:
    """Yield the ids after their keys in a text. `stems` are those of `ID_STEMS` that its words contain."""
    for kind in [kind for kind in _KINDS if kind in stems]:
        for match in _NAMED[kind].finditer(text):
            if not match[1].isalpha() or (kind in _LETTERED and len(match[1]) == _LETTERS_ALONE):
                yield match[1]
        for row in _LISTED[kind].finditer(text):
            yield from _ID.findall(row[1])
