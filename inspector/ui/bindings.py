"""Textual bindings made from the table of keys, and the keys that have an effect on a screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen

from inspector.ui.key_names import shown_key
from inspector.ui.key_remaps import keymap
from inspector.ui.keymap import PLACES, VERBS


def bindings(place: str) -> list[BindingType]:
    """Return the bindings of a place in `PLACES`. A binding's ID is its verb, by which a user's keymap finds it."""
    first = PLACES[place].first
    return [
        Binding(",".join(VERBS[verb].keys), action, effect, show=bool(effect), priority=verb in first, id=verb)
        for verb, action, effect in PLACES[place].uses
    ]


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """The keys of the focused part, of a screen or of the app."""

    title: str
    keys: tuple[tuple[str, str], ...]
    """The keys of each verb as text, and its effect."""


def active_keys(screen: Screen[Any], title: str) -> list[KeyGroup]:
    """Return the keys that have an effect on a screen: those of the focused part, of the screen and of the app.

    Args:
        screen: Screen with the focus.
        title: Name of the screen.
    """
    focused = screen.focused
    parts = [(screen, title), *([] if screen.is_modal else [(screen.app, PLACES["app"].title)])]
    if focused is not None:
        own = {verb for node, _ in parts for verb in _effects(node)}
        rows = {verb: effect for verb, effect in _effects(focused).items() if verb not in own}
        first = [(f"{title}: the part with the focus", rows)]
    else:
        first = []
    groups = [*first, *((name, _effects(node)) for node, name in parts)]
    return [KeyGroup(name, tuple((_key_text(verb), effect) for verb, effect in rows.items())) for name, rows in groups]


def _effects(node: DOMNode) -> dict[str, str]:
    """Return the effects of a node's verbs, without those that have no description."""
    declared = [binding for part in type(node).__mro__ for binding in vars(part).get("BINDINGS", ())]
    named = [binding for binding in declared if isinstance(binding, Binding) and binding.id and binding.description]
    effects: dict[str, str] = {}
    for binding in named:  # of a class before those of its base classes
        effects.setdefault(str(binding.id), binding.description)
    return effects


def _key_text(verb: str) -> str:
    return " ".join(map(shown_key, keymap().keys(verb)))
