"""Report on a recorded session: the fields of the template, as far as the recording shows them, and their certainty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Annotated

from inspector.analysis.cache_loss import CacheLoss, cache_losses
from inspector.analysis.replay import RepeatedReadRates, count_rereads, describe_rereads
from inspector.core.conversation import MAIN, Session
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import listed, percent, plural
from inspector.engine.window import Section, Window, at_turn
from inspector.llm.models import session_price
from inspector.llm.tokens import Certainty, Sizes, mark
from inspector.report.outline import NOT_SEEN, Outline, TierRow, join_words
from inspector.report.session.observed import Eviction, Observations, memory_calls, observe

_TITLES: dict[Section, str] = {
    "system": "System",
    "memory": "Memory",
    "tools": "Tools",
    "history": "History",
    "input": "Input",
    "scratchpad": "Scratchpad",
}
_MAX_TURNS = 6
"""Maximum number of turns that are listed."""


@json_object(keys="name tokens how=certainty")
@dataclass(frozen=True, slots=True)
class SectionShare:
    """A section of the context in the largest call."""

    name: Section
    tokens: Tokens
    certainty: Annotated[Certainty, "certainty of the number"]


@dataclass(frozen=True)
class SessionReport:
    """Report on how the context of a recorded session was managed."""

    name: str
    agent: str
    model: str
    limit: Annotated[Tokens, "of the model's window; 0 if unknown"]
    turns: int
    sections: Annotated[tuple[SectionShare, ...], "in the order of the request"]
    """Sections in the largest call with at least one token, in the order of the request."""
    observations: Observations = field(repr=False)
    rereads: RepeatedReadRates | None
    """Repeated reads after the recorded compactions; None without compactions."""
    outline: Outline
    cache_losses: Annotated[tuple[CacheLoss, ...], "calls that the prompt cache did not serve, in order"]
    certainty: Annotated[tuple[str, ...], "certainty of the report, each a sentence"]

    @property
    def evictions(self) -> tuple[Eviction, ...]:
        return self.observations.evictions


def report_session(session: Session, sizes: Sizes, agent: str = MAIN) -> SessionReport:
    """Return the report on one agent's context, in time linear in the log.

    Args:
        session: The session.
        sizes: Sizes of its messages.
        agent: Name of the agent.

    Raises:
        OSError: A message can no longer be read.
        ValueError: The user's own price of a model is invalid.
    """
    seen = observe(session, sizes, agent)
    window = at_turn(session, sizes, seen.peak_turn or None, agent)
    shares = _shares(window)
    reader = _Reader(session, sizes, agent, seen, window, shares)
    return SessionReport(
        session.title or session.id, agent, session.model, sizes.limit, len(session.turns(agent)), shares, seen,
        count_rereads(session, agent), reader.outline(), cache_losses(session, session_price(session), agent),
        tuple(reader.certainty()),
    )  # fmt: skip


def _shares(window: Window) -> tuple[SectionShare, ...]:
    """Return the sections in order: prompt, tools, then the others by their first messages."""
    first = {section: place for place, section in reversed(list(enumerate(window.sections)))}
    lead: dict[Section, float] = {"system": -2.0, "tools": -1.0}
    rows = [SectionShare(name, size.tokens, size.certainty) for name, size in window.breakdown.items() if size.tokens]
    return tuple(sorted(rows, key=lambda row: min(first.get(row.name, len(first) * 1e9), lead.get(row.name, 1e9))))


@dataclass(frozen=True)
class _Reader:
    """Fills in the fields of the template from a session and its observations."""

    session: Session
    sizes: Sizes
    agent: str
    seen: Observations
    window: Window
    shares: Sequence[SectionShare]

    def outline(self) -> Outline:
        kinds = Counter(event.kind for event in self.seen.evictions)
        return Outline(
            self.session.title or self.session.id,
            self.order(),
            self.method(),
            f"turn {self.seen.peak_turn:,}, the largest call" if self.seen.peak_turn else "the current context",
            join_words(
                [_STRATEGIES[kind] for kind, _ in kinds.most_common()] + ([_CLEARED] if self.seen.notes else [])
            ),
            self.trigger(),
            self.eviction_turns(),
            tuple(self.tiers()),
            self.counting(),
            self.budget(),
            self.overflow(),
        )

    def titles(self) -> dict[Section, str]:
        """Return the names of the sections; System includes unrecorded tools."""
        return _TITLES | {"system": "System and Tools"} if self.window.joins_tools else _TITLES

    def order(self) -> str:
        return " → ".join(self.titles()[row.name] for row in self.shares) or NOT_SEEN

    def method(self) -> str:
        words = "Message List"
        injected = sum(message.kind == "injected" for message in self.window.messages)
        if injected:
            words += f", with {plural(injected, 'injected message')}"
        return words + (", tools separate from messages" if self.window.context.tools else "")

    def trigger(self) -> str:
        """Return the size at which content was evicted, and whether it is consistent with a token limit."""
        if not self.seen.evictions:
            return NOT_SEEN
        sizes = [event.before for event in self.seen.evictions]
        low, high = min(sizes), max(sizes)
        share = f", {percent(median(sizes) / self.sizes.limit)} of the window" if self.sizes.limit else ""
        is_steady = len(sizes) > 1 and high - low <= 0.2 * high
        what = "Token count" if is_steady else "Token count or Explicit (not clear from the sizes)"
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return f"{what} (at {mark(self.sizes.certainty)}{span} tokens{share})"

    def eviction_turns(self) -> str:
        turns = [event.turn for event in self.seen.evictions] or [turn for turn, _ in self.seen.notes]
        if not turns:
            return NOT_SEEN
        noun = "turn" if len(turns) == 1 else "turns"
        return f"{noun} {listed([f'{turn:,}' for turn in turns], _MAX_TURNS)}"

    def tiers(self) -> Iterator[TierRow]:
        limit = f"{self.sizes.limit:,} tokens" if self.sizes.limit else "unknown"
        sign = mark(self.sizes.certainty)
        yield TierRow("Working", "In-prompt", f"{limit}; at most {sign}{self.seen.peak:,} used", "Immediate")
        said = sum(message.agent == self.agent and message.kind != "notice" for message in self.session.messages)
        yield TierRow("Session", f"the recording, {plural(said, 'message')}", "Unlimited", "Direct")
        calls = list(memory_calls(self.session, self.agent))
        if not calls:
            yield TierRow("Persistent", NOT_SEEN, NOT_SEEN, NOT_SEEN)
            return
        names = Counter(name for _, name in calls)
        tools = join_words([f"{name} ({count:,})" for name, count in names.most_common(_MAX_TURNS)])
        yield TierRow("Persistent", f"through tools: {tools}", "unknown", f"by tool, first at turn {calls[0][0]:,}")

    def counting(self) -> str:
        replies = self.session.turns(self.agent)
        reported = sum(self.session.messages[position].usage is not None for position in replies)
        own = f"here {self.sizes.certainty}, by {self.sizes.counter.name}"
        return f"API for {reported:,} of {plural(len(replies), 'call')}; {own}" if reported else f"not recorded; {own}"

    def budget(self) -> str:
        total = sum(row.tokens for row in self.shares)
        if not total:
            return NOT_SEEN
        titles = self.titles()
        parts = [f"{titles[row.name]} {mark(row.certainty)}{percent(row.tokens / total)}" for row in self.shares]
        output = next((self.session.settings[key] for key in _OUTPUT_KEYS if key in self.session.settings), None)
        reserve = f"; {output:,} tokens for the reply" if isinstance(output, int) else ""
        return f"{', '.join(parts)} of {mark(self.sizes.certainty)}{total:,} tokens{reserve}"

    def overflow(self) -> str:
        over = [turn for turn, total in enumerate(self.seen.totals, 1) if 0 < self.sizes.limit < total]
        words = [_STRATEGIES[kind] for kind in dict.fromkeys(event.kind for event in self.seen.evictions)]
        if over:
            words.append(f"{plural(len(over), 'call')} exceeding the window, first at turn {over[0]:,}")
        if not words and self.sizes.limit and self.seen.peak:
            return f"not reached: at most {percent(self.seen.peak / self.sizes.limit)} of the window"
        return join_words(words)

    def certainty(self) -> Iterator[str]:
        """Yield sentences about the certainty of the report."""
        sizes = self.sizes
        error = (
            f", with a mean error of {percent(sizes.error)} against reported sizes" if sizes.error is not None else ""
        )
        yield f"Sizes are {sizes.certainty}{error}."
        if sizes.unrecorded or not self.session.records_system:
            left = "The format does not record the system prompt and the tools: their sizes are"
            rest = "Unrecorded parts are counted as tools: their size is"
            yield f"{rest if sizes.tools > sizes.unrecorded else left} inferred from reported usage."
        if not self.seen.evictions and not self.seen.notes:
            yield "No content was dropped. A longer session may show evictions."
        if any(event.kind == "unseen" for event in self.seen.evictions):
            yield "If reported tokens fell but no recorded message was dropped, the cleared content is unknown."
        if self.seen.rewinds:
            times = plural(self.seen.rewinds, "time")
            yield f"{times} the conversation was rewound, which is not an eviction."
        if len(self.session.agents) > 1:
            yield f"This is one of {len(self.session.agents)} agents. Choose another with --agent."
        rereads = count_rereads(self.session, self.agent)
        if rereads is not None:
            yield describe_rereads(rereads)


_OUTPUT_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_CLEARED = "Tool results cleared"
_STRATEGIES = {
    "summarization": "Summarization",
    "window": "Window",
    "tool results": _CLEARED,
    "unseen": "cleared without a record",
}


def describe_eviction(event: Eviction, limit: int) -> str:
    """Describe an eviction in one sentence, without its turn."""
    share = f" ({percent(event.before / limit)} of the window)" if limit else ""
    words = f"{event.before:,}{share} → {event.after:,} tokens"
    if event.kind == "summarization":
        words += f"; {plural(event.left, 'message')} summarised in {event.summary:,} tokens, {event.stayed:,} kept"
    elif event.kind == "window":
        words += f"; {plural(event.left, 'message')} dropped, {event.stayed:,} kept"
    elif event.kind == "tool results":
        words += (
            f"; {plural(event.shortened, 'tool result')} cleared or trimmed, {plural(event.left, 'message')} dropped"
        )
    else:
        words += "; reported, but no recorded message was dropped"
    return f"{words}; {_cache_words(event)}"


def _cache_words(event: Eviction) -> str:
    if event.cache_read is None or not event.sent:
        return "the prompt cache was not reported"
    if event.cache_read == 0:
        return "nothing was read from the prompt cache"
    return f"{percent(event.cache_read / event.sent)} of the next call was read from the prompt cache"
