"""Sharing the height of a screen between a list and the panel with the details of its line."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from textual.css.scalar import Scalar
from textual.widget import Widget


@runtime_checkable
class RoomSharing(Protocol):
    """A screen or panel that sets the heights of its parts."""

    def make_room(self) -> None:
        """Set the heights. Called when they may have to change."""


def toggle_zoom(panel: Widget) -> None:
    """Give a panel the whole screen, or give all panels their room again. A dialog stays as it is."""
    screen = panel.screen
    if screen.maximized is not None:
        screen.minimize()
    elif not screen.is_modal:
        for part in screen.walk_children(with_self=True):
            if isinstance(part, RoomSharing):
                screen.watch(screen, "maximized", part.make_room, init=False)
        screen.maximize(panel)


def set_height(widget: Widget, lines: int) -> bool:
    """Set the height of a widget in lines, or all the room if it is zoomed. Return False if it has this height."""
    height = Scalar.parse("1fr" if widget.is_maximized else str(lines))
    if widget.styles.height == height:
        return False
    widget.styles.height = height
    return True


def list_lines(lines: int, room: int, detail: int) -> int:
    """Return the height of a list above its details: its lines, as long as the details keep their minimum.

    Args:
        lines: Lines of the list.
        room: Lines for both.
        detail: Minimum lines of the details.
    """
    return max(1, min(lines, room - detail))


def shared_room(above: Widget, below: Widget, bottom: int) -> int:
    """Return the lines that two widgets share.

    Args:
        above: Upper widget.
        below: Lower widget.
        bottom: Row after the last one of both.
    """
    return bottom - above.region.y - (below.region.y - above.region.bottom)
