"""What of everything that was told is still in the window, what could be had back, and what is lost.

A ledger follows one replay: it is told what enters the log, and what the window is after a compression. Each of these
costs as much as what enters or leaves, however long the conversation is.

A fact is *needed* when a reply, as it was recorded, says it or gives it to a tool. It is *regretted* when it was then
neither in the window nor recoverable, and had been in the log before. The recording decides; no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from inspector.conversation import Message
from inspector.facts.classes import NAMES, FactClass, Weights
from inspector.facts.index import FactIndex, Known

State = Literal["retained", "recoverable", "lost"]
STATES: tuple[State, ...] = ("retained", "recoverable", "lost")
_UNSEEN, RETAINED, RECOVERABLE, LOST = range(4)


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
        self.holders = [0] * len(index)
        """For each term, how many messages of the window tell it."""
        self.reaching = [0] * len(index)
        """For each term, how many messages tell it that are out of the window and can be had back."""
        self.state = bytearray(len(index))
        """For each term, where its facts are."""
        self.lost_at = [0] * len(index)
        """For each lost term, the turn whose request was the first without it."""
        self.source: dict[int, str] = {}
        """For each fact that was told so far, the id of the message that told it first."""
        self.counts = [dict.fromkeys(NAMES, 0) for _ in range(4)]
        """Facts by state and class."""
        self.window: dict[Message, tuple[int, ...]] = {}
        """The messages of the window, each with the terms that it tells."""
        self.log: dict[str, Message] = {}
        self.archive: set[str] = set()
        """Ids of the messages that were put into the archive."""
        self.named: set[str] = set()
        """Ids of the messages that a placeholder in the window names."""
        self.reached: dict[str, tuple[int, ...]] = {}
        """What can be had back, by the id of the message that tells it."""
        self.turn = 0
        for term in index.always:
            self.holders[term] += 1

    def add(self, messages: Iterable[Message]) -> None:
        """Messages have entered the log, and with it the window."""
        for message in messages:
            if message not in self.window:
                self.window[message] = terms = self.index.facts_of(message).terms
                self.count(self.holders, terms, +1)
            self.tell(message)

    def tell(self, message: Message) -> None:
        """What a message of the log tells is known from now on."""
        self.log[message.id] = message
        source, facts, state = self.source, self.index.facts, self.state
        new = [fact for fact in self.index.facts_of(message).facts if fact not in source]
        self.settle([term for fact in new if not state[term := facts[fact][2]]])
        for fact in new:
            cls, _, term = facts[fact]
            source[fact] = message.id
            self.counts[state[term]][cls] += 1

    def show(self, turn: int, window: Sequence[Message], archived: Iterable[str] = ()) -> None:
        """The request of `turn` goes out with these messages; those with the ids `archived` are in the archive since.

        Messages of the log that were not added before are counted as told with this request.
        """
        self.turn = turn
        here, now = self.window, set(window)
        leaving = {message: here[message] for message in here.keys() - now}
        new = now - here.keys()
        entering = [message for message in dict.fromkeys(window) if message in new] if new else []
        for message in entering:
            here[message] = terms = self.index.facts_of(message).terms
            self.count(self.holders, terms, +1)
        self.reach(set(archived) - self.archive, entering, leaving)
        for message, terms in leaving.items():
            del here[message]
            self.count(self.holders, terms, -1)
        for message in entering:
            if message in self.index.log and message not in self.retelling:
                self.tell(message)

    def reach(self, archived: set[str], entering: Iterable[Message], leaving: Iterable[Message]) -> None:
        """Find out what can be had back now: what went into the archive, and what placeholders in the window name."""
        departures = {message.id for message in leaving if points_back(message)}
        arrivals = {message.id for message in entering if points_back(message)}
        self.archive |= archived
        self.named = (self.named - departures) | arrivals
        for name in archived | departures | arrivals:
            if name in self.archive or name in self.named:
                if name not in self.reached and name in self.log:
                    self.reached[name] = terms = self.index.facts_of(self.log[name]).terms
                    self.count(self.reaching, terms, +1)
            elif name in self.reached:
                self.count(self.reaching, self.reached.pop(name), -1)

    def count(self, counts: list[int], terms: Iterable[int], change: int) -> None:
        state, moved = self.state, []
        for term in terms:
            before = counts[term]
            counts[term] = after = before + change
            if (not before or not after) and state[term]:
                moved.append(term)
        self.settle(moved)

    def settle(self, terms: Iterable[int]) -> None:
        """Find out where terms are, and count their facts there."""
        state, lost_at, holders, reaching = self.state, self.lost_at, self.holders, self.reaching
        by_term, facts, source, counts = self.index.by_term, self.index.facts, self.source, self.counts
        for term in terms:
            was = state[term]
            now = RETAINED if holders[term] > 0 else RECOVERABLE if reaching[term] > 0 else LOST
            if now == was:
                continue
            state[term] = now
            lost_at[term] = self.turn if now == LOST else 0
            if was:
                for fact in by_term[term]:
                    if fact in source:
                        cls = facts[fact][0]
                        counts[was][cls] -= 1
                        counts[now][cls] += 1

    def retention(self) -> Retention:
        """How many facts so far are retained, recoverable and lost, by class."""
        retained, recoverable, lost = self.counts[RETAINED:]
        rows = {name: Kept(retained[name], recoverable[name], lost[name]) for name in NAMES}
        return Retention({name: row for name, row in rows.items() if row.total}, self.weights)

    def facts(self, state: State) -> Iterator[tuple[Known, str]]:
        """The facts in a state, each with the id of the message that told it first, in that order."""
        number = STATES.index(state) + 1
        for fact, message in self.source.items():
            entry = self.index.facts[fact]
            if self.state[entry.term] == number:
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
    return tuple(_regrets_in(ledger, turn, reply, LOST))


def recalls(ledger: FactTracker, turn: int, reply: Message) -> tuple[Regret, ...]:
    """What the reply of `turn` needed and was out of the window, but could have been had back; `lost_at` is 0."""
    return tuple(_regrets_in(ledger, turn, reply, RECOVERABLE))


def _regrets_in(ledger: FactTracker, turn: int, reply: Message, state: int) -> Iterator[Regret]:
    index, weights = ledger.index, ledger.weights
    facts = [
        fact
        for fact in index.facts_of(reply).needs
        if ledger.state[index.facts[fact].term] == state and index.is_missed(fact) and fact in ledger.source
    ]
    terms: set[int] = set()
    for fact in sorted(facts, key=lambda fact: (-weights[index.facts[fact].cls], fact)):
        cls, text, term = index.facts[fact]
        if term not in terms and ledger.state[index.days.get(term, term)] != RETAINED:
            terms.add(term)
            yield Regret(turn, text, cls, ledger.lost_at[term], reply.id, ledger.source[fact])
