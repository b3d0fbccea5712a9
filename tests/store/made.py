"""Sessions for the store's tests, written by hand."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from inspector.core.conversation import Body, InMemoryBody, Message, Raw, Session
from inspector.llm.providers import message_from_raw
from inspector.store import Memory, MemoryFilter, Store

ROLES = ("user", "assistant")


def message(id: str, role: str, text: str, body: Body | None = None, **facts: Any) -> Message:
    return message_from_raw(id, {"role": role, "content": text}, "openai", body=body, **facts)


def chain(*texts: str, id: str = "s1", title: str = "A session", start: str = "m") -> Session:
    """A session in which user and assistant take turns to say `texts`."""
    messages = (
        message(
            f"{start}{place}",
            ROLES[place % 2],
            text,
            parent=place - 1,
            time=f"2026-03-01T10:{place // 60:02}:{place % 60:02}Z",
        )
        for place, text in enumerate(texts)
    )
    return Session(id, title, "made", tuple(messages), model="some-model", path="/tmp/made.jsonl")


def persistent_entries(store: Store, limit: int = 1000) -> list[Memory]:
    """The entries of the persistent tier, newest first."""
    return store.entries.page(limit, meant=MemoryFilter(tier="persistent"))


def long(messages: int, id: str = "long") -> Session:
    return chain(*(f"message {number} speaks of topic {number % 7}" for number in range(messages)), id=id)


def with_message(session: Session, position: int, new: Message) -> Session:
    messages = list(session.messages)
    messages[position] = new
    return replace(session, messages=tuple(messages))


@dataclass(frozen=True)
class Stuck:
    """A body that tells that it was asked for, and then keeps whoever asks waiting for ever."""

    sign: Path

    def load(self) -> tuple[Raw, Raw]:
        self.sign.touch()
        time.sleep(600)
        return {}, {}


def stuck_at(session: Session, position: int, sign: Path) -> Session:
    return with_message(session, position, replace(session.messages[position], body=Stuck(sign)))


@dataclass(frozen=True)
class Changed:
    """A body whose file says something else by now."""

    def load(self) -> tuple[Raw, Raw]:
        return {"role": "user", "content": "something else"}, {}


@dataclass(frozen=True)
class Vanished:
    def load(self) -> tuple[Raw, Raw]:
        raise FileNotFoundError(2, "No such file or directory")


def head(message: Message) -> dict[str, Any]:
    """Everything of a message but where its text lives, and what is only known once it was read."""
    names = [field.name for field in fields(Message) if field.name not in ("body", "has_flaw")]
    return {name: getattr(message, name) for name in names}


def whole_message(message: Message) -> tuple[dict[str, Any], Raw, Raw]:
    return head(message), message.raw, message.record


def with_body_in_memory(message: Message) -> Message:
    return replace(message, body=InMemoryBody(message.raw, message.record))
