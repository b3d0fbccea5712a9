"""The state of the work as rows of a list: at a turn, and before and after a compaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from inspector.analysis.replay import WorkProbe
from inspector.core.text import one_line
from inspector.engine.work_state import FATES, Consequence, Fate, StateFate, StateItem, WorkState, item_text
from inspector.library.diagnosis import consequence_label


@dataclass(frozen=True, slots=True)
class StateHeading:
    """A heading above rows of the state, with the names of its columns."""

    title: str
    columns: tuple[str, str, str] = ("", "", "")


@dataclass(frozen=True, slots=True)
class StateRow:
    """One line about the state of the work."""

    label: str
    text: str
    after: str = ""
    """Wording in the new context, or what a reply goes against."""
    end: str = ""
    """Fate, or turn."""
    fate: Fate = "kept"
    message: str = ""
    """Id of the message that the line is about."""
    is_consequence: bool = False


def item_rows(state: WorkState) -> tuple[StateRow, ...]:
    """Return one row for each item that holds, newest first within a part. The label names the part once."""
    rows: list[StateRow] = []
    for part, items in groupby(state, key=lambda item: item.part):
        rows += [_item_row("" if number else part, item) for number, item in enumerate(reversed(list(items)))]
    return tuple(rows)


def _item_row(label: str, item: StateItem) -> StateRow:
    return StateRow(label, item_text(item), end=f"turn {item.turn:,}", message=item.message)


def change_rows(consequences: Sequence[Consequence], fates: Sequence[StateFate]) -> tuple[StateHeading | StateRow, ...]:
    """Return what followed a compaction, and the state across it, under their headings.

    Each part of the state has one row.

    Args:
        consequences: Later actions and statements that go against the state.
        fates: Fates of the items of the state.
    """
    rows: list[StateHeading | StateRow] = []
    if consequences:
        rows.append(StateHeading(f"What followed ({len(consequences):,})", ("", "against", "done in")))
        rows += map(_consequence_row, consequences)
    if fates:
        rows.append(StateHeading("State", ("before", "in the new context", "fate")))
        rows += _part_rows(fates)
    return tuple(rows)


def question_rows(probes: Sequence[WorkProbe]) -> tuple[StateHeading | StateRow, ...]:
    """Return the questions about the work that the new context leaves open, under a heading; empty without any."""
    open_ones = [probe for probe in probes if not probe.is_answered]
    if not open_ones:
        return ()
    heading = StateHeading(f"Unanswered ({len(open_ones):,} of {len(probes):,})", ("answer in the log", "", ""))
    rows = (StateRow(probe.kind, probe.answer, fate="dropped", message=probe.message) for probe in open_ones)
    return (heading, *rows)


def _consequence_row(one: Consequence) -> StateRow:
    label = consequence_label(one.kind)
    item = f"“{one_line(one.item)}”"
    return StateRow(label, one_line(one.evidence), item, f"turn {one.turn:,}", "revived", one.message, True)


def _part_rows(fates: Sequence[StateFate]) -> Iterator[StateRow]:
    """Yield a row for each part: its worst item, and the number of items with that fate."""
    for part, group in groupby(fates, key=lambda row: row.part):
        items = sorted(group, key=lambda row: FATES.index(row.fate))
        worst = items[0]
        count = sum(item.fate == worst.fate for item in items)
        state = f"{worst.before}: " if worst.part in ("task", "plan") and worst.before else ""
        before = "—" if worst.fate == "invented" else f"{state}{one_line(worst.item)}"
        end = f"{count:,} {worst.fate}" if count > 1 else worst.fate
        yield StateRow(part, before, one_line(worst.after) or "—", end, worst.fate, worst.message)
