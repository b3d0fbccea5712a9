"""The command palette: every action of the screen one is on, by name, every preset and every strategy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider

from inspector.presets import PRESETS
from inspector.strategies import STRATEGIES
from inspector.ui.screens.inspect import Inspect


class Actions(Provider):
    """Reads the bindings of the current screen, so that a new key is in the palette by itself."""

    def offers(self) -> Iterator[tuple[str, str, str]]:
        """(name, help, action) of all there is to do here."""
        for binding in bindings(type(self.screen)):
            if binding.description:
                yield binding.description, f"key {written(binding.key)}", f"screen.{binding.action}"
        if isinstance(self.screen, Inspect):
            for name, preset in PRESETS.items():
                yield f"Try preset {name}", f"{preset.strategy}, {preset.about}", f"screen.try('{name}')"
            for name, strategy in STRATEGIES.items():
                yield f"Try {name}", strategy.about, f"screen.try('{name}')"

    async def discover(self) -> Hits:
        for name, text, action in self.offers():
            yield DiscoveryHit(name, partial(self.app.run_action, action, self.screen), help=text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, text, action in self.offers():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), partial(self.app.run_action, action, self.screen), help=text)


def bindings(screen: type) -> Iterator[Binding]:
    """The keys of a screen, also of what it is made of, without those that every screen has."""
    for part in screen.__mro__:
        if part.__module__.startswith("inspector."):
            yield from (each for each in vars(part).get("BINDINGS", ()) if isinstance(each, Binding))


WRITTEN = {"exclamation_mark": "!", "slash": "/", "escape": "esc", "plus": "+", "minus": "-", "left": "←", "right": "→"}
WRITTEN |= {"greater_than_sign": ">", "less_than_sign": "<", "shift+left": "shift ←", "shift+right": "shift →"}


def written(keys: str) -> str:
    """The first of a binding's keys as it is printed on a keyboard."""
    key = keys.split(",")[0]
    return WRITTEN.get(key, key)
