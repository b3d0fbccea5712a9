"""The keys that work right now, in one line. Those that fit are shown; `?` and the palette have them all."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.ui.palette import Palette


@dataclass(frozen=True, slots=True)
class Key:
    """A key as it is offered: how it is written, what it does, and the action that a click runs."""

    key: str
    label: str
    action: str


HELP = Key("?", "help", "app.help")


class KeyBar(Widget):
    keys: reactive[tuple[Key, ...]] = reactive(())

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        room = self.size.width - len("  ? help ")
        line = Text(" ", no_wrap=True)
        for key in self.keys:
            if line.cell_len + len(key.key) + len(key.label) + 3 > room:
                continue
            line.append_text(offered(key, palette))
        line.append_text(offered(HELP, palette))
        return line


def offered(key: Key, palette: Palette) -> Text:
    click = Style(meta={"@click": key.action})
    text = Text(no_wrap=True)
    text.append(key.key, palette.ink("primary", bold=True) + click)
    text.append(f" {key.label}", palette.dim + click)
    text.append("  ")
    return text
