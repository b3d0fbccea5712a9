"""Advice on changes in the recorded tool, each with what it would have saved on this session."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

from inspector.analysis.context_loss import LossHistory
from inspector.analysis.tool_activity import Actions
from inspector.core.json_objects import Tokens, json_object
from inspector.core.plain_values import PlainValues
from inspector.core.text import dollars, ends, one_line, percent, plural
from inspector.library import kept_value, recorded_losses
from inspector.library.diagnosis.evidence import Overview
from inspector.llm.models import MILLION, Price

AdviceKind = Literal["rule", "compact earlier", "smaller reads", "remove server"]
_WORTH = 0.02
"""Share of all tokens sent above which advice is given."""
_MAX_ITEMS = 3
"""Maximum number of files or results that are advised on."""
_NAME = 60
"""Maximum columns of a path."""
_LARGE_RESULT = 4_000
"""Minimum tokens of a result that is worth reading in smaller parts."""
_SMALL_READ = 2_000
"""Tokens of a read that is considered small."""
_EARLIER = 0.5
"""Share of the largest window at which an earlier compaction is simulated."""
_LARGE_WINDOW = 100_000
"""Minimum tokens of the largest window for the advice to compact earlier."""
_SUMMARY = 2_000
"""Assumed tokens of a summary."""
_ROUND = 5_000
"""Tokens that the threshold of an earlier compaction is a multiple of."""


class _Tool(NamedTuple):
    """Command of a coding tool for a compaction, and its file of user instructions."""

    rules: str
    compact: str = ""


class _Reread(NamedTuple):
    """A result that was read again after a compaction."""

    compaction: int
    """First turn after it."""
    message: str
    """Id of the result that repeats the earlier one."""
    turn: int
    tokens: int


_TOOLS: Mapping[str, _Tool] = MappingProxyType(
    {
        "claude-code": _Tool("CLAUDE.md", "/compact"),
        "codex": _Tool("AGENTS.md", "/compact"),
        "copilot-cli": _Tool("AGENTS.md", "/compact"),
        "gemini-cli": _Tool("GEMINI.md", "/compress"),
        "qwen-code": _Tool("QWEN.md", "/compress"),
        "opencode": _Tool("AGENTS.md", "/compact"),
        "pi": _Tool("AGENTS.md", "/compact"),
        "droid": _Tool("AGENTS.md"),
        "cursor": _Tool("AGENTS.md"),
        "kimi": _Tool("AGENTS.md", "/compact"),
        "crush": _Tool("AGENTS.md"),
        "cline": _Tool(".clinerules"),
        "goose": _Tool(".goosehints"),
        "openclaw": _Tool("AGENTS.md", "/compact"),
    }
)
"""Tools by format, from their documentation (as of November 2026)."""
_ANY = _Tool("the system prompt")


@json_object("Advice on the tool")
@dataclass(frozen=True, slots=True)
class ToolAdvice:
    """A change that the user of the recorded tool can make."""

    kind: AdviceKind
    text: Annotated[str, "what to do, and why"]
    tokens: Annotated[Tokens, "fewer sent in this session, estimated"]
    cost: Annotated[float, "cost of these tokens in dollars, read from the cache if there is one"]


def advise(overview: Overview, price: Price) -> tuple[ToolAdvice, ...]:
    """Return the advice for a session, largest saving first; empty if nothing is worth a change.

    Args:
        overview: Session and agent.
        price: Price of the session's model.

    Raises:
        OSError: If the recording can no longer be read.
    """
    adviser = _Adviser(overview, price, _TOOLS.get(overview.bench.session.format, _ANY))
    rows = [*adviser.rules(), *adviser.earlier(), *adviser.smaller_reads(), *adviser.unused_servers()]
    worth = [row for row in rows if row.tokens > _WORTH * adviser.sent or row.kind == "rule"]
    return tuple(sorted(worth, key=lambda row: -row.tokens))


@dataclass(frozen=True)
class _Adviser:
    overview: Overview
    price: Price
    tool: _Tool

    @cached_property
    def sent(self) -> int:
        """Tokens of all windows that were sent."""
        return sum(self.windows)

    @cached_property
    def windows(self) -> tuple[int, ...]:
        """Tokens of the window of each turn, as reported, or else as counted."""
        timeline = self.overview.timeline
        return tuple(timeline.size(turn).tokens for turn in range(1, len(timeline.totals)))

    @cached_property
    def _actions(self) -> Actions:
        return Actions(self.overview.bench.session.messages)

    def _advice(self, kind: AdviceKind, action: str, reason: str, tokens: int, paid: float = 0.0) -> ToolAdvice:
        """Return advice with its saving as text.

        Args:
            kind: Kind of advice.
            action: What to do.
            reason: Why, as a sentence.
            tokens: Tokens that would not have been sent.
            paid: Dollars that following the advice costs.
        """
        cost = tokens * self.price.cache_read / MILLION - paid
        share = percent(min(1, max(0, tokens) / max(1, self.sent)))
        saving = f"up to {tokens:,} fewer tokens sent, {share} ({dollars(cost)})"
        return ToolAdvice(kind, f"{action}: {saving}. {reason}", tokens, cost)

    def _turns_after(self, turn: int) -> int:
        """Return the number of requests from a turn to the next compaction or the end."""
        turns, last = self.overview.timeline.compactions, len(self.overview.timeline.totals)
        return max(0, next((after for after in turns if after > turn), last) - turn)

    def _reread_files(self) -> dict[str, dict[int, int]]:
        """Return the files that were read again: by path, the tokens carried after each compaction, by its turn.

        Files that the session changed are left out: their key points would soon be outdated.
        """
        session = self.overview.bench.session
        files: dict[str, dict[int, int]] = {}
        rereads = self._rereads()
        changed = set(self._changed_files()) if rereads else set()
        for again in rereads:
            message = session.by_id.get(again.message)
            read = self._actions.of(message) if message else None
            if read is not None and read.kind == "read" and read.resource and read.resource not in changed:
                carried = again.tokens * self._turns_after(again.turn)
                turns = files.setdefault(read.resource, {})
                turns[again.compaction] = turns.get(again.compaction, 0) + carried
        return files

    def _changed_files(self) -> Iterator[str]:
        """Yield the paths of the files that the session edited or wrote."""
        for message in self.overview.bench.session.messages:
            action = self._actions.of(message)
            if action is not None and action.kind in ("edit", "write"):
                yield action.resource

    def _rereads(self) -> tuple[_Reread, ...]:
        """Return the results that were read again after compactions. They are kept, unlike the whole history."""

        bench, agent = self.overview.bench, self.overview.agent
        if not bench.session.compactions:  # the facts of a long session would be read for nothing
            return ()

        def find() -> tuple[_Reread, ...]:
            history = recorded_losses(bench, agent) or LossHistory()
            rows = ((losses.turn, again) for losses in history.compactions for again in losses.reread)
            return tuple(_Reread(turn, again.again, again.turn, again.tokens) for turn, again in rows)

        form = PlainValues[tuple[_Reread, ...]]
        return kept_value(bench, "rereads", agent, lambda: form(tuple[_Reread, ...]), find) or ()

    def rules(self) -> Iterator[ToolAdvice]:
        """Yield a rule for the files that were read again after compactions, and that the session did not change."""
        files = self._reread_files()
        if not files:
            return
        often = sorted(files, key=lambda name: (-len(files[name]), -sum(files[name].values())))
        names = ", ".join(ends(name, _NAME) for name in often[:_MAX_ITEMS])
        more = f" and {len(often) - _MAX_ITEMS:,} more" if len(often) > _MAX_ITEMS else ""
        were = "It was" if len(often) == 1 else "They were"
        times = plural(len({turn for turns in files.values() for turn in turns}), "compaction")
        tokens = sum(sum(turns.values()) for turns in files.values())
        action = f"Put the key points of {names}{more} into {self.tool.rules}"
        yield self._advice("rule", action, f"{were} read again after {times}.", tokens)

    def earlier(self) -> Iterator[ToolAdvice]:
        """Yield the advice to compact at half of the largest window."""
        price, totals, compactions = self.price, self.windows, self.overview.timeline.compactions
        peak = max(totals, default=0)
        if peak < _LARGE_WINDOW:
            return
        threshold = round(peak * _EARLIER / _ROUND) * _ROUND
        after = [totals[turn - 1] for turn in compactions if 1 < turn <= len(totals)]
        sizes = list(_compacted_earlier(totals, threshold, after))
        count = sum(later < before for before, later in pairwise(sizes))
        saved = self.sent - sum(sizes) - count * threshold
        command = f"Run {self.tool.compact}" if self.tool.compact else "Compact"
        action = f"{command} at {threshold:,} tokens, {'not' if compactions else 'as the window reached'} {peak:,}"
        reason = (
            f"This includes the price of the summaries of {plural(count, 'compaction')}, not the facts that they lose."
        )
        yield self._advice("compact earlier", action, reason, saved, count * _SUMMARY * price.output / MILLION)

    def smaller_reads(self) -> Iterator[ToolAdvice]:
        """Yield the advice to read parts of the largest results."""
        session, sizes, agent = self.overview.bench.session, self.overview.bench.sizes, self.overview.agent
        replies = session.turns(agent)
        large: dict[str, int] = {}
        for position, message in enumerate(session.messages):
            tokens = sizes.tokens[position]
            if tokens < _LARGE_RESULT or message.agent != agent or message.answers is None:
                continue
            call = self._actions.of(message)
            if call is not None and session.original_of(message) is message:
                name = call.resource or one_line(f"{call.tool} {call.subject}")
                saved = (tokens - _SMALL_READ) * self._turns_after(bisect_left(replies, position) + 1)
                large[name] = large.get(name, 0) + saved
        if large:
            names = sorted(large, key=lambda name: -large[name])
            largest = ", ".join(ends(name, _NAME) for name in names[:_MAX_ITEMS])
            more = f" and {len(names) - _MAX_ITEMS:,} more" if len(names) > _MAX_ITEMS else ""
            action = f"Ask for smaller results (limits, line ranges, filters) of {largest}{more}"
            reason = f"Results of {_LARGE_RESULT:,} tokens or more stayed in the window."
            yield self._advice("smaller reads", action, reason, sum(large.values()))

    def unused_servers(self) -> Iterator[ToolAdvice]:
        """Yield the MCP servers whose recorded tools were never called."""
        for server in self.overview.servers:
            if not server.calls:
                tokens = server.tokens * (len(self.overview.timeline.totals) - 1)
                action = f"Turn off the MCP server {one_line(server.name)}"
                yield self._advice("remove server", action, "None of its tools were called.", tokens)


def _compacted_earlier(totals: tuple[int, ...], threshold: int, after: list[int]) -> Iterator[int]:
    """Yield the window of each turn as if it had also been compacted above a threshold.

    Args:
        totals: Recorded window of each turn.
        threshold: Size in tokens above which the simulated window is compacted.
        after: Sizes after the recorded compactions. Without any, a compaction leaves a quarter of the threshold.
    """
    rest = min(threshold, sum(after) // len(after)) if after else threshold // 4
    size = totals[0] if totals else 0
    yield from totals[:1]
    for before, now in pairwise(totals):
        size = min(now, size + max(0, now - before))
        if size > threshold:
            size = rest
        yield size
