"""Usage of recorders that keep only the uncached part of a call's input.

The `input_tokens` of Anthropic's API leave out the tokens that were read from or written to the cache. A recorder that
does not keep these too reports a few tokens for a call that sent thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inspector.core.conversation import Session
from inspector.llm.models import profile
from inspector.llm.tokens import running_totals

_ENOUGH = 200
"""Minimum characters of a request that can be compared with its report."""
_MOST = 12
"""Characters per token that no text of a whole request has on average."""


def without_uncached_usage(session: Session) -> Session:
    """Remove the usage from a session of Claude if its inputs are too small for the recorded messages.

    It stays if a call reports cached tokens, or if at least half of the comparable calls have a possible input.
    """
    usages = [(message.usage, message.model or session.model) for message in session.messages if message.usage]
    if any(usage.cache_read or usage.cache_write for usage, _ in usages):
        return session
    if any(profile(model).family != "anthropic" for _, model in usages):
        return session
    judged = [_MOST * tokens < chars for tokens, chars in _calls(session) if chars >= _ENOUGH]
    if 2 * sum(judged) <= len(judged):
        return session
    return session.with_messages(
        tuple(replace(message, usage=None) if message.usage else message for message in session.messages)
    )


def _calls(session: Session) -> Iterator[tuple[int, int]]:
    """Yield the reported input of each call, and the characters of the messages before its reply."""
    sums = running_totals(session, [message.chars for message in session.messages])
    for position, message in enumerate(session.messages):
        if message.usage and message.usage.input:
            yield message.usage.input, sums[message.parent] if 0 <= message.parent < position else 0
