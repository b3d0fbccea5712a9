"""What a verdict goes by: what is known at once, and what only a look at every message tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from inspector.conversation import MAIN
from inspector.facts import Regret
from inspector.library import Workbench
from inspector.models import limit_of, session_price
from inspector.replay import RECORDED, ReplayRun
from inspector.tokens import mark
from inspector.window import Timeline, Window, compute_timeline


@dataclass(frozen=True)
class Findings:
    """What a look at every message of an agent tells."""

    regrets: tuple[Regret, ...] = ()
    """The replies that needed something which a compaction of the recording had taken away, in order."""

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns of those replies, ascending."""
        return tuple(sorted({regret.turn for regret in self.regrets}))

    def at(self, turn: int) -> Regret | None:
        """What the reply of a turn needed and had not got; None where that is nothing."""
        return next((regret for regret in self.regrets if regret.turn == turn), None)

    def after(self, turn: int) -> tuple[Regret, ...]:
        """Those that needed what the compaction before the call of a turn took away."""
        return tuple(regret for regret in self.regrets if any(need.lost_at == turn for need in regret.needs))


def look_back(bench: Workbench, agent: str = MAIN, cancelled: Callable[[], bool] = bool) -> Findings | None:
    """What was needed of what the recording's own compactions took away; None where it was cancelled.

    Reads the whole log, which takes its time. Raises OSError where the recording can no longer be read.
    """
    compactions = set(compute_timeline(bench.session, bench.sizes, agent).compactions)
    if not compactions:
        return Findings()
    price = session_price(bench.session)
    run = ReplayRun(bench.session, bench.sizes, RECORDED, price, agent, facts=bench.fact_index())
    for _ in run.frames():
        if cancelled():
            return None
    regrets = (_needing_lost(regret, compactions) for regret in run.regrets)
    return Findings(tuple(regret for regret in regrets if regret is not None))


def _needing_lost(regret: Regret, compactions: set[int]) -> Regret | None:
    """A regret without what left in another way than by a compaction."""
    needs = tuple(need for need in regret.needs if need.lost_at in compactions)
    return replace(regret, needs=needs) if needs else None


@dataclass(frozen=True)
class Overview:
    """What is known of an agent's context without reading a message."""

    bench: Workbench
    agent: str = MAIN

    @cached_property
    def timeline(self) -> Timeline:
        return compute_timeline(self.bench.session, self.bench.sizes, self.agent)

    @cached_property
    def window(self) -> Window:
        """As it now stands."""
        return self.bench.window(None, self.agent)

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

    @property
    def is_counted(self) -> bool:
        """Whether all counts are final."""
        return not (self.bench.partial or self.bench.sizes.is_partial)

    def tokens(self, count: int) -> str:
        """A number of tokens in words, with the sign of an estimate where it is one."""
        sizes = self.bench.sizes
        return f"{mark(sizes.certainty) or mark(sizes.tools_certainty)}{count:,}"
