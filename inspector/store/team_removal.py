"""Remove sessions from a team's store for good, for its owner and for the roles that pushed them."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.store.damage import StoreError
from inspector.store.session_reader import only_match
from inspector.store.session_removal import SessionContent
from inspector.store.team_connection import TeamClient, TeamConnection
from inspector.store.team_writer import LOCK_IDS, LOCK_TOTALS, LOCKS

_TIMEOUT = 3600.0
"""Seconds that rewriting a table may take."""
_TEXTS = ("session", "message")
_TOTALS = ("pushed", "rollup", "rollup_part", "rollup_day", "rollup_month", "rollup_total", "rollup_time")
_MAY_REWRITE = "SELECT pg_has_role(relowner, 'USAGE'), relkind = 'p' FROM pg_class WHERE oid = 'message'::regclass"
_STATISTICS = "VACUUM FULL pg_catalog.pg_statistic"
"""Rewrites the statistics of all tables, which have some of their ids and names. Skipped without the right to."""
_FORGET = """
    WITH gone AS (DELETE FROM pushed WHERE session_id = ANY (%s) RETURNING origin, pushed_by)
    INSERT INTO pushed (session_id, pushed_by, origin, source, has_text)
    SELECT encode(origin, 'hex'), pushed_by, origin, '', false FROM gone ON CONFLICT DO NOTHING"""
"""Keeps a digest of the store that pushed a session, so that a push of all its sessions does not send it again."""


class TeamRemovals(TeamClient):
    """Removals of sessions from a team's store. Methods raise StoreError if the server cannot be used."""

    def __init__(self, address: str) -> None:
        """Open a team's store for removals. See `TeamStore`."""
        super().__init__(TeamConnection(address, writes=True, timeout=_TIMEOUT))

    def content(self, target: str) -> SessionContent:
        """Return the session with this id or unique prefix, also one whose totals alone were pushed."""
        query = "SELECT id, title, messages FROM session WHERE id = %s OR id > %s AND id < %s ORDER BY id LIMIT 9"
        rows = self._connection.query(query, (target, target, f"{target}\U0010ffff")) if target else []
        wanted = only_match(target, [key for key, *_ in rows])
        [(title, messages)] = [rest for key, *rest in rows if key == wanted]
        return SessionContent(wanted, title, messages, 0, 0, 0, "")

    def remove(self, ids: Sequence[str]) -> None:
        """Remove sessions, their messages and their totals: all of them or, after an error, none.

        Args:
            ids: Ids of the sessions.

        Raises:
            StoreError: A session is not stored, or another role pushed it and this one does not own the store.
        """
        keys = [*ids]
        with self._connection.transaction() as connection:
            connection.execute(LOCK_IDS, (LOCKS, keys))
            connection.execute("DELETE FROM message WHERE session_id = ANY (%s)", (keys,))
            rows = connection.execute("DELETE FROM session WHERE id = ANY (%s) RETURNING id", (keys,)).fetchall()
            if missing := {*keys} - {key for (key,) in rows}:
                raise StoreError(f"{min(missing)} was pushed by another role of {self.name}, which may remove it")
            connection.execute(LOCK_TOTALS, (LOCKS + 1,))
            for table in ("rollup", "rollup_part"):
                connection.execute(f"DELETE FROM {table} WHERE session_id = ANY (%s)", (keys,))
            connection.execute(_FORGET, (keys,))

    def rewrite(self) -> list[str]:
        """Rewrite the tables, so that the files of the server do not contain what was removed.

        Returns:
            The statements that remain for the owner of the store, or of its data servers.
        """
        [(may_rewrite, is_elsewhere)] = self._connection.query(_MAY_REWRITE)
        tables = _TOTALS if is_elsewhere else (*_TEXTS, *_TOTALS)
        if not may_rewrite:
            return [_statement((*_TEXTS, *_TOTALS))]
        self._connection.query(_statement(tables))
        self._connection.query(_STATISTICS)
        return [f"{_statement(_TEXTS)} -- on each data server"] if is_elsewhere else []


def rewriting() -> list[str]:
    """Return the statements that rewrite all tables of a team's store."""
    return [_statement((*_TEXTS, *_TOTALS))]


def _statement(tables: Sequence[str]) -> str:
    return f"VACUUM (FULL, ANALYZE) {', '.join(f'inspector.{table}' for table in tables)};"
