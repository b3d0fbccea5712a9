"""Totals that triggers keep are those of the rollups, whatever was put, removed, repaired or brought up to date."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.store import Rollup, RollupPart, RollupPeriod, Store, session_reader
from inspector.store.connections import connect, transaction
from inspector.store.migrations import migrate
from inspector.store.rollup_rows import Rollups
from tests.store.made import chain
from tests.store.test_store_rollups import rollup

DAYS = ("", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03")
_COSTS = (None, 0.25, 0.5)
"""Dollars whose sums are exact in any order."""


def drawn(draws: random.Random) -> list[Rollup]:
    """The rollups of a session of some agents, with parts by day."""
    rows = []
    for place in range(draws.randint(1, 3)):
        days = draws.sample(DAYS, draws.randint(0, 3))
        parts = tuple(RollupPart("day", day, draws.randint(0, 3), 10, 1, draws.choice(_COSTS)) for day in days)
        last = sorted(["", *days])[-1]
        ended = f"{last}T10:00:0{draws.randint(0, 2)}Z" if last else ""
        facts: dict[str, Any] = {
            "project": draws.choice(("pier", "mole", "")),
            "cost": draws.choice(_COSTS),
            "ended": ended,
        }
        facts |= {"compactions": draws.randint(0, 1), "reread_cost": draws.choice(_COSTS), "parts": parts}
        rows.append(rollup(f"agent-{place}", place, format=draws.choice(("made", "other")), **facts))
    return rows


def known(values: list[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def totals(rows: list[tuple[str, Rollup]], group: str) -> dict[str, tuple[Any, ...]]:
    """The totals by project, agent or format, added up one by one."""
    members: dict[str, list[Rollup]] = {}
    for _, row in rows:
        members.setdefault(getattr(row, group), []).append(row)
    return {
        name: (
            len(some) if group == "agent" else sum(row.place == 0 for row in some),
            *(sum(getattr(row, field) for row in some) for field in ("calls", "sent", "compactions")),
            *(known([getattr(row, field) for row in some]) for field in ("cost", "reread_cost")),
            max(row.ended for row in some),
        )
        for name, some in members.items()
    }


def times(rows: list[tuple[str, Rollup]], monday: dict[str, str]) -> dict[str, tuple[Any, ...]]:
    """The totals by day, or by week with the Monday of each day, added up one by one."""
    members: dict[str, list[tuple[str, Rollup, RollupPart]]] = {}
    for key, row in rows:
        for part in row.parts:
            members.setdefault(monday[part.name], []).append((key, row, part))
    return {
        name: (
            len({key for key, _, _ in some}),
            sum(part.count for _, _, part in some),
            known([part.cost for _, _, part in some]),
            max(row.ended for _, row, _ in some),
        )
        for name, some in members.items()
    }


def require_totals(rollups: Rollups) -> None:
    """Compare all totals with those that are added up from each rollup."""
    rows, ever = list(rollups.every()), RollupPeriod()
    for group in ("project", "agent", "format"):
        assert totals(rows, group) == {
            row.name: (*(row.sessions, row.calls, row.tokens, row.compactions, row.cost, row.reread_cost, row.last),)
            for row in rollups.rows(group, ever)
        }
    weeks = {day: "2026-03-02" if day > "2026-03-01" else "2026-02-23" if day else "" for day in DAYS}
    for kind, names in (("day", {day: day for day in DAYS}), ("week", weeks)):
        found = rollups.rows("day" if kind == "day" else "week", ever)
        assert times(rows, names) == {row.name: (row.sessions, row.calls, row.cost, row.last) for row in found}
    late = [(key, row) for key, row in rows if row.ended >= "2026-03-02"]
    assert rollups.total(RollupPeriod("2026-03-02T00:00:00Z")).calls == sum(row.calls for _, row in late)


@pytest.mark.parametrize("seed", range(8))
def test_totals_are_those_of_the_rollups_that_are_there(seed: int) -> None:
    draws = random.Random(seed)
    with Store() as store:
        for _ in range(60):
            name = f"session-{draws.randint(0, 9)}"
            if draws.random() < 0.3:
                store.rollups.drop(name)
            else:
                store.rollups.put(name, drawn(draws))
            require_totals(store.rollups)
        for number in range(10):
            store.rollups.drop(f"session-{number}")
        require_totals(store.rollups)
        with store._connections.use() as connection:
            for table in ("rollup_total", "rollup_time"):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_store_of_an_earlier_version_gets_the_totals_of_its_rollups(tmp_path: Path) -> None:
    draws = random.Random(1)
    with Store(tmp_path / "new.db") as store:
        for number in range(30):
            store.rollups.put(f"session-{number}", drawn(draws))
    path = tmp_path / "old.db"
    with closing(connect(str(path))) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            migrate(connection, 20)
        connection.execute("ATTACH ? AS new", (str(tmp_path / "new.db"),))
        for table in ("rollup", "rollup_part"):
            connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
    with Store(path) as store:
        require_totals(store.rollups)
        store.rollups.drop("session-7")
        require_totals(store.rollups)


@pytest.mark.parametrize("seed", range(4))
def test_stale_sessions_are_those_without_rollups_of_all_their_messages(seed: int) -> None:
    draws, texts = random.Random(seed), ("Look.", "I look.", "More.", "No more.")
    with Store() as store:
        expected: dict[str, tuple[int, int]] = {}
        """Rules and messages of the rollups of each stored session."""
        kept: dict[str, int] = {}
        for _ in range(80):
            name, length = f"s{draws.randint(0, 5)}", draws.randint(1, 4)
            match draws.choice(("add", "put", "drop", "remove")):
                case "add":
                    kept[name] = max(length, kept.get(name, 0))
                    assert store.add(chain(*texts[: kept[name]], id=name)).id == name
                case "put":
                    expected[name] = (draws.randint(1, 2), length)
                    rules, logged = expected[name]
                    store.rollups.put(name, [replace(rollup(), rules=rules, logged=logged)])
                case "drop":
                    store.rollups.drop(name)
                    expected.pop(name, None)
                case "remove" if name in kept:
                    keeps = draws.random() < 0.5
                    with store._connections.use() as connection:
                        session_reader.remove(connection, name, with_rollups=not keeps)
                    kept.pop(name)
                    if not keeps:
                        expected.pop(name, None)
            stale = {key for key, size in kept.items() if expected.get(key, (0, 0)) < (2, size)}
            assert set(store.rollups.stale(2)) == stale
