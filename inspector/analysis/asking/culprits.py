"""Find the messages that a reply depends on by asking a model with parts of the context (delta debugging).

The smallest sufficient set is enough for the reply, and without the smallest necessary set the reply is another one.
Both are searched by QuickXplain (https://cdn.aaai.org/AAAI/2004/AAAI04-027.pdf): a reply with a single cause among n
messages takes about 2 log2(n) calls. A call and its results are first removed together; then parts of those that matter
are left out by a short text, so that each context is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

from inspector.analysis.asking.asked_contexts import with_edits
from inspector.engine.window import Window, with_messages

_LEFT_OUT = "[left out]"
"""Text of a message that is left out, and whose call or results are not."""

Test = Callable[[frozenset[int]], bool]
"""Returns True if the reply is the same with only these messages, given by their positions."""


@dataclass(frozen=True, slots=True)
class Culprits:
    """Positions of the messages of a window that a reply depends on."""

    sufficient: tuple[int, ...]
    necessary: tuple[int, ...]
    is_free: bool = False
    """True if the reply is the same without any of the messages."""


def most_tests(count: int) -> int:
    """Return the number of tests that a reply with a single cause among `count` messages takes at most."""
    return 4 * ceil(log2(max(2, count))) + 10


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


def _window_of(window: Window, kept: frozenset[int]) -> Window:
    """Return a window with some of its messages.

    Args:
        window: The window.
        kept: Positions of the messages. The others are removed, or left out where a message of their group is kept.
    """
    places, edits = list[int](), dict[str, str]()
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


def asked_part(window: Window, kept: frozenset[int]) -> Window:
    """Return a window with some of its messages and those that are in each context.

    Args:
        window: The window.
        kept: Positions of the messages.
    """
    return _window_of(window, kept | fixed_positions(window))


def find_culprits(groups: Sequence[tuple[int, ...]], weights: Mapping[int, float], test: Test) -> Culprits:
    """Return the smallest sufficient and necessary sets of messages, of which no part would do.

    Args:
        groups: Groups of positions that can be removed, the most suspicious first.
        weights: Suspicion of positions.
        test: Returns True if the reply is the same with only these messages and those that are always kept.
    """
    everything = frozenset(place for members in groups for place in members)
    if test(frozenset()):
        return Culprits((), (), is_free=True)

    def remains(kept: frozenset[int]) -> bool:
        return test(kept)

    def breaks(removed: frozenset[int]) -> bool:
        return not test(everything - removed)

    sufficient = _minimal(groups, weights, remains)
    if breaks(sufficient):
        necessary = sufficient if len(sufficient) == 1 else _parts(sufficient, weights, breaks)
    else:
        rest = [tuple(place for place in members if place not in sufficient) for members in groups]
        necessary = sufficient | _minimal([members for members in rest if members], weights, breaks, sufficient)
    return Culprits(tuple(sorted(sufficient)), tuple(sorted(necessary)))


def _minimal(
    groups: Sequence[tuple[int, ...]],
    weights: Mapping[int, float],
    holds: Test,
    base: frozenset[int] = frozenset(),
) -> frozenset[int]:
    """Return a minimal set of positions that, with `base`, makes a predicate hold. It holds for all of them."""
    first = frozenset(groups[0]) if groups else frozenset()
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
