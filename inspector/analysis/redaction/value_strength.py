"""Score how likely a value near the name of a secret is one, by its characters."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from inspector.analysis.redaction.likelihood import ALGORITHMS, has_digit, is_password, is_random, is_wordy
from inspector.core.text import lazy_pattern

NONE, PLAIN, WORDY, RANDOM, UNMISTAKABLE = range(5)
"""Strengths of values: a word, path or number; letters with digits; words with a number; digits of a key; characters
that only a secret has."""
_MAX_PASSWORD = 64
_BASE32 = lazy_pattern(r"[A-Z2-7]{16,64}")
_LETTERS = lazy_pattern(r"[a-z0-9]{20,128}")
_HEX = lazy_pattern(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}")
# 0123abcd…, a UUID, tk_abcd1234…, abcd1234efgh5678
_DIGITS = lazy_pattern(
    r"(?:0x)?[0-9a-fA-F]{32,128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|[A-Za-z]{2,12}[_-][A-Za-z0-9]{16,100}|[A-Z0-9]{16,100}|[a-z0-9]{10,100}"
)
# ABCD3-EFGH5-IJKL7
_GROUPS = lazy_pattern(r"(?=[A-Z-]{0,80}[0-9])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}")
# lvftFoJtrmqVcI
_SCRAMBLED = lazy_pattern(r"[A-Za-z]{8,40}")
_CASES = lazy_pattern(r"[A-Z]*[a-z]*")
_PIECES = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_RUNS = lazy_pattern(r"[A-Za-z]+|[0-9]+")
_HARD = frozenset("!#*^&$~?+%")
_ESCAPES = lazy_pattern(
    r"%(?:2[0-9A-Fa-f]|3[A-Fa-f]|5[BDbd]|7[B-Eb-e]|[89A-Fa-f][0-9A-Fa-f])|&[a-z]{2,6};"
    r"|\$(?:[{(]|[A-Za-z_]{2,}(?![A-Za-z0-9_]))"
)
_PARTS = lazy_pattern(r"[._@-]")


@lru_cache(32_768)
def strength(value: str) -> int:
    """Return the strength of a value."""
    if len(value) < 6 or ":" in value or not is_password(value):
        return NONE
    if _is_unmistakable(value) or _is_unmistakable_key(value):
        return UNMISTAKABLE
    if _is_number(value):
        return RANDOM
    if _is_name(value):
        return NONE
    if is_wordy(value):
        return WORDY
    is_mixed = has_digit(value) and any(map(str.isalpha, value))
    return PLAIN if is_mixed or _is_scrambled_case(value) else NONE


def _is_scrambled_case(value: str) -> bool:
    """Return True for letters whose capitals begin no words, as in `lvftFoJtrmqVcI`."""
    parts = _CASES.findall(value)[:-1] if _SCRAMBLED.fullmatch(value) else ()
    return len(parts) >= 3 and sum(len(part) < 3 or part[1:2].isupper() for part in parts) >= 2


def _is_name(value: str) -> bool:
    """Return True if a value is code, an address, a file, a version or the name of an algorithm."""
    ending = value.rpartition(".")[2] if "." in value else "0"
    return _looks_like_code(value) or ending.isalpha() or value.count(".") > 1 or bool(ALGORITHMS.match(value))


def _is_number(value: str) -> bool:
    """Return True if a value is a hexadecimal number, a UUID or another run of letters and digits that is no word."""
    return bool(_GROUPS.fullmatch(value) or (_DIGITS.fullmatch(value) and _changes(value) >= 3))


def _changes(value: str) -> int:
    """Return how often digits follow letters, or letters digits."""
    return sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))


def _is_unmistakable(value: str) -> bool:
    """Return True if a value has the characters of a password, which names, paths, versions and code do not have."""
    if len(value) > _MAX_PASSWORD or not (has_digit(value) and any(map(str.islower, value)) and value.isascii()):
        return False
    if len(value) < 8 or _looks_like_code(value):
        return False
    if not _HARD.isdisjoint(value):
        return _has_signs(value)
    words = _PARTS.split(value)
    is_name = value.count(".") > 1 or not any(map(_is_scrambled, words))
    return any(map(str.isupper, value)) and not is_name


def _has_signs(value: str) -> bool:
    """Return True if the signs of a value are part of a password, and not of a pattern, an operator or a question."""
    is_mixed = any(map(str.isupper, value)) or sum(map(_HARD.__contains__, value)) > 1
    return is_mixed or (value[0] not in _HARD and value[-1] != "?")


def _looks_like_code(value: str) -> bool:
    """Return True if a value is a path, an expression, an escape or an address."""
    if any(sign in value for sign in ("/", ",", ";", "**")) or ("=" in value.rstrip("=") and not value[0].isdigit()):
        return True
    if (
        value.startswith(("-", "$", "@", "#", "&"))
        or value.endswith("()")
        or value[:-1].isdigit()
        or _ESCAPES.search(value)
    ):
        return True
    return "@" in value and "." in value.rpartition("@")[2]


def _is_word(word: str) -> bool:
    """Return True for words with numbers: `UserName2`, `HTTP2Server`, `Base64Encoder`."""
    runs = _RUNS.findall(word)
    return len(word) < 3 or (len(runs) <= 4 and all(len(run) > 1 or run.isdigit() for run in runs))


def _is_scrambled(word: str) -> bool:
    """Return True if letters and digits of a word alternate, as in `x7Gm2pQ`, or capitals begin no words."""
    is_mixed = len(word) >= 8 and has_digit(word) and 2 * len(_PIECES.findall(word)) >= len(word)
    return is_mixed or (len(word) >= 6 and _changes(word) >= 3 and not _is_word(word))


def _is_unmistakable_key(value: str) -> bool:
    """Return True if a value is a random key, in mixed letters or in those of a base."""
    is_path = value.startswith("/") and not value.endswith("=")
    if is_path or value.startswith(("$", "@", "&")) or not value.isascii():
        return False
    if is_random(value) and value.count("/") < 4 and value.count(".") < 3:
        return True
    if _BASE32.fullmatch(value):
        return sum(map(str.isdigit, value)) >= 2
    return _LETTERS.fullmatch(value) is not None and _changes(value) >= 8 and _HEX.fullmatch(value) is None
