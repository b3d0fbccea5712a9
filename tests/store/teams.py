"""Databases of a team for tests, on the server that a worker shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from uuid import uuid4

from psycopg import connect

from inspector.core.conversation import Session
from inspector.store import Rollup, TeamSession, team_init


def execute(address: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as they are, and return the rows of the last one."""
    rows: list[tuple[object, ...]] = []
    with connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
    return rows


def new_team(server: str) -> str:
    """Return the address of a new, empty store of a team. Its user is the owner, who may do everything."""
    name = f"team_{uuid4().hex[:12]}"
    execute(server, f"CREATE DATABASE {name}")
    address = server.replace("/postgres?", f"/{name}?")
    team_init(address).apply()
    return address


def login(address: str, *statements: str) -> str:
    """Return the address for a new role of PostgreSQL, after statements about the role `{name}`."""
    name = f"person_{uuid4().hex[:12]}"
    execute(address, f"CREATE ROLE {name} LOGIN", *(statement.format(name=name) for statement in statements))
    return address.replace("postgresql://postgres@", f"postgresql://{name}@")


def pushed(session: Session, rollups: Sequence[Rollup] = (), **facts: object) -> TeamSession:
    """A session as a push sends it."""
    origin, source = sha256(session.id.encode()).digest(), sha256(repr(session.messages).encode()).digest()
    return replace(TeamSession(session, rollups, origin, source), **facts)  # type: ignore[arg-type]  # of the fields
