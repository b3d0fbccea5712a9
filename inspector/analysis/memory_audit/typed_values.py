"""Values that are known by their form: versions of languages, and regions of a cloud."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.text import lazy_pattern, word_set

WITH_VERSIONS = word_set(
    "python node java ruby php typescript react postgres postgresql django rails kotlin swift rust go ios android macos"
)
_BEFORE_VERSIONS = word_set("version is of")
_VERSION = lazy_pattern(r"v?\d{1,3}(?:\.\d{1,3}){0,2}\+?(?:\.x)?")
TYPED = {
    "cloud region": lazy_pattern(
        r"(?:us|eu|ap|ca|sa|me|af|il|europe|asia)-(?:gov-)?(?:north|south|east|west|central)(?:east|west)?-?\d[a-z]?"
    ),
}
"""Choices whose values have a known form."""
REGIONS = word_set("us eu ap ca sa me af il europe asia")
OF_REGIONS = word_set("north south east west central northeast northwest southeast southwest")


def has_typed(words: Sequence[str]) -> bool:
    """Return True if a word has the form of a value."""
    return any("-" in word and form.fullmatch(word) for word in words for form in TYPED.values())


def typed_value(words: Sequence[str], place: int) -> tuple[str, str, int] | None:
    """Return the choice, the value and the end of a value known by its form: "1.22" of "Go version is 1.22"."""
    word, last = words[place], place + 1
    if word in WITH_VERSIONS:
        while last < len(words) and words[last] in _BEFORE_VERSIONS:
            last += 1
        is_version = last < len(words) and _VERSION.fullmatch(words[last])
        return (f"{word} version", words[last].strip("v+"), last + 1) if is_version else None
    return next(((name, word, last) for name, form in TYPED.items() if "-" in word and form.fullmatch(word)), None)
