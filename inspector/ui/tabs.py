"""The screens as the title line lists them, with keys, names and descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from inspector.ui.key_remaps import key_of


@dataclass(frozen=True, slots=True)
class Tab:
    """A screen: its mode in the app, which is also its verb, its name, description, and if it needs a session."""

    mode: str
    name: str
    about: str
    needs_session: bool = True

    @property
    def key(self) -> str:
        """The key in force as text."""
        return key_of(self.mode)


TABS: Sequence[Tab] = (
    Tab("sessions", "Sessions", "The library of sessions", needs_session=False),
    Tab("inspect", "Inspect", "The open session"),
    Tab("replay", "Replay", "Replay the open session under a preset"),
    Tab("tune", "Tune", "Compare presets on the open session"),
    Tab("memory", "Memory", "Memory tiers", needs_session=False),
    Tab("agents", "Agents", "Text that agents wrote and received"),
    Tab("live", "Live", "Follow a session while it is written", needs_session=False),
    Tab("overview", "Overview", "Totals over all stored sessions", needs_session=False),
)

_AIRY, _CLOSE = 24, 14
"""Cells kept free next to the names in wide and in narrow spacing."""


@dataclass(frozen=True, slots=True)
class PlacedTab:
    """A tab as drawn: its text, which begins with the key, its first cell, and the cell after its last one."""

    tab: Tab
    text: str
    start: int
    end: int


def placed_tabs(front: str, width: int, tabs: Sequence[Tab] = TABS) -> tuple[PlacedTab, ...]:
    """Place the tabs on a line: all names if they fit, otherwise without the last ones, but with that of the front.

    Args:
        front: Mode that is shown.
        width: Cells of the line.
        tabs: Tabs to place.
    """
    names = [f" {tab.key} {tab.name}" for tab in tabs]
    ends = [" " if tab.mode == front else "" for tab in tabs]
    length = sum(map(cell_len, names))
    if width >= length + len(tabs) + _AIRY:
        ends = [" "] * len(tabs)
    for place in reversed(range(len(tabs))):
        if not ends[place] and width < sum(map(cell_len, names)) + 1 + _CLOSE:
            names[place] = f" {tabs[place].key}"
    if sum(map(cell_len, names)) + 1 > width:
        names = [f" {tab.key}" for tab in tabs]
    placed, start = [], 0
    for tab, name, end in zip(tabs, names, ends, strict=True):
        text = name + end
        placed.append(PlacedTab(tab, text, start, start := start + cell_len(text)))
    return tuple(placed)
