"""Track which facts of a conversation are retained in the window, recoverable or lost.

A `FactTracker` follows one replay: it is given the messages that enter the log, and the window after each compression.
The cost is proportional to the new messages and to the window, however long the conversation is.

See `unmet_needs` for the facts that a reply then misses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import filterfalse

from inspector.core.conversation import Message
from inspector.engine.facts.classes import NAMES, FactClass, Weights
from inspector.engine.facts.fact_index import FactIndex, FactRecord
from inspector.engine.facts.held_words import HeldWords
from inspector.engine.facts.path_terms import PathTerms
from inspector.engine.facts.relation import RelatedText, related_text
from inspector.engine.facts.repaired_errors import RepairWalk
from inspector.engine.facts.retained_facts import STATES, RetainedFact, Retention, State
from inspector.engine.facts.sent_window import SentWindow
from inspector.engine.facts.stated_texts import presence_of
from inspector.engine.facts.summary_facts import RetoldTerms
from inspector.engine.facts.text_match import Passage, is_long, message_words, phrase


class FactTracker:
    """State of each fact of a session during a replay. Each replay needs its own tracker.

    Accepts any messages: in any order, more than once, or from outside the session. Methods that search texts raise
    OSError if a message body cannot be read any more.

    Args:
        index: Facts of the session's log.
        weights: Weight of each class; the defaults if None.
        retelling: Messages of the log that only repeat others, such as recorded summaries. Their facts can be in the
            window, but they are never the source of a fact.
    """

    def __init__(
        self, index: FactIndex, weights: Weights | None = None, retelling: Collection[Message] = frozenset()
    ) -> None:
        self.index = index
        self.retelling = retelling
        self.weights = weights or Weights()
        self.window: dict[Message, tuple[int, ...]] = {}
        """Messages of the window, each with the terms it states."""
        self.retained = set(index.always)
        """Terms that the window is known to state; `is_retained` decides about those of summaries."""
        self.named = set[int]()
        """Other terms, which the window only names."""
        self._summary_terms: dict[Message, RetoldTerms] = {}
        """Terms of each summary of the window that is not in the log; it states or only names them."""
        self.reaching = set[int]()
        """Terms of the archived messages."""
        self._windows: list[SentWindow] = []
        self._left_with: dict[int, int] = {}
        """Index of the first window without each removed term. Terms that have returned since may be included."""
        self.log: dict[str, Message] = {}
        self.archive: set[str] = set()
        """Ids of messages in an archive from which the policy retrieves."""
        self._others: list[Message] = []
        """Messages of the window that are summaries or differ from the log."""
        self._texts: dict[Message, str] = {}
        """Normalised text of those messages."""
        self._other_words: Passage | None = None
        """All their text; None until it is built."""
        self._held = HeldWords(index)
        self._names: dict[Message, tuple[int, ...]] = {}
        """Terms that each summary of the window only names."""
        self._summaries: list[tuple[Passage, RelatedText]] | None = None
        """Texts of those summaries; None until they are read."""
        self._copy_words: Passage | None = None
        """Text of the other messages that differ from the log; None until it is built."""
        self._newest: Message | None = None
        self.heard = set[int]()
        """Terms stated by anyone other than the assistant."""
        self.off_branch = set[int]()
        """The terms that only messages of a way tell that the conversation has left: their facts do not count."""
        self._repairs: RepairWalk | None = None
        self._path = PathTerms(index)
        self._source: dict[int, str] = {}
        self._tellers: list[tuple[str, tuple[int, ...]]] = []
        """Ids and facts of messages that are not in `_source` yet."""
        self._ahead = iter(index.log)
        self._is_in_step = True
        """True while the messages so far are the start of the indexed log, so that the index knows their facts."""
        self._count = 0
        """Number of stated facts, valid while in step."""

    @property
    def source(self) -> Mapping[int, str]:
        """Id of the message that first stated each fact so far, in that order."""
        if self._is_in_step:
            return {fact: self.index.teller(fact) for fact in range(self._count)}
        source = self._source
        for name, facts in self._tellers:
            source.update(dict.fromkeys(filterfalse(source.__contains__, facts), name))
        self._tellers.clear()
        return source

    def source_of(self, fact: int) -> str | None:
        """Return the id of the message that first stated a fact; None if it was not stated yet."""
        if self._is_in_step:
            return self.index.teller(fact) if fact < self._count else None
        return self.source.get(fact)

    def add(self, messages: Iterable[Message]) -> None:
        """Add messages to the log and the window."""
        for message in messages:
            terms, facts, _, names = self.index.facts_of(message, self._end())
            if message not in self.window:
                self.window[message] = terms
                self._held.add(message)
                self.retained.update(terms)
                self.named.update(names)
                if message.kind == "summary" or message not in self.index.log:
                    self._names[message] = names
                    self._others.append(message)
                    self._other_words = self._copy_words = self._summaries = None
            self._tell(message, terms, facts)

    def _end(self) -> int | None:
        """Return the position in the indexed log after the messages so far, where a summary can replace them."""
        return self.index.statements.place_of(self._newest) + 1 if self._newest else None

    def _tell(self, message: Message, terms: tuple[int, ...], facts: tuple[int, ...]) -> None:
        """Mark the facts of a message as stated."""
        self.off_branch.difference_update(terms)
        if self.log.get(message.id) is message:
            return
        if message.role != "assistant":
            self.heard.update(terms)
        self.log[message.id] = self._newest = message
        self._tellers.append((message.id, facts))
        self._path.state(facts)
        self._is_in_step = self._is_in_step and next(self._ahead, None) is message
        self._count = max(self._count, 1 + max(facts, default=-1))

    def follow_path(self, prefix: int, new: Iterable[Message]) -> None:
        """Continue the conversation after other messages of the log, from whichever branch.

        Facts that none of them states do not count until they are stated again: no policy could have kept them.

        Args:
            prefix: Number of messages that are kept from the path that was followed before.
            new: Messages of the log after them.
        """
        self.off_branch = self._path.follow(prefix, new)

    def show(self, turn: int, window: Sequence[Message], archived: Iterable[str] = ()) -> None:
        """Replace the window by the request of a turn.

        Args:
            turn: Number of the turn whose request is sent.
            window: Messages of the request. Messages of the log that were not added before count as stated now.
            archived: Ids of messages that can be retrieved from now on.
        """
        here, facts_of, before = self.window, self.index.facts_of, self.retained | self.named | self._in_summaries()
        names, self._names = self._names, {}
        summary_terms, self._summary_terms = self._summary_terms, {}
        self.window = {}
        for message in window:
            if message in here:
                self.window[message], self._names[message] = here[message], names.get(message, ())
                if message in summary_terms:
                    self._summary_terms[message] = summary_terms[message]
            elif message.kind == "summary" and message not in self.index.log:
                self._summary_terms[message] = terms = self.index.retold_in(message, self._end())
                self.window[message] = tuple(terms.restated)
            else:
                facts = facts_of(message)
                self.window[message], self._names[message] = facts.terms, facts.names
        self._keep(archived)
        self.retained = set(self.index.always).union(*self.window.values())
        self.named = set[int]().union(*self._names.values())
        self._others = [teller for teller in self.window if teller.kind == "summary" or teller not in self.index.log]
        self._other_words = self._copy_words = self._summaries = None
        self._held = HeldWords(self.index, self.window)
        left = before - self.retained - self.named - self._in_summaries() - self.reaching
        self._left_with.update(dict.fromkeys(left, len(self._windows)))
        self._windows.append(SentWindow(turn, tuple(self.window), tuple(self._others)))
        for message in self.window:
            if message not in here and message in self.index.log and message not in self.retelling:
                self._tell(message, self.window[message], facts_of(message).facts)

    def _keep(self, archived: Iterable[str]) -> None:
        """Mark messages as archived."""
        for name in set(archived) - self.archive:
            self.archive.add(name)
            if name in self.log:
                self.reaching.update(self.index.facts_of(self.log[name]).terms)

    def is_retained(self, term: int) -> bool:
        """Return True if the window states a term, with what it belongs to."""
        if term not in self.retained and any(terms.states(term) for terms in self._summary_terms.values()):
            self.retained.add(term)
        return term in self.retained

    def is_void(self, fact: FactRecord) -> bool:
        """Return True if a fact does not count: its branch was left, or the failure that it reports is repaired."""
        return fact.term in self.off_branch or (fact.cls == "error" and fact.term in self._repaired_errors())

    def _repaired_errors(self) -> Set[int]:
        """Return the terms of the errors whose failures the messages so far show as repaired."""
        if self._repairs is None:
            self._repairs = self.index.repaired.walk()
        return self._repairs.before(self._end() or 0)

    def _in_summaries(self) -> set[int]:
        """Return the terms that summaries outside the log state or name."""
        return set[int]().union(*[terms.mentioned for terms in self._summary_terms.values()])

    def state_of(self, term: int) -> State:
        """Return the state of the facts of a stated term."""
        if self.is_retained(term):
            return "retained"
        state = self._literal_state(term)
        if state is not None:
            return state
        if term in self.named or any(term in terms.mentioned for terms in self._summary_terms.values()):
            return "named"
        return "recoverable" if term in self.reaching else "lost"

    def _literal_state(self, term: int) -> State | None:
        """Return whether the window retains or names a term by the words of one of its facts; None without them."""
        state: State | None = None
        for fact in self.index.by_term[term]:
            words = phrase(self.index.facts[fact].text)
            presence = presence_of(words, self._is_held, self._retold(), partial(self._is_related, term))
            if presence == "retained":
                return presence
            state = presence or state
        return state

    def _is_held(self, words: str) -> bool:
        """Return True if a message of the window, except a summary, contains a `phrase`."""
        return words in self._copies() or words in self._held

    def _is_related(self, term: int, summary: RelatedText) -> bool:
        return bool(self.index.statements.related(summary, [term], self._end() or 0))

    def _copies(self) -> Passage:
        if self._copy_words is None:
            self.other_words()
            copies = [text for message, text in self._texts.items() if message.kind != "summary"]
            self._copy_words = Passage("".join(copies))
        return self._copy_words

    def _retold(self) -> list[tuple[Passage, RelatedText]]:
        if self._summaries is None:
            self.other_words()
            summaries = [message for message in self._others if message.kind == "summary"]
            self._summaries = [(Passage(self._texts[one]), related_text(one.text)) for one in summaries]
        return self._summaries

    def lost_at(self, term: int) -> int:
        """Return the first turn whose request did not state a lost term in any way."""
        phrases = [phrase(self.index.facts[fact].text) for fact in self.index.by_term[term]]
        windows = self._windows[self._left_with.get(term, len(self._windows)) :]
        without = (window for window in windows if not any(window.holds(words, self.index) for words in phrases))
        return next((window.turn for window in without), self._windows[-1].turn if self._windows else 0)

    def holds(self, words: str) -> bool:
        """Return True if a `phrase` occurs in the window, with what it belongs to or without."""
        return bool(words.strip()) and (words in self.other_words() or words in self._held)

    def may_be_spelled(self, name: str) -> bool:
        """Return True if the window contains a longer name with this one, or this one without its qualifier."""
        _, dot, member = name.removesuffix("()").rpartition(".")
        if dot and is_long(member.replace("_", "")) and self.holds(phrase(member)):
            return True
        return any(map(self.window.__contains__, self.index.spellers_of(name)))

    def other_words(self) -> Passage:
        """Return the text of the window's messages that are summaries or differ from the log."""
        if self._other_words is None:
            others, texts = self._others, self._texts
            self._texts = {other: texts[other] if other in texts else message_words(other) for other in others}
            self._other_words = Passage("".join(self._texts.values()))
        return self._other_words

    def retention(self) -> Retention:
        """Return the number of facts so far in each state, by class."""
        classes: dict[State, list[FactClass]] = {state: [] for state in STATES}
        here, states, retained = classes["retained"], dict[int, State](), self.retained
        for cls, _, term in self._counted():
            if term in retained:
                here.append(cls)
            else:
                if term not in states:
                    states[term] = self.state_of(term)
                classes[states[term]].append(cls)
        counts = {state: Counter(names) for state, names in classes.items()}
        rows = {name: RetainedFact(**{state: tally[name] for state, tally in counts.items()}) for name in NAMES}
        return Retention({name: row for name, row in rows.items() if row.total}, self.weights)

    def _counted(self) -> Iterator[FactRecord]:
        """Yield the facts so far, without those that do not count."""
        facts, off_branch, repaired = self.index.facts, self.off_branch, self._repaired_errors()
        for fact in facts[: self._count] if self._is_in_step else map(facts.__getitem__, self.source):
            if fact.term not in off_branch and (fact.cls != "error" or fact.term not in repaired):
                yield fact

    def facts(self, state: State) -> Iterator[tuple[FactRecord, str]]:
        """Yield the facts in a state, each with the id of the message that first stated it, in that order."""
        for fact, message in self.source.items():
            entry = self.index.facts[fact]
            if not self.is_void(entry) and self.state_of(entry.term) == state:
                yield entry, message


def kept_in(
    index: FactIndex,
    log: Iterable[Message],
    window: Sequence[Message],
    archived: Iterable[str] = (),
    weights: Weights | None = None,
) -> Retention:
    """Return the retention of the facts of a log in a window.

    Args:
        index: Facts of the session's log.
        log: Messages that state the facts.
        window: Messages of the request.
        archived: Ids of archived messages.
        weights: Weight of each class; the defaults if None.
    """
    ledger = FactTracker(index, weights)
    ledger.add(log)
    ledger.show(0, window, archived)
    return ledger.retention()
