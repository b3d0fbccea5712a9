"""Old messages are archived; those that have most to do with the current request come back as memory. Requirement 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from inspector.conversation import Message, Thinking, readable
from inspector.providers import text_message
from inspector.retrieval import passage
from inspector.strategies.knobs import knob, recent_knob
from inspector.strategies.plan_builder import PlanBuilder
from inspector.strategies.recent import recent
from inspector.strategies.services import Services
from inspector.window import Fate, Plan, Window

EXCERPT = "[From earlier in this conversation, "


@dataclass(frozen=True)
class Settings:
    keep_last: int = recent_knob(10, "How many of the newest messages stay in the window.")
    k: int = knob(5, "How many of the archived come back, the most relevant to the request.", low=0, high=1_000, step=1)
    excerpt: int = knob(2_000, "Characters of each that come back, at most.", low=100, high=200_000, step=100)


def vector_swap(window: Window, settings: Settings, services: Services) -> Plan:
    """A group is archived whole, and comes back as one excerpt in the Memory section, where it stood before.

    Where there are no more old groups than may come back, all of them do: a second pass finds nothing to do.
    """
    builder = PlanBuilder(window)
    newest = recent(window, settings.keep_last)
    older = {window.groups.of[members[0]]: members for members in builder.candidates() if members[0] not in newest}
    builder.archive(chain.from_iterable(older.values()), f"older than the newest {settings.keep_last:,} messages")
    back = {number for number, members in older.items() if came_back(window.messages[members[0]])}
    new = [number for number in older if number not in back]
    if len(older) <= settings.k and window.request is not None:
        reasons = dict.fromkeys(new, f"there is room for all {len(older):,} of that age")
    else:
        hits = _relevant(window, [older[number] for number in new], settings.k, services)
        reason = f"among the {settings.k:,} most relevant to the current request"
        reasons = {number: f"{reason}, score {score:.2f}" for number, score in hits}
    for number, reason in reasons.items():
        _bring_back(builder, older[number], Fate("retrieved", reason), settings.excerpt)
    for number in sorted(back, reverse=True)[: settings.k - len(reasons)]:
        builder.give(older[number], Fate("retrieved", "it came back before, and there is room for it"))
    builder.keep_rest(f"among the newest {settings.keep_last:,} messages")
    return builder.finish("vector_swap", settings)


def came_back(message: Message) -> bool:
    """Whether a message is an excerpt made here."""
    return message.kind == "injected" and message.preview.startswith(EXCERPT)


def _relevant(
    window: Window, groups: Sequence[Sequence[int]], most: int, services: Services
) -> list[tuple[int, float]]:
    """The groups that have most to do with the current request, by number, each with its best message's score."""
    if window.request is None or not groups or not most:
        return []
    words = window.messages[window.request].text
    places = list(chain.from_iterable(groups))
    limit = 4 * most
    while True:
        hits = services.search(window, words, places, limit)
        scores: dict[int, float] = {}
        for place, score in hits:
            scores.setdefault(window.groups.of[place], score)
        if len(scores) >= most or len(hits) < limit:
            return list(scores.items())[:most]
        limit *= 4


def _bring_back(builder: PlanBuilder, members: Sequence[int], fate: Fate, longest: int) -> None:
    """A group as an excerpt in place of its first message; whole, where the excerpt would be no smaller."""
    window = builder.window
    assert window.request is not None, "nothing is relevant where nothing is asked"
    new = _excerpt([window.messages[index] for index in members], window.messages[window.request].text, longest)
    if window.sizes.measure(new) >= builder.weight(members):
        builder.give(members, fate)
        return
    builder.give(members[:1], fate)
    builder.give(members[1:], Fate("archived", f"what comes back of it is in message {new.id}"))
    builder.rewrites[new.id] = new


def _excerpt(messages: Sequence[Message], words: str, longest: int) -> Message:
    """What a group said that has to do with some words, as put in by a program. Thinking is left out whole."""
    first = messages[0]
    texts = (readable(part) for message in messages for part in message.parts if not isinstance(part, Thinking))
    text = passage("\n\n".join(filter(None, texts)), words, longest)
    facts = {"agent": first.agent, "parent": first.parent, "time": first.time}
    return text_message(first.id, "user", f"{EXCERPT}{first.role}]\n{text}", first.dialect, kind="injected", **facts)
