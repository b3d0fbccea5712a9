"""Compute which facts a plan would lose, and which recorded replies would have needed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.analysis.context_loss.ledger import Sources, count_facts, first_tellers, losses_of, needs_by_turn
from inspector.analysis.context_loss.loss_models import Losses, sort_losses
from inspector.analysis.replay import Archive, context_steps, repeating_summaries
from inspector.core.conversation import Session
from inspector.core.work_pool import Stop
from inspector.engine.facts import FactIndex, FactTracker, Regret, find_unmet_needs
from inspector.engine.window import Plan, SizeChange, Window, at_turn, view


def count_losses(session: Session, index: FactIndex, recorded: Window, after: Window, plans: Sequence[Plan]) -> Losses:
    """Return the facts of a recorded window that are lost after some plans, without quotations or later replies.

    Its cost is linear in the window.

    Args:
        session: Session that the window belongs to.
        index: Facts of the session.
        recorded: Window before the plans.
        after: Window after the plans.
        plans: Plans applied, oldest first.

    Raises:
        OSError: If the recording can no longer be read.
    """
    tracker = _tracker(session, index, recorded, after, plans)
    return _counted(Sources(session, index, recorded.agent), tracker, recorded, after)


def plan_losses(
    session: Session,
    index: FactIndex,
    recorded: Window,
    after: Window,
    plans: Sequence[Plan],
    cancelled: Stop = bool,
) -> Losses | None:
    """Return the facts of a recorded window that are lost after some plans, with the later replies that needed them.

    The later replies are the recorded ones, checked with the plans applied. The cost is linear in the log, except where
    the session was rewound.

    Args:
        session: Session that the window belongs to.
        index: Facts of the session.
        recorded: Window before the plans.
        after: Window after the plans.
        plans: Plans applied, oldest first.
        cancelled: Called once per later reply; stops the computation when it returns True.

    Returns:
        The losses, or None if the computation was cancelled.

    Raises:
        OSError: If the recording can no longer be read.
    """
    sources = Sources.of(session, index, recorded.agent)
    tracker = _tracker(session, index, recorded, after, plans)
    tellers = first_tellers(index, recorded.messages)
    result = count_facts(tracker, tellers)
    regrets: list[Regret] = []
    for regret in _later_regrets(session, tracker, recorded, plans):
        if cancelled():
            return None
        regrets += [regret] if regret else []
    needs = needs_by_turn(index, regrets).get(recorded.turn, {})
    losses = sort_losses(losses_of(sources, result.lost, needs))
    return replace(_sizes(recorded, after), losses=losses, kept=result.kept)


def _counted(sources: Sources, tracker: FactTracker, recorded: Window, after: Window) -> Losses:
    result = count_facts(tracker, first_tellers(sources.index, recorded.messages))
    losses = sort_losses(sources.loss(number, teller) for number, teller in result.lost.items())
    return replace(_sizes(recorded, after), losses=losses, kept=result.kept)


def _sizes(recorded: Window, after: Window) -> Losses:
    here = {message.id: message for message in after.messages}
    covered = sum(here.get(message.id) is not message for message in recorded.messages)
    return Losses(recorded.turn, SizeChange(recorded.size, after.size), covered, ())


def _tracker(session: Session, index: FactIndex, recorded: Window, after: Window, plans: Sequence[Plan]) -> FactTracker:
    """Return a tracker of the recorded window's facts to which the window after the plans has been shown."""
    archive = Archive()
    archive.follow(plans)
    tracker = FactTracker(index, retelling=repeating_summaries(session))
    tracker.add(recorded.messages)
    tracker.show(recorded.turn, after.messages, archive.within_reach)
    return tracker


def _later_regrets(
    session: Session, tracker: FactTracker, recorded: Window, plans: Sequence[Plan]
) -> Iterator[Regret | None]:
    """Yield the regret of the current reply and each later one under the plans, None if it needed nothing lost."""
    log, agent = session.messages, recorded.agent
    for step in context_steps(session, agent):
        if step.turn < recorded.turn or step.reply < 0:
            continue
        if step.turn > recorded.turn and step.left:
            window = view(at_turn(session, recorded.sizes, step.turn, agent, recorded.limit), plans)
            tracker.show(step.turn, window.messages)
        elif step.turn > recorded.turn:
            tracker.add([log[position] for position in step.new])
        yield find_unmet_needs(tracker, step.turn, log[step.reply]).regret
