"""What a person can do at a terminal, as words: keys, several keys in one read, clicks, other sizes of the terminal.

s   enter   burst:enter,enter   click:12,3   double:12,3   resize:80x24   wait:0.2
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from random import Random
from typing import Any

from textual.binding import Binding
from textual.screen import Screen

import inspector.ui

SIZES = ((120, 40), (80, 24), (160, 50), (200, 60), (100, 30), (60, 20), (40, 12), (20, 5), (250, 70))
MOVES = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab", "shift+tab")
ODD = ("ctrl+p", "question_mark", "ctrl+home", "ctrl+end", "backspace", "delete", "f1", "ctrl+c", "shift+left", "space")
MODES = ("1", "2", "3", "4")
TEXT = tuple("abcdefghijklmnoprstuvwxyz0123456789-=/., ")  # without q, which quits


@cache
def own_keys() -> tuple[str, ...]:
    """Every key that any screen or dialog of the app is bound to. All of them are loaded, so it is always the same.

    Those that quit are not among them.
    """
    for module in walk_packages(inspector.ui.__path__, "inspector.ui."):
        import_module(module.name)
    keys: set[str] = set()
    for kind in subclasses(Screen):
        for binding in vars(kind).get("BINDINGS", ()) if kind.__module__.startswith("inspector.") else ():
            keys |= set(binding.key.split(",")) if isinstance(binding, Binding) else set()
    return tuple(sorted(keys - {"ctrl+q", "q"}))


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from subclasses(derived)


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
