"""Pairs of patterns for the values of passwords and of keys in one notation after their names."""

from __future__ import annotations

import re
from collections.abc import Callable

from inspector.analysis.redaction.secret_names import KEY_HINTS, KEY_NAMES, PASSWORD_HINTS, PASSWORD_NAMES, TAIL
from inspector.analysis.redaction.secret_search import SecretPattern, name_starts

SHORT_NAMES = r"(?<![\w-])(?-i:pass|pw)"
SPACED_KEYS = r"(?:api|access|secret|private|signing|encryption|license)[_ -]?key|token|secret|credential"
PASSWORD_STARTS = name_starts(re.compile(f"{PASSWORD_NAMES}|{SHORT_NAMES}", re.IGNORECASE), PASSWORD_HINTS)
KEY_STARTS = name_starts(re.compile(f"{KEY_NAMES}|{SPACED_KEYS}", re.IGNORECASE), KEY_HINTS)


def named_patterns(
    form: str,
    is_password: Callable[[str], bool],
    is_key: Callable[[str], bool],
    search: type[SecretPattern] = SecretPattern,
) -> tuple[SecretPattern, SecretPattern]:
    """Return the patterns for passwords and for keys in one notation.

    Args:
        form: Regular expression for the text after the name, with groups for the value.
        is_password: Returns True if the value of a password is really one.
        is_key: Returns True if the value of a key is really one.
        search: Class of the patterns.
    """
    passwords, keys = (
        re.compile(rf"(?:{names}){TAIL}{form}", re.IGNORECASE)
        for names in (PASSWORD_NAMES, f"{KEY_NAMES}|{SPACED_KEYS}")
    )
    return (
        search("password", PASSWORD_HINTS, passwords, is_password, PASSWORD_STARTS),
        search("key", KEY_HINTS, keys, is_key, KEY_STARTS),
    )
