"""Compare the facts of some messages with the facts that a window still states."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from inspector.analysis.context_loss.loss_models import Loss, Missing, NeedEvent
from inspector.analysis.replay import context_steps
from inspector.analysis.tool_activity import FileReread, Lookups
from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.facts import (
    CLASSES,
    FactClass,
    FactIndex,
    FactTracker,
    Regret,
    RetainedFact,
    State,
    closed_tasks,
    quote,
)


@dataclass(frozen=True)
class Sources:
    """The log that facts come from, with the position and the turn of every message."""

    session: Session
    index: FactIndex
    agent: str = MAIN
    turns: Mapping[int, int] = field(default_factory=dict)
    """Turn in which each position of the log became part of a request; for a reply, the turn that produced it."""
    places: Mapping[str, int] = field(default_factory=dict)
    is_recorded: bool = False
    """True if the windows compared are those that the recorded replies were actually written with."""

    @classmethod
    def of(cls, session: Session, index: FactIndex, agent: str = MAIN, *, is_recorded: bool = False) -> Sources:
        """Index a log by message and by turn.

        Args:
            session: Log of the facts.
            index: Facts of the session.
            agent: Agent whose turns are counted.
            is_recorded: True if the windows compared are those that the recorded replies were written with.
        """
        turns: dict[int, int] = {}
        for step in context_steps(session, agent):
            for position in step.new:
                own = session.messages[position].role == "assistant"
                turns.setdefault(position, max(1, step.turn - 1) if own else step.turn)
        places = {message.id: place for place, message in enumerate(session.messages)}
        return cls(session, index, agent, turns, places, is_recorded)

    @cached_property
    def lookups(self) -> Lookups:
        return Lookups(self.session.messages)

    def turn_of(self, place: int) -> int:
        """Return the turn of a message; for one that was in no request, the turn of the last reply before it."""
        return self.turns.get(place) or bisect_right(self.session.turns(self.agent), place)

    def loss(self, number: int, teller: str, need_events: Sequence[NeedEvent] = ()) -> Loss:
        """Return the loss of a fact.

        Args:
            number: Number of the fact in the index.
            teller: Id of the message that stated it first.
            need_events: Later replies that needed it.
        """
        cls, text, _ = self.index.facts[number]
        place = self.places.get(teller, -1)
        message = self.session.messages[place] if place >= 0 else None
        return Loss(text, cls, teller, place + 1, self.turn_of(place), tuple(need_events), message)

    def need_event(self, regret: Regret, fact: str) -> NeedEvent:
        place = self.places.get(regret.message, -1)
        if place < 0:
            return NeedEvent(regret.turn, regret.message, "")
        messages = self.session.messages
        reply = messages[place]
        how: Missing = "needed"
        if self.is_recorded:
            is_lookup = any(need.fact == fact and self.lookups.is_refetched(place, need) for need in regret.needs)
            how = "looked up" if is_lookup else "used"
        return NeedEvent(regret.turn, regret.message, quote(reply, fact), how)

    def with_files(self, losses: Iterable[Loss], rereads: Sequence[FileReread]) -> Iterator[Loss]:
        """Yield losses, with the files and pages whose dropped content was read again.

        Such a read needs the lost path or address of the file. If the context still states it, only the content was
        lost, which is a separate loss.

        Args:
            losses: Lost facts.
            rereads: Files and pages read again.
        """
        by_resource: dict[str, list[FileReread]] = {}
        for reread in rereads:
            by_resource.setdefault(reread.need.fact, []).append(reread)
        for loss in losses:
            name = _resource_of(loss, by_resource)
            if not (name or loss.needed):
                yield loss
                continue
            events = {event.message: event for event in loss.needed}
            events |= {event.message: event for event in map(self._event_of, by_resource.pop(name, ()))}
            yield replace(loss, needed=tuple(sorted(events.values(), key=lambda event: event.turn)))
        for rows in by_resource.values():
            need, place = rows[0].need, self.places.get(rows[0].need.source, -1)
            message = self.session.messages[place] if place >= 0 else None
            events_of = tuple(map(self._event_of, rows))
            yield Loss(need.fact, need.cls, need.source, place + 1, self.turn_of(place), events_of, message, True)

    def _event_of(self, reread: FileReread) -> NeedEvent:
        reply = self.session.messages[self.session.turns(self.agent)[reread.turn - 1]]
        return NeedEvent(reread.turn, reply.id, quote(reply, reread.need.fact), "looked up")


def _resource_of(loss: Loss, resources: Iterable[str]) -> str:
    """Return the resource whose path or address, or the end of whose path, a lost fact is; "" for none."""
    if loss.cls not in ("path", "url"):
        return ""
    ending = "/" + loss.fact.removeprefix("./").strip("/")
    return next((name for name in resources if f"/{name}".endswith(ending)), "")


@dataclass(frozen=True)
class FactCount:
    """Facts of some messages, counted by their state in another window."""

    lost: Mapping[int, str]
    """Index number of every lost fact, with the id of the message that stated it first."""
    kept: Mapping[FactClass, RetainedFact]


def first_tellers(index: FactIndex, messages: Sequence[Message]) -> dict[int, str]:
    """Return the facts in some messages whose loss matters, each with the id of its first source.

    A source is a message that is not a summary. For a fact that only summaries state, it is the first message of the
    log that states it. Tasks that a later call in the messages closes are excluded, and so are constraints, decisions
    and tasks that appear only in a file, a tool's output or injected text.

    Raises:
        OSError: If the recording can no longer be read.
    """
    tellers = _first_tellers(index, messages)
    closed = closed_tasks(messages) if any(index.facts[number].cls == "task" for number in tellers) else ()
    return {
        number: teller
        for number, teller in tellers.items()
        if index.facts[number].cls != "task" or index.facts[number].text not in closed
    }


def _first_tellers(index: FactIndex, messages: Iterable[Message]) -> dict[int, str]:
    tellers: dict[int, str] = {}
    summarised: set[int] = set()
    seen = set[tuple[FactClass, int]]()
    for message in messages:
        if message not in index.log:
            continue
        for number in index.facts_of(message).facts:
            cls, text, term = index.facts[number]
            if not _tells(message, cls, text):
                continue
            if message.kind == "summary":
                summarised.add(number)
            elif (cls, term) not in seen and index.is_missed(number):
                seen.add((cls, term))
                tellers[number] = message.id
    for number in sorted(summarised):
        cls, _, term = index.facts[number]
        if (cls, term) not in seen and index.is_missed(number):
            seen.add((cls, term))
            tellers[number] = index.teller(number)
    return tellers


_WORDS: tuple[FactClass, ...] = ("constraint", "decision", "task")
"""Classes whose facts are sentences, and count only if the user, the agent or a summary states them."""


_STATUS = re.compile(r"(?:exit (?:code|status):? |exited with )\d+", re.IGNORECASE)
"""An error line that reports a failure without describing it."""


def _tells(message: Message, cls: FactClass, sentence: str) -> bool:
    """Return True if a message counts as a source of a fact.

    A constraint, decision or task counts if the user, the agent or a summary states it. An error counts if it is more
    than an exit status.
    """
    if cls not in _WORDS:
        return cls != "error" or not _STATUS.fullmatch(sentence)
    if message.kind == "injected" or message.role == "tool":
        return False
    return message.role != "assistant" or not message.calls or sentence in " ".join(message.text.split())


def count_facts(tracker: FactTracker, tellers: Mapping[int, str]) -> FactCount:
    """Count facts by their state in the window that was last shown to the tracker.

    Args:
        tracker: State of all facts, with the window to count in as the last one shown.
        tellers: Numbers of the facts to count, with the id of the first source of each.

    Raises:
        OSError: If the recording can no longer be read.
    """
    states: dict[int, State] = {}
    counts: dict[State, Counter[FactClass]] = {}
    lost: dict[int, str] = {}
    for number, teller in tellers.items():
        fact = tracker.index.facts[number]
        cls, term = fact.cls, fact.term
        if tracker.is_void(fact):
            continue
        if term not in states:
            states[term] = tracker.state_of(term)
        counts.setdefault(states[term], Counter())[cls] += 1
        if states[term] == "lost":
            lost[number] = teller
    rows = {name: RetainedFact(**{state: row[name] for state, row in counts.items()}) for name in CLASSES}
    return FactCount(lost, {name: row for name, row in rows.items() if row.total})


def needs_by_turn(index: FactIndex, regrets: Iterable[Regret]) -> dict[int, dict[int, list[Regret]]]:
    """Return the regrets caused by lost facts, by the turn at which they were lost and the term of the needed fact.

    Args:
        index: Facts of the session.
        regrets: Regrets of the whole replay.
    """
    pairs = [(need, regret) for regret in regrets for need in regret.needs]
    wanted = {(need.cls, need.fact) for need, _ in pairs}
    terms = {(cls, text): term for cls, text, term in index.facts if (cls, text) in wanted} if wanted else {}
    needs: dict[int, dict[int, list[Regret]]] = {}
    for need, regret in pairs:
        if (term := terms.get((need.cls, need.fact))) is not None:
            needs.setdefault(need.lost_at, {}).setdefault(term, []).append(regret)
    return needs


def losses_of(sources: Sources, lost: Mapping[int, str], needs: Mapping[int, Sequence[Regret]]) -> Iterator[Loss]:
    """Yield the losses, each with the replies that needed it.

    Args:
        sources: Log that the facts come from.
        lost: Numbers of the lost facts, with the id of the first source of each.
        needs: Regrets by the term of the needed fact.
    """
    facts = sources.index.facts
    wanted = {
        (regret.turn, regret.message, text): regret
        for _, text, term in map(facts.__getitem__, lost)
        for regret in needs.get(term, ())
    }
    events = {key: sources.need_event(wanted[key], key[2]) for key in sorted(wanted)}  # each reply is read once
    for number, teller in lost.items():
        _, text, term = facts[number]
        rows = [events[regret.turn, regret.message, text] for regret in needs.get(term, ())]
        yield sources.loss(number, teller, rows)
