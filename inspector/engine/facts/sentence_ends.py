"""The sentences of a text. A point in a name, a version, code or an abbreviation ends none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.text import lazy_pattern

_ABBREVIATIONS = (
    "e.g i.e eg ie vs cf approx incl excl resp Mr Mrs Dr z.B d.h u.a p.ex p.ej bzw bspw ggf evtl inkl ca vgl"
)
_PARTED = (("z", "B"), ("d", "h"), ("u", "a"), ("p", "ex"), ("p", "ej"))
_NUMBERED = "No no Nr nr Nº Fig fig Sec sec Art art Abs Kap ch pp p v ver vol núm num etc usw"
"""Abbreviations whose point ends no sentence: any, of two words, and before a digit, comma or bracket."""
_WITHIN = "|".join(
    (
        r"[.!?;](?=\w)",
        *(rf"(?<=\b{re.escape(one)})\." for one in _ABBREVIATIONS.split()),
        *(rf"(?<=\b{one})\.(?= {two}\.)|(?<=\b{one}\. {two})\." for one, two in _PARTED),
        *(rf"(?<=\b{one})\.(?= ?[\d,()])" for one in _NUMBERED.split()),
    )
)
_CODE = r"`[^`\n]{1,200}`"
_ENDS = frozenset(".!?;\n`")
_SENTENCE = lazy_pattern(rf"(?:{_CODE}|[^.!?;\n`]+|`|{_WITHIN})*+[.!?;\n]?")


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences and lines of a text, without bullets. A point inside of a name does not end a sentence."""
    is_one = _ENDS.isdisjoint(text[:-1])
    for part in (text,) if is_one else (match[0] for match in _SENTENCE.finditer(text)):
        if sentence := part.strip().lstrip("-*•>#").strip():
            yield sentence
