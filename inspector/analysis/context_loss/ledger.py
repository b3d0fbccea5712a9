"""Which facts of some messages a window still holds."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inspector.analysis.context_loss.lookups import is_refetched
from inspector.analysis.context_loss.loss_models import Loss, Missing, NeedEvent
from inspector.analysis.context_loss.paraphrase import Paraphrases
from inspector.analysis.replay import context_steps
from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.facts import (
    CLASSES,
    FactClass,
    FactIndex,
    FactRecord,
    FactTracker,
    Regret,
    RetainedFact,
    State,
    closed_tasks,
    quote,
)


@dataclass(frozen=True)
class Sources:
    """The log that facts are told in: where each message stands, and in which turn it came."""

    session: Session
    index: FactIndex
    agent: str = MAIN
    turns: Mapping[int, int] = field(default_factory=dict)
    """For each position of the log that was in a request, the turn in which it was told."""
    places: Mapping[str, int] = field(default_factory=dict)
    is_recorded: bool = False
    """Whether the replies had the very windows that facts are missed in."""

    @classmethod
    def of(cls, session: Session, index: FactIndex, agent: str = MAIN, *, is_recorded: bool = False) -> Sources:
        turns: dict[int, int] = {}
        for step in context_steps(session, agent):
            for position in step.new:
                own = session.messages[position].role == "assistant"
                turns.setdefault(position, max(1, step.turn - 1) if own else step.turn)
        places = {message.id: place for place, message in enumerate(session.messages)}
        return cls(session, index, agent, turns, places, is_recorded)

    def bare_loss(self, number: int, teller: str) -> Loss:
        """The loss of a fact, by its number in the index and its teller, without a quotation."""
        cls, text, _ = self.index.facts[number]
        place = self.places.get(teller, -1)
        return Loss(text, cls, teller, place + 1, self.turn_of(place), "")

    def turn_of(self, place: int) -> int:
        """The turn in which a message was told; of one that no request was sent with, that of the reply before it."""
        return self.turns.get(place) or bisect_right(self.session.turns(self.agent), place)

    def loss(self, number: int, teller: str, need_events: Sequence[NeedEvent] = ()) -> Loss:
        """The same with its quotation, and the occasions on which it was needed."""
        loss = self.bare_loss(number, teller)
        words = quote(self.session.messages[loss.position - 1], loss.fact) if loss.position else ""
        return replace(loss, quote=words or loss.fact, needed=tuple(need_events))

    def need_event(self, regret: Regret, fact: str) -> NeedEvent:
        place = self.places.get(regret.message, -1)
        if place < 0:
            return NeedEvent(regret.turn, regret.message, "")
        reply = self.session.messages[place]
        how: Missing = "needed"
        if self.is_recorded:
            is_lookup = any(need.fact == fact and is_refetched(reply, need) for need in regret.needs)
            how = "looked up" if is_lookup else "used"
        return NeedEvent(regret.turn, regret.message, quote(reply, fact), how)


@dataclass(frozen=True)
class FactCount:
    """The facts of some messages by where they are in another window."""

    lost: Mapping[int, str]
    """The numbers of those that are lost, each with the id of the message that told it."""
    kept: Mapping[FactClass, RetainedFact]


def first_tellers(index: FactIndex, messages: Sequence[Message]) -> dict[int, str]:
    """The facts of messages that somebody could miss: each with the id of its first teller that is no summary.

    A thing to do that is done behind them is none; nor is a rule, a choice or a thing to do that only stands in a file
    that was read or written, in an output, or in what a program puts in. Raises OSError.
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
"""Classes of facts that hold only where somebody says them."""


_STATUS = re.compile(r"(?:exit (?:code|status):? |exited with )\d+", re.IGNORECASE)
"""An error that says nothing but that there was one."""


def _tells(message: Message, cls: FactClass, sentence: str) -> bool:
    """Whether somebody could miss a fact for this message: of words, where the person, the agent or a summary says
    them."""
    if cls not in _WORDS:
        return cls != "error" or not _STATUS.fullmatch(sentence)
    if message.kind == "injected" or message.role == "tool":
        return False
    return message.role != "assistant" or not message.calls or sentence in " ".join(message.text.split())


def _state_of(tracker: FactTracker, fact: FactRecord, paraphrases: Paraphrases) -> State:
    if fact.term in tracker.retained:
        return "retained"
    state = tracker.state_of(fact.term)
    return "retained" if state == "lost" and fact.cls in _WORDS and fact.text in paraphrases else state


def count_facts(tracker: FactTracker, tellers: Mapping[int, str], window: Iterable[Message]) -> FactCount:
    """Where facts are in the window that the tracker was shown last: its messages are `window`. Raises OSError.

    Rules, choices and things to do that a summary tells in other words are retained.
    """
    paraphrases = Paraphrases(message.text for message in window if message.kind == "summary")
    states: dict[int, State] = {}
    counts: dict[State, Counter[FactClass]] = {}
    lost: dict[int, str] = {}
    for number, teller in tellers.items():
        fact = tracker.index.facts[number]
        cls, term = fact.cls, fact.term
        if term in tracker.elsewhere:
            continue
        if term not in states:
            states[term] = _state_of(tracker, fact, paraphrases)
        counts.setdefault(states[term], Counter())[cls] += 1
        if states[term] == "lost":
            lost[number] = teller
    rows = {name: RetainedFact(**{state: row[name] for state, row in counts.items()}) for name in CLASSES}
    return FactCount(lost, {name: row for name, row in rows.items() if row.total})


def needs_by_term(index: FactIndex, regrets: Iterable[Regret], turn: int) -> dict[int, list[Regret]]:
    """The regrets of what was lost at a turn, by the term of what they needed."""
    wanted = {(need.cls, need.fact) for regret in regrets for need in regret.needs if need.lost_at == turn}
    if not wanted:
        return {}
    terms = {(cls, text): term for cls, text, term in index.facts if (cls, text) in wanted}
    needs: dict[int, list[Regret]] = {}
    for regret in regrets:
        for need in regret.needs:
            if need.lost_at == turn and (need.cls, need.fact) in terms:
                needs.setdefault(terms[need.cls, need.fact], []).append(regret)
    return needs


def losses_of(sources: Sources, lost: Mapping[int, str], needs: Mapping[int, Sequence[Regret]]) -> Iterator[Loss]:
    """The losses with the occasions on which they were needed."""
    facts = sources.index.facts
    for number, teller in lost.items():
        _, text, term = facts[number]
        yield sources.loss(number, teller, [sources.need_event(regret, text) for regret in needs.get(term, ())])
