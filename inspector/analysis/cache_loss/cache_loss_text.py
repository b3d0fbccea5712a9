"""Describe the cache losses of a session in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.analysis.cache_loss.cache_usage import CacheLoss
from inspector.core.text import dollars, plural


def describe_cache_losses(losses: Sequence[CacheLoss], count: int) -> Iterator[str]:
    """Yield a sentence about all losses, and one about each of the largest, in order.

    Args:
        losses: Losses of one agent's calls.
        count: Maximum number of losses that are described one by one.
    """
    if not losses:
        return
    calls, tokens = plural(len(losses), "call"), sum(loss.tokens for loss in losses)
    yield f"Cache losses: {calls} sent {_at_most(losses)}{tokens:,} cached tokens again{_price(losses)}."
    largest = sorted(losses, key=lambda loss: -loss.tokens)[:count]
    yield from (_loss_sentence(loss) for loss in losses if loss in largest)
    if len(losses) > count:
        numbers = Counter(loss.cause for loss in losses if loss not in largest)
        rest = ", ".join(f"{number:,} {cause}" for cause, number in numbers.items())
        yield f"The other {len(losses) - count:,}: {rest}."


def _loss_sentence(loss: CacheLoss) -> str:
    """Return a sentence about one loss."""
    return f"Turn {loss.turn:,}: {_at_most([loss])}{loss.tokens:,} tokens{_price([loss])}: {loss.reason}."


def _price(losses: Sequence[CacheLoss]) -> str:
    """Return the additional price of losses as a clause."""
    known = [loss.cost for loss in losses if loss.cost is not None]
    if not known:
        return " at an unknown price"
    rest = f", {len(losses) - len(known):,} at an unknown price" if len(known) < len(losses) else ""
    return f" for {dollars(sum(known))} more than from the cache{rest}"


def _at_most(losses: Sequence[CacheLoss]) -> str:
    """Return "up to " if the content of a window is unknown, because the file does not record why it is smaller."""
    return "up to " if any(loss.cause == "fall" for loss in losses) else ""
