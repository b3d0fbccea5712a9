"""Conversations of any length that are hard on whoever walks through them turn by turn."""

from __future__ import annotations

from collections.abc import Callable

from inspector.core.conversation import Session
from tests.generated import Ask, Call, Inject, Reply, Rewind, Step, Stray, System, recorded, work

FAULTS: tuple[Step, ...] = (
    Stray("x"),
    Reply("", thinking="hm"),
    Reply(calls=(Call("a", "never"), Call("b", "later"), Call("", "twice")), content=" "),
    Inject(""),
    Ask(()),
    Reply("so. "),
)


def repeated(count: int, *steps: Step) -> list[Step]:
    """Steps over and over, so many in all."""
    return [*steps] * (count // len(steps))


def batch(count: int) -> Reply:
    """A reply with many calls, answered from the last to the first."""
    return Reply(calls=tuple(Call() for _ in range(count)), backwards=True)


CASES: dict[str, Callable[[int], list[Step]]] = {
    "sound": lambda count: repeated(count, work("now")),
    "everything wrong": lambda count: repeated(count, *FAULTS),
    "one batch": lambda count: [batch(count), *[Ask()] * 9],
    "results that come late": lambda count: repeated(count, work("later", "later"), Ask()),
    "results that nobody asked for": lambda count: repeated(count, Stray(), Reply()),
    "calls with one id": lambda count: repeated(count, Reply(calls=(Call("same", "later"),)), Ask()),
    "system messages": lambda count: repeated(count, work("now"), System()),
    "the same way again": lambda count: repeated(count, Reply(), Rewind(1)),
}


def grown(case: str, count: int) -> Session:
    """A session of about so many steps."""
    return recorded([Ask(), *CASES[case](count)])


def small_and_large(case: str) -> tuple[Session, Session]:
    """Two sessions, the second four times as long. System messages never leave: they take a while to fill a window."""
    small = 960 if case == "system messages" else 120
    return grown(case, small), grown(case, 4 * small)
