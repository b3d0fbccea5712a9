"""Find the files and pages that an agent read more than once in a session, with the cost of the later reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from inspector.analysis.replay.context_growth import context_steps
from inspector.analysis.tool_activity import Action, Actions, is_content
from inspector.analysis.usage_breakdown import Node
from inspector.core.conversation import MAIN, Session
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import dollars, one_line, plural
from inspector.llm.models import SessionPrice
from inspector.llm.tokens import Certainty, Sizes, TokenCount, result_identities, weakest

_MILLION = 1_000_000


@json_object("Session reads", keys="resource reads same tokens again cost messages")
@dataclass(frozen=True, slots=True)
class SessionReads:
    """Reads of one file or page in a whole session, including those that compactions have dropped since."""

    resource: Annotated[str, "path or URL"]
    messages: Annotated[tuple[str, ...], "ids of the results, oldest first"]
    tokens: Annotated[Tokens, "of all results"]
    again: Annotated[Tokens, "of the results with content that an earlier one had returned"]
    same: Annotated[int, "results with exactly the same text as an earlier one"]
    cost: Annotated[float | None, "dollars for sending `again`, first uncached, then from the cache; null if unpriced"]
    certainty: Certainty = "exact"

    @property
    def reads(self) -> Annotated[int, "number of results"]:
        return len(self.messages)

    @property
    def sentence(self) -> str:
        """Number of reads in words: "read 4 times, 1 the same"."""
        same = f", {self.same} the same" if self.same else ""
        return f"read {plural(self.reads, 'time')}{same}"

    @property
    def size(self) -> TokenCount:
        return TokenCount(self.tokens, self.certainty)

    @property
    def size_again(self) -> TokenCount:
        return TokenCount(self.again, self.certainty)


class _Read(NamedTuple):
    """One file or page in the result of a call."""

    position: int
    """Position of the result in the log."""
    action: Action
    files: int
    """Number of files in the result."""

    def tokens(self, sizes: Sizes) -> int:
        return sizes.tokens[self.position] // self.files


def session_reads(
    session: Session, sizes: Sizes, price: SessionPrice | None, agent: str = MAIN
) -> tuple[SessionReads, ...]:
    """Return the files and pages that an agent read more than once, the most tokens read again first.

    A result counts as read again if an earlier one contains the same file or page, or some of the same lines of it. The
    tokens of a command that printed several files are divided equally among them.
    Every call between a result and the end of its context sends it once: the first uncached, the others from the cache.

    Args:
        session: Recorded session.
        sizes: Token counts of its messages.
        price: Price of its calls; None if unknown.
        agent: Agent whose reads are counted.

    Raises:
        OSError: If the recording can no longer be read.
    """
    costs = _costs_per_token(session, price, agent) if price else None
    rows = (
        _reads_of(session, sizes, costs, resource, results)
        for resource, results in _results_by_resource(session, agent).items()
        if len(results) > 1
    )
    return tuple(sorted((row for row in rows if row.again), key=lambda row: -row.again))


def describe_session_reads(rows: Sequence[SessionReads]) -> str:
    """Describe the files read more than once in a whole session: their number, tokens and cost. No final period."""
    size = TokenCount(sum(row.again for row in rows), weakest(*(row.certainty for row in rows)))
    cost = sum(row.cost or 0.0 for row in rows)
    paid = f" for ≈{dollars(cost)}" if cost else ""
    return f"Whole session: {plural(len(rows), 'file')} read more than once, {size} tokens again{paid}"


def reads_tree(rows: Sequence[SessionReads]) -> Node:
    """Return the files that were read more than once as the parts of one node."""
    files = tuple(
        Node(
            one_line(row.resource),
            row.tokens,
            row.messages,
            certainty=row.certainty,
            reread=row.again,
            cost=row.cost,
            remark=row.sentence,
        )
        for row in rows
    )
    certainty = weakest(*(row.certainty for row in rows))
    tokens, again = sum(row.tokens for row in rows), sum(row.again for row in rows)
    return Node("reads", tokens, children=files, certainty=certainty, reread=again)


def _results_by_resource(session: Session, agent: str) -> dict[str, list[_Read]]:
    """Return an agent's reads by path or address. Copies are left out."""
    actions = Actions(session.messages)
    results: dict[str, list[_Read]] = {}
    for position, message in enumerate(session.messages):
        if message.agent != agent or not is_content(message) or session.original_of(message) is not message:
            continue
        reads = actions.reads_of(message)
        for action in reads:
            results.setdefault(action.resource, []).append(_Read(position, action, len(reads)))
    return results


def _reads_of(
    session: Session, sizes: Sizes, costs: dict[str, float] | None, resource: str, results: Sequence[_Read]
) -> SessionReads:
    messages = [session.messages[read.position] for read in results]
    texts = result_identities(messages)
    again = list(_read_again(results))
    is_shared = any(read.files > 1 for read in results)
    return SessionReads(
        resource,
        tuple(message.id for message in messages),
        sum(read.tokens(sizes) for read in results),
        sum(read.tokens(sizes) for read in again),
        len(texts) - len(set(texts)),
        None
        if costs is None
        else sum(read.tokens(sizes) * costs.get(session.messages[read.position].id, 0.0) for read in again),
        weakest(sizes.certainty, "estimated") if is_shared else sizes.certainty,
    )


def _read_again(results: Sequence[_Read]) -> Iterator[_Read]:
    """Yield the reads of a file that return lines of an earlier one."""
    earlier: dict[range | None, Action] = {}
    for read in results:
        if None in earlier or any(before.overlaps(read.action) for before in earlier.values()):
            yield read
        earlier.setdefault(read.action.lines, read.action)


def _costs_per_token(session: Session, price: SessionPrice, agent: str) -> dict[str, float]:
    """Return the dollars per token that each message of an agent cost in all calls that sent it, by message id.

    The copies of a message that compactions kept count for the original.
    """
    costs: dict[str, float] = {}
    path: list[tuple[str, float]] = []
    sent = 0.0
    """Dollars for sending one token from the cache with every call so far."""
    for step in context_steps(session, agent):
        for name, start in path[step.prefix :]:
            costs[name] = costs.get(name, 0.0) + sent - start
        del path[step.prefix :]
        rate = price.of(session.messages[step.reply]) if step.reply >= 0 else None
        cached, fresh = (rate.cache_read, rate.cache_write if rate.caches else rate.input) if rate else (0.0, 0.0)
        for position in step.new:
            name = session.original_of(session.messages[position]).id
            costs[name] = costs.get(name, 0.0) + fresh / _MILLION
            path.append((name, sent + cached / _MILLION))
        sent += cached / _MILLION
    for name, start in path:
        costs[name] = costs.get(name, 0.0) + max(0.0, sent - start)
    return costs
