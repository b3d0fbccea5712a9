"""Find the facts that a recording's own compactions lost, in a single walk along the log.

A fact is lost if the messages before the compaction state it and the request after it does not. Later replies that
needed it are the regrets of the recorded replay (`inspector.engine.facts.unmet_needs`), and
`inspector.analysis.context_loss.lookups` finds the ones that re-fetched it. If a summary is encrypted, the facts that
it retained are unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from inspector.analysis import replay
from inspector.analysis.context_loss.ledger import Sources, count_facts, first_tellers, losses_of, needs_by_turn
from inspector.analysis.context_loss.loss_models import Losses, RepeatedRead, sort_losses
from inspector.analysis.replay import (
    RECORDED,
    ContextStep,
    ReplayRun,
    context_steps,
    is_compacted,
)
from inspector.analysis.tool_activity import FileReread, dropped_rereads
from inspector.analysis.usage_breakdown import repeated_results
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.work_pool import Stop
from inspector.engine import work_state
from inspector.engine.facts import FactIndex, FactTracker, Regret
from inspector.engine.window import compute_timeline
from inspector.llm.models import session_price
from inspector.llm.providers import is_sealed_summary
from inspector.llm.tokens import Sizes


@dataclass(frozen=True)
class LossHistory:
    """Losses of every recorded compaction, and every reply that needed a lost fact."""

    compactions: tuple[Losses, ...] = ()
    """Losses by compaction, oldest first."""
    regrets: tuple[Regret, ...] = ()
    """All regrets of the recorded replay."""

    @cached_property
    def by_turn(self) -> Mapping[int, Losses]:
        return {losses.turn: losses for losses in self.compactions}


_HISTORIES: WeakKeyDictionary[FactIndex, tuple[Session, Sizes, str, LossHistory]] = WeakKeyDictionary()
"""The last history computed for each fact index, shared by the diagnosis and the views of single compactions."""


def loss_history(
    session: Session, sizes: Sizes, index: FactIndex, agent: str = MAIN, cancelled: Stop = bool
) -> LossHistory | None:
    """Return the losses of all compactions of an agent.

    The cost is linear in the log. The last result is cached as long as the index exists.

    Args:
        session: Session to examine.
        sizes: Token counts of the session.
        index: Facts of the session.
        agent: Agent whose context was compacted.
        cancelled: Called once per turn; stops the walk when it returns True.

    Returns:
        The history, or None if the walk was cancelled.

    Raises:
        OSError: If the recording can no longer be read.
    """
    known = _HISTORIES.get(index)
    if known is not None and known[0] is session and known[1] is sizes and known[2] == agent:
        return known[3]
    if not any(session.messages[position].agent == agent for position in session.compactions):
        return LossHistory()
    walk = _RecordedWalk(session, sizes, index, agent)
    for step in context_steps(session, agent):
        if cancelled():
            return None
        walk.advance(step)
    history = _with_states(walk.history(), work_state.WorkHistory(session, agent))
    _HISTORIES[index] = (session, sizes, agent, history)
    return history


def _with_states(history: LossHistory, work: work_state.WorkHistory) -> LossHistory:
    """Return the history with the state of the work before each compaction, its fates, and what followed."""
    steps = {step.turn: step for step in work.transitions()}
    rows = tuple(
        _with_state(losses, step) if (step := steps.get(losses.turn)) else losses for losses in history.compactions
    )
    return replace(history, compactions=rows)


def _with_state(losses: Losses, step: work_state.Transition) -> Losses:
    fates = work_state.fates_of(step)
    return replace(
        losses,
        before=step.before,
        state=fates,
        probes=replay.probes_of(step, fates),
        consequences=tuple(work_state.consequences_of(step)),
    )


class _RecordedWalk:
    """A replay of the recording that examines the window at every compaction."""

    def __init__(self, session: Session, sizes: Sizes, index: FactIndex, agent: str) -> None:
        self.session, self.index = session, index
        self.sizes = sizes
        self.sources = Sources.of(session, index, agent, is_recorded=True)
        self.run = ReplayRun(session, sizes, RECORDED, session_price(session), agent, facts=index)
        self.timeline = compute_timeline(session, sizes, agent)
        self.tallies: list[_Tally] = []

    def advance(self, step: ContextStep) -> None:
        """Advance to the context before the next call."""
        run, count = self.run, len(self.run.compactions)
        before: list[Message] | None = None
        if is_compacted(self.session, step, run.agent):
            before = [*run.engine.window().messages, *self.unsent(step)]
        run.frame(step)
        if before is not None and len(run.compactions) > count and isinstance(run.tracker, FactTracker):
            event = run.compactions[-1]
            here = run.engine.window().messages
            tellers = first_tellers(self.index, before)
            if any(map(_leaves_nothing_open, here)):
                facts = self.index.facts
                tellers = {number: teller for number, teller in tellers.items() if facts[number].cls != "task"}
            result = count_facts(run.tracker, tellers)
            change, is_sealed = self.timeline.change(event.turn), any(map(_is_sealed, here))
            losses = Losses(event.turn, change, event.covered, (), result.kept, is_sealed=is_sealed)
            self.tallies.append(_Tally(losses, result.lost, self.gone(before)))
        if self.tallies:
            self.tallies[-1].later.extend(self.session.messages[position] for position in step.new)

    def gone(self, before: Sequence[Message]) -> list[Message]:
        """Return the given messages that are absent from the current window, both themselves and as copies."""
        here = {self.session.original_of(message) for message in self.run.engine.window().messages}
        return [message for message in before if self.session.original_of(message) not in here]

    def unsent(self, step: ContextStep) -> list[Message]:
        """Return the messages between the last request and a compaction: the reply to it and everything after that."""
        session, turns = self.session, self.session.turns(self.run.agent)
        if not 2 <= step.turn <= len(turns) + 1:
            return []
        reply, end = turns[step.turn - 2], step.new[0]
        messages = (session.messages[position] for position in range(reply, end))
        return [message for message in messages if message.agent == self.run.agent and message.kind != "notice"]

    def history(self) -> LossHistory:
        regrets = tuple(self.run.regrets)
        readable = [tally.losses.turn for tally in self.tallies if not tally.losses.is_sealed]
        files = list(dropped_rereads(self.session, self.run.agent, readable))
        rows: list[Losses] = []
        all_needs = needs_by_turn(self.index, regrets)
        for tally in self.tallies:
            turn = tally.losses.turn
            needs = {} if tally.losses.is_sealed else all_needs.get(turn, {})
            again = [reread for reread in files if reread.need.lost_at == turn]
            losses = self.sources.with_files(losses_of(self.sources, tally.lost, needs), again)
            rows.append(replace(tally.losses, losses=sort_losses(losses), reread=self.rereads(tally, again)))
        return LossHistory(tuple(rows), regrets)

    def rereads(self, tally: _Tally, files: Sequence[FileReread]) -> tuple[RepeatedRead, ...]:
        """Return the removed results that were read again, each with its first repetition, oldest first.

        Args:
            tally: Compaction.
            files: Files and pages read again whose earlier results it removed.
        """
        rows = {row.again: row for row in self.repeated(tally)}
        for reread in files:
            again = self.session.messages[reread.position]
            row = RepeatedRead(reread.need.source, again.id, reread.turn, self.sizes.tokens[reread.position])
            rows.setdefault(again.id, row)
        return tuple(sorted(rows.values(), key=lambda row: self.sources.places[row.again]))

    def repeated(self, tally: _Tally) -> Iterator[RepeatedRead]:
        """Yield the removed results that a call before the next compaction repeats with the same arguments or text."""
        known = set(tally.gone)
        later = [one for one in tally.later if one not in known and self.session.original_of(one) is one]
        messages = [*tally.gone, *later]
        for repeated in repeated_results(messages):
            border = bisect_left(repeated.places, len(tally.gone))
            if 0 < border < len(repeated.places):
                left, again = (messages[repeated.places[at]] for at in (border - 1, border))
                position = self.sources.places[again.id]
                yield RepeatedRead(left.id, again.id, self.sources.turns.get(position, 0), self.sizes.tokens[position])


def _is_sealed(message: Message) -> bool:
    """Return True if a message is a summary that only the provider can read."""
    return message.kind == "summary" and is_sealed_summary(message.raw)


def _leaves_nothing_open(message: Message) -> bool:
    """Return True if a message is a summary that reports no open tasks."""
    return message.kind == "summary" and bool(_NOTHING_OPEN.search(message.text))


_NOTHING_OPEN = re.compile(r"(?:pending|open|remaining) (?:tasks|work|items)\W{1,12}(?:none|nothing)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Tally:
    """Data on one compaction, collected during the walk."""

    losses: Losses
    """Report on the compaction, with `losses` still empty."""
    lost: Mapping[int, str]
    """Index number of every lost fact, with the id of its first source, as in `FactCount`."""
    gone: Sequence[Message]
    """Messages that were removed."""
    later: list[Message] = field(default_factory=list)
    """Messages added to the context afterwards, until the next compaction."""
