"""The size of everything in a session, in the tokens of its model: the noun that windows are built with.

Sizes come in three grades. `estimate_sizes` estimates them from lengths alone, `estimate` reads a few places too.
`count_sizes` makes them from a worker's counts, which may be partial: messages without a count keep their estimate. All
are calibrated against the usage that the session reports, so that totals are stable while messages are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from inspector.core.conversation import Image, Message, Session
from inspector.llm.models import ModelProfile, limit_above, limit_of, profile
from inspector.llm.providers import provider_of
from inspector.llm.tokens.calibration import calibrate
from inspector.llm.tokens.certainty import Certainty, weakest
from inspector.llm.tokens.counting import FRAME, CharsCounter, Counter, TokenizerCounter, count_parts
from inspector.llm.tokens.density import chars_per_token, tokens_per_picture
from inspector.llm.tokens.session_counting import Batch, count_session, digest, digest_of

__all__ = ["Batch", "Sizes", "count_session", "count_sizes", "counter_for", "digest", "estimate", "estimate_sizes"]


SHORT = 400
"""Characters up to which counting a message is as quick as looking it up."""
MAX_CACHED_LENGTH = 4_000
"""Characters up to which a message may be kept alive for having been measured."""
_CACHE_LIMIT = 50_000
LARGEST_PROMPT = 60_000
"""Tokens that an unrecorded system prompt with its tools may have: coding agents send 14,000 to 58,000.

A transcript that goes on where another file ends begins with a context that is not in it, and has more.
"""


@dataclass(frozen=True)
class Sizes:
    """What everything in a session takes, in tokens of its model."""

    tokens: Sequence[int]
    """One for each message of the log, calibrated."""
    certainty: Certainty
    tools: int
    """The tool definitions that the session records."""
    tools_certainty: Certainty
    unrecorded: int
    """System prompt, tools and whatever else the format leaves out, in a typical window; 0 where it records them."""
    limit: int
    """The context window of the session's model."""
    counter: Counter
    factor: float = 1.0
    """What raw counts of `counter` are multiplied with."""
    is_partial: bool = False
    """True while estimates stand in for counts that are still to come."""
    levels: Sequence[int] = ()
    """What is unrecorded in the context that ends with each message of the log; see `unrecorded_at`."""
    prompt: int = LARGEST_PROMPT
    """The most of what is unrecorded that is taken for a system prompt with its tools: what was so in the first
    context. What is unrecorded beside it was put in later (files that a program attaches again behind a compaction), or
    carried over from elsewhere.
    """
    error: float | None = None
    """How far totals are from reported ones, as a mean share of them; None where nothing is reported."""
    cache: dict[bytes | Message, int] = field(default_factory=dict, repr=False, compare=False)
    """Results of `measure`, which previews ask for repeatedly: tokens by short message, and raw counts of long
    messages by digest, so that the cache keeps no long message alive."""

    @property
    def window_certainty(self) -> Certainty:
        """How the size of a whole window is known that no provider reported."""
        return weakest(self.certainty, self.tools_certainty, "unrecorded" if self.unrecorded else "exact")

    def measure(self, message: Message) -> int:
        """Tokens of a message that is not in the log (a summary, a masked one), on the same scale."""
        tokens = self.cache.get(message)
        if tokens is None:
            tokens = round(self.factor * self.raw_count(message))
            if message.chars <= MAX_CACHED_LENGTH:
                self._keep(message, tokens)
        return tokens

    def room(self, tokens: int) -> int:
        """What `counter` may count for a text that is to be a message of so many tokens; below 1 where none is."""
        return int(tokens / self.factor) - FRAME

    def measure_all(self, messages: Sequence[Message]) -> list[int]:
        """What `measure` says of each message; those that were measured before are looked up at once."""
        known = list(map(self.cache.get, messages))
        pairs = zip(messages, known, strict=True)
        return [self.measure(message) if tokens is None else tokens for message, tokens in pairs]

    def raw_count(self, message: Message) -> int:
        if message.placeholder is not None:
            return FRAME + self.counter.count(message.placeholder)
        parts, role, name, dialect = message.parts, message.role, message.name, message.dialect
        if message.chars <= SHORT or message.kind == "summary":
            return count_parts(parts, role, name, dialect, self.counter)
        key = digest_of(parts, role, name, dialect)
        count = self.cache.get(key)
        if count is None:
            count = count_parts(parts, role, name, dialect, self.counter)
            self._keep(key, count)
        return count

    def _keep(self, key: bytes | Message, count: int) -> None:
        """Remember a count. There is room for two versions of every message of the log."""
        if len(self.cache) >= max(_CACHE_LIMIT, 2 * len(self.tokens)):
            self.cache.clear()
        self.cache[key] = count

    def unrecorded_at(self, position: int) -> int:
        """Unrecorded tokens of the context that ends with the message at `position` of the log.

        They are the same for all turns of a stretch, and change between stretches (`inspector.llm.tokens.calibration`).
        """
        return self.levels[position] if 0 <= position < len(self.levels) else self.unrecorded

    def unrecorded_before(self, reply: Message) -> int:
        """Unrecorded tokens of the context that a reply answers; of an unrecorded context, all of them."""
        if reply.parent >= 0 or reply.usage is None or reply.usage.input <= 0:
            return self.unrecorded_at(reply.parent)
        return max(0, reply.usage.input - self.tools)

    def grown(self, session: Session, same: int, counts: Sequence[int | None]) -> Sizes:
        """The sizes of a log that has grown, calibrated as these. `counts` are raw, of the messages from `same` on.

        Where one is None, an estimate stands in. What is unrecorded is taken to be what it was in the context before.
        Costs what is new; `count_sizes` fits the numbers to what was reported since.
        """
        fresh = session.messages[same:]
        guesses = _estimates(replace(session, messages=fresh), *_usual_lengths(session)) if None in counts else counts
        raw = [guess if count is None else count for count, guess in zip(counts, guesses, strict=True)]
        levels = list(self.levels[:same])
        for place, message in enumerate(fresh if self.levels else (), same):
            levels.append(levels[message.parent] if 0 <= message.parent < place else self.unrecorded)
        tokens = [*self.tokens[:same], *(round(self.factor * (count or 0)) for count in raw)]
        return replace(self, tokens=tokens, levels=levels, is_partial=self.is_partial or None in counts)


def estimate_sizes(session: Session) -> Sizes:
    """Sizes from the lengths in the metadata of messages: no text is read, no tokenizer loaded."""
    return _by_length(session, *_usual_lengths(session))


def estimate(session: Session) -> Sizes:
    """The same by how many characters make a token in this session, and how large its pictures are, for which a few
    places of it are read."""
    text, picture = _usual_lengths(session)
    return _by_length(session, chars_per_token(session, text), tokens_per_picture(session, picture))


def _by_length(session: Session, per_token: float, per_picture: float) -> Sizes:
    family = profile(session.model)
    counts = _estimates(session, per_token, per_picture)
    return sizes(session, counts, CharsCounter(per_token), family, is_partial=bool(session.messages))


def count_sizes(session: Session, counts: Sequence[int | None], counter: Counter, tools: int | None = None) -> Sizes:
    """Sizes from raw counts, one per message of the log. Where one is None, an estimate stands in.

    `tools` are the raw tokens of the session's tools, where they are counted already. Raises ValueError when the counts
    are not as many as the messages.
    """
    if len(counts) != len(session.messages):
        raise ValueError(f"{len(counts)} counts for {len(session.messages)} messages")
    family = _with_limit(profile(session.model), session.model)
    raw = [count for count in counts if count is not None]
    if len(raw) == len(counts):
        return sizes(session, raw, counter, family, is_partial=False, tools=tools)
    guesses = _estimates(session, *_usual_lengths(session))
    raw_or_guess = [guess if count is None else count for count, guess in zip(counts, guesses, strict=True)]
    return sizes(session, raw_or_guess, counter, family, is_partial=True, tools=tools)


def _with_limit(family: ModelProfile, model: str) -> ModelProfile:
    """A profile with the context window that the price table has, for a model that the own table does not know."""
    return family if family.is_known or not model else replace(family, limit=limit_of(model).tokens)


def counter_for(model: str) -> Counter:
    """The counter whose counts `count_sizes` takes for sessions with this model."""
    return TokenizerCounter(profile(model).encoding)


def _usual_lengths(session: Session) -> tuple[float, int]:
    """Characters that make a token, and tokens that a picture makes, where nothing is read."""
    return profile(session.model).chars_per_token, provider_of(session.dialect).image_tokens(Image())


def _estimates(session: Session, per_token: float, per_picture: float) -> list[int]:
    return [
        FRAME + ceil(message.chars / per_token) + round(message.images * per_picture) for message in session.messages
    ]


def sizes(
    session: Session,
    counts: Sequence[int],
    counter: Counter,
    family: ModelProfile,
    *,
    is_partial: bool,
    tools: int | None = None,
) -> Sizes:
    """Raw counts, calibrated; the tools are counted here where `tools` is None."""
    if tools is None:
        tools = provider_of(session.dialect).count_tools(session.tools, counter)
    exact = (
        family.exact and isinstance(counter, TokenizerCounter) and counter.name == family.encoding and not is_partial
    )
    fit = calibrate(session, counts, tools, own_tokenizer=exact)
    certainty: Certainty = "exact" if exact else "estimated"
    return Sizes(
        tokens=fit.tokens,
        certainty=certainty,
        tools=round(fit.factor * tools),
        tools_certainty="estimated" if tools else certainty,
        unrecorded=fit.unrecorded,
        limit=(session.sizes and session.sizes.limit) or limit_above(family, _largest_usage(session)),
        counter=counter,
        factor=fit.factor,
        is_partial=is_partial,
        levels=fit.levels,
        prompt=_prompt_of(session, fit.levels),
        error=fit.error,
    )


def _prompt_of(session: Session, levels: Sequence[int]) -> int:
    """The most that is unrecorded in the first context of any agent of a session, as far as it may be a prompt.

    Where a session goes on from elsewhere it is no prompt alone, and the least of any context tells more.
    """
    pairs = zip(reversed(session.messages), reversed(levels), strict=False)
    firsts = {message.agent: level for message, level in pairs}
    first = max(firsts.values(), default=0)
    least = min((level for level in levels if level > 0), default=0) if first > LARGEST_PROMPT else first
    return min(least or LARGEST_PROMPT, LARGEST_PROMPT)


def _largest_usage(session: Session) -> int:
    return max((message.usage.input for message in session.messages if message.usage), default=0)
