"""Set a team's store up in a database of PostgreSQL, and let people use it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from inspector.store.damage import StoreError
from inspector.store.team_connection import TeamConnection
from inspector.store.team_layout_schema import access_sql, layout_sql
from inspector.store.team_schema import ALL_PROJECTS, TEAM_VERSION, TeamRole, first_sql
from inspector.store.team_shards import DataServers, require_reached, sql_text
from inspector.store.team_totals_schema import totals_sql

_TIMEOUT = 3600.0
"""Seconds that bringing a store up to date may take."""


@dataclass(frozen=True, slots=True)
class TeamChange:
    """Statements that set a team's store up, or let somebody use it."""

    name: str
    """Server and database."""
    sql: str
    """Statements that run in one transaction on each server, without passwords; empty if nothing is to be done."""
    connection: TeamConnection
    statements: str = field(repr=False)
    """Those of the first server, with passwords."""
    others: DataServers | None = None
    """Servers that hold the sessions; None if the first one does."""

    def apply(self) -> None:
        """Run the statements: all of them or, after an error, none. Raises StoreError."""
        with self.others.made_ready() if self.others else nullcontext():
            self._apply_here()

    def _apply_here(self) -> None:
        with self.connection.session(needs_store=False) as connection, connection.transaction():
            connection.execute(self.statements)
            if self.others:
                require_reached(self.connection)


def team_init(address: str, shards: Sequence[str] = ()) -> TeamChange:
    """Return the statements that make a team's store of a database, or bring it up to date; none if it is.

    Args:
        address: Address such as postgresql://user@host/name.
        shards: Addresses of empty databases that hold the sessions and messages, each a part of them.

    Raises:
        StoreError: A server cannot be reached, or the database has a team's store of another version.
    """
    connection = TeamConnection(address, writes=True, timeout=_TIMEOUT)
    with connection.session(needs_store=False) as database:
        [(is_there,)] = database.execute("SELECT to_regclass('inspector.team') IS NOT NULL").fetchall()
        version = database.execute("SELECT version FROM inspector.team").fetchone()[0] if is_there else 0
        if version >= TEAM_VERSION:
            connection.require_version(database)
    if shards and is_there:
        raise StoreError(f"{connection.name} is a team's store already: other servers are named when it is made")
    steps = (first_sql, totals_sql, layout_sql, access_sql)[version:]
    sql = "\n".join(step().strip() for step in steps)
    if not shards:
        return TeamChange(connection.name, sql, connection, sql)
    others = DataServers(shards, _TIMEOUT)
    here = f"{others.sql()}\n\n-- on {connection.name}\n{sql}{others.first_server_sql(with_passwords=False)}"
    return TeamChange(connection.name, here, connection, sql + others.first_server_sql(with_passwords=True), others)


def team_add(address: str, member: str, role: TeamRole, projects: Sequence[str] = ()) -> TeamChange:
    """Return the statements that let a role of PostgreSQL use a team's store.

    Args:
        address: Address of the team's store, as its owner.
        member: Name of the role, which exists.
        role: Right to grant: read totals, read texts as well, or push.
        projects: Projects that it may read; empty for all.

    Raises:
        StoreError: The server cannot be used, or it has no role `member`.
    """
    connection = TeamConnection(address, writes=True)
    if not connection.query("SELECT 1 FROM pg_roles WHERE rolname = %s", (member,)):
        raise StoreError(f"{connection.name} has no role {member!r}: its administrator makes one with CREATE ROLE")
    lines = [f'GRANT inspector_{role} TO "{member.replace(chr(34), chr(34) * 2)}";']
    for project in (projects or (ALL_PROJECTS,)) if role != "push" else ():
        values = ", ".join(map(sql_text, (member, role, project)))
        lines.append(f"INSERT INTO inspector.access VALUES ({values}) ON CONFLICT DO NOTHING;")
    sql = "\n".join(lines)
    return TeamChange(connection.name, sql, connection, sql)
