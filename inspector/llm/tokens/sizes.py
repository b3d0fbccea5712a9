"""Sizes of all messages and tools in a session, in tokens of its model. Windows are built with them.

There are three levels of accuracy. `estimate_sizes` uses text lengths only, and `estimate` also reads a few samples.
`count_sizes` uses the counts of a worker; messages that are not counted yet keep their estimates. All are calibrated
against the reported usage, so that totals remain stable while messages are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from inspector.core.conversation import Image, Message, Session
from inspector.llm.models import ModelProfile, limit_for_usage, limit_of, profile
from inspector.llm.providers import provider_of
from inspector.llm.tokens.calibration import Calibration, calibrate, running_totals
from inspector.llm.tokens.certainty import Certainty, weakest
from inspector.llm.tokens.counting import FRAME, CharsCounter, Counter, TokenizerCounter, count_parts, is_sealed
from inspector.llm.tokens.density import chars_per_token, tokens_per_picture
from inspector.llm.tokens.session_counting import Batch, count_session, digest, digest_of
from inspector.llm.tokens.size_falls import SizeFall

__all__ = ["Batch", "Sizes", "count_session", "count_sizes", "counter_for", "digest", "estimate", "estimate_sizes"]


SHORT = 400
"""Length in characters up to which counting a message is as fast as looking up its count."""
MAX_CACHED_LENGTH = 4_000
"""Maximum length in characters of a message that the cache of measured messages keeps alive."""
_CACHE_LIMIT = 50_000
LARGEST_PROMPT = 60_000
"""Maximum tokens of an unrecorded system prompt with its tools. Coding agents send 14,000 to 58,000.

A transcript that continues another file begins with a context that is not in it, and has more unrecorded tokens.
"""


@dataclass(frozen=True)
class Sizes:
    """Sizes of a session in tokens of its model."""

    tokens: Sequence[int]
    """Calibrated tokens of each message in the log."""
    certainty: Certainty
    tools: int
    """Tokens of the recorded tool definitions."""
    tools_certainty: Certainty
    unrecorded: int
    """Unrecorded tokens of a typical window: system prompt, tools and other omitted content. 0 if they are recorded."""
    limit: int
    """Context window of the session's model, in tokens."""
    counter: Counter
    """Counter of the raw counts."""
    factor: float = 1.0
    """Factor that raw counts of `counter` are multiplied by."""
    is_partial: bool = False
    """True while some messages are estimated because they are not counted yet."""
    levels: Sequence[int] = ()
    """Unrecorded tokens of the context that ends with each message of the log. See `unrecorded_at`."""
    removed: Sequence[int] = ()
    """Tokens removed without a record from the context that ends with each message of the log. See `removed_at`."""
    falls: Sequence[SizeFall] = ()
    """Falls of the reported size that no record explains, in the order of the log."""
    prompt: int = LARGEST_PROMPT
    """Maximum unrecorded tokens that are attributed to a system prompt with its tools, from the first context.

    Further unrecorded tokens were added later (files that a program attaches again after a compaction), or carried over
    from another file.
    """
    error: float | None = None
    """Mean relative error of the totals; None if no usage is reported."""
    has_requests: bool = False
    """True if whole requests are recorded, so that the tokens of the messages add up to the reported sizes."""
    cache: dict[bytes | Message, int] = field(default_factory=dict, repr=False, compare=False)
    """Results of `measure`, which previews call repeatedly.

    Keys are short messages (with calibrated tokens), and digests of long messages (with raw counts), so that the cache
    keeps no long message alive.
    """

    def described(self) -> str:
        """Return everything that determines the sizes as text, the same for lists and arrays of numbers."""
        tokens, levels, removed = list(self.tokens), list(self.levels), list(self.removed)
        return repr(replace(self, cache={}, tokens=tokens, levels=levels, removed=removed, falls=list(self.falls)))

    @property
    def window_certainty(self) -> Certainty:
        """Certainty of a window's size if the provider did not report it."""
        return weakest(self.certainty, self.tools_certainty, "unrecorded" if self.unrecorded else "exact")

    def measure(self, message: Message) -> int:
        """Return the calibrated tokens of a message that is not in the log, such as a summary or a masked message."""
        tokens = self.cache.get(message)
        if tokens is None:
            tokens = round(self.factor * self.raw_count(message))
            if message.chars <= MAX_CACHED_LENGTH:
                self._keep(message, tokens)
        return tokens

    def room(self, tokens: int) -> int:
        """Return the maximum raw count of a text for a message of `tokens` tokens; below 1 if no text fits."""
        return int(tokens / self.factor) - FRAME

    def measure_all(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of messages, as `measure` does, with one look-up for all that were measured before."""
        known = list(map(self.cache.get, messages))
        pairs = zip(messages, known, strict=True)
        return [self.measure(message) if tokens is None else tokens for message, tokens in pairs]

    def raw_count(self, message: Message) -> int:
        """Return the uncalibrated tokens of a message. If it has a placeholder, that is counted."""
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
        if len(self.cache) >= max(_CACHE_LIMIT, 2 * len(self.tokens)):
            self.cache.clear()
        self.cache[key] = count

    def unrecorded_at(self, position: int) -> int:
        """Return the unrecorded tokens of the context that ends with the message at `position` in the log.

        The value is the same for all turns of a stretch, and changes between stretches
        (`inspector.llm.tokens.calibration`).
        """
        return self.levels[position] if 0 <= position < len(self.levels) else self.unrecorded

    def unrecorded_before(self, reply: Message) -> int:
        """Return the unrecorded tokens of the context that a reply answers: all, if no message of it is recorded."""
        if reply.parent >= 0 or reply.usage is None or reply.usage.input <= 0 or not (self.levels or self.unrecorded):
            return self.unrecorded_at(reply.parent)
        return max(0, reply.usage.input - self.tools)

    def removed_at(self, position: int) -> int:
        """Return the tokens removed without a record from the context that ends with the message at `position`.

        The reported size shows that some of its messages were not sent, but not which.
        """
        return self.removed[position] if 0 <= position < len(self.removed) else 0

    def grown(self, session: Session, same: int, counts: Sequence[int | None]) -> Sizes:
        """Return the sizes of the session after its log has grown, without calibrating again.

        Takes time proportional to the new messages. Unrecorded tokens are assumed not to have changed. Use
        `count_sizes` to fit the sizes to newly reported usage.

        Args:
            session: The session with its new log.
            same: Number of messages at the start of the log that are unchanged.
            counts: Raw tokens of the messages from `same` on. Where one is None, an estimate is used.
        """
        fresh = session.messages[same:]
        guesses = _estimates(replace(session, messages=fresh), *_usual_lengths(session)) if None in counts else counts
        raw = [guess if count is None else count for count, guess in zip(counts, guesses, strict=True)]
        parents = [message.parent for message in fresh]
        levels = _inherited(self.levels, same, parents, self.unrecorded)
        removed = _inherited(self.removed, same, parents, 0)
        tokens = [*self.tokens[:same], *(round(self.factor * (count or 0)) for count in raw)]
        falls = tuple(fall for fall in self.falls if fall.position < same)
        is_partial = self.is_partial or None in counts
        return replace(self, tokens=tokens, levels=levels, removed=removed, falls=falls, is_partial=is_partial)


def _inherited(known: Sequence[int], same: int, parents: Sequence[int], usual: int) -> list[int]:
    """Return values of the messages of a log whose new messages have the values of their parents; empty without any.

    Args:
        known: Values of the old messages.
        same: Number of old messages that are unchanged.
        parents: Position of the parent of each new message.
        usual: Value of a message without a parent.
    """
    values = list(known[:same])
    for place, parent in enumerate(parents if known else (), same):
        values.append(values[parent] if 0 <= parent < place else usual)
    return values


def estimate_sizes(session: Session) -> Sizes:
    """Estimate sizes from the lengths of messages, without reading text or loading a tokenizer."""
    return _by_length(session, *_usual_lengths(session))


def estimate(session: Session) -> Sizes:
    """Estimate sizes from the lengths of messages and from a few samples of text and images."""
    text, picture = _usual_lengths(session)
    return _by_length(session, chars_per_token(session, text), tokens_per_picture(session, picture))


def _by_length(session: Session, per_token: float, per_picture: float) -> Sizes:
    family = profile(session.model)
    counts = _estimates(session, per_token, per_picture)
    return sizes(session, counts, CharsCounter(per_token), family, is_partial=bool(session.messages))


def count_sizes(session: Session, counts: Sequence[int | None], counter: Counter, tools: int | None = None) -> Sizes:
    """Return sizes from raw counts.

    Args:
        session: The session.
        counts: Raw tokens of each message in the log. Where one is None, an estimate is used.
        counter: Counter of the raw counts.
        tools: Raw tokens of the tools, if they are counted already.

    Raises:
        ValueError: The number of counts differs from the number of messages.
        TableError: The tools are not counted yet, and the rank table of the encoding cannot be read.
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
    """Return a profile with the context window from the price list if the model is not in the table."""
    return family if family.is_known or not model else replace(family, limit=limit_of(model).tokens)


def counter_for(model: str) -> Counter:
    """Return the counter that `count_sizes` expects for sessions with this model."""
    return TokenizerCounter(profile(model).encoding)


def _usual_lengths(session: Session) -> tuple[float, int]:
    """Return the usual characters per token and tokens per image, without reading samples."""
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
    """Return calibrated sizes from raw counts.

    Args:
        session: The session.
        counts: Raw tokens of each message in the log.
        counter: Counter of the raw counts.
        family: Profile of the model.
        is_partial: True if some counts are estimates.
        tools: Raw tokens of the tools. Default: they are counted here.

    Raises:
        TableError: The rank table of the encoding cannot be read.
    """
    if tools is None:
        tools = provider_of(session.dialect).count_tools(session.tools, counter)
    own_tokenizer = (
        family.exact and isinstance(counter, TokenizerCounter) and counter.name == family.encoding and not is_partial
    )
    fit = calibrate(session, counts, tools, own_tokenizer=own_tokenizer, is_partial=is_partial)
    certainty: Certainty = "exact" if own_tokenizer and not _has_ciphertext(session) else "estimated"
    return Sizes(
        tokens=fit.tokens,
        certainty=certainty,
        tools=round(fit.factor * tools),
        tools_certainty="estimated" if tools else certainty,
        unrecorded=fit.unrecorded,
        limit=(session.sizes and session.sizes.limit)
        or limit_for_usage(family, _largest_answered(session, family, fit)),
        counter=replace(counter, keeps=True) if isinstance(counter, TokenizerCounter) else counter,
        factor=fit.factor,
        is_partial=is_partial,
        levels=fit.levels,
        removed=fit.removed,
        falls=fit.falls,
        prompt=_prompt_of(session, fit.levels),
        error=fit.error,
        has_requests=fit.has_requests,
    )


def _has_ciphertext(session: Session) -> bool:
    """Return True if a message contains encrypted content, or can no longer be read."""
    try:
        return any(map(is_sealed, session.messages))
    except OSError:
        return True


def _prompt_of(session: Session, levels: Sequence[int]) -> int:
    """Return the maximum unrecorded tokens of any agent's first context that can be a prompt.

    If this exceeds `LARGEST_PROMPT`, the session continues another one, and the smallest value of any context is a
    better estimate.
    """
    pairs = zip(reversed(session.messages), reversed(levels), strict=False)
    firsts = {message.agent: level for message, level in pairs}
    first = max(firsts.values(), default=0)
    least = min((level for level in levels if level > 0), default=0) if first > LARGEST_PROMPT else first
    return min(least or LARGEST_PROMPT, LARGEST_PROMPT)


def _largest_answered(session: Session, family: ModelProfile, fit: Calibration) -> int:
    """Return the tokens of the largest request that a model answered, for the smallest limit that it can have.

    Only reported sizes count if the limit is known. A default limit gives way to counted ones too.
    """
    reported = max((message.usage.input for message in session.messages if message.usage), default=0)
    if family.is_known or family.limit != profile("").limit:
        return reported
    totals = running_totals(session, fit.tokens)
    parents = (session.messages[reply].parent for replies in session.replies.values() for reply in replies)
    return max(reported, max((totals[parent] for parent in parents if parent >= 0), default=0))
