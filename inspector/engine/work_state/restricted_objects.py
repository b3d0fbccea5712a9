"""Rules in any words, read from the action: sentences of the user that name the object of a later call and restrict it.

"redis-prod: sessions live there, flush = everybody logged out" says nothing of what is forbidden. It is shares because
a later command flushes redis-prod and the sentence speaks of harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern
from inspector.engine.facts import sentences_of
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.named_acts import (
    COMMON,
    KIND,
    NOUNS,
    OUTWARD,
    OWN,
    PART,
    WHOLE,
    NamedAct,
    acts_of,
    stems_in,
    whole_names,
)
from inspector.engine.work_state.other_breaks import states_other_rule
from inspector.engine.work_state.restricting_words import (
    ASKS_WHEN,
    BLAMES,
    CODE,
    ELSE,
    GROUPS,
    HARM,
    HOLDS_UNTIL,
    LEAD,
    LOOKS,
    NEGATIVE,
    OTHERWISE,
    OWNED,
    PERMITS,
    POSSESSIVE,
    REFUSED,
    REPORTS,
    SPARED,
    WISH,
    WORK,
)
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.rule_verbs import FORMS, meant_by
from inspector.engine.work_state.state_items import StateItem, WorkState

_LEAST, _OF_CHANGE, _OF_COMMIT = 2.5, 3.4, 3.6
"""Least evidence against an action that is hard to undo, another one, and a commit, which is usual."""
_NEVER = -9.0
_BLAMED = 4.0
_MAX_TEXT, _MAX_SENTENCES, _MIN, _MAX = 4_000, 25, 8, 400
_LONG, _SHORT, _FEW = 28, 4, 9
_BY_NAME = {PART: -1.0, 1.5: -0.6, OWN: 0.0, KIND: 0.3, WHOLE: 0.7}
_CLAUSES = lazy_pattern(
    r"[;:!?\n]\s|,\s|\.\s|\s[-–—]{1,3}\s|\s\(|\)\s|\s(?:but|because|since|although|so|aber|mais|pero)\s"
)
_WORD = lazy_pattern(r"[\w./@'-]+")
_POINTS = lazy_pattern(r"(?i)\b(?:it|that|them|this|there|one|those|what you need)\b")
_SUBJECT = lazy_pattern(
    r"(?i)^\W*(?:(?:and|but|so|because|since|btw|any|every|all|the|new|manual|another|blindly|a|an)\W+)*(\w+)(?:\W+(\w+))?"
)

_DEED = lazy_pattern(r"(?:ing|s|ment)$")


class _Spoken(NamedTuple):
    """A sentence of a user."""

    text: str
    message: str
    order: int
    """Number of the message."""
    at: int
    """Number of the sentence in the message."""
    others: tuple[str, ...]
    """The other sentences of the message."""


class _Clause(NamedTuple):
    """A clause that names an act."""

    at: int
    every: Sequence[str]
    """The clauses of the sentence."""
    act: NamedAct
    name: float
    """How well it names the act."""
    is_negated: bool
    """True if a negation is right before the name."""

    @property
    def text(self) -> str:
        return self.every[self.at]


class RestrictedObjects:
    """The sentences of a user before a compaction, by the names in them."""

    def __init__(self, replaced: Iterable[Message], before: WorkState) -> None:
        """Read the words of the user.

        Args:
            replaced: The messages that the compaction replaced.
            before: The state of the work before it. What it states of ended rules restricts nothing.
        """
        self._replaced = replaced
        self._ended = [rule.text for rule in before.all("rule") if rule.ended_by]

    @cached_property
    def _sentences(self) -> list[_Spoken]:
        return [said for order, message in enumerate(self._replaced) for said in _said_in(message, order)]

    @cached_property
    def _places(self) -> dict[str, set[int]]:
        """Places of the sentences by the stems and names in them, and by the kinds of action that they name."""
        places: dict[str, set[int]] = {}
        for at, said in enumerate(self._sentences):
            kinds = (f"{kind} " for kind, pattern in NOUNS.items() if pattern.search(said.text))
            for name in {*(stems_in(said.text) - COMMON), *whole_names(said.text), *kinds}:
                places.setdefault(name, set()).add(at)
        return places

    def broken_by(self, call: CallEffects, heard: Sequence[str]) -> Iterator[tuple[StateItem, str]]:
        """Yield the sentences that restrict what a call does, with the path or command.

        Args:
            call: The call.
            heard: The words of the user since the compaction. What they ask for is allowed.
        """
        for act in acts_of(call) if self._sentences else ():
            names = (*act.whole, *(word for word in act.names if word not in COMMON), *(f"{one} " for one in act.kinds))
            places = set[int]().union(*(self._places.get(name, ()) for name in names))
            scores = {at: _restricts(self._sentences[at], act) for at in places}
            best = max(scores, key=lambda at: scores[at], default=-1)
            if best >= 0 and scores[best] >= _least_against(act) and self._holds(best, scores, act, heard):
                said = self._sentences[best]
                yield StateItem("rule", said.text, said.text, "", "", said.message), act.target

    def _holds(self, at: int, scores: dict[int, float], act: NamedAct, heard: Sequence[str]) -> bool:
        """Return True if no form of words covers a sentence, and nothing that the user said allows the act."""
        said = self._sentences[at]
        if bans_in(said.text) or states_other_rule(said.text):
            return False
        if any(text in said.text or said.text in text for text in self._ended):
            return False
        later = (self._sentences[one].text for one in scores if one > at and scores[one] < _LEAST)
        before = (one.text for one in self._sentences if one.order <= said.order)
        return not (any(map(_allows, (*later, *_about(act, heard)))) or any(_asks_for(text, act) for text in before))


def _about(act: NamedAct, heard: Sequence[str]) -> Iterator[str]:
    """Yield the words of a user that name an act."""
    yield from (text for text in heard if any(act.named_in(clause) > PART for clause in _CLAUSES.split(text)))


def _said_in(message: Message, order: int) -> Iterator[_Spoken]:
    """Yield the sentences of a message of the user, unless it is long."""
    words = steps_of(message).words if message.role == "user" else None
    if words is None or words.command or words.interrupted or len(words.text) > _MAX_TEXT:
        return
    every = [sentence.replace("’", "'") for sentence in sentences_of(words.text)]
    for at, text in enumerate(every if len(every) <= _MAX_SENTENCES else ()):
        if _MIN <= len(text) <= _MAX:
            yield _Spoken(text, message.id, order, at, (*every[:at], *every[at + 1 :]))


def _least_against(act: NamedAct) -> float:
    if "commit" in act.kinds and "amend" not in act.kinds:
        return _OF_COMMIT
    return _LEAST if act.kinds & OUTWARD else _OF_CHANGE


def _restricts(said: _Spoken, act: NamedAct) -> float:
    """Return the evidence that a sentence restricts an act."""
    if not act.fits(said.text):
        return _NEVER
    if said.text.endswith("?") or CODE.search(said.text):
        return _BLAMED if said.others and _blames(said.text, act) else _NEVER
    named = _clauses_with(said.text, act)
    return max((_NEVER if _is_no_rule(one, said) else _evidence_in(one, said) for one in named), default=_NEVER)


def _clauses_with(text: str, act: NamedAct) -> Iterator[_Clause]:
    """Yield the clauses of a sentence that name an act best. On another machine only a whole name counts."""
    clauses = [clause for clause in _CLAUSES.split(text) if clause and clause.strip()]
    names = [act.named_in(clause) for clause in clauses]
    best = max(names, default=0.0)
    if best >= (WHOLE if act.is_remote else PART):
        yield from (_clause_at(at, clauses, act, best) for at, name in enumerate(names) if name == best)


def _blames(question: str, act: NamedAct) -> bool:
    """Return True if a question blames the agent for an act."""
    blame = BLAMES.search(question)
    means = meant_by(blame["verb"] or blame["other"] or "touch") if blame else frozenset[str]()
    return bool(means & (act.kinds | {"change"})) and act.named_in(question) >= OWN


def _clause_at(at: int, clauses: Sequence[str], act: NamedAct, name: float) -> _Clause:
    words = _WORD.findall(clauses[at])
    places = (place for place, word in enumerate(words) if act.named_in(word) >= min(name, OWN))
    before = (word for place in places for word in words[max(0, place - 3) : place])
    return _Clause(at, clauses, act, name, any(map(NEGATIVE.match, before)))


def _is_no_rule(clause: _Clause, said: _Spoken) -> bool:
    """Return True if a clause, or what follows it, asks for work on the object or allows it."""
    if not clause.is_negated and (_requested_verb(clause.text) or WISH.search(clause.text)):
        return True
    if any(PERMITS.search(one) and not HOLDS_UNTIL.search(one) for one in clause.every[clause.at :]):
        return True
    after = clause.every[clause.at + 1 :]
    following = (*after, *said.others[said.at : said.at + 1])
    return any(map(ELSE.search, after)) or any(_asks_about(one, clause.act) for one in following)


def _asks_about(clause: str, act: NamedAct) -> bool:
    """Return True if a clause asks for work on what was named before it: "flush it"."""
    verb = _requested_verb(clause)
    points = _POINTS.search(clause) or act.named_in(clause) >= OWN or len(clause.split()) < _SHORT
    return bool(verb and points) and verb not in LOOKS


def _requested_verb(clause: str) -> str:
    """Return the verb of a request; "" for any other clause."""
    lead = LEAD.match(clause)
    words = _WORD.match(clause, lead.end() if lead else 0)
    return verb if words and (verb := words[0].lower()) in WORK else ""


def _evidence_in(clause: _Clause, said: _Spoken) -> float:
    """Return the evidence in the words of a sentence, as a sum of weights."""
    shares = {place: share for place in range(len(GROUPS)) if (share := _part_of_group(place, clause))}
    if POSSESSIVE.match(clause.text):
        shares[OWNED] = max(shares.get(OWNED, 0.0), 0.75)
    text, words = said.text, len(said.text.split())
    is_deed, is_subject = _begins(clause)
    weak = not clause.is_negated and SPARED not in shares
    return (
        sum(GROUPS[place][0] * share for place, share in shares.items())
        + _BY_NAME[clause.name]
        + 1.5 * is_deed
        + 0.7 * (is_subject and not is_deed)
        + 1.2 * clause.is_negated
        + 0.8 * any(map(OTHERWISE.search, clause.every[clause.at + 1 :]))
        + 0.6 * ((is_subject or is_deed) and not shares.keys().isdisjoint((REFUSED, HARM, OWNED)))
        - (1.5 if is_deed else 2.0) * bool(REPORTS.search(text))
        - 2.0 * (not said.others)
        - 0.3 * (said.at == 0)
        - (words > _LONG)
        - (words < _SHORT and weak)
        - (ASKS_WHEN.match(text) is not None and not is_deed)
    )


def _part_of_group(place: int, clause: _Clause) -> float:
    """Return how much the words of a group count: less in clauses around the one with the name."""
    shares = (
        1.0 if at == clause.at else 0.7 if at > clause.at else 0.3
        for at, text in enumerate(clause.every)
        if GROUPS[place][1].search(text) and (at == clause.at or place <= REFUSED or not _requested_verb(text))
    )
    return max(shares, default=0.0)


def _begins(clause: _Clause) -> tuple[bool, bool]:
    """Return whether a clause begins with the action ("Publishing comes after …"), and with a name of the object."""
    lead = LEAD.match(clause.text)
    rest = clause.text[lead.end() :] if lead else clause.text
    first = _SUBJECT.match(rest)
    words = [word for word in first.groups() if word] if first else []
    nouns = clause.act.nouns_in(clause.text)
    is_deed = any(noun.match(word) for noun in nouns for word in words) and any(map(_DEED.search, words))
    return is_deed, clause.act.named_in(" ".join(rest.split()[:4])) >= clause.name


def _allows(sentence: str) -> bool:
    """Return True if a later sentence of the user that names an object asks for work on it or allows it."""
    words = [word.lower() for word in _WORD.findall(sentence)]
    is_order = any(word in WORK or word in FORMS for word in words) or PERMITS.search(sentence) is not None
    return is_order and not sentence.rstrip().endswith("?")


def _asks_for(text: str, act: NamedAct) -> bool:
    """Return True if a sentence asks for an act by its verb."""
    for clause in filter(None, _CLAUSES.split(text)):
        verb = _requested_verb(clause)
        means = (meant_by(verb) | {verb}) & act.kinds
        if means & OUTWARD - {"delete"} or (means and act.named_in(clause) >= OWN):
            return True
    return False
