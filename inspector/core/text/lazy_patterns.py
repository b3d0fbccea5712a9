"""Regular expressions that are compiled on first use: rules have hundreds of them, and most texts need few."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any, cast

from inspector.core.text.pattern_codes import CODES
from inspector.core.text.pattern_needs import Alternatives, are_met, folded

_MAX_ASKED, _MAX_TEXT = 48, 4_000
"""How often a pattern that was never compiled asks whether a text can match, and the longest such text."""


class LazyPattern:
    """Stands for a pattern that is compiled when a text may match. Then its methods cost what they would."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags
        self._left = 0 if flags & re.VERBOSE else _MAX_ASKED

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return CODES.compiled(self.pattern, self._flags)

    @cached_property
    def _in_lower_case(self) -> re.Pattern[str] | None:
        """The pattern for texts in lower case, three times as fast; None if it would find other matches."""
        return CODES.compiled(source, self._flags) if (source := _lowered(self.pattern)) else None

    @cached_property
    def _needs(self) -> Alternatives | None:
        return CODES.needs(self.pattern, self._flags)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyPattern) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.pattern, self._flags))

    def __reduce__(self) -> tuple[type[LazyPattern], tuple[str, int]]:
        return LazyPattern, (self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = vars(self)[name] = getattr(self.compiled, name)
        return value

    def _finds(self, text: str, method: str) -> bool:
        """Return False if a text cannot match; otherwise True, and the method is from now on that of the pattern."""
        if self._may_match(text):
            is_searched = method == "search" and self._in_lower_case is not None
            vars(self)[method] = self._search_both if is_searched else getattr(self.compiled, method)
            return True
        return False

    def _search_both(self, text: str, *span: int) -> re.Match[str] | None:
        """Search a short text in lower case first, which is enough for most: they do not match."""
        is_short = not span and len(text) <= _MAX_TEXT and text.isascii()
        if is_short and self._in_lower_case and self._in_lower_case.search(text.lower()) is None:
            return None
        return self.compiled.search(text, *span)

    def _may_match(self, text: str) -> bool:
        """Return False if a pattern that was never compiled cannot match a text."""
        if self._left <= 0 or len(text) > _MAX_TEXT or "compiled" in vars(self) or "_in_lower_case" in vars(self):
            return True
        if self._left == _MAX_ASKED and (_lowered(self.pattern) or self.pattern, self._flags) in CODES:
            self._left = 0
            return True
        self._left -= 1
        return self._needs is None or are_met(self._needs, folded(text))

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        return self._search_both(text, *span) if self._finds(text, "search") else None

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        return self.compiled.match(text, *span) if self._finds(text, "match") else None

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        return self.compiled.fullmatch(text, *span) if self._finds(text, "fullmatch") else None

    def findall(self, text: str, *span: int) -> list[Any]:
        return self.compiled.findall(text, *span) if self._finds(text, "findall") else []

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, *span) if self._finds(text, "finditer") else iter(())

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        return self.compiled.split(text, maxsplit) if self._finds(text, "split") else [text]

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self.compiled.sub(new, text, count) if self._finds(text, "sub") else text


class CuedPattern(LazyPattern):
    """A pattern that is searched for only in texts with certain words. Looking for the words is much cheaper."""

    def __init__(self, source: str, flags: int, cues: tuple[frozenset[str], ...]) -> None:
        super().__init__(source, flags)
        self.cues = cues

    def __reduce__(self) -> tuple[type[CuedPattern], tuple[str, int, tuple[frozenset[str], ...]]]:  # type: ignore[override]
        return CuedPattern, (self.pattern, self._flags, self.cues)

    def _finds(self, text: str, method: str) -> bool:
        said = said_in(text)
        for cue in self.cues:
            if said.isdisjoint(cue):
                return False
        return self._left <= 0 or self._may_match(text)


@lru_cache(maxsize=8_192)
def said_in(text: str) -> frozenset[str]:
    """Return the words of a text in lower case. Looking for a word among them is much cheaper than a pattern."""
    return frozenset(_SAID.findall(text.lower()))


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is called. Functions of `re` do not accept it.

    Args:
        source: The regular expression. An invalid one raises `re.error` on first use.
        flags: Flags of `re`.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))


def cued_pattern(source: str, *cues: str | frozenset[str]) -> re.Pattern[str]:
    """Return a lazy pattern whose matches contain a word of each cue. `search`, `fullmatch`, `finditer` and `sub` ask.

    Args:
        source: The regular expression.
        cues: Words in lower case, as a set or separated by spaces.
    """
    sets = tuple(frozenset(cue.split()) if isinstance(cue, str) else cue for cue in cues)
    return cast("re.Pattern[str]", CuedPattern(source, 0, sets))


def cues_of(pattern: re.Pattern[str]) -> tuple[frozenset[str], ...]:
    """Return the cues of a pattern; none for a pattern without cues."""
    return pattern.cues if isinstance(pattern, CuedPattern) else ()


@lru_cache(maxsize=4_096)
def _lowered(source: str) -> str:
    """Return the source of a pattern that finds in an ASCII text in lower case what a pattern ignoring case finds.

    It is "" for a pattern with a capital letter, an escaped code or a character that is the same as an ASCII letter.
    """
    is_plain = source.startswith(_IGNORING) and not _DEPENDS_ON_CASE.search(_ESCAPES.sub("", source[len(_IGNORING) :]))
    return source[len(_IGNORING) :] if is_plain else ""


_IGNORING = "(?i)"
_ESCAPES = re.compile(r"\\[^xuUN0-9]|\(\?P[<=]\w+")
_DEPENDS_ON_CASE = re.compile(r"[A-Z\\\u0131\u017f\u212a]|[^\x00-\x7f]-[^\x00-\x7f]|[ -@\[-`{-~]-[\[\\^-~]|\(\?[a-z-]")
_SAID = lazy_pattern(r"\w+")
