"""Literal text that every match of a regular expression contains, read from its source.

Reading a source takes a fraction of the time of compiling it, so patterns that cannot match are not compiled.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Needs: TypeAlias = "tuple[Alternatives | str, ...]"
"""Literals and groups, every one of which a match contains."""
Alternatives: TypeAlias = tuple[Needs, ...]
"""Needs, one of which every match has."""

_TOKENS = re.compile(
    r"(?P<text>(?:[^\\\[\]().*+?{}|^$]|\\[^\w\s])+)|\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\\?\Z)|\(\?P<\w+>"
    r"|\(\?[aimsux]*(?:-[imsx]+)?[:)]|\(\?<?[=!]|\(\?[P(#>]?|[()|^$.]|[*+?][?+]?|\{\d*(?:,\d*)?\}[?+]?|.",
    re.DOTALL,
)
_UNREADABLE = frozenset(("(?P", "(?(", "(?#", "(?>", "(?"))
"""Starts of a back reference, a condition, a comment and an atomic group."""
_ENDS = frozenset(("|", ")"))


def needs_of(source: str) -> Alternatives | None:
    """Return the alternatives of a pattern that contain literals; None if a match need not contain any."""
    try:
        return _PatternReader(source).alternatives()
    except _UnreadableError:
        return None


def are_met(needs: Alternatives, text: str) -> bool:
    """Return True if a text, as `folded` gives it, contains what one of the alternatives needs."""
    for every in needs:
        for need in every:
            if not (need in text if isinstance(need, str) else are_met(need, text)):
                break
        else:
            return True
    return False


def folded(text: str) -> str:
    """Return a text in which letters that a pattern takes for the same are the same."""
    return text.lower() if text.isascii() else text.casefold().replace("i\u0307", "i").replace("\u0131", "i")


class _UnreadableError(Exception):
    """The pattern has a part whose needs are not known."""


class _PatternReader:
    """Reads a pattern once, from its last token to its first."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = [match[0] for match in _TOKENS.finditer(source)][::-1]

    def alternatives(self) -> Alternatives | None:
        """Return the alternatives up to the end of the group; None if one of them needs nothing."""
        choices = [self._sequence()]
        while self._tokens and self._tokens[-1] == "|":
            self._tokens.pop()
            choices.append(self._sequence())
        return tuple(choices) if all(choices) else None

    def _sequence(self) -> Needs:
        needs: list[Alternatives | str] = []
        tokens = self._tokens
        while tokens and tokens[-1] not in _ENDS:
            token = tokens.pop()
            if token[0] == "(":
                if (group := self._group(token)) is not None:
                    needs.append(group)
            elif token[0] not in "[.*+?{}^$]" and (literal := self._literal(token).strip()):
                needs.append(folded(literal))
        return tuple(needs)

    def _literal(self, token: str) -> str:
        """Return the literal characters of a token, without the last one if that can be left out."""
        if token[0] == "\\" and token[1].isalnum():
            return ""
        text = token.replace("\\", "") if "\\" in token else token
        return text[:-1] if self._is_optional() else text

    def _is_optional(self) -> bool:
        """Return True if the next token allows that the character or group before it is left out."""
        return bool(self._tokens) and (self._tokens[-1][0] in "*?" or self._tokens[-1].startswith(("{0", "{,")))

    def _group(self, start: str) -> Alternatives | None:
        """Return the needs of a group whose start was read; None if it can be left out or needs nothing."""
        if start in _UNREADABLE or ("x" in start and "<" not in start):
            raise _UnreadableError
        if start.endswith(")"):
            return None
        group = self.alternatives()
        if not self._tokens:
            raise _UnreadableError
        self._tokens.pop()
        return None if start in ("(?!", "(?<!") or self._is_optional() else group
