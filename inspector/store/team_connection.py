"""Connection to a team's store on PostgreSQL: one sentence for each failure, and never a password. Needs the extra
`postgres`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any, Self

from inspector.core.server_address import ADDRESS_FORM, is_encoded
from inspector.store.damage import LostError, StoreError
from inspector.store.socket_deadlines import PsycopgConnection, socket_deadline
from inspector.store.team_schema import TEAM_VERSION

_CONNECT_TIMEOUT = 5
_STATEMENT_TIMEOUT = 30.0
"""Seconds until the server cancels a query of a reader."""
_GRACE = 5.0
"""Seconds after that until the connection to a server that does not answer at all is closed."""


def _is_lost(error: Any) -> bool:
    """Return True if an error is that of a lost connection, which the server has to another one if it lives itself."""
    return str(error.sqlstate or "").startswith(("08", "57P"))


class TeamConnection:
    """A connection that is opened when it is needed, and again after it was lost. Threads may share it."""

    def __init__(self, address: str, writes: bool = False, timeout: float = _STATEMENT_TIMEOUT) -> None:
        """Create a connection without opening it.

        Args:
            address: Address such as postgresql://user@host/name.
            writes: True for a connection that changes the store.
            timeout: Seconds until the server cancels a query.

        Raises:
            StoreError: The extra `postgres` is not installed, or the address is invalid.
        """
        try:
            from psycopg import Error
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as error:
            raise StoreError(
                "a team's store needs the extra postgres: pip install 'memory-inspector[postgres]'"
            ) from error
        parts = None
        if is_encoded(address):
            with suppress(Error):  # its text may quote the password
                parts = conninfo_to_dict(address)
        if parts is None:
            raise StoreError(f"the address of the team's store is invalid: {ADDRESS_FORM}")
        host = str(parts.get("host") or parts.get("hostaddr") or "localhost")
        self.name = f"{host}/{parts.get('dbname') or parts.get('user') or ''}"
        """The server and the database, for sentences."""
        self.parts = parts
        """Parts of the address by name, with the password."""
        self._address = address
        self._options: dict[str, Any] = {
            "connect_timeout": parts.get("connect_timeout", _CONNECT_TIMEOUT),
            "application_name": "inspector",
            "autocommit": True,
        }
        self._writes = writes
        self._timeout = timeout
        self._connection: PsycopgConnection | None = None
        self._lock = RLock()

    def query(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query with `%s` for each value. A lost connection is opened again, once."""
        with self._lock:
            was_open = self._connection is not None
            try:
                return self._query(sql, values)
            except LostError:
                if not was_open:
                    raise
                return self._query(sql, values)

    def _query(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self.session() as connection:
            statement: Any = sql
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def transaction(self) -> Iterator[PsycopgConnection]:
        """Run the block in one transaction. Nothing of it is written if it raises, or if the connection is lost."""
        with self.session() as connection, connection.transaction():
            yield connection

    @contextmanager
    def session(self, needs_store: bool = True) -> Iterator[PsycopgConnection]:
        """Provide the open connection. Errors of PostgreSQL inside the block become a StoreError.

        Args:
            needs_store: False for a database that may not be a team's store yet.
        """
        from psycopg import Error

        with self._lock:
            try:
                connection = self._open(needs_store)
                with socket_deadline(connection, self._timeout + _GRACE):
                    yield connection
            except (Error, OSError) as error:
                raise self._failure(error) from error

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self, needs_store: bool) -> PsycopgConnection:
        from psycopg import Connection
        from psycopg.types.numeric import IntLoader

        if self._connection is not None and not self._connection.closed:
            return self._connection
        connection = Connection.connect(self._address, **self._options)
        try:
            with socket_deadline(connection, _GRACE):
                connection.adapters.register_loader("numeric", IntLoader)  # sums of whole numbers
                timeout = str(0 if self._writes else round(1000 * self._timeout))
                settings = "SELECT set_config('statement_timeout', %s, false), set_config('search_path', %s, false)"
                settings += ", set_config('random_page_cost', '1.1', false)"  # of SSDs and memory
                connection.execute(settings, (timeout, "inspector, pg_catalog"))
                if not self._writes:
                    connection.execute("SET default_transaction_read_only = on")
                if needs_store:
                    self.require_version(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def require_version(self, connection: PsycopgConnection) -> None:
        """Raise StoreError unless the database is a team's store of this version."""
        from psycopg import errors

        try:
            row = connection.execute("SELECT version FROM inspector.team").fetchone()
        except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
            raise StoreError(f"{self.name} is no team's store: inspector team init makes it one") from error
        version = row[0] if row else 0
        if version != TEAM_VERSION:
            newer = "update Inspector" if version > TEAM_VERSION else "its owner updates it with inspector team init"
            raise StoreError(
                f"{self.name} has version {version} of the team's store, this Inspector has {TEAM_VERSION}: {newer}"
            )

    def _failure(self, error: Exception) -> StoreError:
        """Return an error of PostgreSQL as one sentence."""
        from psycopg import errors

        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = lines[0].rpartition("failed: ")[2].rstrip(".")
        match error:
            case errors.InsufficientPrivilege():
                return StoreError(f"your role at {self.name} may not do this ({reason}): ask its owner")
            case errors.QueryCanceled():
                return StoreError(f"{self.name} did not answer within {self._timeout:g} seconds: narrow the question")
            case errors.OperationalError(diag=diag) if diag.severity_nonlocalized == "ERROR" and _is_lost(error):
                with suppress(Exception):
                    self.close()
                return LostError(f"a data server of {self.name} cannot be reached ({reason}): try again when it is")
            case errors.OperationalError() | OSError():
                with suppress(Exception):
                    self.close()
                return LostError(f"{self.name} cannot be reached ({reason}): try again when it is")
        return StoreError(f"{self.name} cannot be used ({reason})")


class TeamClient:
    """A user of a team's store, which closes its connection at the end of a `with` block."""

    def __init__(self, connection: TeamConnection) -> None:
        self._connection = connection

    @property
    def name(self) -> str:
        """The server and the database."""
        return self._connection.name

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
