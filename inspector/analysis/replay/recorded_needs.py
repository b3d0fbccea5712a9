"""The replies of a recording that needed facts which its own compactions dropped, by the evidence of later reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping

from inspector.analysis.tool_activity import refetched_needs, reread_files
from inspector.core.conversation import Session
from inspector.engine.facts import Need, Regret
from inspector.llm.providers import is_sealed_summary


class RecordedNeeds:
    """Filter of the regrets of a recording: only a source that a reply reads again was certainly needed.

    Facts that a reply states but its recorded window lacks came from an unrecorded source and are not counted. The
    facts that an encrypted summary kept are unknown, so a compaction with one causes no regret.
    """

    def __init__(self, session: Session, agent: str, compactions: Collection[int]) -> None:
        """Find the files and pages that replies read again.

        Args:
            session: Session with its recorded compactions.
            agent: Agent whose replies are examined.
            compactions: Turns of the first requests after compactions.

        Raises:
            OSError: If the recording can no longer be read.
        """
        replies, log = session.turns(agent), session.messages
        summaries = (place for place in session.compactions if is_sealed_summary(log[place].raw))
        self._session, self._replies = session, replies
        encrypted = {bisect_left(replies, place) + 1 for place in summaries}
        self._known = set(compactions) - encrypted
        self.sealed = tuple(sorted(encrypted & set(compactions)))
        """Turns after compactions with an encrypted summary."""
        self._files: Mapping[int, tuple[Need, ...]] = reread_files(session, agent, self._known)

    def regrets(self, needs: Iterable[Regret], turns: int) -> Iterator[Regret]:
        """Yield a regret for each reply of the first `turns` turns that re-fetched something.

        Args:
            needs: Replies whose windows lacked facts.
            turns: Number of turns so far.
        """
        by_turn = {regret.turn: regret for regret in needs}
        log = self._session.messages
        for turn in sorted({*by_turn, *(turn for turn in self._files if turn <= turns)}):
            place, regret = self._replies[turn - 1], by_turn.get(turn)
            caused = [need for need in regret.needs if need.lost_at in self._known] if regret else []
            if fetched := refetched_needs(log, place, caused, self._files.get(turn, ())):
                yield Regret(turn, log[place].id, fetched)
