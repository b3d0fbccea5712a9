"""Sanitising untrusted text, so that no control characters reach the terminal.

Transcripts contain escape sequences, NUL bytes, right-to-left overrides and more. All text that the app or the command
line shows is sanitised here. Stored and exported text is unchanged.
"""

from __future__ import annotations

import re

CONTROL = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f"  # C0 except tab and newline, and DEL
    "\x80-\x9f"  # C1: some terminals interpret these as escapes
    "\u00ad\u061c\u180e"  # soft hyphen, Arabic letter mark, Mongolian vowel separator
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # signs that enclose the following characters
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format controls: hieroglyphs, shorthand, music
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero-width, directional marks, line separators, isolates
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb"  # variation selectors, byte-order mark, interlinear marks
    "\ud800-\udfff"  # lone surrogates, which cannot be encoded as UTF-8
    "\U000e0000-\U000e0fff"  # tags and more variation selectors
    "]"
)
_NAMES = {"\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO"}
_NAMES |= {"\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI"}
_SILENT = frozenset("\u200b\u200c\u200d\u2060\u00ad\ufeff") | {chr(code) for code in range(0xFE00, 0xFE10)}
"""Harmless zero-width characters. They are removed to keep columns aligned."""
_TAB = "    "


def visible(text: str) -> str:
    """Return `text` with visible signs for control characters; newlines are kept, and tabs become four spaces."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\t", _TAB)
    return CONTROL.sub(_sign, text) if CONTROL.search(text) else text


def harmless(text: str) -> str:
    """Return `text` with visible signs for control characters, for a file. Newlines and tabs are kept."""
    return CONTROL.sub(_sign, text.replace("\r\n", "\n"))


def without_controls(text: str) -> str:
    """Return `text` without control characters, for the clipboard. Newlines and tabs are kept."""
    return CONTROL.sub("", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return `text` on one line, with collapsed whitespace and visible signs for control characters."""
    return visible(" ".join(text.split()))


def _sign(match: re.Match[str]) -> str:
    char = match.group()
    if char in _SILENT:
        return ""
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    if char in _NAMES:
        return f"⟨{_NAMES[char]}⟩"
    return f"⟨{ord(char):04X}⟩"
