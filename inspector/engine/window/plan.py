"""A plan: one fate, with a reason, for every message of a window; and what the window is when the plan is applied.

Strategies draft plans and never touch anything. Previewing, applying, undoing, comparing and storing are all the same
idea: a window, and a list of plans to look at it through. Several plans, one made on top of
the other, are merged into one for the window that the first was made for.
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
"""Fates after which a message is no longer in the window."""
REWRITE_KINDS: frozenset[FateKind] = frozenset({"trimmed", "masked", "retrieved"})
"""Fates after which a message may say something else."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What a plan does with one message, and the reason."""

    kind: FateKind
    reason: str
    into: str = ""
    """The id of the summary that took it, or of the archive that holds it."""

    @property
    def leaves(self) -> bool:
        return self.kind in LEAVE_KINDS


KEPT = Fate("kept", "nothing to do")
_kind = attrgetter("kind")


@dataclass(frozen=True, slots=True)
class Score:
    """The score that a strategy gives a message."""

    parts: Mapping[str, float]
    """What each reason adds, by its name."""

    @property
    def total(self) -> float:
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class Injection:
    """A message that a plan puts into a window; it is in no log."""

    message: Message
    before: str
    """The id of the message that it stands right before; where that is not in a window, neither is this one."""
    reason: str

    @property
    def fate(self) -> Fate:
        return Fate("retrieved", self.reason, self.before)


@json_object(keys="strategy settings turn", about="A plan on the session's stack.")
@dataclass(frozen=True)
class Plan:
    """Fates for the messages of one window. Where it stands in a stack, it speaks only of the messages it names."""

    strategy: str
    settings: Settings
    ids: tuple[str, ...]
    """The messages of the window that the plan was made for."""
    fates: tuple[Fate, ...]
    """The fate of each, in the same order."""
    rewrites: Mapping[str, Message] = field(default_factory=dict)
    """New versions of trimmed and masked messages, by id."""
    summaries: tuple[Message, ...] = ()
    """Messages of kind "summary" that take the place of those summarised into them."""
    turn: Annotated[Turn, "at which it was made"] = 0
    """It holds from there on."""
    note: str = ""
    """Why a target could not be reached, in one sentence; empty when all is well."""
    has_failed: bool = False
    """Whether no summary came about, so that nothing is changed; `note` says why."""
    scores: Mapping[str, Score] = field(default_factory=dict, repr=False, compare=False)
    """What each message was found to be worth, by id; empty for strategies that do not score."""
    injections: tuple[Injection, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Fate]:
        """The fate of each message that the plan speaks of, those that it injects among them."""
        fates = dict(zip(self.ids, self.fates, strict=True))
        return fates | {injection.message.id: injection.fate for injection in self.injections}

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many messages have each kind of fate."""
        return dict(Counter(fate.kind for fate in chain(self.fates, (injection.fate for injection in self.injections))))

    @cached_property
    def alters(self) -> bool:
        """Whether any message leaves or changes."""
        return bool(self.rewrites) or not LEAVE_KINDS.isdisjoint(map(_kind, self.fates))

    @property
    def is_idle(self) -> bool:
        """Whether a window stays as it is: no message leaves, changes or comes in."""
        return not self.alters and not self.injections

    def sources(self, summary: str) -> tuple[str, ...]:
        """Ids of the messages that a summary stands for."""
        return tuple([name for name, fate in zip(self.ids, self.fates, strict=True) if fate.into == summary])


def renumber_summaries(plan: Plan, names_in_use: Collection[str]) -> Plan:
    """The same plan with other names for its summaries where another plan of the stack has them already."""
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
    """The window as the plan leaves it.

    Messages that the plan does not name stay, and so do those of a summary that covers more than is there. A summary
    stands where the first message that it covers stood, but never before the first task; what is injected stands right
    before its message. Where anything leaves, system messages lead; results stand right behind the call that they
    answer. A plan that failed leaves everything as it is.
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
    """A window without what leaves it, for a plan that was made for that very window and makes no summary.

    With it, whether every message is known to stand where it belongs: it did before, and only whole groups left.
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
    """Whether these are the first places of a window."""
    return places == tuple(range(len(places)))


def _reword(window: Window, plan: Plan, fates: Sequence[Fate]) -> tuple[Sequence[Message], Sequence[int]]:
    """The messages of a window as a plan words them, and their tokens; those that leave are still there."""
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
    """What was only cut takes no more than the whole did, even where that is an estimate."""
    return min(size, new_size) if fate.kind == "trimmed" else new_size


def _same_calls(window: Window, messages: Sequence[Message]) -> bool:
    """Whether every message still makes the calls that it made."""
    return all(old is new or old.calls == new.calls for old, new in zip(window.messages, messages, strict=True))


def with_messages(window: Window, messages: Sequence[Message], tokens: Sequence[int]) -> Window:
    return replace(window, messages=tuple(messages), tokens=tuple(tokens))


BY_HAND = "by hand"
UNPINNED = Fate("kept", "unpinned by hand")


def _with_additions(window: Window, plan: Plan) -> Window:
    """The window that a plan leaves, with the summaries that it makes and the messages that it injects."""
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
    """The fate of each message of a window, also of one that the plan was not made for."""
    if plan.ids == window.ids:
        return plan.fates
    fates = plan.by_id
    return [fates.get(name, KEPT) for name in window.ids]


def _holds(window: Window, plan: Plan) -> dict[str, Message]:
    """The summaries of a plan that hold in a window: those that have all before them that they cover.

    Where the conversation took another way, a summary would tell of what never happened there.
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
    """Summaries by the place that they stand before: their first message's, but behind a task that the plan knew.

    A system message that goes into a summary counts as standing in front of all others, where it is about to be.
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
    """The messages that a plan injects into a window, with the places that they stand before."""
    if plan.injections:
        places = {name: place for place, name in enumerate(window.ids)}
        for injection in plan.injections:
            if injection.before in places and injection.message.id not in places:
                yield places[injection.before], injection.message


def _pins(window: Window, plan: Plan) -> frozenset[str]:
    """What is pinned once the plan is applied; only a person pins and unpins."""
    if plan.strategy != BY_HAND:
        return window.pins
    pins = {name for name, fate in plan.by_id.items() if fate.kind == "pinned"}
    unpins = {name for name, fate in plan.by_id.items() if fate == UNPINNED}
    return window.pins - unpins | pins.intersection(window.ids)


def _without_new_orphans(window: Window, after: Window) -> Window:
    """A result that came after the plan was made leaves with its call, if the plan took that out."""
    before = {window.ids[index] for index in window.groups.orphans}
    orphans = {index for index in after.groups.orphans if after.ids[index] not in before}
    return (
        _rearrange(after, [index for index in range(len(after.messages)) if index not in orphans]) if orphans else after
    )


def view(window: Window, plans: Iterable[Plan]) -> Window:
    """A recorded window seen through a stack of plans. A plan made at a later turn says nothing about this one."""
    for plan in plans:
        if plan.turn <= window.turn:
            window = apply(window, plan)
    return window


def archived_ids(plan: Plan) -> list[str]:
    """The ids of the messages that a plan archives."""
    if plan.has_failed or "archived" not in plan.counts:
        return []
    return [name for name, fate in zip(plan.ids, plan.fates, strict=True) if fate.kind == "archived"]


def _order_messages(window: Window, lead: bool = True) -> Window:
    """The same messages, each result behind its call and, where they are to `lead`, system messages first."""
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
    """A plan made by a person: these messages, with what belongs to them, are pinned, unpinned ("kept") or dropped."""
    names = set(ids)
    groups = {window.groups.of[index] for index, name in enumerate(window.ids) if name in names}
    members = {window.ids[index] for number in groups for index in window.groups.members[number]}
    fate = {"pinned": Fate("pinned", "pinned by hand"), "kept": UNPINNED, "dropped": Fate("dropped", "dropped by hand")}
    fates = tuple([fate[kind] if name in members else KEPT for name in window.ids])
    return Plan(BY_HAND, {}, window.ids, fates, turn=window.turn)


INJECTION = "memory by hand"


def inject(window: Window, message: Message, reason: str, settings: Mapping[str, Any]) -> Plan:
    """A plan that puts a message right before the current request.

    `settings` says what was asked for. Raises ValueError for a window without a request, or with a message of that id.
    """
    if (request := window.request) is None:
        raise ValueError("there is no request that it could stand before")
    if message.id in window.ids:
        raise ValueError(f"there is a message {message.id} already")
    injections = (Injection(message, window.ids[request], reason),)
    fates = (KEPT,) * len(window.ids)
    return Plan(INJECTION, settings, window.ids, fates, turn=window.turn, injections=injections)
