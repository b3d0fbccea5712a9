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
    Compression,
    CompressionEngine,
    Policy,
    Preset,
    cached_prefix,
    foreseen,
)
from inspector.conversation import MAIN, Problem, Session, Usage
from inspector.facts import STATES, FactIndex, FactTracker, Known, Regret, State, Weights, regrets
from inspector.models import Price, calls_of, cost
from inspector.replay.frames import Compaction, Frame, Replay
from inspector.replay.sections import Sections
from inspector.replay.steps import Step, retelling, steps
from inspector.strategies import Services
from inspector.tokens import Sizes
from inspector.window import REPLY_PRIMER, OpenCalls, Plan, Window, problems, view


def replay(
    session: Session,
    sizes: Sizes,
    preset: Preset,
    price: Price,
    agent: str = MAIN,
    aids: Services | None = None,
    facts: FactIndex | None = None,
    weights: Weights | None = None,
) -> Replay:
    """A whole replay at once. `RECORDED` is the preset of what the recording did itself.

    With the `facts` of the session (`FactIndex`), it is told what of them was kept, and which were missed.
    """
    running = ReplayRun(session, sizes, preset, price, agent, aids, facts, weights)
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
    aids: Services | None = None
    facts: FactIndex | None = None
    weights: Weights | None = None
    done: list[Frame] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    missed: list[Regret] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.policy = Policy.of(self.preset)
        self.keeper = self.fresh()
        self.sections = Sections()
        self.path: list[int] = []
        self.told = FactTracker(self.facts, self.weights, retelling(self.session)) if self.facts else None
        self.asked = OpenCalls()
        """Of the log."""
        self.cached = 0
        """Tokens of the last call that are still a prefix of the window."""
        self.reported = {call.reply.id: call.usage for call in calls_of(self.session)} if self.recorded else {}
        """What the calls took by the provider's own account: the recording's row is billed by it."""

    def fresh(self) -> CompressionEngine:
        return CompressionEngine(self.policy, self.session.context, self.sizes, self.aids, agent=self.agent)

    @property
    def recorded(self) -> bool:
        return self.preset == RECORDED

    def frames(self) -> Iterator[Frame]:
        """The frames, one by one, each made when it is asked for."""
        for step in steps(self.session, self.agent, joined=not self.recorded):
            yield self.frame(step)

    def frame(self, step: Step) -> Frame:
        before = self.keeper.total
        rewound = step.kept < len(self.path)
        if rewound:
            self.go_back(step.kept)
        self.take_in(step)
        if rewound and self.recorded and step.new:
            self.note_own(step, before)
        made = self.keeper.compress() if self.keeper.due else None
        if made:
            self.note(made, step.turn)
        if self.told:
            self.judge(self.told, step, changed=rewound or made is not None)
        frame = self.measured(step, made)
        self.done.append(frame)
        return frame

    def go_back(self, kept: int) -> None:
        """The person took another way: what came after is gone, and plans hold for what is still there."""
        before = self.keeper.window()
        if self.recorded:
            self.refused += problems(before)
        del self.path[kept:]
        self.rebuild()
        self.cached = min(self.cached, cached_prefix(before, self.keeper.window()))

    def rebuild(self) -> None:
        """The window anew, as the plans so far leave it."""
        old, self.keeper = self.keeper, self.fresh()
        self.asked = OpenCalls(map(self.session.messages.__getitem__, self.path))
        for position in self.path:
            self.keeper.append(self.session.messages[position], self.sizes.tokens[position])
        self.keeper.turn = old.turn  # all plans so far hold, however few turns are left of the path
        self.keeper.replayed(old.plans)
        self.keeper.trigger, self.keeper.unrecorded = old.trigger, old.unrecorded
        self.sections.of(self.keeper.window())

    def take_in(self, step: Step) -> None:
        compressed = bool(self.keeper.plans)
        for position in step.new:
            message, tokens = self.session.messages[position], self.sizes.tokens[position]
            was_asked = self.asked.take(message) is not None
            stays = not (compressed and was_asked) or self.sections.waits(message.answers)
            self.keeper.append(message, tokens, stays=stays)
            if stays:
                self.sections.add(message, tokens, behind_call=compressed)
        self.path += step.new
        self.keeper.turn = step.turn
        self.keeper.unrecorded = 0 if self.session.records_system else self.sizes.unrecorded_at(step.end)

    def judge(self, told: FactTracker, step: Step, changed: bool) -> None:
        """Follow where the facts are, and what the reply needed that was lost."""
        log = self.session.messages
        if self.recorded and changed:
            told.show(step.turn, self.keeper.window().messages)
        else:
            told.add([log[position] for position in step.new])
        if changed and not self.recorded:
            archived = [name for name, fate in self.newest_fates() if fate in ("archived", "retrieved")]
            told.show(step.turn, self.keeper.window().messages, archived)
        if step.reply >= 0:
            self.missed += regrets(told, step.turn, log[step.reply])

    def newest_fates(self) -> list[tuple[str, str]]:
        plans = self.keeper.plans[-1:]
        return [(name, fate.kind) for plan in plans for name, fate in plan.by_id.items()]

    def note(self, made: Compression, turn: int) -> None:
        """Remember a compression, and what a provider would say to it."""
        plan = made.plan
        changed = [fate for name, fate in plan.by_id.items() if fate.gone or name in plan.changed]
        reversible = all(fate.kind in ("archived", "retrieved") for fate in changed)
        strategy = plan.strategy
        self.compactions.append(
            Compaction(turn, made.before.total, made.after.total, strategy, len(changed), reversible, plan)
        )
        self.sections.of(made.after)
        self.cached = min(self.cached, cached_prefix(made.before, made.after))
        faults = {(each.text, each.message) for each in problems(made.before)}
        self.refused += [each for each in problems(made.after) if (each.text, each.message) not in faults]

    def note_own(self, step: Step, before: int) -> None:
        """A compaction of the recording's own: its summary begins a new context."""
        if self.session.messages[step.new[0]].kind == "summary":
            after = self.keeper.total
            self.compactions.append(Compaction(step.turn, before, after, "recorded", len(self.path), False))

    def measured(self, step: Step, made: Compression | None) -> Frame:
        keeper = self.keeper
        sections = self.sections.sized(self.sizes.tools, keeper.around - self.sizes.tools, len(keeper) > 0)
        total, paid, plain = sum(sections), 0.0, 0.0
        if step.reply >= 0:
            paid, plain = self.billed(step.reply, total)
            if made:
                asked = sum(cost(self.price, call).total for call in foreseen(made.before, made.plan))
                paid, plain = paid + asked, plain + asked
            self.cached = total - (REPLY_PRIMER if len(keeper) else 0)
        number = len(self.compactions) - 1 if self.compactions and self.compactions[-1].turn == step.turn else -1
        return Frame(step.turn, step.reply, sections, keeper.uncompressed, len(keeper), number, paid, plain)

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
        if self.told:
            for state in STATES[1:]:
                for known, message in self.told.facts(state):
                    yield state, known, message

    def replay(self) -> Replay:
        """What has come of it so far."""
        faults = [*self.refused, *(problems(self.keeper.window()) if self.recorded else ())]
        return Replay(
            self.preset.name,
            self.agent,
            tuple(self.done),
            tuple(self.compactions),
            tuple(dict.fromkeys(faults)),
            self.keeper.trigger.gave_up,
            tuple(self.keeper.plans),
            self.told.retention() if self.told else None,
            tuple(self.missed),
        )


def window_at(session: Session, sizes: Sizes, done: Replay, turn: int) -> Window:
    """The window of one frame, built anew. Raises ValueError for a turn that the replay does not have."""
    path: list[int] = []
    for step in steps(session, done.agent, joined=done.preset != RECORDED.name):
        path[step.kept :] = step.new
        if step.turn == turn:
            return view(window_of(session, sizes, path, step, done.agent), done.plans)
    raise ValueError(f"there is no turn {turn}: this replay has {len(done.frames)}")


def window_of(session: Session, sizes: Sizes, path: list[int], step: Step, agent: str) -> Window:
    reply = session.messages[step.reply] if step.reply >= 0 else None
    return Window(
        session.context,
        sizes,
        step.turn,
        tuple(session.messages[position] for position in path),
        tuple(sizes.tokens[position] for position in path),
        sizes.limit,
        0 if session.records_system else sizes.unrecorded_at(step.end),
        agent,
        originals=session.by_id,
        had_messages=bool(path),
        reported=reply.usage.input if reply and reply.usage else None,
    )


__all__ = ["NONE", "RECORDED", "Plan", "ReplayRun", "replay", "window_at"]
