"""Compare two windows of the same log, by message first and by word inside changed messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from inspector.core.conversation import Message
from inspector.core.json_objects import json_object
from inspector.core.sequences import common_start
from inspector.engine.window.plan import Fate, Plan
from inspector.engine.window.timeline import SizeChange
from inspector.engine.window.window import Window
from inspector.llm.tokens import TokenCount

_ChangeKind = Literal["same", "removed", "changed", "added"]
WORDS = 2_000
"""Maximum number of words and separators on both sides together for a word diff; longer texts are compared by line."""
_PAIRS = 1_000_000
"""Maximum number of equal pairs that the full diff considers; above it, only the common start and end are matched."""

_PIECE = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Change:
    """One row of a diff: a message with its token count before and after. `before` or `after` is None if absent."""

    kind: _ChangeKind
    before: Message | None
    after: Message | None
    tokens_before: int
    tokens_after: int
    fate: Fate | None = None
    """Fate of the message according to the newest plan that changed it; None if no plan did."""

    @property
    def message(self) -> Message:
        message = self.after or self.before
        assert message is not None, "a change needs at least one side"
        return message


def outside_messages(before: Window, after: Window) -> SizeChange:
    """Return the tokens of two windows outside their messages: prompt, tool definitions and unrecorded parts."""
    rest = [TokenCount(max(0, window.total - sum(window.tokens)), window.sizes.certainty) for window in (before, after)]
    return SizeChange(*rest)


def diff_windows(before: Window, after: Window, plans: Sequence[Plan] = ()) -> list[Change]:
    """Return one row for each message of both windows, in window order.

    Removed messages appear at their old position, before the next message that was kept. A message that was recorded
    again with the same content, such as the prompt after a compaction, is the same one.

    Args:
        before: Window before the plans.
        after: Window after the plans.
        plans: Plans that explain the difference, oldest first. They only supply the fates of the rows.

    Raises:
        OSError: If the recording can no longer be read.
    """
    fates = _reasons(plans)
    old = {message.id: index for index, message in enumerate(before.messages)}
    new = {message.id for message in after.messages}
    repeated = _recorded_again(before, after)
    old |= repeated
    new |= {before.ids[index] for index in repeated.values()}
    if prompt := _changed_prompt(before, after, old, new):
        old[prompt[1]] = before.ids.index(prompt[0])
        new.add(prompt[0])
    changes: list[Change] = []
    place = 0
    for message, tokens in zip(after.messages, after.tokens, strict=True):
        index = old.get(message.id)
        if index is None:
            changes.append(Change("added", None, message, 0, tokens, fates.get(message.id)))
            continue
        changes += [_removal(before, at, fates) for at in range(place, index) if before.ids[at] not in new]
        place = max(place, index + 1)
        mine = before.messages[index]
        kind: _ChangeKind = "same" if mine is message or message.id in repeated else "changed"
        changes.append(Change(kind, mine, message, before.tokens[index], tokens, fates.get(message.id)))
    changes += [_removal(before, at, fates) for at in range(place, len(before.ids)) if before.ids[at] not in new]
    return changes


def _recorded_again(before: Window, after: Window) -> dict[str, int]:
    """Return the messages of the second window that repeat one of the first under another id.

    Returns:
        Index of the repeated message in the first window, by id. None is repeated twice.
    """
    known = set(before.ids) & set(after.ids)
    unmatched: dict[tuple[str, int, str], list[int]] = {}
    for index, message in enumerate(before.messages):
        if message.id not in known:
            unmatched.setdefault(_outline(message), []).append(index)
    repeated: dict[str, int] = {}
    for message in after.messages if unmatched else ():
        places = [] if message.id in known else unmatched.get(_outline(message), [])
        place = next((at for at in places if before.messages[at].parts == message.parts), None)
        if place is not None:
            places.remove(place)
            repeated[message.id] = place
    return repeated


def _changed_prompt(before: Window, after: Window, old: Container[str], new: Container[str]) -> tuple[str, str] | None:
    """Return the ids of the system prompts of both windows if the second replaces the first; None otherwise."""
    gone = [message.id for message in before.messages if message.role == "system" and message.id not in new]
    come = [message.id for message in after.messages if message.role == "system" and message.id not in old]
    return (gone[0], come[0]) if len(gone) == len(come) == 1 else None


def _outline(message: Message) -> tuple[str, int, str]:
    """Return the data of a message that is in memory, to find candidates for equality."""
    return message.role, message.chars, message.preview


def _reasons(plans: Sequence[Plan]) -> dict[str, Fate]:
    """Return the newest fate of each message that a plan removes, rewrites or injects."""
    fates: dict[str, Fate] = {}
    for plan in plans:
        additions = {injection.message.id for injection in plan.injections}
        fates |= {
            name: fate for name, fate in plan.by_id.items() if fate.leaves or name in plan.rewrites or name in additions
        }
    return fates


def _removal(window: Window, index: int, fates: dict[str, Fate]) -> Change:
    message = window.messages[index]
    return Change("removed", message, None, window.tokens[index], 0, fates.get(message.id))


@json_object()
@dataclass(frozen=True, slots=True)
class Span:
    """A run of text inside a changed message: the same on both sides, removed or added."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_diff(before: str, after: str) -> list[Span]:
    """Return the unchanged, removed and added runs between two texts, by word, or by line for long texts."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if len(old) + len(new) > WORDS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    spans: list[Span] = []
    for same, i1, i2, j1, j2 in _edit_runs(old, new):
        if same:
            spans.append(Span("same", "".join(old[i1:i2])))
        else:
            spans.append(Span("removed", "".join(old[i1:i2])))
            spans.append(Span("added", "".join(new[j1:j2])))
    return [span for span in spans if span.text]


_Run = tuple[bool, int, int, int, int]
"""True if the stretch is the same on both sides; then its start and end in the old and in the new sequence."""


def _edit_runs(old: Sequence[str], new: Sequence[str]) -> list[_Run]:
    """Return the stretches that align two sequences, in order and without gaps."""
    counts = Counter(new)
    if sum(counts[piece] for piece in old) > _PAIRS:
        return _common_ends(old, new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(op == "equal", i1, i2, j1, j2) for op, i1, i2, j1, j2 in matcher.get_opcodes()]


def _common_ends(old: Sequence[str], new: Sequence[str]) -> list[_Run]:
    """Return the common start and end as unchanged stretches, and everything between as one changed stretch."""
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    mine, theirs = len(old) - tail, len(new) - tail
    return [(True, 0, head, 0, head), (False, head, mine, head, theirs), (True, mine, len(old), theirs, len(new))]
