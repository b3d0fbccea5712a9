"""The page of formats, and the command that lists them."""

from __future__ import annotations

from inspector.formats import FORMATS
from inspector.formats.format_reference import format_reference
from tests.cli.calling import inspect
from tests.places import ROOT

PAGE = ROOT / "docs" / "formats.md"


def test_the_page_is_what_the_formats_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == format_reference(), "make docs writes it anew"


def test_the_command_lists_every_format() -> None:
    text = inspect("formats").out
    assert all(name in text for name in FORMATS)
