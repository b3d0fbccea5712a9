"""Replay a session by feeding its log, turn by turn, to a context managed by a given policy.

Nothing is processed twice: a frame costs as much as the messages added since the previous one, and a compression as
much as its window. The recording itself is also replayed, with its log cut at the recorded compactions and a policy
that does nothing.

Reported usage is kept next to the computed costs. Reported input was counted by the provider's own tokenizer, and the
real cache can have lost content that the simulated one still contains.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from inspector.analysis import replay as face
from inspector.analysis.replay.billing import NO_BILL, Biller
from inspector.analysis.replay.context_growth import (
    ContextPath,
    ContextStep,
    context_steps,
    is_compacted,
    repeating_summaries,
    uncompacted_session,
    uncompacted_sizes,
)
from inspector.analysis.replay.frames import CompactionEvent, Frame, Replay
from inspector.analysis.replay.recorded_needs import RecordedNeeds
from inspector.analysis.replay.repeated_reads import count_rereads
from inspector.analysis.replay.replay_archive import Archive, removes_recent
from inspector.analysis.replay.state_counts import Judged, StateKept
from inspector.core.conversation import MAIN, Problem, Session
from inspector.engine.compression import (
    NONE,
    RECORDED,
    Compaction,
    CompressionEngine,
    Policy,
    Preset,
    Recall,
    cached_prefix,
    place_of,
    scale_of,
    summary_calls,
    with_recall,
)
from inspector.engine.facts import STATES, FactIndex, FactRecord, FactTracker, Regret, State, Weights, find_unmet_needs
from inspector.engine.strategies import Services, recall_settings
from inspector.engine.window import (
    REPLY_PRIMER,
    SECTIONS,
    Plan,
    Window,
    at_turn,
    compute_timeline,
    faults,
    problem_at,
    problems,
    size_problems,
    view,
)
from inspector.llm.models import Price, cost
from inspector.llm.tokens import Certainty, Sizes, TokenCount, weakest

_MEMORY = SECTIONS.index("memory")


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
    """Run a complete replay.

    Args:
        preset: Preset of the policy; `RECORDED` for the recording's own compactions.
        services: Services that strategies can use, for example a summarizer.
        facts: Facts of the session; without them, the replay reports neither retention nor regrets.
        weights: Weights of the classes of facts.
    """
    run = ReplayRun(session, sizes, preset, price, agent, services, facts, weights)
    for _ in run.frames():
        pass
    return run.replay()


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
    judged: Judged = "all"
    """Judgements of the state of the work. All of them take up to half of the time, and need the facts."""
    states: face.LogStates | None = None
    """States of the work that other replays of the session share."""
    past_frames: list[Frame] = field(default_factory=list)
    compactions: list[CompactionEvent] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Provider problems of the windows sent so far, except those sent since the last change."""
    new_problems: list[Problem] = field(default_factory=list)
    """Provider problems that compressions introduced."""
    size_problems: list[Problem] = field(default_factory=list)
    """Problems caused by windows over the model's limit."""
    lengths: list[int] = field(default_factory=list)
    """Message counts of the windows sent since the last change. Each is a prefix of the current window."""
    regrets: list[Regret] = field(default_factory=list)
    recalls: list[Regret] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scale = scale_of(self.session, self.sizes, self.agent)
        """Reference values for thresholds on this session."""
        self.policy = Policy.of(self.preset, self.scale)
        self.whole_path = ContextPath(uncompacted_session(self.session), self.agent)
        self.log, sizes, price = self.session, self.sizes, self.price
        """Log that is fed to the engine."""
        if not self.is_recording:
            self.log, sizes = self.whole_path.session, uncompacted_sizes(self.session, self.sizes)
        self.engine = CompressionEngine(
            self.policy, self.session.context, sizes, self.services, agent=self.agent, price=lambda: price
        )
        self.tracker = FactTracker(self.facts, self.weights, repeating_summaries(self.session)) if self.facts else None
        """States of the facts so far."""
        self.archive = Archive()
        self.back: Recall | None = None
        """Content retrieved into the last window."""
        self.prefix = 0
        """Tokens before the retrieved content."""
        self.biller = Biller(self.session, self.sizes, self.price, self.agent, self.is_recording)

    @property
    def is_recording(self) -> bool:
        return self.preset == RECORDED

    @cached_property
    def recorded_needs(self) -> RecordedNeeds:
        compactions = compute_timeline(self.session, self.sizes, self.agent).compactions
        return RecordedNeeds(self.session, self.agent, compactions)

    @cached_property
    def state_tally(self) -> face.StateTally:
        """Follows the state of the work; made when the first compaction is judged, since its rules load slowly."""
        tally = face.StateTally(self.states or face.LogStates(), only_questions=self.judged == "questions")
        return tally.add_recorded(self.session, self.agent) if self.is_recording else tally

    @property
    def state_kept(self) -> StateKept:
        """State of the work that the compactions so far kept."""
        return self.state_tally.counts if self._has_state else StateKept()

    @property
    def _has_state(self) -> bool:
        """True if a compaction was judged, or the recording may contain one."""
        if not self.tracker or self.judged == "nothing":
            return False
        return bool(self.session.compactions if self.is_recording else self.compactions)

    def frames(self) -> Iterator[Frame]:
        """Yield the frames, each computed on demand."""
        for step in context_steps(self.log, self.agent):
            yield self.frame(step)

    def frame(self, step: ContextStep) -> Frame:
        rewinds = step.left > 0
        before = self.engine.window() if self.is_recording and is_compacted(self.log, step, self.agent) else None
        if rewinds:
            self.rewind(step.prefix)
        self.feed(step)
        if before is not None:
            self.note_own(step, before)
        compaction = self.engine.compress() if self.engine.due else None
        if compaction:
            self.note(compaction, step.turn)
        swaps = self.note_recall()
        if self.tracker:
            self.follow_facts(self.tracker, step, rewinds, has_changed=swaps or rewinds or compaction is not None)
        frame = self.measure(step, compaction)
        self.past_frames.append(frame)
        return frame

    def rewind(self, length: int) -> None:
        """Return to the first `length` messages of the log, where the session continued on another branch."""
        before = self.engine.window()
        self.problems += self.problems_of(before)
        self.lengths.clear()
        self.engine.rewind(length)
        self.biller.keep(cached_prefix(before, self.engine.window()))

    def feed(self, step: ContextStep) -> None:
        for position in step.new:
            self.engine.append(self.log.messages[position], self.sizes.tokens[position])
        self.engine.cursor.enter(self.log, step.turn)

    def note_recall(self) -> bool:
        """Record the content retrieved for this window, and charge the cached prefix up to where it changes.

        Returns:
            True if other content was retrieved than for the previous window, which breaks the cached prefix there.
        """
        back, last = self.engine.back, self.back
        if back is last:
            return False
        self.back = back
        if back and last and back.message == last.message:
            return False
        here = self.tokens_before_request() if back else self.prefix
        self.biller.keep(min(here, self.prefix) if last else here)
        self.prefix = here
        return True

    def tokens_before_request(self) -> int:
        """Return the tokens of a request before the place where retrieved content is inserted."""
        window = self.engine.window()
        return self.engine.cursor.around + sum(window.tokens[: place_of(window)])

    def follow_facts(self, tracker: FactTracker, step: ContextStep, rewinds: bool, has_changed: bool) -> None:
        """Update the states of the facts, and record the lost facts that the reply needed.

        Args:
            rewinds: True if the session was rewound before the call.
            has_changed: True if the window is not just the previous one with messages appended.
        """
        log = self.session.messages
        if self.is_recording and has_changed:
            tracker.show(step.turn, self.engine.window().messages)
        else:
            tracker.add([log[position] for position in step.new])
        if has_changed and not self.is_recording:
            self.archive.follow(self.engine.plans[-1:])
            window = with_recall(self.engine.window(), self.back)
            tracker.show(step.turn, window.messages, self.archive.within_reach)
        if rewinds:
            tracker.follow_path(*self.whole_path.follow(step.reply))
        if step.reply >= 0:
            regret, recall = find_unmet_needs(tracker, step.turn, log[step.reply])
            self.regrets += [regret] if regret else []
            self.recalls += [recall] if recall else []

    def note(self, compaction: Compaction, turn: int) -> None:
        """Record a compression, and the provider problems of its window."""
        plan, before, after = compaction.plan, compaction.before, compaction.after
        fates = [fate for name, fate in plan.by_id.items() if fate.leaves or name in plan.rewrites]
        reversible = all(fate.kind in ("archived", "retrieved") for fate in fates)
        strategy, is_hasty = plan.strategy, removes_recent(before, plan, self.facts)
        sizes = before.size, after.size
        event = CompactionEvent(
            *(turn, before.total, after.total, strategy, len(fates), reversible, plan, is_hasty),
            *(size.certainty for size in sizes),
        )
        self.compactions.append(event)
        self.biller.keep(cached_prefix(before, after))
        self.problems += self.problems_of(before)
        self.lengths.clear()
        earlier = set(problems(before))
        if self.tracker and self.judged != "nothing":
            self.state_tally.add(self.engine.log, compaction, face.messages_after(self.log, turn, self.agent))
        self.new_problems += [problem for problem in problems(replace(after, limit=0)) if problem not in earlier]

    def problems_of(self, window: Window) -> list[Problem]:
        """Return the provider problems of the windows sent since the last change, given the last of them."""
        lengths = sorted(set(self.lengths))
        rows = faults(window, window.context.dialect, lengths) if lengths else ()
        return [
            problem_at(window, row.place, row.words)
            for row in rows
            if bisect_left(lengths, row.since) < bisect_right(lengths, row.until)
        ]

    def note_own(self, step: ContextStep, before: Window) -> None:
        """Record one of the recording's own compactions."""
        log, original = self.log.messages, self.log.original_of
        summary = next(position for position in reversed(step.new) if log[position].kind == "summary")
        old = (log[position] for position in self.log.context_before(summary))
        gone = {original(message).id for message in old if message.kind != "notice"}
        count = len(gone.difference(original(message).id for message in self.engine.window().messages))
        sizes = _sent_size(before), _sent_size(self.engine.window())
        event = CompactionEvent(
            *(step.turn, sizes[0].tokens, sizes[1].tokens, "recorded", count, False),
            before_how=sizes[0].certainty,
            after_how=sizes[1].certainty,
        )
        self.compactions.append(event)

    def measure(self, step: ContextStep, compaction: Compaction | None) -> Frame:
        engine, length, back = self.engine, len(self.engine), self.back
        sections = engine.cursor.sections()
        if back:
            sections = (*sections[:_MEMORY], sections[_MEMORY] + back.tokens, *sections[_MEMORY + 1 :])
        total, bill, fetch = sum(sections), NO_BILL, 0
        if step.reply >= 0:
            bill = self.biller.bill(step.reply, total, total - (REPLY_PRIMER if length else 0))
            price = self.price.of(self.session.messages[step.reply])
            if compaction:
                calls = summary_calls(compaction.before, compaction.plan)
                bill = bill.with_summaries(sum(cost(price, call).total for call in calls))
            if fetch := self.fetch_of(step, total):
                bill = bill.with_recall(total, fetch - total, price)
            limit = self.session.limit_at(step.turn, self.agent) or self.sizes.limit
            self.size_problems += size_problems(total, limit, self.session.dialect)
        if length:
            self.lengths.append(length)
        number = len(self.compactions) - 1 if self.compactions and self.compactions[-1].turn == step.turn else -1
        length += back is not None
        waits = 0 if compaction else self.wait()
        return Frame(step.turn, step.reply, sections, engine.full_total, length, number, bill, back, fetch, waits)

    def wait(self) -> int:
        """Return the size above which a window over the threshold is compressed or retried; 0 for other windows."""
        is_above = self.policy.enabled and self.engine.total > self.policy.threshold
        return self.engine.trigger.level if is_above else 0

    def fetch_of(self, step: ContextStep, total: int) -> int:
        """Return the tokens of an additional call to fetch archived facts that the reply needed; 0 if none is needed.

        The call sends the window of `total` tokens again, with as many of the archived messages as the policy can
        retrieve.
        """
        recall = self.recalls[-1] if self.recalls else None
        if recall is None or recall.turn != step.turn or (settings := recall_settings(self.engine.plans)) is None:
            return 0
        log = self.session.by_id
        sources = {need.source for need in recall.needs if need.source in log}
        return total + min(settings.tokens, sum(self.sizes.measure(log[name]) for name in sources))

    @property
    def certainty(self) -> Certainty:
        """Certainty of the window sizes."""
        parts = [self.sizes.certainty, *([self.sizes.tools_certainty] if self.sizes.tools else [])]
        return "estimated" if self.sizes.unrecorded else weakest(*parts)

    def absent(self) -> Iterator[tuple[State, FactRecord, str]]:
        """Yield the facts that are not in the window, with their state and the id of their first source."""
        if self.tracker:
            for state in STATES[1:]:
                for fact, message in self.tracker.facts(state):
                    yield state, fact, message

    def replay(self) -> Replay:
        """Return the replay of the frames so far."""
        own = self.is_recording and self.tracker is not None
        needs = tuple(self.recorded_needs.needs(self.regrets, len(self.past_frames))) if own else ()
        return Replay(
            self.preset.name,
            self.agent,
            tuple(self.past_frames),
            tuple(self.compactions),
            tuple(dict.fromkeys([*self.size_problems, *self.problems, *self.problems_of(self.engine.window())])),
            self.engine.trigger.gave_up,
            tuple(self.engine.plans),
            self.tracker.retention() if self.tracker else None,
            tuple(need.regret for need in needs if need.is_refetched) if own else tuple(self.regrets),
            tuple(self.recalls),
            self.biller.lifetime,
            tuple(dict.fromkeys(self.new_problems)),
            tuple(dict.fromkeys(self.size_problems)),
            self.policy.threshold if self.policy.enabled else 0,
            count_rereads(self.session, self.agent) if own else None,
            self.certainty,
            self.state_kept,
            self.recorded_needs.sealed if own else (),
            tuple(need.regret for need in needs if not need.is_refetched),
            tuple(self.state_tally.questions) if self._has_state else (),
            self.engine.failures,
        )


def _sent_size(window: Window) -> TokenCount:
    """Return the size of a recorded window: as reported, or counted if it was not reported."""
    return window.size if window.reported is None else TokenCount(window.reported, "reported")


def window_at(session: Session, sizes: Sizes, outcome: Replay, turn: int) -> Window:
    """Rebuild the window of one frame, including the content retrieved into it.

    Args:
        outcome: Result of the replay.
        turn: Turn of the frame.

    Raises:
        ValueError: If the replay does not have that turn.
    """
    if outcome.preset != RECORDED.name:
        session, sizes = uncompacted_session(session), uncompacted_sizes(session, sizes)
    return with_recall(view(at_turn(session, sizes, turn, outcome.agent), outcome.plans), outcome.frames[turn - 1].back)


__all__ = ["NONE", "RECORDED", "Plan", "ReplayRun", "replay", "window_at"]
