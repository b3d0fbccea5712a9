"""The keys that work right now, in one line. Those that fit are shown; `?` and the palette have them all."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
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
GAP = 2


class KeyBar(Widget):
    """Draws the keys that fit, help always among them; a click on one is as good as the key."""

    keys: reactive[tuple[Key, ...]] = reactive(())

    def fitting(self) -> list[Key]:
        """The keys there is room for, in their order, and help."""
        room = self.size.width - 1 - width_of(HELP)
        fitting: list[Key] = []
        for key in self.keys:
            if width_of(key) <= room:
                fitting.append(key)
                room -= width_of(key)
        return [*fitting, HELP]

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        line = Text(" ", no_wrap=True)
        for key in self.fitting():
            line.append(key.key, palette.ink("primary", bold=True))
            line.append(f" {key.label}".ljust(width_of(key) - len(key.key)), palette.dim)
        return line

    async def on_click(self, event: events.Click) -> None:
        reach = 1
        for key in self.fitting():
            reach += width_of(key)
            if event.x < reach:
                if key.action:
                    await self.run_action(key.action)
                return


def width_of(key: Key) -> int:
    return cell_len(key.key) + 1 + cell_len(key.label) + GAP


def offered(*, trying: bool, applied: bool, compacted: bool, troubled: bool, agents: int) -> tuple[Key, ...]:
    """The keys of Inspect that do something right now, the most wanted first."""
    keys = [
        Key("←→", "turn", "screen.turn(1)"),
        compacted and Key("c", "compaction", "screen.compaction(1)"),
        Key("s", "strategy", "screen.strategy"),
        trying and Key("+-", "knob", "screen.turn_knob(1)"),
        trying and Key("a", "apply", "screen.apply"),
        applied and Key("u", "undo", "screen.undo"),
        (trying or applied) and Key("x", "diff", "screen.diff"),
        troubled and Key("!", "problems", "screen.problems"),
        Key("enter", "read", "screen.open"),
        Key("p", "pin", "screen.pin"),
        Key("d", "drop", "screen.drop"),
        Key("e", "export", "screen.export"),
        agents > 1 and Key("n", "agent", "screen.agent(1)"),
        Key("esc", "stop trying" if trying else "library", "screen.back"),
    ]
    return tuple(key for key in keys if key)
