"""Find the messages that a reply depends on by asking a model with parts of the context (delta debugging).

The smallest sufficient set is enough for the reply, and without the smallest necessary set the reply is another one.
If the reply stays the same without the sufficient set, others are searched among the remaining messages.
Both are searched by QuickXplain (https://cdn.aaai.org/AAAI/2004/AAAI04-027.pdf): a reply with a single cause among n
messages takes about 2 log2(n) calls. A call and its results are first removed together; then parts of those that matter
are left out by a short text, so that each context is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from types import MappingProxyType

from inspector.analysis.asking.asked_contexts import with_edits
from inspector.engine.window import Window, with_messages

_LEFT_OUT = "[left out]"
"""Text of a message that is left out, and whose call or results are not."""

Test = Callable[[frozenset[int]], bool]
"""Returns True if the reply is the same with only these messages, given by their positions."""


MAX_SETS = 4
"""Maximum number of sufficient sets that are searched."""


@dataclass(frozen=True, slots=True)
class Culprits:
    """Positions of the messages of a window that a reply depends on."""

    sufficient: tuple[int, ...]
    necessary: tuple[int, ...] | None
    """None if the search ended before it was culprits."""
    alternatives: tuple[tuple[int, ...], ...] = ()
    """Other sufficient sets. No two sufficient sets have a message in common."""

    @property
    def is_free(self) -> bool:
        """True if the reply is the same without any of the messages."""
        return not self.sufficient

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """All sufficient sets."""
        return (self.sufficient, *self.alternatives)


def search_depth(count: int) -> int:
    """Return the number of tests that the search for one among `count` causes takes at most."""
    return 2 * ceil(log2(max(2, count)))


def most_tests(count: int) -> int:
    """Return the number of tests that a reply with a single cause among `count` messages takes at most."""
    return 2 * search_depth(count) + 10


def fixed_positions(window: Window) -> frozenset[int]:
    """Return the positions of the current request, or of the last group without one: they are in each context."""
    place = window.request if window.request is not None else len(window.messages) - 1
    return frozenset(window.groups.members[window.groups.of[place]]) if window.messages else frozenset()


def suspects(window: Window, weights: Mapping[str, float]) -> list[tuple[int, ...]]:
    """Return the groups of messages that can be removed, the most suspicious first, the newest first among equals.

    Args:
        window: The window.
        weights: How much of the reply each message states, by id.
    """
    fixed = fixed_positions(window)
    groups = [tuple(members) for members in window.groups.members if fixed.isdisjoint(members)]

    def suspicion(members: tuple[int, ...]) -> tuple[float, int]:
        return max(weights.get(window.ids[place], 0.0) for place in members), members[-1]

    return sorted(groups, key=suspicion, reverse=True)


def _window_of(window: Window, kept: frozenset[int], texts: Mapping[int, str]) -> Window:
    """Return a window with some of its messages.

    Args:
        window: The window.
        kept: Positions of the messages. The others are removed, or left out where a message of their group is kept.
        texts: Other texts of messages by position; an empty one leaves the text out.
    """
    places, edits = list[int](), {window.ids[place]: text or _LEFT_OUT for place, text in texts.items()}
    for members in window.groups.members:
        if kept.isdisjoint(members):
            continue
        places += members
        edits |= {window.ids[place]: _LEFT_OUT for place in members if place not in kept}
    places.sort()
    part = with_messages(
        window, [window.messages[place] for place in places], [window.tokens[place] for place in places]
    )
    return with_edits(part, edits) if edits else part


def asked_part(window: Window, kept: frozenset[int], texts: Mapping[int, str] = MappingProxyType({})) -> Window:
    """Return a window with some of its messages and those that are in each context.

    Args:
        window: The window.
        kept: Positions of the messages.
        texts: Other texts of kept messages, by position.
    """
    return _window_of(window, kept | fixed_positions(window), texts)


def find_culprits(
    groups: Sequence[tuple[int, ...]], weights: Mapping[int, float], test: Test, has_room: Callable[[int], bool]
) -> Iterator[Culprits]:
    """Yield the smallest sufficient and necessary sets of messages, of which no part would do: each time more of them.

    Args:
        groups: Groups of positions that can be removed, the most suspicious first.
        weights: Suspicion of positions.
        test: Returns True if the reply is the same with only these messages and those that are always kept.
        has_room: Returns False if a number of further tests is too much. The search for more sufficient sets ends then.
    """
    everything = frozenset(place for members in groups for place in members)
    if test(frozenset()):
        yield Culprits((), ())
        return

    def remains(kept: frozenset[int]) -> bool:
        return test(kept)

    def breaks(removed: frozenset[int]) -> bool:
        return not test(everything - removed)

    first = minimal_set(groups, weights, remains)
    culprits = Culprits(tuple(sorted(first)), None)
    yield culprits
    union, is_broken, rest = first, breaks(first), list(groups)
    while not is_broken:
        rest = [few for members in groups if (few := tuple(place for place in members if place not in union))]
        if len(culprits.sets) == MAX_SETS or not has_room(search_depth(len(rest)) + len(culprits.sets) + 2):
            break
        other = minimal_set(rest, weights, remains)
        culprits = replace(culprits, alternatives=(*culprits.alternatives, tuple(sorted(other))))
        yield culprits
        union |= other
        is_broken = breaks(union)
    if not is_broken:
        necessary = union | minimal_set(rest, weights, breaks, union)
    else:
        necessary = union if len(union) == len(culprits.sets) else _parts(union, weights, breaks)
    yield replace(culprits, necessary=tuple(sorted(necessary)))


def minimal_set(
    groups: Sequence[tuple[int, ...]],
    weights: Mapping[int, float],
    holds: Test,
    base: frozenset[int] = frozenset(),
) -> frozenset[int]:
    """Return a minimal set of positions that, with `base`, makes a predicate hold. It holds for all of them."""
    first = frozenset(groups[0]) if groups else frozenset[int]()
    if first and any(weights.get(place) for place in first) and holds(base | first):
        chosen = [groups[0]]
    else:
        chosen = _explain(base, False, list(groups), holds)
    places = frozenset(place for members in chosen for place in members)
    return _parts(places, weights, holds, base) if any(len(members) > 1 for members in chosen) else places


def _parts(
    places: frozenset[int], weights: Mapping[int, float], holds: Test, base: frozenset[int] = frozenset()
) -> frozenset[int]:
    """Return a minimal part of some positions for which a predicate holds."""
    order = sorted(places, key=lambda place: (weights.get(place, 0.0), place), reverse=True)
    chosen = _explain(base, False, [(place,) for place in order], holds)
    return frozenset(place for members in chosen for place in members)


def _explain(base: frozenset[int], is_new: bool, groups: list[tuple[int, ...]], holds: Test) -> list[tuple[int, ...]]:
    """Return a minimal part of groups for which a predicate holds together with `base`.

    Args:
        base: Positions that are included.
        is_new: True if `base` may be enough, because it has grown.
        groups: Groups to choose from, those expected in the result first.
        holds: The predicate; it holds for all groups and `base`.
    """
    if is_new and holds(base):
        return []
    if len(groups) <= 1:
        return groups
    half = len(groups) // 2
    head, tail = groups[:half], groups[half:]
    with_head = base.union(*head)
    from_tail = _explain(with_head, True, tail, holds)
    from_head = _explain(base.union(*from_tail), bool(from_tail), head, holds)
    return [*from_head, *from_tail]
