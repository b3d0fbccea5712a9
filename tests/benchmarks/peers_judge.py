"""What is wrong with a conversation that came out of a memory, told the same way for everybody's messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from inspector.llm.tokens.counting import FRAME, Counter

System = Literal["kept", "lost", "apart"]
"""apart: it never was among the messages that this memory is handed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message of anybody, as far as a provider's rules speak of it."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    """Everything in it that is counted."""
    calls: tuple[str, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a conversation came out."""

    left: int
    """Messages; the results of one batch are counted one by one."""
    tokens: int
    orphans: int
    """Results that no call stands before: a provider refuses the request."""
    unanswered: int
    """Calls whose result is gone: a provider refuses the request."""
    system: System
    opens: str
    """The role of the first message behind the system prompt; empty when there is none."""

    @property
    def valid(self) -> bool:
        return not self.orphans and not self.unanswered and self.system != "lost" and self.opens == "user"


def tokens_of(lines: Iterable[Line], counter: Counter) -> int:
    return sum(FRAME + counter.count(line.text) for line in lines)


def judge(lines: Sequence[Line], tokens: int, *, apart: bool = False) -> Verdict:
    """The verdict on what is left of a conversation that was valid and began with a system prompt."""
    orphans, unanswered = broken(lines)
    kept = any(line.role == "system" for line in lines)
    return Verdict(
        left=len(lines),
        tokens=tokens,
        orphans=orphans,
        unanswered=unanswered,
        system="apart" if apart else "kept" if kept else "lost",
        opens=next((line.role for line in lines if line.role != "system"), ""),
    )


def broken(lines: Iterable[Line]) -> tuple[int, int]:
    """(results without a call before them, calls without a result behind them)."""
    waiting: set[str] = set()
    orphans = 0
    for line in lines:
        waiting.update(line.calls)
        if line.role == "tool":
            orphans += line.answers not in waiting
            waiting.discard(line.answers)
    return orphans, len(waiting)
