"""What people and the board get to see."""

from collections.abc import Sequence
from datetime import datetime

from tidegate.gate import Gate
from tidegate.week import days_of, hours, total
from tidegate.windows import Window

COLUMN = 6
"""Characters for a time on the pre-printed form."""


def sheet(windows: Sequence[Window], gate: Gate) -> str:
    """The keeper's sheet of a week, as text."""
    days = days_of(windows)
    first, last = min(days), max(days)
    lines = [f"{gate.name.upper()} TIDE GATE, week {last.isocalendar().week}: {first:%d %b} to {last:%d %b %Y}", ""]
    lines.append(f"{'day':8}{'opens':>{COLUMN}}  {'closes':>{COLUMN}}  {'min':>5}")
    for day, of_day in days.items():
        name = f"{day:%a %d}"
        for window in of_day or ():
            lines.append(f"{name:8}{clock(window.opens)}  {clock(window.closes)}  {window.minutes:>5}")
            name = ""
    lines += ["", f"{'total':8}{'':{2 * COLUMN + 2}}  {total(windows):>5}   {hours(total(windows))}"]
    return "\n".join(lines) + "\n"


def clock(moment: datetime) -> str:
    """A time for the form."""
    return f"{moment:%H:%M}".rjust(COLUMN)


def board(windows: Sequence[Window]) -> str:
    """The feed for the board on the quay: see docs/board-feed.md."""
    rows = ["opens,closes,minutes"]
    rows += [f"{window.opens:%Y-%m-%d %H:%M},{window.closes:%Y-%m-%d %H:%M},{window.minutes}" for window in windows]
    return "".join(f"{row}\r\n" for row in rows[:41])


def totals(windows: Sequence[Window]) -> str:
    """Minutes open, by day."""
    lines = [f"{day:%a %Y-%m-%d}  {total(of_day):>5}" for day, of_day in days_of(windows).items()]
    return "\n".join([*lines, f"{'week':14}  {total(windows):>5}"]) + "\n"
