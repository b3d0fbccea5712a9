"""What a verdict goes by: what the sizes tell, and what only a look at every message tells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Annotated

from inspector.analysis.context_loss import is_refetched, loss_history
from inspector.analysis.message_search import readable_text
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.json_objects import json_object
from inspector.engine.facts import Regret
from inspector.engine.window import Timeline, Window, compute_timeline
from inspector.library import Workbench
from inspector.library.diagnosis.fact_names import fact_end
from inspector.llm.models import limit_of
from inspector.llm.tokens import TokenCount, mark

_LONG_LOG = 5_000
"""Messages from which on a log is long."""


@json_object(keys="turn=regret.turn message=regret.message number is_lookup needs=regret.needs")
@dataclass(frozen=True, slots=True)
class LateNeed:
    """A reply that missed what a compaction had taken away."""

    regret: Regret
    is_lookup: Annotated[bool, "it asked a tool for it; else it used it, and nothing in its window told it"]
    turn: int
    """The first turn whose window has the reply; one past the last is the context as it now stands."""
    number: Annotated[int, "of the reply in the log, from 1"]

    @property
    def lost_at(self) -> frozenset[int]:
        """The turns of the compactions that had taken it away."""
        return frozenset(need.lost_at for need in self.regret.needs)


@dataclass(frozen=True)
class Findings:
    """What a look at every message of an agent tells."""

    lookups: tuple[LateNeed, ...] = ()
    """Replies that looked up again what was lost, in the order of the turns."""
    uses: tuple[LateNeed, ...] = ()
    """Other replies that used what is told nowhere in their windows, in the order of the turns."""
    sealed: frozenset[int] = frozenset()
    """The turns of compactions whose summaries are encrypted: what those kept cannot be told."""

    @property
    def needs(self) -> tuple[LateNeed, ...]:
        """The replies that missed something: those that looked it up, or where none did, those that used it."""
        return self.lookups or self.uses

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns at which such a reply comes into the window, ascending."""
        return tuple(need.turn for need in self.needs)

    def at(self, turn: int) -> LateNeed | None:
        """The one whose reply comes into the window at a turn; None where there is none."""
        return next((need for need in self.needs if need.turn == turn), None)

    def of(self, compaction: int) -> Findings:
        """The same of what one compaction took away, by its turn."""
        lookups, uses = (
            tuple(need for need in needs if compaction in need.lost_at) for needs in (self.lookups, self.uses)
        )
        return Findings(lookups, uses, self.sealed & {compaction})


def look_back(bench: Workbench, agent: str = MAIN, cancelled: Callable[[], bool] = bool) -> Findings | None:
    """What was missed of what the recording's own compactions took away; None where it was cancelled.

    Reads the whole log, which takes its time. Raises OSError where the recording can no longer be read.
    """
    compactions = set(compute_timeline(bench.session, bench.sizes, agent).compactions)
    if not compactions:
        return Findings()
    history = loss_history(bench.session, bench.sizes, bench.fact_index(), agent, cancelled)
    if history is None:
        return None
    sealed = frozenset(losses.turn for losses in history.compactions if losses.is_sealed)
    needs = [*_needs(bench.session, agent, history.regrets, compactions - sealed)]
    lookups, uses = (tuple(need for need in needs if need.is_lookup is kind) for kind in (True, False))
    return Findings(lookups, uses, sealed)


def _needs(session: Session, agent: str, regrets: Sequence[Regret], compactions: set[int]) -> Iterator[LateNeed]:
    """The regrets of what compactions took away, each with the turn that shows its reply."""
    replies = session.turns(agent)
    for regret in regrets:
        position = replies[regret.turn - 1]
        reply = session.messages[position]
        needs = tuple(need for need in regret.needs if need.lost_at in compactions)
        asked = [need for need in needs if is_refetched(reply, need)]
        lookups = tuple(need for need in asked if not _is_told(session, position, _numbered(need.fact)))
        said = [need for need in needs if need not in asked] if not lookups else []
        uses = tuple(need for need in said if not _is_told(session, position, _short_names(need.fact)))
        if lookups or uses:
            later = _is_in_context(session, agent, position, regret.turn + 1)
            regret = replace(regret, needs=lookups or uses)
            yield LateNeed(regret, bool(lookups), regret.turn + later, position + 1)


_NUMBERED = re.compile(r"/(?:pulls?|issues|merge_requests)/(\d+)(?:/\w+)?/?$")
"""The end of an address of a request or an issue on a site for code, and of what hangs from it."""


def _short_names(fact: str) -> tuple[str, ...]:
    """The name by which a fact is told in a sentence, where that is another one."""
    name = fact_end(fact)
    return (name,) if name != fact else ()


def _numbered(fact: str) -> tuple[str, ...]:
    """How else an address is told that anybody can put together who knows the number in it."""
    number = _NUMBERED.search(fact)
    return (f"#{number[1]}", f"/{number[1]}") if number else ()


def _is_told(session: Session, position: int, names: Sequence[str]) -> bool:
    """Whether the context of a reply has one of some names. Raises OSError."""
    place = session.messages[position].parent
    while names and 0 <= place < position:
        position, place = place, session.messages[place].parent
        text = readable_text(session.messages[position])
        if any(name in text for name in names):
            return True
    return False


def _is_in_context(session: Session, agent: str, position: int, turn: int) -> bool:
    """Whether the message at a position is in the context of a turn. Takes as long as there are messages behind it."""
    end = session.context_end(turn, agent)
    while end > position and 0 <= session.messages[end].parent < end:
        end = session.messages[end].parent
    return end == position


def _times(turns: Sequence[int]) -> str:
    """How often something happened, by the turns before which it did."""
    return f"{'once' if len(turns) == 1 else f'{len(turns):,} times, last'} before turn {turns[-1]:,}"


def _follows(session: Session, before: int, end: int) -> bool:
    """Whether the context that ends at a position goes on from the one that ends at a position before it."""
    while end > before:
        end = session.messages[end].parent
    return end == before or before < 0


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

    @cached_property
    def clearings(self) -> tuple[int, ...]:
        """The turns before which results were cleared out of the context without a summary, ascending."""
        session, replies = self.bench.session, self.bench.session.turns(self.agent)
        cleared = (place for place, message in enumerate(session.messages) if self._is_cleared(message))
        return tuple(dict.fromkeys(bisect_left(replies, place) + 1 for place in cleared))

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """The turns whose context lacks messages of the one before, but for compactions and clearings, ascending."""
        session, replies = self.bench.session, self.bench.session.turns(self.agent)
        ends = [session.messages[reply].parent for reply in replies] + [session.last_position(self.agent)]
        known = {*self.timeline.compactions, *self.clearings}
        pairs = enumerate(pairwise(ends), 2)
        return tuple(turn for turn, pair in pairs if turn not in known and not _follows(session, *pair))

    @property
    def leavings(self) -> tuple[str, ...]:
        """What left the window without a summary, and when, each in words."""
        kinds = (("older results were cleared from", self.clearings), ("messages left", self.cuts))
        return tuple(f"{what} its window {_times(turns)}" for what, turns in kinds if turns)

    def _is_cleared(self, message: Message) -> bool:
        """Whether a result stands in the log once more, with fewer words."""
        original = self.bench.session.by_id.get(message.id.rpartition("#")[0])
        if original is None or message.agent != self.agent or message.answers in ("", None):
            return False
        return original.answers == message.answers and original.chars > message.chars and not original.images

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
        return len(self.bench.session.messages) > _LONG_LOG

    @property
    def is_counted(self) -> bool:
        """Whether all counts are final."""
        return not (self.bench.partial or self.bench.sizes.is_partial)

    def total(self, count: int) -> str:
        """The tokens of a whole window in words, with the sign of an estimate where any of it is one."""
        return str(TokenCount(count, self.timeline.certainty))

    def tokens(self, count: int) -> str:
        """A number of tokens in words, with the sign of an estimate where it is one."""
        sizes = self.bench.sizes
        return f"{mark(sizes.certainty) or mark(sizes.tools_certainty)}{count:,}"
