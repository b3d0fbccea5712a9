"""Set a team's store up in a database of PostgreSQL, and let people use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.store.damage import StoreError
from inspector.store.team_connection import TeamConnection
from inspector.store.team_layout_schema import layout_sql
from inspector.store.team_schema import ALL_PROJECTS, TEAM_VERSION, TeamRole, first_sql
from inspector.store.team_totals_schema import totals_sql

_TIMEOUT = 3600.0
"""Seconds that bringing a store up to date may take."""


@dataclass(frozen=True, slots=True)
class TeamChange:
    """Statements that set a team's store up, or let somebody use it."""

    name: str
    """Server and database."""
    sql: str
    """Statements that run in one transaction; empty if nothing is to be done."""
    connection: TeamConnection

    def apply(self) -> None:
        """Run the statements: all of them or, after an error, none. Raises StoreError."""
        with self.connection.session(needs_store=False) as connection, connection.transaction():
            connection.execute(self.sql)


def team_init(address: str) -> TeamChange:
    """Return the statements that make a team's store of a database, or bring it up to date; none if it is.

    Args:
        address: Address such as postgresql://user@host/name.

    Raises:
        StoreError: The server cannot be reached, or the database has a team's store of another version.
    """
    connection = TeamConnection(address, writes=True, timeout=_TIMEOUT)
    with connection.session(needs_store=False) as database:
        [(is_there,)] = database.execute("SELECT to_regclass('inspector.team') IS NOT NULL").fetchall()
        version = database.execute("SELECT version FROM inspector.team").fetchone()[0] if is_there else 0
        if version >= TEAM_VERSION:
            connection.require_version(database)
    steps = (first_sql, totals_sql, layout_sql)[version:]
    return TeamChange(connection.name, "\n".join(step().strip() for step in steps), connection)


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
        values = ", ".join("'" + value.replace("'", "''") + "'" for value in (member, role, project))
        lines.append(f"INSERT INTO inspector.access VALUES ({values}) ON CONFLICT DO NOTHING;")
    return TeamChange(connection.name, "\n".join(lines), connection)
