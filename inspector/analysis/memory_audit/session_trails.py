"""The traces of memories in one session: loaded files, broken rules, and corrections by the user."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis import tool_activity
from inspector.analysis.memory_audit.loaded_items import ItemFinder
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.text import slug
from inspector.engine import work_state
from inspector.formats import MemoryStore
from inspector.llm import models

_MAX_WORDS = 1_500
"""Maximum number of characters of a message with corrections. Longer ones are pasted."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A rule in the words of a user."""

    text: str
    place: str
    """Session and turn."""


@dataclass(frozen=True, slots=True)
class SessionTrail:
    """The traces in one session of the memories that it could load."""

    name: str
    start: str
    """ISO 8601; "" if the session has no times."""
    end: str
    form: str
    """Format of the recording."""
    requests: int
    dollars: float
    """Average price of a token of the prompt."""
    seen: frozenset[int]
    """Numbers of the items whose text a message contains."""
    touched: frozenset[str]
    """Paths that calls read or changed."""
    breaks: Sequence[tuple[work_state.Consequence, bool]]
    """Broken rules, each with True if a compaction came before."""
    corrections: Sequence[Correction]
    compactions: int
    rereads: Mapping[str, int]
    """Number of compactions after which each file was read again."""

    def loads(self, store: MemoryStore) -> bool:
        """Return True if the program of the session loads a rule file by itself."""
        return loads_by_itself(self.form, store)


def trail_of(session: Session, name: str, finder: ItemFinder) -> SessionTrail:
    """Return the traces of memories in a session.

    Args:
        session: The session.
        name: Its path, or another name.
        finder: Finds the items of the stores.

    Raises:
        OSError: The recording can no longer be read.
    """
    own = [message for message in session.messages if message.agent == MAIN and message.kind != "summary"]
    own = [message for message in own if session.original_of(message) is message]
    times = [message.time for message in session.messages if message.time]
    replies = session.turns(MAIN)
    lost_at = [bisect_right(replies, place) + 1 for place in session.compactions if _is_main(session, place)]
    form = session.format
    rules = [*_breakable(finder, form)]
    return SessionTrail(
        name,
        min(times, default=""),
        max(times, default=""),
        form,
        sum(map(len, session.replies.values())),
        _dollars(session),
        frozenset(finder.in_messages(session.messages)),
        frozenset(_touched(session)),
        [(row, bool(lost_at) and row.turn >= lost_at[0]) for row in work_state.rule_breaks(own, rules)]
        if rules
        else [],
        [*_corrections(own, name)],
        len(lost_at),
        _rereads(session, lost_at),
    )


def loads_by_itself(form: str, store: MemoryStore) -> bool:
    """Return True if the program that writes sessions in a format loads a rule file by itself."""
    return not store.tool or form.startswith(slug(store.tool))


def _is_main(session: Session, place: int) -> bool:
    return session.messages[place].agent == MAIN


def _breakable(finder: ItemFinder, form: str) -> Iterator[work_state.StateItem]:
    """Yield the rules of rule files that an action can break. Their `message` is the number of the item."""
    for number, entry in enumerate(finder.items):
        if entry.is_rule and entry.item.kind == "rule" and loads_by_itself(form, entry.store):
            for place, text in enumerate(work_state.rules_of_instruction(entry.item.text)):
                yield work_state.StateItem("rule", f"{number}.{place}", text, message=str(number))


def _corrections(messages: Sequence[Message], name: str) -> Iterator[Correction]:
    turn = 1
    for message in messages:
        turn += message.is_reply
        words = work_state.steps_of(message).words if message.role == "user" and message.chars <= _MAX_WORDS else None
        for text in words.rules if words is not None and not words.command else ():
            yield Correction(text, f"{name} turn {turn}")


def _touched(session: Session) -> Iterator[str]:
    actions = tool_activity.Actions(session.messages)
    for message in session.messages:
        action = actions.of(message)
        if action is not None:
            yield from (action.resource, *(read.resource for read in actions.reads_of(message)))


def _rereads(session: Session, lost_at: Sequence[int]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for reread in tool_activity.dropped_rereads(session, MAIN, lost_at) if lost_at else ():
        counts[reread.need.fact] = counts.get(reread.need.fact, 0) + 1
    return counts


def _dollars(session: Session) -> float:
    """Return the average price of a token of the prompt, with the cache as it was used; 0.0 if it is unknown."""
    spent, tokens = 0.0, 0
    for message in session.messages:
        usage = message.usage
        if usage is None or not usage.input:
            continue
        try:
            price = models.price_of(message.model or session.model).at(usage.input)
        except ValueError:
            continue
        plain = max(0, usage.input - usage.cache_read - usage.cache_write)
        spent += plain * price.input + usage.cache_read * price.cache_read + usage.cache_write * price.cache_write
        tokens += usage.input
    return spent / tokens / models.MILLION if tokens else 0.0
