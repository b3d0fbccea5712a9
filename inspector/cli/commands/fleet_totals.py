"""`stats`: totals over all stored sessions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.rollups import ROLLUP_RULES
from inspector.cli.arguments import open_library
from inspector.cli.cluster_pool import cluster_option, pool_at
from inspector.cli.command_errors import BAD_INPUT, UsageError, gate
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.schema.values import Errors, Missed, json_output
from inspector.cli.text.stats_text import group_text, stats_text
from inspector.core.text import dollars, plural
from inspector.library import (
    BudgetPeriod,
    backfill_rollups,
    costs_by_period,
    first_day,
    fleet_sentence,
    fleet_stats,
    period_of,
)
from inspector.store import ROLLUP_GROUPS, RollupGroup, RollupPeriod, SessionStore, StatsRow, Store

_BUDGET = re.compile(r"\$?([0-9]{1,9}(?:\.[0-9]{1,4})?)/(day|week|month)")


@json_output()
class StatsOutput:
    """Totals over all stored sessions."""

    since: Annotated[str, "first UTC time of the last messages; empty for all sessions"]
    by: Annotated[RollupGroup | None, "what `rows` are grouped by; null without --by"]
    totals: StatsRow
    rows: Annotated[Sequence[StatsRow], "most expensive first, days and weeks in order; without --by, the weeks"]
    worst: Annotated[
        Mapping[str, Sequence[StatsRow]],
        "at most ten by project, file, server, tool and cause; empty with --by",
    ]
    missing: Annotated[int, "stored sessions that are not added up: inspector stats --backfill"]
    summary: Annotated[str, "the totals in a sentence; without any, the command that adds them up"]
    missed: Missed = ()
    unpriced: Annotated[int | None, "calls of unknown price that the budget does not include; null without one"] = None


@json_output()
class BackfillOutput:
    """Stored sessions that were added up."""

    added: Annotated[int, "sessions whose totals were stored"]
    errors: Errors


@click.command()
@click.option("--by", type=click.Choice(ROLLUP_GROUPS), help="Group the totals.")
@click.option(
    "--since",
    default="",
    metavar="AGE",
    help="Only sessions whose last message is not older: 30d, 12w, 6m, 1y, a date.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV, by project without --by.")
@click.option(
    "--fail-over",
    "budget",
    metavar="DOLLARS/PERIOD",
    help="Exit with 3 if a day, week or month cost more, as in 50/week: the current one, or with --since each one.",
)
@click.option("--backfill", is_flag=True, help="Add up the stored sessions that an earlier version imported.")
@cluster_option
@common
def stats(
    by: RollupGroup | None,
    since: str,
    as_csv: bool,
    budget: str | None,
    backfill: bool,
    cluster: str | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Show totals over all stored sessions: cost, compactions, repeated reads, tools.

    Sessions are added up when they are imported, and when following, recording or receiving them ends. Days and weeks
    are in UTC; a week has the date of its Monday. Without --by, prints the totals, the trend and the ten worst of each
    kind.
    """
    if as_csv and as_json:
        raise UsageError("--csv cannot be combined with --json.")
    if cluster and not backfill:
        raise UsageError("--cluster is for --backfill. Totals are read from this machine's store.")
    period, limit = _period(since), _budget(budget)
    with open_library(db, required=True) as lib:
        if backfill:
            if lib.team:
                raise UsageError("The totals of a team's store are added up where its sessions are pushed.")
            return _backfill(lib.required_store, cluster, as_json)
        store = lib.required_sessions
        missed, unpriced = _over_budget(store, period, limit) if limit else ([], None)
        if as_csv:
            echo(_csv(store.rollups.rows(by or "project", period)))
        elif as_json:
            echo_json(replace(_stats_output(store, by, period), missed=missed, unpriced=unpriced))
        else:
            echo("\n".join(_printed_rows(store, by, period)))
    if unpriced:
        warn(f"The budget does not include {plural(unpriced, 'call')} of unknown price.")
    return gate(missed)


def _printed_rows(store: SessionStore, by: RollupGroup | None, period: RollupPeriod) -> Iterator[str]:
    if by and (rows := store.rollups.rows(by, period)):
        return group_text(rows, by)
    totals = fleet_stats(store, period)
    return group_text((), by) if by and not totals.is_empty else stats_text(totals)


def _stats_output(store: SessionStore, by: RollupGroup | None, period: RollupPeriod) -> StatsOutput:
    totals = fleet_stats(store, period)
    return StatsOutput(
        since=period.since,
        by=by,
        totals=totals.total,
        rows=store.rollups.rows(by, period) if by else totals.weeks,
        worst={} if by else {str(group): rows for group, rows in totals.worst.items()},
        missing=totals.missing,
        summary=fleet_sentence(totals),
    )


def _period(since: str) -> RollupPeriod:
    try:
        return period_of(since)
    except ValueError as error:
        raise UsageError(f"{since!r} is no age or date. Use 30d, 12w, 6m, 1y or 2026-03-01.") from error


def _budget(text: str | None) -> tuple[float, BudgetPeriod] | None:
    """Return the dollars of a budget and its period. Raises UsageError."""
    if text is None:
        return None
    match _BUDGET.fullmatch(text):
        case re.Match() as found:
            unit: BudgetPeriod = "day" if found[2] == "day" else "week" if found[2] == "week" else "month"
            return float(found[1]), unit
    raise UsageError(f"{text!r} is no budget. Use dollars and a period, as in 50/week; periods: day, week, month.")


def _over_budget(
    store: SessionStore, period: RollupPeriod, budget: tuple[float, BudgetPeriod]
) -> tuple[list[str], int]:
    """Return a sentence for each period that cost more than the budget, and the calls of unknown price in all."""
    limit, unit = budget
    now = first_day(datetime.now(UTC).date(), unit).isoformat()
    days = period if period.since else RollupPeriod(f"{now}T00:00:00Z")
    rows = store.rollups.rows("day", days)
    costs = costs_by_period(rows, unit)
    missed = [
        f"The {unit} of {name} cost {dollars(cost)}, more than {dollars(limit)}."
        for name, cost in sorted(costs.items())
        if cost > limit
    ]
    return missed, sum(row.unreported or 0 for row in rows)


def _backfill(store: Store, cluster: str | None, as_json: bool) -> int:
    """Add up stored sessions, and print how many. Returns the exit code."""
    count = len(store.rollups.stale(ROLLUP_RULES)) if cluster else 0
    with progress() as on_progress, pool_at(cluster, plural(count, "session")) if count else nullcontext() as pool:
        results = list(backfill_rollups(store, on_progress, pool))
    errors = [result.problem for result in results if result.problem]
    added = len(results) - len(errors)
    if as_json:
        echo_json(BackfillOutput(added=added, errors=errors))
    else:
        for error in errors:
            warn(error)
        echo(f"Added up {plural(added, 'session')}." if results else "All stored sessions are added up.")
    return BAD_INPUT if errors else 0


def _csv(rows: Sequence[StatsRow]) -> str:
    """Return rows as CSV with a header. Text that a spreadsheet would take for a formula begins with an apostrophe."""
    names = [field.name for field in fields(StatsRow)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in names])
    return file.getvalue().rstrip("\n")


def _cell(value: object) -> object:
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value
