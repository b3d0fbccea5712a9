"""Replaying a session: its log is fed, turn by turn, to a memory with another policy than the one it was recorded with.

Nothing is looked at twice: a frame costs what came in since the one before, and a compression costs its window. What
the recording did itself is a replay too, one whose log is cut where the recording cut it and whose policy does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from inspector.compression import (
    NONE,
    RECORDED,
    Compaction,
    CompressionEngine,
    Policy,
    Preset,
    cached_prefix,
    summary_calls,
)
from inspector.conversation import MAIN, Problem, Session, Usage
from inspector.facts import STATES, FactIndex, FactTracker, Known, Regret, State, Weights, regrets
from inspector.models import Price, calls_of, cost
from inspector.replay.frames import CompactionRecord, Frame, Replay
from inspector.replay.steps import Step, context_steps, repeating_summaries, uncompacted_session
from inspector.strategies import Services
from inspector.tokens import Sizes
from inspector.window import REPLY_PRIMER, Plan, Window, at_turn, problems, view


def replay(
    session: Session,
    sizes: Sizes,
    preset: Preset,
    price: Price,
    agent: str = MAIN,
    services: Services | None = None,
    facts: FactIndex | None = None,
    weights: Weights | None = None,
) -> Replay:
    """A whole replay at once. `RECORDED` is the preset of what the recording did itself.

    With the `facts` of the session (`FactIndex`), it is told what of them was kept, and which were missed.
    """
    running = ReplayRun(session, sizes, preset, price, agent, services, facts, weights)
    for _ in running.frames():
        pass
    return running.replay()


@dataclass
class ReplayRun:
    """A replay in progress."""

    session: Session
    sizes: Sizes
    preset: Preset
    price: Price
    agent: str = MAIN
    services: Services | None = None
    facts: FactIndex | None = None
    weights: Weights | None = None
    done: list[Frame] = field(default_factory=list)
    compactions: list[CompactionRecord] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    missed: list[Regret] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.policy = Policy.of(self.preset)
        self.log = self.session if self.recorded else uncompacted_session(self.session)
        """What is fed to the engine."""
        self.engine = CompressionEngine(self.policy, self.session.context, self.sizes, self.services, agent=self.agent)
        self.facts_now = (
            FactTracker(self.facts, self.weights, repeating_summaries(self.session)) if self.facts else None
        )
        """Where the facts are by now."""
        self.cached = 0
        """Tokens of the last call that are still a prefix of the window."""
        self.reported = {call.reply.id: call.usage for call in calls_of(self.session)} if self.recorded else {}
        """What the calls took by the provider's own account: the recording's row is billed by it."""

    @property
    def recorded(self) -> bool:
        return self.preset == RECORDED

    def frames(self) -> Iterator[Frame]:
        """The frames, one by one, each made when it is asked for."""
        for step in context_steps(self.log, self.agent):
            yield self.frame(step)

    def frame(self, step: Step) -> Frame:
        rewound = step.kept < len(self.engine.log)
        before = self.engine.total if rewound else 0
        if rewound:
            self.rewind(step.kept)
        self.feed(step)
        if rewound and self.recorded and step.new:
            self.note_own(step, before)
        compaction = self.engine.compress() if self.engine.due else None
        if compaction:
            self.note(compaction, step.turn)
        if self.facts_now:
            self.follow_facts(self.facts_now, step, changed=rewound or compaction is not None)
        frame = self.measure(step, compaction)
        self.done.append(frame)
        return frame

    def rewind(self, kept: int) -> None:
        """The person took another way: what came after is gone, and plans hold for what is still there."""
        before = self.engine.window()
        if self.recorded:
            self.refused += problems(before)
        self.engine.rewind(kept)
        self.cached = min(self.cached, cached_prefix(before, self.engine.window()))

    def feed(self, step: Step) -> None:
        for position in step.new:
            self.engine.append(self.log.messages[position], self.sizes.tokens[position])
        self.engine.cursor.enter(self.log, step.turn)

    def follow_facts(self, ledger: FactTracker, step: Step, changed: bool) -> None:
        """Follow where the facts are, and what the reply needed that was lost."""
        log = self.session.messages
        if self.recorded and changed:
            ledger.show(step.turn, self.engine.window().messages)
        else:
            ledger.add([log[position] for position in step.new])
        if changed and not self.recorded:
            archived = [name for name, fate in self.newest_fates() if fate in ("archived", "retrieved")]
            ledger.show(step.turn, self.engine.window().messages, archived)
        if step.reply >= 0:
            self.missed += regrets(ledger, step.turn, log[step.reply])

    def newest_fates(self) -> list[tuple[str, str]]:
        plans = self.engine.plans[-1:]
        return [(name, fate.kind) for plan in plans for name, fate in plan.by_id.items()]

    def note(self, made: Compaction, turn: int) -> None:
        """Remember a compression, and what a provider would say to it."""
        plan = made.plan
        changed = [fate for name, fate in plan.by_id.items() if fate.gone or name in plan.changed]
        reversible = all(fate.kind in ("archived", "retrieved") for fate in changed)
        strategy = plan.strategy
        self.compactions.append(
            CompactionRecord(turn, made.before.total, made.after.total, strategy, len(changed), reversible, plan)
        )
        self.cached = min(self.cached, cached_prefix(made.before, made.after))
        faults = {(each.text, each.message) for each in problems(made.before)}
        self.refused += [each for each in problems(made.after) if (each.text, each.message) not in faults]

    def note_own(self, step: Step, before: int) -> None:
        """A compaction of the recording's own: its summary begins a new context."""
        if self.log.messages[step.new[0]].kind == "summary":
            covered = len(self.engine.log)
            self.compactions.append(CompactionRecord(step.turn, before, self.engine.total, "recorded", covered, False))

    def measure(self, step: Step, compaction: Compaction | None) -> Frame:
        engine, length = self.engine, len(self.engine)
        sections = engine.cursor.sections()
        total, paid, plain = sum(sections), 0.0, 0.0
        if step.reply >= 0:
            paid, plain = self.billed(step.reply, total)
            if compaction:
                calls = summary_calls(compaction.before, compaction.plan)
                written = sum(cost(self.price, call).total for call in calls)
                paid, plain = paid + written, plain + written
            self.cached = total - (REPLY_PRIMER if length else 0)
        number = len(self.compactions) - 1 if self.compactions and self.compactions[-1].turn == step.turn else -1
        return Frame(step.turn, step.reply, sections, engine.uncompressed, length, number, paid, plain)

    def billed(self, position: int, total: int) -> tuple[float, float]:
        """Dollars of the call that gave the reply at `position`, with the prompt cache and without."""
        reply = self.session.messages[position]
        if self.reported and reply.id not in self.reported:
            return 0.0, 0.0  # written down as two messages, billed with the other one
        if told := self.reported.get(reply.id):
            return cost(self.price, told).total, cost(self.price, Usage(told.input, told.output)).total
        written = reply.usage.output if reply.usage else self.sizes.tokens[position]
        read = min(self.cached, total)
        paid, plain = Usage(total, written, read, total - read), Usage(total, written)
        return cost(self.price, paid).total, cost(self.price, plain).total

    def absent(self) -> Iterator[tuple[State, Known, str]]:
        """The facts that the window does not tell by now: where they are, what they say, and who told them first."""
        if self.facts_now:
            for state in STATES[1:]:
                for known, message in self.facts_now.facts(state):
                    yield state, known, message

    def replay(self) -> Replay:
        """What has come of it so far."""
        faults = [*self.refused, *(problems(self.engine.window()) if self.recorded else ())]
        return Replay(
            self.preset.name,
            self.agent,
            tuple(self.done),
            tuple(self.compactions),
            tuple(dict.fromkeys(faults)),
            self.engine.trigger.gave_up,
            tuple(self.engine.plans),
            self.facts_now.retention() if self.facts_now else None,
            tuple(self.missed),
        )


def window_at(session: Session, sizes: Sizes, done: Replay, turn: int) -> Window:
    """The window of one frame, built anew. Raises ValueError for a turn that the replay does not have."""
    log = session if done.preset == RECORDED.name else uncompacted_session(session)
    return view(at_turn(log, sizes, turn, done.agent), done.plans)


__all__ = ["NONE", "RECORDED", "Plan", "ReplayRun", "replay", "window_at"]
