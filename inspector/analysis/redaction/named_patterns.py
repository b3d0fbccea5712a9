"""The places of a text where the name of a password or of a key starts."""

from __future__ import annotations

import re

from inspector.analysis.redaction.secret_names import KEY_HINTS, KEY_NAMES, PASSWORD_HINTS, PASSWORD_NAMES, TAIL
from inspector.analysis.redaction.secret_search import name_starts
from inspector.core.text import lazy_pattern

SHORT_NAMES = r"(?<![\w-])(?-i:(?:pass|pw)(?![a-z])|(?:PASS|PW|Pass)(?=[ \t]{0,2}=))"
SPACED_KEYS = r"(?:api|access|secret|private|signing|encryption|license)[_ -]?key|token|secret|credential"
SPACED_KEYS += r"|(?:recovery|backup)[_ -]codes?|totp|(?<![a-z])salt(?![a-z])|key by hand"
PASSWORD_STARTS = name_starts(lazy_pattern(f"{PASSWORD_NAMES}|{SHORT_NAMES}", re.IGNORECASE), PASSWORD_HINTS)
KEY_STARTS = name_starts(lazy_pattern(f"{KEY_NAMES}|{SPACED_KEYS}", re.IGNORECASE), KEY_HINTS)
PASSWORD_NAME = lazy_pattern(rf"(?:{PASSWORD_NAMES}|{SHORT_NAMES}){TAIL}", re.IGNORECASE)
KEY_NAME = lazy_pattern(rf"(?:{KEY_NAMES}|{SPACED_KEYS}){TAIL}", re.IGNORECASE)
