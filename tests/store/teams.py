"""Databases of a team for tests, on the server that a worker shares."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import sha256
from uuid import uuid4

from psycopg import connect

from inspector.core.conversation import Session
from inspector.store import Rollup, TeamSession, team_init
from tests.servers import PostgresServer, short_folder


def execute(address: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as they are, and return the rows of the last one."""
    rows: list[tuple[object, ...]] = []
    with connect(address, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
            rows = cursor.fetchall() if cursor.description else []
    return rows


def new_database(server: str) -> str:
    """Return the address of a new database."""
    name = f"team_{uuid4().hex[:12]}"
    execute(server, f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


def new_team(server: str, *others: str) -> str:
    """Return the address of a new, empty store of a team. Its user is the owner, who may do everything.

    Args:
        server: Address of the server that is asked.
        *others: Addresses of the servers that hold the sessions; none if it does.
    """
    address = new_database(server)
    team_init(address, [*map(new_database, others)]).apply()
    return address


@contextmanager
def data_servers(number: int) -> Iterator[list[PostgresServer]]:
    """Provide running servers."""
    with ExitStack() as stack:
        servers = [PostgresServer(stack.enter_context(short_folder())) for _ in range(number)]
        for server in servers:
            server.start()
            stack.callback(server.stop, signal.SIGQUIT)
        yield servers


def emptied(address: str) -> str:
    """Remove everything from a team's store, and return its address."""
    tables = ("message", "session", "rollup", "rollup_part", "pushed", "access")
    execute(address, *(f"DELETE FROM inspector.{table}" for table in tables))
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
