"""Plans: one fate with a reason for every message of a window, and the function that applies them.

Strategies draft plans and never modify anything. Previewing, applying, undoing, comparing and storing all use the same
model: a window, and a list of plans through which it is viewed. See `merging` for how successive plans are combined
into one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress, count
from operator import attrgetter, not_
from typing import Annotated, Any, Literal

from inspector.core.conversation import Message
from inspector.core.json_objects import Settings, Turn, json_object
from inspector.engine.window.window import Window

FateKind = Literal["kept", "pinned", "trimmed", "masked", "summarised", "archived", "dropped", "retrieved"]
LEAVE_KINDS: frozenset[FateKind] = frozenset({"summarised", "archived", "dropped"})
"""Fates that remove a message from the window."""
REWRITE_KINDS: frozenset[FateKind] = frozenset({"trimmed", "masked", "retrieved"})
"""Fates that can change the text of a message."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The action of a plan on one message, and its reason."""

    kind: FateKind
    reason: str
    into: str = ""
    """Id of the summary or archive that the message was moved into; for a retrieved message, of the one it precedes."""

    @property
    def leaves(self) -> bool:
        return self.kind in LEAVE_KINDS


KEPT = Fate("kept", "nothing to do")
_kind = attrgetter("kind")


@dataclass(frozen=True, slots=True)
class Score:
    """The score that a strategy gave a message."""

    parts: Mapping[str, float]
    """Contribution of each criterion, by name."""

    @property
    def total(self) -> float:
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class Injection:
    """A message that a plan adds to a window. It is not in the log."""

    message: Message
    before: str
    """Id of the message it is placed before. If that message is not in a window, the injection is skipped."""
    reason: str

    @property
    def fate(self) -> Fate:
        return Fate("retrieved", self.reason, self.before)


@json_object(keys="strategy settings turn", about="A plan on the session's stack.")
@dataclass(frozen=True)
class Plan:
    """Fates for the messages of one window. In other windows of a stack, only the messages it names are affected."""

    strategy: str
    settings: Settings
    ids: tuple[str, ...]
    """Ids of the messages of the window that the plan was made for."""
    fates: tuple[Fate, ...]
    """Fate of each message, parallel to `ids`."""
    rewrites: Mapping[str, Message] = field(default_factory=dict)
    """New versions of trimmed, masked and retrieved messages, by id."""
    summaries: tuple[Message, ...] = ()
    """Messages of kind "summary" that replace the messages summarised into them."""
    turn: Annotated[Turn, "at which it was created"] = 0
    """Turn at which the plan was made. It applies from this turn on."""
    note: str = ""
    """Why a target was not reached, as one sentence; empty if it was."""
    has_failed: bool = False
    """True if no summary could be made. The plan then changes nothing, and `note` gives the reason."""
    scores: Mapping[str, Score] = field(default_factory=dict, repr=False, compare=False)
    """Score of each message, by id; empty for strategies that do not score."""
    injections: tuple[Injection, ...] = ()
    preset: str = ""
    """Name of the preset that the plan was made with; empty for a bare strategy."""

    @cached_property
    def by_id(self) -> dict[str, Fate]:
        """Fate of each message that the plan names, including injected ones."""
        fates = dict(zip(self.ids, self.fates, strict=True))
        return fates | {injection.message.id: injection.fate for injection in self.injections}

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of messages with each kind of fate, including injected ones."""
        return dict(Counter(fate.kind for fate in chain(self.fates, (injection.fate for injection in self.injections))))

    @cached_property
    def alters(self) -> bool:
        """True if any message is removed or rewritten."""
        return bool(self.rewrites) or not LEAVE_KINDS.isdisjoint(map(_kind, self.fates))

    @property
    def is_idle(self) -> bool:
        """True if the plan changes nothing: no message is removed, rewritten or injected."""
        return not self.alters and not self.injections

    def sources(self, summary: str) -> tuple[str, ...]:
        """Return the ids of the messages that a summary replaces."""
        return tuple([name for name, fate in zip(self.ids, self.fates, strict=True) if fate.into == summary])


def renumber_summaries(plan: Plan, names_in_use: Collection[str]) -> Plan:
    """Return the plan with new ids for summaries whose id is already used by another plan of the stack."""
    clashes = [summary.id for summary in plan.summaries if summary.id in names_in_use]
    if not clashes:
        return plan
    free = (name for name in (f"summary {number}" for number in count(1)) if name not in names_in_use)
    names = dict(zip(clashes, free, strict=False))
    fates = tuple(
        Fate(fate.kind, fate.reason.replace(fate.into, names[fate.into], 1), names[fate.into])
        if fate.into in names
        else fate
        for fate in plan.fates
    )
    summaries = tuple(replace(summary, id=names.get(summary.id, summary.id)) for summary in plan.summaries)
    return replace(plan, fates=fates, summaries=summaries)


def apply(window: Window, plan: Plan) -> Window:
    """Return the window after the plan.

    Messages that the plan does not name are kept, and so are the messages of a summary if some of its sources are
    missing from the window. A summary takes the position of the first message it replaces, but never one before the
    first task. Injected messages are placed directly before the message they refer to. If anything is removed or
    rewritten, system messages are moved to the start and results directly after their call. A failed plan changes
    nothing.
    """
    if plan.has_failed:
        return window
    if plan.ids == window.ids and not plan.summaries and not plan.injections:
        after, is_ordered = _by_place(window, plan)
    else:
        after, is_ordered = _with_additions(window, plan), False
    if window.pins or plan.strategy == BY_HAND:
        after = replace(after, pins=_pins(window, plan))
    if is_ordered:
        return after
    if plan.alters:
        return _order_messages(_without_new_orphans(window, after))
    return after if plan.strategy == BY_HAND else _order_messages(after, lead=False)


def _by_place(window: Window, plan: Plan) -> tuple[Window, bool]:
    """Apply a plan without summaries or injections to the window it was made for.

    Also returns True if the result is known to be in order: the window was, and only whole groups were removed.
    """
    if not plan.alters:
        return window, False
    messages, tokens = _reword(window, plan, plan.fates)
    kinds = list(map(_kind, plan.fates))
    same_form = "retrieved" not in kinds and ("trimmed" not in kinds or _same_calls(window, messages))
    is_ordered = same_form and window.groups.in_order and _leads(window.system)
    if LEAVE_KINDS.isdisjoint(kinds):
        after = window.reworded(messages, tokens) if same_form else with_messages(window, messages, tokens)
        return after, is_ordered
    leaves = list(map(LEAVE_KINDS.__contains__, kinds))
    stays = list(map(not_, leaves))
    after = with_messages(window, tuple(compress(messages, stays)), tuple(compress(tokens, stays)))
    return after, is_ordered and set(compress(window.groups.of, stays)).isdisjoint(compress(window.groups.of, leaves))


def _leads(places: Sequence[int]) -> bool:
    """Return True if these are the first positions of a window."""
    return places == tuple(range(len(places)))


def _reword(window: Window, plan: Plan, fates: Sequence[Fate]) -> tuple[Sequence[Message], Sequence[int]]:
    """Return the messages as the plan rewrites them, with their tokens. Messages to be removed are still included."""
    if not plan.rewrites:
        return window.messages, window.tokens
    rewritten = map(REWRITE_KINDS.__contains__, map(_kind, fates))
    names = zip(count(), window.ids)
    places = [place for place, name in compress(names, rewritten) if name in plan.rewrites]
    news = [plan.rewrites[window.ids[place]] for place in places]
    messages, tokens = list(window.messages), list(window.tokens)
    for place, new, size in zip(places, news, window.sizes.measure_all(news), strict=True):
        messages[place] = new
        tokens[place] = _size_of_change(tokens[place], size, fates[place])
    return messages, tokens


def _size_of_change(size: int, new_size: int, fate: Fate) -> int:
    """Return the size of a rewritten message. A trimmed one never counts more than the original, even if estimated."""
    return min(size, new_size) if fate.kind == "trimmed" else new_size


def _same_calls(window: Window, messages: Sequence[Message]) -> bool:
    """Return True if every message still makes the same calls."""
    return all(old is new or old.calls == new.calls for old, new in zip(window.messages, messages, strict=True))


def with_messages(window: Window, messages: Sequence[Message], tokens: Sequence[int]) -> Window:
    """Return a window with other messages and their token counts."""
    return replace(window, messages=tuple(messages), tokens=tuple(tokens))


BY_HAND = "by hand"
UNPINNED = Fate("kept", "unpinned by the user")


def _with_additions(window: Window, plan: Plan) -> Window:
    """Return the window after a plan, with its summaries and injected messages."""
    measure = window.sizes.measure
    valid = _holds(window, plan) if plan.summaries else {}
    idle = {summary.id for summary in plan.summaries} - valid.keys()
    fates = _fates_in(window, plan)
    messages, tokens = _reword(window, plan, fates)
    stays = list(map(not_, map(LEAVE_KINDS.__contains__, map(_kind, fates))))
    if idle:
        stays = [stay or fate.into in idle for stay, fate in zip(stays, fates, strict=True)]
    additions = _summary_places(window, plan, fates, valid) if valid else {}
    for place, message in _injection_places(window, plan):
        additions.setdefault(place, []).append(message)
    rows: list[Message] = []
    sizes: list[int] = []
    places = sorted({0, *additions})
    for start, end in zip(places, [*places[1:], len(messages)], strict=True):
        rows += additions.get(start, ())
        sizes += map(measure, additions.get(start, ()))
        rows += compress(messages[start:end], stays[start:end])
        sizes += compress(tokens[start:end], stays[start:end])
    return with_messages(window, rows, sizes)


def _fates_in(window: Window, plan: Plan) -> Sequence[Fate]:
    """Return the fate of each message of a window, which can differ from the window the plan was made for."""
    if plan.ids == window.ids:
        return plan.fates
    fates = plan.by_id
    return [fates.get(name, KEPT) for name in window.ids]


def _holds(window: Window, plan: Plan) -> dict[str, Message]:
    """Return the plan's summaries that are valid in a window: those whose source messages are all present.

    If the conversation branched before one of them, the summary would describe messages that this branch does not have.
    """
    if plan.ids == window.ids:
        return {summary.id: summary for summary in plan.summaries if summary.id not in window.ids}
    present = set(window.ids)
    return {
        summary.id: summary
        for summary in plan.summaries
        if summary.id not in present and present.issuperset(plan.sources(summary.id))
    }


def _summary_places(
    window: Window, plan: Plan, fates: Sequence[Fate], valid: Mapping[str, Message]
) -> dict[int, list[Message]]:
    """Return the summaries by the position they are inserted before.

    This is the position of the first source message, but after the first task if the plan was made with that task. A
    summarised system message counts as being at the start, where it is about to be moved.
    """
    summaries = dict(valid)
    task = window.task
    lowest = 0 if task is None or window.ids[task] not in plan.ids else task + 1
    places: dict[int, list[Message]] = {}
    for index in () if window.preserve_system else window.system:
        if summary := summaries.pop(fates[index].into, None):
            places.setdefault(lowest, []).append(summary)
    for index, fate in enumerate(fates):
        if not summaries:
            break
        if fate.into and (summary := summaries.pop(fate.into, None)):
            places.setdefault(max(index, lowest), []).append(summary)
    return places


def _injection_places(window: Window, plan: Plan) -> Iterator[tuple[int, Message]]:
    """Yield the messages that a plan injects, each with the position it is inserted before."""
    if plan.injections:
        places = {name: place for place, name in enumerate(window.ids)}
        for injection in plan.injections:
            if injection.before in places and injection.message.id not in places:
                yield places[injection.before], injection.message


def _pins(window: Window, plan: Plan) -> frozenset[str]:
    """Return the pinned ids after the plan. Only manual plans change pins."""
    if plan.strategy != BY_HAND:
        return window.pins
    pins = {name for name, fate in plan.by_id.items() if fate.kind == "pinned"}
    unpins = {name for name, fate in plan.by_id.items() if fate == UNPINNED}
    return window.pins - unpins | pins.intersection(window.ids)


def _without_new_orphans(window: Window, after: Window) -> Window:
    """Remove results that arrived after the plan was made and whose call the plan removed."""
    before = {window.ids[index] for index in window.groups.orphans}
    orphans = {index for index in after.groups.orphans if after.ids[index] not in before}
    return (
        _rearrange(after, [index for index in range(len(after.messages)) if index not in orphans]) if orphans else after
    )


def view(window: Window, plans: Iterable[Plan]) -> Window:
    """Return a recorded window seen through a stack of plans. Plans made at a later turn are skipped."""
    for plan in plans:
        if plan.turn <= window.turn:
            window = apply(window, plan)
    return window


def archived_ids(plan: Plan) -> list[str]:
    """Return the ids of the messages that a plan archives."""
    if plan.has_failed or "archived" not in plan.counts:
        return []
    return [name for name, fate in zip(plan.ids, plan.fates, strict=True) if fate.kind == "archived"]


def _order_messages(window: Window, lead: bool = True) -> Window:
    """Return the window with each result after its call and, if `lead` is set, system messages first."""
    lead_count = len(window.system) if lead else 0
    if window.groups.in_order and window.system[:lead_count] == tuple(range(lead_count)):
        return window
    order = list(chain.from_iterable(window.groups.members))
    if lead:
        messages = window.messages
        system = [index for index in order if messages[index].role == "system"]
        order = system + [index for index in order if messages[index].role != "system"]
    return window if order == list(range(len(order))) else _rearrange(window, order)


def _rearrange(window: Window, order: Sequence[int]) -> Window:
    return replace(
        window,
        messages=tuple(window.messages[index] for index in order),
        tokens=tuple(window.tokens[index] for index in order),
    )


def manual_plan(window: Window, ids: Sequence[str], kind: Literal["pinned", "dropped", "kept"]) -> Plan:
    """Return a plan for messages that the user pins, unpins or drops, including all messages of their groups.

    Args:
        window: The window to change.
        ids: Ids of the selected messages.
        kind: The action; "kept" unpins.
    """
    names = set(ids)
    groups = {window.groups.of[index] for index, name in enumerate(window.ids) if name in names}
    members = {window.ids[index] for number in groups for index in window.groups.members[number]}
    fate = {
        "pinned": Fate("pinned", "pinned by the user"),
        "kept": UNPINNED,
        "dropped": Fate("dropped", "dropped by the user"),
    }
    fates = tuple([fate[kind] if name in members else KEPT for name in window.ids])
    return Plan(BY_HAND, {}, window.ids, fates, turn=window.turn)


INJECTION = "memory by hand"


def inject(window: Window, message: Message, reason: str, settings: Mapping[str, Any]) -> Plan:
    """Return a plan that inserts a message directly before the current request.

    Args:
        window: The window to change.
        message: The message to insert.
        reason: Reason to record as the message's fate.
        settings: Request that produced the message, recorded as the plan's settings.

    Raises:
        ValueError: The window has no current request, or already contains a message with this id.
    """
    if (request := window.request) is None:
        raise ValueError("there is no request to add it before")
    if message.id in window.ids:
        raise ValueError(f"the message {message.id} already exists")
    injections = (Injection(message, window.ids[request], reason),)
    fates = (KEPT,) * len(window.ids)
    return Plan(INJECTION, settings, window.ids, fates, turn=window.turn, injections=injections)
