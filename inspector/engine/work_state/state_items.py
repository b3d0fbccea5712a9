"""The state of the work at one point of a conversation: immutable items, each with the message that set it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from inspector.core.json_objects import json_object
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.languages import language_of

StatePart = Literal[
    "where", "mode", "request", "question", "rule", "task", "plan", "instruction", "running", "file", "failure"
]
PARTS: tuple[StatePart, ...] = (
    "where",
    "mode",
    "request",
    "question",
    "rule",
    "task",
    "plan",
    "instruction",
    "running",
    "file",
    "failure",
)
"""All parts, in the order in which they are shown."""
Actor = Literal["user", "agent", "tool", ""]
"""Who acts next; "" if the conversation is empty."""
ACTORS: Mapping[Actor, str] = {"user": "the user", "agent": "the agent", "tool": "a tool", "": "no one yet"}
"""Who acts next, in words."""
Fate = Literal["kept", "paraphrased", "dropped", "stale", "revived", "invented", "moved"]
FATES: tuple[Fate, ...] = ("invented", "revived", "stale", "moved", "dropped", "paraphrased", "kept")
"""All fates of an item across a compaction, the worst first."""
MAX_ITEMS = 400
"""Maximum number of items of one part. The oldest are dropped first."""


@json_object("State item", "part name text state detail message turn ended_by ended_turn")
@dataclass(frozen=True, slots=True)
class StateItem:
    """One item of the state, with the message that set it and the one that ended it."""

    part: StatePart
    name: Annotated[str, "distinguishes the item from others of its part: folder, a task's id, a path, a command"]
    text: Annotated[str, "its wording in the conversation"]
    state: Annotated[str, "for example pending, in progress, done, dropped, refused, running; empty if it has none"] = (
        ""
    )
    detail: Annotated[str, "further fact: the id of a process, the path of a skill, the old name of a file"] = ""
    message: Annotated[str, "id of the message that set it"] = ""
    turn: Annotated[int, "of that message"] = 0
    ended_by: Annotated[str, "id of the message that ended it; empty while it holds"] = ""
    ended_turn: Annotated[int, "of that message; 0 while it holds"] = 0

    @property
    def holds(self) -> bool:
        """True until a message ends the item."""
        return not self.ended_by


_Items = Mapping[StatePart, Mapping[str, StateItem]]


@dataclass(frozen=True, slots=True)
class WorkState:
    """The state of the work after some messages. Made by `advance`; equal messages give equal states."""

    items: _Items = field(default_factory=dict)
    actor: Actor = ""
    turn: int = 0
    """Number of replies so far."""
    samples: tuple[str, ...] = ()
    """Beginnings of the newest replies, oldest first, at most 6."""
    open_calls: Mapping[str, CallEffects] = field(default_factory=dict)
    """Calls without a result, by id."""
    last_task: str = ""
    """Name of the task that was changed last."""

    @property
    def language(self) -> str:
        """Language of the newest replies, as a code such as "de"; "" if unknown."""
        single = next(filter(None, map(language_of, reversed(self.samples))), "")
        return single or language_of(" ".join(self.samples))

    def all(self, part: StatePart) -> tuple[StateItem, ...]:
        """Return the items of a part, including those that have ended, oldest first."""
        return tuple(self.items.get(part, {}).values())

    def of(self, part: StatePart) -> tuple[StateItem, ...]:
        """Return the items of a part that hold, oldest first."""
        return tuple(item for item in self.all(part) if item.holds)

    def get(self, part: StatePart, name: str) -> StateItem | None:
        """Return an item by name, or None if no such item holds."""
        item = self.items.get(part, {}).get(name)
        return item if item is not None and item.holds else None

    def text(self, part: StatePart, name: str) -> str:
        """Return the text of an item that holds, or ""."""
        item = self.get(part, name)
        return item.text if item else ""

    def numbered(self, number: str) -> StateItem | None:
        """Return the newest task with a number in the agent's list. Lists can be started again from 1."""
        return next((task for task in reversed(self.all("task")) if task.detail == f"#{number}"), None)

    def __iter__(self) -> Iterator[StateItem]:
        """Iterate over all items that hold, in the order of `PARTS`."""
        for part in PARTS:
            yield from self.of(part)

    def put(self, *items: StateItem) -> WorkState:
        """Return the state with items added, or replaced where one has the same part and name."""
        if not items:
            return self
        parts = {part: dict(rows) for part, rows in self.items.items() if part in {item.part for item in items}}
        for item in items:
            rows = parts.setdefault(item.part, {})
            rows.pop(item.name, None)
            rows[item.name] = item
            while len(rows) > MAX_ITEMS:
                del rows[next(iter(rows))]
        return self.with_items({**self.items, **parts})

    def with_items(self, items: _Items, turn: int | None = None) -> WorkState:
        """Return the state with other items, and another turn if given. Three times as fast as `replace`."""
        turn = self.turn if turn is None else turn
        return WorkState(items, self.actor, turn, self.samples, self.open_calls, self.last_task)

    def end(self, item: StateItem, message: str, state: str = "") -> WorkState:
        """Return the state in which an item has ended.

        Args:
            item: The item.
            message: Id of the message that ends it.
            state: Its last state; unchanged by default.
        """
        return self._change(replace(item, ended_by=message, ended_turn=self.turn, state=state or item.state))

    def change(self, item: StateItem, message: str, state: str) -> WorkState:
        """Return the state in which a message has changed the state of an item, which keeps its place.

        Args:
            item: Item of this state.
            message: Id of the message that changed it.
            state: New state of the item.
        """
        return self._change(replace(item, state=state, message=message, turn=self.turn))

    def _change(self, item: StateItem) -> WorkState:
        rows = {**self.items.get(item.part, {}), item.name: item}
        return self.with_items({**self.items, item.part: rows})
