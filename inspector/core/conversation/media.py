"""Images and documents inside messages: dimensions and page counts, read without decoding the file.

Providers bill images by their dimensions, which cannot be derived from the length of the base64 text.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from inspector.core.conversation.parts import Document, Image
from inspector.core.limits import limit

_PAGE = re.compile(rb"/Type\s*/Page\b")


def attachment(url: str, media_type: str = "", title: str = "") -> Image | Document:
    """Return the image or document that a URL or data URL refers to.

    Args:
        url: URL or data URL.
        media_type: MIME type. Default: the type in the data URL. An empty type is treated as an image.
        title: Title of a document.
    """
    data = ""
    if url.startswith("data:"):
        head, _, data = url.partition(",")
        media_type = media_type or head[5:].split(";")[0]
    if media_type and not media_type.startswith("image/"):
        return Document(media_type, title, pages(data) if data else 1, url)
    width, height = dimensions(_beginning(data)) if data else (0, 0)
    return Image(media_type, width, height, url)


def anthropic_source(block: dict[str, Any]) -> Image | Document | None:
    """Return an Anthropic `image` or `document` block as a part, or None if its source type is not supported."""
    title = str(block.get("title") or "")
    fallback = "" if block.get("type") == "image" else "application/pdf"
    match block.get("source"):
        case {"type": "base64", "data": str(data), **rest}:
            media_type = str(rest.get("media_type") or fallback or "image/png")
            return attachment(f"data:{media_type};base64,{data}", media_type, title)
        case {"type": "url", "url": str(url)}:
            return attachment(url, fallback, title)
    return None


def _beginning(data: str) -> bytes:
    """Return the bytes in which the dimensions of an image are searched. A JPEG can have a long preamble."""
    try:
        return base64.b64decode(data[: limit("picture") * 4 // 3 // 4 * 4], validate=False)
    except (binascii.Error, ValueError):
        return b""


def dimensions(data: bytes) -> tuple[int, int]:
    """Return the width and height in pixels of a PNG, GIF, WebP or JPEG image.

    Args:
        data: The first bytes of the file.

    Returns:
        Width and height, or (0, 0) if they are not in these bytes.
    """
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg(data)
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF


def _jpeg(data: bytes) -> tuple[int, int]:
    """Return the width and height in the first start-of-frame segment."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return 0, 0


def pages(data: str) -> int:
    """Return the number of page objects in a base64 PDF, at least 1. Pages in compressed streams are not counted."""
    if len(data) > limit("document"):
        return 1
    try:
        return max(1, len(_PAGE.findall(base64.b64decode(data))))
    except (binascii.Error, ValueError):
        return 1
