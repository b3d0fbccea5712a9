"""Servers that hold the sessions and messages of a team's store, which its first server reads with postgres_fdw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from inspector.store.damage import StoreError
from inspector.store.team_connection import TeamConnection
from inspector.store.team_layout_schema import data_server_sql, distribution_sql, server_name

_FETCHED = 1_000
"""Rows that are read or written at once."""
_SERVER_OPTIONS = ("host", "hostaddr", "port", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey")
"""Parts of an address that the first server connects with, besides the user and the password."""
_REACHED = "SELECT count(*) FROM (SELECT id FROM inspector.session UNION ALL SELECT id FROM inspector.message) AS rows"


class DataServers:
    """Servers that are made ready to hold a part of the sessions each."""

    def __init__(self, addresses: Sequence[str], timeout: float) -> None:
        """Look at some servers without changing them.

        Args:
            addresses: Their addresses, as the first server reaches them.
            timeout: Seconds that a change may take.

        Raises:
            StoreError: An address is invalid, or its server cannot be reached or has a schema `inspector`.
        """
        self._connections = [TeamConnection(address, writes=True, timeout=timeout) for address in addresses]
        for connection in self._connections:
            if not (connection.parts.get("host") or connection.parts.get("hostaddr")):
                raise StoreError("the address of a data server names no host, by which the first server reaches it")
            with connection.session(needs_store=False) as database:
                rows = database.execute("SELECT to_regnamespace('inspector') IS NOT NULL").fetchall()
            if rows[0][0]:
                raise StoreError(f"{connection.name} has a schema inspector: name an empty database for each server")
        if len({connection.name for connection in self._connections}) < len(addresses):
            raise StoreError("two of the data servers are the same database")

    def sql(self) -> str:
        """Return the statements of the data servers, after a comment with the name of each."""
        return "\n\n".join(f"-- on {connection.name}\n{data_server_sql()}" for connection in self._connections)

    def first_server_sql(self, with_passwords: bool) -> str:
        """Return the statements of the first server. Without passwords, they are for people to read."""
        return distribution_sql(
            [_server_sql(number, connection, with_passwords) for number, connection in enumerate(self._connections)]
        )

    @contextmanager
    def made_ready(self) -> Iterator[None]:
        """Make the tables on all servers, and remove them if the block raises."""
        with ExitStack() as stack:
            for connection in self._connections:
                database = stack.enter_context(connection.session(needs_store=False))
                stack.enter_context(database.transaction())
                database.execute(data_server_sql())
        try:
            yield
        except BaseException:
            for connection in self._connections:
                with connection.session(needs_store=False) as database:
                    database.execute("DROP SCHEMA inspector CASCADE")
            raise


def require_reached(connection: TeamConnection) -> None:
    """Raise StoreError unless the first server, inside its transaction, reads the tables of all others."""
    with connection.session(needs_store=False) as database:
        database.execute(_REACHED)


def _server_sql(number: int, connection: TeamConnection, with_password: bool) -> str:
    """Return the SQL by which the first server knows another one."""
    parts = connection.parts
    options = {name: str(parts[name]) for name in _SERVER_OPTIONS if parts.get(name)}
    options |= {"connect_timeout": str(parts.get("connect_timeout", 5)), "async_capable": "true"}
    options |= {"fetch_size": str(_FETCHED), "batch_size": str(_FETCHED)}
    user = {"user": str(parts.get("user") or "postgres")}
    if password := parts.get("password"):
        user["password"] = str(password) if with_password else "***"
    else:
        user["password_required"] = "false"  # from a .pgpass of the first server, or none
    return f"""
CREATE SERVER {server_name(number)} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({_options(options)});
CREATE USER MAPPING FOR PUBLIC SERVER {server_name(number)} OPTIONS ({_options(user)});"""


def _options(values: dict[str, str]) -> str:
    return ", ".join(f"{name} {sql_text(value)}" for name, value in values.items())


def sql_text(text: str) -> str:
    """Return a text as SQL, whatever the server makes of a backslash."""
    escaped = text.replace("'", "''").replace("\\", "\\\\")
    return f"E'{escaped}'" if "\\" in text else f"'{escaped}'"
