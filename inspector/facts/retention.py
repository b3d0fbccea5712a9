"""What of everything that was told is still in the window, what could be had back, and what is lost.

A ledger follows one replay: it is told what enters the log, and what the window is after a compression. The one costs
what enters, the other the window, however long the conversation is.

A fact is *needed* when a reply, as it was recorded, says it or gives it to a tool. It is *regretted* when it was then
neither in the window nor recoverable, and had been in the log before. The recording decides; no model is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse
from typing import Literal

from inspector.conversation import Message
from inspector.facts.classes import NAMES, FactClass, Weights
from inspector.facts.index import FactIndex, Known

State = Literal["retained", "recoverable", "lost"]
STATES: tuple[State, ...] = ("retained", "recoverable", "lost")


@dataclass(frozen=True, slots=True)
class Kept:
    """How many facts of a class are retained, recoverable and lost."""

    retained: int = 0
    """In the window."""
    recoverable: int = 0
    """Out of it, in the archive, or behind a placeholder that names the message."""
    lost: int = 0

    @property
    def total(self) -> int:
        return self.retained + self.recoverable + self.lost


@dataclass(frozen=True)
class Retention:
    """The counts of the facts so far by class, without the classes that have none."""

    classes: Mapping[FactClass, Kept]
    weights: Weights = field(default_factory=Weights)

    @property
    def share(self) -> float:
        """From 0 to 1: the mean over the classes, by their weights, of the share of facts that are retained.

        By classes and not by facts: three constraints count as their class does, whatever thousands of numbers the
        outputs of tools hold. 1 where nothing was told.
        """
        return self.mean(lambda row: row.retained)

    @property
    def reach(self) -> float:
        """Like `share`, with what is recoverable beside what is retained."""
        return self.mean(lambda row: row.retained + row.recoverable)

    def mean(self, count: Callable[[Kept], int]) -> float:
        whole = sum(self.weights[name] for name in self.classes)
        if not whole:
            return 1.0
        return sum(self.weights[name] * count(row) / row.total for name, row in self.classes.items()) / whole


class FactTracker:
    """Where each fact of a session is while it is replayed. Not to be shared between replays.

    Raises nothing: messages may come in any order, be named twice, or be of no session at all.
    """

    def __init__(
        self, index: FactIndex, weights: Weights | None = None, retelling: Collection[Message] = frozenset()
    ) -> None:
        """`retelling` are messages of the log that only say again what others told: summaries of the recording's own.

        They hold facts as any other, and are the source of none.
        """
        self.index = index
        self.retelling = retelling
        self.weights = weights or Weights()
        self.window: dict[Message, tuple[int, ...]] = {}
        """The messages of the window, each with the terms that it tells."""
        self.retained = set(index.always)
        """The terms that the window tells."""
        self.reaching = Counter[int]()
        """For each term, how many messages tell it that are out of the window and can be had back."""
        self.lost_at: dict[int, int] = {}
        """For each lost term, the turn whose request was the first without it; others may be there too."""
        self.log: dict[str, Message] = {}
        self.archive: set[str] = set()
        """Ids of the messages that were put into the archive."""
        self.named: set[str] = set()
        """Ids of the messages that a placeholder in the window names."""
        self.reached: dict[str, tuple[int, ...]] = {}
        """What can be had back, by the id of the message that tells it."""
        self._source: dict[int, str] = {}
        self._tellers: list[tuple[str, tuple[int, ...]]] = []
        """The messages that are not in `_source` yet, by their ids, with their facts."""
        self._ahead = iter(index.log)
        self._is_in_step = True
        """Whether the messages so far are the first ones of the log that was indexed: then it knows their facts."""
        self._count = 0
        """How many facts were told, where it is in step."""

    @property
    def source(self) -> Mapping[int, str]:
        """For each fact that was told so far, the id of the message that told it first, in that order."""
        if self._is_in_step:
            return {fact: self.index.teller(fact) for fact in range(self._count)}
        source = self._source
        for name, facts in self._tellers:
            source.update(dict.fromkeys(filterfalse(source.__contains__, facts), name))
        self._tellers.clear()
        return source

    def source_of(self, fact: int) -> str | None:
        """The id of the message that told a fact first; None where none has."""
        if self._is_in_step:
            return self.index.teller(fact) if fact < self._count else None
        return self.source.get(fact)

    def add(self, messages: Iterable[Message]) -> None:
        """Messages have entered the log, and with it the window."""
        for message in messages:
            terms, facts, _ = self.index.facts_of(message)
            if message not in self.window:
                self.window[message] = terms
                self.retained.update(terms)
            self._tell(message, facts)

    def _tell(self, message: Message, facts: tuple[int, ...]) -> None:
        """What a message of the log tells is known from now on."""
        if self.log.get(message.id) is message:
            return
        self.log[message.id] = message
        self._tellers.append((message.id, facts))
        self._is_in_step = self._is_in_step and next(self._ahead, None) is message
        self._count = max(self._count, 1 + max(facts, default=-1))

    def show(self, turn: int, window: Sequence[Message], archived: Iterable[str] = ()) -> None:
        """The request of `turn` goes out with these messages; those with the ids `archived` are in the archive since.

        Messages of the log that were not added before are counted as told with this request.
        """
        here, facts_of, retained = self.window, self.index.facts_of, self.retained
        self.window = {message: here[message] if message in here else facts_of(message).terms for message in window}
        entering = [message for message in self.window if message not in here]
        leaving = here.keys() - self.window.keys()
        departures = self._reach(set(archived) - self.archive, entering, leaving)
        self.retained = set(self.index.always).union(*self.window.values())
        gone = (retained | departures) - self.retained
        self.lost_at.update(dict.fromkeys(filterfalse(self.reaching.__contains__, gone), turn))
        for message in entering:
            if message in self.index.log and message not in self.retelling:
                self._tell(message, facts_of(message).facts)

    def _reach(self, archived: set[str], entering: Iterable[Message], leaving: Iterable[Message]) -> set[int]:
        """Find out what can be had back now: what went into the archive, and what placeholders in the window name.

        Returns terms that cannot be had back any more.
        """
        departures = {message.id for message in leaving if points_back(message)}
        arrivals = {message.id for message in entering if points_back(message)}
        self.archive |= archived
        self.named = (self.named - departures) | arrivals
        gone = Counter[int]()
        for name in archived | departures | arrivals:
            if name in self.archive or name in self.named:
                if name not in self.reached and name in self.log:
                    self.reached[name] = terms = self.index.facts_of(self.log[name]).terms
                    self.reaching.update(terms)
            elif name in self.reached:
                gone.update(self.reached.pop(name))
        for term, count in gone.items():
            if self.reaching[term] == count:
                del self.reaching[term]
            else:
                self.reaching[term] -= count
        return set(gone)

    def state_of(self, term: int) -> State:
        """Where the facts of a term are that was told."""
        return "retained" if term in self.retained else "recoverable" if term in self.reaching else "lost"

    def retention(self) -> Retention:
        """How many facts so far are retained, recoverable and lost, by class."""
        facts, retained, reaching = self.index.facts, self.retained, self.reaching
        classes: tuple[list[FactClass], ...] = [], [], []
        for cls, _, term in facts[: self._count] if self._is_in_step else map(facts.__getitem__, self.source):
            classes[0 if term in retained else 1 if term in reaching else 2].append(cls)
        counts = list(map(Counter, classes))
        rows = {name: Kept(*[tally[name] for tally in counts]) for name in NAMES}
        return Retention({name: row for name, row in rows.items() if row.total}, self.weights)

    def facts(self, state: State) -> Iterator[tuple[Known, str]]:
        """The facts in a state, each with the id of the message that told it first, in that order."""
        for fact, message in self.source.items():
            entry = self.index.facts[fact]
            if self.state_of(entry.term) == state:
                yield entry, message


def points_back(message: Message) -> bool:
    """Whether a message only says where the message is that it stands for: a placeholder that names it."""
    return message.placeholder is not None and is_named(message.id, message.placeholder)


def is_named(name: str, text: str) -> bool:
    """Whether an id stands in a text as a whole: `m1` is in "see m1." and not in "see m12" or "see m1#2"."""
    place = text.find(name) if name else -1
    while place >= 0:
        if not _BEGUN.search(text[max(0, place - 1) : place]) and not _GOES_ON.match(text, place + len(name)):
            return True
        place = text.find(name, place + 1)
    return False


_BEGUN = re.compile(r"[\w#-]")
_GOES_ON = re.compile(r"[\w#-]|\.\w")


def kept_in(
    index: FactIndex,
    log: Iterable[Message],
    window: Sequence[Message],
    archived: Iterable[str] = (),
    weights: Weights | None = None,
) -> Retention:
    """Where the facts of `log` are when `window` is sent, and the messages with the ids `archived` are archived."""
    ledger = FactTracker(index, weights)
    ledger.add(log)
    ledger.show(0, window, archived)
    return ledger.retention()


@dataclass(frozen=True, slots=True)
class Regret:
    """A fact that a reply needed and that the window no longer holds."""

    turn: int
    """The turn whose reply needed it."""
    fact: str
    cls: FactClass
    lost_at: int
    """The turn whose request was the first without it, up to `turn`."""
    message: str
    """The id of the reply."""
    source: str
    """The id of the message that had told the fact first."""


def regrets(ledger: FactTracker, turn: int, reply: Message) -> tuple[Regret, ...]:
    """What the reply of `turn` needed and was lost, the weightiest first. To be asked before the reply is added.

    A fact is regretted once for each loss: the reply that says it again brings it back into the window.
    """
    return tuple(_regrets_in(ledger, turn, reply, "lost"))


def recalls(ledger: FactTracker, turn: int, reply: Message) -> tuple[Regret, ...]:
    """What the reply of `turn` needed and was out of the window, but could have been had back; `lost_at` is 0."""
    return tuple(_regrets_in(ledger, turn, reply, "recoverable"))


def _regrets_in(ledger: FactTracker, turn: int, reply: Message, state: State) -> Iterator[Regret]:
    index, weights = ledger.index, ledger.weights
    missed = index.missed_of(reply)
    if ledger.retained.issuperset(missed.values()):
        return
    absent = [(fact, term) for fact, term in missed.items() if term not in ledger.retained]
    sources = {fact: ledger.source_of(fact) for fact, term in absent if ledger.state_of(term) == state}
    terms: set[int] = set()
    for fact in sorted(sources, key=lambda fact: (-weights[index.facts[fact].cls], fact)):
        cls, text, term = index.facts[fact]
        source = sources[fact]
        if source is not None and term not in terms and index.days.get(term, term) not in ledger.retained:
            terms.add(term)
            lost_at = ledger.lost_at[term] if state == "lost" else 0
            yield Regret(turn, text, cls, lost_at, reply.id, source)
