"""Answer the four common questions about a session in a few sentences each, with a command for more details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Literal

from inspector.analysis.cache_loss import describe_cache_losses
from inspector.analysis.experiments import Recommendation, TrialResult, recommend_preset
from inspector.analysis.replay import NONE, RECORDED, Replay, ReplayRun, ReportedUsage, reported_calls
from inspector.analysis.usage_breakdown import repeats
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import dollars, ends, one_line, percent, plural
from inspector.engine import work_state
from inspector.engine.strategies import STRATEGIES
from inspector.library import Preview, Workbench, money_of
from inspector.library.diagnosis.consequence_words import consequence_name, describe_consequence
from inspector.library.diagnosis.evidence import Findings, LateNeed, Overview
from inspector.library.diagnosis.fact_names import fact_name
from inspector.library.diagnosis.judgement import UNRECORDED
from inspector.library.diagnosis.shares import WindowShare, largest_messages, shares
from inspector.library.diagnosis.stated_costs import describe_stated_cost
from inspector.library.diagnosis.tool_advice import ToolAdvice, advise
from inspector.llm.models import Price, session_price

Topic = Literal["forgot", "eats", "advice", "cost"]
_MAX_ITEMS = 3
"""Maximum number of compactions, replies, kinds of content and messages that are described individually."""
_NAME = 48
"""Maximum columns of the name of a file or page."""
_MILD = ("dedupe", "clear_thinking")
"""Strategies that remove only duplicates or old reasoning."""
_WORTH = 0.01
"""Share of the window from which a saving is mentioned."""


@json_object("Answer")
@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Answer to one question."""

    topic: Topic
    question: str
    sentences: tuple[str, ...]
    command: Annotated[str, "that shows more, with SESSION in it"]


@json_object()
@dataclass(frozen=True, slots=True)
class Saving:
    """Tokens that a strategy would remove from the current window."""

    strategy: str
    tokens: Tokens


@dataclass(frozen=True)
class Case:
    """Evidence for the answers. Without `rows` (trials of presets), no preset is recommended."""

    overview: Overview
    findings: Findings
    rows: Sequence[TrialResult] = field(default=(), repr=False)

    @cached_property
    def recommendation(self) -> Recommendation:
        return recommend_preset(self.rows)

    @cached_property
    def shares(self) -> tuple[WindowShare, ...]:
        """Kinds of content in the current window, largest first."""
        return tuple(shares(self.overview.window))

    @cached_property
    def savings(self) -> tuple[Saving, ...]:
        """Savings of the least destructive strategies, largest first, without those that save nothing."""
        agent = self.overview.agent
        saved = [Saving(name, self.bare.preview(None, agent, name).savings) for name in _MILD]
        return tuple(sorted((one for one in saved if one.tokens > 0), key=lambda one: -one.tokens))

    @cached_property
    def tool_advice(self) -> tuple[ToolAdvice, ...]:
        """Changes in the recorded tool that would have saved tokens, largest saving first."""
        return advise(self.overview, self.price)

    @cached_property
    def price(self) -> Price:
        """Price of the session's model.

        Raises:
            ValueError: If the user's price table cannot be read.
        """
        return session_price(self.overview.bench.session)

    @cached_property
    def reported(self) -> ReportedUsage | None:
        return reported_calls(self.overview.bench.session, self.price, self.overview.agent)

    @cached_property
    def recorded(self) -> Replay:
        """Replay of the recording itself, with its cost per call."""
        bench = self.overview.bench
        run = ReplayRun(bench.session, bench.sizes, RECORDED, self.price, self.overview.agent)
        for _ in run.frames():
            pass
        return run.replay()

    @cached_property
    def bare(self) -> Workbench:
        """Bench without plans, because the answers are about the recording."""
        return replace(self.overview.bench, plans={})

    @cached_property
    def planned(self) -> Preview | None:
        """Current window with the applied plans; None if no plans are applied."""
        bench, agent = self.overview.bench, self.overview.agent
        return bench.preview(None, agent) if bench.plans.get(agent) else None

    @cached_property
    def call_cost(self) -> str:
        """Cost of sending the window once more without a cache, as text; "" if nothing is sent."""
        return money_of(self.bare.preview(None, self.overview.agent)).now

    @property
    def through(self) -> str:
        """Description of the plans applied in `planned`; "" without plans."""
        return f"through {plural(len(self.planned.applied), 'plan')}" if self.planned else ""

    @property
    def _losses(self) -> str:
        """Command that shows the lost facts, for the compaction that affected the first reply."""
        compactions = self.overview.timeline.compactions
        if not compactions:
            return "replay SESSION --preset recorded"
        followed = [one.compaction for one in self.findings.consequences]
        missed = max(self.findings.needs[0].lost_at) if self.findings.needs else compactions[-1]
        missed = followed[0] if followed else missed
        return "lost SESSION" if missed == compactions[-1] else f"lost SESSION --turn {missed}"

    def answers(self) -> tuple[WhyAnswer, ...]:
        """Return the four answers; empty if nothing is recorded.

        Raises:
            ValueError: If the user's price table cannot be read.
        """
        if not self.overview.bench.session.messages:
            return ()
        return (
            WhyAnswer("forgot", "Why did it forget?", tuple(_forgotten(self)), self._losses),
            WhyAnswer("eats", "What fills the window?", tuple(_eaten(self)), "top SESSION"),
            WhyAnswer("advice", "What should I do?", tuple(_advice(self)), "tune SESSION"),
            WhyAnswer("cost", "What does it cost?", tuple(_costs(self)), "replay SESSION --preset recorded"),
        )


def _forgotten(case: Case) -> Iterator[str]:
    overview, needs = case.overview, case.findings.needs
    turns, followed = overview.timeline.compactions, case.findings.consequences
    yield from _followed(case)
    yield from _dropped(overview)
    if not turns:
        yield _no_compaction(overview)
        return
    if turns[0] == 1:
        yield _begun(overview)
    for turn in [turn for turn in turns if turn > 1][-_MAX_ITEMS:]:
        yield _compacted(overview, turn)
    if len(turns) > _MAX_ITEMS:
        yield f"It was compacted {plural(len(turns) - _MAX_ITEMS, 'time')} before."
    for need in needs[:_MAX_ITEMS]:
        yield _needed(case, need)
    if len(needs) > _MAX_ITEMS:
        yield f"So did {_more_replies(len(needs) - _MAX_ITEMS)}."
    if case.findings.sealed:
        yield _sealed(sorted(case.findings.sealed)[-_MAX_ITEMS:])
    elif not (needs or followed):
        yield _unmissed(overview)
    yield from _unrecorded(overview)


def _unmissed(overview: Overview) -> str:
    """Return the sentence that no later reply needed a dropped fact, or that this is unknown."""
    turns = overview.timeline.compactions
    if turns == (1,):
        return "It is unknown whether a later reply needed a dropped fact."
    if turns[0] > overview.bench.turns(overview.agent):
        return "No reply followed."
    return "No later reply re-fetched a source that a compaction had dropped."


def _more_replies(count: int) -> str:
    return "1 more reply" if count == 1 else f"{count:,} more replies"


def _unrecorded(overview: Overview) -> Iterator[str]:
    """Qualify claims about need if much of the window after the last compaction is unrecorded."""
    if overview.unrecorded_share > UNRECORDED:
        share, last = percent(overview.unrecorded_share), overview.timeline.compactions[-1]
        yield f"{share} of the window at turn {last:,} is unrecorded, so it may contain more than the file shows."


def _dropped(overview: Overview) -> Iterator[str]:
    """Describe what was removed without a compaction."""
    yield from (_as_sentence(f"{words}, without a summary") for words in overview.leavings)
    yield from (_as_sentence(back.words) for back in overview.rewinds[-_MAX_ITEMS:])
    for turn in overview.breaks[-_MAX_ITEMS:]:
        yield f"It forgot everything before turn {turn:,}: the chain of messages breaks there, as after a lost resume."
    yield from (_as_sentence(fall.words) for fall in overview.falls[-_MAX_ITEMS:])


def _as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _followed(case: Case) -> Iterator[str]:
    """Describe what followed a compaction, the worst first, with one sentence for each reply."""
    replies: dict[str, list[work_state.Consequence]] = {}
    for one in sorted(case.findings.consequences, key=lambda one: work_state.CONSEQUENCES.index(one.kind)):
        replies.setdefault(one.message, []).append(one)
    for first, *others in list(replies.values())[:_MAX_ITEMS]:
        also = ", ".join(dict.fromkeys(consequence_name(one.kind) for one in others if one.kind != first.kind))
        sentence = describe_consequence(first, case.overview.places[first.message] + 1)
        yield f"{sentence} Also: {also}." if also else sentence
    if more := max(0, len(replies) - _MAX_ITEMS):
        yield f"{_more_replies(more)} {'goes' if more == 1 else 'go'} against the state before a compaction."


def _no_compaction(overview: Overview) -> str:
    """State what a file without compactions shows."""
    if overview.falls:
        return "No compaction is recorded, so it is unknown what was dropped."
    if not overview.records_compactions:
        return "The file does not record compactions, so it is unknown whether there were any."
    more = " else" if overview.leavings or overview.breaks else ""
    return f"It was never compacted, so no compaction dropped anything{more}."


def _begun(overview: Overview) -> str:
    """Describe a session that begins with the summary of another file's messages."""
    before, after = overview.compacted_before, overview.timeline.size(1)
    if not overview.begins_compacted:
        start = f" from {before:,} tokens" if before else ","
        return f"It was compacted before the first reply{start} to {after} tokens."
    sizes = f" from {before:,} tokens to {after}" if before else f", with {after} tokens"
    return f"The session begins with a compaction{sizes}. The dropped messages are {_place_of_dropped(overview)}."


def _place_of_dropped(overview: Overview) -> str:
    """Return the place of the messages that the first compaction dropped: another session, if it was found."""
    earlier = overview.earlier
    if earlier is None:
        return "not in this file"
    title = f" ({one_line(earlier.title)})" if earlier.title else ""
    return f"in another session, {one_line(earlier.target)}{title}"


def no_compaction(overview: Overview) -> str:
    """Return the reason why no compaction of a recording can be examined, as a sentence."""
    if overview.begins_compacted:
        return f"The session begins with a compaction, and the dropped messages are {_place_of_dropped(overview)}."
    if not overview.records_compactions:
        return "The file does not record compactions."
    return "This session has no compaction."


def _compacted(overview: Overview, turn: int) -> str:
    """Describe the window after a compaction."""
    sizes, is_last = overview.timeline.change(turn), turn > overview.bench.turns(overview.agent)
    when = "After the last turn" if is_last else f"At turn {turn:,}"
    return f"{when} {sizes.before} tokens became {sizes.after}{', more than before' if sizes.grew else ''}."


def _sealed(turns: Sequence[int]) -> str:
    """State that the facts kept by the compactions at some turns are unknown."""
    places = ", ".join(f"{turn:,}" for turn in turns)
    if len(turns) == 1:
        return f"The summary of turn {places} is encrypted, so its contents are unknown."
    return f"The summaries of turns {places} are encrypted, so their contents are unknown."


def _needed(case: Case, need: LateNeed) -> str:
    """Describe a reply that needed lost facts, and where they had been stated."""
    regret, places = need.regret, case.overview.places
    more = f" and {len(regret.needs) - 1:,} more" if len(regret.needs) > 1 else ""
    source = places.get(regret.source)
    is_read = need.is_lookup and regret.cls in ("path", "url")
    first = f", {'first read' if is_read else 'stated'} in message {source + 1:,}" if source is not None else ""
    name = fact_name(regret.fact)
    deed = f"re-fetched {name}{more}" if need.is_lookup else f"contains {name}{more}, which the recorded context lacks"
    return f"Reply {need.number:,} (turn {regret.turn:,}) {deed}{first}."


def _eaten(case: Case) -> Iterator[str]:
    overview = case.overview
    window = overview.window
    if not window.total:
        yield window.emptiness
        return
    assumed = "" if overview.is_limit_known else "an assumed "
    full = f" of {assumed}{overview.limit:,}, {percent(window.total / overview.limit)}" if overview.limit else ""
    size = f"{overview.total(window.total)} tokens{full}"
    if case.planned:
        after = case.planned.after
        share = f", {percent(after.total / overview.limit)}" if overview.limit else ""
        yield f"As recorded it now has {size}; {case.through} {after.size}{share}."
    else:
        yield f"It now has {size}."
    parts = [f"{one.name} {percent(one.tokens / window.total)}" for one in case.shares]
    yield f"Largest parts: {', '.join(parts[:_MAX_ITEMS])}."
    largest = largest_messages(window, _MAX_ITEMS, overview.places)
    if names := [f"{one.name} with {overview.tokens(one.tokens)}" for one in largest]:
        yield f"The largest messages are {', '.join(names)}."
    yield from _unused(overview)
    for again in repeats(window)[:_MAX_ITEMS]:
        wasted, verb = overview.tokens(again.wasted), "gave" if again.by_text else "was"
        yield f"{ends(again.resource, _NAME)} {verb} {again.sentence}: {wasted} tokens besides the newest."


def _unused(overview: Overview) -> Iterator[str]:
    """Yield a sentence about the MCP servers whose tools are defined in every request and were never called."""
    unused = [server for server in overview.servers if not server.calls]
    rows = [f"{one_line(row.name)} ({plural(len(row.tools), 'tool')}, {overview.tokens(row.tokens)})" for row in unused]
    more = f" and {len(rows) - _MAX_ITEMS:,} more" if len(rows) > _MAX_ITEMS else ""
    if rows:
        yield f"MCP servers defined in every request and never called: {', '.join(rows[:_MAX_ITEMS])}{more}."


def _advice(case: Case) -> Iterator[str]:
    overview, best = case.overview, case.recommendation
    if overview.too_large:
        name = "the model's" if overview.is_limit_known else "the assumed one"
        yield f"Its window exceeds {name}, so something has to be removed."
    for number, advice in enumerate(case.tool_advice, 1):
        yield f"{number}. {advice.text}"
    yield from _preset_advice(case, best)
    for saving in case.savings[:1]:
        if saving.tokens >= _WORTH * overview.window.total:
            share = percent(saving.tokens / overview.window.total)
            about = STRATEGIES[saving.strategy].about
            yield f"{saving.strategy} ({about}) would save {overview.tokens(saving.tokens)} tokens now, {share}."
    if not best.why and not overview.too_large and not case.savings:
        yield "There are no duplicates or old reasoning to remove, so any compression loses information."


def _preset_advice(case: Case, best: Recommendation) -> Iterator[str]:
    """Yield the sentences about the best preset."""
    if best.why:
        yield f"Inspector's presets: {best.why}"
    yield from filter(None, best.lines[1:])
    if best.best is not None and best.best.preset == NONE and any(row.cost > 0 for row in case.tool_advice):
        yield "The numbered savings count tokens only; the presets also count the dropped facts that replies needed."
    if best.why and case.reported is not None:
        yield f"The session as recorded {_spent(case, case.reported)}."


def _spent(case: Case, reported: ReportedUsage) -> str:
    """Return what a session cost, or would have cost if its price is unknown, with the parts that were not reported."""
    estimates = case.recorded.parts.describe_estimates(reported.cost)
    rest = f": {dollars(reported.cost)} as reported, {estimates}" if estimates else ""
    if case.price.source == "default":
        return f"would have cost {dollars(case.recorded.cost)} at the default price{rest}"
    return f"cost {dollars(case.recorded.cost)}{rest}"


def _costs(case: Case) -> Iterator[str]:
    usage, session, agent = case.reported, case.overview.bench.session, case.overview.agent
    if usage is not None:
        calls = plural(usage.calls, "call")
        cached = f", {usage.cache_read:,} from the cache" if usage.cache_read else ""
        at_default = " at the default price" if case.price.source == "default" else ""
        yield f"{calls} sent {usage.sent:,} tokens{cached}, as reported: {dollars(usage.cost)}{at_default}."
        yield from describe_stated_cost(session, agent, usage.cost)
    elif case.recorded.turns:
        recorded = case.recorded
        calls = plural(recorded.turns, "call")
        yield (
            f"{calls} sent {case.overview.total(recorded.tokens_sent)} tokens: {dollars(recorded.cost)} with a prompt "
            f"cache, {dollars(recorded.cost_uncached)} without, simulated."
        )
        yield from describe_stated_cost(session, agent, recorded.cost)
    yield from describe_cache_losses(case.overview.cache_losses, _MAX_ITEMS)
    if case.call_cost:
        stands = "as recorded" if case.planned else "now"
        seen = f", {case.through} {money_of(case.planned).now}" if case.planned else ""
        yield f"The window {stands} costs {case.call_cost} per uncached call{seen}."
    if case.price.note:
        yield f"{case.price.note[:1].upper()}{case.price.note[1:]}."
