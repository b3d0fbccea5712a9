"""Conversations to look for facts in: written by hand, or drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from inspector.core.conversation import Message, Role, Session
from inspector.llm.providers import message_from_raw, with_placeholder

SENTENCES = (
    "The order HR-204417 costs EUR 1,489.50.",
    "It is in src/feed/load.py since 2026-03-29.",
    "You must never delete the ledger.",
    "We decided to use the second shard.",
    "ValueError: no row 4711 in the table",
    "See https://example.org/board for the 412 files.",
    "The total is 3845.",
    "The total is much too high.",
    "HR-204417 and 3845, then.",
    "load.py, once more.",
    "Good morning.",
    "",
)
"""What is said: facts, facts again in other words, labels without their values, and nothing at all."""


def message(id: str, text: str, role: Role = "user") -> Message:
    raw = {"role": role, "content": text} | ({"tool_call_id": "c"} if role == "tool" else {})
    return message_from_raw(id, raw, "openai")


def session(log: Iterable[Message]) -> Session:
    return Session("s", "", "openai", tuple(log))


def conversation(*texts: str) -> Session:
    """What a user and an assistant say in turn; the ids are m1, m2, …"""
    roles: tuple[Role, Role] = ("user", "assistant")
    return session(message(f"m{n + 1}", text, roles[n % 2]) for n, text in enumerate(texts))


@dataclass(frozen=True)
class Request:
    """A step of a replay: what has entered the log, and what then is sent."""

    added: tuple[Message, ...]
    window: tuple[Message, ...]
    archived: tuple[str, ...]


@dataclass(frozen=True)
class Course:
    session: Session
    requests: tuple[Request, ...]

    def log(self, requests: int) -> list[Message]:
        """What is in the log when so many requests were sent."""
        return [each for request in self.requests[:requests] for each in request.added]

    def archive(self, requests: int) -> set[str]:
        return {name for request in self.requests[:requests] for name in request.archived}


TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["user", "tool", "assistant", "assistant"])


@st.composite
def courses(draw: st.DrawFn) -> Course:
    """A log that grows, and windows of any of its messages, of placeholders for some, and of summaries."""
    spoken = draw(st.lists(st.tuples(ROLES, TEXTS), min_size=1, max_size=14))
    log = [message(f"m{n}", text, role) for n, (role, text) in enumerate(spoken, 1)]
    requests, done = list[Request](), 0
    while done < len(log):
        new = min(draw(st.integers(1, 3)), len(log) - done)
        known = log[: done + new]
        requests.append(Request(tuple(log[done : done + new]), draw(windows(known)), draw(archived(known))))
        done += new
    return Course(session(log), tuple(requests))


@st.composite
def windows(draw: st.DrawFn, log: Sequence[Message]) -> tuple[Message, ...]:
    fates = draw(
        st.lists(st.sampled_from(["gone", "kept", "gone", "named", "cut"]), min_size=len(log), max_size=len(log))
    )
    window = list[Message]()
    for each, fate in zip(log, fates, strict=True):
        if fate == "kept" or (fate != "gone" and each.role != "tool"):
            window.append(each)
        elif fate != "gone":
            window.append(with_placeholder(each, f"[result of message {each.id}]" if fate == "named" else "3845 rows"))
    if draw(st.booleans()):
        window.insert(0, message("summary", draw(TEXTS), "user"))
    return tuple(window)


def archived(log: Sequence[Message]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from([each.id for each in log]), max_size=3).map(tuple)
