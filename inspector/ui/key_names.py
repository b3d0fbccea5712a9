"""Names of keys: as Textual names them, as a settings file may write them, and as a screen shows them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_REPLACED: Mapping[str, str] = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
"""Names of characters in Textual that differ from those of Unicode."""
_ALIASES: Mapping[str, str] = {"esc": "escape", "return": "enter", "del": "delete", " ": "space", "−": "minus"}
_NAMED = (
    "escape enter tab space backspace delete insert home end pageup pagedown up down left right "
    + " ".join(f"f{number}" for number in range(1, 25))
).split()
_SHOWN: Mapping[str, str] = {"escape": "esc", "up": "↑", "down": "↓", "left": "←", "right": "→", "minus": "−"}
# A key with modifiers, such as `ctrl+s`, `shift+f5` or `ctrl+shift+up`.
_CHORD = re.compile(r"((?:ctrl\+|alt\+|shift\+|super\+)*)(.+)", re.S)


def character_name(character: str) -> str:
    """Return the name of a character's key: `a` for "a", `question_mark` for "?"."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _REPLACED.get(name, name)


_CHARACTERS = {character_name(chr(code)): chr(code) for code in range(0x21, 0x7F)}
"""The printable characters of ASCII by the names of their keys."""


def key_name(text: str) -> str:
    """Return the key that a user writes as `?`, `D`, `ctrl+s`, `esc` or `question_mark`; an empty string if unknown."""
    match = _CHORD.fullmatch(text if text == " " else text.strip())
    if match is None:
        return ""
    modifiers, key = match.groups()
    key = _ALIASES.get(key, _ALIASES.get(key.lower(), key))
    if len(key) == 1:
        return modifiers + character_name(key) if key.isprintable() else ""
    if (name := key.lower()) in _NAMED:
        return modifiers + name
    return modifiers + key if key in _CHARACTERS else ""


def is_typed(key: str) -> bool:
    """Return True if the key types a character."""
    return key == "space" or key in _CHARACTERS or len(key) == 1


def shown_key(key: str) -> str:
    """Return a key as it is printed on a keyboard: `?` for `question_mark`, `shift+←` for `shift+left`."""
    match = _CHORD.fullmatch(key)
    modifiers, name = match.groups() if match else ("", key)
    return modifiers + _SHOWN.get(name, _CHARACTERS.get(name, name))
