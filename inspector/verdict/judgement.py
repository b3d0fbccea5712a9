"""The verdict on a session: what its context came to, in one sentence that is true by what is known."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.conversation import MAIN
from inspector.library import Workbench
from inspector.text import clip, percent, plural
from inspector.verdict.evidence import Findings, Overview
from inspector.verdict.sentence import Clause, Kind, Piece, Target, Verdict

_FULL = 0.8
"""Share of the model's window from which on a window is full."""
_NAME = 32
"""Cells of the name of a model, a file or a fact."""


def verdict(bench: Workbench, agent: str = MAIN, findings: Findings | None = None) -> Verdict:
    """The verdict on an agent's context.

    Without the findings of `look_back` it says what is known without them. It fits two lines of 80 cells.
    """
    facts = Overview(bench, agent)
    return (_outright(facts) or _of_sizes(facts, findings)).within()


def _outright(facts: Overview) -> Verdict | None:
    """What there is to say where there are no windows to speak of."""
    bench, agent = facts.bench, facts.agent
    if not bench.session.messages:
        return Verdict("empty", (_clause(("nothing is recorded here", "warn")),))
    if bench.partial:
        return Verdict("reading", (_clause(("the rest of the file is still being read", "plain")),))
    if not facts.window.messages and bench.turns(agent):
        return Verdict("replies only", (_clause(("only replies are recorded, and not what they answer", "warn")),))
    return None


def _of_sizes(facts: Overview, findings: Findings | None) -> Verdict:
    kind, clauses, target = _lead(facts)
    if findings is not None and findings.regrets:
        needed = _needed(findings)
        first = findings.regrets[0]
        return Verdict(kind, (*clauses, *needed), "r", Target(facts.agent, first.turn, first.message))
    return Verdict(kind, clauses, "", target)


def _needed(findings: Findings) -> Iterator[Clause]:
    """What was needed again of what compactions took away."""
    count = len(findings.turns)
    replies = "1 later reply" if count == 1 else f"{count:,} later replies"
    yield _clause((replies, "bad"), (" needed something it had lost", "plain"), rank=1)
    name = clip(findings.regrets[0].fact, _NAME)
    yield Clause(((" (", "plain"), (name, "strong"), (", …)" if count > 1 else ")", "plain")), 2, "")
    yield Clause((("r", "key"), (" goes there", "plain")), 1, " · ")


def _lead(facts: Overview) -> tuple[Kind, tuple[Clause, ...], Target | None]:
    line, limit = facts.timeline, facts.limit
    if line.compactions:
        return "compacted", tuple(_compactions(facts)), Target(facts.agent, line.compactions[-1])
    if not facts.is_counted:
        return "never compacted", (_clause(("never compacted", "plain")),), None
    total = facts.window.total
    share = total / limit if limit else 0.0
    full = _clause((f"{percent(share)} full", "bad" if share > 1 else "warn" if share >= _FULL else "strong"))
    over = [turn for turn, tokens in enumerate(line.totals, 1) if tokens > limit]
    if over and facts.is_limit_known:
        name = clip(facts.bench.session.model, _NAME) or "the model"
        lead = _clause((f"too large for {name}", "bad"), (f" since turn {over[0]:,}", "plain"))
        return "too large", (lead, full), Target(facts.agent, over[0])
    kind: Kind = "full" if share >= _FULL else "never compacted"
    return kind, (_clause(("never compacted", "plain")), full), None


def _compactions(facts: Overview) -> Iterator[Clause]:
    turns, totals = facts.timeline.compactions, facts.timeline.totals
    last = turns[-1]
    if len(turns) == 1:
        lead: tuple[Piece, ...] = (("compacted", "warn"), (f" at turn {last:,}", "plain"))
    else:
        lead = (("compacted", "warn"), (f" {plural(len(turns), 'time')}, last at turn {last:,}", "plain"))
    if facts.is_counted and last > 1:
        sizes = f"{facts.tokens(totals[last - 2])} → {facts.tokens(totals[last - 1])}"
        lead = (*lead, (": ", "plain"), (sizes, "strong"))
    yield Clause(lead)


def _clause(*pieces: Piece, rank: int = 0) -> Clause:
    return Clause(pieces, rank)
