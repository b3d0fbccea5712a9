"""Word the diagnosis of a session: one sentence on its context that is true given the available evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.analysis.cache_loss import CacheLoss
from inspector.core.conversation import MAIN
from inspector.core.text import clip, dollars, percent, plural
from inspector.engine import work_state
from inspector.library import Workbench
from inspector.library.diagnosis.consequence_words import consequence_name
from inspector.library.diagnosis.evidence import Findings, LateNeed, Overview
from inspector.library.diagnosis.fact_names import fact_name
from inspector.library.diagnosis.sentence import Clause, Kind, Piece, Target, Verdict
from inspector.library.diagnosis.shares import eaters
from inspector.store import Store

_FULL = 0.8
"""Share of the model's window from which a window counts as full."""
_NAME = 28
"""Maximum columns of a model's name."""
UNRECORDED = 0.1
"""Unrecorded share of a window from which claims about need are qualified."""
_FACTS = 3
"""Maximum number of needed facts that are named."""


def verdict(bench: Workbench, agent: str = MAIN, findings: Findings | None = None) -> Verdict:
    """Return the diagnosis of an agent's context, which fits in two lines of 80 columns. Takes one pass over the log.

    Args:
        bench: Session to diagnose.
        agent: Agent whose context is diagnosed.
        findings: Result of `look_back`; None to use only what is known without it.
    """
    return judge(survey(bench, agent), findings)


def survey(bench: Workbench, agent: str = MAIN, store: Store | None = None) -> Overview:
    """Return an overview in which everything that a diagnosis needs is already computed. For worker threads.

    Args:
        bench: Session to diagnose.
        agent: Agent whose context is diagnosed.
        store: Store that may contain the session with which this one continues.
    """
    overview = Overview(bench, agent, store)
    _ = overview.timeline, overview.window.total, overview.is_limit_known, overview.too_large, [*eaters(overview)]
    _ = overview.leavings, overview.records_compactions, overview.cache_losses, overview.unrecorded_share
    return overview


def judge(overview: Overview, findings: Findings | None = None, turn: int = 0) -> Verdict:
    """Word the diagnosis of an overview. Cheap if `survey` has made the overview.

    The sentence is about the recording, which it mentions if plans are applied.

    Args:
        overview: Facts about the context.
        findings: Result of `look_back`; None to use only what is known without it.
        turn: Turn to describe if it was compacted, a reply needed lost facts or the cache did not serve the call;
            otherwise the whole session is described.
    """
    verdict = _outright(overview) or _at(overview, findings, turn)
    if verdict is None:
        verdict = _in_all(overview, findings)
        verdict = replace(verdict, clauses=(*_difference(overview), *verdict.clauses))
    if overview.bench.plans.get(overview.agent):
        first, *rest = verdict.clauses
        lead = replace(first, spans=(("without plans: ", "plain"), *first.spans))
        verdict = replace(verdict, clauses=(lead, *rest))
    return verdict.within()


def _outright(overview: Overview) -> Verdict | None:
    """Return the sentence for a session without usable windows; None for any other."""
    if not overview.bench.session.messages:
        return Verdict("empty", (_clause(("the recording is empty", "warn")),))
    if overview.bench.partial:
        return Verdict("reading", (_clause(("the rest of the file is still being read", "plain")),))
    if not any(overview.timeline.totals):
        return Verdict("replies only", (_clause(("only replies are recorded, no requests", "warn")),))
    return None


def _in_all(overview: Overview, findings: Findings | None) -> Verdict:
    """Return the sentence about the whole session."""
    if overview.too_large:
        target = Target(overview.agent, overview.too_large[0])
        ways = (_leads("s", "try a strategy that makes it fit"), *_asides(overview))
        return Verdict("too large", (*_too_large(overview), *_compactions(overview), *ways), "s", target)
    if overview.timeline.compactions:
        return _compacted(overview, findings)
    return _never_compacted(overview)


def _difference(overview: Overview) -> Iterator[Clause]:
    """Yield the clause that the shown size is not the reported one."""
    if sizes := overview.difference:
        size, report = sizes
        yield _clause((f"{report:,} tokens were reported", "warn"), (f", {overview.total(size)} are shown", "plain"))


def _fell(overview: Overview, turn: int = 0) -> Iterator[Clause]:
    """Yield the clause about the last fall of the reported size, or about the one before a turn."""
    falls = [fall for fall in overview.falls if turn in (0, fall.turn)]
    if falls:
        fall = falls[-1]
        count = "" if len(falls) == 1 else f"fell {len(falls):,} times without a record, last"
        what, place = f"{count or 'fell'} from {fall.before:,} to {fall.after:,}", f" before turn {fall.turn:,}"
        why = "" if count else "; the file does not say why"
        yield _clause((what, "warn"), (f"{place}{why}", "plain"))


def _too_large(overview: Overview) -> Iterator[Clause]:
    turns, totals = overview.too_large, overview.timeline.totals
    model = clip(overview.bench.session.model, _NAME)
    is_its = model and overview.is_limit_known and not overview.bench.limit
    name = model if is_its else f"a window of {overview.limit:,}"
    lasts = len(turns) == len(totals) - turns[0] + 1
    is_new = turns[0] == len(totals)
    when = (
        " now"
        if is_new
        else f" since turn {turns[0]:,}"
        if lasts
        else f" at {plural(len(turns), 'turn')}, first at turn {turns[0]:,}"
    )
    yield _clause((f"too large for {name}", "bad"), (when, "plain"))
    size, limit = overview.total(max(totals)), f" of {overview.limit:,}" if is_its else " at its peak"
    yield Clause(((": ", "plain"), (size, "strong"), (limit, "plain")), 1, "")


def _compacted(overview: Overview, findings: Findings | None) -> Verdict:
    clauses, last = (*_compactions(overview), *_fell(overview)), overview.timeline.compactions[-1]
    if findings is None:
        way = _leads("r", "find facts that were needed later") if overview.is_long else _leads("c", "jump to it")
        return Verdict("compacted", (*clauses, way), "r" if overview.is_long else "c", Target(overview.agent, last))
    if findings.consequences:
        return Verdict(
            "compacted", (*clauses, *_followed(findings), _leads("r", "jump to it")), "r", _first_of(overview, findings)
        )
    if not findings.needs:
        ways = (_unmissed(overview, findings, last), *_unrecorded(overview), _leads("c", "jump to it"))
        return Verdict("compacted", (*clauses, *ways), "c", Target(overview.agent, last))
    target = _place(overview, findings.needs[0])
    return Verdict(
        "compacted", (*clauses, *_missed(findings), *_unrecorded(overview), _leads("r", "jump to it")), "r", target
    )


def _unrecorded(overview: Overview) -> Iterator[Clause]:
    """Yield the clause that claims about need are uncertain, if much of the window after a compaction is unrecorded."""
    if overview.unrecorded_share > UNRECORDED:
        share = percent(overview.unrecorded_share)
        yield Clause(((share, "strong"), (" of the window then is unrecorded", "plain")), 6)


def _compactions(overview: Overview) -> Iterator[Clause]:
    turns = overview.timeline.compactions
    if turns:
        last = turns[-1]
        is_new = last > overview.bench.turns(overview.agent)
        when = "before turn 1" if last == 1 else "after the last turn" if is_new else f"at turn {last:,}"
        count = "" if len(turns) == 1 else f" {plural(len(turns), 'time')}, last"
        yield _clause(("compacted", "warn"), (f"{count} {when}", "plain"))
        yield from _change(overview, last)


def _change(overview: Overview, turn: int) -> Iterator[Clause]:
    """Yield the sizes of the window before and after a compaction, once both are counted."""
    if turn == 1:
        before = f" from {overview.compacted_before:,}" if overview.compacted_before else ""
        place = ", the dropped messages are not in this file" if overview.begins_compacted else ""
        yield Clause(((before, "strong"), (place, "plain")), 2, "")
    elif overview.is_counted:
        sizes = overview.timeline.change(turn)
        grew = ", more than before" if sizes.grew else ""
        yield Clause(((": ", "plain"), (str(sizes), "strong"), (grew, "warn")), 2, "")


def _followed(findings: Findings) -> Iterator[Clause]:
    """Yield the clauses about what followed a compaction, the worst kind first."""
    followed = {one.kind for one in findings.consequences}
    kinds = [kind for kind in work_state.CONSEQUENCES if kind in followed] if followed else []
    for number, kind in enumerate(kinds):
        spans: list[Piece] = [("followed by ", "plain")] if not number else []
        yield Clause((*spans, (consequence_name(kind), "bad")), number and 2 + number, ", " if number else "; ")


def _first_of(overview: Overview, findings: Findings) -> Target:
    """Return the place of the worst consequence."""
    one = min(findings.consequences, key=lambda one: work_state.CONSEQUENCES.index(one.kind))
    is_last = one.turn >= overview.bench.turns(overview.agent)
    return Target(overview.agent, one.turn + (not is_last), one.message)


def _unmissed(overview: Overview, findings: Findings, turn: int) -> Clause:
    """Return the clause that nothing lost was needed later, or that this is unknown."""
    if overview.timeline.compactions[0] > overview.bench.turns(overview.agent):
        return _clause(("no reply followed", "plain"), rank=1)
    if turn == 1:
        return _clause(("nothing is known", "plain"), (" about what was needed later", "plain"), rank=1)
    if turn in findings.sealed:
        return _clause(("its summary is encrypted", "warn"), (": its contents are unknown", "plain"), rank=1)
    return _clause(("no later reply", "good"), (" re-fetched a dropped source", "plain"), rank=1)


def _missed(findings: Findings) -> Iterator[Clause]:
    """Yield the clauses about replies that needed lost facts, with the names of the first few facts."""
    replies = "1 later reply" if len(findings.needs) == 1 else f"{len(findings.needs):,} later replies"
    missed = " re-fetched dropped sources" if findings.lookups else " contain facts that the recorded context lacks"
    missed = missed.replace("contain ", "contains ") if len(findings.needs) == 1 else missed
    yield _clause((replies, "bad" if findings.lookups else "warn"), (missed, "plain"), rank=1)
    yield from _names([need.regret.fact for need in findings.needs])


def _names(facts: Sequence[str]) -> Iterator[Clause]:
    """Yield the names of the first few facts."""
    names = list(dict.fromkeys(fact_name(fact) for fact in facts))
    for number, name in enumerate(names[:_FACTS]):
        pieces: list[Piece] = [(", " if number else ": ", "plain"), (name, "strong")]
        yield Clause((*pieces, (", …", "plain")) if number == len(names) else tuple(pieces), 3 + number, "")
    if len(names) > _FACTS:
        yield Clause(((", …", "plain"),), 3 + _FACTS, "")


def _without_compactions(overview: Overview) -> tuple[Kind, tuple[Clause, ...]]:
    """Return what a recording without compactions states, as the subject of its sentence and its first clauses."""
    kind: Kind
    if overview.falls:
        kind, lead = "fell", tuple(_fell(overview))
    elif overview.records_compactions:
        kind, lead = "never compacted", (_clause(("never compacted", "strong")),)
    else:
        kind, lead = "not recorded", (_clause(("the file does not record compactions", "plain")),)
    backs = [back.words for back in overview.rewinds[-1:]]
    breaks = [f"the chain of messages breaks before turn {turn:,}" for turn in overview.breaks[-1:]]
    return kind, (*lead, *(_clause((words, "plain"), rank=1) for words in (*overview.leavings, *backs, *breaks)))


def _never_compacted(overview: Overview) -> Verdict:
    kind, lead = _without_compactions(overview)
    if not overview.is_counted:
        return Verdict(kind, lead)
    total = overview.window.total
    share = total / overview.limit if overview.limit and overview.is_limit_known else 0.0
    size = f"{percent(share)} full" if share else f"{overview.total(total)} {'token' if total == 1 else 'tokens'}"
    full = Clause((("now ", "plain"), (size, "warn" if share >= _FULL else "strong")))
    is_plain = kind != "fell"
    kind = "full" if share >= _FULL and is_plain else kind
    asides, key = tuple(_asides(overview)), ""
    if overview.bench.session.problems:
        kind, key = ("problems" if kind not in ("fell", "full") else kind), "!"
        asides = (*asides, _leads("!", "show the problems"))
    elif overview.window.messages:
        key = "z"
        asides = (*asides, _leads("z", "see what fills it"))
    return Verdict(kind, (*lead, full, *eaters(overview), *asides), key)


def _asides(overview: Overview) -> Iterator[Clause]:
    """Yield clauses with further information, which are dropped first if space is short."""
    session = overview.bench.session
    if session.problems:
        places = plural(len(session.problems), "problem")
        yield Clause((("the file has ", "plain"), (places, "warn")), 2)
    if len(session.agents) > 1:
        yield Clause(((f"one of {len(session.agents):,} agents", "plain"),), 6)


# diagnosis of one turn


def _at(overview: Overview, findings: Findings | None, turn: int) -> Verdict | None:
    """Return the sentence about a turn with a compaction, a late need or a cache loss; None for any other turn."""
    if turn in overview.timeline.compactions:
        return _compacted_here(overview, findings, turn)
    if any(fall.turn == turn for fall in overview.falls):
        return Verdict("fell", tuple(_fell(overview, turn)))
    need = findings.at(turn) if findings else None
    if findings and need:
        return _needed_here(overview, findings, need)
    loss = next((loss for loss in overview.cache_losses if loss.turn == turn), None)
    return _not_cached_here(loss) if loss else None


def _not_cached_here(loss: CacheLoss) -> Verdict:
    lead = _clause(("not served by the prompt cache", "warn"), (f": {loss.tokens:,} tokens sent again", "plain"))
    price = [Clause(((f" for {dollars(loss.cost)} more", "plain"),), 2, "")] if loss.cost is not None else []
    return Verdict("cache loss", (lead, *price, Clause(((loss.reason, "plain"),), 1)))


def _compacted_here(overview: Overview, findings: Findings | None, turn: int) -> Verdict:
    lead = (_clause(("compacted here", "warn")), *_change(overview, turn))
    here = findings.of(turn) if findings else None
    if here is None:
        return Verdict("compacted", lead)
    if here.consequences:
        ways = (*_followed(here), _leads("r", "jump to it"))
        return Verdict("compacted", (*lead, *ways), "r", _first_of(overview, here))
    if not here.needs:
        return Verdict("compacted", (*lead, _unmissed(overview, here, turn)))
    target = _place(overview, here.needs[0])
    return Verdict("compacted", (*lead, *_missed(here), _leads("r", "jump to it")), "r", target)


def _needed_here(overview: Overview, findings: Findings, need: LateNeed) -> Verdict:
    """Return the sentence about lost facts that the newest reply needed, with the key to the next such reply."""
    facts = [one.fact for one in need.regret.needs]
    turns = sorted(need.lost_at)
    when = f", lost at turn {turns[-1]:,}" if len(turns) == 1 else f", lost at {len(turns):,} compactions"
    missed = " re-fetched dropped sources" if need.is_lookup else " contains facts that the recorded context lacks"
    lead = _clause((f"reply {need.number:,}", "bad"), (missed, "plain"))
    clauses = (lead, *_names(facts), Clause(((when, "plain"),), 2, ""))
    later = next((one for one in findings.needs if one.turn > need.turn), None)
    if later is None:
        return Verdict("compacted", clauses)
    return Verdict("compacted", (*clauses, _leads("r", "next such reply")), "r", _place(overview, later))


def _place(overview: Overview, need: LateNeed) -> Target:
    return Target(overview.agent, need.turn, need.regret.message)


def _leads(key: str, where: str) -> Clause:
    """Return the clause that names a key and its effect."""
    return Clause(((key, "key"), (f": {where}", "plain")), 1, " · ")


def _clause(*pieces: Piece, rank: int = 0) -> Clause:
    return Clause(pieces, rank)
