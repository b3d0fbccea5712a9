"""Pictures and documents: their size is read from the first bytes, never decoded."""

from __future__ import annotations

import base64
import struct

import pytest

from inspector.core.conversation import Document, Image
from inspector.core.conversation.media import anthropic_source, attachment, dimensions, pages

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x06\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 20, 10)
SEGMENT = b"\xff\xe1\x00\x10" + b"x" * 14
JPEG = b"\xff\xd8" + SEGMENT + b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 300, 400) + b"\x03"
VP8X = b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
VP8L = b"RIFF\0\0\0\0WEBPVP8L" + b"\0" * 4 + b"\x2f" + (99 | 49 << 14).to_bytes(4, "little") + b"\0" * 9
VP8 = b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + struct.pack("<HH", 100, 50)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (640, 480)),
        (GIF, (20, 10)),
        (JPEG, (400, 300)),
        (VP8X, (100, 50)),
        (VP8L, (100, 50)),
        (VP8, (100, 50)),
        (b"", (0, 0)),
        (PNG[:20], (0, 0)),
        (GIF[:7], (0, 0)),
        (JPEG[:15], (0, 0)),
        (b"\xff\xd8\xff\xe1\0\0" * 9, (0, 0)),
        (b"\xff\xd8nonsense", (0, 0)),
        (b"RIFF\0\0\0\0WEBPVP8X", (0, 0)),
        (b"nothing known", (0, 0)),
    ],
)
def test_dimensions(data: bytes, size: tuple[int, int]) -> None:
    assert dimensions(data) == size


def test_a_data_url_is_a_picture_with_its_size() -> None:
    url = "data:image/png;base64," + base64.b64encode(PNG + b"\0" * 100_000).decode()
    assert attachment(url) == Image("image/png", 640, 480, url)


def test_an_address_is_a_picture_of_unknown_size() -> None:
    assert attachment("https://example.org/a.png") == Image("", 0, 0, "https://example.org/a.png")


@pytest.mark.parametrize("data", ["", "!!!", "a", "ü", "iVBOR", "data"])
def test_data_that_is_no_base64_has_no_size(data: str) -> None:
    assert attachment(f"data:image/png;base64,{data}") == Image("image/png", 0, 0, f"data:image/png;base64,{data}")


def test_documents_are_counted_by_their_pages() -> None:
    pdf = base64.b64encode(b"%PDF-1.4 /Type /Page /Type/Pages /Type /Page ").decode()
    url = f"data:application/pdf;base64,{pdf}"
    assert attachment(url, title="a.pdf") == Document("application/pdf", "a.pdf", 2, url)
    assert pages("not base64 at all!") == 1


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ({"type": "url", "url": "u"}, Image("", 0, 0, "u")),
        ({"type": "base64", "media_type": "image/gif", "data": ""}, Image("image/gif", 0, 0, "data:image/gif;base64,")),
        ({"type": "base64", "data": ""}, Image("image/png", 0, 0, "data:image/png;base64,")),
        ({"type": "file", "file_id": "f"}, None),
        ("nonsense", None),
    ],
)
def test_anthropic_pictures(source: object, part: Image | None) -> None:
    assert anthropic_source({"type": "image", "source": source}) == part


def test_anthropic_documents() -> None:
    assert anthropic_source({"type": "document", "title": "a", "source": {"type": "url", "url": "u"}}) == Document(
        "application/pdf", "a", 1, "u"
    )
