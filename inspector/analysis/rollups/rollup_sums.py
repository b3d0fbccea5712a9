"""Add up a session into one rollup per agent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePath

from inspector.analysis.cache_loss import CacheLoss, cache_losses
from inspector.analysis.tool_activity import FileReread, dropped_rereads
from inspector.analysis.usage_breakdown import ToolDefinition, mcp_server, tool_definitions
from inspector.core.conversation import Session, Usage
from inspector.engine.window import Timeline, at_turn, compute_timeline
from inspector.llm.models import (
    MILLION,
    NOTHING,
    SessionPrice,
    add_usage,
    billed_calls,
    cost,
    session_price,
    time_of,
)
from inspector.llm.tokens import Sizes
from inspector.store import Rollup, RollupPart, StoreError

ROLLUP_RULES = 2
"""Number of these rules. Rollups by other rules are made again by a backfill."""
_MAX_AGENTS = 64
"""Agents whose windows, repeated reads and cache losses are examined, each of which takes a pass over the log."""
_LATEST = 8_000
"""Year and later ones are damaged times."""


@dataclass
class _Amount:
    """Calls or reads, with their tokens and dollars."""

    count: int = 0
    tokens: int = 0
    defined: int = 0
    """Tokens of definitions; of a day, calls whose usage or price is not known."""
    cost: float | None = None

    def add(self, count: int, tokens: int, dollars: float | None = None) -> None:
        self.count += count
        self.tokens += tokens
        if dollars is not None:
            self.cost = (self.cost or 0.0) + dollars


@dataclass
class _AgentCalls:
    """Billed calls of an agent."""

    usage: Usage = NOTHING
    total: _Amount = field(default_factory=_Amount)
    unreported: int = 0
    models: dict[str, _Amount] = field(default_factory=dict)
    days: dict[str, _Amount] = field(default_factory=dict)


def session_rollups(
    session: Session, sizes: Sizes, folder: str = "", machine: str = "", person: str = ""
) -> tuple[Rollup, ...]:
    """Return the totals of each agent of a session, the first agent first.

    Args:
        session: The session.
        sizes: Token counts of its messages.
        folder: Folder that the agent worked in; empty if it is not recorded.
        machine: Name of this machine.
        person: Name of the user.
    """
    parts = _SessionParts(session, sizes)
    project = _project(folder, session.path)
    rows = [parts.rollup(agent, place) for place, agent in enumerate(session.agents)]
    return tuple(replace(row, folder=folder, project=project, machine=machine, person=person) for row in rows)


def _project(folder: str, path: str) -> str:
    """Return the name of a folder, or else of that of the source."""
    whole = folder or (str(Path(path).absolute().parent) if path else "")
    return PurePath(whole.replace("\\", "/").rstrip("/")).name


@dataclass
class _SessionParts:
    """Analyses that the rollups of all agents of a session share."""

    session: Session
    sizes: Sizes

    @cached_property
    def price(self) -> SessionPrice | None:
        """Prices of the calls; None if the user's own prices are invalid."""
        try:
            return session_price(self.session)
        except ValueError:
            return None

    @cached_property
    def by_agent(self) -> dict[str, list[int]]:
        """Positions of the messages of each agent."""
        places: dict[str, list[int]] = {agent: [] for agent in self.session.agents}
        for position, message in enumerate(self.session.messages):
            places[message.agent].append(position)
        return places

    @cached_property
    def calls(self) -> dict[str, _AgentCalls]:
        """The billed calls by agent."""
        agents: dict[str, _AgentCalls] = {}
        for call in billed_calls(self.session):
            own = agents.setdefault(call.reply.agent, _AgentCalls())
            price = self.price.of(call.reply) if self.price else None
            dollars = None
            if call.usage is not None:
                own.usage = add_usage(own.usage, call.usage)
                if price is not None and price.source != "default":
                    dollars = cost(price, call.usage).total
            own.unreported += dollars is None
            sent = call.usage.input if call.usage else self.window_at(call.position)
            model = call.reply.model or self.session.model
            day = _utc(time_of(call.reply))[:10]
            of_day = own.days.setdefault(day, _Amount())
            of_day.defined += dollars is None
            for amount in (own.total, own.models.setdefault(model, _Amount()), of_day):
                amount.add(1, sent, dollars)
        return agents

    @cached_property
    def timelines(self) -> dict[str, Timeline]:
        agents = self.session.agents[:_MAX_AGENTS]
        return {agent: compute_timeline(self.session, self.sizes, agent) for agent in agents}

    def window_at(self, position: int) -> int:
        """Return the tokens of the window that a reply answers; 0 if its agent is not examined."""
        agent = self.session.messages[position].agent
        turn = bisect_right(self.session.turns(agent), position)
        line = self.timelines.get(agent)
        return line.totals[turn - 1] if line and turn else 0

    def rollup(self, agent: str, place: int) -> Rollup:
        """Return the rollup of an agent without its folder, machine and person."""
        session, calls, places = self.session, self.calls.get(agent, _AgentCalls()), self.by_agent[agent]
        times = sorted(filter(None, (_utc(time_of(session.messages[at])) for at in places)))
        models = sorted(calls.models.items(), key=lambda item: (-item[1].count, item[0]))
        stated = session.stated_dollars if place == 0 else None
        row = Rollup(
            agent,
            place,
            ROLLUP_RULES,
            len(session.messages),
            session.title,
            session.path,
            project="",
            folder="",
            format=session.format,
            model=models[0][0] if models else session.model,
            machine="",
            person="",
            started=times[0] if times else "",
            ended=times[-1] if times else "",
            turns=len(session.turns(agent)),
            messages=len(places),
            calls=calls.total.count,
            unreported=calls.unreported,
            sent=calls.total.tokens,
            cached=calls.usage.cache_read,
            written=calls.usage.cache_write,
            output=calls.usage.output,
            cost=stated if calls.total.cost is None else calls.total.cost,
            tools=self.sizes.tools,
            parts=(*_parts("model", calls.models), *_parts("day", calls.days)),
        )
        line = self.timelines.get(agent)
        definitions = self.definitions(agent) if line else ()
        row = replace(row, parts=(*row.parts, *self.tool_parts(agent, definitions)))
        return self.with_windows(row, line) if line else row

    def with_windows(self, row: Rollup, line: Timeline) -> Rollup:
        """Return a rollup with what its agent's windows show: sizes, compactions, repeated reads and cache losses."""
        changes = [line.change(turn) for turn in line.compactions]
        rereads, losses = self.rereads(row.agent), self.losses(row.agent)
        files, causes = self.files(rereads), self.causes(losses)
        return replace(
            row,
            peak=line.peak,
            compactions=len(changes),
            tokens_before=sum(change.before.tokens for change in changes),
            tokens_after=sum(change.after.tokens for change in changes),
            rereads=len(rereads),
            reread_tokens=sum(amount.tokens for amount in files.values()),
            reread_cost=_sum_of(files),
            prompt=self.prompt(row.agent),
            cache_lost=sum(loss.tokens for loss in losses),
            cache_cost=_sum_of(causes),
            parts=(*row.parts, *_parts("file", files), *_parts("cause", causes)),
        )

    def rereads(self, agent: str) -> list[FileReread]:
        """Return what an agent read again after a compaction had dropped it; nothing if the texts are unreadable."""
        compactions = self.timelines[agent].compactions
        try:
            return list(dropped_rereads(self.session, agent, compactions)) if compactions else []
        except (OSError, StoreError):
            return []

    def files(self, rereads: Sequence[FileReread]) -> dict[str, _Amount]:
        """Return the tokens of the results that were read again by file, priced as input that is not cached."""
        files: dict[str, _Amount] = {}
        for reread in rereads:
            tokens = self.sizes.tokens[reread.position]
            files.setdefault(reread.need.fact, _Amount()).add(1, tokens, self.input_cost(reread.position, tokens))
        return files

    def input_cost(self, position: int, tokens: int) -> float | None:
        """Return the dollars for sending tokens once in the call after a position; None if the price is unknown."""
        message = self.session.messages[position]
        replies = self.session.turns(message.agent)
        after = bisect_right(replies, position)
        reply = self.session.messages[replies[min(after, len(replies) - 1)]] if replies else message
        price = self.price.of(reply) if self.price else None
        if price is None or price.source == "default":
            return None
        return tokens * price.input / MILLION

    def losses(self, agent: str) -> tuple[CacheLoss, ...]:
        try:
            return cache_losses(self.session, self.price, agent) if self.price else ()
        except (OSError, StoreError):
            return ()

    @staticmethod
    def causes(losses: Sequence[CacheLoss]) -> dict[str, _Amount]:
        causes: dict[str, _Amount] = {}
        for loss in losses:
            causes.setdefault(loss.cause, _Amount()).add(1, loss.tokens, loss.cost)
        return causes

    def prompt(self, agent: str) -> int:
        """Return the tokens of the system section of an agent's first window."""
        window = at_turn(self.session, self.sizes, 1, agent)
        return window.breakdown["system"].tokens

    def definitions(self, agent: str) -> tuple[ToolDefinition, ...]:
        return tool_definitions(at_turn(self.session, self.sizes, 1, agent), self.session) if self.session.tools else ()

    def tool_parts(self, agent: str, definitions: tuple[ToolDefinition, ...]) -> Iterator[RollupPart]:
        """Yield the calls of each tool and MCP server, with the tokens of their results and definitions."""
        tools = {tool.name: _Amount(defined=tool.tokens) for tool in definitions}
        names: dict[str, str] = {}
        for position in self.by_agent[agent]:
            message = self.session.messages[position]
            for call in message.calls if message.is_reply else ():
                names[call.id] = call.name
                tools.setdefault(call.name, _Amount()).add(1, 0)
            if name := names.get(message.answers or ""):
                tools[name].add(0, self.sizes.tokens[position])
        yield from _parts("tool", tools)
        servers: dict[str, _Amount] = {}
        for name, amount in tools.items():
            if server := mcp_server(name):
                total = servers.setdefault(server, _Amount())
                total.add(amount.count, amount.tokens)
                total.defined += amount.defined
        yield from _parts("server", servers)


def _parts(kind: str, amounts: dict[str, _Amount]) -> Iterator[RollupPart]:
    for name, amount in amounts.items():
        yield RollupPart(kind, name, amount.count, amount.tokens, amount.defined, amount.cost)


def _sum_of(amounts: dict[str, _Amount]) -> float | None:
    known = [amount.cost for amount in amounts.values() if amount.cost is not None]
    return sum(known) if known else None


def _utc(time: datetime | None) -> str:
    """Return a time as UTC text with seconds; "" if it is unknown or out of range."""
    if time is None or not 1970 <= time.year < _LATEST:
        return ""
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
