"""`why`: one sentence about what became of a session's context, and the four questions that people come with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.analysis.experiments import TrialResult, run_sweep
from inspector.analysis.replay import NONE, RECORDED
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import CommandError
from inspector.cli.commands.show import session_facts
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import agent_option, common, target
from inspector.cli.output import Ink, echo, echo_json, paint, progress, whole, width
from inspector.cli.policy_options import reported_record, subject_of, weights
from inspector.cli.schema import record
from inspector.cli.schema.trials_schema import NeedRecord, PriceRecord
from inspector.cli.schema.verdicts import (
    AdviceRecord,
    AnswerRecord,
    LateNeedRecord,
    PieceRecord,
    SavingRecord,
    SentenceRecord,
    ShareRecord,
    ShrinkRecord,
    WhyOutput,
)
from inspector.cli.schema.windows import size_change_fields
from inspector.cli.text.window_text import heading
from inspector.core.conversation import MAIN
from inspector.core.text import lines_of
from inspector.engine.compression import BUILT_IN
from inspector.library import OpenSession, Workbench
from inspector.library.diagnosis import Case, Findings, LateNeed, Role, Verdict, judge, look_back, survey

_MAX_CHARACTERS = 4_000_000
"""Of a session on which all presets are tried; on a longer one that would take too long for an answer at once."""
_INKS: dict[Role, Ink | None] = {"strong": "strong", "good": "good", "bad": "bad", "warn": "warn", "key": "accent"}


@click.command()
@target
@agent_option
@common
def why(target: str, agent: str | None, db: Path | None, as_json: bool) -> int:
    """Say in one sentence what became of a context, and answer four questions.

    Why did it forget, what eats the window, what should I do, and what does it cost: each with the command that leads
    on. A reply missed what a compaction had taken away where it looks it up again, or says it though nothing behind the
    compaction tells it. SESSION is a file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        with progress() as on_progress:
            on_progress("looking for what was missed later", 0, 0)
            case = _case_of(session, agent)
        verdict = judge(case.overview, case.findings)
        try:
            if as_json:
                echo_json(_why_output(case, verdict, session))
            else:
                echo("\n".join(_why_text(case, verdict, target)))
        except ValueError as problem:  # own prices that cannot be read
            raise CommandError(str(problem)) from problem
    return 0


def _case_of(session: OpenSession, agent: str) -> Case:
    overview = survey(session.bench, agent)
    findings = look_back(session.bench, agent) or Findings()
    return Case(overview, findings, _rows_of(session, agent))


def _rows_of(session: OpenSession, agent: str) -> Sequence[TrialResult]:
    """Trials of the presets that come with the project; none where they would take long or nothing can be replayed."""
    bench = session.bench
    if not bench.turns(agent) or _size_of(bench) > _MAX_CHARACTERS:
        return ()
    with HeldInterrupt() as interrupt:
        presets = [RECORDED, NONE, *BUILT_IN.values()]
        return run_sweep(subject_of(session, agent, weights(())), presets, workers=1, cancel=interrupt)


def _size_of(bench: Workbench) -> int:
    return sum(message.chars for message in bench.session.messages)


def _why_text(case: Case, verdict: Verdict, target: str) -> Iterator[str]:
    agent = case.overview.agent
    of_agent = f" --agent {shlex.quote(whole(agent))}" if agent != MAIN else ""
    words = shlex.quote(whole(target)) + of_agent
    yield from heading(case.overview.bench.session)
    yield ""
    yield from _sentence_lines(verdict)
    for answer in case.answers():
        yield ""
        yield paint(answer.question, "strong")
        for sentence in answer.sentences:
            yield from (f"  {line.rstrip()}" for line in lines_of(sentence, width() - 2))
        yield paint(f"  inspector {answer.command.replace('SESSION', words)}", "dim")


def _sentence_lines(verdict: Verdict) -> Iterator[str]:
    """The verdict without the key that leads on: on a command line there is none to press."""
    text = Verdict(verdict.kind, tuple(clause for clause in verdict.clauses if clause.before != " · "))
    ink = next((_INKS.get(role) for _, role in text.spans if role in ("bad", "warn", "good")), None)
    yield from (paint(line.rstrip(), ink or "strong") for line in lines_of(text.text, width()))


def _why_output(case: Case, verdict: Verdict, session: OpenSession) -> WhyOutput:
    overview, best = case.overview, case.recommendation
    savings = [record(SavingRecord, one) for one in case.savings]
    return WhyOutput(
        session=session_facts(session.bench, overview.agent),
        agent=overview.agent,
        verdict=_sentence_record(verdict),
        compactions=list(_shrinks(case)),
        needed=[_late_need_record(need) for need in case.findings.needs],
        too_large=overview.too_large,
        tokens=overview.window.total,
        planned_tokens=case.planned.after.total if case.planned else None,
        limit=overview.limit,
        shares=[record(ShareRecord, one, share=one.tokens / overview.window.total) for one in case.shares],
        advice=record(AdviceRecord, best, best=best.best.name if best.best else None, savings=savings),
        price=record(PriceRecord, case.price),
        reported=reported_record(case.reported),
        answers=[record(AnswerRecord, answer) for answer in case.answers()],
    )


def _sentence_record(verdict: Verdict) -> SentenceRecord:
    goal = verdict.target
    return record(
        SentenceRecord,
        verdict,
        spans=[PieceRecord(text=text, role=role) for text, role in verdict.spans],
        turn=goal.turn if goal else None,
        message=(goal.message or None) if goal else None,
    )


def _shrinks(case: Case) -> Iterator[ShrinkRecord]:
    timeline = case.overview.timeline
    for turn in timeline.compactions:
        yield record(ShrinkRecord, None, turn=turn, **size_change_fields(timeline.change(turn)))


def _late_need_record(need: LateNeed) -> LateNeedRecord:
    needs = [record(NeedRecord, one, **{"class": one.cls}) for one in need.regret.needs]
    return record(LateNeedRecord, need.regret, number=need.number, is_lookup=need.is_lookup, needs=needs)
