"""The state of the work as rows of a list: at a turn, and before and after a compaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from inspector.analysis.replay import SummaryStatement, WorkProbe
from inspector.core.text import one_line
from inspector.engine.work_state import (
    CONSEQUENCES,
    FATES,
    Consequence,
    Fate,
    StateFate,
    StateItem,
    WorkState,
    item_text,
)
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
        rows += map(_consequence_row, sorted(consequences, key=lambda one: CONSEQUENCES.index(one.kind)))
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


def statement_rows(
    statements: Sequence[SummaryStatement], numbers: Mapping[str, int]
) -> tuple[StateHeading | StateRow, ...]:
    """Return the invented and revived statements of a summary, with what was said before; empty without any.

    Args:
        statements: The statements.
        numbers: Numbers of the messages in the log, by id.
    """
    if not statements:
        return ()
    heading = StateHeading(f"Invented or revived ({len(statements):,})", ("in the summary", "closest before", ""))
    return (heading, *(_statement_row(one, numbers.get(one.message, 0)) for one in statements))


def _statement_row(one: SummaryStatement, number: int) -> StateRow:
    end = f"#{number:,}" if number else ""
    return StateRow(one.fate, one.statement, one.before or "—", end, one.fate, one.message if number else "")


def _consequence_row(one: Consequence) -> StateRow:
    label = consequence_label(one.kind)
    item = f"“{one_line(one.item)}”"
    return StateRow(label, one_line(one.evidence), item, f"turn {one.turn:,}", "revived", one.message, True)


def _part_rows(fates: Sequence[StateFate]) -> Iterator[StateRow]:
    """Yield a row for each part: its worst item, and the number of items with that fate.

    Invented and revived items have a row each.
    """
    for _, group in groupby(fates, key=lambda row: row.part):
        items = sorted(group, key=lambda row: FATES.index(row.fate))
        worst = items[0]
        if worst.fate in ("invented", "revived"):
            yield from (_fate_row(row, row.fate) for row in items if row.fate in ("invented", "revived"))
            continue
        count = sum(item.fate == worst.fate for item in items)
        yield _fate_row(worst, f"{count:,} {worst.fate}" if count > 1 else worst.fate)


def _fate_row(row: StateFate, end: str) -> StateRow:
    state = f"{row.before}: " if row.part in ("task", "plan") and row.before else ""
    before = "—" if row.fate == "invented" else f"{state}{one_line(row.item)}"
    return StateRow(row.part, before, one_line(row.after) or "—", end, row.fate, row.message)
