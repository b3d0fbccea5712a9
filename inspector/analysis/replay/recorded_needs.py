"""The replies of a recording that needed facts which its own compactions dropped, by the evidence of later reads."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from inspector.analysis.replay.spellings import Spellings
from inspector.analysis.tool_activity import Lookups, reread_files
from inspector.core.conversation import Session
from inspector.engine.facts import Need, Regret
from inspector.llm.providers import is_sealed_summary


class RecordedNeed(NamedTuple):
    """A reply that contains something which a recorded compaction had dropped."""

    regret: Regret
    is_refetched: bool
    """True if it read again what an earlier call had read: the context certainly lacked it.

    False if it states something that the recorded context does not contain. The model had it from an unrecorded source,
    such as project instructions, or inferred it.
    """


class RecordedNeeds:
    """Divides the regrets of a recording into those that are certain and those whose source is unknown.

    The facts that an encrypted summary kept are unknown, so a compaction with one causes neither.
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
        self._spelled = Spellings(session)
        self._lookups = Lookups(log)
        self._judged: dict[tuple[int, Regret | None], RecordedNeed | None] = {}
        """Results of earlier calls, by turn and regret."""

    def needs(self, regrets: Iterable[Regret], turns: int) -> Iterator[RecordedNeed]:
        """Yield the replies of the first `turns` turns that needed what a compaction had dropped.

        Args:
            regrets: Replies whose windows lacked facts.
            turns: Number of turns so far.

        Raises:
            OSError: If the recording can no longer be read.
        """
        by_turn = {regret.turn: regret for regret in regrets}
        for turn in sorted({*by_turn, *(turn for turn in self._files if turn <= turns)}):
            key = turn, by_turn.get(turn)
            if key not in self._judged:
                self._judged[key] = self._judge(*key)
            if (need := self._judged[key]) is not None:
                yield need

    def _judge(self, turn: int, regret: Regret | None) -> RecordedNeed | None:
        log, place = self._session.messages, self._replies[turn - 1]
        caused = [need for need in regret.needs if need.lost_at in self._known] if regret else []
        if fetched := self._lookups.refetched(place, caused, self._files.get(turn, ())):
            return RecordedNeed(Regret(turn, log[place].id, fetched), True)
        reused = tuple(need for need in caused if not self._spelled.before(place, need.fact))
        return RecordedNeed(Regret(turn, log[place].id, reused), False) if reused else None
