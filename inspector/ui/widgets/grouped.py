"""A list of choices under headings. The cursor stops at choices only, and typed text filters them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from inspector.core.text import clipped_words
from inspector.ui.widgets.lines import LineList, Span

T = TypeVar("T")


@dataclass(frozen=True)
class GroupChoice(Generic[T]):
    """A line to choose: its name, a description and its value."""

    name: str
    about: str
    value: T


@dataclass(frozen=True)
class Group(Generic[T]):
    """Choices under a heading."""

    heading: str
    about: str
    colour: str
    choices: tuple[GroupChoice[T], ...]

    def matching(self, words: Sequence[str]) -> Group[T]:
        """Return the group with only those choices that contain every word in their name, description or heading."""
        choices = tuple(
            choice
            for choice in self.choices
            if all(word in f"{choice.name} {choice.about} {self.heading}".lower() for word in words)
        )
        return Group(self.heading, self.about, self.colour, choices)


def _nearness(name: str, text: str) -> int:
    """Return how poorly a name matches typed text, from 0 for an exact match to 3 for no match."""
    name = name.lower()
    return 0 if name == text else 1 if name.startswith(text) else 2 if text in name else 3


class GroupedList(LineList, Generic[T]):
    """Choices in groups. The cursor is highlighted while an input next to the list has the focus."""

    lit = True
    empty = "  no match"

    def __init__(self, groups: Sequence[Group[T]], name_width: int, id: str | None = None) -> None:
        """Create a list.

        Args:
            groups: Groups to show.
            name_width: Cells for the names.
            id: ID of the widget.
        """
        super().__init__(id=id)
        self.groups = groups
        self.name_width = name_width
        self.lines: list[Group[T] | GroupChoice[T] | None] = []
        self.lay_out(groups)

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def current(self) -> GroupChoice[T] | None:
        line = self.lines[self.cursor] if self.cursor < len(self.lines) else None
        return line if isinstance(line, GroupChoice) else None

    def lay_out(self, groups: Sequence[Group[T]]) -> None:
        self.lines = []
        for group in groups:
            if group.choices:
                self.lines += [*([None] if self.lines else []), group, *group.choices]

    def show(self, groups: Sequence[Group[T]], name: str) -> None:
        """Show other groups, with the cursor on the choice with a name, or on the first one."""
        self.groups = groups
        self.lay_out(groups)
        self.renew()
        self.go_to(name)

    def filter(self, text: str) -> None:
        words = text.lower().split()
        self.lay_out([group.matching(words) for group in self.groups])
        self.renew()
        self.go_to(min(self.names, key=lambda name: _nearness(name, text.lower()), default=""))

    @property
    def names(self) -> list[str]:
        return [line.name for line in self.lines if isinstance(line, GroupChoice)]

    def go_to(self, name: str) -> None:
        """Move to the choice with a name, or to the first one if no choice has it."""
        places = [place for place, line in enumerate(self.lines) if isinstance(line, GroupChoice)]
        matches = [place for place in places if getattr(self.lines[place], "name", "") == name]
        self.cursor = (matches or places or [0])[0]
        self.show_cursor()
        self.post_message(self.Moved(self))

    def is_selectable(self, line: int) -> bool:
        return isinstance(self.lines[line], GroupChoice)

    def show_cursor(self) -> None:
        """Scroll to the cursor, with its heading visible if both fit."""
        headings = (place for place in range(self.cursor, -1, -1) if isinstance(self.lines[place], Group))
        heading = next(headings, self.cursor) if self.lines else 0
        if self.cursor - heading < self.size.height:
            self.show_line(heading)
        super().show_cursor()

    def action_move(self, lines: int) -> None:
        self.move_past_headings(lines)

    def action_go(self, line: int) -> None:
        self.action_move(-self.count if line >= 0 else self.count)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        content = self.lines[line]
        if content is None:
            return []
        if isinstance(content, Group):
            return [
                (f"{content.heading}  ", self.palette.ink(content.colour, bold=True)),
                (clipped_words(content.about, max(0, width - len(content.heading) - 2)), self.palette.faint),
            ]
        about = clipped_words(content.about, max(0, width - self.name_width - 4))
        return [(f"  {content.name:<{self.name_width}} ", self.palette.strong), (about, self.palette.dim)]
