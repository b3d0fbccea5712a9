"""Totals over rollups, which triggers keep: by project and day, by day and by week, and the sessions without any.

Never edited. A trigger adds the numbers of a row that was inserted, or subtracts those of one that was deleted. Rollups
are never updated in a column that is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

_TOTAL = """
    CREATE TABLE rollup_total (        -- rollups of agents by the day on which they ended
        project TEXT NOT NULL,
        day TEXT NOT NULL,             -- '' if no times are recorded
        agent TEXT NOT NULL,
        format TEXT NOT NULL,
        ended TEXT NOT NULL,
        agents INTEGER NOT NULL,
        sessions INTEGER NOT NULL,     -- whose first agent this is
        calls INTEGER NOT NULL,
        sent INTEGER NOT NULL,
        unreported INTEGER NOT NULL,
        cached INTEGER NOT NULL,
        output INTEGER NOT NULL,
        compacted INTEGER NOT NULL,    -- sessions whose first agent was compacted
        compactions INTEGER NOT NULL,
        rereads INTEGER NOT NULL,
        reread_tokens INTEGER NOT NULL,
        cache_lost INTEGER NOT NULL,
        priced INTEGER NOT NULL,       -- rollups with a cost
        rereads_priced INTEGER NOT NULL,
        losses_priced INTEGER NOT NULL,
        cost REAL,                     -- NULL without any
        reread_cost REAL,
        cache_cost REAL,
        PRIMARY KEY (project, day, agent, format)
    ) WITHOUT ROWID"""
_TOTAL_LATEST = """
    SELECT rest.ended FROM rollup AS rest
    WHERE rest.project = old.project AND rest.ended >= day AND rest.ended <= old.ended AND rest.agent = old.agent
        AND rest.format = old.format
    ORDER BY rest.ended DESC LIMIT 1"""

_TIME = """
    CREATE TABLE rollup_time (         -- parts of kind 'day' by day and by week
        kind TEXT NOT NULL,            -- day, week
        name TEXT NOT NULL,            -- the day, or the Monday; '' if no times are recorded
        ended TEXT NOT NULL,
        parts INTEGER NOT NULL,
        sessions INTEGER NOT NULL,
        count INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        unreported INTEGER NOT NULL,
        priced INTEGER NOT NULL,       -- parts with a cost
        cost REAL,                     -- NULL without any
        PRIMARY KEY (kind, name)
    ) WITHOUT ROWID"""
_MONDAY = "coalesce(date({row}name, 'weekday 0', '-6 days'), '')"
_ALONE = f"""NOT EXISTS (
            SELECT 1 FROM rollup_part AS other WHERE other.session_id = {{row}}session_id AND other.kind = 'day'
                AND {_MONDAY.format(row="other.")} = {_MONDAY}
                AND (other.name, other.agent) {{others}} ({{row}}name, {{row}}agent)
        )"""
"""True if a part is the only one of its session in its week; with `<` for `others`, if it is the first one."""
_TIME_LATEST = """
    SELECT max(rest.ended) FROM rollup_part AS rest
    WHERE rest.kind = 'day' AND rest.name BETWEEN rollup_time.name AND
        CASE rollup_time.kind WHEN 'day' THEN old.name ELSE coalesce(date(old.name, 'weekday 0'), '') END"""

_DUE = """
    CREATE TABLE rollup_due (          -- sessions without rollups of all their messages, and perhaps some others
        session_id TEXT PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE
    ) WITHOUT ROWID"""
_FIND_DUE = """
    INSERT OR IGNORE INTO rollup_due SELECT id FROM session WHERE {only} NOT EXISTS (
        SELECT 1 FROM rollup WHERE session_id = session.id AND place = 0 AND logged >= session.messages
    );"""
_DUE_TRIGGERS = {
    "session_due": ("INSERT ON session", _FIND_DUE.format(only="id = new.id AND")),
    "session_due_again": (
        "UPDATE OF messages ON session WHEN new.messages > old.messages",
        _FIND_DUE.format(only="id = new.id AND"),
    ),
    "rollup_done": (
        "INSERT ON rollup WHEN new.place = 0",
        """DELETE FROM rollup_due WHERE session_id = new.session_id
            AND new.logged >= (SELECT messages FROM session WHERE id = new.session_id);""",
    ),
    "rollup_due_again": ("DELETE ON rollup WHEN old.place = 0", _FIND_DUE.format(only="id = old.session_id AND")),
}


@dataclass(frozen=True)
class _Totals:
    """A table of totals. Values are expressions of a row, whose prefix is `{row}`."""

    table: str
    key: Mapping[str, str]
    sums: Mapping[str, str]
    """The first one is the number of rows."""
    costs: Mapping[str, str]
    """Columns of dollars, each with the column of the number of its rows."""
    latest: str
    """Query of the latest time of the rows that are left without the row `old`."""

    def added(self, row: str, source: str = "WHERE true") -> str:
        """Return a statement that adds rows, or subtracts the row `old`.

        Args:
            row: Prefix of the row's columns, such as `new.`.
            source: Clauses that select the rows; by default that of the trigger.
        """
        sign, ended = ("-", "''") if row == "old." else ("", f"{row}ended")
        others = "<>" if row in ("new.", "old.") else "<"
        numbers = [*self.sums.values(), *(f"{row}{cost} IS NOT NULL" for cost in self.costs)]
        numbers += [f"{row}{cost}" for cost in self.costs]
        values = [*self.key.values(), ended, *(f"{sign}({number})" for number in numbers)]
        changes = ["ended = max(ended, excluded.ended)"]
        changes += [f"{name} = {name} + excluded.{name}" for name in (*self.sums, *self.costs.values())]
        for cost, number in self.costs.items():
            both = f"coalesce({cost}, 0) + coalesce(excluded.{cost}, 0)"
            changes.append(f"{cost} = CASE WHEN {number} + excluded.{number} > 0 THEN {both} END")
        return f"""
        INSERT INTO {self.table} SELECT {", ".join(values).format(row=row, others=others)} {source}
        ON CONFLICT ({", ".join(self.key)}) DO UPDATE SET {", ".join(changes)};"""

    def subtracted(self) -> str:
        """Return statements that subtract the row `old`, find the latest time again, and remove totals of nothing."""
        where = " AND ".join(f"{name} = {value}" for name, value in self.key.items()).format(row="old.")
        return f"""{self.added("old.")}
        DELETE FROM {self.table} WHERE {where} AND {next(iter(self.sums))} <= 0;
        UPDATE {self.table} SET ended = coalesce(({self.latest}), '')
        WHERE {where} AND ended <> '' AND ended = old.ended;"""


def _of_time(kind: str, name: str, sessions: str) -> _Totals:
    sums = {"parts": "1", "sessions": sessions, "count": "{row}count", "tokens": "{row}tokens"}
    sums["unreported"] = "{row}defined"
    return _Totals("rollup_time", {"kind": f"'{kind}'", "name": name}, sums, {"cost": "priced"}, _TIME_LATEST)


_BY_PROJECT = _Totals(
    "rollup_total",
    {"project": "{row}project", "day": "substr({row}ended, 1, 10)", "agent": "{row}agent", "format": "{row}format"},
    {
        "agents": "1",
        "sessions": "{row}place = 0",
        **{name: f"{{row}}{name}" for name in ("calls", "sent", "unreported", "cached", "output")},
        "compacted": "{row}place = 0 AND {row}compactions > 0",
        **{name: f"{{row}}{name}" for name in ("compactions", "rereads", "reread_tokens", "cache_lost")},
    },
    {"cost": "priced", "reread_cost": "rereads_priced", "cache_cost": "losses_priced"},
    _TOTAL_LATEST,
)
_BY_TIME = (_of_time("day", "{row}name", "{row}is_first"), _of_time("week", _MONDAY, _ALONE))


def make_rollup_totals(execute: Callable[[str], object]) -> None:
    """Create the totals, also of what is there, and the triggers that keep them."""
    triggers = {
        **_DUE_TRIGGERS,
        "rollup_added": ("INSERT ON rollup", _BY_PROJECT.added("new.")),
        "rollup_removed": ("DELETE ON rollup", _BY_PROJECT.subtracted()),
        "rollup_time_added": (
            "INSERT ON rollup_part WHEN new.kind = 'day'",
            "".join(time.added("new.") for time in _BY_TIME),
        ),
        "rollup_time_removed": (
            "DELETE ON rollup_part WHEN old.kind = 'day'",
            "".join(time.subtracted() for time in _BY_TIME),
        ),
    }
    for statement in (
        *(_TOTAL, _TIME, _DUE),
        "CREATE INDEX rollup_by_project ON rollup (project, ended)",
        "CREATE INDEX rollup_by_rules ON rollup (rules) WHERE place = 0",
        _BY_PROJECT.added("rollup.", "FROM rollup WHERE true"),
        *(time.added("rollup_part.", "FROM rollup_part WHERE kind = 'day'") for time in _BY_TIME),
        _FIND_DUE.format(only=""),
        *(f"CREATE TRIGGER {name} AFTER {event} BEGIN {change} END" for name, (event, change) in triggers.items()),
    ):
        execute(statement)
