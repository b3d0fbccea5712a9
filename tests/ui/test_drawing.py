"""Widgets that draw lines of text look as if Textual had drawn them."""

from __future__ import annotations

import pytest
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from inspector.ui.widgets.drawing import Drawing, strips_of

RED, BOLD, ON_BLUE = Style(color="#ff0000"), Style(bold=True), Style(bgcolor="#0000ff")


def overlapping() -> Text:
    text = Text("one two three\nfour five", ON_BLUE)
    text.stylize(RED, 2, 16)
    text.stylize(BOLD, 4, 7)
    return text


TEXTS = {
    "runs in order": Text.assemble(("a", RED), " plain ", ("b\nc", BOLD), "\n", ("d", ON_BLUE)),
    "spans over each other": overlapping(),
    "empty lines": Text("\n\nlast", RED),
    "wide characters": Text.assemble(("日本", RED), ("語 x", BOLD)),
    "a style by name": Text.assemble(("bold", "bold #ff0000"), " plain"),
    "nothing": Text(),
    "lines that are too wide": Text.assemble(
        ("one two three four five six\n", RED), ("seven eight nine ten eleven", BOLD)
    ),
    "only blanks that are too wide": Text("one two three four      ", ON_BLUE),
}


class Plain(Widget):
    """Draws a text as Textual does."""

    def __init__(self, text: Text) -> None:
        super().__init__()
        self.text = text

    def render(self) -> Text:
        return self.text


class Drawn(Drawing):
    """Draws a text line by line."""

    def __init__(self, text: Text) -> None:
        super().__init__()
        self.text = text

    def render(self) -> Text:
        return self.text


def cells(strips: list[Strip]) -> list[list[tuple[object, ...]]]:
    """Return the characters of each line, with their backgrounds; with their colours and boldness unless blank."""
    return [
        [
            (
                character,
                segment.style.bgcolor,
                *((segment.style.color, bool(segment.style.bold)) if character > " " else ()),
            )
            for segment in strip
            for character in segment.text
            if segment.style
        ]
        for strip in strips
    ]


@pytest.mark.parametrize("name", TEXTS)
async def test_a_text_looks_the_same_as_drawn_by_textual(name: str) -> None:
    class Both(App[None]):
        CSS = "Plain, Drawn { height: 4; width: 20; color: #00ff00; background: #101010; }"

        def compose(self) -> ComposeResult:
            yield Plain(TEXTS[name])
            yield Drawn(TEXTS[name])

    app = Both()
    async with app.run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        plain, drawn = app.query_one(Plain), app.query_one(Drawn)
        assert cells(drawn.render_lines(drawn.size.region)) == cells(plain.render_lines(plain.size.region))


async def test_a_changed_text_is_drawn_again() -> None:
    class One(App[None]):
        CSS = "Drawn { height: 2; width: 8; }"

        def compose(self) -> ComposeResult:
            yield Drawn(Text("before"))

    app = One()
    async with app.run_test(size=(30, 10)) as pilot:
        drawn = app.query_one(Drawn)
        for text, lines in (
            ("after", ["after   ", "        "]),
            ("after that", ["after   ", "that    "]),
            ("a\nb", ["a       ", "b       "]),
        ):
            drawn.text = Text(text)
            drawn.refresh()
            await pilot.pause()
            assert [strip.text for strip in drawn.render_lines(drawn.size.region)] == lines


def test_runs_have_one_style_each() -> None:
    (line,) = strips_of(Text.assemble(("ab", RED), "c"), BOLD)
    assert [(segment.text, segment.style) for segment in line] == [("ab", BOLD + RED), ("c", BOLD)]
