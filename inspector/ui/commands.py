"""The command palette: every action of the screen one is on, by name, and every strategy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider

from inspector.strategies import STRATEGIES
from inspector.ui.screens.inspect import Inspect


class Actions(Provider):
    """Reads the bindings of the current screen, so that a new key is in the palette by itself."""

    def offers(self) -> Iterator[tuple[str, str, str]]:
        """(name, help, action) of all there is to do here."""
        for binding in self.screen.BINDINGS:
            if isinstance(binding, Binding) and binding.description:
                yield binding.description, f"key {written(binding.key)}", f"screen.{binding.action}"
        if isinstance(self.screen, Inspect):
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


WRITTEN = {"exclamation_mark": "!", "slash": "/", "escape": "esc", "plus": "+", "minus": "-", "left": "←", "right": "→"}
WRITTEN |= {"greater_than_sign": ">", "less_than_sign": "<", "shift+left": "shift ←", "shift+right": "shift →"}


def written(keys: str) -> str:
    """The first of a binding's keys as it is printed on a keyboard."""
    key = keys.split(",")[0]
    return WRITTEN.get(key, key)
