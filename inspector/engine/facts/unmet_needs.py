"""Find facts that a reply needed but its window did not contain.

A fact is *needed* if a recorded reply states it or passes it to a tool. A reply that needs facts which were stated
before and are neither in the window nor recoverable is one *regret*, however many facts it misses. If the policy could
have retrieved all of them, it is a *recall*. The recording decides, and no model is used.

A repeated fact does not always have to be remembered. Ignored are facts the reply could make up itself (no one else had
stated them), paging arguments of tool calls, items of a task list that it rewrites, names it gives to its own
variables, names that every author knows, the folder of its commands, and paths that can be assembled from the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from inspector.core.caches import text_of
from inspector.core.conversation import Message, ToolCall
from inspector.core.text import lazy_pattern
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.needs import Need, Regret
from inspector.engine.facts.noise import (
    command_folders,
    is_common_knowledge,
    is_usual_name,
    paging_values,
    standard_sections,
)
from inspector.engine.facts.retained_facts import STATES, State
from inspector.engine.facts.retention import FactTracker
from inspector.engine.facts.terms import day_terms
from inspector.engine.facts.text_match import phrase, plain_words, texts_in
from inspector.engine.facts.todo_calls import points_of

_FROM_OUTSIDE: frozenset[FactClass] = frozenset(("symbol", "quote", "email"))
"""Classes of facts that agents make up. They count only if someone else stated them, or they are in code it wrote."""
_DEFINING = ("def", "func", "function", "fn", "class", "type", "struct", "interface", "enum", "trait")
_OBSERVED = "Automatic OCR of the page screenshot"
"""Part of the report of a browsing agent, which quotes a page that it sees, and remembers nothing."""
_WARNED = "Warning: "
_WARNING = lazy_pattern(r":\d{1,6}: \w{1,40}Warning: ")
"""What follows the path in a warning that Python prints: "/lib/agent.py:184: UserWarning: …"."""
_TAIL = 2
"""Number of steps at the end of a path that identify it."""
_ADDRESS_TAIL = 3
"""Number of steps at the end of a URL, after its host, that identify it."""
_COMPOUND = frozenset("_-")
"""Signs between the words of a file's name."""
_SCRIPTS = ("ts", "tsx", "mts")
"""Endings of files that other files import with the ending `.js`."""
_MIN_FOLDER_LENGTH = 3
"""Minimum length of a folder name that is not in the window by chance."""


class UnmetNeed(NamedTuple):
    """The facts a reply missed. At most one of the fields is set."""

    regret: Regret | None = None
    """Set if at least one needed fact was lost."""
    recall: Regret | None = None
    """Set if all missing facts could have been retrieved."""


def find_unmet_needs(ledger: FactTracker, turn: int, reply: Message) -> UnmetNeed:
    """Return the facts that the reply of `turn` needed and the window did not contain.

    Must be called before the reply is added to the tracker. A fact is missed once per loss, because the reply that
    repeats it brings it back into the window.

    Args:
        ledger: Tracker of the replay, up to the request of `turn`.
        turn: Number of the reply, from 1.
        reply: The recorded reply.

    Raises:
        OSError: A message body cannot be read.
    """
    needs = ledger.index.missed_of(reply)
    if all(map(ledger.is_retained, needs.values())) or _OBSERVED in text_of(reply):
        return UnmetNeed()
    absent: dict[State, list[Need]] = {state: [] for state in STATES}
    terms = set[int]()
    for fact, state in sorted(_absent(ledger, reply, needs), key=lambda pair: (_weight(ledger, pair[0]), pair[0])):
        cls, text, term = ledger.index.facts[fact]
        source = ledger.source_of(fact)
        if source is not None and term not in terms:
            terms.add(term)
            absent[state].append(Need(text, cls, ledger.lost_at(term) if state == "lost" else 0, source))
    if absent["lost"]:
        return UnmetNeed(regret=Regret(turn, reply.id, tuple(absent["lost"])))
    if absent["recoverable"]:
        return UnmetNeed(recall=Regret(turn, reply.id, tuple(absent["recoverable"])))
    return UnmetNeed()


def _weight(ledger: FactTracker, fact: int) -> float:
    return -ledger.weights[ledger.index.facts[fact].cls]


def _absent(ledger: FactTracker, reply: Message, needs: Mapping[int, int]) -> Iterator[tuple[int, State]]:
    """Yield the facts that a reply needs and that are not in the window, each with its state."""
    index, is_retained, memory = ledger.index, ledger.is_retained, _Memory(ledger, reply)
    for fact, term in needs.items():
        if (
            is_retained(term)
            or ledger.is_void(index.facts[fact])
            or is_retained(index.days.get(term, term))
            or ledger.source_of(fact) is None
        ):
            continue
        if (state := ledger.state_of(term)) != "retained" and memory.is_asked_for(fact):
            yield fact, state


class _Memory:
    """Decides which of a reply's facts had to be remembered because its window does not contain them."""

    def __init__(self, ledger: FactTracker, reply: Message) -> None:
        self.ledger = ledger
        self.reply = reply

    def is_asked_for(self, fact: int) -> bool:
        """Return True if the reply could not have stated a fact without having read it."""
        cls, text, term = self.ledger.index.facts[fact]
        if cls in _FROM_OUTSIDE and term not in self.ledger.heard and not (cls == "symbol" and self._is_written(fact)):
            return False
        spellings = (text, text.rstrip("/").rpartition("/")[2]) if cls == "path" else (text,)
        if any(words in self._repeated_points and words not in self._other_words for words in map(phrase, spellings)):
            return False
        return not (is_common_knowledge(cls, text) or self._is_at_hand(cls, text))

    def _is_at_hand(self, cls: FactClass, text: str) -> bool:
        """Return True if a fact of this class can be stated without remembering it."""
        match cls:
            case "number":
                return not self._positions.isdisjoint(text.split())
            case "path" | "url":
                if self._is_printed(text) or text.rstrip("/") in self._folders:
                    return True
                host, _, steps = text.partition("://")[2].partition("/")
                return self._has_end(steps, _ADDRESS_TAIL) if host else self._is_put_together(text)
            case "date":
                return self._has_day_and_time(text) or any(map(self.ledger.is_retained, self._afternoon_terms(text)))
            case "symbol":
                return self._names_own(text) or self.ledger.may_be_spelled(text)
            case _:
                return False

    @cached_property
    def _positions(self) -> frozenset[str]:
        """Numbers of the reply that limit what it requests, or are sections of standards."""
        return paging_values(self.reply) | standard_sections(self.reply)

    @cached_property
    def _folders(self) -> frozenset[str]:
        """Folders of the reply's commands."""
        return command_folders(self.reply)

    @cached_property
    def _lists(self) -> dict[ToolCall, list[str]]:
        """Normalised items that the reply writes into task lists, by tool call."""
        calls = [part for part in self.reply.parts if isinstance(part, ToolCall)] if self.reply.calls else []
        points = {call: [phrase(text) for text, _ in points_of(call.name, call.arguments)] for call in calls}
        return {call: texts for call, texts in points.items() if texts}

    @cached_property
    def _repeated_points(self) -> str:
        """Those items that the log contained before."""
        log, holders_of = self.ledger.log, self.ledger.index.holders_of
        points = (point for texts in self._lists.values() for point in texts)
        return "\n".join(point for point in points if any(holder.id in log for holder in holders_of(point)))

    @cached_property
    def _other_words(self) -> str:
        """Text of the reply without those items."""
        rest = [part for part in self.reply.parts if part not in self._lists]
        points = (point for texts in self._lists.values() for point in texts if point not in self._repeated_points)
        return plain_words([*(text for part in rest for text, _ in texts_in(part)), *points])

    def _is_printed(self, path: str) -> bool:
        """Return True if the reply contains a path only in warnings that a program printed into it."""
        text = self.reply.text
        following = text.split(path)[1:] if _WARNED in text else []
        return bool(following) and all(map(_WARNING.match, following))

    def _is_put_together(self, path: str) -> bool:
        """Return True if the window contains the end of a path, or its folder and its name unless that is usual."""
        holds = self.ledger.holds
        folder, _, name = path.rstrip("/").rpartition("/")
        if len(folder) >= _MIN_FOLDER_LENGTH and (is_usual_name(name) or holds(phrase(name))) and holds(phrase(folder)):
            return True
        if self._is_imported(folder, name):
            return True
        return not is_usual_name(name) and self._has_end(path, _TAIL)

    def _is_imported(self, folder: str, name: str) -> bool:
        """Return True if the window names the class or module in a file, as in "import app.crane_list"."""
        stem, _, kind = name.rpartition(".")
        is_compound = not _COMPOUND.isdisjoint(stem) or (stem[1:] != stem[1:].lower() and not stem.isupper())
        if folder:
            return is_compound and self._has_end(f"{folder}/{stem}", _TAIL)
        spellings = [*([stem] if is_compound else []), *([f"{stem}.js"] if kind in _SCRIPTS else [])]
        return any(self.ledger.holds(phrase(spelling)) for spelling in spellings)

    def _has_end(self, path: str, count: int) -> bool:
        """Return True if the window contains the last `count` steps of a path."""
        end = path.rstrip("/").split("/")[-count:]
        return len(end) == count and all(end) and self.ledger.holds(phrase("/".join(end)))

    def _has_day_and_time(self, moment: str) -> bool:
        """Return True if the window contains the day and the time of "2026-03-29 00:59:08", each in any spelling."""
        day, _, time = moment.rpartition(" ")
        numbers, is_retained = self.ledger.index.numbers, self.ledger.is_retained
        parts = ({f"date {time}"}, set(day_terms(day)) - {f"date {day[:4]}"}) if day and ":" in time else ()
        return bool(parts) and all(
            any(is_retained(numbers[term]) for term in part if term in numbers) for part in parts
        )

    def _afternoon_terms(self, time: str) -> Iterator[int]:
        """Yield the terms of the time twelve hours later, because 3:30 can be stated as 15:30 in the window."""
        hours, _, minutes = time.partition(":")
        if hours.isdecimal() and minutes:
            numbers, afternoon = self.ledger.index.numbers, f"date {int(hours) + 12}:{minutes}"
            yield from (numbers[term] for term in (afternoon, f"{afternoon}:00") if term in numbers)

    def _is_written(self, fact: int) -> bool:
        """Return True if a name was first stated in tool arguments, so that it is probably in a file."""
        text, source = self.ledger.index.facts[fact].text, self.ledger.source_of(fact)
        teller = self.ledger.log.get(source or "")
        calls = [part for part in teller.parts if isinstance(part, ToolCall)] if teller else []
        return any(text in call.arguments.replace(f'"{text}":', "") for call in calls)

    def _names_own(self, name: str) -> bool:
        """Return True if the reply itself assigns this name, as an argument, a variable or a definition."""
        text, bare = self.reply.text.replace(f'"{name}":', ""), name.removesuffix("()")
        if f"{name} := " in text or any(f"{word} {name} = " in text for word in ("const", "let", "var")):
            return True
        if bare not in text:
            return True
        return text.count(bare) == 1 and any(f"{word} {bare}" in text for word in _DEFINING)
