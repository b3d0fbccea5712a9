"""Protocol of the stores that sessions are read from: the file on this machine, and a team's on PostgreSQL."""

from __future__ import annotations

from typing import Protocol

from inspector.core.conversation import Session
from inspector.store.rollup_totals import GroupSession, RollupGroup, RollupPeriod, StatsRow
from inspector.store.session_reader import SessionRow
from inspector.store.word_search import Hit

MAX_LISTED = 5_000
"""Sessions in a list of a team's store, newest first."""


class SessionTotals(Protocol):
    """Totals of the sessions in a store. Every method raises StoreError if the store cannot be read."""

    def stored(self) -> int:
        """Return the number of stored sessions."""

    def stale(self, rules: int) -> list[str]:
        """Return the stored sessions whose totals can be added up by these rules, but are not."""

    def total(self, period: RollupPeriod) -> StatsRow:
        """Return the totals of all sessions in a period."""

    def rows(self, group: RollupGroup, period: RollupPeriod, limit: int = -1) -> list[StatsRow]:
        """Return totals by group, the most expensive first; days and weeks in their order."""

    def day_costs(self, period: RollupPeriod) -> dict[tuple[str, str], float]:
        """Return the dollars of each project and day in a period."""

    def sessions(self, group: RollupGroup, name: str, period: RollupPeriod, limit: int) -> list[GroupSession]:
        """Return sessions of a group, the most expensive first."""


class SessionStore(Protocol):
    """Sessions that can be listed, searched and opened. Every method raises StoreError if the store cannot be read."""

    @property
    def rollups(self) -> SessionTotals:
        """Totals of the sessions."""

    def sessions(self, limit: int = -1) -> list[SessionRow]:
        """Return sessions, newest first. -1 is no limit."""

    def row(self, id: str) -> SessionRow:
        """Return the row of one session in `sessions`."""

    def find(self, id: str) -> str:
        """Return the id of the session with this id or unique prefix."""

    def load(self, id: str) -> Session:
        """Return a session with its messages."""

    def search(self, words: str, limit: int = 50, session_id: str | None = None) -> list[Hit]:
        """Return messages that contain all the words, the best match first."""
