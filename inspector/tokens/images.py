"""What pictures and documents take: by pixels and pages, as the providers publish it, never by the length of base64.

Both formulas are the published ones of the providers' vision guides. What a model really bills can differ by its
generation, so a session with reported usage is calibrated on top of this.
"""

from __future__ import annotations

from math import ceil

from inspector.conversation import Dialect, Document, Image

_OPENAI_BASE = 85
_OPENAI_TILE = 170
_OPENAI_UNKNOWN = 1_105
"""A picture whose size no one recorded: the guide's own example of a large one, six tiles."""
_ANTHROPIC_LONG_EDGE = 1_568
_ANTHROPIC_PIXELS = 750
"""Pixels that make one token."""
ANTHROPIC_MOST = 1_600
"""Larger pictures are scaled down to about this many tokens first; so is, most likely, one of unknown size."""
_PAGE = 2_000
"""A page of a PDF. Published: 1,500 to 3,000 tokens, its text and its picture; a page of prose measures 2,100."""


def image_tokens(image: Image, dialect: Dialect) -> int:
    """Tokens of a picture at full detail, by the rule of the provider whose form the message is in."""
    if image.width <= 0 or image.height <= 0:
        return unknown_tokens(dialect)
    count = _anthropic_tokens if dialect == "anthropic" else _openai_tokens
    return count(image.width, image.height)


def unknown_tokens(dialect: Dialect) -> int:
    """Tokens of a picture of unknown size."""
    return ANTHROPIC_MOST if dialect == "anthropic" else _OPENAI_UNKNOWN


def _openai_tokens(width: int, height: int) -> int:
    """Scaled down into 2048 x 2048, then until the short side is 768; 170 for each tile of 512, and 85."""
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    tiles = ceil(round(width * scale, 3) / 512) * ceil(round(height * scale, 3) / 512)
    return _OPENAI_BASE + _OPENAI_TILE * tiles


def _anthropic_tokens(width: int, height: int) -> int:
    """Scaled down to a long edge of 1568; a token for every 750 pixels, at most 1,600."""
    scale = min(1.0, _ANTHROPIC_LONG_EDGE / max(width, height))
    return min(ANTHROPIC_MOST, ceil(width * scale * height * scale / _ANTHROPIC_PIXELS))


def document_tokens(document: Document) -> int:
    return _PAGE * max(1, document.pages)
