"""Would the provider take this window? Its rules, and its own words where it would not.

A window is judged as it stands: each message in its own form where that is the provider's, and in the order that it
has. What the form itself settles is no problem (results of one batch become one message, neighbours of one side too,
system messages lead); what an export would have to invent, leave out or move about is. So whatever is told here is
what `export` puts right, and where nothing is told, nothing has to be.

The metadata of messages tells nearly all; a body is read only where that is suspicious, or where all of them are to be
looked at `closely`. The rules and the words are the provider's: see `inspector.providers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from inspector.conversation import Problem, ProviderName
from inspector.providers import PROVIDERS, Fault, Lengths, faults_at
from inspector.window.window import Window


def problems(window: Window, provider: ProviderName | None = None, *, closely: bool = False) -> tuple[Problem, ...]:
    """What the provider would refuse this window for, from the top; empty when it is valid.

    By default, the session's own provider. Calls of the live turn that still wait for a result are no problem. A window
    before which nothing was recorded has nothing to refuse. `closely` reads every message, not only what is known of
    it, and so finds what stands inside: empty blocks, roles that there are not, reasoning torn from its item.
    """
    provider = provider or window.context.dialect
    length = len(window.messages)
    refusals = faults_at(faults(window, provider, [length], closely=closely), length)
    return tuple(
        dict.fromkeys(problem_at(window, place, text) for place, text in refusals if place >= 0 or _was_sent(window))
    )


def problem_at(window: Window, place: int, text: str) -> Problem:
    """What is refused of the message at a place; of the whole window where that is -1."""
    return Problem(text, message=window.messages[place].id if place >= 0 else None)


def faults(window: Window, provider: ProviderName, lengths: Lengths, *, closely: bool = False) -> list[Fault]:
    """All that is refused of any of the window's beginnings that are asked for, from the top. Linear in all of them."""
    rules = PROVIDERS[provider]
    refusals = list(rules.sequence_faults(window, lengths))
    refusals += rules.message_faults(window.messages, lengths, closely)
    return sorted(refusals, key=attrgetter("place"))


def sequence_refusals(window: Window, provider: ProviderName) -> Iterator[tuple[int, str]]:
    """What is refused of how messages stand to each other: place and words. No strategy leaves any of it behind."""
    length = len(window.messages)
    refusals = faults_at(PROVIDERS[provider].sequence_faults(window, [length]), length)
    return ((place, words) for place, words in refusals if place >= 0 or _was_sent(window))


def _was_sent(window: Window) -> bool:
    """Whether anything was recorded for the turn of a window, whatever plans have left of it."""
    return window.had_messages or bool(window.messages)
