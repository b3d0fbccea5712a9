"""What a person can do at a terminal, as words: keys, several keys in one read, clicks, other sizes of the terminal.

s   enter   burst:enter,enter   click:12,3   double:12,3   resize:80x24   wait:0.2
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from textual.binding import Binding

from inspector.ui.dialogs.overlay import Overlay

SIZES = ((120, 40), (80, 24), (160, 50), (200, 60), (100, 30), (60, 20), (40, 12), (20, 5), (250, 70))
MOVES = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab", "shift+tab")
ODD = ("ctrl+p", "question_mark", "ctrl+home", "ctrl+end", "backspace", "delete", "f1", "ctrl+c", "shift+left", "space")
MODES = ("1", "2", "3", "4")
TEXT = tuple("abcdefghijklmnopqrstuvwxyz0123456789-=/., ")


def own_keys() -> tuple[str, ...]:
    """Every key that any screen or dialog of the app is bound to."""
    from inspector.ui.app import InspectorApp

    keys: set[str] = set()
    screens = [mode for mode in InspectorApp.MODES.values() if isinstance(mode, type)]
    for kind in (*screens, *overlays(Overlay)):
        for part in kind.__mro__:
            for binding in vars(part).get("BINDINGS", ()) if part.__module__.startswith("inspector.") else ():
                keys |= set(binding.key.split(",")) if isinstance(binding, Binding) else set()
    return tuple(sorted(keys - {"ctrl+q"}))


def overlays(kind: type[Any]) -> Iterator[type[Any]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from overlays(derived)


def random_steps(random: Random, count: int) -> Iterator[str]:
    """So many steps, about half of them keys that do something."""
    own = own_keys()

    def key() -> str:
        pool = random.choices((own, MOVES, MODES, ODD, TEXT), (50, 30, 6, 8, 6))[0]
        return random.choice(pool)

    width, height = SIZES[0]
    for _ in range(count):
        match random.choices(("key", "burst", "repeat", "click", "resize", "wait"), (62, 14, 4, 10, 4, 6))[0]:
            case "key":
                yield key()
            case "burst":
                yield "burst:" + ",".join(key().replace(",", "comma") for _ in range(random.randint(2, 6)))
            case "repeat":
                yield "burst:" + ",".join([key().replace(",", "comma")] * random.randint(2, 12))
            case "click":
                kind = random.choice(("click", "click", "double"))
                yield f"{kind}:{random.randint(1, width)},{random.randint(1, height)}"
            case "resize":
                width, height = random.choice(SIZES)
                yield f"resize:{width}x{height}"
            case _:
                yield f"wait:{random.choice((0.02, 0.1, 0.5, 1.5))}"
