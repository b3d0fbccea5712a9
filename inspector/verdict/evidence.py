"""What a verdict goes by: what the sizes tell, and what only a look at every message tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.conversation import MAIN, Session
from inspector.facts import Regret
from inspector.library import Workbench
from inspector.losses import loss_history
from inspector.models import limit_of
from inspector.tokens import mark
from inspector.window import Timeline, Window, compute_timeline

_LONG = 5_000
"""Messages from which on a log is long."""


@dataclass(frozen=True, slots=True)
class LateNeed:
    """A reply that needed something which a compaction of the recording had taken away."""

    regret: Regret
    turn: int
    """The first turn whose window has the reply; one past the last is the context as it now stands."""
    number: int
    """The number of the reply in the log, from 1."""

    @property
    def lost_at(self) -> frozenset[int]:
        """The turns of the compactions that had taken it away."""
        return frozenset(need.lost_at for need in self.regret.needs)


@dataclass(frozen=True)
class Findings:
    """What a look at every message of an agent tells."""

    needs: tuple[LateNeed, ...] = ()
    """In the order of the turns."""

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns at which a reply that needed something comes into the window, ascending."""
        return tuple(need.turn for need in self.needs)

    def at(self, turn: int) -> LateNeed | None:
        """The one whose reply comes into the window at a turn; None where there is none."""
        return next((need for need in self.needs if need.turn == turn), None)

    def of(self, compaction: int) -> Findings:
        """Those that needed what one compaction took away, by its turn."""
        return Findings(tuple(need for need in self.needs if compaction in need.lost_at))


def look_back(bench: Workbench, agent: str = MAIN, cancelled: Callable[[], bool] = bool) -> Findings | None:
    """What was needed of what the recording's own compactions took away; None where it was cancelled.

    Reads the whole log, which takes its time. Raises OSError where the recording can no longer be read.
    """
    compactions = set(compute_timeline(bench.session, bench.sizes, agent).compactions)
    if not compactions:
        return Findings()
    history = loss_history(bench.session, bench.sizes, bench.fact_index(), agent, cancelled)
    return Findings(tuple(_needs(bench.session, agent, history.regrets, compactions))) if history else None


def _needs(session: Session, agent: str, regrets: Sequence[Regret], compactions: set[int]) -> Iterator[LateNeed]:
    """The regrets without what left in another way than by a compaction, each with the turn that shows its reply."""
    replies = session.turns(agent)
    for regret in regrets:
        needs = tuple(need for need in regret.needs if need.lost_at in compactions)
        if needs:
            position = replies[regret.turn - 1]
            later = _is_in_context(session, agent, position, regret.turn + 1)
            yield LateNeed(replace(regret, needs=needs), regret.turn + later, position + 1)


def _is_in_context(session: Session, agent: str, position: int, turn: int) -> bool:
    """Whether the message at a position is in the context of a turn. Takes as long as there are messages behind it."""
    end = session.context_end(turn, agent)
    while end > position and 0 <= session.messages[end].parent < end:
        end = session.messages[end].parent
    return end == position


@dataclass(frozen=True)
class Overview:
    """What is known of an agent's context without reading a message. What is asked for is worked out once."""

    bench: Workbench
    agent: str = MAIN

    @cached_property
    def timeline(self) -> Timeline:
        return compute_timeline(self.bench.session, self.bench.sizes, self.agent)

    @cached_property
    def window(self) -> Window:
        """As it now stands."""
        return self.bench.window(None, self.agent)

    @cached_property
    def places(self) -> dict[str, int]:
        """The positions of the messages in the log, by their ids."""
        return {message.id: position for position, message in enumerate(self.bench.session.messages)}

    @property
    def limit(self) -> int:
        """Tokens of the model's window, or as many as the person has set."""
        return self.bench.limit or self.bench.sizes.limit

    @cached_property
    def is_limit_known(self) -> bool:
        """Whether the limit is more than a default for a model that nobody lists."""
        session = self.bench.session
        is_set = self.bench.limit or (session.sizes and session.sizes.limit)
        return bool(is_set) or limit_of(session.model).source != "default"

    @cached_property
    def too_large(self) -> tuple[int, ...]:
        """The turns whose window is larger than the model's, ascending; none before all is counted."""
        if not self.is_counted:
            return ()
        return tuple(turn for turn, tokens in enumerate(self.timeline.totals, 1) if tokens > self.limit > 0)

    @property
    def is_long(self) -> bool:
        """Whether looking at every message takes so long that nobody should have to wait for it unasked."""
        return len(self.bench.session.messages) > _LONG

    @property
    def is_counted(self) -> bool:
        """Whether all counts are final."""
        return not (self.bench.partial or self.bench.sizes.is_partial)

    def tokens(self, count: int) -> str:
        """A number of tokens in words, with the sign of an estimate where it is one."""
        sizes = self.bench.sizes
        return f"{mark(sizes.certainty) or mark(sizes.tools_certainty)}{count:,}"
