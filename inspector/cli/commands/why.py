"""`why`: a diagnosis of a session's context in one sentence, and answers to four common questions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.cache_loss import CacheLoss
from inspector.analysis.experiments import Recommendation, TrialResult, run_sweep
from inspector.analysis.replay import NONE, RECORDED
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import CommandError
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import agent_option, common, redact_option, target
from inspector.cli.output import Ink, echo, echo_json, paint, progress, whole, width
from inspector.cli.policy_options import Reported, subject_of, weights
from inspector.cli.schema.values import json_output
from inspector.cli.text.window_text import heading
from inspector.core.conversation import MAIN
from inspector.core.json_objects import Fraction, Tokens
from inspector.core.text import lines_of
from inspector.engine import work_state
from inspector.engine.compression import BUILT_IN
from inspector.engine.window import Fall, SizeChange
from inspector.library import EarlierSession, OpenSession
from inspector.library.diagnosis import (
    Case,
    Findings,
    LateNeed,
    Role,
    Saving,
    ToolAdvice,
    Verdict,
    WhyAnswer,
    WindowShare,
    judge,
    look_back,
    survey,
)
from inspector.llm.models import Price

_MAX_CHARACTERS = 4_000_000
"""Maximum messages of a session on which all presets are tried, to keep the answer fast."""
_INKS: dict[Role, Ink | None] = {"strong": "strong", "good": "good", "bad": "bad", "warn": "warn", "key": "accent"}


@json_output()
class PieceOutput:
    """A piece of a sentence. All pieces joined are the sentence."""

    text: str
    role: Annotated[Role, "how it is shown; `key` is a key of the app"]


@json_output("kind=verdict.kind text=verdict.text spans key=verdict.key turn message")
class SentenceOutput:
    """A sentence about a session, and the target of its key."""

    verdict: Verdict
    spans: Sequence[PieceOutput]
    turn: Annotated[int | None, "target turn of that key; null if it has none"]
    message: Annotated[str | None, "id of the target message; null if it has none"]


@json_output(inline="sizes")
class ShrinkOutput:
    """A compaction in the recording."""

    sizes: SizeChange
    turn: Annotated[int, "the first after it"]


@json_output(inline="part")
class ShareOutput:
    """The share of a part in the current window."""

    part: WindowShare
    share: Fraction


@json_output(inline="verdict")
class AdviceOutput:
    """A recommendation, with the verdict of `tune`; without one for a session of many messages."""

    verdict: Recommendation
    actions: Annotated[Sequence[ToolAdvice], "changes in the recorded tool, the largest saving first"]
    savings: Annotated[Sequence[Saving], "of strategies that remove duplicates or old reasoning"]


@json_output()
class WhyOutput:
    """Diagnosis of a session's context."""

    session: SessionOutput
    agent: str
    verdict: SentenceOutput
    compactions: Sequence[ShrinkOutput]
    consequences: Annotated[Sequence[work_state.Consequence], "what followed a compaction, in the order of the log"]
    records_compactions: Annotated[bool, "false if the format does not record compactions"]
    earlier: Annotated[
        EarlierSession | None, "the session that contains what the compaction dropped with which this one begins"
    ]
    falls: Annotated[Sequence[Fall], "of the reported size, which no record explains"]
    needed: Sequence[LateNeed]
    too_large: Annotated[Sequence[int], "turns with a window that exceeds the model's"]
    tokens: Annotated[Tokens, "of the current window, as recorded"]
    planned_tokens: Annotated[Tokens | None, "of the current window through the applied plans; null without any"]
    limit: Annotated[Tokens, "limit of the model's window"]
    shares: Annotated[Sequence[ShareOutput], "by kind of content; the sum is `tokens`"]
    advice: AdviceOutput
    price: Price
    reported: Reported
    cache_losses: Annotated[Sequence[CacheLoss], "calls that the prompt cache did not serve, in order"]
    answers: Sequence[WhyAnswer]


@click.command()
@target
@agent_option
@redact_option
@common
def why(target: str, agent: str | None, db: Path | None, as_json: bool) -> int:
    """Diagnose a session's context in one sentence, and answer four questions.

    Why did it forget, what fills the window, what should I do, and what does it cost: each with the command that shows
    more. A reply re-fetched a dropped fact if it read again what an earlier call had read. A fact that a reply states
    and that is not in the recorded context comes from an unrecorded source.
    SESSION is a file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        with progress() as on_progress:
            on_progress("searching for facts that were needed later", 0, 0)
            overview = survey(session.bench, agent, session.library.store)
            findings = look_back(session.bench, agent) or Findings()
        verdict = judge(overview, findings)
        if not as_json:
            echo("\n".join((*heading(session.bench.session), "", *_sentence_lines(verdict))))
        case = Case(overview, findings, _rows_of(session, agent))
        try:
            if as_json:
                echo_json(_why_output(case, verdict, session))
            else:
                echo("\n".join(_answer_lines(case, target)))
        except ValueError as problem:  # The user's prices cannot be read.
            raise CommandError(str(problem)) from problem
    return 0


def _rows_of(session: OpenSession, agent: str) -> Sequence[TrialResult]:
    """Return trials of the built-in presets. None if they would take long or the session cannot be replayed."""
    bench = session.bench
    if not bench.turns(agent) or sum(message.chars for message in bench.session.messages) > _MAX_CHARACTERS:
        return ()
    with HeldInterrupt() as interrupt:
        presets = [RECORDED, NONE, *BUILT_IN.values()]
        subject = replace(subject_of(session, agent, weights(())), judged="questions")
        return run_sweep(subject, presets, workers=1, cancel=interrupt)


def _answer_lines(case: Case, target: str) -> Iterator[str]:
    """Yield the questions with their answers, each with the command that shows more."""
    agent = case.overview.agent
    of_agent = f" --agent {shlex.quote(whole(agent))}" if agent != MAIN else ""
    words = shlex.quote(whole(target)) + of_agent
    for answer in case.answers():
        yield ""
        yield paint(answer.question, "strong")
        for sentence in answer.sentences:
            yield from (f"  {line.rstrip()}" for line in lines_of(sentence, width() - 2))
        yield paint(f"  inspector {answer.command.replace('SESSION', words)}", "dim")


def _sentence_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict without its key, which a command line does not have."""
    text = Verdict(verdict.kind, tuple(clause for clause in verdict.clauses if clause.before != " · "))
    ink = next((_INKS.get(role) for _, role in text.spans if role in ("bad", "warn", "good")), None)
    yield from (paint(line.rstrip(), ink or "strong") for line in lines_of(text.text, width()))


def _why_output(case: Case, verdict: Verdict, session: OpenSession) -> WhyOutput:
    overview, advice, timeline = case.overview, case.recommendation, case.overview.timeline
    return WhyOutput(
        session=session_output(session.bench, overview.agent),
        agent=overview.agent,
        verdict=_sentence(verdict),
        compactions=[ShrinkOutput(sizes=timeline.change(turn), turn=turn) for turn in timeline.compactions],
        consequences=case.findings.consequences,
        records_compactions=overview.records_compactions,
        earlier=overview.earlier,
        falls=overview.falls,
        needed=case.findings.needs,
        too_large=overview.too_large,
        tokens=overview.window.total,
        planned_tokens=case.planned.after.total if case.planned else None,
        limit=overview.limit,
        shares=[ShareOutput(part=one, share=one.tokens / overview.window.total) for one in case.shares],
        advice=AdviceOutput(
            verdict=advice,
            actions=case.tool_advice,
            savings=case.savings,
        ),
        price=case.price,
        reported=case.reported,
        cache_losses=overview.cache_losses,
        answers=case.answers(),
    )


def _sentence(verdict: Verdict) -> SentenceOutput:
    goal = verdict.target
    return SentenceOutput(
        verdict=verdict,
        spans=[PieceOutput(text=text, role=role) for text, role in verdict.spans],
        turn=goal.turn if goal else None,
        message=(goal.message or None) if goal else None,
    )
